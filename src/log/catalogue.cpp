#include "log/catalogue.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "log/log.h"
#include "model/schema_codec.h"

namespace fastjournal::log {
namespace {

// Record types of table 0; bodies are little endian:
//   table    u32 id, u8 length, name, u8 length, type; of version 2 also u64 LSN where it begins, u64 store and u32 id of
//            the table to which it leaves; of version 3 also u32 start of that store
//   schema   u32 id, schema as model/schema_codec.h writes it
//   dropped  u32 id
//   clock    i64 ms; of version 2 also u8 why, i64 ms
//   numbers  u64 LSN
//   accepted i64 ms: the clock from here on, i64 ms: before
// and those of alert_book.h, 5 to 7, and of transaction_book.h, 10 to 12
enum class Kind : std::uint8_t { table = 1, schema = 2, dropped = 3, clock = kClockRecord, numbers = 8, accepted = 9 };

Lsn append(Records& records, Kind kind, ObjectId object, std::string_view body, std::uint8_t version = 1) {
  Records::Place const place = records.append(static_cast<std::uint8_t>(kind), version, object, body.size());
  std::memcpy(place.body.data(), body.data(), body.size());
  return place.lsn;
}

std::string table_body(TableId id, std::string_view name, std::string_view type, Catalogue::Move const& move) {
  std::string body;
  append_little(body, static_cast<std::uint32_t>(id));
  for (std::string_view text : {name, type}) {
    append_little(body, static_cast<std::uint8_t>(text.size()));
    body.append(text);
  }
  if (move == Catalogue::Move{}) return body;
  append_little(body, move.begins.value);
  append_little(body, move.to_store);
  append_little(body, static_cast<std::uint32_t>(move.to));
  if (move.leaves()) append_little(body, move.to_start);
  return body;
}

std::string schema_body(TableId id, Schema const& schema) {
  std::string body;
  append_little(body, static_cast<std::uint32_t>(id));
  model::encode_schema(schema, body);
  return body;
}

// Record header and padding, roughly: for live_bytes only.
constexpr std::uint64_t kRecordOverhead = 32;

std::uint64_t bytes_of(TableId id, Catalogue::TableEntry const& entry) {
  return table_body(id, entry.name, entry.type, entry.move).size() + kRecordOverhead;
}

}  // namespace

void Catalogue::append_table(Records& records, ObjectId object, TableId id, std::string_view name,
                             std::string_view type, Move const& move) {
  std::uint8_t const version = move.leaves() ? 3 : move == Move{} ? 1 : 2;
  append(records, Kind::table, object, table_body(id, name, type, move), version);
}

void Catalogue::append_schema(Records& records, ObjectId object, TableId id, Schema const& schema) {
  append(records, Kind::schema, object, schema_body(id, schema));
}

void Catalogue::append_table_dropped(Records& records, ObjectId object, TableId id) {
  std::string body;
  append_little(body, static_cast<std::uint32_t>(id));
  append(records, Kind::dropped, object, body);
}

// The clock of each batch has version 1.
void Catalogue::append_clock(Records& records, Clock const& clock) {
  std::string body;
  append_little(body, clock.now.value);
  if (clock.why == Clock::Why::passed) {
    append(records, Kind::clock, {}, body);
    return;
  }
  append_little(body, static_cast<std::uint8_t>(clock.why));
  append_little(body, clock.by.value);
  append(records, Kind::clock, {}, body, 2);
}

void Catalogue::append_clock_accepted(Records& records, TimeMs now, TimeMs from) {
  std::string body;
  append_little(body, now.value);
  append_little(body, from.value);
  append(records, Kind::accepted, {}, body);
}

bool Catalogue::apply_time(RecordView const& record) {
  auto const kind = static_cast<Kind>(record.type);
  if (kind != Kind::clock && kind != Kind::accepted) return true;
  ByteReader reader{as_text(record.body)};
  TimeMs const now{reader.number<std::int64_t>()};
  // Why, and by how much; or from where.
  if (kind == Kind::clock && record.version == 2) static_cast<void>(reader.bytes(9));
  if (kind == Kind::accepted) static_cast<void>(reader.bytes(8));
  last_now_ = kind == Kind::accepted ? now : std::max(last_now_, now);
  return reader.finished();
}

void Catalogue::append_numbers(Records& records, ObjectId object, Lsn below) {
  std::string body;
  append_little(body, below.value);
  append(records, Kind::numbers, object, body);
}

std::optional<TableId> Catalogue::table_of(RecordView const& record) {
  auto const kind = static_cast<Kind>(record.type);
  if (kind != Kind::table && kind != Kind::schema && kind != Kind::dropped) return std::nullopt;
  ByteReader reader{as_text(record.body)};
  TableId const id{reader.number<std::uint32_t>()};
  return reader.ok() ? std::optional{id} : std::nullopt;
}

std::string_view Catalogue::name_of(std::uint8_t type) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "",           "table",   "schema",         "dropped",  "clock",    "alert",           "alert again",
      "alert over", "numbers", "clock accepted", "prepared", "promised", "transaction over"};
  return type < kNames.size() ? kNames[type] : kNames[0];
}

std::uint8_t Catalogue::newest_version(std::uint8_t type) {
  switch (static_cast<Kind>(type)) {
    case Kind::schema:
    case Kind::dropped:
    case Kind::numbers:
    case Kind::accepted: return 1;
    case Kind::clock: return 2;
    case Kind::table: return 3;
  }
  return TransactionBook::has(type) ? TransactionBook::newest_version(type) : AlertBook::newest_version(type);
}

bool Catalogue::apply(RecordView const& record) noexcept {
  if (record.type >= AlertBook::kRaised && record.type <= AlertBook::kLowered) return alerts_.apply(record);
  if (TransactionBook::has(record.type)) return transactions_.apply(record);
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  switch (static_cast<Kind>(record.type)) {
    case Kind::table: return apply_table(record);
    case Kind::schema: return apply_schema(record);
    case Kind::dropped: {
      ByteReader reader{as_text(record.body)};
      TableId const id{reader.number<std::uint32_t>()};
      if (!reader.finished()) return false;
      see(id);
      drop(id);
      alerts_.forget_table(id);
      return true;
    }
    case Kind::clock: return apply_time(record);
    case Kind::accepted:
      if (!apply_time(record)) return false;
      alerts_.lower_clock(last_now_);
      return true;
    case Kind::numbers: {
      ByteReader reader{as_text(record.body)};
      Lsn const below{reader.number<std::uint64_t>()};
      if (numbers_.below.is_none()) live_bytes_ += record.body.size() + kRecordOverhead;
      numbers_ = {record.object, record.lsn, std::max(numbers_.below, below)};
      return reader.finished();
    }
  }
  return false;
}

bool Catalogue::apply_table(RecordView const& record) {
  ByteReader reader{as_text(record.body)};
  TableId const id{reader.number<std::uint32_t>()};
  std::string_view const name = reader.bytes(reader.number<std::uint8_t>());
  std::string_view const type = reader.bytes(reader.number<std::uint8_t>());
  Move moved;
  if (record.version >= 2) {
    moved.begins = Lsn{reader.number<std::uint64_t>()};
    moved.to_store = reader.number<std::uint64_t>();
    moved.to = TableId{reader.number<std::uint32_t>()};
    if (record.version >= 3) moved.to_start = reader.number<std::uint32_t>();
  }
  if (!reader.finished() || id == TableId::catalogue) return false;
  TableEntry& entry = tables_[id];
  if (!entry.name.empty()) live_bytes_ -= bytes_of(id, entry);
  move(entry.lsn, record.lsn, {id, std::nullopt});
  entry.object = record.object;
  entry.lsn = record.lsn;
  entry.name = name;
  entry.type = type;
  entry.move = moved;
  live_bytes_ += bytes_of(id, entry);
  see(id);
  return true;
}

void Catalogue::drop(TableId id) {
  auto const found = tables_.find(id);
  if (found == tables_.end()) return;
  TableEntry const& table = found->second;
  move(table.lsn, {}, {});
  if (!table.name.empty()) live_bytes_ -= bytes_of(id, table);
  for (auto const& [version, schema] : table.schemas) {
    move(schema.lsn, {}, {});
    live_bytes_ -= schema_body(id, schema.schema).size() + kRecordOverhead;
  }
  tables_.erase(found);
}

void Catalogue::move(Lsn from, Lsn to, Statement what) {
  if (!from.is_none()) by_place_.erase(from);
  if (!to.is_none()) by_place_[to] = what;
}

// The number of a table counts as used from any record that names it: of a dropped table's records some may outlive the
// one that named it.
bool Catalogue::apply_schema(RecordView const& record) {
  TableId const id = table_of_schema(record);
  if (id == TableId::catalogue) return false;
  Result<Schema> schema = read_schema(record);
  if (!schema.ok()) return false;
  // Its table may follow, if that was copied forward later.
  SchemaEntry& entry = tables_[id].schemas[schema->version];
  last_id_ = std::max(last_id_, static_cast<std::uint32_t>(id));
  if (entry.lsn.is_none()) live_bytes_ += record.body.size() + kRecordOverhead;
  move(entry.lsn, record.lsn, {id, schema->version});
  entry = SchemaEntry{record.object, record.lsn, std::move(schema).value()};
  return true;
}

TableId Catalogue::table_of_schema(RecordView const& record) {
  if (record.table != TableId::catalogue || static_cast<Kind>(record.type) != Kind::schema) return TableId::catalogue;
  ByteReader reader{as_text(record.body)};
  return TableId{reader.number<std::uint32_t>()};
}

Result<Schema> Catalogue::read_schema(RecordView const& record) {
  ByteReader reader{as_text(record.body)};
  static_cast<void>(reader.number<std::uint32_t>());
  if (record.version == 0 || record.version > newest_version(record.type) || !reader.ok())
    return Status{Code::damaged, "a schema's record of version " + std::to_string(record.version) +
                                     " cannot be read; it is damaged or of a newer program"};
  return model::decode_schema(reader.rest());
}

Catalogue::TableEntry const* Catalogue::find(TableId id) const {
  auto const found = tables_.find(id);
  return found == tables_.end() ? nullptr : &found->second;
}

Lsn Catalogue::oldest_lsn() const {
  Lsn oldest = alerts_.oldest_lsn();
  auto const take = [&oldest](Lsn lsn) {
    if (oldest.is_none() || lsn < oldest) oldest = lsn;
  };
  if (!by_place_.empty()) take(by_place_.begin()->first);
  if (!numbers_.below.is_none()) take(numbers_.lsn);
  if (Lsn const prepared = transactions_.oldest_lsn(); !prepared.is_none()) take(prepared);
  return oldest;
}

bool Catalogue::restate_one(Lsn below, Records& records) const {
  if (!by_place_.empty() && by_place_.begin()->first < below) {
    Statement const& what = by_place_.begin()->second;
    TableEntry const& table = tables_.at(what.id);
    if (what.schema) {
      SchemaEntry const& schema = table.schemas.at(*what.schema);
      append_schema(records, schema.object, what.id, schema.schema);
    } else {
      append_table(records, table.object, what.id, table.name, table.type, table.move);
    }
    return true;
  }
  if (!numbers_.below.is_none() && numbers_.lsn < below) {
    append_numbers(records, numbers_.object, numbers_.below);
    return true;
  }
  return transactions_.restate_one(below, records) || alerts_.restate_one(below, records);
}

void Catalogue::digest(DigestSink& sink) const {
  for (auto const& [id, table] : tables_) {
    sink.object(as_bytes(table_body(id, table.name, table.type, table.move)));
    for (auto const& [version, schema] : table.schemas) sink.object(as_bytes(schema_body(id, schema.schema)));
  }
  if (!numbers_.below.is_none()) {
    std::string numbers{"numbers"};
    append_little(numbers, numbers_.below.value);
    sink.object(as_bytes(numbers));
  }
  alerts_.digest(sink);
  transactions_.digest(sink);
}

}  // namespace fastjournal::log
