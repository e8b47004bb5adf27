// Commands of workers: NEXT, TOUCH, DONE, RELEASE, FAIL (doc/protocol.md), and the return of rows.
#include <algorithm>

#include "plugins/journal/journal.h"
#include "timer/wheel.h"

namespace fastjournal::journal {
namespace {

constexpr std::int64_t kNextCountMax = 1024;
// A NEXT of many rows ends when its answer is this long; the next one gets the rest.
constexpr std::uint64_t kAnswerBytesMax = 1U << 20U;
// The most expired rows that one command removes; the timers remove the others.
constexpr std::uint64_t kExpiredMax = 1024;
constexpr std::int64_t kWaitMax = 24 * 3'600'000;

// Decision::carry of a NEXT.
constexpr std::size_t kGiven = 0;
constexpr std::size_t kBytes = 1;
constexpr std::size_t kExpired = 2;
constexpr std::size_t kFirstEpoch = 3;

}  // namespace

// ---------------------------------------------------------------------------
// Handing out

std::int64_t Journal::lease_span(Parameters& parameters) const {
  return parameters.integer("lease", options_.processing_timeout, options_.processing_timeout_min,
                            options_.processing_timeout_max);
}

// give_next reads the domain itself; here an impossible domain is refused.
void Journal::check_domain(Parameters& parameters) const {
  if (!parameters.has("domain")) return;
  std::string_view const domain = parameters.text("domain", kDomainBytesMax);
  if (domain.empty())
    parameters.refuse(Code::bad_parameter, "domain", "domain is empty: leave it out to ask for rows of any domain");
  else if (Status const status = check_topic(domain); !status.ok())
    parameters.refuse(status.code(), "domain", status.message());
}

Verdict Journal::next(Command const& command, Decision& decision) const {
  Parameters parameters{*command.message};
  auto const count = static_cast<std::uint64_t>(parameters.integer("count", 1, 1, kNextCountMax));
  std::int64_t const lease_ms = lease_span(parameters);
  std::int64_t const wait_ms = parameters.integer("wait", 0, 0, kWaitMax);
  // Also if a row is due: whether a command is accepted must not depend on the rows.
  if (wait_ms > 0 && !parameters.has("request"))
    parameters.refuse(Code::missing_parameter, "request",
                      "NEXT with wait needs the parameter request: its answer may come after those of later commands");
  check_domain(parameters);
  if (command.worker.size() > kWorkerBytesMax)
    parameters.refuse(Code::too_large, "worker", "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes");
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return Verdict::done;
  }
  decision.durability = Durability::written;
  return give_next(command, decision, count, lease_ms, wait_ms);
}

Verdict Journal::give_next(Command const& command, Decision& decision, std::uint64_t count, std::int64_t lease_ms,
                           std::int64_t wait_ms) const {
  // Also in a paused table: in the queue of another topic it would be in the way of others.
  std::string_view const domain = command.message->text("domain");
  decision.wait_topic = domain;
  if (is_paused()) return give_nothing_as_paused(decision, wait_ms);
  Order const& order = state_.order();
  std::uint32_t const row = domain.empty() ? order.first() : order.first_of(domain);
  if (row != kNoRow && !is_visible(row, decision.now.value)) {
    if (decision.carry[kExpired] < kExpiredMax) {
      ++decision.carry[kExpired];
      append_remove(decision.records, state_.row(row).id(), Reason::expired);
      return Verdict::again;
    }
    // The timers are removing them: ask again at once.
    return decision.carry[kGiven] > 0 ? Verdict::done : give_nothing(decision, wait_ms, decision.now);
  }
  // Slow rows need a NEXT of their own: to look past them would mean to look at all domains.
  if (decision.carry[kGiven] > 0 &&
      (row == kNoRow || order.is_slow_after(row, LeaseEpoch{decision.carry[kFirstEpoch]})))
    return Verdict::done;
  if (row != kNoRow) return give_row(row, command, decision, count, lease_ms);
  return give_nothing(decision, wait_ms, domain.empty() ? state_.next_date() : state_.next_date(domain));
}

TimeMs Journal::next_date() const {
  std::uint32_t const first = state_.order().first();
  return first == kNoRow ? state_.next_date() : TimeMs{state_.row(first).date()};
}

Verdict Journal::give_nothing(Decision& decision, std::int64_t wait_ms, TimeMs next_date) const {
  if (wait_ms > 0 && !decision.waited) {
    decision.wait_until = decision.now + DurationMs{wait_ms};
    return Verdict::wait;
  }
  decision.take = Take::nothing;
  Answer& answer = decision.answer.message("NOTHING").add("table", std::string_view{declaration_->name});
  if (next_date != TimeMs::max()) answer.add("next_date", next_date.value);
  return Verdict::done;
}

// A waiting NEXT continues to wait; others are refused with the reason.
Verdict Journal::give_nothing_as_paused(Decision& decision, std::int64_t wait_ms) const {
  if (wait_ms > 0 && !decision.waited) return give_nothing(decision, wait_ms, TimeMs::max());
  decision.take = Take::nothing;
  decision.status = refused_by_pause("nothing is handed out");
  return Verdict::done;
}

Verdict Journal::give_row(std::uint32_t index, Command const& command, Decision& decision, std::uint64_t count,
                          std::int64_t lease_ms) const {
  Row const& row = state_.row(index);
  PayloadView const view = state_.view(index);
  LeaseEpoch const last = state_.last_epoch();
  LeaseEpoch const first = LeaseEpoch::of(decision.start, 1);
  Leases::Terms terms;
  terms.epoch = last < first ? first : LeaseEpoch{last.value + 1};
  terms.began = decision.now.value;
  terms.ends = std::min(decision.now.value + lease_ms, timer::kDateMax);
  terms.connection = static_cast<std::uint64_t>(command.connection);
  terms.start = decision.start;
  terms.worker = command.worker;
  append_lease(decision.records, row.id(), terms);
  state_.remember(index);

  Answer& answer = decision.answer.message("ROW").add("table", Value::of_text(declaration_->name));
  answer.add("row", row.id().value).add("epoch", terms.epoch.value);
  add_row_columns(index, view, answer);
  answer.add("lease_end", terms.ends);
  decision.take = Take::found;
  if (decision.carry[kGiven]++ == 0) decision.carry[kFirstEpoch] = terms.epoch.value;
  decision.carry[kBytes] += view.key.size() + view.data.size() + 200;
  bool const enough = decision.carry[kGiven] == count || decision.carry[kBytes] >= kAnswerBytesMax;
  return enough ? Verdict::done : Verdict::again;
}

// ---------------------------------------------------------------------------
// Those who hold a lease

std::uint32_t Journal::find_leased(Parameters& parameters, Decision& decision) const {
  ObjectId const id = parameters.row();
  LeaseEpoch const epoch = parameters.epoch();
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return kNoRow;
  }
  std::uint32_t const row = state_.find(id);
  if (row == kNoRow) {
    decision.status = unknown_row(id);
    return kNoRow;
  }
  if (state_.row(row).place() != Place::processing) {
    decision.status = Status{Code::not_leased, "row " + std::to_string(id.value) + " of table " + declaration_->name +
                                                   " is not leased: the lease ended or was given back"};
    return kNoRow;
  }
  state_.expect(row);
  Lease const& lease = state_.lease_of(row);
  if (lease.epoch == epoch) return row;
  std::string const holder{state_.leases().worker(lease)};
  decision.status = Status{Code::stale_epoch, "row " + std::to_string(id.value) + " of table " + declaration_->name +
                                                  " is leased to " + holder + " under epoch " +
                                                  std::to_string(lease.epoch.value) + " now"}
                        .with("holder", holder)
                        .with("epoch", std::to_string(lease.epoch.value));
  return kNoRow;
}

Verdict Journal::touch(Command const& command, Decision& decision) const {
  Parameters parameters{*command.message};
  std::int64_t const lease_ms = lease_span(parameters);
  if (command.worker.size() > kWorkerBytesMax)
    parameters.refuse(Code::too_large, "worker", "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes");
  std::uint32_t const row = find_leased(parameters, decision);
  if (row == kNoRow) return Verdict::done;
  ObjectId const id = state_.row(row).id();
  if (state_.view(row).facts.is_expired(decision.now.value)) {
    decision.status = Status{Code::expired, "row " + std::to_string(id.value) + " of table " + declaration_->name +
                                                " has expired: finish it before its lease ends"};
    return Verdict::done;
  }
  // TOUCH moves the lease to its sender: a worker that has connected again continues with its rows.
  Leases::Terms terms = state_.terms_of(row);
  terms.ends = std::min(decision.now.value + lease_ms, timer::kDateMax);
  // The same connection need not give its name again.
  auto const connection = static_cast<std::uint64_t>(command.connection);
  if (terms.connection != connection || parameters.has("worker")) terms.worker = command.worker;
  terms.connection = connection;
  terms.start = decision.start;
  append_renew(decision.records, id, terms);
  decision.durability = Durability::written;
  decision.answer.message("TOUCHED").add("table", std::string_view{declaration_->name}).add("row", id.value);
  decision.answer.add("epoch", terms.epoch.value).add("lease_end", terms.ends);
  return Verdict::done;
}

Verdict Journal::done(Command const& command, Decision& decision) const {
  Parameters parameters{*command.message};
  if (decision.step > 0) return give_next(command, decision, 1, options_.processing_timeout, 0);
  bool const next_too = parameters.integer("next", 0, 0, 1) != 0;
  if (next_too && command.worker.size() > kWorkerBytesMax)
    parameters.refuse(Code::too_large, "worker", "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes");
  check_domain(parameters);
  std::uint32_t const row = find_leased(parameters, decision);
  if (row == kNoRow) return Verdict::done;
  ObjectId const id = state_.row(row).id();
  append_remove(decision.records, id, Reason::done);
  decision.answer.message("COMPLETED").add("table", Value::of_text(declaration_->name)).add("row", id.value);
  return next_too ? Verdict::again : Verdict::done;
}

// Without an error nothing is counted, as the worker had no time for it. With one it is a failed attempt.
Verdict Journal::release(Command const& command, Decision& decision) const {
  if (decision.step > 0) {
    pause_after_failures(decision);
    return Verdict::done;
  }
  Parameters parameters{*command.message};
  std::int64_t const now = decision.now.value;
  std::int64_t const wanted = parameters.date("process_date", 0, now);
  bool const has_error = !command.message->text("error").empty();
  bool const failed = parameters.integer("failed", has_error ? 1 : 0, 0, 1) != 0;
  std::uint32_t const index = find_leased(parameters, decision);
  if (index == kNoRow) return Verdict::done;
  ObjectId const id = state_.row(index).id();
  GiveBackBody body;
  body.counters = state_.counters_of(index);
  if (failed) {
    body.counters = body.counters.after_failure();
    ++statistics_.attempts_failed;
  }
  body.date = parameters.has("process_date") ? std::max(now, wanted) : failed ? rested(index, body.counters, now) : now;
  body.error = shortened(command.message->text("error"), kErrorBytesMax);
  Ended const ended = failed ? end_attempt(index, body, decision) : give_back(index, body, decision);
  if (ended.how == Ended::waits) ++statistics_.released;
  answer_ended(id, "RELEASED", ended, decision);
  return ended.how == Ended::waits || options_.pause_after_failures == 0 ? Verdict::done : Verdict::again;
}

Verdict Journal::fail(Command const& command, Decision& decision) const {
  if (decision.step > 0) {
    pause_after_failures(decision);
    return Verdict::done;
  }
  Parameters parameters{*command.message};
  std::uint32_t const index = find_leased(parameters, decision);
  if (index == kNoRow) return Verdict::done;
  ObjectId const id = state_.row(index).id();
  GiveBackBody body;
  body.counters = state_.counters_of(index).after_failure();
  body.error = shortened(command.message->text("error"), kErrorBytesMax);
  ++statistics_.attempts_failed;
  answer_ended(id, {}, give_up(index, body, decision), decision);
  return options_.pause_after_failures == 0 ? Verdict::done : Verdict::again;
}

// ---------------------------------------------------------------------------
// Returning rows

// Answers what became of a returned row: `waiting` is the answer's command if it waits.
void Journal::answer_ended(ObjectId row, std::string_view waiting, Ended const& ended, Decision& decision) const {
  std::string_view const command = ended.how == Ended::waits    ? waiting
                                   : ended.how == Ended::parked ? "PARKED"
                                                                : "DELETED";
  Answer& answer = decision.answer.message(command);
  answer.add("table", std::string_view{declaration_->name}).add("row", row.value);
  if (ended.how == Ended::waits) answer.add("process_date", ended.date);
}

// When a row may be handed out again after an attempt that was counted.
std::int64_t Journal::rested(std::uint32_t index, Counters const& counters, std::int64_t now) const {
  std::int64_t const rest =
      options_.back_off(counters.attempts() - 1U, state_.row(index).id(), state_.lease_of(index).epoch);
  return std::min(now + rest, timer::kDateMax);
}

// After an attempt that is counted in `body`: the row waits for the next one, or it was the last.
Journal::Ended Journal::end_attempt(std::uint32_t index, GiveBackBody const& body, Decision& decision) const {
  Counters const& counters = body.counters;
  bool const too_many = counters.timeouts > options_.max_timeouts ||
                        (options_.max_attempts != 0 && counters.failures >= options_.max_attempts) ||
                        counters.lifetime > options_.max_lifetime_timeouts;
  return too_many ? give_up(index, body, decision) : give_back(index, body, decision);
}

Journal::Ended Journal::give_back(std::uint32_t index, GiveBackBody const& body, Decision& decision) const {
  Row const& row = state_.row(index);
  Facts const facts = state_.view(index).facts;
  std::int64_t const now = decision.now.value;
  if (facts.is_expired(now)) {
    append_remove(decision.records, row.id(), Reason::expired);
    return {Ended::deleted, 0};
  }
  std::uint32_t twin = state_.key_rows_of(index).waiting;
  if (twin == index) twin = kNoRow;
  if (twin != kNoRow && !is_visible(twin, now)) {
    append_remove(decision.records, state_.row(twin).id(), Reason::expired);
    twin = kNoRow;
  }
  if (twin == kNoRow) {
    append_give_back(decision.records, row.id(), body);
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
  append_fold(decision.records, other.id(), fold);
  return {Ended::waits, fold.date};
}

Journal::Ended Journal::give_up(std::uint32_t row, GiveBackBody const& body, Decision& decision) const {
  // An expired row is removed as expired.
  if (state_.view(row).facts.is_expired(decision.now.value)) return give_back(row, body, decision);
  ObjectId const id = state_.row(row).id();
  if (options_.delete_failed) {
    append_given_up(decision.records, id, body.counters, body.error);
    return {Ended::deleted, 0};
  }
  append_park(decision.records, id, {decision.now.value, body.counters, body.error});
  return {Ended::parked, 0};
}

void Journal::time_out(std::uint32_t index, Decision& decision) const {
  GiveBackBody body;
  body.counters = state_.counters_of(index).after_timeout();
  body.date = rested(index, body.counters, decision.now.value);
  ++statistics_.timed_out;
  end_attempt(index, body, decision);
}

}  // namespace fastjournal::journal
