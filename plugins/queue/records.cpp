#include "plugins/queue/records.h"

#include "base/bytes.h"
#include "plugins/rows/body.h"

namespace fastjournal::queue {
namespace {

constexpr std::uint8_t kDrops = 1;
constexpr std::uint8_t kHasOutside = 1;

rows::BodyHead head_of(QueueBody const& body) {
  Settings const& settings = body.settings;
  rows::BodyHead head;
  head.byte(settings.drops ? kDrops : 0).number(settings.connection).number(settings.max_deliveries);
  head.number(settings.max_messages).number(settings.max_bytes).number(static_cast<std::uint64_t>(settings.expires));
  head.text(settings.dead_letters).text(body.name);
  return head;
}

rows::BodyHead head_of(ExchangeBody const& body) {
  rows::BodyHead head;
  head.byte(static_cast<std::uint8_t>(body.kind)).text(body.name);
  return head;
}

rows::BodyHead head_of(BindingBody const& body) {
  rows::BodyHead head;
  head.text(body.exchange).text(body.queue).text(body.pattern);
  return head;
}

rows::BodyHead head_of(EndedBody const& body) {
  rows::BodyHead head;
  head.byte(static_cast<std::uint8_t>(body.what)).text(body.name);
  return head;
}

rows::BodyHead head_of(SharedBodyRecord const& body) {
  rows::BodyHead head;
  head.byte(body.has_outside ? kHasOutside : 0);
  return head;
}

template <typename Body>
Lsn append(Records& records, RecordType type, ObjectId object, Body const& body) {
  return rows::append_body(records, static_cast<std::uint8_t>(type), 1, object, head_of(body));
}

void write(std::string& out, ObjectId id, rows::BodyHead const& head) {
  append_little(out, id.value);
  out.append(head.view());
}

}  // namespace

Lsn append_queue(Records& records, ObjectId object, QueueBody const& body) {
  return append(records, RecordType::queue, object, body);
}
Lsn append_exchange(Records& records, ObjectId object, ExchangeBody const& body) {
  return append(records, RecordType::exchange, object, body);
}
Lsn append_binding(Records& records, ObjectId object, BindingBody const& body) {
  return append(records, RecordType::binding, object, body);
}
Lsn append_ended(Records& records, ObjectId object, EndedBody const& body) {
  return append(records, RecordType::ended, object, body);
}
Lsn append_shared_body(Records& records, ObjectId object, SharedBodyRecord const& body) {
  return rows::append_body(records, static_cast<std::uint8_t>(RecordType::shared_body), 1, object, head_of(body),
                           body.data);
}

void write_queue(std::string& out, ObjectId id, QueueBody const& body) { write(out, id, head_of(body)); }
void write_exchange(std::string& out, ObjectId id, ExchangeBody const& body) { write(out, id, head_of(body)); }
void write_binding(std::string& out, ObjectId id, BindingBody const& body) { write(out, id, head_of(body)); }
void write_shared_body(std::string& out, ObjectId id, SharedBodyRecord const& body) {
  write(out, id, head_of(body));
  out.append(body.data);
}

bool read_queue(std::string_view bytes, QueueBody& body) {
  rows::BodyReader tail{bytes};
  std::uint8_t const flags = tail.byte();
  body.settings.drops = flags == kDrops;
  body.settings.connection = tail.number();
  body.settings.max_deliveries = tail.number_as<std::uint32_t>();
  body.settings.max_messages = tail.number();
  body.settings.max_bytes = tail.number();
  body.settings.expires = static_cast<std::int64_t>(tail.number());
  body.settings.dead_letters = tail.text();
  body.name = tail.text();
  return tail.finished() && flags <= kDrops && body.settings.expires >= 0 && !body.name.empty();
}

bool read_exchange(std::string_view bytes, ExchangeBody& body) {
  rows::BodyReader tail{bytes};
  std::uint8_t const kind = tail.byte();
  body.kind = static_cast<ExchangeKind>(kind);
  body.name = tail.text();
  return tail.finished() && kind <= static_cast<std::uint8_t>(ExchangeKind::topic) && !body.name.empty();
}

bool read_binding(std::string_view bytes, BindingBody& body) {
  rows::BodyReader tail{bytes};
  body.exchange = tail.text();
  body.queue = tail.text();
  body.pattern = tail.text();
  return tail.finished() && !body.exchange.empty() && !body.queue.empty();
}

bool read_ended(std::string_view bytes, EndedBody& body) {
  rows::BodyReader tail{bytes};
  std::uint8_t const what = tail.byte();
  body.what = static_cast<What>(what);
  body.name = tail.text();
  return tail.finished() && what <= static_cast<std::uint8_t>(What::binding) &&
         body.name.empty() == (body.what == What::binding);
}

bool read_shared_body(std::string_view bytes, SharedBodyRecord& body) {
  rows::BodyReader tail{bytes};
  std::uint8_t const flags = tail.byte();
  body.has_outside = flags == kHasOutside;
  body.data = tail.rest();
  return tail.finished() && flags <= kHasOutside;
}

}  // namespace fastjournal::queue
