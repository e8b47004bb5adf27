#include "log/file/log_writer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "fastjournal/table.h"
#include "log/file/opening.h"
#include "log/record_format.h"

namespace fastjournal::log::file {

LogWriter::LogWriter(env::Disk& disk, std::string const& folder, OpenedLog opened)
    : options_(std::move(opened.options)),
      lock_(std::move(opened.lock)),
      store_id_(opened.found.store_id),
      start_(opened.found.start),
      newest_(std::move(opened.newest)),
      batch_(options_.batch_bytes_max),
      space_(disk, folder, options_, std::move(opened.found), *newest_, base_, durable_) {
  batch_.begin(opened.next);
  durable_.begin_at(opened.next);
}

Status LogWriter::begin(RecoveryReport& report) {
  Lsn const first = batch_.begin_lsn();
  Lsn const base = space_.chain().is_empty() ? first : report.base;
  base_.begin_at({base, std::max(base, report.catalogue)}, report.described);
  if (Status status = space_.begin(first, report.end); !status.ok()) return status;
  if (Status status = try_direct(); !status.ok()) return status;
  found_lsn_ = report.end;
  report.start = start_;
  report.base = base;
  report.store_id = store_id_;
  report.segments = usage().segments;
  return {};
}

// The first block is empty, or not needed.
Status LogWriter::try_direct() {
  if (options_.sync_method == SyncMethod::fdatasync) return {};
  AlignedBytes const block = aligned_bytes(options_.block_bytes);
  std::memset(block.get(), 0, options_.block_bytes);
  Status const status = space_.chain().current().file->write_through(kHeaderBlocks * options_.block_bytes,
                                                                     std::span{block.get(), options_.block_bytes});
  direct_ = status.ok();
  if (status.ok() || (status.code() == Code::not_supported && options_.sync_method == SyncMethod::automatic)) return {};
  if (status.code() != Code::not_supported) return status;
  return {status.code(), fmt::format("log {}: {}; sync-method=\"auto\" takes fdatasync where this does not work",
                                     options_.name, status.message())};
}

Status LogWriter::remember_store() { return log::file::remember_store(*lock_, store_id_); }

Status LogWriter::fail(Status const& why) {
  // If the folder is gone, every call fails with a different error.
  Status const looked = lock_->look();
  Status const& status = looked.code() == Code::damaged ? looked : why;
  error_ = {status.code(), fmt::format("log {}: {}", options_.name, status.message())};
  return error_;
}

Status LogWriter::look() {
  if (!error_.ok()) return error_;
  Status status = lock_->look();
  if (status.ok()) status = newest_->look();
  if (status.ok()) status = space_.chain().look();
  return status.ok() ? Status{} : fail(status);
}

// ---------------------------------------------------------------------------
// Room

bool LogWriter::reserve(std::size_t bytes, bool removing) {
  if (!removing) space_.policy().wake();
  return take_room(with_headers(bytes), kept_beside(removing));
}

// A batch of its own, in whole blocks.
bool LogWriter::hold(std::size_t bytes, bool removing) {
  if (!error_.ok()) return refuse(error_);
  std::uint64_t const need = round_up(with_headers(bytes) + kBatchHeaderBytes, options_.block_bytes);
  std::uint64_t const total = round_up(batch_.bytes_with(0), options_.block_bytes) + need;
  if (Status status = space_.find_room(batch_.begin_lsn(), total, kept_beside(removing)); !status.ok())
    return refuse(std::move(status));
  space_.policy().hold(need);
  return true;
}

void LogWriter::free(std::size_t bytes) {
  space_.policy().free(round_up(with_headers(bytes) + kBatchHeaderBytes, options_.block_bytes));
}

bool LogWriter::take_room(std::uint64_t need, SpacePolicy::Kept kept) {
  if (!error_.ok()) return refuse(error_);
  // A long turn is written in parts, but a group is never split.
  bool const is_long = !batch_.is_empty() && batch_.bytes_with(need) > options_.batch_bytes_max;
  if (is_long && !batch_.is_group_open() && !write_batch(0).ok()) return refuse(error_);
  std::uint64_t const total = round_up(batch_.bytes_with(need), options_.block_bytes);
  if (total > kBatchBytesMax)
    return refuse({Code::too_large, fmt::format("log {}: {} bytes in one group, the limit is {}", options_.name, total,
                                                kBatchBytesMax)});
  if (!space_.has_room(batch_.begin_lsn(), total, kept) && !make_room(total, kept)) return false;
  batch_.reserve(need, total);
  return true;
}

bool LogWriter::make_room(std::uint64_t bytes, SpacePolicy::Kept kept) {
  Lsn const at = batch_.begin_lsn();
  if (Status status = space_.find_room(at, bytes, kept); !status.ok()) return refuse(std::move(status));
  Status const status = space_.prepare(at, bytes);
  return status.ok() || refuse(fail(status));
}

// ---------------------------------------------------------------------------
// Writing

Status LogWriter::write() {
  if (!error_.ok()) return error_;
  if (!batch_.is_empty())
    if (Status status = write_batch(0); !status.ok()) return status;
  durable_.commit(batch_.begin_lsn());
  return {};
}

Status LogWriter::write_through() {
  if (!error_.ok()) return error_;
  bool const may = direct_ && !has_unsynced() && !batch_.is_empty() &&
                   space_.chain().is_in_one(batch_.begin_lsn(), round_up(batch_.bytes_with(0), options_.block_bytes));
  if (may)
    if (Status status = write_batch(0, Chain::How::through); !status.ok()) return status;
  return write();
}

bool LogWriter::reserve_marker() {
  if (!make_room(options_.block_bytes, {})) return false;
  batch_.reserve(0, options_.block_bytes);
  return true;
}

Status LogWriter::write_marker(std::uint32_t flags) {
  if (Status status = write_batch(flags); !status.ok()) return status;
  durable_.commit(batch_.begin_lsn());
  return {};
}

Status LogWriter::write_batch(std::uint32_t flags, Chain::How how) {
  bool const has_records = !batch_.is_empty();
  Lsn const begin = batch_.begin_lsn();
  BatchHeader header;
  header.flags = flags;
  header.durable = durable_.durable();
  header.base = base_.wanted().lsn;
  header.generation = space_.chain().enter(begin);
  std::span<std::byte const> const bytes = batch_.close(header, store_id_, options_.block_bytes);
  if (Status status = space_.chain().write(begin, bytes, how); !status.ok()) return fail(status);

  space_.chain().keep_until(begin, header.end());
  durable_.wrote(header.end(), has_records);
  if (batch_.describes()) base_.describe(header.end());
  batch_.begin(header.end());
  return {};
}

// ---------------------------------------------------------------------------
// Flushes

std::unique_ptr<Flush> LogWriter::take_flush() {
  Lsn const end = batch_.begin_lsn();
  DurableMarks::Covered const covered = durable_.begin_flush(end);
  std::vector<std::shared_ptr<env::File>> files = space_.chain().take_unsynced(durable_.durable());
  bool const covers_all = covered.told >= covered.data_end;
  return std::make_unique<Flush>(
      options_.clock, std::move(files),
      Flush::Covered{covered, base_.after_flush(end), newest_->telling(covered.data_end, covers_all)});
}

void LogWriter::finish_flush(Flush const& flush) {
  durable_.end_flush();
  if (!error_.ok()) return;
  if (!flush.status().ok()) {
    static_cast<void>(fail(flush.status()));
    return;
  }
  Flush::Covered const& covered = flush.covered();
  space_.chain().close_synced(durable_.durable());
  DurableMarks::Covered marks = covered.marks;
  durable_.flushed(marks);
  newest_->told(covered.newest);
  base_.flushed(durable_.durable(), covered.base);
  space_.free_below_base();
}

// ---------------------------------------------------------------------------
// Base and space

void LogWriter::set_base(Base base) {
  if (!base_.is_news(base)) return;
  FJ_CHECK(base.lsn <= end_lsn() && base.catalogue <= end_lsn(), "base does not pass the end of the log");
  // It depends on every record appended so far.
  base_.want(base, batch_.end_of_records(), durable_.durable());
  space_.free_below_base();
}

Status LogWriter::reset() {
  if (!error_.ok()) return error_;
  space_.policy().rest();
  return leave_segment();
}

Status LogWriter::begin_period() {
  if (!error_.ok()) return error_;
  std::uint64_t const end = space_.chain().current().header.end().value;
  return leave_segment(Lsn{(end + kOldestLsnGrain - 1) / kOldestLsnGrain * kOldestLsnGrain});
}

bool LogWriter::skip_to(Lsn at) {
  if (!error_.ok() || (end_lsn() < at && !leave_segment(at).ok())) return false;
  return end_lsn() >= at;
}

Status LogWriter::leave_segment(Lsn at) {
  if (!batch_.is_empty() || has_unsynced() || !space_.can_leave()) return {};
  if (Status status = space_.leave(batch_.begin_lsn(), at); !status.ok()) return fail(status);
  Lsn const first = space_.chain().current().header.first;
  batch_.begin(first);
  durable_.begin_at(first);
  return {};
}

Status LogWriter::put_base_on_disk() {
  Status const status = space_.put_base_on_disk();
  return status.ok() ? Status{} : fail(status);
}

log::LogSnapshot LogWriter::pin() {
  FJ_CHECK(batch_.is_empty() && !has_unsynced(), "a copy is made of what is durable");
  space_.pin();
  log::LogSnapshot out;
  out.store_id = store_id_;
  out.base = space_.base_for_header();
  out.end = batch_.begin_lsn();
  for (Segment const& segment : space_.chain()) out.segments.push_back(segment.header.index);
  return out;
}

std::unique_ptr<Chore> LogWriter::take_chore() {
  if (!error_.ok()) return nullptr;
  Result<std::unique_ptr<Chore>> chore = space_.take_chore(batch_.begin_lsn());
  if (chore.ok()) return std::move(chore).value();
  static_cast<void>(fail(chore.status()));
  return nullptr;
}

void LogWriter::finish_chore(std::unique_ptr<Chore> chore) {
  space_.finish_chore(*chore);
  if (chore->status().ok()) return;
  if (chore->is_fatal())
    static_cast<void>(fail(chore->status()));
  else
    // The log continues with the segments that it has, and reserve() reports the shortage.
    refusal_ = chore->status();
}

}  // namespace fastjournal::log::file
