// One sync of a log: what it covers, and how long it took. It needs nothing of the log, so it may run on another thread
// while the log goes on writing. Only the sync moves there: a write into the kernel's memory takes microseconds, and
// this way no buffer changes hands and the log stays one thread's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/histogram.h"
#include "env/clock.h"
#include "env/disk.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "storage/newest.h"

namespace fastjournal::storage {

class Flush {
 public:
  // On any thread, once. The clock measures.
  void run(env::Clock& clock);
  // Without a measure.
  void run();

  // Valid after run(). Not ok: nothing is known about any byte that it covers; never retry.
  [[nodiscard]] Status const& status() const { return status_; }

 private:
  friend class FileLog;

  void tell();

  std::vector<std::shared_ptr<env::File>> files_;
  // As it is when the sync begins; true on disk once it has ended well.
  Lsn end_{};           // everything below is durable
  Lsn data_end_{};      // of the last batch with records
  Lsn durable_told_{};  // the highest durable LSN that a batch below names
  Lsn base_{};          // rests on nothing above
  Lsn catalogue_{};     // nor does this
  // What it makes true is told there when all is synced: durably where it ends a stamp, else as long as the kernel lives.
  std::shared_ptr<NewestWriter> newest_;
  Newest telling_;
  bool tells_durably_{false};
  std::int64_t took_us_{-1};
  Status status_;
};

// How long the syncs of a log take, and so whether the loop may wait for them.
class SyncTimes {
 public:
  // One of a hundred takes this long, or longer: not on the loop.
  static constexpr std::int64_t kSlowUs = 500;

  void add(std::int64_t took_us);
  // Among the last 256, three or more were slow; until none of the last 256 is.
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
