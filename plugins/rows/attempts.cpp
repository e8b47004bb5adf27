#include "plugins/rows/attempts.h"

#include <algorithm>

#include "base/failure.h"
#include "model/timer/wheel.h"

namespace fastjournal::rows {
namespace {

// splitmix64: rows that fail together must not become due together.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

}  // namespace

std::int64_t AttemptRules::back_off(unsigned attempts, ObjectId row, LeaseEpoch epoch, BackOff const& own) const {
  std::int64_t delay = std::min(back_off_first, back_off_max);
  switch (own.formula) {
    case BackOff::Formula::doubling:
      for (unsigned i = 0; i < attempts && delay < back_off_max && back_off_factor > 1; ++i)
        delay = delay > back_off_max / back_off_factor ? back_off_max : delay * back_off_factor;
      break;
    case BackOff::Formula::linear:
      delay = back_off_first > back_off_max / (attempts + 1LL) ? back_off_max : back_off_first * (attempts + 1LL);
      break;
    case BackOff::Formula::sidekiq: {
      // Its documentation: (count ** 4) + 15 + (rand(10) * (count + 1)), in seconds.
      std::int64_t const count = attempts;
      delay = (count * count * count * count + 15) * 1000;
      std::int64_t const chance = static_cast<std::int64_t>(mix(row.value ^ mix(epoch.value)) % 10U);
      return delay + chance * (count + 1) * 1000;
    }
    case BackOff::Formula::list: delay = own.rests[std::min<std::size_t>(attempts, own.rests.size() - 1)]; break;
  }
  std::int64_t const spread = delay * back_off_jitter / 100;
  if (spread == 0) return delay;
  return delay + static_cast<std::int64_t>(mix(row.value ^ mix(epoch.value)) % static_cast<std::uint64_t>(spread + 1));
}

Leases::Terms Attempts::lease(std::uint32_t row, ConnectionId connection, std::string_view worker, std::int64_t span_ms,
                              Decision& decision) const {
  LeaseEpoch const last = state_.places().last_epoch();
  LeaseEpoch const first = LeaseEpoch::of(decision.start, 1);
  Leases::Terms terms;
  terms.epoch = last < first ? first : LeaseEpoch{last.value + 1};
  terms.began = decision.now.value;
  terms.ends = std::min(decision.now.value + span_ms, timer::kDateMax);
  terms.connection = static_cast<std::uint64_t>(connection);
  terms.start = decision.start;
  terms.worker = worker;
  model::append_record(decision.records, state_.id_of(row), LeaseBody{terms});
  state_.remember(row);
  return terms;
}

Leases::Terms Attempts::renew(std::uint32_t row, ConnectionId connection, std::string_view worker, std::int64_t span_ms,
                              Decision& decision) const {
  Leases::Terms terms = state_.terms_of(row);
  terms.ends = std::min(decision.now.value + span_ms, timer::kDateMax);
  terms.worker = worker;
  terms.connection = static_cast<std::uint64_t>(connection);
  terms.start = decision.start;
  model::append_record(decision.records, state_.id_of(row), RenewBody{terms});
  return terms;
}

std::int64_t Attempts::rested(std::uint32_t row, Counters const& counters, std::int64_t now) const {
  Extras const own = extras::read(state_.extras_of(row));
  std::int64_t const rest = rules_.back_off(counters.attempts() - 1U, state_.id_of(row), state_.lease_of(row).epoch,
                                            own.back_off ? *own.back_off : rules_.formula);
  if (rest == 0 && rules_.keeps_place) return state_.row(row).date();
  return std::min(now + rest, timer::kDateMax);
}

bool Attempts::is_last(std::uint32_t row, Counters const& counters) const {
  if (last_ != nullptr) return last_->is_last(row, counters);
  std::uint8_t const most = extras::read(state_.extras_of(row)).max_attempts.value_or(rules_.max_attempts);
  return counters.timeouts > rules_.max_timeouts || (most != 0 && counters.failures >= most) ||
         counters.lifetime > rules_.max_lifetime;
}

Ended Attempts::end(std::uint32_t row, GiveBackBody const& body, Decision& decision) const {
  if (is_last(row, body.counters)) return give_up(row, body, decision);
  if (!rules_.keeps_history) return give_back(row, body, decision);
  GiveBackBody kept = body;
  kept.kept_at = rules_.kept_at(decision.now);
  return give_back(row, kept, decision);
}

Ended Attempts::give_back(std::uint32_t index, GiveBackBody const& body, Decision& decision) const {
  Row const& row = state_.row(index);
  Facts const facts = state_.view(index).facts;
  std::int64_t const now = decision.now.value;
  if (facts.is_expired(now)) {
    remove(index, Reason::expired, decision);
    return {Ended::deleted, 0};
  }
  std::uint32_t twin = state_.keys().of(index).waiting;
  if (twin == index) twin = kNoRow;
  if (twin != kNoRow && !state_.is_visible(twin, now)) {
    remove(twin, Reason::expired, decision);
    twin = kNoRow;
  }
  if (twin == kNoRow) {
    model::append_record(decision.records, row.id(), body);
    return {Ended::waits, body.date};
  }
  // The twin's data and id, the smaller priority, the returned row's counters.
  Row const& other = state_.row(twin);
  Facts const twin_facts = state_.view(twin).facts;
  FoldBody fold;
  fold.returned = row.id();
  fold.priority = std::min(row.priority(), other.priority());
  fold.date = std::max(body.date, other.date());
  fold.expires = facts.expires == 0 || twin_facts.expires == 0 ? 0 : std::max(facts.expires, twin_facts.expires);
  fold.counters = body.counters;
  fold.counters.lifetime = std::max(body.counters.lifetime, other.lifetime());
  fold.merges = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(UINT32_MAX, std::uint64_t{facts.merges} + twin_facts.merges + 1));
  fold.error = body.error;
  fold.kept_at = body.kept_at;
  // Rows of one key are of one group of jobs.
  if (state_.group_of(twin).is_none()) fold.group = state_.group_of(index);
  model::append_record(decision.records, other.id(), fold);
  return {Ended::waits, fold.date};
}

Ended Attempts::give_up(std::uint32_t row, GiveBackBody const& body, Decision& decision) const {
  // An expired row is removed as expired.
  if (state_.view(row).facts.is_expired(decision.now.value)) return give_back(row, body, decision);
  if (last_ != nullptr && last_->move(row, body, decision)) return {Ended::moved, 0};
  if (rules_.delete_failed) {
    // Its trace is kept with the attempt; the alert is told without it.
    std::string_view const error = rules_.keeps_history ? body.error : failure::error_of(body.error);
    model::append_record(
        decision.records, state_.id_of(row),
        RemoveBody{Reason::failed, true, body.counters, error, rules_.kept_at(decision.now), {}, state_.group_of(row)});
    return {Ended::deleted, 0};
  }
  return park(row, body, decision);
}

Ended Attempts::park(std::uint32_t row, GiveBackBody const& body, Decision& decision) const {
  if (state_.view(row).facts.is_expired(decision.now.value)) return give_back(row, body, decision);
  model::append_record(decision.records, state_.id_of(row),
                       ParkBody{decision.now.value, body.counters, body.error, body.detail, rules_.keeps_history});
  return {Ended::parked, 0};
}

void Attempts::fail_untried(std::uint32_t row, std::string_view error, Decision& decision) const {
  Counters const counters = state_.counters_of(row);
  if (rules_.delete_failed)
    model::append_record(
        decision.records, state_.id_of(row),
        RemoveBody{Reason::failed, true, counters, error, rules_.kept_at(decision.now), {}, state_.group_of(row)});
  else
    model::append_record(decision.records, state_.id_of(row), ParkBody{decision.now.value, counters, error, {}, false});
}

Ended Attempts::time_out(std::uint32_t row, Decision& decision) const {
  GiveBackBody body;
  body.counters = state_.counters_of(row).after_timeout();
  // One whose connection was lost ends early, and is no time-out that is counted.
  if (state_.lease_of(row).connection != 0) body.detail = state_.counting(row, Count::timeouts);
  switch (rules_.at_lease_end) {
    case AtLeaseEnd::wait: break;
    case AtLeaseEnd::park: return give_up(row, body, decision);
    case AtLeaseEnd::hold:
      model::append_record(decision.records, state_.id_of(row),
                           HoldBody{decision.now.value, body.counters.timeouts, body.counters.lifetime});
      return {Ended::held, 0};
  }
  body.date = rested(row, body.counters, decision.now.value);
  return end(row, body, decision);
}

Ended Attempts::put_back(std::uint32_t index, Decision& decision) const {
  Row const& row = state_.row(index);
  GiveBackBody body;
  std::int64_t const now = decision.now.value;
  // No earlier than it was made, by its producer's clock.
  body.date = is_waiting(row.place()) ? std::min(row.date(), std::max(now, state_.view(index).facts.inserted)) : now;
  body.counters.lifetime = row.lifetime();
  return give_back(index, body, decision);
}

}  // namespace fastjournal::rows
