#include "plugins/keyvalue/records.h"

#include "plugins/rows/body.h"

namespace fastjournal::keyvalue {
namespace {

using rows::BodyHead;
using rows::BodyReader;

template <typename... Texts>
Lsn append(Records& records, RecordType type, ObjectId object, BodyHead const& head, Texts... texts) {
  return rows::append_body(records, static_cast<std::uint8_t>(type), 1, object, head, texts...);
}

BodyHead& stamp(BodyHead& head, Stamp const& stamp) { return head.six(stamp.at).eight(stamp.timestamp); }

Stamp take_stamp(BodyReader& body) {
  Stamp out;
  out.at = body.six();
  out.timestamp = body.eight();
  return out;
}

std::string front_of(Pair const& pair, Aliases const& aliases) {
  Facts facts = pair.facts;
  facts.value_bytes = static_cast<std::uint32_t>(pair.value.size());
  facts.aliases = static_cast<std::uint8_t>(aliases.size());
  std::string out(kFactsBytesMax, '\0');
  out.resize(facts::write(out.data(), facts));
  model::append_varint(out, pair.key.size());
  for (std::string_view const alias : aliases) model::append_varint(out, alias.size());
  out += pair.key;
  for (std::string_view const alias : aliases) out += alias;
  return out;
}

}  // namespace

Lsn append_pair(Records& records, Pair const& pair, Aliases const& aliases) {
  if (!aliases.empty())
    return append(records, RecordType::pair, {}, BodyHead{}, std::string_view{front_of(pair, aliases)}, pair.value);
  Facts facts = pair.facts;
  facts.value_bytes = static_cast<std::uint32_t>(pair.value.size());
  facts.aliases = 0;
  BodyHead head;
  head.room(kFactsBytesMax, [&](char* to) { return facts::write(to, facts); }).number(pair.key.size());
  return append(records, RecordType::pair, {}, head, pair.key, pair.value);
}

Lsn append_deleted(Records& records, DeletedBody const& body) {
  BodyHead head;
  stamp(head, body.stamp).byte(body.persist ? 1 : 0);
  return append(records, RecordType::deleted, {}, head, body.key);
}

Lsn append_gone(Records& records, ObjectId pair, std::string_view key) {
  return append(records, RecordType::gone, pair, BodyHead{}, key);
}

Lsn append_value(Records& records, ObjectId pair, ValueBody const& body) {
  BodyHead head;
  stamp(head, body.stamp).number(body.key.size());
  return append(records, RecordType::value, pair, head, body.key, body.value);
}

Lsn append_size(Records& records, ObjectId pair, SizeBody const& body) {
  BodyHead head;
  stamp(head, body.stamp).number(body.bytes);
  return append(records, RecordType::size, pair, head, body.key);
}

Lsn append_alias(Records& records, ObjectId pair, AliasBody const& body) {
  BodyHead head;
  head.number(body.key.size());
  return append(records, RecordType::alias, pair, head, body.key, body.alias);
}

Lsn append_rename(Records& records, ObjectId pair, RenameBody const& body) {
  BodyHead head;
  stamp(head, body.stamp).number(body.key.size());
  return rows::append_body(records, static_cast<std::uint8_t>(RecordType::rename), body.persist ? 2 : 1, pair, head,
                           body.key, body.next);
}

Lsn append_dates(Records& records, ObjectId pair, DatesBody const& body) {
  BodyHead head;
  head.six(body.expires).number(static_cast<std::uint64_t>(body.ttl)).six(body.worked_until);
  return append(records, RecordType::dates, pair, head, body.key);
}

Lsn append_lock(Records& records, ObjectId pair, LockBody const& body) {
  BodyHead head;
  head.number(body.connection).six(body.until);
  return append(records, RecordType::lock, pair, head, body.key);
}

std::uint64_t pair_record_bytes(Pair const& pair, Aliases const& aliases) {
  return 32 + front_of(pair, aliases).size() + pair.value.size();
}

void write_pair(std::string& out, Pair const& pair, Aliases const& aliases) {
  out += front_of(pair, aliases);
  out += pair.value;
}

bool read_pair(std::string_view bytes, Pair& pair, Aliases& aliases) {
  if (!facts::take(bytes, pair.facts)) return false;
  BodyReader body{bytes};
  std::uint64_t const key_bytes = body.number();
  std::uint64_t sizes[kAliasesMax];
  if (pair.facts.aliases > kAliasesMax) return false;
  for (unsigned i = 0; i < pair.facts.aliases; ++i) sizes[i] = body.number();
  pair.key = body.bytes(key_bytes);
  for (unsigned i = 0; i < pair.facts.aliases; ++i) aliases.push_back(body.bytes(sizes[i]));
  pair.value = body.bytes(pair.facts.value_bytes);
  return body.finished();
}

bool read_deleted(std::string_view bytes, DeletedBody& out) {
  BodyReader body{bytes};
  out.stamp = take_stamp(body);
  std::uint8_t const persist = body.byte();
  out.persist = persist == 1;
  out.key = body.rest();
  return body.finished() && persist <= 1;
}

bool read_value(std::string_view bytes, ValueBody& out) {
  BodyReader body{bytes};
  out.stamp = take_stamp(body);
  out.key = body.text();
  out.value = body.rest();
  return body.finished();
}

bool read_size(std::string_view bytes, SizeBody& out) {
  BodyReader body{bytes};
  out.stamp = take_stamp(body);
  out.bytes = body.number_as<std::uint32_t>();
  out.key = body.rest();
  return body.finished();
}

bool read_alias(std::string_view bytes, AliasBody& out) {
  BodyReader body{bytes};
  out.key = body.text();
  out.alias = body.rest();
  return body.finished();
}

bool read_rename(std::string_view bytes, std::uint8_t version, RenameBody& out) {
  BodyReader body{bytes};
  out.persist = version >= 2;
  out.stamp = take_stamp(body);
  out.key = body.text();
  out.next = body.rest();
  return body.finished();
}

bool read_dates(std::string_view bytes, DatesBody& out) {
  BodyReader body{bytes};
  out.expires = body.six();
  out.ttl = static_cast<std::int64_t>(body.number());
  out.worked_until = body.six();
  out.key = body.rest();
  return body.finished();
}

bool read_lock(std::string_view bytes, LockBody& out) {
  BodyReader body{bytes};
  out.connection = body.number();
  out.until = body.six();
  out.key = body.rest();
  return body.finished();
}

}  // namespace fastjournal::keyvalue
