// How far the stream was written, is durable, and is known on disk to be durable. Marks only: what writes and syncs is
// in log_writer.h.
#pragma once

#include <algorithm>

#include "base/check.h"
#include "fastjournal/types.h"

namespace fastjournal::log::file {

// Owned by the log's writer. Invariant: nothing counts as durable but what a flush covered when it began, and one
// flush is out at a time; no mark goes back while the stream goes on.
class DurableMarks {
 public:
  // The state when a sync begins, which holds on disk once the sync is ok.
  struct Covered {
    Lsn end{};       // everything below is durable
    Lsn data_end{};  // of the last batch with records
    Lsn told{};      // the highest durable LSN that a batch below names
  };

  // Nothing before is waited for: the stream begins, or goes on, at LSNs that were never given.
  void begin_at(Lsn at) { durable_ = committed_ = covered_ = at; }

  [[nodiscard]] Lsn durable() const { return durable_; }
  // Everything below is durable, or will be when the flush that is out is over.
  [[nodiscard]] Lsn covered() const { return covered_; }
  // End of the records that must be durable before output is sent.
  [[nodiscard]] Lsn needed() const { return needed_; }
  [[nodiscard]] bool needs_sync() const { return durable_ < needed_; }
  void need(Lsn end) { needed_ = end; }
  // End of what was written and counts. Batches that a long turn wrote ahead count with its last one: before, they may
  // not be synced.
  [[nodiscard]] Lsn committed() const { return committed_; }
  void commit(Lsn end) { committed_ = end; }

  // A batch that ends there was written, and its header names durable().
  void wrote(Lsn end, bool has_records) {
    if (has_records) data_end_ = end;
    telling_ = durable_;
  }
  // So does the header of a segment, and it is synced.
  void told(Lsn durable) { told_ = std::max(told_, durable); }
  // Records are durable, and nothing on disk says so: damage to them could be taken for a torn tail.
  [[nodiscard]] bool is_untold() const { return data_synced_ > told_; }
  // End of the last batch with records that is durable.
  [[nodiscard]] Lsn data_durable() const { return data_synced_; }

  [[nodiscard]] bool is_flushing() const { return flushing_; }
  // `end`: of what is written.
  [[nodiscard]] Covered begin_flush(Lsn end) {
    FJ_CHECK(!flushing_, "one flush is out at a time");
    flushing_ = true;
    covered_ = end;
    return {end, data_end_, telling_};
  }
  // It came back; if it was ok, flushed() follows.
  void end_flush() {
    FJ_CHECK(flushing_, "a flush that was taken comes back");
    flushing_ = false;
  }
  void flushed(Covered const& covered) {
    durable_ = covered.end;
    committed_ = std::max(committed_, durable_);
    told(covered.told);
    data_synced_ = covered.data_end;
  }

 private:
  Lsn durable_{};
  Lsn covered_{};
  Lsn needed_{};
  Lsn committed_{};
  Lsn data_end_{};
  Lsn data_synced_{};
  Lsn told_{};     // the highest durable LSN that the disk names,
  Lsn telling_{};  // and that it will name after the next sync
  bool flushing_{false};
};

}  // namespace fastjournal::log::file
