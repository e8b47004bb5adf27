#include "plugins/queue/reads.h"

#include <string>

#include "model/date.h"
#include "plugins/queue/dead_letter_policy.h"
#include "plugins/queue/made.h"
#include "plugins/queue/message_answers.h"
#include "plugins/queue/on_queue.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"

namespace fastjournal::queue {
namespace {

// Messages that one page looks at, shown or not; and bytes that it has at most.
constexpr std::uint32_t kWorkUnitsMax = 10'000;
constexpr std::uint64_t kAnswerBytesMax = 1U << 20U;

}  // namespace

ObjectId Reads::look(auto const& given, Decision& decision, std::function<bool(std::uint32_t row)> const& tell) const {
  if (!given.queue.empty() && shared_.queues.find_any(given.queue) == nullptr) {
    decision.status = shared_.no_queue(given.queue);
    return {};
  }
  rows::State const& rows = shared_.rows();
  ObjectId last{given.after};
  std::uint32_t row = rows.ids().next(last);
  bool wants_more = true;
  for (std::uint32_t looked = 0; row != rows::kNoRow && looked < kWorkUnitsMax && wants_more; ++looked) {
    last = rows.id_of(row);
    ++decision.work_units;
    bool const fits = (given.queue.empty() || shared_.queue_of(row) == given.queue) &&
                      (!given.status || status_of(rows.row(row).place()) == name_of(*given.status)) &&
                      rows.is_visible(row, decision.now.value);
    if (fits) wants_more = tell(row);
    row = rows.ids().next(last);
  }
  return row == rows::kNoRow ? ObjectId{} : last;
}

Verdict Reads::browse(Command const& command, Decision& decision) const {
  made::Browse given;
  if (!given.read(command, decision)) return Verdict::done;
  BodyRequest const body{.none = !given.body};
  std::size_t shown = 0;
  std::uint64_t bytes = 0;
  ObjectId const last = look(given, decision, [&](std::uint32_t row) {
    std::uint64_t outside = 0;
    if (decision.refuses(describe(shared_, command, row, body, decision.answer, outside))) return false;
    bytes += 300 + (body.none ? 0 : MessageBody::front(shared_.rows().view(row).data).bytes());
    return ++shown < given.count && bytes < kAnswerBytesMax;
  });
  if (!decision.status.ok()) return Verdict::done;
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  if (!last.is_none()) decision.answer.add("after", last.value);
  return Verdict::done;
}

Verdict Reads::count(Command const& command, Decision& decision) const {
  made::Count given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint64_t count = 0;
  ObjectId const last = look(given, decision, [&](std::uint32_t) { return ++count < given.count; });
  if (!decision.status.ok()) return Verdict::done;
  Answer& answer = decision.answer.message("COUNTED").add("table", std::string_view{shared_.table()});
  if (!given.queue.empty()) answer.add("queue", std::string_view{given.queue});
  answer.add("count", count);
  if (!last.is_none()) answer.add("after", last.value);
  return Verdict::done;
}

std::uint32_t Reads::find(ObjectId id, Decision& decision) const {
  std::uint32_t const row = shared_.rows().find(id);
  if (row == rows::kNoRow || !shared_.rows().is_visible(row, decision.now.value)) {
    decision.status = shared_.names.unknown(id);
    return rows::kNoRow;
  }
  return row;
}

Verdict Reads::read(Command const& command, Decision& decision) const {
  made::Read given;
  if (!given.read(command, decision)) return Verdict::done;
  BodyRequest body;
  body.is_part = given.length || command.message->has("offset");
  body.offset = given.offset;
  body.length = given.length.value_or(UINT64_MAX);
  body.place = given.places;
  if (body.place && body.is_part)
    return decision.refuse(model::refused(Code::bad_parameter, "places",
                                          "places=1 is of whole bodies, expected it without offset and length"));
  std::uint32_t const row = find(ObjectId{given.message}, decision);
  if (row != rows::kNoRow) show(row, body, command, decision);
  return Verdict::done;
}

void Reads::show(std::uint32_t row, BodyRequest const& body, Command const& command, Decision& decision) const {
  std::uint64_t outside = 0;
  decision.status = describe(shared_, command, row, body, decision.answer, outside);
  if (!decision.status.ok()) return decision.answer.cut(0);
  rows::add_trace(shared_.rows().view(row).failure, decision.answer);
  decision.answer.add("now", decision.now.value);
}

// What has expired and is not removed yet is nothing.
Verdict Reads::peek(Command const& command, Decision& decision) const {
  made::Peek given;
  if (!given.read(command, decision)) return Verdict::done;
  if (shared_.queues.find_any(given.queue) == nullptr) return decision.refuse(shared_.no_queue(given.queue));
  std::uint32_t row = rows::kNoRow;
  switch (given.status.value_or(made::PeekStatus::due)) {
    case made::PeekStatus::due: row = first_due(shared_, given.queue); break;
    case made::PeekStatus::waiting: row = first_future(shared_, given.queue); break;
    case made::PeekStatus::behind: row = first_behind(shared_, given.queue); break;
    case made::PeekStatus::parked: row = first_of(shared_, given.queue, Which::parked); break;
  }
  if (row == rows::kNoRow || !shared_.rows().is_visible(row, decision.now.value))
    decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  else
    show(row, {}, command, decision);
  return Verdict::done;
}

Verdict Reads::why(Command const& command, Decision& decision) const {
  made::Why given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const row = find(ObjectId{given.message}, decision);
  if (row == rows::kNoRow) return Verdict::done;
  rows::State const& rows = shared_.rows();
  rows::Row const& header = rows.row(row);
  std::string const name = "message " + std::to_string(header.id().value);
  std::string const queue{shared_.queue_of(row)};
  std::int64_t const now = decision.now.value;
  bool const is_leaving = shared_.queues.find(queue) == nullptr;
  std::string_view state = status_of(header.place());
  std::string text;
  Answer& answer = decision.answer.message("REASON").add("table", std::string_view{shared_.table()});
  answer.add("message", header.id().value).add("queue", std::string_view{queue});
  std::uint32_t const deliveries = rows.counters_of(row).attempts();
  if (is_leaving) {
    state = "leaving";
    text = name + " goes: its queue " + queue + " was removed";
  } else if (header.place() == rows::Place::future) {
    text = name + " waits for its date, in " + model::format_span(header.date() - now);
    answer.add("process_date", header.date());
  } else if (header.place() == rows::Place::behind) {
    ObjectId const before = before_in_group(shared_, row);
    MessageBody const own = MessageBody::whole(rows.view(row).data);
    std::uint32_t const other = before.is_none() ? rows::kNoRow : rows.find(before);
    bool const is_leased = other != rows::kNoRow && rows.row(other).place() == rows::Place::processing;
    text = name + " waits for message " + std::to_string(before.value) + " of its group " +
           std::string{own.text(Part::group)} +
           (is_leased ? ", which a consumer has" : ", which is to be handed out before it");
    answer.add("group", own.text(Part::group)).add("before", before.value);
    if (header.date() > now) answer.add("process_date", header.date());
  } else if (header.place() == rows::Place::processing) {
    rows::Lease const& lease = rows.lease_of(row);
    std::string const worker{rows.leases().worker(lease)};
    text = name + " is with " + worker + " until " + model::format_span(lease.ends - now) + " from now";
    answer.add("worker", std::string_view{worker}).add("lease_end", lease.ends);
    if (rows::may_see_epoch(lease, command)) answer.add("epoch", lease.epoch.value);
    if (lease.is_kept) {
      text = name + " is with " + worker + ", and an open transaction holds it: its lease does not end meanwhile";
      answer.add("in_transaction", std::int64_t{1});
    }
  } else if (header.place() == rows::Place::parked) {
    text = is_after_last_delivery(shared_, row, rows.counters_of(row))
               ? name + " is parked after " + std::to_string(deliveries) +
                     " deliveries that failed or timed out, as its queue " + queue + " has no dead letters"
               : name + " is parked on queue " + queue + ", as its consumer said";
    text += ": KICK it back to work, MOVE it to a queue, or DELETE it";
  } else if (Queue const& its = *shared_.queues.find(queue); its.settings.paused_until > now) {
    state = "paused";
    std::int64_t const until = its.settings.paused_until;
    text = name + " is ready, and its queue " + queue + " is paused" +
           (until == kUntilResumed ? "" : ", for " + model::format_span(until - now) + " more") +
           (its.settings.pause_reason.empty() ? "" : ": " + its.settings.pause_reason) + "; RESUME ends that";
    if (until != kUntilResumed) answer.add("paused_until", until);
  } else {
    std::uint64_t const ahead = rows.order().rows_before(row);
    text = name + " is ready: " +
           (ahead == 0 ? "it is the next one of queue " + queue
                       : std::to_string(ahead) + " messages are before it on queue " + queue);
    answer.add("ahead", ahead);
  }
  answer.add("state", Value::of_text(state)).add("text", std::string_view{text});
  if (deliveries > 0) answer.add("deliveries", std::uint64_t{deliveries});
  rows::add_failure(rows.view(row).failure, answer);
  return Verdict::done;
}

}  // namespace fastjournal::queue
