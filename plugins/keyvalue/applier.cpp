#include "plugins/keyvalue/applier.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "plugins/rows/records.h"

namespace fastjournal::keyvalue {

std::uint8_t Applier::newest_version(std::uint8_t type) {
  std::uint8_t const own = keyvalue::newest_version(type);
  return own != 0 ? own : rows::Clients::newest_version(type);
}

bool Applier::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::pair: return apply_pair(record, context, observer);
    case RecordType::deleted: return apply_deleted(record, observer);
    case RecordType::gone: return apply_gone(record, context, observer);
    case RecordType::value: return apply_value(record, context, observer);
    case RecordType::size: return apply_size(record, context, observer);
    case RecordType::alias: return apply_alias(record, context, observer);
    case RecordType::rename: return apply_rename(record, context, observer);
    case RecordType::dates: return apply_dates(record, context, observer);
    case RecordType::lock: return apply_lock(record, context, observer);
  }
  if (static_cast<rows::RecordType>(record.type) == rows::RecordType::clock) {
    rows::ClockBody body;
    if (!model::read_record(record, body)) return false;
    shared_.pairs.lower_clock(body.from, body.to, observer);
    shared_.clients.lower_clock(body.to);
    return true;
  }
  std::int64_t seen = 0;
  return shared_.clients.apply(record, seen);
}

Applier::Known Applier::look(RecordView const& record, ApplyContext const& context, std::string_view key,
                             Handle& handle) const {
  handle = shared_.pairs.find(key);
  if (handle != kNoPair && shared_.pairs.at(handle).id() == record.object) return Known::yes;
  return record.object.value < context.base.value ? Known::dropped : Known::no;
}

// All keys of a value.
void Applier::tell(Handle handle, TableObserver& observer) const {
  if (handle == kNoPair) return;
  Pair const pair = shared_.pairs.at(handle);
  observer.changed(pair.key);
  if (pair.facts.aliases == 0) return;
  for (std::string_view const alias : shared_.pairs.aliases_of(handle)) observer.changed(alias);
}

bool Applier::apply_pair(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  Pair pair;
  Aliases aliases;
  PairBody body{pair, aliases};
  if (!model::read_record(record, body)) return false;
  pair.lsn = record.lsn;
  pair.accessed_s = static_cast<std::uint32_t>((context.live ? context.now.value : pair.facts.modified) / 1000);
  if (shared_.pairs.put(pair, aliases, observer)) return true;
  observer.changed(pair.key);
  for (std::string_view const alias : aliases) observer.changed(alias);
  return true;
}

void Applier::put_tombstone(std::string_view key, Stamp const& stamp, bool persist, Lsn lsn, TableObserver& observer) {
  Pair tombstone;
  tombstone.lsn = lsn;
  tombstone.key = key;
  tombstone.facts.is_deleted = true;
  tombstone.facts.persist = persist;
  tombstone.facts.created = tombstone.facts.modified = stamp.at;
  tombstone.facts.timestamp = stamp.timestamp;
  shared_.pairs.put(tombstone, {}, observer);
}

bool Applier::apply_deleted(RecordView const& record, TableObserver& observer) {
  DeletedBody body;
  if (!model::read_record(record, body)) return false;
  observer.changed(body.key);
  if (shared_.pairs.is_alias(body.key)) {
    shared_.pairs.drop_alias(body.key, observer);
  } else {
    tell(shared_.pairs.find(body.key), observer);
    shared_.pairs.erase(body.key, observer);
  }
  put_tombstone(body.key, body.stamp, body.persist, record.lsn, observer);
  return true;
}

bool Applier::apply_gone(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  std::string_view const key = as_text(record.body);
  Handle handle = kNoPair;
  Known const known = look(record, context, key, handle);
  if (known == Known::yes) {
    if (!shared_.pairs.at(handle).facts.is_deleted) tell(handle, observer);
    shared_.pairs.erase(key, observer);
  }
  return known != Known::no;
}

bool Applier::apply_value(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  ValueBody body;
  Handle handle = kNoPair;
  if (!model::read_record(record, body)) return false;
  Known const known = look(record, context, body.key, handle);
  if (known != Known::yes) return known == Known::dropped;
  Pair pair = shared_.pairs.at(handle);
  tell(handle, observer);
  pair.value = body.value;
  pair.facts.modified = std::max(body.stamp.at, pair.facts.created);
  pair.facts.timestamp = body.stamp.timestamp;
  shared_.pairs.put(pair, shared_.pairs.aliases_of(handle), observer);
  return true;
}

bool Applier::apply_size(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  SizeBody body;
  Handle handle = kNoPair;
  if (!model::read_record(record, body)) return false;
  Known const known = look(record, context, body.key, handle);
  if (known != Known::yes) return known == Known::dropped;
  Pair pair = shared_.pairs.at(handle);
  tell(handle, observer);
  std::string value{pair.value.substr(0, body.bytes)};
  value.resize(body.bytes, '\0');
  pair.value = value;
  pair.facts.modified = std::max(body.stamp.at, pair.facts.created);
  pair.facts.timestamp = body.stamp.timestamp;
  shared_.pairs.put(pair, shared_.pairs.aliases_of(handle), observer);
  return true;
}

bool Applier::apply_alias(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  AliasBody body;
  Handle handle = kNoPair;
  if (!model::read_record(record, body)) return false;
  Known const known = look(record, context, body.key, handle);
  if (known == Known::no) return false;
  // Of a pair that comes later, as it was compacted: what stood there ends all the same.
  if (known == Known::dropped) {
    shared_.pairs.erase(body.alias, observer);
    return true;
  }
  observer.changed(body.alias);
  shared_.pairs.add_alias(body.key, body.alias, observer);
  return true;
}

// The tombstone is an object of this record, whatever is known of the pair: a pair that stands nowhere any more has been
// compacted, and comes later.
bool Applier::apply_rename(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  RenameBody body;
  Handle handle = kNoPair;
  if (!model::read_record(record, body)) return false;
  Known const known = look(record, context, body.key, handle);
  if (known == Known::no) return false;
  // Its other keys too: the value has another timestamp.
  if (known == Known::yes) tell(handle, observer);
  observer.changed(body.next);
  if (shared_.pairs.is_alias(body.next)) {
    shared_.pairs.drop_alias(body.next, observer);
  } else {
    tell(shared_.pairs.find(body.next), observer);
    shared_.pairs.erase(body.next, observer);
  }
  bool persist = body.persist;
  if (known == Known::yes) {
    // Behind what was dropped, which may have moved it.
    handle = shared_.pairs.find(body.key);
    Pair pair = shared_.pairs.at(handle);
    persist = pair.facts.persist;
    Aliases const aliases = shared_.pairs.aliases_of(handle);
    std::vector<std::string> names{aliases.begin(), aliases.end()};
    std::string const value{pair.value};
    std::string main{pair.key};
    if (main == body.key) {
      main = body.next;
    } else {
      std::replace(names.begin(), names.end(), std::string{body.key}, std::string{body.next});
    }
    pair.key = main;
    pair.value = value;
    pair.facts.modified = std::max(body.stamp.at, pair.facts.created);
    pair.facts.timestamp = body.stamp.timestamp;
    shared_.pairs.erase(body.key, observer);
    shared_.pairs.put(pair, {names.begin(), names.end()}, observer);
  }
  put_tombstone(body.key, body.stamp, persist, record.lsn, observer);
  return true;
}

bool Applier::apply_dates(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  DatesBody body;
  Handle handle = kNoPair;
  if (!model::read_record(record, body)) return false;
  Known const known = look(record, context, body.key, handle);
  if (known != Known::yes) return known == Known::dropped;
  Facts facts = shared_.pairs.at(handle).facts;
  facts.expires = body.expires;
  facts.ttl = body.ttl;
  facts.worked_until = body.worked_until;
  shared_.pairs.set_facts(handle, facts, observer);
  return true;
}

bool Applier::apply_lock(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  LockBody body;
  Handle handle = kNoPair;
  if (!model::read_record(record, body)) return false;
  Known const known = look(record, context, body.key, handle);
  if (known != Known::yes) return known == Known::dropped;
  Facts facts = shared_.pairs.at(handle).facts;
  facts.lock = body.connection;
  facts.lock_until = body.connection == 0 ? 0 : body.until;
  shared_.pairs.set_facts(handle, facts, observer);
  return true;
}

}  // namespace fastjournal::keyvalue
