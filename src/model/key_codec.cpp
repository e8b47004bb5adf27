// See key_codec.h for the layout.
#include "model/key_codec.h"

#include <bit>
#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"
#include "model/value.h"

namespace fastjournal::model {

namespace {

constexpr std::size_t kCharacterBytes = 3;

// Bytes of a type whose keys have a fixed width; 0 for strings and buffers.
std::size_t width_of(ColumnType type) {
  switch (type) {
    case ColumnType::boolean:
    case ColumnType::int8:
    case ColumnType::uint8: return 1;
    case ColumnType::int16:
    case ColumnType::uint16: return 2;
    case ColumnType::character: return kCharacterBytes;
    case ColumnType::int32:
    case ColumnType::uint32:
    case ColumnType::real32: return 4;
    case ColumnType::int64:
    case ColumnType::uint64:
    case ColumnType::real64:
    case ColumnType::time_s:
    case ColumnType::time_ms:
    case ColumnType::time_us: return 8;
    case ColumnType::void_type:
    case ColumnType::string:
    case ColumnType::buffer: return 0;
  }
  return 0;
}

void append_big(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = width; i-- > 0;) out.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
}

std::uint64_t load_big(std::string_view bytes) {
  std::uint64_t out = 0;
  for (char const byte : bytes) out = out << 8U | static_cast<unsigned char>(byte);
  return out;
}

constexpr std::uint64_t sign_bit(std::size_t width) { return std::uint64_t{1} << (8 * width - 1); }

// Converts the bits of a float or double to a form that sorts like the numbers, and back.
std::uint64_t sortable(std::uint64_t bits, std::size_t width) {
  std::uint64_t const sign = sign_bit(width);
  return (bits & sign) != 0 ? ~bits : bits ^ sign;
}
std::uint64_t unsortable(std::uint64_t bits, std::size_t width) {
  std::uint64_t const sign = sign_bit(width);
  return (bits & sign) != 0 ? bits ^ sign : ~bits;
}

std::uint64_t bits_of(ColumnType type, double value) {
  return type == ColumnType::real32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                    : std::bit_cast<std::uint64_t>(value);
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (char const byte : bytes) {
    out.push_back(byte);
    if (byte == '\0') out.push_back('\xFF');
  }
}

void append_cell(Column const& column, Cell const& cell, bool last, std::string& out) {
  std::size_t const width = width_of(column.type);
  switch (kind_of(column.type)) {
    case CellKind::none: return;
    case CellKind::integer: append_big(out, static_cast<std::uint64_t>(cell.integer) ^ sign_bit(width), width); return;
    case CellKind::unsigned_integer: append_big(out, cell.unsigned_integer, width); return;
    case CellKind::real: append_big(out, sortable(bits_of(column.type, cell.real), width), width); return;
    case CellKind::bytes:
      if (last) {
        out.append(cell.bytes);
      } else {
        append_escaped(out, cell.bytes);
        out.append(2, '\0');
      }
      return;
  }
}

// Takes an escaped string off the front of `key`; `scratch` is used only if there are escapes.
std::string_view take_escaped(std::string_view& key, std::string& scratch) {
  std::size_t zero = key.find('\0');
  FJ_CHECK(zero != std::string_view::npos && zero + 1 < key.size(), "a key's string has an end");
  if (key[zero + 1] == '\0') {
    std::string_view const out = key.substr(0, zero);
    key.remove_prefix(zero + 2);
    return out;
  }
  scratch.clear();
  while (key[zero + 1] != '\0') {
    scratch.append(key.substr(0, zero + 1));  // with the 00 itself, without the FF
    key.remove_prefix(zero + 2);
    zero = key.find('\0');
    FJ_CHECK(zero != std::string_view::npos && zero + 1 < key.size(), "a key's string has an end");
  }
  scratch.append(key.substr(0, zero));
  key.remove_prefix(zero + 2);
  return scratch;
}

// A whole number, boolean, date or character.
Cell cell_of(ColumnType type, std::string_view bytes) {
  std::uint64_t const value = load_big(bytes);
  Cell out;
  if (kind_of(type) == CellKind::unsigned_integer) {
    out.unsigned_integer = value;
    return out;
  }
  // Flip the sign back, then widen it.
  auto const unused_bits = static_cast<unsigned>(64 - 8 * bytes.size());
  out.integer = static_cast<std::int64_t>((value ^ sign_bit(bytes.size())) << unused_bits) >> unused_bits;
  return out;
}

void add_fixed(Column const& column, std::string_view bytes, Answer& out) {
  std::uint64_t const value = load_big(bytes);
  std::size_t const width = bytes.size();
  switch (column.type) {
    case ColumnType::boolean: out.add(column.name, Value::of_boolean(value != 0)); return;
    case ColumnType::character: {
      char text[4];
      out.add(column.name, std::string_view{text, store_utf8(static_cast<char32_t>(value), text)});
      return;
    }
    case ColumnType::real32:
      out.add(column.name,
              Value::of_real(as_written(std::bit_cast<float>(static_cast<std::uint32_t>(unsortable(value, width))))));
      return;
    case ColumnType::real64:
      out.add(column.name, Value::of_real(std::bit_cast<double>(unsortable(value, width))));
      return;
    default: break;
  }
  Cell const cell = cell_of(column.type, bytes);
  if (kind_of(column.type) == CellKind::unsigned_integer)
    out.add(column.name, cell.unsigned_integer);
  else
    out.add(column.name, cell.integer);
}

}  // namespace

Status encode_key(Schema const& schema, Message const& message, std::string& out) {
  std::size_t const start = out.size();
  std::string scratch;
  Status failed;
  for (std::size_t i = 0; i < schema.key.size(); ++i) {
    Column const& column = schema.columns[schema.key[i]];
    Value by_default;
    Value const* value = message.find(column.name);
    if (value == nullptr) {
      if (!column.default_text) {
        failed = Status{Code::missing_parameter, "column " + column.name + " is part of the key and is missing"}.with(
            "parameter", column.name);
        break;
      }
      by_default = Value::of_text(*column.default_text);
      value = &by_default;
    }
    Cell cell;
    failed = parse_value(column, *value, scratch, cell);
    if (!failed.ok()) break;
    append_cell(column, cell, i + 1 == schema.key.size(), out);
    if (out.size() - start > kKeyBytesMax) {
      failed = Status{Code::too_large,
                      "the key is larger than " + std::to_string(kKeyBytesMax) + " bytes at column " + column.name}
                   .with("parameter", column.name);
      break;
    }
  }
  if (!failed.ok()) out.resize(start);
  return failed;
}

void add_key(Schema const& schema, std::string_view key, Answer& out) {
  std::string scratch;
  for (std::size_t i = 0; i < schema.key.size(); ++i) {
    Column const& column = schema.columns[schema.key[i]];
    if (kind_of(column.type) == CellKind::bytes) {
      bool const last = i + 1 == schema.key.size();
      std::string_view const bytes = last ? key : take_escaped(key, scratch);
      if (last) key = {};
      if (column.type == ColumnType::string)
        out.add(column.name, bytes);
      else
        out.add_binary(column.name, bytes);
      continue;
    }
    std::size_t const width = width_of(column.type);
    FJ_CHECK(key.size() >= width, "a key holds all its columns");
    if (width > 0) add_fixed(column, key.substr(0, width), out);
    key.remove_prefix(width);
  }
  FJ_CHECK(key.empty(), "a key holds nothing but its columns");
}

bool key_text(Schema const& schema, std::string_view key, std::size_t column, std::string& scratch,
              std::string_view& out) {
  if (!has_text(schema.columns[column].type)) return false;
  for (std::size_t i = 0; i < schema.key.size(); ++i) {
    ColumnType const type = schema.columns[schema.key[i]].type;
    bool const found = schema.key[i] == column;
    bool const last = i + 1 == schema.key.size();
    if (kind_of(type) == CellKind::bytes) {
      std::string_view const bytes = last ? key : take_escaped(key, scratch);
      if (found) out = bytes;
    } else {
      std::size_t const width = width_of(type);
      FJ_CHECK(key.size() >= width, "a key holds all its columns");
      if (found) out = text_of(type, cell_of(type, key.substr(0, width)), scratch);
      key.remove_prefix(width);
    }
    if (found) return true;
  }
  return false;
}

Status encode_key_prefix(Schema const& schema, std::string_view text, std::string& out) {
  Column const& column = schema.columns[schema.key[0]];
  if (column.type != ColumnType::string)
    return {Code::not_supported, "the key begins with column " + column.name + " of type " +
                                     std::string{name_of(column.type)} + ": only a string has a prefix"};
  if (schema.key.size() == 1)
    out.append(text);
  else
    append_escaped(out, text);
  return {};
}

}  // namespace fastjournal::model
