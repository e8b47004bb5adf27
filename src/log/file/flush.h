// One sync of a log: what it covers, and how long it took. It needs nothing of the log, so it may run on another thread
// while the log goes on writing. Only the sync does: a write into the kernel's memory takes microseconds, and this way
// no buffer changes its owner and the log stays with one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/env/clock.h"
#include "base/env/disk.h"
#include "fastjournal/histogram.h"
#include "fastjournal/status.h"
#include "log/file/base_mark.h"
#include "log/file/durable_marks.h"
#include "log/file/newest_file.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Made by the log's writer. Invariant: it claims nothing that was written after it was made.
class Flush final : public log::LogJob {
 public:
  // The state on disk once the sync is ok.
  struct Covered {
    DurableMarks::Covered marks;
    Base base;                   // depends on nothing above `marks.end`
    NewestFile::Telling newest;  // written after the sync: durably if it ends a marker, else without a sync
  };

  // `clock` measures; null: syncs are not measured.
  Flush(env::Clock* clock, std::vector<std::shared_ptr<env::File>> files, Covered covered)
      : clock_(clock), files_(std::move(files)), covered_(std::move(covered)) {}
  void run() override;

  [[nodiscard]] Covered const& covered() const { return covered_; }
  // Valid after run(). Not ok: nothing is known about any byte that it covers; never retry.
  [[nodiscard]] Status const& status() const { return status_; }
  // Less than 0: not measured.
  [[nodiscard]] std::int64_t took_us() const { return took_us_; }
  // With the write before it.
  void took(std::int64_t took_us) { took_us_ = took_us; }

 private:
  void sync();
  void tell();

  env::Clock* clock_;
  std::vector<std::shared_ptr<env::File>> files_;
  Covered covered_;
  std::int64_t took_us_{-1};
  Status status_;
};

// How long the syncs of a log take, and so whether the loop may wait for them.
class SyncTimes {
 public:
  // If one of a hundred takes this long, or longer, syncs do not run on the loop.
  static constexpr std::int64_t kSlowUs = 500;

  void add(std::int64_t took_us);
  // From when three of the last 256 were slow until none of the last 256 is.
  [[nodiscard]] bool are_slow() const { return slow_; }
  [[nodiscard]] Histogram const& all() const { return all_; }

 private:
  static constexpr std::size_t kWindow = 256;
  static constexpr std::uint32_t kSlowOfWindow = 3;

  std::array<bool, kWindow> was_slow_{};
  std::size_t next_{0};
  std::uint32_t slow_ones_{0};
  bool slow_{false};
  Histogram all_;
};

}  // namespace fastjournal::log::file
