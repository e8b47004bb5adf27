#include "engine/followed_log.h"

#include <algorithm>
#include <utility>

#include "engine/digest.h"

namespace fastjournal::engine {
namespace {

// Applied in one turn: a few milliseconds.
constexpr std::size_t kRecordsPerTurn = 8192;
constexpr std::size_t kChunkBytes = 256U << 10U;
// Of kStepsTogether each, in one turn.
constexpr int kGraceStepsPerTurn = 64;
// Rows may come that a declaration does not fit, or go.
constexpr DurationMs kLookAtFitEvery{10'000};

}  // namespace

void FollowedLog::on_reset(std::uint64_t store_id, Lsn base) {
  chunks_.clear();
  is_reset_ = true;
  was_caught_up_ = false;
  store_id_ = store_id;
  base_ = base;
}

// Views are valid during the call: what cannot be applied now is copied.
Status FollowedLog::on_record(RecordView const& record) {
  last_ = record.lsn;
  if (is_caught_up()) {
    if (trouble_.ok()) trouble_ = apply(record);
    return {};
  }
  std::size_t const bytes = record.body.size();
  if (chunks_.empty() || chunks_.back().bytes.size() + bytes > chunks_.back().bytes.capacity()) {
    chunks_.emplace_back();
    chunks_.back().bytes.reserve(std::max(bytes, kChunkBytes));
  }
  Chunk& chunk = chunks_.back();
  std::size_t const begin = chunk.bytes.size();
  chunk.bytes.append(reinterpret_cast<char const*>(record.body.data()), bytes);
  RecordView& kept = chunk.records.emplace_back(record);
  kept.body = std::as_bytes(std::span{chunk.bytes}.subspan(begin, bytes));
  return {};
}

Status FollowedLog::apply(RecordView const& record) {
  has_applied_ = true;
  std::size_t const tables = log_.tables.size();
  if (record.table == TableId::catalogue && record.type != log::kClockRecord) look_at_fit_ = {};
  Status status = parts_.recovery.follow(log_, record, base_);
  has_changed_ = has_changed_ || log_.tables.size() != tables;
  return status;
}

// A row may stand before the statement of its table, which was compacted.
Status FollowedLog::read_catalogue() {
  for (Chunk const& chunk : chunks_)
    for (RecordView const& record : chunk.records)
      if (record.table == TableId::catalogue && record.type != log::kClockRecord)
        if (Status status = Recovery::replay_catalogue(log_, record); !status.ok()) return status;
  log_.catalogue_read_to = Lsn{last_.value + 1};
  has_changed_ = true;
  return parts_.recovery.host(log_);
}

bool FollowedLog::advance(bool is_current, TimeMs now) {
  if (is_reset_) {
    if (!is_current) return false;
    if (log_.hosted) let_go(Status{Code::unavailable, "log " + log_.name + " is read anew"}.with("retry", "100"), now);
    is_reset_ = false;
    log_.store_id = store_id_;
    trouble_ = read_catalogue();
  }
  if (!trouble_.ok()) {
    chunks_.clear();
    return false;
  }
  for (std::size_t count = 0; !chunks_.empty() && count < kRecordsPerTurn; ++count) {
    Chunk& chunk = chunks_.front();
    trouble_ = apply(chunk.records[chunk.applied++]);
    if (!trouble_.ok()) return false;
    if (chunk.applied == chunk.records.size()) chunks_.pop_front();
  }
  if (std::exchange(has_applied_, false)) {
    for (auto const& [id, table] : log_.tables) parts_.memory.changed(*table);
    // Records from before its beginning are no lag.
    if (chunks_.empty() && !log_.is_ours && std::exchange(was_caught_up_, true))
      lag_ms_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, (now - log_.catalogue.last_now()).value)));
  }
  log_.is_caught_up = is_caught_up();
  if (log_.is_caught_up && !log_.is_ours && look_at_fit_ <= now) {
    misfit_ = parts_.configuration.check_all_in(log_.name);
    look_at_fit_ = now + kLookAtFitEvery;
  }
  return !chunks_.empty();
}

std::vector<log::DeclaredTable> FollowedLog::declared() const {
  std::vector<log::DeclaredTable> out;
  for (Declaration const& declaration : parts_.configuration.declared_in(log_.name))
    out.push_back({declaration->name, digest_of(*declaration)});
  std::ranges::sort(out, {}, &log::DeclaredTable::name);
  return out;
}

bool FollowedLog::retry() {
  look_at_fit_ = {};
  misfit_ = {};
  return !std::exchange(trouble_, {}).ok();
}

// ---------------------------------------------------------------------------
// The owner

Result<FollowedLog::TakeOver> FollowedLog::take_over(TimeMs now) {
  log_.is_ours = log_.serves = true;
  TakeOver went = TakeOver::goes_on;
  switch (step_) {
    case Step::declarations:
      trouble_ = parts_.recovery.adopt(log_, now);
      has_changed_ = true;
      with_grace_ = {};
      step_ = Step::leases;
      break;
    case Step::leases:
      went = give_grace(now);
      if (went != TakeOver::over) break;
      went = TakeOver::goes_on;
      step_ = Step::transactions;
      break;
    case Step::transactions:
      trouble_ = parts_.branches.restore(log_, now);
      log_.has_dead = false;
      parts_.alerting.tell_all(log_);
      for (auto const& [id, table] : log_.tables)
        if (table->feed != nullptr) table->feed->begin(log_.log->end_lsn());
      step_ = Step::declarations;
      went = TakeOver::over;
      break;
  }
  // Whether its tables serve is said by who knows whether the lease is good (Engine::set_serving).
  log_.serves = false;
  log_.clock_in_batch = false;
  return trouble_.ok() ? Result<TakeOver>{went} : Result<TakeOver>{trouble_};
}

FollowedLog::TakeOver FollowedLog::give_grace(TimeMs now) {
  int steps = 0;
  for (auto const& [id, table] : log_.tables) {
    if (id <= with_grace_ || table->is_leaving) continue;
    for (;;) {
      Decider::Ending const ending = parts_.recovery.give_grace_step(*table, now);
      if (ending == Decider::Ending::finished) break;
      if (ending == Decider::Ending::no_space) return TakeOver::waits;
      if (++steps == kGraceStepsPerTurn) return TakeOver::goes_on;
    }
    parts_.due_tables.refresh(*table);
    with_grace_ = id;
  }
  return TakeOver::over;
}

void FollowedLog::let_go(Status const& why, TimeMs now) {
  log_.serves = false;
  log_.away = why;
  parts_.moving.log_lost(log_, now);
  parts_.transactions.give_up(log_, now, why);
  parts_.branches.let_go(log_, now, why);
  if (log_.is_ours) parts_.alerting.forget_all(log_);
  log_.is_ours = false;
  drop_all(why);
  step_ = Step::declarations;
  trouble_ = misfit_ = {};
  look_at_fit_ = {};
}

void FollowedLog::drop_all(Status const& why) {
  std::vector<HostedTable*> tables;
  for (auto const& [id, table] : log_.tables) tables.push_back(table);
  for (HostedTable* const table : tables) {
    Status told = why;
    parts_.service.end(table->served(), std::move(told).with("table", table->name));
    parts_.due_tables.forget(*table);
    parts_.tables.drop(*table);
  }
  parts_.tables.forget_names();
  log_.catalogue = {};
  log_.tables.clear();
  log_.unsent_feeds.clear();
  log_.hosted = log_.clock_in_batch = log_.has_dead = log_.short_of_space = false;
  log_.catalogue_read_to = {};
  log_.must_read_anew = log_.is_caught_up = false;
  log_.records_replayed = 0;
  is_reset_ = has_changed_ = true;
}

}  // namespace fastjournal::engine
