#include "log/catalogue.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "log/log.h"
#include "model/body.h"
#include "model/schema_codec.h"

namespace fastjournal::log {
namespace {

// Record types of table 0, beside those of alert_book.h, 5 to 7, and of transaction_book.h, 10 to 12.
enum class Kind : std::uint8_t {
  table = 1,
  schema = 2,
  dropped = 3,
  clock = kClockRecord,
  numbers = 8,
  accepted = 9,
  period = 13
};

// Of version 2: it begins somewhere, or leaves; of version 3: it leaves, which has the start of the other store.
struct TableBody {
  static constexpr auto kType = Kind::table;
  TableId id{};
  std::string_view name{};
  std::string_view type{};
  Catalogue::Move move{};

  [[nodiscard]] std::uint8_t version() const { return move.leaves() ? 3 : move == Catalogue::Move{} ? 1 : 2; }
  static void fields(auto& io, auto& body) {
    io.fixed(body.id).text8(body.name).text8(body.type).must(body.id != TableId::catalogue);
    if (io.version() > 1) io.fixed(body.move.begins.value).fixed(body.move.to_store).fixed(body.move.to);
    if (io.version() > 2) io.fixed(body.move.to_start);
  }
};
struct SchemaBody {
  static constexpr auto kType = Kind::schema;
  TableId id{};
  std::string_view schema{};  // model/schema_codec.h
  static void fields(auto& io, auto& body) { io.fixed(body.id).rest(body.schema); }
};
struct DroppedBody {
  static constexpr auto kType = Kind::dropped;
  TableId id{};
  static void fields(auto& io, auto& body) { io.fixed(body.id); }
};
// The clock of each batch has version 1.
struct ClockBody : Catalogue::Clock {
  static constexpr auto kType = Kind::clock;
  [[nodiscard]] std::uint8_t version() const { return why == Why::passed ? 1 : 2; }
  static void fields(auto& io, auto& body) {
    io.fixed(body.now.value);
    if (io.version() > 1) io.byte(body.why).fixed(body.by.value);
  }
};
struct NumbersBody {
  static constexpr auto kType = Kind::numbers;
  Lsn below{};
  static void fields(auto& io, auto& body) { io.fixed(body.below.value); }
};
struct PeriodBody : Catalogue::Period {
  static constexpr auto kType = Kind::period;
  static void fields(auto& io, auto& body) {
    io.fixed(body.since.value).fixed(body.begins.value).fixed(body.before.value).must(body.since.value > 0);
  }
};
struct AcceptedBody {
  static constexpr auto kType = Kind::accepted;
  TimeMs now{};  // the clock from here on
  TimeMs from{};
  static void fields(auto& io, auto& body) { io.fixed(body.now.value).fixed(body.from.value); }
};

std::string encoded(Schema const& schema) {
  std::string out;
  model::encode_schema(schema, out);
  return out;
}

// Record header and padding, roughly: for live_bytes only.
constexpr std::uint64_t kRecordOverhead = 32;

TableBody body_of(TableId id, Catalogue::TableEntry const& entry) { return {id, entry.name, entry.type, entry.move}; }
std::uint64_t bytes_of(TableId id, Catalogue::TableEntry const& entry) {
  return model::body_bytes(body_of(id, entry)) + kRecordOverhead;
}

}  // namespace

void Catalogue::append_table(Records& records, ObjectId object, TableId id, std::string_view name,
                             std::string_view type, Move const& move) {
  model::append_record(records, object, TableBody{id, name, type, move});
}

void Catalogue::append_schema(Records& records, ObjectId object, TableId id, Schema const& schema) {
  model::append_record(records, object, SchemaBody{id, encoded(schema)});
}

void Catalogue::append_table_dropped(Records& records, ObjectId object, TableId id) {
  model::append_record(records, object, DroppedBody{id});
}

void Catalogue::append_clock(Records& records, Clock const& clock) {
  model::append_record(records, {}, ClockBody{clock});
}

void Catalogue::append_clock_accepted(Records& records, TimeMs now, TimeMs from) {
  model::append_record(records, {}, AcceptedBody{now, from});
}

bool Catalogue::apply_time(RecordView const& record) {
  auto const kind = static_cast<Kind>(record.type);
  if (kind == Kind::accepted) {
    AcceptedBody body;
    bool const is_read = model::read_record(record, body);
    last_now_ = body.now;
    return is_read;
  }
  if (kind != Kind::clock) return true;
  ClockBody body;
  bool const is_read = record.version <= newest_version(record.type) && model::read_record(record, body);
  last_now_ = std::max(last_now_, body.now);
  return is_read;
}

void Catalogue::append_numbers(Records& records, ObjectId object, Lsn below) {
  model::append_record(records, object, NumbersBody{below});
}

void Catalogue::append_period(Records& records, ObjectId object, Period const& period) {
  model::append_record(records, object, PeriodBody{period});
}

std::optional<TableId> Catalogue::table_of(RecordView const& record) {
  auto const kind = static_cast<Kind>(record.type);
  if (kind != Kind::table && kind != Kind::schema && kind != Kind::dropped) return std::nullopt;
  ByteReader reader{as_text(record.body)};
  TableId const id{reader.number<std::uint32_t>()};
  return reader.ok() ? std::optional{id} : std::nullopt;
}

std::string_view Catalogue::name_of(std::uint8_t type) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "",         "table",       "schema",           "dropped", "clock",
      "alert",    "alert again", "alert over",       "numbers", "clock accepted",
      "prepared", "promised",    "transaction over", "period"};
  return type < kNames.size() ? kNames[type] : kNames[0];
}

std::uint8_t Catalogue::newest_version(std::uint8_t type) {
  switch (static_cast<Kind>(type)) {
    case Kind::schema:
    case Kind::dropped:
    case Kind::numbers:
    case Kind::period:
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
      DroppedBody body;
      if (!model::read_record(record, body)) return false;
      see(body.id);
      drop(body.id);
      alerts_.forget_table(body.id);
      return true;
    }
    case Kind::clock: return apply_time(record);
    case Kind::accepted:
      if (!apply_time(record)) return false;
      alerts_.lower_clock(last_now_);
      return true;
    case Kind::numbers: {
      NumbersBody body;
      if (!model::read_record(record, body)) return false;
      if (numbers_.below.is_none()) live_bytes_ += record.body.size() + kRecordOverhead;
      numbers_ = {record.object, record.lsn, std::max(numbers_.below, body.below)};
      return true;
    }
    case Kind::period: {
      PeriodBody body;
      if (!model::read_record(record, body)) return false;
      if (period_lsn_.is_none()) live_bytes_ += record.body.size() + kRecordOverhead;
      period_ = body;
      period_object_ = record.object;
      period_lsn_ = record.lsn;
      return true;
    }
  }
  return false;
}

bool Catalogue::apply_table(RecordView const& record) {
  TableBody body;
  if (!model::read_record(record, body)) return false;
  TableEntry& entry = tables_[body.id];
  if (!entry.name.empty()) live_bytes_ -= bytes_of(body.id, entry);
  move(entry.lsn, record.lsn, {body.id, std::nullopt});
  entry.object = record.object;
  entry.lsn = record.lsn;
  entry.name = body.name;
  entry.type = body.type;
  entry.move = body.move;
  live_bytes_ += bytes_of(body.id, entry);
  see(body.id);
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
    live_bytes_ -= model::body_bytes(SchemaBody{id, encoded(schema.schema)}) + kRecordOverhead;
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
  // Its table may follow, if that was compacted later.
  SchemaEntry& entry = tables_[id].schemas[schema->version];
  last_id_ = std::max(last_id_, static_cast<std::uint32_t>(id));
  if (entry.lsn.is_none()) live_bytes_ += record.body.size() + kRecordOverhead;
  move(entry.lsn, record.lsn, {id, schema->version});
  entry = SchemaEntry{record.object, record.lsn, std::move(schema).value()};
  return true;
}

TableId Catalogue::table_of_schema(RecordView const& record) {
  if (record.table != TableId::catalogue || static_cast<Kind>(record.type) != Kind::schema) return TableId::catalogue;
  SchemaBody body;
  static_cast<void>(model::read_record(record, body));
  return body.id;
}

Result<Schema> Catalogue::read_schema(RecordView const& record) {
  SchemaBody body;
  if (record.version == 0 || record.version > newest_version(record.type) || !model::read_record(record, body))
    return Status{Code::damaged, "a schema's record of version " + std::to_string(record.version) +
                                     " cannot be read; it is damaged or of a newer program"};
  return model::decode_schema(body.schema);
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
  if (!period_lsn_.is_none()) take(period_lsn_);
  if (Lsn const prepared = transactions_.oldest_lsn(); !prepared.is_none()) take(prepared);
  return oldest;
}

bool Catalogue::compact_one(Lsn below, Records& records) const {
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
  if (!period_lsn_.is_none() && period_lsn_ < below) {
    append_period(records, period_object_, period_);
    return true;
  }
  return transactions_.compact_one(below, records) || alerts_.compact_one(below, records);
}

void Catalogue::digest(DigestSink& sink) const {
  for (auto const& [id, table] : tables_) {
    model::digest_body(sink, body_of(id, table));
    for (auto const& [version, schema] : table.schemas)
      model::digest_body(sink, SchemaBody{id, encoded(schema.schema)});
  }
  if (!numbers_.below.is_none()) {
    std::string numbers{"numbers"};
    append_little(numbers, numbers_.below.value);
    sink.object(as_bytes(numbers));
  }
  if (!period_lsn_.is_none()) model::digest_body(sink, PeriodBody{period_});
  alerts_.digest(sink);
  transactions_.digest(sink);
}

}  // namespace fastjournal::log
