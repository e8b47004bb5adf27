#include "plugins/keyvalue/pairs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "model/varint.h"

namespace fastjournal::keyvalue {
namespace {

constexpr std::size_t kLsnBytes = 6;
constexpr std::size_t kKeyAt = kLsnBytes + sizeof(std::uint32_t);
constexpr std::uint32_t kAlias = UINT32_MAX;
// A large value does not move when its facts change.
constexpr std::uint32_t kPaddedFrom = 4096;

std::string_view take_text(std::string_view& from) {
  std::uint64_t size = 0;
  FJ_CHECK(model::take_varint(from, size) && size <= from.size(), "an entry in memory is whole");
  std::string_view const out = from.substr(0, size);
  from.remove_prefix(size);
  return out;
}

// An entry without a known end: only as much is read as its lengths say.
std::string_view entry_at(char const* bytes) { return {bytes, std::size_t{1} << 30U}; }

std::size_t store_text(char* to, std::string_view text) {
  std::size_t const size = model::store_varint(to, text.size());
  if (!text.empty()) std::memcpy(to + size, text.data(), text.size());
  return size + text.size();
}

std::size_t text_bytes(std::string_view text) {
  char length[model::kVarintBytesMax];
  return model::store_varint(length, text.size()) + text.size();
}

struct Parts {
  Facts facts{};
  std::string_view key{};
  std::string_view value{};
  Aliases aliases{};
  std::size_t facts_at{0};
  std::size_t facts_room{0};
  std::size_t bytes{0};
};

Parts parts_of(char const* bytes, bool with_aliases) {
  Parts out;
  std::string_view rest = entry_at(bytes + kKeyAt);
  out.key = take_text(rest);
  out.facts_at = static_cast<std::size_t>(rest.data() - bytes);
  char const* const facts = rest.data();
  FJ_CHECK(facts::take(rest, out.facts), "an entry in memory is whole");
  if (out.facts.value_bytes >= kPaddedFrom) rest = entry_at(facts + kFactsBytesMax);
  out.facts_room = static_cast<std::size_t>(rest.data() - facts);
  out.value = rest.substr(0, out.facts.value_bytes);
  rest.remove_prefix(out.facts.value_bytes);
  for (unsigned i = 0; with_aliases && i < out.facts.aliases; ++i) out.aliases.push_back(take_text(rest));
  out.bytes = static_cast<std::size_t>(rest.data() - bytes);
  return out;
}

void store_lsn(char* to, Lsn lsn) {
  std::uint64_t const eighth = lsn.value / kLsnAlign;
  store_little(to, static_cast<std::uint32_t>(eighth));
  store_little(to + 4, static_cast<std::uint16_t>(eighth >> 32U));
}

Lsn load_lsn(char const* from) {
  return Lsn{(load_little<std::uint32_t>(from) | std::uint64_t{load_little<std::uint16_t>(from + 4)} << 32U) *
             kLsnAlign};
}

}  // namespace

// ---------------------------------------------------------------------------
// Looking

std::string_view Pairs::key_at(Handle handle) const {
  char const* const bytes = store_.at(handle) + kKeyAt;
  if (auto const size = static_cast<unsigned char>(*bytes); size < 0x80) return {bytes + 1, size};
  std::string_view rest = entry_at(store_.at(handle) + kKeyAt);
  return take_text(rest);
}

bool Pairs::is_alias_at(Handle handle) const {
  return load_little<std::uint32_t>(store_.at(handle) + kLsnBytes) == kAlias;
}

std::string_view Pairs::target_at(Handle handle) const {
  std::string_view rest = entry_at(store_.at(handle) + kKeyAt);
  static_cast<void>(take_text(rest));
  return take_text(rest);
}

Pairs::Entry Pairs::entry_of(Handle handle) const {
  if (!is_alias_at(handle)) return {key_at(handle), handle, false};
  Handle const main = entry_under(target_at(handle));
  FJ_CHECK(main != kNoPair, "an alias leads to a pair");
  return {key_at(handle), main, true};
}

Handle Pairs::entry_under(std::string_view key) const {
  return index_.find(hash_of(key), [&](std::uint32_t handle) { return key_at(handle) == key; });
}

Handle Pairs::find(std::string_view key) const {
  Handle const entry = entry_under(key);
  return entry == kNoPair || !is_alias_at(entry) ? entry : entry_of(entry).pair;
}

bool Pairs::is_alias(std::string_view key) const {
  Handle const entry = entry_under(key);
  return entry != kNoPair && is_alias_at(entry);
}

Pair Pairs::at(Handle handle) const {
  char const* const bytes = store_.at(handle);
  Parts const parts = parts_of(bytes, false);
  return {load_lsn(bytes), load_little<std::uint32_t>(bytes + kLsnBytes), parts.facts, parts.key, parts.value};
}

Aliases Pairs::aliases_of(Handle handle) const { return parts_of(store_.at(handle), true).aliases; }

void Pairs::note_access(Handle handle, std::int64_t now) const {
  // The store itself is state; this field of it is not.
  char* const bytes = const_cast<char*>(store_.at(handle));
  store_little(bytes + kLsnBytes, static_cast<std::uint32_t>(now / 1000));
}

std::uint64_t Pairs::memory_bytes() const {
  // Nodes of the ordered sets are three quarters full.
  return store_.memory_bytes() + index_.memory_bytes() + regions_.memory_bytes() +
         order_.size() * sizeof(Handle) * 3 / 2 + (dates_.size() + locks_.size()) * 24;
}

// ---------------------------------------------------------------------------
// Changing

std::int64_t Pairs::date_of(Facts const& facts) const {
  if (facts.is_deleted) return facts.modified + tombstone_keep_;
  std::int64_t const lock = facts.lock == 0 ? INT64_MAX : facts.lock_until;
  return std::min(lock, facts.expires == 0 ? INT64_MAX : facts.expires);
}

void Pairs::enter(Handle handle, Pair const& pair, TableObserver& observer) {
  regions_.add(rows::Regions::of(pair.lsn));
  ++(pair.facts.is_deleted ? tombstones_ : pairs_);
  key_bytes_ += pair.key.size();
  value_bytes_ += pair.value.size();
  if (std::int64_t const date = date_of(pair.facts); date != INT64_MAX) dates_.emplace(date, handle);
  if (pair.facts.lock == 0) return;
  locks_.emplace(pair.facts.lock, handle);
  observer.lease_began(pair.id(), ConnectionId{pair.facts.lock});
}

void Pairs::leave(Handle handle, Pair const& pair, TableObserver& observer) {
  regions_.remove(rows::Regions::of(pair.lsn));
  --(pair.facts.is_deleted ? tombstones_ : pairs_);
  key_bytes_ -= pair.key.size();
  value_bytes_ -= pair.value.size();
  if (std::int64_t const date = date_of(pair.facts); date != INT64_MAX) dates_.erase({date, handle});
  if (pair.facts.lock == 0) return;
  locks_.erase({pair.facts.lock, handle});
  observer.lease_ended(pair.id(), ConnectionId{pair.facts.lock});
}

std::size_t Pairs::entry_bytes(Pair const& pair, Aliases const& aliases) {
  Facts facts = pair.facts;
  facts.value_bytes = static_cast<std::uint32_t>(pair.value.size());
  facts.aliases = static_cast<std::uint8_t>(aliases.size());
  char front[kFactsBytesMax];
  std::size_t const room = facts.value_bytes >= kPaddedFrom ? kFactsBytesMax : facts::write(front, facts);
  std::size_t size = kKeyAt + text_bytes(pair.key) + room + pair.value.size();
  for (std::string_view const alias : aliases) size += text_bytes(alias);
  return size;
}

// One of the same class: its slot is the next one's.
Pairs::Left Pairs::left_by(Handle handle, std::size_t bytes) const {
  auto const has_own_block = [](std::size_t size) { return !rows::PayloadStore::same_class(size, size); };
  std::size_t const there = parts_of(store_.at(handle), true).bytes;
  if (rows::PayloadStore::same_class(there, bytes)) return Left::room;
  if (!has_own_block(there)) return Left::nothing;
  return has_own_block(bytes) && there >= bytes ? Left::room : Left::memory;
}

Pairs::Written Pairs::write(Pair const& pair, Aliases const& aliases) {
  Facts facts = pair.facts;
  facts.value_bytes = static_cast<std::uint32_t>(pair.value.size());
  facts.aliases = static_cast<std::uint8_t>(aliases.size());
  char front[kFactsBytesMax];
  std::size_t const written = facts::write(front, facts);
  std::size_t const room = facts.value_bytes >= kPaddedFrom ? kFactsBytesMax : written;
  std::size_t size = kKeyAt + text_bytes(pair.key) + room + pair.value.size();
  for (std::string_view const alias : aliases) size += text_bytes(alias);
  Handle const handle = store_.take(size);
  char* to = store_.at(handle);
  store_lsn(to, pair.lsn);
  store_little(to + kLsnBytes, pair.accessed_s);
  to += kKeyAt;
  to += store_text(to, pair.key);
  std::memcpy(to, front, written);
  to += room;
  if (!pair.value.empty()) std::memcpy(to, pair.value.data(), pair.value.size());
  to += pair.value.size();
  for (std::string_view const alias : aliases) to += store_text(to, alias);
  return {handle, size};
}

Handle Pairs::write_alias(std::string_view alias, std::string_view key) {
  Handle const handle = store_.take(kKeyAt + text_bytes(alias) + text_bytes(key));
  char* to = store_.at(handle);
  store_lsn(to, {});
  store_little(to + kLsnBytes, kAlias);
  to += kKeyAt;
  to += store_text(to, alias);
  store_text(to, key);
  return handle;
}

void Pairs::release(Handle handle) {
  std::size_t bytes = 0;
  if (is_alias_at(handle))
    bytes = kKeyAt + text_bytes(key_at(handle)) + text_bytes(target_at(handle));
  else
    bytes = parts_of(store_.at(handle), true).bytes;
  store_.release(handle, bytes);
}

void Pairs::add_entry(std::string_view key, Handle handle) {
  order_.insert(Slot{handle});
  index_.insert(hash_of(key), handle);
}

bool Pairs::put(Pair const& pair, Aliases const& aliases, TableObserver& observer) {
  Written next = write(pair, aliases);
  std::string_view const key = key_at(next.handle);
  bool is_same = false;
  Handle last = entry_under(key);
  if (last != kNoPair && is_alias_at(last)) {
    drop_alias(key, observer);
    last = kNoPair;
  }
  if (last == kNoPair) {
    add_entry(key, next.handle);
  } else {
    char* const before = store_.at(last);
    Parts const parts = parts_of(before, true);
    if (parts.facts.timestamp == pair.facts.timestamp) {
      std::memcpy(store_.at(next.handle) + kLsnBytes, before + kLsnBytes, sizeof(std::uint32_t));
      is_same = parts.facts.is_deleted == pair.facts.is_deleted && parts.value == pair.value;
    }
    drop_missing(parts.aliases, next.handle, observer);
    leave(last, {load_lsn(before), 0, parts.facts, parts.key, parts.value}, observer);
    if (rows::PayloadStore::same_class(parts.bytes, next.bytes)) {
      // It keeps its handle, so that nothing is to be found in the order of the keys.
      std::memcpy(before, store_.at(next.handle), next.bytes);
      store_.release(std::exchange(next.handle, last), next.bytes);
    } else {
      order_.find(key)->handle = next.handle;
      index_.replace(hash_of(key), last, next.handle);
      store_.release(last, parts.bytes);
    }
  }
  enter(next.handle, pair, observer);
  if (!aliases.empty()) add_missing(next.handle, observer);
  return is_same;
}

// Its aliases that lead elsewhere, or are no entries.
void Pairs::add_missing(Handle handle, TableObserver& observer) {
  std::string_view const key = key_at(handle);
  for (std::string_view const alias : aliases_of(handle)) {
    Handle const there = entry_under(alias);
    if (there != kNoPair && is_alias_at(there) && target_at(there) == key) continue;
    if (there != kNoPair) erase(alias, observer);
    add_entry(alias, write_alias(alias, key));
    key_bytes_ += alias.size();
  }
}

// Aliases that the pair does not have any more lead nowhere.
void Pairs::drop_missing(Aliases const& before, Handle next, TableObserver& observer) {
  if (before.empty()) return;
  Aliases const kept = aliases_of(next);
  for (std::string_view const alias : before)
    if (std::find(kept.begin(), kept.end(), alias) == kept.end())
      if (Handle const gone = entry_under(alias); gone != kNoPair) erase_entry(gone, observer);
}

void Pairs::set_facts(Handle handle, Facts const& facts, TableObserver& observer) {
  Parts const parts = parts_of(store_.at(handle), true);
  Facts next = facts;
  next.value_bytes = parts.facts.value_bytes;
  next.aliases = parts.facts.aliases;
  char front[kFactsBytesMax];
  std::size_t const written = facts::write(front, next);
  bool const fits = written == parts.facts_room || parts.facts_room == kFactsBytesMax;
  if (!fits) {
    Pair pair = at(handle);
    pair.facts = next;
    put(pair, parts.aliases, observer);
    return;
  }
  leave(handle, at(handle), observer);
  std::memcpy(store_.at(handle) + parts.facts_at, front, written);
  enter(handle, at(handle), observer);
}

void Pairs::erase_entry(Handle handle, TableObserver& observer) {
  std::string_view const key = key_at(handle);
  if (is_alias_at(handle))
    key_bytes_ -= key.size();
  else
    leave(handle, at(handle), observer);
  order_.erase(order_.find(key));
  index_.erase(hash_of(key), handle);
  release(handle);
}

void Pairs::erase(std::string_view key, TableObserver& observer) {
  Handle const main = find(key);
  if (main == kNoPair) return;
  for (std::string_view const alias : aliases_of(main))
    if (Handle const entry = entry_under(alias); entry != kNoPair) erase_entry(entry, observer);
  erase_entry(main, observer);
}

void Pairs::add_alias(std::string_view key, std::string_view alias, TableObserver& observer) {
  Handle const main = find(key);
  FJ_CHECK(main != kNoPair, "a value that is there gets an alias");
  Aliases aliases = aliases_of(main);
  aliases.push_back(alias);
  put(at(main), aliases, observer);
}

void Pairs::drop_alias(std::string_view alias, TableObserver& observer) {
  Handle const main = find(alias);
  if (main == kNoPair || !is_alias(alias)) return;
  Aliases aliases = aliases_of(main);
  std::erase(aliases, alias);
  put(at(main), aliases, observer);
}

void Pairs::set_tombstone_keep(std::int64_t ms) {
  if (ms == tombstone_keep_) return;
  Dates next;
  for (auto const& [date, handle] : dates_)
    next.emplace(at(handle).facts.is_deleted ? date - tombstone_keep_ + ms : date, handle);
  tombstone_keep_ = ms;
  dates_ = std::move(next);
}

void Pairs::lower_clock(std::int64_t from, std::int64_t to, TableObserver& observer) {
  std::vector<Handle> later;
  for (Slot const slot : order_)
    if (!is_alias_at(slot.handle)) later.push_back(slot.handle);
  for (Handle const handle : later) {
    Pair const pair = at(handle);
    Facts facts = pair.facts;
    facts.created = std::min(facts.created, to);
    facts.modified = std::min(facts.modified, to);
    facts.timestamp = std::min(facts.timestamp, facts::timestamp_of(to));
    if (facts.worked_until != 0) facts.worked_until = std::max<std::int64_t>(1, facts.worked_until - (from - to));
    if (facts.lock != 0) facts.lock_until = std::max<std::int64_t>(1, facts.lock_until - (from - to));
    if (facts != pair.facts) set_facts(handle, facts, observer);
  }
}

}  // namespace fastjournal::keyvalue
