#include "log/file/file_log.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "log/file/opening.h"

namespace fastjournal::log::file {
namespace {

constexpr std::string_view kLogDamaged = "log-damaged";
constexpr std::string_view kTailCut = "tail-cut";
// An idle log writes a durable marker after this long: from then on damage to its last batch is told from a torn tail.
constexpr std::int64_t kMarkerAfterUs = 5'000;

std::int64_t interval_us(LogOptions const& options) { return std::int64_t{options.sync_interval_ms} * 1000; }

template <typename Job>
std::unique_ptr<Job> as(std::unique_ptr<log::LogJob> job) {
  return std::unique_ptr<Job>(static_cast<Job*>(job.release()));
}

}  // namespace

// ---------------------------------------------------------------------------
// Opening

FileLog::FileLog(env::Disk& disk, std::string folder, OpenedLog opened)
    : folder_(std::move(folder)),
      writer_(disk, folder_, std::move(opened)),
      committer_(writer_),
      scrubber_(disk, folder_, writer_, writer_.options().scrub_ms) {}

Result<std::unique_ptr<FileLog>> FileLog::open(env::Disk& disk, std::string folder, LogOptions options,
                                               RecordHandler& handler, RecoveryReport& report) {
  Result<OpenedLog> opened = open_for_writing(disk, folder, std::move(options), handler, report);
  if (!opened.ok()) return opened.status();
  std::unique_ptr<FileLog> log(new FileLog(disk, std::move(folder), std::move(opened).value()));
  if (Status status = log->writer_.begin(report); !status.ok()) return status;
  log->tell_opened(report);
  if (Status status = log->writer_.remember_store(); !status.ok()) return status;
  return log;
}

void FileLog::tell_opened(RecoveryReport const& report) {
  for (std::string const& odd : report.notes) news_.push_back({kLogDamaged, 70, odd});
  if (!report.cut) return;
  // An operator decides whether there was a reason: after a power cut or a crash of the kernel this is as it must be.
  news_.push_back(
      {kTailCut, 30,
       "log " + name() + ": its tail was cut at LSN " + std::to_string(report.cut_at.value) + ", " +
           std::to_string(report.cut_bytes) + " bytes, at the start: " + report.cut_reason +
           ". After a power cut that is as it must be, and nothing acknowledged is lost; if there was none, see the "
           "disk"});
}

// ---------------------------------------------------------------------------
// The end of a turn

bool FileLog::end_turn(std::int64_t now_us) {
  // Between two turns: a segment's header.
  if (!writer_.error().ok()) return false;
  committer_.close_turn();
  bool wrote = false;
  // What waits for a sync anyway shares one batch with what comes until the one under way has ended.
  if (!writer_.durable().is_flushing() || !committer_.needs_sync())
    if (!write_turn(now_us, wrote).ok()) return wrote;
  if (look_times_.take(now_us) != 0) static_cast<void>(look());
  return wrote;
}

Status FileLog::write_turn(std::int64_t now_us, bool& wrote) {
  bool const elsewhere = syncs_elsewhere();
  LogOptions const& options = writer_.options();
  // An idle one is synced by then.
  std::int64_t const marker_us = now_us + std::max(kMarkerAfterUs, interval_us(options));
  if (end_lsn() != written_lsn()) {
    wrote = true;
    marker_us_ = marker_us;
    Status status = committer_.needs_sync() && !elsewhere ? committer_.write_synced() : writer_.write();
    if (!status.ok()) return status;
  } else if (committer_.needs_durable_marker() && now_us >= marker_us_) {
    if (Status status = committer_.write_durable_marker(); !status.ok()) return status;
    // No room: tried again, and not at once.
    if (!committer_.needs_sync()) marker_us_ = marker_us;
  }
  date_uncovered(now_us);
  if (writer_.durable().is_flushing() || (!committer_.needs_sync() && now_us < sync_us())) return {};
  flush_wanted_ = elsewhere;
  return elsewhere ? Status{} : committer_.sync();
}

// Whatever wrote it: the start, a part of a long turn, a command between two turns.
void FileLog::date_uncovered(std::int64_t now_us) {
  Lsn const covered = writer_.durable().covered();
  if (covered == dated_above_ || !writer_.has_uncovered()) return;
  dated_above_ = covered;
  uncovered_since_us_ = now_us;
}

std::int64_t FileLog::sync_us() const {
  LogOptions const& options = writer_.options();
  bool const waits = options.sync == SyncPolicy::interval && writer_.has_uncovered();
  if (!waits) return INT64_MAX;
  bool const is_dated = dated_above_ == writer_.durable().covered();
  return is_dated ? uncovered_since_us_ + interval_us(options) : 0;
}

std::int64_t FileLog::unsynced_since_us() const {
  if (writer_.durable().is_flushing()) return flushed_since_us_;
  bool const is_dated = dated_above_ == writer_.durable().covered();
  return is_dated && writer_.has_uncovered() ? uncovered_since_us_ : INT64_MAX;
}

bool FileLog::syncs_elsewhere() const {
  switch (writer_.options().sync_place) {
    case SyncPlace::on_loop: return false;
    case SyncPlace::on_thread: return true;
    case SyncPlace::automatic: break;
  }
  return committer_.sync_times().are_slow();
}

void FileLog::sync_soon() {
  if (writer_.options().sync != SyncPolicy::interval) want_sync();
}

std::int64_t FileLog::next_us() const {
  std::int64_t next = std::min(look_times_.next_us(), scrubber_.next_us());
  if (committer_.needs_durable_marker()) next = std::min(next, marker_us_);
  // A flush that is out ends with a turn.
  return writer_.durable().is_flushing() ? next : std::min(next, sync_us());
}

bool FileLog::is_full() const {
  std::uint64_t const unsynced_bytes = end_lsn().value - durable_lsn().value;
  return writer_.durable().is_flushing() && unsynced_bytes > writer_.options().write_buffer_bytes;
}

// ---------------------------------------------------------------------------
// Jobs

std::unique_ptr<log::LogJob> FileLog::take_job(log::Lane lane, std::int64_t now_us) {
  switch (lane) {
    case log::Lane::sync:
      if (!writer_.error().ok() || !std::exchange(flush_wanted_, false)) return nullptr;
      flushed_since_us_ = std::min(unsynced_since_us(), now_us);
      return committer_.take_flush();
    case log::Lane::prepare: return scrubber_.is_step_out() ? nullptr : writer_.take_chore();
    case log::Lane::scrub: break;
  }
  return scrubber_.take_step_in_time(now_us);
}

void FileLog::finish_job(log::Lane lane, std::unique_ptr<log::LogJob> job) {
  switch (lane) {
    case log::Lane::sync: committer_.finish_flush(as<Flush>(std::move(job))); return;
    case log::Lane::prepare: writer_.finish_chore(as<Chore>(std::move(job))); return;
    case log::Lane::scrub: scrubber_.finish_step(as<ScrubStep>(std::move(job))); return;
  }
}

void FileLog::run_chores() {
  while (std::unique_ptr<Chore> chore = scrubber_.is_step_out() ? nullptr : writer_.take_chore()) {
    chore->run();
    bool const failed = !chore->status().ok();
    writer_.finish_chore(std::move(chore));
    if (failed) return;
  }
}

// ---------------------------------------------------------------------------
// News and descriptions

std::string FileLog::shortage() const {
  Status const& refusal = writer_.last_refusal();
  return refusal.code() == Code::not_allowed ? refusal.message() : std::string{};
}

std::vector<log::LogNews> FileLog::take_news() {
  scrubber_.take_news(news_);
  return std::exchange(news_, {});
}

log::LogDescription FileLog::describe() const {
  LogOptions const& options = writer_.options();
  log::LogDescription out;
  out.folder = folder_;
  out.durability = options.sync == SyncPolicy::always
                       ? "synced before it is acknowledged"
                       : fmt::format("acknowledged before it is synced, synced every {} ms", options.sync_interval_ms);
  out.sync_us = &committer_.sync_times().all();
  out.syncs_elsewhere = syncs_elsewhere();
  out.scrubbed = &scrubber_.report();
  out.unsynced_since_us = unsynced_since_us();
  out.is_mending = scrubber_.is_damaged();
  return out;
}

}  // namespace fastjournal::log::file
