#include "plugins/queue/consumers.h"

#include <algorithm>

#include <fmt/format.h>

#include "plugins/queue/message_answers.h"
#include "plugins/queue/names.h"
#include "plugins/queue/on_queue.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {
namespace {

// An ACQUIRE of many messages ends when its answer is this long; the next one gets the rest.
constexpr std::uint64_t kAcquireBytesMax = 1U << 20U;
// Expired ones, and those of removed queues, that one command drops; the timers drop the others.
constexpr std::uint64_t kAcquireDroppedMax = 1024;
// Names of `queues`.
constexpr std::size_t kQueuesAskedMax = 256;
// Decision::carry of an ACQUIRE.
constexpr std::size_t kGiven = 0;
constexpr std::size_t kBytes = 1;
constexpr std::size_t kAcquireDropped = 2;
// Leases of a former start that one step ends.
constexpr std::uint32_t kFormerPerStep = 200;

rows::NamedLease named(auto const& given) { return {ObjectId{given.message}, LeaseEpoch{given.epoch}}; }

}  // namespace

// ---------------------------------------------------------------------------
// Handing out

bool Consumers::find_queues(made::Acquire const& given, Command const& command, Decision& decision, bool& makes) const {
  asked_.clear();
  if (given.queue.is_given + given.queues.is_given + given.message.has_value() > 1)
    return !decision.refuses(model::refused(Code::bad_parameter, given.message ? "message" : "queues",
                                            "expected one of queue, queues and message"));
  if (given.queue.is_given && given.queue.empty())
    return !decision.refuses(
        model::refused(Code::bad_parameter, "queue", "queue is empty: leave it out to ask for messages of any queue"));
  if (given.queue.is_given) asked_.push_back(given.queue);
  // Between blanks alone, as those who wait stand in their lines.
  if (given.queues.is_given) asked_ = words_of(given.queues, " ");
  if (given.queues.is_given && (asked_.empty() || asked_.size() > kQueuesAskedMax))
    return !decision.refuses(model::refused(
        Code::bad_parameter, "queues",
        fmt::format("queues has {} names, expected 1 to {}, between blanks", asked_.size(), kQueuesAskedMax)));
  for (std::string_view const name : asked_) {
    if (Queue const* const queue = shared_.queues.find(name); queue != nullptr) {
      queue->named = decision.now.value;
      continue;
    }
    bool const may_make = shared_.options.makes(name) && shared_.queues.find_any(name) == nullptr;
    // One of several that is not there, or is leaving, has nothing until somebody sends to it.
    makes = may_make && !given.queues.is_given && shared_.has_place(command) && !shared_.is_large();
    bool const is_fine = makes || (given.queues.is_given && shared_.options.makes(name));
    std::string_view const parameter = given.queues.is_given ? "queues" : "queue";
    if (decision.refuses(is_fine ? check_name(parameter, name) : shared_.no_queue(name, std::string{parameter})))
      return false;
  }
  return true;
}

Verdict Consumers::acquire(Command const& command, Decision& decision) const {
  made::Acquire given;
  bool makes = false;
  if (!given.read(command, decision, shared_.options.times.range(command)) ||
      decision.refuses(rows::check_wait(command, given.wait)) || decision.refuses(rows::check_worker(command)) ||
      !find_queues(given, command, decision, makes))
    return Verdict::done;
  if (!given.accept) decision.durability = Durability::written;
  if (given.message) return give_named(given, command, decision);
  decision.waits_for_several = given.queues.is_given;
  decision.wait_topic = given.queues.is_given ? given.queues : given.queue;
  if (!makes) return give(given, command, decision);
  shared_.make_queue(given.queue, shared_.options.of_made_queue(), decision);
  return Verdict::again;
}

TimeMs Consumers::next_date() const {
  rows::Places const& places = shared_.rows().places();
  if (asked_.empty()) return places.next_date();
  TimeMs out = TimeMs::max();
  for (std::string_view const name : asked_) out = std::min(out, places.next_date(name));
  return out;
}

Verdict Consumers::give(made::Acquire const& given, Command const& command, Decision& decision) const {
  rows::Order const& order = shared_.rows().order();
  decision.work_units += static_cast<std::uint32_t>(asked_.size());
  std::uint32_t const row = asked_.empty()          ? order.first()
                            : given.queues.is_given ? order.first_of(asked_)
                                                    : order.first_of(asked_.front());
  if (row == rows::kNoRow) {
    if (decision.carry[kGiven] > 0) return Verdict::done;
    return give_nothing(given, command, decision, next_date());
  }
  bool const is_expired = !shared_.rows().is_visible(row, decision.now.value);
  if (is_expired || shared_.queues.find(shared_.queue_of(row)) == nullptr) {
    if (decision.carry[kAcquireDropped]++ < kAcquireDroppedMax) {
      model::append_record(decision.records, shared_.rows().id_of(row),
                           rows::RemoveBody{is_expired ? rows::Reason::expired : rows::Reason::deleted});
      return Verdict::again;
    }
    // The timers are removing them: ask again at once.
    return decision.carry[kGiven] > 0 ? Verdict::done : give_nothing(given, command, decision, decision.now);
  }
  return give_message(row, given, command, decision);
}

Status Consumers::check_not_behind(std::uint32_t row) const {
  if (!shared_.rows().row(row).is_grouped()) [[likely]]
    return {};
  ObjectId const before = before_in_group(shared_, row);
  if (before.is_none()) return {};
  return Status{Code::wrong_state, shared_.names.name_of(shared_.rows().id_of(row)) + " waits for message " +
                                       std::to_string(before.value) +
                                       " of its group, of which one at a time is handed out"}
      .with("parameter", "message");
}

// This message, wherever it stands.
Verdict Consumers::give_named(made::Acquire const& given, Command const& command, Decision& decision) const {
  ObjectId const id{*given.message};
  std::uint32_t const row = shared_.rows().find(id);
  if (row == rows::kNoRow || !shared_.rows().is_visible(row, decision.now.value) ||
      shared_.queues.find(shared_.queue_of(row)) == nullptr)
    return decision.refuse(shared_.names.unknown(id));
  rows::Place const place = shared_.rows().row(row).place();
  if (place == rows::Place::processing)
    return decision.refuse({Code::wrong_state, shared_.names.name_of(id) + " is with a consumer: KICK takes it back"});
  if (decision.refuses(check_not_behind(row))) return Verdict::done;
  if (place == rows::Place::parked || place == rows::Place::future) {
    // From here on it is a message that is due.
    rows::GiveBackBody body;
    body.date = std::min(shared_.rows().row(row).date(), decision.now.value);
    body.counters = shared_.rows().counters_of(row);
    if (place == rows::Place::parked) body.counters.timeouts = body.counters.failures = 0;
    model::append_record(decision.records, id, body);
    return Verdict::again;
  }
  static_cast<void>(give_message(row, given, command, decision));
  return Verdict::done;
}

std::int64_t Consumers::first_lease_end(Command const& command, Decision& decision) const {
  std::int64_t first = INT64_MAX;
  rows::Leases const& leases = shared_.rows().leases();
  for (std::uint32_t number = leases.first_of(static_cast<std::uint64_t>(rows::holder_of(command)));
       number != rows::kNoLease; number = leases[number].next) {
    ++decision.work_units;
    if (!leases[number].is_kept) first = std::min(first, leases[number].ends);
  }
  return first;
}

Verdict Consumers::give_nothing(made::Acquire const& given, Command const& command, Decision& decision,
                                TimeMs next_date) const {
  if (given.lease_margin == 0 || !command.holds)
    return rows::give_nothing(shared_.table(), given.wait, next_date, decision);
  std::int64_t const ends = first_lease_end(command, decision);
  bool const is_soon = ends != INT64_MAX && ends - given.lease_margin <= decision.now.value;
  Verdict const verdict = rows::give_nothing(shared_.table(), is_soon ? 0 : given.wait, next_date, decision);
  if (verdict == Verdict::wait && ends != INT64_MAX)
    decision.wait_until = std::min(decision.wait_until, TimeMs{ends - given.lease_margin});
  if (is_soon) decision.answer.add("lease_end", ends);
  return verdict;
}

std::int64_t Consumers::lease_of(std::uint32_t row, std::int64_t given, Command const& command) const {
  if (command.message->has("lease")) return given;
  if (std::int64_t const own = shared_.rows().detail_of(row).lease; own != 0) return own;
  Queue const* const queue = shared_.queues.find(shared_.queue_of(row));
  return queue == nullptr || queue->settings.lease == 0 ? given : queue->settings.lease;
}

Verdict Consumers::give_message(std::uint32_t row, made::Acquire const& given, Command const& command,
                                Decision& decision) const {
  ObjectId const id = shared_.rows().id_of(row);
  std::size_t const messages = decision.answer.heads().size();
  Answer& answer = decision.answer.message("MESSAGE").add("table", Value::of_text(shared_.table()));
  answer.add("message", id.value);
  std::uint64_t outside = 0;
  BodyRequest body;
  body.place = given.places;
  decision.status = add_shared_body(shared_, row, body, answer, outside);
  if (!decision.status.ok()) {
    // Nothing was recorded: earlier messages stay with their consumer.
    decision.answer.cut(messages);
    if (decision.carry[kGiven] > 0) decision.status = {};
    return Verdict::done;
  }
  if (given.accept) {
    model::append_record(decision.records, id, rows::RemoveBody{rows::Reason::done});
  } else {
    rows::Leases::Terms const terms =
        attempts_.lease(row, rows::holder_of(command), command.worker, lease_of(row, given.lease, command), decision);
    answer.add("epoch", terms.epoch.value).add("lease_end", terms.ends);
  }
  decision.take = Take::found;
  ++decision.carry[kGiven];
  decision.carry[kBytes] +=
      shared_.rows().view(row).data.size() + MessageBody::front(shared_.rows().view(row).data).bytes();
  decision.carry[kBytes] += 200;
  bool const is_enough = decision.carry[kGiven] == given.count || decision.carry[kBytes] >= kAcquireBytesMax;
  return is_enough ? Verdict::done : Verdict::again;
}

// ---------------------------------------------------------------------------
// Those who have a message

// Of a promise it was checked then, under the options of then.
bool Consumers::refuses_priority(std::optional<std::uint32_t> given, Decision& decision) const {
  return given && decision.phase != Phase::keep && decision.refuses(shared_.options.check_priority(*given));
}

Verdict Consumers::touch(Command const& command, Decision& decision) const {
  made::Touch given;
  if (!given.read(command, decision, shared_.options.times.range(command))) return Verdict::done;
  std::uint32_t const row = shared_.rows().find(ObjectId{given.message});
  std::int64_t const lease = row == rows::kNoRow ? given.lease : lease_of(row, given.lease, command);
  return rows::touch(shared_.names, attempts_, named(given), lease, command, decision);
}

Verdict Consumers::accept(Command const& command, Decision& decision) const {
  made::Accept given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const row = shared_.names.find_to_end(command, named(given), decision);
  if (row == rows::kNoRow) return Verdict::done;
  ObjectId const id = shared_.rows().id_of(row);
  model::append_record(decision.records, id, rows::RemoveBody{rows::Reason::done});
  decision.answer.message("ACCEPTED").add("table", Value::of_text(shared_.table())).add("message", id.value);
  return Verdict::done;
}

// The message goes back to its place, as its date stays. It was handed out, which its next consumer is told: the counter
// of its life has it.
Verdict Consumers::release(Command const& command, Decision& decision) const {
  made::Release given;
  if (!given.read(command, decision)) return Verdict::done;
  if (refuses_priority(given.priority, decision)) return Verdict::done;
  std::int64_t const now = decision.now.value;
  std::string room;
  std::string_view const said = rows::failure_of(given.error, given.error_trace, decision, room);
  bool const failed = given.failed.value_or(!said.empty());
  std::uint32_t const row = shared_.names.find_to_end(command, named(given), decision);
  if (row == rows::kNoRow) return Verdict::done;
  rows::GiveBackBody body;
  rows::Counters const before = shared_.rows().counters_of(row);
  body.counters = before.after_failure();
  if (!failed) body.counters.failures = before.failures;
  body.date = given.process_date ? std::max(now, *given.process_date)
              : failed           ? attempts_.rested(row, body.counters, now)
                                 : shared_.rows().row(row).date();
  body.error = said;
  body.detail = shared_.rows().counting(row, rows::Count::returns);
  body.detail.priority = given.priority;
  ++(failed ? shared_.statistics.attempts_failed : shared_.statistics.released);
  if (failed) shared_.statistics.deliveries.failed(now);
  rows::Ended const ended = failed ? attempts_.end(row, body, decision) : attempts_.give_back(row, body, decision);
  answer_ended(row, "RELEASED", ended, decision);
  return Verdict::done;
}

Verdict Consumers::reject(Command const& command, Decision& decision) const {
  made::Reject given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const row = shared_.names.find_to_end(command, named(given), decision);
  if (row == rows::kNoRow) return Verdict::done;
  rows::GiveBackBody body;
  body.counters = shared_.rows().counters_of(row).after_failure();
  std::string room;
  body.error = rows::failure_of(given.error, given.error_trace, decision, room);
  body.date = shared_.rows().row(row).date();
  ++shared_.statistics.attempts_failed;
  shared_.statistics.deliveries.failed(decision.now.value);
  rows::Ended const ended = attempts_.give_up(row, body, decision);
  answer_ended(row, "RELEASED", ended, decision);
  return Verdict::done;
}

rows::Ended Consumers::put_back(std::uint32_t row, Decision& decision) const {
  rows::GiveBackBody body;
  body.date = shared_.rows().row(row).date();
  body.counters = shared_.rows().counters_of(row);
  std::uint8_t const lifetime = body.counters.after_timeout().lifetime;
  body.counters.lifetime = lifetime;
  return attempts_.give_back(row, body, decision);
}

Verdict Consumers::park(Command const& command, Decision& decision) const {
  made::Park given;
  if (!given.read(command, decision)) return Verdict::done;
  if (refuses_priority(given.priority, decision)) return Verdict::done;
  std::uint32_t const row = shared_.names.find_to_end(command, named(given), decision);
  if (row == rows::kNoRow) return Verdict::done;
  rows::GiveBackBody body;
  body.counters = shared_.rows().counters_of(row);
  std::uint8_t const lifetime = body.counters.after_timeout().lifetime;
  body.counters.lifetime = lifetime;
  std::string room;
  body.error = rows::failure_of(given.error, given.error_trace, decision, room);
  body.detail.priority = given.priority;
  answer_ended(row, "RELEASED", attempts_.park(row, body, decision), decision);
  return Verdict::done;
}

Verdict Consumers::remove(Command const& command, Decision& decision) const {
  made::Delete given;
  if (!given.read(command, decision)) return Verdict::done;
  ObjectId const id{given.message};
  std::uint32_t const row = shared_.rows().find(id);
  if (row == rows::kNoRow || !shared_.rows().is_visible(row, decision.now.value))
    return decision.refuse(shared_.names.unknown(id));
  if (shared_.rows().row(row).place() == rows::Place::processing)
    return decision.refuse({Code::wrong_state, shared_.names.name_of(id) +
                                                   " is with a consumer, who may ACCEPT it: KICK takes it back first"});
  model::append_record(decision.records, id, rows::RemoveBody{rows::Reason::deleted});
  decision.answer.message("DELETED").add("table", std::string_view{shared_.table()}).add("message", id.value);
  decision.answer.add("queue", shared_.queue_of(row));
  return Verdict::done;
}

rows::Ended Consumers::back_to_work(std::uint32_t row, Decision& decision) const {
  rows::GiveBackBody body;
  body.date = std::min(shared_.rows().row(row).date(), decision.now.value);
  body.counters = shared_.rows().counters_of(row);
  if (shared_.rows().row(row).place() == rows::Place::parked) body.counters.timeouts = body.counters.failures = 0;
  body.detail = shared_.rows().counting(row, rows::Count::kicks);
  return attempts_.give_back(row, body, decision);
}

Verdict Consumers::kick(Command const& command, Decision& decision) const {
  made::Kick given;
  if (!given.read(command, decision)) return Verdict::done;
  if (given.message.has_value() == given.queue.is_given)
    return decision.refuse(model::refused(given.message ? Code::bad_parameter : Code::missing_parameter, "message",
                                          given.message ? "message and queue are given, expected one of them"
                                                        : "KICK needs what goes back to work: message, or queue"));
  return given.message ? kick_message(given, decision) : kick_queue(given, decision);
}

// Of one that is with a consumer as a RELEASE by its holder, whose epoch need not be known.
Verdict Consumers::kick_message(made::Kick const& given, Decision& decision) const {
  ObjectId const id{*given.message};
  std::uint32_t const row = shared_.rows().find(id);
  if (row == rows::kNoRow || !shared_.rows().is_visible(row, decision.now.value))
    return decision.refuse(shared_.names.unknown(id));
  std::string_view const state = status_of(shared_.rows().row(row).place());
  if (state == "due" || (given.status && name_of(*given.status) != state))
    return decision.refuse({Code::wrong_state, fmt::format("{} is {}, expected {}", shared_.names.name_of(id), state,
                                                           given.status ? name_of(*given.status)
                                                                        : "waiting, behind, acquired or parked")});
  // Of one that waits for its group the date may come early all the same.
  bool const is_due_behind = state == "behind" && shared_.rows().row(row).date() <= decision.now.value;
  if (is_due_behind && decision.refuses(check_not_behind(row))) return Verdict::done;
  if (decision.refuses(shared_.names.check_hold(id, decision))) return Verdict::done;
  bool const is_leased = state == "acquired";
  if (is_leased) ++shared_.statistics.released;
  answer_ended(row, "KICKED", is_leased ? put_back(row, decision) : back_to_work(row, decision), decision);
  return Verdict::done;
}

Verdict Consumers::kick_queue(made::Kick const& given, Decision& decision) const {
  Queue const* const queue = shared_.queues.find(given.queue);
  if (queue == nullptr) return decision.refuse(shared_.no_queue(given.queue));
  std::uint64_t& kicked = decision.carry[0];
  std::uint64_t& looks_at = decision.carry[1];
  constexpr std::uint64_t kParked = 1;
  constexpr std::uint64_t kWaiting = 2;
  if (looks_at == 0) looks_at = queue->parked.empty() ? kWaiting : kParked;
  auto const next = [&] {
    return looks_at == kParked ? first_of(shared_, given.queue, Which::parked) : first_future(shared_, given.queue);
  };
  if (std::uint32_t const row = kicked < given.count ? next() : rows::kNoRow; row != rows::kNoRow) {
    kicked += back_to_work(row, decision).how == rows::Ended::waits ? 1 : 0;
    return Verdict::again;
  }
  decision.answer.message("KICKED").add("table", std::string_view{shared_.table()}).add("queue", given.queue);
  decision.answer.add("count", kicked);
  if (next() != rows::kNoRow) decision.answer.add("more", std::int64_t{1});
  return Verdict::done;
}

bool Consumers::end_former(Decision& decision) const {
  rows::State const& rows = shared_.rows();
  std::uint32_t steps = 0;
  for (; next_former_ < rows.leases().end(); ++next_former_) {
    if (steps == kFormerPerStep) return true;
    rows::Lease const& lease = rows.leases()[next_former_];
    if (lease.row == rows::kNoRow || lease.start >= decision.start) continue;
    if (lease.connection == rows::kNoConnection) continue;
    holds_former_ = holds_former_ || lease.is_kept;
    if (lease.is_kept) continue;
    put_back(lease.row, decision);
    ++steps;
  }
  next_former_ = kNoFormer;
  return steps > 0;
}

// Nothing is applied yet: the row is as it was.
void Consumers::answer_ended(std::uint32_t row, std::string_view waiting, rows::Ended const& ended,
                             Decision& decision) const {
  using How = rows::Ended::How;
  std::string_view const name = ended.how == How::waits    ? waiting
                                : ended.how == How::parked ? "PARKED"
                                : ended.how == How::moved  ? "DEAD"
                                                           : "DELETED";
  Answer& answer = decision.answer.message(name).add("table", std::string_view{shared_.table()});
  answer.add("message", shared_.rows().id_of(row).value);
  if (ended.how == How::waits) answer.add("process_date", ended.date);
  if (ended.how != How::moved) return;
  Queue const* const queue = shared_.queues.find(shared_.queue_of(row));
  if (queue != nullptr) answer.add("queue", std::string_view{queue->settings.dead_letters});
}

}  // namespace fastjournal::queue
