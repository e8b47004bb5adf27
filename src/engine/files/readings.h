// Values that are read for answers: by a job, or by their reader where they lie. Each reading has a number, in their order;
// until it is over, nothing that it may see is given back.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/carried.h"
#include "engine/files/data_files.h"

namespace fastjournal::storage {

class Readings {
 public:
  using FetchId = std::uint64_t;
  Readings(Context& context, DataFiles& files, CarriedBytes& carried)
      : context_(context), files_(files), carried_(carried) {}

  // By a job.
  [[nodiscard]] FetchId fetch(std::vector<Extent> const& extents);
  struct Fetched {
    FetchId fetch{0};
    Status status{};
    std::vector<std::string> values;
  };
  [[nodiscard]] std::vector<Fetched> take_fetched() { return std::exchange(fetched_, {}); }
  // The file, to be read where it lies, and a number under which its bytes stay until finish(). Null: it is gone.
  struct Reading {
    FilePtr file{};
    FetchId number{0};
  };
  [[nodiscard]] Reading read_in_place(Extent const& extent);
  void finish(FetchId number) {
    reading_.erase(number);
    context_.touch();
  }
  // For the figures, and of bytes that could not be read: an alert.
  void note_read_in_place(std::uint64_t bytes) { context_.figures.fetched_bytes += bytes; }
  void note_unreadable(Status const& why) {
    context_.note_damage(why);
    context_.touch();
  }

  // All values, until end().
  [[nodiscard]] FetchId begin() { return *reading_.insert(next_fetch_++).first; }
  void end(FetchId number) { reading_.erase(number); }
  // Readings from this number on do not see what is freed now: the next one may be of the answer that hands it out for
  // the last time.
  [[nodiscard]] FetchId first_without() const { return next_fetch_ + 1; }
  // All readings before this one.
  [[nodiscard]] bool are_over(FetchId before) const { return reading_.empty() || before <= *reading_.begin(); }
  [[nodiscard]] bool is_any() const { return !reading_.empty(); }
  [[nodiscard]] bool is_settled() const { return to_fetch_.empty(); }

  [[nodiscard]] std::unique_ptr<Job> take_job();
  void finish_job(FetchJob& job);

 private:
  Context& context_;
  DataFiles& files_;
  CarriedBytes& carried_;
  FetchId next_fetch_{1};
  std::set<FetchId> reading_;
  std::deque<std::vector<FetchJob::Read>> to_fetch_;
  std::vector<Fetched> fetched_;
};

}  // namespace fastjournal::storage
