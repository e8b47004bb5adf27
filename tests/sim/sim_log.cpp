#include "tests/sim/sim_log.h"

#include <algorithm>

namespace fastjournal::sim {

// The job does nothing; its end makes durable what was written when it was taken.
struct SimLog::Sync final : log::LogJob {
  void run() override {}
  std::uint64_t end{0};
  std::uint64_t life{0};
};

void SimLog::set_state(log::State state, std::string why) {
  state_ = state;
  why_ = state == log::State::serving ? Status{} : Status{Code::unavailable, std::move(why)};
}

void SimLog::lose() {
  kept_.lose_from(Lsn{durable_});
  found_ = durable_;
  written_ = needed_ = durable_ = kept_.end();
  promised_ = out_ = false;
  base_ = kFirst;  // all records are kept and replayed
  ++lives_;
  set_state(log::State::serving);
}

bool SimLog::end_turn(std::int64_t) {
  bool const wrote = written_ != kept_.end();
  written_ = kept_.end();
  if (std::exchange(promised_, false)) needed_ = kept_.end();
  return wrote;
}

bool SimLog::skip_to(Lsn at) {
  if (durable_ != kept_.end()) return false;
  kept_.skip_to(at);
  written_ = needed_ = durable_ = kept_.end();
  return true;
}

Status SimLog::commit() {
  static_cast<void>(end_turn(0));
  if (state_ != log::State::serving) return why_;
  durable_ = needed_;
  return {};
}

std::unique_ptr<log::LogJob> SimLog::take_job(log::Lane lane, std::int64_t) {
  if (lane != log::Lane::sync || out_ || state_ != log::State::serving || durable_ >= needed_) return nullptr;
  out_ = true;
  auto job = std::make_unique<Sync>();
  job->end = written_;
  job->life = lives_;
  return job;
}

void SimLog::finish_job(log::Lane, std::unique_ptr<log::LogJob> job) {
  auto const& sync = static_cast<Sync const&>(*job);
  if (sync.life != lives_) return;
  out_ = false;
  if (state_ == log::State::serving) durable_ = std::max(durable_, sync.end);
}

Result<log::LogSnapshot> SimLog::pin() { return Status{Code::not_supported, "log " + name_ + " has no files"}; }

log::LogUsage SimLog::usage() const {
  log::LogUsage usage;
  usage.logical_bytes = kept_.end() - base_.value;
  usage.left_bytes = usage.room_bytes = UINT64_MAX / 2;
  return usage;
}

log::LogDescription SimLog::describe() const {
  log::LogDescription out;
  out.durability = "elsewhere before it is acknowledged";
  out.syncs_elsewhere = true;
  return out;
}

}  // namespace fastjournal::sim
