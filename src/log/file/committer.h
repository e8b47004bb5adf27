// Commits: writes and syncs the promised groups, and the markers of a log that rests or ends. The bytes are the
// writer's (log_writer.h), the time is the turn's (file_log.h).
#pragma once

#include <cstdint>
#include <memory>

#include "fastjournal/status.h"
#include "log/file/flush.h"
#include "log/file/log_writer.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Owned by FileLog, on its thread. Invariant: needs_sync() until everything that was promised `synced` is durable.
class Committer {
 public:
  // `writer` outlives this.
  explicit Committer(LogWriter& writer)
      : writer_(writer), policy_(writer.options().sync), clock_(writer.options().clock) {}

  // The records up to here were promised `synced`.
  void promise() { promised_ = true; }
  // They are to be synced, whatever was promised.
  void want_sync() { sync_wanted_ = writer_.has_unsynced() || !writer_.batch().is_empty(); }

  // Writes, and syncs if that was promised. Requires that no group is open and no flush is running.
  [[nodiscard]] Status commit();
  // The parts of commit(), for an owner that syncs on a thread: close_turn(); then LogWriter::write(), unless the batch
  // is to wait for a running flush; then, if needs_sync() and none is running, take_flush().
  void close_turn();
  [[nodiscard]] bool needs_sync() const { return writer_.durable().needs_sync(); }
  // Writes and syncs at once. Requires that no flush is running.
  [[nodiscard]] Status write_synced();
  // Syncs everything that was written and not synced (SyncPolicy::interval, promises `written`). Requires that no flush
  // is running.
  [[nodiscard]] Status sync();
  // Call run() on any thread, then finish_flush() on this one. One runs at a time.
  [[nodiscard]] std::unique_ptr<Flush> take_flush() { return writer_.take_flush(); }
  void finish_flush(std::unique_ptr<Flush> flush);
  [[nodiscard]] SyncTimes const& sync_times() const { return sync_times_; }

  // True while batches are durable but nothing on disk says so: an idle log gets a durable marker after some
  // milliseconds. write_durable_marker() leaves something that needs_sync(), and one more is needed after that if
  // something was only written.
  [[nodiscard]] bool needs_durable_marker() const {
    return writer_.batch().is_empty() && !writer_.durable().is_flushing() && writer_.durable().is_untold();
  }
  [[nodiscard]] Status write_durable_marker();
  // Commits, syncs, and writes a clean-shutdown marker. Nothing may follow. Requires that no flush is running.
  [[nodiscard]] Status shut_down();
  // Commits and syncs before that. Requires that no group is open and no flush is running.
  [[nodiscard]] Result<log::LogSnapshot> pin();

 private:
  // On the spot.
  Status sync_written();

  LogWriter& writer_;
  SyncPolicy policy_;
  env::Clock* clock_;        // null: syncs are not measured
  bool promised_{false};     // since the last close_turn() something was promised `synced`,
  bool sync_wanted_{false};  // or a sync was asked for
  SyncTimes sync_times_;
};

}  // namespace fastjournal::log::file
