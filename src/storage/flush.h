// One sync of a log: what it covers, and how long it took. It needs nothing of the log, so it may run on another thread
// while the log goes on writing. Only the sync does: a write into the kernel's memory takes microseconds, and this way
// no buffer changes its owner and the log stays with one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/log_store.h"
#include "env/clock.h"
#include "env/disk.h"
#include "fastjournal/histogram.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "storage/newest.h"

namespace fastjournal::storage {

class Flush final : public core::LogJob {
 public:
  void run() override;

  // Valid after run(). Not ok: nothing is known about any byte that it covers; never retry.
  [[nodiscard]] Status const& status() const { return status_; }

 private:
  friend class FileLog;

  void sync();
  void tell();

  env::Clock* clock_{nullptr};  // measures; null: nobody does
  std::vector<std::shared_ptr<env::File>> files_;
  // The state when the sync begins, which holds on disk once the sync is ok.
  Lsn end_{};           // everything below is durable
  Lsn data_end_{};      // of the last batch with records
  Lsn durable_told_{};  // the highest durable LSN that a batch below names
  Lsn base_{};          // depends on nothing above it
  Lsn catalogue_{};     // like the base
  // After the sync its results are written there: durably if it ends a stamp or a seal, else without a sync.
  std::shared_ptr<NewestWriter> newest_;
  Newest telling_;
  bool tells_durably_{false};
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

}  // namespace fastjournal::storage
