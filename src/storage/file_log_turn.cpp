// The file log as core::LogStore: what a turn's end writes and syncs, what is a job, and when it wants to be called
// without a cause. What each of these does is in the other files.
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "storage/file_log.h"

namespace fastjournal::storage {
namespace {

constexpr std::string_view kLogDamaged = "log-damaged";
constexpr std::string_view kTailCut = "tail-cut";
// An idle log stamps its last sync after this long: from then on damage to that batch is told from a torn tail.
constexpr std::int64_t kStampAfterUs = 5'000;
// What leaves rests on a look at the folder that is no older than this; and nobody asks for years. A look after each
// sync would cost two system calls a turn; a look on a thread could not keep answers back. While the loop is idle
// nobody is acknowledged anything, so that rarer looks suffice.
constexpr std::int64_t kLookEveryUs = 100'000;
constexpr std::int64_t kIdleLookEveryUs = 10'000'000;
// At most 50 MiB a second are scrubbed, however much there is: a log is not worth the whole disk.
constexpr std::int64_t kScrubStepEveryUs = 20'000;

template <typename Job>
std::unique_ptr<Job> as(std::unique_ptr<core::LogJob> job) {
  return std::unique_ptr<Job>(static_cast<Job*>(job.release()));
}

}  // namespace

// ---------------------------------------------------------------------------
// The end of a turn

bool FileLog::end_turn(std::int64_t now_us) {
  // Between two turns: a container's header.
  if (!error_.ok()) return false;
  dates_.now_us = now_us;
  close_turn();
  bool wrote = false;
  // What waits for a sync anyway shares one batch with what comes until the one under way has ended.
  if (!flush_out_ || !needs_sync())
    if (!write_turn(now_us, wrote).ok()) return wrote;
  // A file that was removed, or a folder that another one took the place of, takes what is written like any other: only
  // looking tells.
  if (now_us - dates_.looked_us >= kLookEveryUs) {
    dates_.looked_us = now_us;
    static_cast<void>(look());
  }
  return wrote;
}

Status FileLog::write_turn(std::int64_t now_us, bool& wrote) {
  bool const elsewhere = syncs_elsewhere();
  if (end_lsn() != written_lsn()) {
    if (!has_unsynced()) dates_.sync_us = now_us + std::int64_t{options_.sync_interval_ms} * 1000;
    wrote = true;
    dates_.stamp_us = now_us + kStampAfterUs;
    if (Status status = needs_sync() && !elsewhere ? write_synced() : write(); !status.ok()) return status;
  } else if (needs_stamp() && now_us >= dates_.stamp_us) {
    if (Status status = write_stamp(); !status.ok()) return status;
  }
  bool const interval_over = options_.sync == SyncPolicy::interval && has_unsynced() && now_us >= dates_.sync_us;
  if (flush_out_ || (!needs_sync() && !interval_over)) return {};
  flush_wanted_ = elsewhere;
  return elsewhere ? Status{} : sync_written();
}

bool FileLog::syncs_elsewhere() const {
  switch (options_.sync_place) {
    case SyncPlace::on_loop: return false;
    case SyncPlace::on_thread: return true;
    case SyncPlace::automatic: break;
  }
  return sync_times_.are_slow();
}

void FileLog::sync_soon() {
  if (options_.sync != SyncPolicy::interval) want_sync();
}

std::int64_t FileLog::next_us() const {
  std::int64_t next = dates_.looked_us + kIdleLookEveryUs;
  if (options_.scrub_ms != 0) next = std::min(next, dates_.scrub_us);
  if (needs_stamp()) next = std::min(next, dates_.stamp_us);
  // A flush that is out ends with a turn.
  if (options_.sync == SyncPolicy::interval && has_unsynced() && !flush_out_) next = std::min(next, dates_.sync_us);
  return next;
}

// ---------------------------------------------------------------------------
// Jobs

std::unique_ptr<core::LogJob> FileLog::take_job(core::Lane lane, std::int64_t now_us) {
  switch (lane) {
    case core::Lane::sync:
      if (!error_.ok() || !std::exchange(flush_wanted_, false)) return nullptr;
      return take_flush();
    case core::Lane::prepare: return take_chore();
    case core::Lane::scrub: break;
  }
  return error_.ok() && options_.scrub_ms != 0 ? take_scrub_in_time(now_us) : nullptr;
}

void FileLog::finish_job(core::Lane lane, std::unique_ptr<core::LogJob> job) {
  if (lane == core::Lane::sync)
    finish_flush(as<Flush>(std::move(job)));
  else
    finish_chore(as<Chore>(std::move(job)));
}

// Steps of a round come evenly over its time, so that a round is over when the next one begins.
std::unique_ptr<Chore> FileLog::take_scrub_in_time(std::int64_t now_us) {
  tell_damage(now_us);
  if (now_us < dates_.scrub_us) return nullptr;
  ScrubReport const& report = scrub_.report;
  if (report.round_total == 0) dates_.scrub_round_us = now_us;
  std::unique_ptr<Chore> step = take_scrub();
  double const part =
      report.round_total == 0
          ? 1.0
          : std::min(1.0, static_cast<double>(report.round_done) / static_cast<double>(report.round_total));
  std::int64_t const span_us = static_cast<std::int64_t>(options_.scrub_ms) * 1000;
  dates_.scrub_us = std::max(now_us + kScrubStepEveryUs,
                             dates_.scrub_round_us + static_cast<std::int64_t>(part * static_cast<double>(span_us)));
  return step;
}

// ---------------------------------------------------------------------------
// What people hear

void FileLog::tell_damage(std::int64_t now_us) {
  if (scrub_.report.damaged != damaged_told_) {
    damaged_told_ = scrub_.report.damaged;
    mending_ = true;
    news_.push_back(
        {kLogDamaged, 90,
         "what was durable cannot be read back: " + scrub_.report.last_damage +
             ". Its rows are still in memory, and are written again elsewhere in the log; do not stop the daemon "
             "before its log says that this is done, or its next start is refused. Check the disk, and make a "
             "backup (fastjournal backup)"});
  }
  if (!mending_) return;
  // An error is told by standing().
  static_cast<void>(mend());
  if (is_damaged()) {
    dates_.scrub_us = std::min(dates_.scrub_us, now_us + kScrubStepEveryUs);
    return;
  }
  mending_ = false;
  news_.push_back(
      {{},
       0,
       "log " + options_.name + ": what the damaged place held stands elsewhere now; the next start does not need it"});
}

void FileLog::tell_opened(RecoveryReport const& report) {
  for (std::string const& odd : report.notes) news_.push_back({kLogDamaged, 70, odd});
  if (!report.cut) return;
  // A person decides whether there was a reason: after a power cut or a crash of the kernel this is as it must be.
  news_.push_back(
      {kTailCut, 30,
       "log " + options_.name + ": its tail was cut at LSN " + std::to_string(report.cut_at.value) + ", " +
           std::to_string(report.cut_bytes) + " bytes, at the start: " + report.cut_reason +
           ". After a power cut that is as it must be, and nothing acknowledged is lost; if there was none, see the "
           "disk"});
}

core::LogDescription FileLog::describe() const {
  core::LogDescription out;
  out.folder = folder_;
  out.durability = options_.sync == SyncPolicy::always
                       ? "synced before it is acknowledged"
                       : fmt::format("acknowledged before it is synced, synced every {} ms", options_.sync_interval_ms);
  out.sync_us = &sync_times_.all();
  out.syncs_elsewhere = syncs_elsewhere();
  out.scrubbed = &scrub_.report;
  out.is_mending = is_damaged();
  return out;
}

}  // namespace fastjournal::storage
