#include "plugins/journal/workers.h"

#include <algorithm>
#include <optional>

#include "fastjournal/limits.h"
#include "model/shortened.h"
#include "model/timer/wheel.h"
#include "plugins/journal/row_answers.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"

namespace fastjournal::journal {
namespace {

// A NEXT of many rows ends when its answer is this long; the next one gets the rest.
constexpr std::uint64_t kAnswerBytesMax = 1U << 20U;
// The most expired rows that one command removes; the timers remove the others.
constexpr std::uint64_t kExpiredMax = 1024;

// Decision::carry of a NEXT.
constexpr std::size_t kGiven = 0;
constexpr std::size_t kBytes = 1;
constexpr std::size_t kExpired = 2;
constexpr std::size_t kFirstEpoch = 3;

rows::NamedLease lease_of(auto const& given) { return {ObjectId{given.row}, LeaseEpoch{given.epoch}}; }

}  // namespace

// ---------------------------------------------------------------------------
// Handing out

Status Workers::check_domain(model::Text const& domain) const {
  if (!domain.is_given) return {};
  if (domain.empty())
    return model::refused(Code::bad_parameter, "domain", "domain is empty: leave it out to ask for rows of any domain");
  return selection_.check_domain(domain);
}

Verdict Workers::next(Command const& command, Decision& decision) const {
  made::Next given;
  if (!given.read(command, decision, settings_.options().times.range(command)) ||
      decision.refuses(rows::check_wait(command, given.wait)) || decision.refuses(check_domain(given.domain)) ||
      decision.refuses(rows::check_worker(command)))
    return Verdict::done;
  if (given.done && command.message->has("lease"))
    return decision.refuse(model::refused(Code::bad_parameter, "lease",
                                          "done is 1: the rows are done at once and nobody has a lease, so leave lease "
                                          "out; or leave done out, and answer DONE"));
  // What is done must not come back after a crash.
  if (!given.done) decision.durability = Durability::written;
  return give_next(given, command, decision);
}

Verdict Workers::give_next(made::Next const& given, Command const& command, Decision& decision) const {
  // Also in a paused table: in the queue of another topic it would be in the way of others.
  std::string_view const domain = given.domain;
  decision.wait_topic = domain;
  if (pauses_.is_paused()) return give_nothing_as_paused(decision, given.wait);
  rows::Order const& order = rows_.order();
  std::uint32_t const row = domain.empty() ? order.first() : order.first_of(domain);
  if (row != rows::kNoRow && !rows_.is_visible(row, decision.now.value)) {
    if (decision.carry[kExpired] < kExpiredMax) {
      ++decision.carry[kExpired];
      attempts_.remove(row, rows::Reason::expired, decision);
      return Verdict::again;
    }
    // The timers are removing them: ask again at once.
    return decision.carry[kGiven] > 0 ? Verdict::done : give_nothing(decision, given.wait, decision.now);
  }
  // Slow rows need a NEXT of their own: to look past them would mean to look at all domains.
  if (decision.carry[kGiven] > 0 &&
      (row == rows::kNoRow || order.is_slow_after(row, LeaseEpoch{decision.carry[kFirstEpoch]})))
    return Verdict::done;
  if (row != rows::kNoRow) return give_row(row, given, command, decision);
  return give_nothing(decision, given.wait,
                      domain.empty() ? rows_.places().next_date() : rows_.places().next_date(domain));
}

Verdict Workers::give_nothing(Decision& decision, std::int64_t wait_ms, TimeMs next_date) const {
  return rows::give_nothing(settings_.table(), wait_ms, next_date, decision);
}

// A waiting NEXT continues to wait; others are refused with the reason.
Verdict Workers::give_nothing_as_paused(Decision& decision, std::int64_t wait_ms) const {
  if (wait_ms > 0 && !decision.waited) return give_nothing(decision, wait_ms, TimeMs::max());
  decision.take = Take::nothing;
  return decision.refuse(pauses_.refusal("nothing is handed out"));
}

Verdict Workers::give_row(std::uint32_t row, made::Next const& given, Command const& command,
                          Decision& decision) const {
  rows::PayloadView const view = rows_.view(row);
  std::int64_t span = given.lease;
  if (rows_.row(row).has_detail() && !command.message->has("lease")) [[unlikely]]
    if (std::int64_t const own = rows_.detail_of(row).lease; own != 0) span = own;
  rows::Leases::Terms const terms = attempts_.lease(row, rows::holder_of(command), command.worker, span, decision);
  Answer& answer = decision.answer.message("ROW").add("table", Value::of_text(settings_.table()));
  answer.add("row", rows_.id_of(row).value);
  if (!given.done) answer.add("epoch", terms.epoch.value);
  std::uint64_t const outside =
      add_row_columns(rows_, row, view, answer, given.places ? StoredValue::As::place : StoredValue::As::bytes);
  // It was leased all the same, as limits and figures count it.
  if (given.done) {
    attempts_.remove(row, rows::Reason::done, decision);
    keep_unique(row, decision);
  } else {
    answer.add("lease_end", terms.ends);
  }
  add_schedule(rows_, schedules_, row, answer);
  decision.take = Take::found;
  if (decision.carry[kGiven]++ == 0) decision.carry[kFirstEpoch] = terms.epoch.value;
  decision.carry[kBytes] += view.key.size() + view.data.size() + 200;
  if (!given.places) decision.carry[kBytes] += outside;
  bool const enough = decision.carry[kGiven] == given.count || decision.carry[kBytes] >= kAnswerBytesMax;
  return enough ? Verdict::done : Verdict::again;
}

// ---------------------------------------------------------------------------
// Those who hold a lease

Verdict Workers::touch(Command const& command, Decision& decision) const {
  made::Touch given;
  if (!given.read(command, decision, settings_.options().times.range(command))) return Verdict::done;
  return rows::touch(selection_.names(), attempts_, lease_of(given), given.lease, command, decision);
}

// While memory is short, how far it is is kept, and its note is not.
Verdict Workers::progress(Command const& command, Decision& decision) const {
  made::Progress given;
  if (!given.read(command, decision, settings_.options().times.range(command))) return Verdict::done;
  rows::NamedLease const named = lease_of(given);
  std::uint32_t const row = selection_.names().find_leased(command, named, decision);
  if (row == rows::kNoRow) return Verdict::done;
  rows::Lease const& lease = rows_.lease_of(row);
  std::int64_t ends = lease.ends;
  if (command.message->has("lease")) {
    std::optional<rows::Leases::Terms> const terms =
        rows::renew(selection_.names(), attempts_, row, *given.lease, command, decision);
    if (!terms) return Verdict::done;
    ends = terms->ends;
  }
  rows::ProgressBody body{decision.now.value, given.percent};
  if (!decision.short_of_memory) body.note = model::shortened(given.note, kNoteBytesMax);
  model::append_record(decision.records, named.row, body);
  decision.durability = Durability::written;
  decision.answer.message("PROGRESSED").add("table", Value::of_text(settings_.table())).add("row", named.row.value);
  decision.answer.add("epoch", lease.epoch.value).add("lease_end", ends);
  return Verdict::done;
}

Verdict Workers::done(Command const& command, Decision& decision) const {
  made::Done given;
  if (!given.read(command, decision)) return Verdict::done;
  if (decision.step > 0)
    return give_next({.domain = given.domain, .lease = settings_.options().times.of(command)}, command, decision);
  if (given.next && decision.refuses(rows::check_worker(command))) return Verdict::done;
  if (given.next && decision.phase != Phase::now)
    return decision.refuse(
        model::refused(Code::bad_parameter, "next",
                       "next is 1: a transaction hands out no rows; take the next one before BEGIN or after COMMIT"));
  if (decision.refuses(check_domain(given.domain))) return Verdict::done;
  std::uint32_t const row = selection_.names().find_to_end(command, lease_of(given), decision);
  if (row == rows::kNoRow) return Verdict::done;
  ObjectId const id = rows_.row(row).id();
  std::string_view const result = given.result;
  if (awaited_.is_any()) awaited_.say_result(id, result);
  attempts_.remove(row, rows::Reason::done, decision, result);
  keep_unique(row, decision);
  decision.answer.message("COMPLETED").add("table", Value::of_text(settings_.table())).add("row", id.value);
  return given.next ? Verdict::again : Verdict::done;
}

// Without an error nothing is counted, as the worker had no time for it. With one it is a failed attempt.
Verdict Workers::release(Command const& command, Decision& decision) const {
  if (decision.step > 0) {
    pauses_.pause_after_failures(decision);
    return Verdict::done;
  }
  made::Release given;
  if (!given.read(command, decision)) return Verdict::done;
  std::int64_t const now = decision.now.value;
  std::string room;
  std::string_view const said = rows::failure_of(given.error, given.error_trace, decision, room, given.error_class);
  bool const failed = given.failed.value_or(!said.empty());
  std::uint32_t const index = selection_.names().find_to_end(command, lease_of(given), decision);
  if (index == rows::kNoRow) return Verdict::done;
  ObjectId const id = rows_.row(index).id();
  rows::GiveBackBody body;
  body.counters = rows_.counters_of(index);
  if (failed) {
    body.counters = body.counters.after_failure();
    ++statistics_.attempts_failed;
    statistics_.attempts.failed(now);
  }
  body.date = given.process_date ? std::max(now, *given.process_date)
              : failed           ? attempts_.rested(index, body.counters, now)
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
  made::Fail given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const index = selection_.names().find_to_end(command, lease_of(given), decision);
  if (index == rows::kNoRow) return Verdict::done;
  ObjectId const id = rows_.row(index).id();
  rows::GiveBackBody body;
  body.counters = rows_.counters_of(index).after_failure();
  std::string room;
  body.error = rows::failure_of(given.error, given.error_trace, decision, room, given.error_class);
  ++statistics_.attempts_failed;
  statistics_.attempts.failed(decision.now.value);
  answer_ended(settings_, id, {}, attempts_.give_up(index, body, decision), decision);
  return after_failure();
}

void Workers::append_unique(std::uint32_t row, Decision& decision) const {
  if (!rows_.keys().has_keys()) return;
  std::int64_t const span =
      rows::extras::read(rows_.extras_of(row)).unique_for.value_or(settings_.options().unique_for);
  if (span == 0) return;
  std::int64_t const now = decision.now.value;
  rows::UniqueBody const body{rows_.id_of(row), now, std::min(now + span, timer::kDateMax), rows_.view(row).key};
  model::append_record(decision.records, {}, body);
}

Verdict Workers::after_failure() const {
  return settings_.options().pause_after_failures == 0 ? Verdict::done : Verdict::again;
}

}  // namespace fastjournal::journal
