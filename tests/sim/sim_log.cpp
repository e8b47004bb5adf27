#include "tests/sim/sim_log.h"

#include <algorithm>

namespace fastjournal::sim {

// Nothing runs: it covers what was written when it was taken.
struct SimLog::Sync final : core::LogJob {
  void run() override {}
  std::uint64_t end{0};
  std::uint64_t life{0};
};

void SimLog::stand(core::Standing standing, std::string why) {
  standing_ = standing;
  why_ = standing == core::Standing::serving ? Status{} : Status{Code::unavailable, std::move(why)};
}

void SimLog::lose() {
  while (!records_.empty() && records_.back().lsn.value >= durable_) records_.pop_back();
  // No LSN comes back.
  end_ += kLsnAlign;
  written_ = needed_ = durable_ = end_;
  promised_ = out_ = false;
  base_ = kFirst;  // everything is kept, and replayed
  ++lives_;
  stand(core::Standing::serving);
}

Records::Place SimLog::append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                              std::size_t body_bytes) {
  Lsn const lsn{end_};
  end_ += (16 + body_bytes + kLsnAlign - 1) / kLsnAlign * kLsnAlign;
  records_.push_back(
      {table, type, version, lsn, object.is_none() ? object_of(lsn) : object, std::vector<std::byte>(body_bytes)});
  return {lsn, records_.back().body};
}

bool SimLog::end_turn(std::int64_t) {
  bool const wrote = written_ != end_;
  written_ = end_;
  if (std::exchange(promised_, false)) needed_ = end_;
  return wrote;
}

Status SimLog::commit() {
  static_cast<void>(end_turn(0));
  if (standing_ != core::Standing::serving) return why_;
  durable_ = needed_;
  return {};
}

std::unique_ptr<core::LogJob> SimLog::take_job(core::Lane lane, std::int64_t) {
  if (lane != core::Lane::sync || out_ || standing_ != core::Standing::serving || durable_ >= needed_) return nullptr;
  out_ = true;
  auto job = std::make_unique<Sync>();
  job->end = written_;
  job->life = lives_;
  return job;
}

void SimLog::finish_job(core::Lane, std::unique_ptr<core::LogJob> job) {
  auto const& sync = static_cast<Sync const&>(*job);
  if (sync.life != lives_) return;
  out_ = false;
  if (standing_ == core::Standing::serving) durable_ = std::max(durable_, sync.end);
}

Result<core::LogSnapshot> SimLog::pin() { return Status{Code::not_supported, "log " + name_ + " has no files"}; }

core::LogUsage SimLog::usage() const {
  core::LogUsage usage;
  usage.logical_bytes = end_ - base_.value;
  usage.left_bytes = usage.room_bytes = UINT64_MAX / 2;
  return usage;
}

core::LogDescription SimLog::describe() const {
  core::LogDescription out;
  out.durability = "elsewhere before it is acknowledged";
  out.syncs_elsewhere = true;
  return out;
}

}  // namespace fastjournal::sim
