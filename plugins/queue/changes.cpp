#include "plugins/queue/changes.h"

#include <algorithm>

#include "model/given.h"
#include "plugins/queue/made.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {
namespace {

// Leases of removed queues that one search looks at, for one that no transaction holds.
constexpr std::uint32_t kLeasesLooked = 1'000;
// Messages that a page of a MOVE without `to` looks at, of any queue.
constexpr std::uint64_t kBackLooked = 10'000;

}  // namespace

std::uint32_t Changes::next(auto const& given, Queue const& queue, std::uint64_t& done) const {
  if (given.dry_run) done = std::min<std::uint64_t>(count_of(shared_, queue, given.status), given.count);
  return done == given.count || given.dry_run ? rows::kNoRow : first_of(shared_, given.queue, given.status);
}

void Changes::finish(auto const& given, Queue const& queue, std::uint64_t done, Decision& decision) const {
  std::uint64_t const left = count_of(shared_, queue, given.status) - (given.dry_run ? done : 0);
  decision.answer.add("count", done);
  if (left > 0) decision.answer.add("more", std::int64_t{1});
  if (given.dry_run) decision.answer.add("dry_run", std::int64_t{1});
}

Verdict Changes::purge(Command const& command, Decision& decision) const {
  made::Purge given;
  if (!given.read(command, decision)) return Verdict::done;
  Queue const* const queue = shared_.queues.find(given.queue);
  if (queue == nullptr) return decision.refuse(shared_.no_queue(given.queue));
  std::uint64_t& done = decision.carry[0];
  if (std::uint32_t const row = next(given, *queue, done); row != rows::kNoRow) {
    model::append_record(decision.records, shared_.rows().id_of(row), rows::RemoveBody{rows::Reason::deleted});
    ++done;
    return Verdict::again;
  }
  decision.answer.message("PURGED").add("table", std::string_view{shared_.table()}).add("queue", given.queue);
  finish(given, *queue, done, decision);
  return Verdict::done;
}

// What waits keeps its date, and so its place among what is there.
void Changes::move_one(std::uint32_t row, std::string_view to, Decision& decision) const {
  rows::GiveBackBody body;
  body.date = shared_.rows().row(row).date();
  body.counters.lifetime = shared_.rows().counters_of(row).lifetime;
  if (shared_.rows().row(row).place() == rows::Place::parked)
    body.detail = shared_.rows().counting(row, rows::Count::kicks);
  if (to == shared_.queue_of(row))
    attempts_.give_back(row, body, decision);
  else
    dead_letter_policy_.append_move(row, to, {}, body, decision);
  ++shared_.statistics.moved;
}

Verdict Changes::move(Command const& command, Decision& decision) const {
  made::Move given;
  if (!given.read(command, decision)) return Verdict::done;
  Queue const* const queue = shared_.queues.find(given.queue);
  if (queue == nullptr) return decision.refuse(shared_.no_queue(given.queue));
  if (!given.to.is_given) return move_back(given, decision);
  if (command.message->has("after"))
    return decision.refuse(
        model::refused(Code::bad_parameter, "after", "after is of a MOVE without to: expected one of them"));
  if (shared_.queues.find(given.to) == nullptr) return decision.refuse(shared_.no_queue(given.to, "to"));
  bool const is_back = given.to == given.queue;
  if (is_back && given.status == Which::waiting)
    return decision.refuse(model::refused(Code::bad_parameter, "to",
                                          "to is the queue itself, where waiting messages are already: expected "
                                          "another queue, or status=parked"));
  if (is_back) given.status = Which::parked;
  std::uint64_t& done = decision.carry[0];
  if (std::uint32_t const row = next(given, *queue, done); row != rows::kNoRow) {
    move_one(row, given.to, decision);
    ++done;
    return Verdict::again;
  }
  decision.answer.message("MOVED").add("table", std::string_view{shared_.table()}).add("queue", given.queue);
  decision.answer.add("to", std::string_view{given.to});
  finish(given, *queue, done, decision);
  return Verdict::done;
}

// By number, so that a page does not look again at those that stay. As BROWSE, it looks at the messages of all queues.
Verdict Changes::move_back(made::Move const& given, Decision& decision) const {
  rows::State const& rows = shared_.rows();
  auto& [done, last, looked, unused] = decision.carry;
  if (decision.step == 0) last = given.after;
  std::uint32_t row = rows.ids().next(ObjectId{last});
  for (; row != rows::kNoRow && looked < kBackLooked && done < given.count; row = rows.ids().next(ObjectId{last})) {
    last = rows.id_of(row).value;
    ++looked;
    ++decision.work_units;
    rows::Place const place = rows.row(row).place();
    if (shared_.queue_of(row) != given.queue || place == rows::Place::processing ||
        (given.status && (place == rows::Place::parked) != (given.status == Which::parked)))
      continue;
    std::string const died_on{MessageBody::whole(rows.view(row).data).text(Part::dead_of)};
    if (died_on == given.queue || shared_.queues.find(died_on) == nullptr) continue;
    ++done;
    if (given.dry_run) continue;
    move_one(row, died_on, decision);
    return Verdict::again;
  }
  decision.answer.message("MOVED").add("table", std::string_view{shared_.table()}).add("queue", given.queue);
  decision.answer.add("count", done);
  if (row != rows::kNoRow) decision.answer.add("more", std::int64_t{1}).add("after", last);
  if (given.dry_run) decision.answer.add("dry_run", std::int64_t{1});
  return Verdict::done;
}

// Messages that a transaction holds stay until it is over.
std::uint32_t Changes::find_leaving() const {
  if (shared_.is_leaving_blocked) return rows::kNoRow;
  rows::State const& rows = shared_.rows();
  rows::Domains const& domains = rows.order().domains();
  std::uint32_t looked = 0;
  for (std::string_view const name : shared_.queues.leaving()) {
    if (std::uint32_t const row = first_of(shared_, name); row != rows::kNoRow) return row;
    std::uint32_t const number = domains.find(name);
    if (number == rows::kNoDomain) continue;
    for (auto const& [date, row] : domains[number].lease_ends) {
      if (shared_.table_of_rows.holds().holder_of(rows.id_of(row)) == TransactionId::none) return row;
      if (++looked == kLeasesLooked) return rows::kNoRow;
    }
  }
  return rows::kNoRow;
}

bool Changes::drop_leaving(Decision& decision) const {
  std::uint32_t const row = find_leaving();
  shared_.is_leaving_blocked = row == rows::kNoRow;
  if (row == rows::kNoRow) return false;
  model::append_record(decision.records, shared_.rows().id_of(row), rows::RemoveBody{rows::Reason::deleted});
  return true;
}

}  // namespace fastjournal::queue
