// See row_codec.h for the layout.
#include "model/row_codec.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "base/utf8.h"
#include "model/value.h"
#include "model/varint.h"

namespace fastjournal::model {

namespace {

// In place of a length: the bytes are outside the log. No length is so large.
constexpr std::uint64_t kOutside = std::uint64_t{1} << 40U;

// declaration.h: at most 200 columns.
constexpr std::size_t kColumnsMax = 200;

bool is_key(Schema const& schema, std::size_t column) {
  for (std::uint16_t const key : schema.key)
    if (key == column) return true;
  return false;
}

std::size_t presence_bytes(Schema const& schema) { return (schema.columns.size() - schema.key.size() + 7) / 8; }

// A value of any type except strings and buffers.
void append_number(Column const& column, Cell const& cell, std::string& out) {
  switch (kind_of(column.type)) {
    case CellKind::none:
    case CellKind::bytes: return;
    case CellKind::integer: append_varint(out, zigzag(cell.integer)); return;
    case CellKind::unsigned_integer: append_varint(out, cell.unsigned_integer); return;
    case CellKind::real:
      if (column.type == ColumnType::real32)
        append_little(out, std::bit_cast<std::uint32_t>(static_cast<float>(cell.real)));
      else
        append_little(out, std::bit_cast<std::uint64_t>(cell.real));
      return;
  }
}

// Writes a row: begin, then add or skip for each data column in order.
class RowWriter {
 public:
  RowWriter(Schema const& schema, std::string& out) : start_(out.size()), out_(out) {
    out_.append(presence_bytes(schema), '\0');
  }

  void skip() { ++column_; }
  void add(Column const& column, Cell const& cell) {
    mark();
    if (kind_of(column.type) != CellKind::bytes) {
      append_number(column, cell, out_);
      return;
    }
    append_varint(out_, cell.is_outside ? kOutside : cell.bytes.size());
    out_.append(cell.bytes);
  }
  void add_joined(std::string_view head, std::string_view tail) {
    mark();
    append_varint(out_, head.size() + tail.size());
    out_.append(head).append(tail);
  }
  // A value in its encoded form, from another row.
  void copy(std::string_view encoded) {
    mark();
    out_.append(encoded);
  }

  [[nodiscard]] bool too_large() const { return out_.size() - start_ > kRowBytesMax; }
  void undo() { out_.resize(start_); }

 private:
  void mark() {
    char& byte = out_[start_ + column_ / 8];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | (1U << (column_ % 8)));
    ++column_;
  }

  std::size_t start_;
  std::size_t column_{0};  // without the key's columns
  std::string& out_;
};

Status row_too_large() {
  return {Code::too_large, "the row's data is larger than " + std::to_string(kRowBytesMax) + " bytes"};
}

// Takes a value of the type off the front; false if there is none.
bool take_cell(ColumnType type, std::string_view& from, Cell& out) {
  switch (kind_of(type)) {
    case CellKind::none: return true;
    case CellKind::integer: {
      std::uint64_t value = 0;
      if (!take_varint(from, value)) return false;
      out.integer = unzigzag(value);
      return true;
    }
    case CellKind::unsigned_integer: return take_varint(from, out.unsigned_integer);
    case CellKind::real: {
      std::size_t const width = type == ColumnType::real32 ? 4 : 8;
      if (from.size() < width) return false;
      out.real = width == 4 ? static_cast<double>(std::bit_cast<float>(load_little<std::uint32_t>(from.data())))
                            : std::bit_cast<double>(load_little<std::uint64_t>(from.data()));
      from.remove_prefix(width);
      return true;
    }
    case CellKind::bytes: {
      std::uint64_t size = 0;
      if (!take_varint(from, size)) return false;
      out.is_outside = size == kOutside;
      if (out.is_outside) size = kPlaceBytes;
      if (size > from.size()) return false;
      out.bytes = from.substr(0, static_cast<std::size_t>(size));
      from.remove_prefix(static_cast<std::size_t>(size));
      return true;
    }
  }
  return false;
}

// Reads a row: next() for each data column in order.
class RowReader {
 public:
  RowReader(Schema const& schema, std::string_view data) {
    std::size_t const size = presence_bytes(schema);
    ok_ = data.size() >= size;
    presence_ = data.substr(0, ok_ ? size : 0);
    rest_ = data.substr(presence_.size());
  }

  // Whether the column is there; then `cell` is its value and `encoded` its bytes.
  bool next(ColumnType type, Cell& cell, std::string_view& encoded) {
    std::size_t const column = column_++;
    if (!ok_ || (static_cast<unsigned char>(presence_[column / 8]) >> (column % 8) & 1U) == 0) return false;
    std::string_view const before = rest_;
    ok_ = take_cell(type, rest_, cell);
    encoded = before.substr(0, before.size() - rest_.size());
    return ok_;
  }

  [[nodiscard]] bool is_ok() const { return ok_; }
  // Every value was complete, nothing is left, and no presence bit is set beyond the last column.
  [[nodiscard]] bool finished() const {
    if (!ok_ || !rest_.empty()) return false;
    return column_ % 8 == 0 || static_cast<unsigned char>(presence_.back()) >> (column_ % 8) == 0;
  }

 private:
  bool ok_{true};
  std::string_view presence_;
  std::string_view rest_;
  std::size_t column_{0};
};

void add_cell(Column const& column, Cell const& cell, StoredValue::As as, Answer& out) {
  if (cell.is_outside) {
    out.add_stored(column.name,
                   {.extent = place_of(cell.bytes), .is_text = column.type == ColumnType::string, .as = as});
    return;
  }
  switch (column.type) {
    case ColumnType::void_type: out.add(column.name, std::string_view{}); return;
    case ColumnType::boolean: out.add(column.name, Value::of_boolean(cell.unsigned_integer != 0)); return;
    case ColumnType::character: {
      char text[4];
      out.add(column.name, std::string_view{text, store_utf8(static_cast<char32_t>(cell.unsigned_integer), text)});
      return;
    }
    case ColumnType::string: out.add(column.name, cell.bytes); return;
    case ColumnType::buffer: out.add_binary(column.name, cell.bytes); return;
    case ColumnType::real32: out.add(column.name, Value::of_real(as_written(static_cast<float>(cell.real)))); return;
    case ColumnType::real64: out.add(column.name, Value::of_real(cell.real)); return;
    default: break;
  }
  if (kind_of(column.type) == CellKind::unsigned_integer)
    out.add(column.name, cell.unsigned_integer);
  else
    out.add(column.name, cell.integer);
}

// ---------------------------------------------------------------------------
// Merging

// The encoded values of the old row, by column of the old schema.
class OldRow {
 public:
  OldRow(Schema const& schema, std::string_view data) : schema_(schema) {
    FJ_CHECK(schema.columns.size() <= kColumnsMax, "a schema has at most 200 columns");
    RowReader reader{schema, data};
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      Cell cell;
      std::string_view encoded;
      bool const present = !is_key(schema, i) && reader.next(schema.columns[i].type, cell, encoded);
      places_[i] = present ? Place{encoded.data(), encoded.size()} : Place{nullptr, 0};
    }
    FJ_CHECK(reader.finished(), "old data is a row of the old schema");
  }

  // Whether the old row has this column, with this type. Schemas are mostly equal, so the same place is tried first.
  [[nodiscard]] bool find(std::size_t place, Column const& column, std::string_view& encoded) const {
    if (place < schema_.columns.size() && schema_.columns[place].name == column.name) return at(place, column, encoded);
    for (std::size_t i = 0; i < schema_.columns.size(); ++i)
      if (schema_.columns[i].name == column.name) return at(i, column, encoded);
    return false;
  }

 private:
  // Without initialisers: zeroing 200 of them would cost too much in every merge.
  struct Place {
    char const* data;
    std::size_t size;
  };

  [[nodiscard]] bool at(std::size_t i, Column const& column, std::string_view& encoded) const {
    if (places_[i].data == nullptr || schema_.columns[i].type != column.type) return false;
    encoded = {places_[i].data, places_[i].size};
    return true;
  }

  Schema const& schema_;
  std::array<Place, kColumnsMax> places_;
};

bool is_less(ColumnType type, Cell const& a, Cell const& b) {
  switch (kind_of(type)) {
    case CellKind::none: return false;
    case CellKind::integer: return a.integer < b.integer;
    case CellKind::unsigned_integer: return a.unsigned_integer < b.unsigned_integer;
    case CellKind::real: return a.real < b.real;
    case CellKind::bytes: return a.bytes < b.bytes;
  }
  return false;
}

template <typename Writer>
Status add_sum(Column const& column, Cell const& a, Cell const& b, Writer& writer) {
  Cell sum;
  bool overflow = false;
  switch (kind_of(column.type)) {
    case CellKind::integer: overflow = __builtin_add_overflow(a.integer, b.integer, &sum.integer); break;
    case CellKind::unsigned_integer:
      overflow = __builtin_add_overflow(a.unsigned_integer, b.unsigned_integer, &sum.unsigned_integer);
      break;
    case CellKind::real: sum.real = a.real + b.real; break;
    case CellKind::none:
    case CellKind::bytes: FJ_CHECK(false, "only numbers are added up"); break;
  }
  Status status =
      overflow ? Status{Code::bad_parameter, "column " + column.name + ": beyond 64 bits"} : check_limits(column, sum);
  if (!status.ok())
    return Status{Code::bad_parameter, status.message() + " (the sum with the value already there)"}.with("parameter",
                                                                                                          column.name);
  writer.add(column, sum);
  return {};
}

template <typename Writer>
Status add_joined(Column const& column, Cell const& a, Cell const& b, Writer& writer) {
  std::size_t const size = a.bytes.size() + b.bytes.size();
  if (size > column.length_max)
    return Status{Code::too_large, "column " + column.name + ": with the value already there it is " +
                                       std::to_string(size) + " bytes, expected at most " +
                                       std::to_string(column.length_max)}
        .with("parameter", column.name);
  writer.add_joined(a.bytes, b.bytes);
  return {};
}

// A column that is present in both rows.
template <typename Writer>
Status add_merged(Column const& column, std::string_view old_encoded, Cell const& cell, std::string_view encoded,
                  Writer& writer) {
  Cell old;
  std::string_view rest = old_encoded;
  FJ_CHECK(take_cell(column.type, rest, old), "an old value can be read twice");
  bool const reads_it =
      column.merge == MergeRule::append || column.merge == MergeRule::min || column.merge == MergeRule::max;
  if (reads_it && (old.is_outside || cell.is_outside))
    return Status{Code::bad_parameter, "column " + column.name +
                                           ": the value that is there is outside the log, and can "
                                           "only be replaced or kept"}
        .with("parameter", column.name);
  switch (column.merge) {
    case MergeRule::sum: return add_sum(column, old, cell, writer);
    case MergeRule::append: return add_joined(column, old, cell, writer);
    case MergeRule::min: writer.copy(is_less(column.type, old, cell) ? old_encoded : encoded); return {};
    case MergeRule::max: writer.copy(is_less(column.type, cell, old) ? old_encoded : encoded); return {};
    case MergeRule::keep: writer.copy(old_encoded); return {};
    case MergeRule::replace: writer.copy(encoded); return {};
  }
  return {};
}

bool replaces_all(Schema const& schema) {
  for (Column const& column : schema.columns)
    if (column.merge != MergeRule::replace) return false;
  return true;
}

template <typename Writer>
Status merge_into(Schema const& old_schema, std::string_view old_data, Schema const& schema, std::string_view new_data,
                  Writer& writer) {
  OldRow const old{old_schema, old_data};
  RowReader reader{schema, new_data};
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    if (is_key(schema, i)) continue;
    Column const& column = schema.columns[i];
    std::string_view before;
    bool const was_there = old.find(i, column, before);
    Cell cell;
    std::string_view encoded;
    Status status;
    if (reader.next(column.type, cell, encoded)) {
      if (was_there)
        status = add_merged(column, before, cell, encoded, writer);
      else
        writer.copy(encoded);
    } else if (was_there && column.merge != MergeRule::replace) {
      writer.copy(before);
    } else {
      writer.skip();
    }
    if (status.ok() && writer.too_large()) status = row_too_large();
    if (!status.ok()) {
      writer.undo();
      return status;
    }
  }
  FJ_CHECK(reader.finished(), "new data is a row of the new schema");
  return {};
}

}  // namespace

// The output of RowWriter, as pieces.
class PieceWriter {
 public:
  PieceWriter(Schema const& schema, Pieces& out) : out_(out) {
    out_.kept_.clear();
    out_.pieces_.clear();
    out_.size_ = 0;
    std::size_t const presence = presence_bytes(schema);
    // At most one number or length per column.
    out_.kept_.reserve(presence + schema.columns.size() * kVarintBytesMax);
    out_.kept_.append(presence, '\0');
    take(0);
  }

  void skip() { ++column_; }
  void add(Column const& column, Cell const& cell) {
    mark();
    std::size_t const from = out_.kept_.size();
    // Only sums are computed here: numbers.
    FJ_CHECK(kind_of(column.type) != CellKind::bytes, "texts are taken from where they are");
    append_number(column, cell, out_.kept_);
    take(from);
  }
  void add_joined(std::string_view head, std::string_view tail) {
    mark();
    std::size_t const from = out_.kept_.size();
    append_varint(out_.kept_, head.size() + tail.size());
    take(from);
    put(head);
    put(tail);
  }
  void copy(std::string_view encoded) {
    mark();
    put(encoded);
  }
  [[nodiscard]] bool too_large() const { return out_.size_ > kRowBytesMax; }
  void undo() {}

 private:
  void mark() {
    char& byte = out_.kept_[column_ / 8];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | (1U << (column_ % 8)));
    ++column_;
  }
  void take(std::size_t from) { put(std::string_view{out_.kept_}.substr(from)); }
  void put(std::string_view piece) {
    if (piece.empty()) return;
    out_.pieces_.push_back(piece);
    out_.size_ += piece.size();
  }

  Pieces& out_;
  std::size_t column_{0};
};

Status encode_data(Schema const& schema, Message const& message, std::string& out) {
  RowWriter writer{schema, out};
  std::string scratch;
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    if (is_key(schema, i)) continue;
    Column const& column = schema.columns[i];
    Value const* value = message.find(column.name);
    Value by_default;
    if (value == nullptr && column.default_text) {
      by_default = Value::of_text(*column.default_text);
      value = &by_default;
    }
    if (value == nullptr) {
      if (column.required) {
        writer.undo();
        return Status{Code::missing_parameter, "column " + column.name + " is required and is missing"}.with(
            "parameter", column.name);
      }
      writer.skip();
      continue;
    }
    Cell cell;
    Status status = parse_value(column, *value, scratch, cell);
    if (status.ok()) {
      writer.add(column, cell);
      if (writer.too_large()) status = row_too_large();
    }
    if (!status.ok()) {
      writer.undo();
      return status;
    }
  }
  return {};
}

std::uint64_t add_data(Schema const& schema, std::string_view data, Answer& out, StoredValue::As as) {
  RowReader reader{schema, data};
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    if (is_key(schema, i)) continue;
    Cell cell;
    std::string_view encoded;
    if (!reader.next(schema.columns[i].type, cell, encoded)) continue;
    if (cell.is_outside) outside += place_of(cell.bytes).size();
    add_cell(schema.columns[i], cell, as, out);
  }
  FJ_CHECK(reader.finished(), "data is a row of its schema");
  return outside;
}

void find_outside(Schema const& schema, std::string_view data, std::vector<Extent>& found) {
  RowReader reader{schema, data};
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    Cell cell;
    std::string_view encoded;
    if (!is_key(schema, i) && reader.next(schema.columns[i].type, cell, encoded) && cell.is_outside)
      found.push_back(place_of(cell.bytes));
  }
}

bool without_outside(Schema const& schema, std::string_view data, std::string& out) {
  RowReader reader{schema, data};
  RowWriter writer{schema, out};
  bool has_any = false;
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    if (is_key(schema, i)) continue;
    Cell cell;
    std::string_view encoded;
    bool const is_there = reader.next(schema.columns[i].type, cell, encoded);
    if (is_there && !cell.is_outside)
      writer.copy(encoded);
    else
      writer.skip();
    has_any = has_any || (is_there && cell.is_outside);
  }
  if (!has_any) writer.undo();
  return has_any;
}

void append_no_data(Schema const& schema, std::string& out) { out.append(presence_bytes(schema), '\0'); }

bool data_text(Schema const& schema, std::string_view data, std::size_t column, std::string& scratch,
               std::string_view& out) {
  if (!has_text(schema.columns[column].type)) return false;
  RowReader reader{schema, data};
  Cell cell;
  std::string_view encoded;
  for (std::size_t i = 0; i < column; ++i)
    if (!is_key(schema, i)) static_cast<void>(reader.next(schema.columns[i].type, cell, encoded));
  if (!reader.next(schema.columns[column].type, cell, encoded) || cell.is_outside) return false;
  out = text_of(schema.columns[column].type, cell, scratch);
  return true;
}

bool read_cells(Schema const& schema, std::string_view data, std::span<std::optional<Cell>> cells) {
  RowReader reader{schema, data};
  std::size_t at = 0;
  for (std::size_t i = 0; i < schema.columns.size() && at < cells.size(); ++i) {
    if (is_key(schema, i)) continue;
    Cell cell;
    std::string_view encoded;
    if (reader.next(schema.columns[i].type, cell, encoded)) cells[at] = cell;
    ++at;
  }
  return reader.is_ok();
}

bool is_data(Schema const& schema, std::string_view data) {
  RowReader reader{schema, data};
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    Cell cell;
    std::string_view encoded;
    if (!is_key(schema, i)) reader.next(schema.columns[i].type, cell, encoded);
  }
  return reader.finished();
}

Status merge_data(Schema const& old_schema, std::string_view old_data, Schema const& schema, std::string_view new_data,
                  std::string& out) {
  if (replaces_all(schema)) {
    out.append(new_data);
    return {};
  }
  RowWriter writer{schema, out};
  return merge_into(old_schema, old_data, schema, new_data, writer);
}

Status merge_pieces(Schema const& old_schema, std::string_view old_data, Schema const& schema,
                    std::string_view new_data, Pieces& out) {
  out.old_ = old_data;
  PieceWriter writer{schema, out};
  return merge_into(old_schema, old_data, schema, new_data, writer);
}

bool Pieces::keeps_order() const {
  char const* last = old_.data();
  for (std::string_view const piece : pieces_) {
    if (!is_old(piece)) continue;
    if (piece.data() < last) return false;
    last = piece.data() + piece.size();
  }
  return true;
}

bool Pieces::is_old_data() const {
  if (size_ != old_.size()) return false;
  std::size_t at = 0;
  for (std::string_view const piece : pieces_) {
    std::string_view const before = old_.substr(at, piece.size());
    // A piece already in its place needs no comparison.
    if (piece.data() != before.data() && piece != before) return false;
    at += piece.size();
  }
  return true;
}

}  // namespace fastjournal::model
