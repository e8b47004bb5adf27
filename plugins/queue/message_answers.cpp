#include "plugins/queue/message_answers.h"

#include <algorithm>
#include <array>

#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"

namespace fastjournal::queue {
namespace {

// Of a part of a text it is not known where characters begin: a part is always bytes.
void add_body(MessageBody const& message_body, BodyRequest const& request, Answer& answer, std::uint64_t& outside) {
  model::Cell const* const cell = message_body.body();
  std::string_view const whole_name = name_of(message_body.is_text() ? Part::body : Part::body_binary);
  std::string_view const name = request.is_part ? name_of(Part::body_binary) : whole_name;
  if (request.is_part) answer.add("offset", request.offset);
  if (cell == nullptr) {
    if (request.is_part) answer.add_binary(name, {});
    return;
  }
  if (!cell->is_outside) {
    std::string_view bytes = cell->bytes;
    if (request.is_part) {
      std::uint64_t const from = std::min<std::uint64_t>(request.offset, bytes.size());
      bytes = bytes.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(request.length));
    }
    if (message_body.is_text() && !request.is_part)
      answer.add(name, bytes);
    else
      answer.add_binary(name, bytes);
    return;
  }
  Extent part = model::place_of(cell->bytes);
  if (request.is_part) {
    Extent const whole = part;
    part.begin += std::min(request.offset, whole.size());
    part.end = part.begin + std::min(request.length, whole.end - part.begin);
    // Of a part no hash is known.
    if (part != whole) part.hash = 0;
  }
  outside += part.size();
  if (request.place) answer.add("places", std::int64_t{1});
  answer.add_stored(name, {.extent = part,
                           .is_text = message_body.is_text() && !request.is_part,
                           .as = request.place ? StoredValue::As::place : StoredValue::As::bytes});
}

// By rows::Count.
constexpr std::array<std::string_view, rows::kCounts> kCountNames{"leases", "returns", "parkings", "kicks", "timeouts"};

}  // namespace

std::string_view status_of(rows::Place place) {
  switch (place) {
    case rows::Place::future: return "waiting";
    case rows::Place::processing: return "acquired";
    case rows::Place::parked: return "parked";
    case rows::Place::blocked:  // no message waits for others that it names
    case rows::Place::behind: return "behind";
    default: return "due";
  }
}

ObjectId before_in_group(TableState const& shared, std::uint32_t row) {
  std::uint32_t const before = shared.rows().places().groups().before(row);
  return before == rows::kNoRow ? ObjectId{} : shared.rows().id_of(before);
}

Status add_shared_body(TableState const& shared, std::uint32_t row, BodyRequest const& request, Answer& answer,
                       std::uint64_t& outside) {
  rows::State const& rows = shared.rows();
  rows::PayloadView const view = rows.view(row);
  MessageBody const own = MessageBody::whole(view.data);
  MessageBody message_body = own;
  if (ObjectId const origin = own.origin(); !origin.is_none()) {
    std::string_view const data = shared.shared_bodies.data_of(origin);
    if (data.empty())
      return {Code::damaged, "message " + std::to_string(rows.id_of(row).value) + " of table " + shared.table() +
                                 " has lost what it shares with others (" + std::to_string(origin.value) +
                                 "): the log is damaged; run fastjournal doctor"};
    message_body = MessageBody::whole(data);
    answer.add("origin", origin.value);
  }
  answer.add("queue", own.text(Part::queue));
  for (Part const part : {Part::exchange, Part::routing_key, Part::properties})
    if (message_body.has(part)) answer.add(name_of(part), message_body.text(part));
  if (own.has(Part::group)) answer.add("group", own.text(Part::group));
  if (own.has(Part::dead_of)) answer.add("dead_of", own.text(Part::dead_of));
  rows::Row const& header = rows.row(row);
  answer.add("priority", std::uint64_t{rows.priority_of(row)}).add("process_date", header.date());
  answer.add("sent_date", view.facts.arrival);
  if (view.facts.expires != 0) answer.add("expiration_date", view.facts.expires);
  if (header.lifetime() > 0) answer.add("redelivered", std::int64_t{1});
  answer.add("deliveries", std::uint64_t{rows.counters_of(row).attempts()});
  answer.add("bytes", own.bytes());
  if (!request.none) add_body(message_body, request, answer, outside);
  return {};
}

Status describe(TableState const& shared, Command const& command, std::uint32_t row, BodyRequest const& request,
                Answer& answer, std::uint64_t& outside) {
  rows::State const& rows = shared.rows();
  rows::Row const& header = rows.row(row);
  answer.message("MESSAGE").add("table", std::string_view{shared.table()}).add("message", header.id().value);
  answer.add("status", Value::of_text(status_of(header.place())));
  if (header.place() == rows::Place::processing) {
    rows::Lease const& lease = rows.lease_of(row);
    answer.add("lease_end", lease.ends).add("worker", rows.leases().worker(lease));
    if (rows::may_see_epoch(lease, command)) answer.add("epoch", lease.epoch.value);
  }
  rows::add_error(rows.view(row).failure, answer);
  rows::Detail const detail = rows.detail_of(row);
  if (detail.lease != 0) answer.add("lease", detail.lease);
  if (detail.is_counted)
    for (std::size_t i = 0; i < rows::kCounts; ++i) answer.add(kCountNames[i], std::uint64_t{detail.counts[i]});
  return add_shared_body(shared, row, request, answer, outside);
}

}  // namespace fastjournal::queue
