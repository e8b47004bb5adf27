#include "plugins/queue/consumers.h"

#include <algorithm>

#include "plugins/queue/message_answers.h"
#include "plugins/queue/names.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {
namespace {

// An ACQUIRE of many messages ends when its answer is this long; the next one gets the rest.
constexpr std::uint64_t kAcquireBytesMax = 1U << 20U;
// Expired ones, and those of removed queues, that one command drops; the timers drop the others.
constexpr std::uint64_t kAcquireDroppedMax = 1024;
// Decision::carry of an ACQUIRE.
constexpr std::size_t kGiven = 0;
constexpr std::size_t kBytes = 1;
constexpr std::size_t kAcquireDropped = 2;
// Leases of a former start that one step ends.
constexpr std::uint32_t kFormerPerStep = 200;

rows::NamedLease lease_of(auto const& given) { return {ObjectId{given.message}, LeaseEpoch{given.epoch}}; }

}  // namespace

// ---------------------------------------------------------------------------
// Handing out

Verdict Consumers::acquire(Command const& command, Decision& decision) const {
  made::Acquire given;
  if (!given.read(command, decision, shared_.options.times.range(command)) ||
      decision.refuses(rows::check_wait(command, given.wait)) || decision.refuses(rows::check_worker(command)))
    return Verdict::done;
  if (given.queue.is_given && given.queue.empty())
    return decision.refuse(
        model::refused(Code::bad_parameter, "queue", "queue is empty: leave it out to ask for messages of any queue"));
  if (!given.accept) decision.durability = Durability::written;
  decision.wait_topic = given.queue;
  if (!given.queue.empty() && shared_.queues.find(given.queue) == nullptr) {
    bool const makes = shared_.options.makes(given.queue) && shared_.queues.find_any(given.queue) == nullptr &&
                       shared_.has_place(command) && !shared_.is_large();
    if (decision.refuses(makes ? check_name("queue", given.queue) : shared_.no_queue(given.queue)))
      return Verdict::done;
    model::append_record(decision.records, ObjectId{}, QueueBody{given.queue, {}});
    return Verdict::again;
  }
  return give(given, command, decision);
}

Verdict Consumers::give(made::Acquire const& given, Command const& command, Decision& decision) const {
  rows::Order const& order = shared_.rows().order();
  std::uint32_t const row = given.queue.empty() ? order.first() : order.first_of(given.queue);
  TimeMs const next_date =
      given.queue.empty() ? shared_.rows().places().next_date() : shared_.rows().places().next_date(given.queue);
  if (row == rows::kNoRow) {
    if (decision.carry[kGiven] > 0) return Verdict::done;
    return give_nothing(given, decision, next_date);
  }
  bool const is_expired = !shared_.rows().is_visible(row, decision.now.value);
  if (is_expired || shared_.queues.find(shared_.queue_of(row)) == nullptr) {
    if (decision.carry[kAcquireDropped]++ < kAcquireDroppedMax) {
      model::append_record(decision.records, shared_.rows().id_of(row),
                           rows::RemoveBody{is_expired ? rows::Reason::expired : rows::Reason::deleted});
      return Verdict::again;
    }
    // The timers are removing them: ask again at once.
    return decision.carry[kGiven] > 0 ? Verdict::done : give_nothing(given, decision, decision.now);
  }
  return give_message(row, given, command, decision);
}

Verdict Consumers::give_nothing(made::Acquire const& given, Decision& decision, TimeMs next_date) const {
  return rows::give_nothing(shared_.table(), given.wait, next_date, decision);
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
        attempts_.lease(row, rows::holder_of(command), command.worker, given.lease, decision);
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

Verdict Consumers::touch(Command const& command, Decision& decision) const {
  made::Touch given;
  if (!given.read(command, decision, shared_.options.times.range(command))) return Verdict::done;
  return rows::touch(shared_.names, attempts_, lease_of(given), given.lease, command, decision);
}

Verdict Consumers::accept(Command const& command, Decision& decision) const {
  made::Accept given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const row = shared_.names.find_to_end(command, lease_of(given), decision);
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
  std::int64_t const now = decision.now.value;
  std::string room;
  std::string_view const said = rows::failure_of(given.error, given.error_trace, decision, room);
  bool const failed = given.failed.value_or(!said.empty());
  std::uint32_t const row = shared_.names.find_to_end(command, lease_of(given), decision);
  if (row == rows::kNoRow) return Verdict::done;
  rows::GiveBackBody body;
  rows::Counters const before = shared_.rows().counters_of(row);
  body.counters = before.after_failure();
  if (!failed) body.counters.failures = before.failures;
  body.date = given.process_date ? std::max(now, *given.process_date)
              : failed           ? attempts_.rested(row, body.counters, now)
                                 : shared_.rows().row(row).date();
  body.error = said;
  ++(failed ? shared_.statistics.attempts_failed : shared_.statistics.released);
  if (failed) shared_.statistics.deliveries.failed(now);
  rows::Ended const ended = failed ? attempts_.end(row, body, decision) : attempts_.give_back(row, body, decision);
  answer_ended(row, "RELEASED", ended, decision);
  return Verdict::done;
}

Verdict Consumers::reject(Command const& command, Decision& decision) const {
  made::Reject given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const row = shared_.names.find_to_end(command, lease_of(given), decision);
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

// As a RELEASE by its holder, whose epoch need not be known.
Verdict Consumers::kick(Command const& command, Decision& decision) const {
  made::Kick given;
  if (!given.read(command, decision)) return Verdict::done;
  ObjectId const id{given.message};
  std::uint32_t const row = shared_.rows().find(id);
  if (row == rows::kNoRow || !shared_.rows().is_visible(row, decision.now.value))
    return decision.refuse(shared_.names.unknown(id));
  if (rows::Place const place = shared_.rows().row(row).place(); place != rows::Place::processing)
    return decision.refuse(
        {Code::wrong_state,
         "message " + std::to_string(id.value) + " of table " + shared_.table() + " is with no consumer, it is " +
             std::string{status_of(place)} + ": " +
             (place == rows::Place::parked ? "MOVE puts it back to work" : "there is no lease to take back")});
  if (decision.refuses(shared_.names.check_hold(id, decision))) return Verdict::done;
  ++shared_.statistics.released;
  answer_ended(row, "KICKED", put_back(row, decision), decision);
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
