#include "log/file/committer.h"

#include <utility>

#include "base/check.h"

namespace fastjournal::log::file {

Status Committer::commit() {
  close_turn();
  return needs_sync() ? write_synced() : writer_.write();
}

void Committer::close_turn() {
  FJ_CHECK(!writer_.batch().is_group_open(), "groups are complete when they are committed");
  if (sync_wanted_ || (promised_ && policy_ == SyncPolicy::always)) writer_.need_all();
  promised_ = sync_wanted_ = false;
}

Status Committer::write_synced() {
  std::int64_t const begin_us = clock_ == nullptr ? 0 : clock_->monotonic_us();
  if (Status status = writer_.write_through(); !status.ok()) return status;
  std::unique_ptr<Flush> flush = take_flush();
  flush->run();
  if (clock_ != nullptr) flush->took(clock_->monotonic_us() - begin_us);
  finish_flush(std::move(flush));
  return writer_.error();
}

Status Committer::sync() {
  if (!writer_.error().ok()) return writer_.error();
  return writer_.has_unsynced() ? sync_written() : Status{};
}

Status Committer::sync_written() {
  std::unique_ptr<Flush> flush = take_flush();
  flush->run();
  finish_flush(std::move(flush));
  return writer_.error();
}

void Committer::finish_flush(std::unique_ptr<Flush> flush) {
  sync_times_.add(flush->took_us());
  writer_.finish_flush(*flush);
}

Status Committer::write_durable_marker() {
  // Without room for it nothing is lost.
  if (!needs_durable_marker() || !writer_.reserve_marker()) return writer_.error();
  if (!writer_.has_unsynced())
    if (Status status = writer_.write_marker(0); !status.ok()) return status;
  writer_.need_all();
  return {};
}

Status Committer::shut_down() {
  if (Status status = commit(); !status.ok()) return status;
  if (Status status = sync(); !status.ok()) return status;
  if (!writer_.reserve_marker()) return writer_.error();
  if (Status status = writer_.write_marker(kBatchCleanShutdown); !status.ok()) return status;
  return sync_written();
}

Result<log::LogSnapshot> Committer::pin() {
  if (Status status = commit(); !status.ok()) return status;
  if (Status status = sync(); !status.ok()) return status;
  return writer_.pin();
}

}  // namespace fastjournal::log::file
