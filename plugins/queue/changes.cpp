#include "plugins/queue/changes.h"

#include <algorithm>

#include "model/parameters.h"
#include "model/value.h"
#include "plugins/queue/names.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {
namespace {

constexpr std::int64_t kChangedPageMax = 1'000;
// Leases of removed queues that one search looks at, for one that no transaction holds.
constexpr std::uint32_t kLeasesLooked = 1'000;

}  // namespace

bool Changes::read(Command const& command, Decision& decision, Request& request) const {
  model::Parameters parameters{*command.message};
  request.queue = parameters.text("queue", kNameBytesMax);
  std::string_view const status = command.message->text("status");
  request.which = status == "waiting" ? Which::waiting : status == "parked" ? Which::parked : Which::both;
  if (parameters.has("status") && request.which == Which::both)
    parameters.refuse(Code::bad_parameter, "status",
                      "status is " + model::shown(status) + ", expected waiting or parked, or neither for both");
  request.count = static_cast<std::uint64_t>(parameters.integer("count", kChangedPageMax, 1, kChangedPageMax));
  request.is_dry_run = parameters.integer("dry_run", 0, 0, 1) == 1;
  decision.status = parameters.take_status();
  if (decision.status.ok() && shared_.queues.find(request.queue) == nullptr)
    decision.status = shared_.no_queue(request.queue);
  return decision.status.ok();
}

void Changes::finish(Request const& request, Queue const& queue, std::uint64_t done, Decision& decision) const {
  std::uint64_t const left = count_of(shared_, queue, request.which) - (request.is_dry_run ? done : 0);
  decision.answer.add("count", done);
  if (left > 0) decision.answer.add("more", std::int64_t{1});
  if (request.is_dry_run) decision.answer.add("dry_run", std::int64_t{1});
}

Verdict Changes::purge(Command const& command, Decision& decision) const {
  Request request;
  if (!read(command, decision, request)) return Verdict::done;
  Queue const& queue = *shared_.queues.find(request.queue);
  std::uint64_t& done = decision.carry[0];
  if (request.is_dry_run) done = std::min(count_of(shared_, queue, request.which), request.count);
  std::uint32_t const row =
      done == request.count || request.is_dry_run ? rows::kNoRow : first_of(shared_, request.queue, request.which);
  if (row != rows::kNoRow) {
    model::append_record(decision.records, shared_.rows().id_of(row), rows::RemoveBody{rows::Reason::deleted});
    ++done;
    return Verdict::again;
  }
  decision.answer.message("PURGED").add("table", std::string_view{shared_.table()}).add("queue", request.queue);
  finish(request, queue, done, decision);
  return Verdict::done;
}

// What waits keeps its date, and so its place among what is there.
Verdict Changes::move(Command const& command, Decision& decision) const {
  Request request;
  if (!read(command, decision, request)) return Verdict::done;
  model::Parameters parameters{*command.message};
  std::string_view const to = parameters.text("to", kNameBytesMax);
  if (decision.refuses(parameters.take_status())) return Verdict::done;
  if (shared_.queues.find(to) == nullptr && decision.refuses(shared_.no_queue(to, "to"))) return Verdict::done;
  bool const is_back = to == request.queue;
  if (is_back && request.which == Which::waiting)
    return decision.refuse(Status{Code::bad_parameter,
                                  "to is the queue itself, where waiting messages are already: expected "
                                  "another queue, or status=parked"}
                               .with("parameter", "to"));
  if (is_back) request.which = Which::parked;
  Queue const& queue = *shared_.queues.find(request.queue);
  std::uint64_t& done = decision.carry[0];
  if (request.is_dry_run) done = std::min(count_of(shared_, queue, request.which), request.count);
  std::uint32_t const row =
      done == request.count || request.is_dry_run ? rows::kNoRow : first_of(shared_, request.queue, request.which);
  if (row != rows::kNoRow) {
    rows::GiveBackBody body;
    body.date = shared_.rows().row(row).date();
    body.counters.lifetime = shared_.rows().counters_of(row).lifetime;
    if (is_back)
      attempts_.give_back(row, body, decision);
    else
      dead_letter_policy_.append_move(row, to, {}, body, decision);
    ++shared_.statistics.moved;
    ++done;
    return Verdict::again;
  }
  decision.answer.message("MOVED").add("table", std::string_view{shared_.table()}).add("queue", request.queue);
  decision.answer.add("to", to);
  finish(request, queue, done, decision);
  return Verdict::done;
}

// Messages that a transaction holds stay until it is over.
std::uint32_t Changes::find_leaving() const {
  if (shared_.is_leaving_blocked) return rows::kNoRow;
  rows::State const& rows = shared_.rows();
  rows::Domains const& domains = rows.order().domains();
  std::uint32_t looked = 0;
  for (std::string_view const name : shared_.queues.leaving()) {
    if (std::uint32_t const row = first_of(shared_, name, Which::both); row != rows::kNoRow) return row;
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
