// The side that gets the jobs: queues of a queue table. A job is there once, however often it is sent, by the name and
// the number that it has as a message (`client` and `sequence` of SEND); whoever knows jobs gives them these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "clients/cpp/queues.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::imports {

// Of a body, as a table allows it at most.
inline constexpr std::size_t kBodyBytesMax = std::size_t{64} << 20U;
// Jobs and bytes of them that are under way at once; a last job may be beyond.
inline constexpr std::size_t kBatchJobs = 100;
inline constexpr std::size_t kBatchBytes = std::size_t{16} << 20U;
inline constexpr DurationMs kLeaseMax{std::int64_t{365} * 24 * 3600 * 1000};

struct Job {
  std::string queue{};
  std::string body{};
  std::string properties{};
  std::optional<std::uint64_t> priority{};
  std::optional<DurationMs> lease{};
  std::optional<client::Date> date{};
  bool is_parked{false};
  std::string client{};
  std::uint64_t sequence{0};
};

// ok: it is there, synced.
struct Outcome {
  Status status{};
  std::uint64_t message{0};
  bool was_there{false};  // by an earlier SEND of this name and number
};

class Target {
 public:
  // `connection` must outlive it.
  Target(client::Connection& connection, std::string const& table)
      : connection_(connection), queues_(connection, table) {}

  // Whether jobs of such priorities may be sent to the queue (empty: to none), and parked: asked before the source loses anything. Changes
  // nothing but that a table with `create-queues` may make the queue.
  [[nodiscard]] Status check(std::string_view queue, std::optional<std::uint64_t> priority_max, bool parks);
  // An outcome for each, in their order. A job is refused if is_about_the_row() of its code; after any other failure the
  // import is to stop.
  [[nodiscard]] std::vector<Outcome> send(std::span<Job const> jobs);
  // The body of a message. unknown_row: there is none.
  [[nodiscard]] Result<std::string> body(std::uint64_t message);

 private:
  [[nodiscard]] Result<client::Ticket> begin(Job const& job);
  [[nodiscard]] Status park(Outcome const& sent);

  client::Connection& connection_;
  client::Queues queues_;
};

}  // namespace fastjournal::imports
