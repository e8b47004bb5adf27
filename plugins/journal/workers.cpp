#include "plugins/journal/workers.h"

#include <algorithm>

#include "plugins/journal/row_answers.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"

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
// The most bytes of the records by which a lease ends, without a trace: an error of 1 KiB, in the row and in the reason of
// a pause, and a twin that expired.
constexpr std::size_t kEndBytes = 8U << 10U;

}  // namespace

// ---------------------------------------------------------------------------
// Handing out

std::int64_t Workers::lease_span(Command const& command, model::Parameters& parameters) const {
  Options const& options = settings_.options();
  return parameters.integer("lease", options.lease_of(command), options.processing_timeout_min,
                            options.processing_timeout_max);
}

void Workers::check_worker(Command const& command, model::Parameters& parameters) {
  if (command.worker.size() > kWorkerBytesMax)
    parameters.refuse(Code::too_large, "worker", "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes");
}

// give_next reads the domain itself; here an impossible domain is refused.
void Workers::check_domain(model::Parameters& parameters) const {
  if (!parameters.has("domain")) return;
  std::string_view const domain = parameters.text("domain", kDomainBytesMax);
  if (domain.empty())
    parameters.refuse(Code::bad_parameter, "domain", "domain is empty: leave it out to ask for rows of any domain");
  else if (Status const status = selection_.check_domain(domain); !status.ok())
    parameters.refuse(status.code(), "domain", status.message());
}

Verdict Workers::next(Command const& command, Decision& decision) const {
  model::Parameters parameters{*command.message};
  auto const count = static_cast<std::uint64_t>(parameters.integer("count", 1, 1, kNextCountMax));
  std::int64_t const lease_ms = lease_span(command, parameters);
  std::int64_t const wait_ms = parameters.integer("wait", 0, 0, kWaitMax);
  // Also if a row is due: whether a command is accepted must not depend on the rows.
  if (wait_ms > 0 && !parameters.has("request"))
    parameters.refuse(Code::missing_parameter, "request",
                      "NEXT with wait needs the parameter request: its answer may come after those of later commands");
  check_domain(parameters);
  check_worker(command, parameters);
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return Verdict::done;
  }
  decision.durability = Durability::written;
  return give_next(command, decision, count, lease_ms, wait_ms);
}

Verdict Workers::give_next(Command const& command, Decision& decision, std::uint64_t count, std::int64_t lease_ms,
                           std::int64_t wait_ms) const {
  // Also in a paused table: in the queue of another topic it would be in the way of others.
  std::string_view const domain = command.message->text("domain");
  decision.wait_topic = domain;
  if (pauses_.is_paused()) return give_nothing_as_paused(decision, wait_ms);
  rows::Order const& order = rows_.order();
  std::uint32_t const row = domain.empty() ? order.first() : order.first_of(domain);
  if (row != rows::kNoRow && !rows_.is_visible(row, decision.now.value)) {
    if (decision.carry[kExpired] < kExpiredMax) {
      ++decision.carry[kExpired];
      rows::append_remove(decision.records, rows_.row(row).id(), rows::Reason::expired);
      return Verdict::again;
    }
    // The timers are removing them: ask again at once.
    return decision.carry[kGiven] > 0 ? Verdict::done : give_nothing(decision, wait_ms, decision.now);
  }
  // Slow rows need a NEXT of their own: to look past them would mean to look at all domains.
  if (decision.carry[kGiven] > 0 &&
      (row == rows::kNoRow || order.is_slow_after(row, LeaseEpoch{decision.carry[kFirstEpoch]})))
    return Verdict::done;
  if (row != rows::kNoRow) return give_row(row, command, decision, count, lease_ms);
  return give_nothing(decision, wait_ms,
                      domain.empty() ? rows_.places().next_date() : rows_.places().next_date(domain));
}

Verdict Workers::give_nothing(Decision& decision, std::int64_t wait_ms, TimeMs next_date) const {
  if (wait_ms > 0 && !decision.waited) {
    decision.wait_until = decision.now + DurationMs{wait_ms};
    return Verdict::wait;
  }
  decision.take = Take::nothing;
  Answer& answer = decision.answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  if (next_date != TimeMs::max()) answer.add("next_date", next_date.value);
  return Verdict::done;
}

// A waiting NEXT continues to wait; others are refused with the reason.
Verdict Workers::give_nothing_as_paused(Decision& decision, std::int64_t wait_ms) const {
  if (wait_ms > 0 && !decision.waited) return give_nothing(decision, wait_ms, TimeMs::max());
  decision.take = Take::nothing;
  decision.status = pauses_.refusal("nothing is handed out");
  return Verdict::done;
}

Verdict Workers::give_row(std::uint32_t row, Command const& command, Decision& decision, std::uint64_t count,
                          std::int64_t lease_ms) const {
  rows::PayloadView const view = rows_.view(row);
  rows::Leases::Terms const terms = attempts_.lease(row, rows::holder_of(command), command.worker, lease_ms, decision);
  Answer& answer = decision.answer.message("ROW").add("table", Value::of_text(settings_.table()));
  answer.add("row", rows_.id_of(row).value).add("epoch", terms.epoch.value);
  bool const wants_places = command.message->integer("places").value_or(0) == 1;
  std::uint64_t const outside =
      add_row_columns(rows_, row, view, answer, wants_places ? StoredValue::As::place : StoredValue::As::bytes);
  answer.add("lease_end", terms.ends);
  decision.take = Take::found;
  if (decision.carry[kGiven]++ == 0) decision.carry[kFirstEpoch] = terms.epoch.value;
  decision.carry[kBytes] += view.key.size() + view.data.size() + 200;
  if (!wants_places) decision.carry[kBytes] += outside;
  bool const enough = decision.carry[kGiven] == count || decision.carry[kBytes] >= kAnswerBytesMax;
  return enough ? Verdict::done : Verdict::again;
}

// ---------------------------------------------------------------------------
// Those who hold a lease

std::uint32_t Workers::find_leased(Command const& command, model::Parameters& parameters, Decision& decision) const {
  ObjectId const id = parameters.row();
  LeaseEpoch const epoch = parameters.epoch();
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return rows::kNoRow;
  }
  std::uint32_t const row = rows::find_leased(rows_, id, epoch, "row", settings_.table(), command, decision.status);
  if (row != rows::kNoRow) [[likely]]
    return row;
  if (decision.status.ok()) decision.status = selection_.unknown_row(id);
  return rows::kNoRow;
}

bool Workers::find_to_end(Command const& command, model::Parameters& parameters, Decision& decision,
                          std::uint32_t& row) const {
  row = find_leased(command, parameters, decision);
  if (row == rows::kNoRow) return false;
  ObjectId const id = rows_.id_of(row);
  decision.status = selection_.check_hold(id, decision);
  if (!decision.status.ok()) return false;
  if (decision.phase != Phase::promise) return true;
  decision.hold->objects.push_back(id);
  decision.hold->record_bytes = kEndBytes + rows::trace_bytes(*command.message);
  return false;
}

Verdict Workers::touch(Command const& command, Decision& decision) const {
  model::Parameters parameters{*command.message};
  std::int64_t const lease_ms = lease_span(command, parameters);
  check_worker(command, parameters);
  std::uint32_t const row = find_leased(command, parameters, decision);
  if (row == rows::kNoRow) return Verdict::done;
  ObjectId const id = rows_.row(row).id();
  if (rows_.view(row).facts.is_expired(decision.now.value)) {
    decision.status = Status{Code::expired, "row " + std::to_string(id.value) + " of table " + settings_.table() +
                                                " has expired: finish it before its lease ends"};
    return Verdict::done;
  }
  // TOUCH moves the lease to its sender: a worker that has connected again continues with its rows.
  rows::Lease const& lease = rows_.lease_of(row);
  // The same connection need not give its name again.
  bool const is_same =
      lease.connection == static_cast<std::uint64_t>(rows::holder_of(command)) && !parameters.has("worker");
  std::string_view const worker = is_same ? rows_.leases().worker(lease) : command.worker;
  rows::Leases::Terms const terms = attempts_.renew(row, rows::holder_of(command), worker, lease_ms, decision);
  decision.durability = Durability::written;
  decision.answer.message("TOUCHED").add("table", std::string_view{settings_.table()}).add("row", id.value);
  decision.answer.add("epoch", terms.epoch.value).add("lease_end", terms.ends);
  return Verdict::done;
}

Verdict Workers::done(Command const& command, Decision& decision) const {
  model::Parameters parameters{*command.message};
  if (decision.step > 0) return give_next(command, decision, 1, settings_.options().lease_of(command), 0);
  bool const next_too = parameters.integer("next", 0, 0, 1) != 0;
  if (next_too) check_worker(command, parameters);
  if (next_too && decision.phase != Phase::now)
    parameters.refuse(Code::bad_parameter, "next",
                      "next is 1: a transaction hands out no rows; take the next one before BEGIN or after COMMIT");
  check_domain(parameters);
  std::uint32_t row = rows::kNoRow;
  if (!find_to_end(command, parameters, decision, row)) return Verdict::done;
  ObjectId const id = rows_.row(row).id();
  rows::append_remove(decision.records, id, rows::Reason::done);
  decision.answer.message("COMPLETED").add("table", Value::of_text(settings_.table())).add("row", id.value);
  return next_too ? Verdict::again : Verdict::done;
}

// Without an error nothing is counted, as the worker had no time for it. With one it is a failed attempt.
Verdict Workers::release(Command const& command, Decision& decision) const {
  if (decision.step > 0) {
    pauses_.pause_after_failures(decision);
    return Verdict::done;
  }
  model::Parameters parameters{*command.message};
  std::int64_t const now = decision.now.value;
  std::int64_t const wanted = parameters.date("process_date", 0, decision.asked().value);
  std::string room;
  std::string_view const said = rows::failure_of(*command.message, decision, room);
  bool const failed = parameters.integer("failed", said.empty() ? 0 : 1, 0, 1) != 0;
  std::uint32_t index = rows::kNoRow;
  if (!find_to_end(command, parameters, decision, index)) return Verdict::done;
  ObjectId const id = rows_.row(index).id();
  rows::GiveBackBody body;
  body.counters = rows_.counters_of(index);
  if (failed) {
    body.counters = body.counters.after_failure();
    ++statistics_.attempts_failed;
    statistics_.attempts.failed(now);
  }
  body.date = parameters.has("process_date") ? std::max(now, wanted)
              : failed                       ? attempts_.rested(index, body.counters, now)
                                             : now;
  body.error = said;
  rows::Ended const ended = failed ? attempts_.end(index, body, decision) : attempts_.give_back(index, body, decision);
  if (ended.how == rows::Ended::waits) ++statistics_.released;
  answer_ended(settings_, id, "RELEASED", ended, decision);
  return ended.how == rows::Ended::waits ? Verdict::done : after_failure();
}

Verdict Workers::fail(Command const& command, Decision& decision) const {
  if (decision.step > 0) {
    pauses_.pause_after_failures(decision);
    return Verdict::done;
  }
  model::Parameters parameters{*command.message};
  std::uint32_t index = rows::kNoRow;
  if (!find_to_end(command, parameters, decision, index)) return Verdict::done;
  ObjectId const id = rows_.row(index).id();
  rows::GiveBackBody body;
  body.counters = rows_.counters_of(index).after_failure();
  std::string room;
  body.error = rows::failure_of(*command.message, decision, room);
  ++statistics_.attempts_failed;
  statistics_.attempts.failed(decision.now.value);
  answer_ended(settings_, id, {}, attempts_.give_up(index, body, decision), decision);
  return after_failure();
}

Verdict Workers::after_failure() const {
  return settings_.options().pause_after_failures == 0 ? Verdict::done : Verdict::again;
}

}  // namespace fastjournal::journal
