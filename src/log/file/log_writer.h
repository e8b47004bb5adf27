// The writing side of a log in files: the open batch, the segments that it is written to, and the marks of what is
// durable and needed. When batches are written and synced is the committer's (committer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/base_mark.h"
#include "log/file/durable_marks.h"
#include "log/file/flush.h"
#include "log/file/log_options.h"
#include "log/file/log_space.h"
#include "log/file/open_batch.h"
#include "log/file/opened_log.h"
#include "log/file/record_handler.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Owned by FileLog and called on its thread; flushes and chores may run on another one meanwhile. Invariant: a
// batch is written once, in the order of the stream, to segments that are prepared; and after a failed write or sync
// nothing is written, and nothing more becomes durable.
class LogWriter {
 public:
  LogWriter(env::Disk& disk, std::string const& folder, OpenedLog opened);
  LogWriter(LogWriter const&) = delete;
  LogWriter& operator=(LogWriter const&) = delete;
  // Once, before anything else: a fresh segment, durable when this returns ok, so that bytes beyond a cut can never
  // be read as records.
  [[nodiscard]] Status begin(RecoveryReport& report);

  // -- records --------------------------------------------------------------
  // As log::Log says. Valid from here: a second call replaces the first. False: last_refusal() has the reason.
  [[nodiscard]] bool reserve(std::size_t bytes, bool removing);
  [[nodiscard]] bool reserve_to_compact(std::size_t bytes) { return take_room(bytes, {}); }
  [[nodiscard]] bool hold(std::size_t bytes, bool removing);
  void free(std::size_t bytes);
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) {
    return batch_.append(table, type, version, object, body_bytes);
  }
  // False: there was none.
  bool end_group() { return batch_.end_group(); }

  // -- batches --------------------------------------------------------------
  // Gives the open batch to the kernel, if it has records: from here on kill -9 does not lose it.
  [[nodiscard]] Status write();
  // The same past the kernel's cache, if that is possible and nothing unsynced precedes it.
  [[nodiscard]] Status write_through();
  // Room for a batch without records. False: there is none. Requires an empty batch.
  [[nodiscard]] bool reserve_marker();
  // A batch that only names what is durable; kBatchCleanShutdown: and that nothing follows. After reserve_marker().
  [[nodiscard]] Status write_marker(std::uint32_t flags);
  // Covers everything that was written.
  [[nodiscard]] std::unique_ptr<Flush> take_flush();
  // It was run. An error is told by error().
  void finish_flush(Flush const& flush);
  // Everything up to now is needed before output is sent.
  void need_all() { durable_.need(batch_.end_of_records()); }

  // -- base and space -------------------------------------------------------
  void set_base(Base base);
  [[nodiscard]] Status reset();
  // The stream goes on in a fresh segment, if nothing is unsynced and there is one.
  [[nodiscard]] Status leave_segment() { return leave_segment({}); }
  // The same, where what a table needs of the log is told apart from what was there before (kOldestLsnGrain).
  [[nodiscard]] Status begin_period();
  // As log::Log says. A failed write is told by error().
  [[nodiscard]] bool skip_to(Lsn at);
  // The base in effect, into a durable header: no start reads what is below.
  [[nodiscard]] Status put_base_on_disk();
  // Of what is durable: requires that nothing else was written.
  [[nodiscard]] log::LogSnapshot pin();
  bool unpin() { return space_.unpin(); }
  void keep_for_compaction(std::uint64_t bytes) { space_.policy().keep_for_compaction(bytes); }
  // Work to be done ahead, or nullptr. Call it once a turn; call run() on any thread, then finish_chore() on this one.
  // At most one runs at a time.
  [[nodiscard]] std::unique_ptr<Chore> take_chore();
  void finish_chore(std::unique_ptr<Chore> chore);

  // -- what holds -----------------------------------------------------------
  [[nodiscard]] OpenBatch const& batch() const { return batch_; }
  [[nodiscard]] Lsn end_lsn() const { return batch_.end_lsn(); }
  [[nodiscard]] Lsn durable_lsn() const { return batch_.record_after(durable_.durable()); }
  [[nodiscard]] Lsn written_lsn() const { return batch_.record_after(durable_.committed()); }
  // The end of the records that the start read.
  [[nodiscard]] Lsn found_lsn() const { return found_lsn_; }
  [[nodiscard]] bool has_unsynced() const { return durable_.durable() < batch_.begin_lsn(); }
  // And no flush that is out covers it.
  [[nodiscard]] bool has_uncovered() const { return durable_.covered() < batch_.begin_lsn(); }
  [[nodiscard]] DurableMarks const& durable() const { return durable_; }
  [[nodiscard]] BaseMark const& base() const { return base_; }
  [[nodiscard]] LogSpace const& space() const { return space_; }
  [[nodiscard]] log::LogUsage usage() const { return space_.usage(batch_.begin_lsn()); }
  [[nodiscard]] LogOptions const& options() const { return options_; }
  [[nodiscard]] std::uint64_t store_id() const { return store_id_; }
  [[nodiscard]] std::uint32_t start() const { return start_; }

  // -- failures -------------------------------------------------------------
  // Not ok: a write or sync failed; nothing more may be acknowledged.
  [[nodiscard]] Status const& error() const { return error_; }
  // Checks that the open files are still those of this folder. Not ok: fatal, like a failed write.
  [[nodiscard]] Status look();
  // Why reserve() last returned false.
  [[nodiscard]] Status const& last_refusal() const { return refusal_; }
  // So that a later start that finds no segment does not begin with an empty log.
  [[nodiscard]] Status remember_store();

 private:
  // The space that additions or removals leave alone.
  [[nodiscard]] SpacePolicy::Kept kept_beside(bool removing) {
    return removing ? space_.policy().beside_removals() : space_.beside_additions();
  }
  [[nodiscard]] bool take_room(std::uint64_t need, SpacePolicy::Kept kept);
  // False, for this reason.
  bool refuse(Status why) {
    refusal_ = std::move(why);
    return false;
  }
  // Segments for `bytes` from the begin of the open batch.
  [[nodiscard]] bool make_room(std::uint64_t bytes, SpacePolicy::Kept kept);
  // It goes on at `at`, or behind the segment if that is higher.
  [[nodiscard]] Status leave_segment(Lsn at);
  Status write_batch(std::uint32_t flags, Chain::How how = Chain::How::to_kernel);
  Status try_direct();
  // Everything fails from here on.
  Status fail(Status const& why);

  LogOptions const options_;
  std::unique_ptr<env::FolderLock> lock_;
  std::uint64_t store_id_;
  std::uint32_t start_;
  Lsn found_lsn_;
  std::unique_ptr<NewestFile> newest_;
  OpenBatch batch_;
  DurableMarks durable_;
  BaseMark base_;
  LogSpace space_;
  bool direct_{false};  // writes past the kernel's cache work here
  Status error_;
  Status refusal_;
};

}  // namespace fastjournal::log::file
