// The log in files: segments in a folder (bytes: log/file/format.h), one open batch in memory, one write and one sync
// a turn. Here it is driven as a log::LogStore: what a turn's end writes and syncs, what is a job, and when it wants to
// be called without a cause. What each of these does is in its parts: the writer, the committer, the scrubber.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "base/env/look_times.h"
#include "fastjournal/status.h"
#include "log/file/committer.h"
#include "log/file/log_options.h"
#include "log/file/log_writer.h"
#include "log/file/record_handler.h"
#include "log/file/scrubber.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Owned and called by one thread. Invariant: what left rests on a sync, if it was promised one, and on a look at
// the folder that is not old.
class FileLog final : public log::LogStore {
 public:
  // Locks the folder, hands every record to `handler`, cuts a torn tail, and opens a fresh segment, durable when this
  // returns. On failure nothing that was there has changed: `damaged` names segment and offset, `in_use` who uses the
  // folder; a Status of the handler is returned unchanged.
  [[nodiscard]] static Result<std::unique_ptr<FileLog>> open(env::Disk& disk, std::string folder, LogOptions options,
                                                             RecordHandler& handler, RecoveryReport& report);
  FileLog(FileLog const&) = delete;
  FileLog& operator=(FileLog const&) = delete;

  // -- log::Log ------------------------------------------------------------
  // `bytes` of bodies, and their headers if these are not more than that plus 4 KiB (20 bytes a record).
  [[nodiscard]] bool reserve(std::size_t bytes, bool removing) override { return writer_.reserve(bytes, removing); }
  [[nodiscard]] bool reserve_to_compact(std::size_t bytes) override { return writer_.reserve_to_compact(bytes); }
  void keep_for_compaction(std::uint64_t bytes) override { writer_.keep_for_compaction(bytes); }
  [[nodiscard]] bool hold(std::size_t bytes, bool removing) override { return writer_.hold(bytes, removing); }
  void free(std::size_t bytes) override { writer_.free(bytes); }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override {
    return writer_.append(table, type, version, object, body_bytes);
  }
  void end_group(Durability durability) override {
    if (writer_.end_group() && durability == Durability::synced) committer_.promise();
  }
  [[nodiscard]] Status commit() override { return committer_.commit(); }
  void want_sync() override { committer_.want_sync(); }
  [[nodiscard]] Lsn end_lsn() const override { return writer_.end_lsn(); }
  [[nodiscard]] Lsn durable_lsn() const override { return writer_.durable_lsn(); }
  [[nodiscard]] Lsn needed_lsn() const override { return writer_.durable().needed(); }
  [[nodiscard]] Lsn written_lsn() const override { return writer_.written_lsn(); }
  [[nodiscard]] Lsn found_lsn() const override { return writer_.found_lsn(); }
  [[nodiscard]] Lsn sure_lsn() const override {
    return std::max(writer_.found_lsn(), writer_.durable().data_durable());
  }
  void set_base(Lsn base, Lsn catalogue) override { writer_.set_base({base, catalogue}); }
  [[nodiscard]] Status reset() override { return writer_.reset(); }
  [[nodiscard]] Period period() const override { return writer_.options().period; }
  [[nodiscard]] Status begin_period() override { return writer_.begin_period(); }
  [[nodiscard]] bool skip_to(Lsn at) override { return writer_.skip_to(at); }
  [[nodiscard]] Lsn base_lsn() const override { return writer_.base().wanted().lsn; }
  [[nodiscard]] std::uint32_t start() const override { return writer_.start(); }
  [[nodiscard]] std::uint64_t store_id() const override { return writer_.store_id(); }
  [[nodiscard]] log::LogUsage usage() const override { return writer_.usage(); }
  // A full disk is the expected reason, and not reported.
  [[nodiscard]] std::string shortage() const override;
  [[nodiscard]] Lsn damaged_end() const override { return scrubber_.damaged_end(); }

  // -- log::LogStore -------------------------------------------------------
  [[nodiscard]] std::string const& name() const override { return writer_.options().name; }
  [[nodiscard]] log::State state() const override {
    return writer_.error().ok() ? log::State::serving : log::State::failed;
  }
  [[nodiscard]] Status const& why() const override { return writer_.error(); }
  [[nodiscard]] bool end_turn(std::int64_t now_us) override;
  [[nodiscard]] std::int64_t next_us() const override;
  [[nodiscard]] bool is_full() const override;
  [[nodiscard]] std::unique_ptr<log::LogJob> take_job(log::Lane lane, std::int64_t now_us) override;
  void finish_job(log::Lane lane, std::unique_ptr<log::LogJob> job) override;
  void sync_soon() override;
  [[nodiscard]] Status look() override { return writer_.look(); }
  // Bytes below `end` in these segments stay as they are until unpin(), unless its space is needed. It costs the
  // disk no more than these segments.
  [[nodiscard]] Result<log::LogSnapshot> pin() override { return committer_.pin(); }
  bool unpin() override { return writer_.unpin(); }
  [[nodiscard]] Status shut_down() override { return committer_.shut_down(); }
  [[nodiscard]] std::vector<log::LogNews> take_news() override;
  [[nodiscard]] log::LogDescription describe() const override;

  // -- its parts: for tools that write without turns, and for proofs ---------
  [[nodiscard]] LogWriter& writer() { return writer_; }
  [[nodiscard]] LogWriter const& writer() const { return writer_; }
  [[nodiscard]] Committer& committer() { return committer_; }
  [[nodiscard]] Scrubber& scrubber() { return scrubber_; }
  // Everything that Lane::prepare has to do, on this thread.
  void run_chores();

 private:
  FileLog(env::Disk& disk, std::string folder, OpenedLog opened);

  [[nodiscard]] Status write_turn(std::int64_t now_us, bool& wrote);
  void date_uncovered(std::int64_t now_us);
  // By its interval. INT64_MAX: nothing is to be synced; 0: no turn has seen what is.
  [[nodiscard]] std::int64_t sync_us() const;
  [[nodiscard]] bool syncs_elsewhere() const;
  // INT64_MAX: nothing is unsynced.
  [[nodiscard]] std::int64_t unsynced_since_us() const;
  void tell_opened(RecoveryReport const& report);

  std::string folder_;
  LogWriter writer_;
  Committer committer_;
  Scrubber scrubber_;

  // When end_turn() has something to do without a cause.
  std::int64_t marker_us_{INT64_MAX};
  env::LookTimes look_times_;  // at the folder
  bool flush_wanted_{false};   // on a thread
  // The first turn that found something written above what is covered, while that is here.
  Lsn dated_above_{};
  std::int64_t uncovered_since_us_{0};
  std::int64_t flushed_since_us_{0};  // the same of what the flush under way covers
  std::vector<log::LogNews> news_;
};

}  // namespace fastjournal::log::file
