#include "clients/programs/logs/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fastjournal::tools {
namespace {

// Written but not synced files stay open, and the kernel keeps their data in memory.
constexpr std::uint64_t kUnsyncedSegments = 16;
constexpr std::uint64_t kUnsyncedBytes = 256U << 20U;

// A new log has no records.
class Nothing final : public log::file::RecordHandler {
 public:
  Status on_record(RecordView const&, Lsn) override { return {}; }
};

}  // namespace

Status for_each_record(log::file::BatchHeader const& header, std::span<std::byte const> bytes, Lsn base,
                       std::function<Status(RecordView const&, bool)> const& take) {
  for (std::uint64_t at = log::file::kBatchHeaderBytes; at < header.used;) {
    Lsn const lsn{header.lsn.value + at};
    auto const record = log::decode_record(bytes.subspan(at, header.used - at), lsn);
    if (!record) return {Code::damaged, fmt::format("LSN {}: a record of a sound batch cannot be read", lsn.value)};
    if (lsn >= base)
      if (Status status = take(record->view, record->last_of_group); !status.ok()) return status;
    at += record->bytes;
  }
  return {};
}

Result<std::unique_ptr<Rewriter>> Rewriter::open(env::Disk& disk, std::string folder, log::file::LogOptions options,
                                                 Origin const& origin) {
  if (disk.list(folder).ok())
    return Status{Code::bad_parameter, folder + " is there already: a new folder is expected"};
  // Synced explicitly: before the end it is not a usable log.
  options.sync = log::file::SyncPolicy::interval;
  options.first_lsn = origin.beyond;
  options.starts_before = origin.last_start;
  std::uint64_t const unsynced_bytes_max = std::min(kUnsyncedSegments * options.segment_bytes, kUnsyncedBytes);
  Nothing nothing;
  log::file::RecoveryReport report;
  auto log = log::file::FileLog::open(disk, std::move(folder), std::move(options), nothing, report);
  if (!log.ok()) return log.status();
  auto out = std::make_unique<Rewriter>();
  out->log_ = std::move(log).value();
  out->unsynced_bytes_max_ = unsynced_bytes_max;
  return out;
}

Status Rewriter::write_group(std::span<RecordView const> group) {
  std::size_t bytes = 0;
  for (RecordView const& record : group) bytes += log::record_bytes(true, record.body.size());
  if (!log_->reserve(bytes, false)) return log_->writer().last_refusal();
  for (RecordView const& record : group) {
    auto const place = log_->append(record.table, record.type, record.version, record.object, record.body.size());
    std::copy(record.body.begin(), record.body.end(), place.body.begin());
  }
  log_->end_group(Durability::written);
  records_ += group.size();
  return {};
}

Status Rewriter::sync_now_and_then() {
  bool const is_much = log_->end_lsn().value - log_->durable_lsn().value > unsynced_bytes_max_;
  return is_much ? log_->committer().sync() : Status{};
}

Status Rewriter::take(log::file::BatchHeader const& header, std::span<std::byte const> bytes, Lsn base,
                      Keep const& keep) {
  group_.clear();
  Status status = for_each_record(header, bytes, base, [&](RecordView const& record, bool last_of_group) -> Status {
    if (keep(record)) group_.push_back(record);
    if (!last_of_group || group_.empty()) return {};
    Status const written = write_group(group_);
    group_.clear();
    return written;
  });
  if (status.ok()) status = log_->commit();
  if (status.ok()) status = sync_now_and_then();
  log_->run_chores();
  return status;
}

}  // namespace fastjournal::tools
