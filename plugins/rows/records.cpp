#include "plugins/rows/records.h"

#include "base/bytes.h"
#include "base/failure.h"
#include "model/varint.h"
#include "plugins/rows/body.h"

namespace fastjournal::rows {
namespace {

template <typename... Texts>
Lsn append(Records& records, RecordType type, std::uint8_t version, ObjectId object, BodyHead const& head,
           Texts... texts) {
  return append_body(records, static_cast<std::uint8_t>(type), version, object, head, texts...);
}

// Bodies with counters: the first version knows no failures.
std::uint8_t version_with(std::uint8_t failures) { return failures == 0 ? 1 : 2; }
std::uint8_t version_with(Counters const& counters, std::string_view error) {
  return failure::has_trace(error) ? 3 : version_with(counters.failures);
}

void write_counters(BodyHead& head, Counters const& counters, std::string_view error) {
  head.byte(counters.timeouts).byte(counters.lifetime);
  if (version_with(counters, error) > 1) head.byte(counters.failures);
}
Counters read_counters(BodyReader& tail, std::uint8_t version) {
  Counters out;
  out.timeouts = tail.byte();
  out.lifetime = tail.byte();
  // Without failures the first version is written, or the third.
  if (version > 1 && (out.failures = tail.byte()) == 0 && version == 2) tail.fail();
  return out;
}

constexpr std::uint8_t kStatusMask = 3;
constexpr std::uint8_t kHasCounters = 4;
constexpr std::uint8_t kHasSender = 8;

constexpr std::uint8_t kChangeMask = 3;

void write_terms(BodyHead& head, Leases::Terms const& terms) {
  head.eight(terms.epoch.value)
      .six(terms.began)
      .six(terms.ends)
      .number(terms.connection)
      .number(terms.start)
      .text(terms.worker);
}
void read_terms(BodyReader& tail, Leases::Terms& terms) {
  terms.epoch.value = tail.eight();
  terms.began = tail.six();
  terms.ends = tail.six();
  terms.connection = tail.number();
  terms.start = tail.number_as<std::uint32_t>();
  terms.worker = tail.text();
}

bool has_lease(RowStatus status) { return status == RowStatus::processing || status == RowStatus::held; }

// The oldest that can express it.
std::uint8_t version_of(RowBody const& body) {
  if (!body.error.empty() && failure::has_trace(body.error)) return 5;
  if (body.has_outside) return 4;
  return body.status == RowStatus::held ? 3 : version_with(body.facts.failures);
}

BodyHead row_head(RowBody const& body) {
  BodyHead head;
  bool const counters = body.timeouts != 0 || body.lifetime != 0;
  bool const sender = !body.sender.client.empty();
  head.byte(static_cast<std::uint8_t>(static_cast<std::uint8_t>(body.status) | (counters ? kHasCounters : 0) |
                                      (sender ? kHasSender : 0)));
  head.byte(body.priority).number(model::zigzag(body.date - body.facts.arrival));
  if (counters) head.byte(body.timeouts).byte(body.lifetime);
  if (has_lease(body.status)) write_terms(head, body.lease);
  if (sender) head.text(body.sender.client).number(body.sender.sequence);
  head.facts(body.facts);
  return head;
}

}  // namespace

Lsn append_row(Records& records, ObjectId object, RowBody const& body) {
  return append(records, RecordType::row, version_of(body), object, row_head(body), body.key, body.data, body.error);
}

Lsn append_merge(Records& records, ObjectId row, MergeBody const& body) {
  bool const sender = !body.sender.client.empty();
  BodyHead head;
  head.byte(static_cast<std::uint8_t>(static_cast<std::uint8_t>(body.change) | (sender ? kHasSender : 0)));
  head.byte(body.priority).six(body.date).six(body.expires).six(body.accepted).number(body.merges).number(body.schema);
  if (sender) head.text(body.sender.client).number(body.sender.sequence).six(body.now);
  return append(records, RecordType::merge, body.has_outside ? 2 : 1, row, head, body.data);
}

Lsn append_lease(Records& records, ObjectId row, Leases::Terms const& terms) {
  BodyHead head;
  write_terms(head, terms);
  return append(records, RecordType::lease, 1, row, head);
}

Lsn append_renew(Records& records, ObjectId row, Leases::Terms const& terms) {
  BodyHead head;
  head.six(terms.ends).number(terms.connection).number(terms.start);
  return append(records, RecordType::renew, 1, row, head, terms.worker);
}

Lsn append_give_back(Records& records, ObjectId row, GiveBackBody const& body) {
  BodyHead head;
  head.six(body.date);
  write_counters(head, body.counters, body.error);
  return append(records, RecordType::give_back, version_with(body.counters, body.error), row, head, body.error);
}

Lsn append_fold(Records& records, ObjectId twin, FoldBody const& body) {
  BodyHead head;
  head.id(body.returned).byte(body.priority).six(body.date).six(body.expires);
  write_counters(head, body.counters, body.error);
  head.number(body.merges);
  return append(records, RecordType::fold, version_with(body.counters, body.error), twin, head, body.error);
}

Lsn append_park(Records& records, ObjectId row, ParkBody const& body) {
  BodyHead head;
  head.six(body.at);
  write_counters(head, body.counters, body.error);
  return append(records, RecordType::park, version_with(body.counters, body.error), row, head, body.error);
}

Lsn append_hold(Records& records, ObjectId row, HoldBody const& body) {
  BodyHead head;
  head.six(body.at).byte(body.timeouts).byte(body.lifetime);
  return append(records, RecordType::hold, 1, row, head);
}

Lsn append_move(Records& records, ObjectId row, MoveBody const& body) {
  BodyHead head;
  head.six(body.date).byte(body.counters.timeouts).byte(body.counters.failures).byte(body.counters.lifetime);
  head.number(body.schema).number(body.error.size());
  return append_body(records, static_cast<std::uint8_t>(RecordType::move), failure::has_trace(body.error) ? 2 : 1, row,
                     head, body.error, body.data);
}

Lsn append_remove(Records& records, ObjectId row, Reason reason) {
  BodyHead head;
  head.byte(static_cast<std::uint8_t>(reason));
  return append(records, RecordType::remove, 1, row, head);
}

Lsn append_given_up(Records& records, ObjectId row, Counters const& counters, std::string_view error) {
  BodyHead head;
  head.byte(static_cast<std::uint8_t>(Reason::failed));
  head.byte(counters.timeouts).byte(counters.failures).byte(counters.lifetime);
  return append(records, RecordType::remove, 2, row, head, error);
}

Lsn append_seen(Records& records, SeenBody const& body) {
  BodyHead head;
  head.text(body.sender.client).number(body.sender.sequence).id(body.row).six(body.now);
  return append(records, RecordType::seen, 1, ObjectId{}, head);
}

void write_client(std::string& out, ClientBody const& body) {
  model::append_varint(out, body.name.size());
  out.append(body.name);
  append_little(out, body.last_used);
  model::append_varint(out, body.number);
  for (DedupWindows::Seen const& seen : body.seen) {
    append_little(out, seen.offset);
    append_little(out, seen.row);
  }
}

Lsn append_client(Records& records, ObjectId segment, ClientBody const& body) {
  std::string bytes;
  write_client(bytes, body);
  return append(records, RecordType::client, 1, segment, BodyHead{}, std::string_view{bytes});
}

Lsn append_client_dropped(Records& records, std::string_view name) {
  return append(records, RecordType::client_dropped, 1, ObjectId{}, BodyHead{}, name);
}

Lsn append_client_owner(Records& records, ObjectId owner, ClientOwnerBody const& body) {
  BodyHead head;
  head.text(body.name).text(body.origin).eight(static_cast<std::uint64_t>(body.last_used));
  return append(records, RecordType::client_owner, 1, owner, head);
}

void write_client_owner(std::string& out, std::string_view name, std::string_view origin) {
  model::append_varint(out, name.size());
  out.append(name).append(origin);
}

Lsn append_clock(Records& records, ClockBody const& body) {
  BodyHead head;
  head.six(body.from).six(body.to);
  return append(records, RecordType::clock, 1, ObjectId{}, head);
}

void write_row(std::string& out, ObjectId id, RowBody const& body) {
  append_little(out, id.value);
  RowBody bare = body;
  bare.sender = {};
  out.append(row_head(bare).view()).append(body.key).append(body.data).append(body.error);
}

std::uint64_t row_record_bytes(Facts const& facts) {
  // At most: header of the record, head of the body and rounding; leases add a little while they last.
  return 64U + facts.key_bytes + facts.data_bytes + facts.error_bytes;
}

bool read_row(std::string_view bytes, std::uint8_t version, RowBody& body) {
  BodyReader tail{bytes};
  std::uint8_t const flags = tail.byte();
  if (flags > (kStatusMask | kHasCounters | kHasSender)) return false;
  body.status = static_cast<RowStatus>(flags & kStatusMask);
  body.has_outside = version >= 4;
  if (version < 4 && (body.status == RowStatus::held) != (version == 3)) return false;
  body.priority = tail.byte();
  std::int64_t const after_arrival = model::unzigzag(tail.number());
  if ((flags & kHasCounters) != 0) {
    body.timeouts = tail.byte();
    body.lifetime = tail.byte();
  }
  if (has_lease(body.status)) read_terms(tail, body.lease);
  if ((flags & kHasSender) != 0) {
    body.sender.client = tail.text();
    body.sender.sequence = tail.number();
  }
  body.facts = tail.facts();
  if (version < 3 && (version == 2) != (body.facts.failures != 0)) tail.fail();
  body.date = body.facts.arrival + after_arrival;
  body.key = tail.bytes(body.facts.key_bytes);
  body.data = tail.bytes(body.facts.data_bytes);
  body.error = tail.bytes(body.facts.error_bytes);
  return tail.finished();
}

bool read_merge(std::string_view bytes, std::uint8_t version, MergeBody& body) {
  body.has_outside = version == 2;
  BodyReader tail{bytes};
  std::uint8_t const flags = tail.byte();
  if ((flags & kChangeMask) > static_cast<std::uint8_t>(DataChange::by_rule) || flags > (kChangeMask | kHasSender))
    return false;
  body.change = static_cast<DataChange>(flags & kChangeMask);
  body.priority = tail.byte();
  body.date = tail.six();
  body.expires = tail.six();
  body.accepted = tail.six();
  body.merges = tail.number_as<std::uint32_t>();
  body.schema = tail.number_as<std::uint16_t>();
  if ((flags & kHasSender) != 0) {
    body.sender.client = tail.text();
    body.sender.sequence = tail.number();
    body.now = tail.six();
  }
  body.data = tail.rest();
  return tail.finished() && (body.change != DataChange::none || body.data.empty());
}

bool read_lease(std::string_view bytes, Leases::Terms& terms) {
  BodyReader tail{bytes};
  read_terms(tail, terms);
  return tail.finished();
}

bool read_renew(std::string_view bytes, Leases::Terms& terms) {
  BodyReader tail{bytes};
  terms.ends = tail.six();
  terms.connection = tail.number();
  terms.start = tail.number_as<std::uint32_t>();
  terms.worker = tail.rest();
  return tail.finished();
}

bool read_give_back(std::string_view bytes, std::uint8_t version, GiveBackBody& body) {
  BodyReader tail{bytes};
  body.date = tail.six();
  body.counters = read_counters(tail, version);
  body.error = tail.rest();
  return tail.finished();
}

bool read_fold(std::string_view bytes, std::uint8_t version, FoldBody& body) {
  BodyReader tail{bytes};
  body.returned = tail.id();
  body.priority = tail.byte();
  body.date = tail.six();
  body.expires = tail.six();
  body.counters = read_counters(tail, version);
  body.merges = tail.number_as<std::uint32_t>();
  body.error = tail.rest();
  return tail.finished();
}

bool read_park(std::string_view bytes, std::uint8_t version, ParkBody& body) {
  BodyReader tail{bytes};
  body.at = tail.six();
  body.counters = read_counters(tail, version);
  body.error = tail.rest();
  return tail.finished();
}

bool read_hold(std::string_view bytes, HoldBody& body) {
  BodyReader tail{bytes};
  body.at = tail.six();
  body.timeouts = tail.byte();
  body.lifetime = tail.byte();
  return tail.finished();
}

bool read_move(std::string_view bytes, MoveBody& body) {
  BodyReader tail{bytes};
  body.date = tail.six();
  body.counters.timeouts = tail.byte();
  body.counters.failures = tail.byte();
  body.counters.lifetime = tail.byte();
  body.schema = tail.number_as<std::uint16_t>();
  body.error = tail.text();
  body.data = tail.rest();
  return tail.finished();
}

bool read_remove(std::string_view bytes, std::uint8_t version, RemoveBody& body) {
  BodyReader tail{bytes};
  body.reason = static_cast<Reason>(tail.byte());
  body.has_counters = version > 1;
  if (body.has_counters) {
    body.counters.timeouts = tail.byte();
    body.counters.failures = tail.byte();
    body.counters.lifetime = tail.byte();
    body.error = tail.rest();
    if (body.reason != Reason::failed) tail.fail();
  }
  return tail.finished() && body.reason >= Reason::done && body.reason <= Reason::failed;
}

bool read_seen(std::string_view bytes, SeenBody& body) {
  BodyReader tail{bytes};
  body.sender.client = tail.text();
  body.sender.sequence = tail.number();
  body.row = tail.id();
  body.now = tail.six();
  return tail.finished();
}

bool read_client_owner(std::string_view bytes, ClientOwnerBody& body) {
  BodyReader tail{bytes};
  body.name = tail.text();
  body.origin = tail.text();
  body.last_used = static_cast<std::int64_t>(tail.eight());
  return tail.finished() && !body.name.empty() && body.name.size() <= kClientBytesMax && !body.origin.empty() &&
         body.origin.size() <= kOriginBytesMax;
}

bool read_clock(std::string_view bytes, ClockBody& body) {
  BodyReader tail{bytes};
  body.from = tail.six();
  body.to = tail.six();
  return tail.finished() && body.to <= body.from;
}

bool read_client(std::string_view bytes, ClientBody& body) {
  BodyReader tail{bytes};
  body.name = tail.text();
  body.last_used = static_cast<std::int64_t>(tail.eight());
  body.number = tail.number();
  std::string_view const entries = tail.rest();
  constexpr std::size_t kEntryBytes = 10;
  if (!tail.finished() || entries.size() % kEntryBytes != 0) return false;
  body.seen.clear();
  for (std::size_t at = 0; at < entries.size(); at += kEntryBytes)
    body.seen.push_back(
        {load_little<std::uint16_t>(entries.data() + at), load_little<std::uint64_t>(entries.data() + at + 2)});
  return true;
}

}  // namespace fastjournal::rows
