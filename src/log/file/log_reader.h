// Reads a log: checks every batch and hands out the records. Starts and the read-only `verify` and `dump` share this
// code, so that their results agree. Nothing here changes anything on disk.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/env/disk.h"
#include "base/env/workers.h"
#include "fastjournal/status.h"
#include "log/file/batch_window.h"
#include "log/file/format.h"
#include "log/file/log_folder.h"
#include "log/file/read_ahead.h"
#include "log/file/record_handler.h"
#include "log/file/segment_run.h"

namespace fastjournal::log::file {

// Owned by the code that opens or verifies a log, on one thread. Invariant: what cannot be read is the torn tail only
// if nothing on disk says that it was durable; otherwise the reading fails.
class LogReader {
 public:
  struct Range {
    Lsn begin;
    Lsn end;
  };

  // Reads the headers. ok with no segments: there is no log yet.
  [[nodiscard]] static Result<LogReader> open(env::Disk& disk, std::string folder);
  // Once. damaged: names segment and offset.
  // `workers` check what is read while this thread hands out records; without them it does everything itself.
  [[nodiscard]] Status read(RecordHandler& handler, RecoveryReport& report, env::Workers* workers = nullptr);

  // The contents of `newest`.
  [[nodiscard]] FoundNewest const& newest() const { return folder_.newest(); }
  // All segments, by index.
  [[nodiscard]] std::vector<FoundSegment>& segments() { return folder_.segments(); }
  // After read: those that hold the stream from base to the end, in its order.
  [[nodiscard]] std::vector<FoundSegment*> const& chain() const { return folder_.chain(); }
  // After read: nothing at or above base was found, so no segment is needed.
  [[nodiscard]] bool is_empty() const { return end_.is_none(); }
  [[nodiscard]] Lsn end() const { return end_; }
  // Batches that count although nothing on disk says that they are durable:
  // the kernel may hold them only.
  [[nodiscard]] std::vector<Range> const& unproved() const { return unproved_; }

 private:
  explicit LogReader(LogFolder folder) : folder_(std::move(folder)) {}

  // The begin of the batch with the wanted LSN, or of the first one after it; none: the stream ends there.
  Result<Lsn> find_batch(SegmentRun const& run, Lsn wanted, RecoveryReport& report);
  Status read_catalogue(RecordHandler& handler, RecoveryReport& report);
  // From the batch with the begin of the range to the last one that begins in it.
  Status read_range(Range range, RecordHandler& handler, bool catalogue, RecoveryReport& report);
  // From the batch that begins there.
  Status read_run(SegmentRun const& run, Range range, RecordHandler& handler, RecoveryReport& report);
  Status deliver(SegmentRun const& run, ReadAhead::Batch const& batch, RecordHandler& handler, RecoveryReport& report);
  void note_batch(SegmentRun const& run, BatchHeader const& header);
  void begin_progress(bool catalogue, Range range);
  void tell_progress(RecordHandler& handler, RecoveryReport const& report, SegmentRun const& run,
                     BatchHeader const& header);
  // Decides between damage and a torn tail.
  Status judge(SegmentRun const& run, Lsn lsn, bool plausible, RecoveryReport& report);
  void count_batch(SegmentRun const& run, BatchHeader const& header);

  LogFolder folder_;
  BatchWindow window_;
  std::uint64_t bytes_ahead_{0};  // read by read_ahead.h
  Lsn base_{};                    // of the headers: records are given from here
  Lsn batch_base_{};              // the largest base that a batch names
  Lsn end_{};
  std::vector<Range> unproved_;
  std::uint32_t last_flags_{0};
  env::Workers* workers_{nullptr};  // during read()
  ReadProgress progress_;
};

}  // namespace fastjournal::log::file
