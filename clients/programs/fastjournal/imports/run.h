// One import: what is asked of a source, and what comes of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "clients/programs/fastjournal/imports/address.h"
#include "clients/programs/fastjournal/imports/target.h"
#include "fastjournal/status.h"

namespace fastjournal::imports {

// Of one queue. With `dry_run` what would be moved.
struct Counts {
  std::uint64_t ready{0};
  std::uint64_t delayed{0};
  std::uint64_t parked{0};
  std::uint64_t known{0};     // of these, sent by an import that was cut off
  std::uint64_t refused{0};   // they are at the source, as they were
  std::uint64_t reserved{0};  // workers of the source have them
};

struct Refusal {
  std::string queue;
  std::string job;
  Status why;
};

// How many refused jobs are kept apart at the source at once. With more the import stops.
inline constexpr std::size_t kRefusedMax = 1000;

struct Wish {
  Address from;
  std::string password{};
  std::string table{};
  std::vector<std::string> queues{};  // empty: all
  std::string framework{};            // of Redis
  bool dry_run{false};
  std::chrono::milliseconds limit{30'000};  // of an answer of the source
};

class Run {
 public:
  // `is_stopped`: whether to end, asked between batches. `on_moved` is called after each batch.
  Run(Wish given, Target& to, std::function<bool()> is_stopped, std::function<void(Run const&)> on_moved)
      : wish(std::move(given)), target(to), stops(std::move(is_stopped)), moved(std::move(on_moved)) {}

  Wish const wish;
  Target& target;
  std::function<bool()> const stops;
  std::function<void(Run const&)> const moved;

  void count(Job const& job, bool was_there);
  void refuse(std::string const& queue, std::string job, Status why);
  // For people: what was left where it is.
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }
  [[nodiscard]] Counts& of(std::string const& queue) { return queues_[queue]; }

  [[nodiscard]] std::map<std::string, Counts> const& queues() const { return queues_; }
  [[nodiscard]] std::vector<Refusal> const& refusals() const { return refusals_; }
  [[nodiscard]] std::vector<std::string> const& notes() const { return notes_; }
  [[nodiscard]] std::uint64_t jobs() const { return jobs_; }

 private:
  std::map<std::string, Counts> queues_;
  std::vector<Refusal> refusals_;
  std::vector<std::string> notes_;
  std::uint64_t jobs_{0};
};

// Not ok: it ended early; what was moved is in `run`, and the same import goes on.
[[nodiscard]] Status import_beanstalkd(Run& run);
[[nodiscard]] Status import_redis(Run& run);

}  // namespace fastjournal::imports
