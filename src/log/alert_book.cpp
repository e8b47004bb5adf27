#include "log/alert_book.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::log {
namespace {

// Bodies, little endian; a text is its u16 length and its bytes:
//   raised   u32 table, name, u8 priority, u8 manual, message, tags, u64 count, i64 first, i64 last, i64 told
//   again    u32 table, name, u64 count, i64 last
//   lowered  u32 table, name

void append_text(std::string& out, std::string_view text) {
  append_little(out, static_cast<std::uint16_t>(text.size()));
  out.append(text);
}

std::string_view read_text(ByteReader& reader) { return reader.bytes(reader.number<std::uint16_t>()); }

void append(Records& records, std::uint8_t type, ObjectId object, std::string_view body) {
  Records::Place const place = records.append(type, AlertBook::newest_version(type), object, body.size());
  std::memcpy(place.body.data(), body.data(), body.size());
}

std::string key_body(TableId table, std::string_view name) {
  std::string body;
  append_little(body, static_cast<std::uint32_t>(table));
  append_text(body, name);
  return body;
}

std::string whole_body(TableId table, Alert const& alert, TimeMs told) {
  std::string body = key_body(table, alert.name);
  append_little(body, alert.priority);
  append_little(body, static_cast<std::uint8_t>(alert.manual));
  append_text(body, alert.message);
  append_text(body, alert.tags);
  append_little(body, alert.count);
  for (TimeMs const date : {alert.first, alert.last, told}) append_little(body, date.value);
  return body;
}

}  // namespace

void AlertBook::append_raised(Records& records, ObjectId object, TableId table, Alert const& alert, TimeMs told) {
  append(records, kRaised, object, whole_body(table, alert, told));
}

void AlertBook::append_again(Records& records, TableId table, std::string_view name, std::uint64_t count, TimeMs last) {
  std::string body = key_body(table, name);
  append_little(body, count);
  append_little(body, last.value);
  append(records, kAgain, {}, body);
}

void AlertBook::append_lowered(Records& records, TableId table, std::string_view name) {
  append(records, kLowered, {}, key_body(table, name));
}

bool AlertBook::apply(RecordView const& record) {
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  ByteReader reader{as_text(record.body)};
  TableId const table{reader.number<std::uint32_t>()};
  Key key{table, read_text(reader)};
  if (record.type == kLowered) {
    entries_.erase(key);
    return reader.finished();
  }
  if (record.type == kAgain) {
    auto const count = reader.number<std::uint64_t>();
    TimeMs const last{reader.number<std::int64_t>()};
    auto const found = entries_.find(key);
    if (found != entries_.end()) {
      found->second.alert.count = count;
      found->second.alert.last = last;
    }
    return reader.finished();
  }
  Entry entry{record.object, record.lsn, {}, {}};
  entry.alert.name = key.second;
  entry.alert.priority = reader.number<std::uint8_t>();
  entry.alert.manual = reader.number<std::uint8_t>() != 0;
  entry.alert.message = read_text(reader);
  entry.alert.tags = read_text(reader);
  entry.alert.count = reader.number<std::uint64_t>();
  for (TimeMs* const date : {&entry.alert.first, &entry.alert.last, &entry.told})
    date->value = reader.number<std::int64_t>();
  if (record.type != kRaised || !reader.finished()) return false;
  entries_[std::move(key)] = std::move(entry);
  return true;
}

void AlertBook::forget_table(TableId table) {
  std::erase_if(entries_, [table](auto const& one) { return one.first.first == table; });
}

void AlertBook::lower_clock(TimeMs now) {
  for (auto& [key, entry] : entries_)
    for (TimeMs* const date : {&entry.alert.first, &entry.alert.last, &entry.told}) *date = std::min(*date, now);
}

AlertBook::Entry const* AlertBook::find(TableId table, std::string_view name) const {
  auto const found = entries_.find(Key{table, name});
  return found == entries_.end() ? nullptr : &found->second;
}

bool AlertBook::has_room(TableId table) const {
  if (entries_.size() >= kAlertsMax) return false;
  auto const first = entries_.lower_bound(Key{table, {}});
  auto last = first;
  std::size_t count = 0;
  for (; last != entries_.end() && last->first.first == table; ++last) ++count;
  return count < kAlertsPerTable;
}

Lsn AlertBook::oldest_lsn() const {
  Lsn oldest = kNoLsn;
  for (auto const& [key, entry] : entries_)
    if (oldest.is_none() || entry.lsn < oldest) oldest = entry.lsn;
  return oldest;
}

bool AlertBook::restate_one(Lsn below, Records& records) const {
  for (auto const& [key, entry] : entries_) {
    if (entry.lsn >= below) continue;
    append_raised(records, entry.object, key.first, entry.alert, entry.told);
    return true;
  }
  return false;
}

void AlertBook::digest(DigestSink& sink) const {
  for (auto const& [key, entry] : entries_) sink.object(as_bytes(whole_body(key.first, entry.alert, entry.told)));
}

}  // namespace fastjournal::log
