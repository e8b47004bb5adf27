// Types, limits and the sentences of their errors. See value.h.
#include "model/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/utf8.h"

namespace fastjournal::model {

namespace {

struct TypeName {
  std::string_view name;
  ColumnType type;
};

// The first spelling of a type is the one used in output.
constexpr TypeName kTypeNames[] = {
    {"void", ColumnType::void_type},
    {"bool", ColumnType::boolean},
    {"boolean", ColumnType::boolean},
    {"int8", ColumnType::int8},
    {"int8_t", ColumnType::int8},
    {"int16", ColumnType::int16},
    {"int16_t", ColumnType::int16},
    {"int32", ColumnType::int32},
    {"int32_t", ColumnType::int32},
    {"int64", ColumnType::int64},
    {"int64_t", ColumnType::int64},
    {"uint8", ColumnType::uint8},
    {"uint8_t", ColumnType::uint8},
    {"uint16", ColumnType::uint16},
    {"uint16_t", ColumnType::uint16},
    {"uint32", ColumnType::uint32},
    {"uint32_t", ColumnType::uint32},
    {"uint64", ColumnType::uint64},
    {"uint64_t", ColumnType::uint64},
    {"float", ColumnType::real32},
    {"float32", ColumnType::real32},
    {"double", ColumnType::real64},
    {"float64", ColumnType::real64},
    {"char", ColumnType::character},
    {"string", ColumnType::string},
    {"buffer", ColumnType::buffer},
    {"binary", ColumnType::buffer},
    {"time_s", ColumnType::time_s},
    {"time_s_t", ColumnType::time_s},
    {"time_t", ColumnType::time_s},
    {"time_seconds", ColumnType::time_s},
    {"time_ms", ColumnType::time_ms},
    {"time_ms_t", ColumnType::time_ms},
    {"time_milliseconds", ColumnType::time_ms},
    {"time_us", ColumnType::time_us},
    {"time_us_t", ColumnType::time_us},
    {"time_microseconds", ColumnType::time_us},
};

template <typename T>
constexpr IntegerLimits range_of_type() {
  IntegerLimits out;
  if constexpr (std::is_signed_v<T>) {
    out.low = std::numeric_limits<T>::min();
    out.high = std::numeric_limits<T>::max();
  } else {
    out.unsigned_high = std::numeric_limits<T>::max();
  }
  return out;
}

IntegerLimits range_of(ColumnType type) {
  switch (type) {
    case ColumnType::boolean: return {.unsigned_high = 1};
    case ColumnType::int8: return range_of_type<std::int8_t>();
    case ColumnType::int16: return range_of_type<std::int16_t>();
    case ColumnType::int32: return range_of_type<std::int32_t>();
    case ColumnType::uint8: return range_of_type<std::uint8_t>();
    case ColumnType::uint16: return range_of_type<std::uint16_t>();
    case ColumnType::uint32: return range_of_type<std::uint32_t>();
    case ColumnType::uint64: return range_of_type<std::uint64_t>();
    case ColumnType::character: return {.unsigned_high = 0x10FFFF};
    default: return range_of_type<std::int64_t>();
  }
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

// "an integer from 0 to 255", "at most 20 bytes of UTF-8 text", ...
std::string expectation(Column const& column) {
  switch (column.type) {
    case ColumnType::void_type: return "nothing: a void column is there or not, without a value";
    case ColumnType::boolean: return "0, 1, true or false";
    case ColumnType::character: return "one UTF-8 character";
    case ColumnType::string: return "UTF-8 text";
    case ColumnType::buffer: return "base64 (RFC 4648, padded) in a text or JSON message, bytes in a msgpack message";
    default: break;
  }
  if (kind_of(column.type) == CellKind::real) {
    std::string out{column.type == ColumnType::real32 ? "a finite number that a float holds" : "a finite number"};
    if (column.real_min) out.append(", at least ").append(number_text(*column.real_min));
    if (column.real_max) out.append(", at most ").append(number_text(*column.real_max));
    return out;
  }
  IntegerLimits const limits = limits_of(column);
  if (kind_of(column.type) == CellKind::unsigned_integer)
    return "an integer from " + std::to_string(limits.unsigned_low) + " to " + std::to_string(limits.unsigned_high);
  return "an integer from " + std::to_string(limits.low) + " to " + std::to_string(limits.high);
}

std::string found(Value const& value) {
  switch (value.kind) {
    case Value::Kind::text: return shown(value.bytes);
    case Value::Kind::binary: return std::to_string(value.bytes.size()) + " bytes of binary data";
    case Value::Kind::integer: return "the integer " + std::to_string(value.integer);
    case Value::Kind::unsigned_integer: return "the integer " + std::to_string(value.unsigned_integer);
    case Value::Kind::real: return "the number " + number_text(value.real);
    case Value::Kind::boolean: return value.boolean ? "true" : "false";
  }
  return {};
}

Status refuse(Code code, Column const& column, std::string const& what, std::string const& expected) {
  return Status{code, "column " + column.name + ": found " + what + ", expected " + expected}.with("parameter",
                                                                                                   column.name);
}

Status refuse(Column const& column, Value const& value) {
  return refuse(Code::bad_parameter, column, found(value), expectation(column));
}

bool is_bytes(Value const& value) { return value.kind == Value::Kind::text || value.kind == Value::Kind::binary; }

std::optional<std::uint64_t> as_boolean(Value const& value) {
  if (value.kind == Value::Kind::text) {
    if (value.bytes == "1" || value.bytes == "true") return 1;
    if (value.bytes == "0" || value.bytes == "false") return 0;
    return std::nullopt;
  }
  std::optional<std::uint64_t> const out = value.as_unsigned();
  return out && *out <= 1 ? out : std::nullopt;
}

Status parse_character(Column const& column, Value const& value, Cell& out) {
  std::string_view rest = value.bytes;
  std::optional<char32_t> const point = is_bytes(value) ? take_character(rest) : std::nullopt;
  if (!point || !rest.empty()) return refuse(column, value);
  out.unsigned_integer = *point;
  return {};
}

Status parse_real(Column const& column, Value const& value, Cell& out) {
  std::optional<double> real = value.as_real();
  if (real && column.type == ColumnType::real32) {
    // What rounds to the largest float is one: its shortest spelling is a little more than it. Converting a double beyond
    // the range of float is undefined.
    constexpr double kMax = static_cast<double>(std::numeric_limits<float>::max());
    constexpr double kRoundsToInfinity = 0x1.ffffffp127;
    if (std::fabs(*real) >= kRoundsToInfinity)
      real.reset();
    else
      *real = static_cast<double>(static_cast<float>(std::clamp(*real, -kMax, kMax)));
  }
  if (!real || !std::isfinite(*real)) return refuse(column, value);
  out.real = *real + 0.0;  // -0.0 becomes 0.0: equal values have equal bytes
  return {};
}

Status parse_bytes(Column const& column, Value const& value, std::string& scratch, Cell& out) {
  if (!is_bytes(value)) return refuse(column, value);
  out.bytes = value.bytes;
  if (column.type == ColumnType::string) {
    if (!is_utf8(value.bytes)) return refuse(column, value);
  } else if (value.kind == Value::Kind::text && !value.verbatim) {
    if (!decode_base64(value.bytes, scratch)) return refuse(column, value);
    out.bytes = scratch;
  }
  return {};
}

Status check_length(Column const& column, std::string_view bytes) {
  if (bytes.size() > column.length_max)
    return refuse(Code::too_large, column, std::to_string(bytes.size()) + " bytes",
                  "at most " + std::to_string(column.length_max));
  if (bytes.size() < column.length_min)
    return refuse(Code::bad_parameter, column, std::to_string(bytes.size()) + " bytes",
                  "at least " + std::to_string(column.length_min));
  return {};
}

Status bad_column(Column const& column, std::string const& what) {
  return {Code::bad_configuration, "column " + column.name + ": " + what};
}

template <typename T>
Status check_order(Column const& column, std::string_view what, T low, T high, std::string (*spelled)(T)) {
  if (low <= high) return {};
  return bad_column(column, "found min-" + std::string{what} + "=\"" + spelled(low) + "\" above max-" +
                                std::string{what} + "=\"" + spelled(high) + "\", expected it below");
}

// Limits of an integer column: within the type, and in order.
template <typename T>
Status check_integer_limits(Column const& column, T type_low, T type_high, T low, T high) {
  for (T const limit : {low, high})
    if (limit < type_low || limit > type_high)
      return bad_column(column, "found the limit " + std::to_string(limit) + ", expected what the type " +
                                    std::string{name_of(column.type)} + " holds (" + std::to_string(type_low) + " to " +
                                    std::to_string(type_high) + ")");
  return check_order<T>(column, "value", low, high, [](T value) { return std::to_string(value); });
}

Status check_column_limits(Column const& column) {
  IntegerLimits const type = range_of(column.type);
  IntegerLimits const limits = limits_of(column);
  switch (kind_of(column.type)) {
    case CellKind::integer: return check_integer_limits(column, type.low, type.high, limits.low, limits.high);
    case CellKind::unsigned_integer:
      return check_integer_limits(column, type.unsigned_low, type.unsigned_high, limits.unsigned_low,
                                  limits.unsigned_high);
    case CellKind::real:
      return check_order<double>(column, "value", column.real_min.value_or(-HUGE_VAL),
                                 column.real_max.value_or(HUGE_VAL), number_text);
    case CellKind::bytes:
      if (column.length_max > kRowBytesMax)
        return bad_column(column, "found max-length=\"" + std::to_string(column.length_max) + "\", expected at most " +
                                      std::to_string(kRowBytesMax) + ", the most a row carries");
      return check_order<std::uint64_t>(column, "length", column.length_min, column.length_max,
                                        [](std::uint64_t value) { return std::to_string(value); });
    case CellKind::none: return {};
  }
  return {};
}

Status check_merge_rule(Column const& column) {
  CellKind const kind = kind_of(column.type);
  bool const is_date =
      column.type == ColumnType::time_s || column.type == ColumnType::time_ms || column.type == ColumnType::time_us;
  bool const adds_up = kind != CellKind::none && kind != CellKind::bytes && !is_date &&
                       column.type != ColumnType::boolean && column.type != ColumnType::character;
  auto const refused = [&](std::string const& rule, std::string const& expected) {
    return bad_column(column, "found merge=\"" + rule + "\" on type " + std::string{name_of(column.type)} +
                                  ", expected it on " + expected + " only");
  };
  switch (column.merge) {
    case MergeRule::sum: return adds_up ? Status{} : refused("sum", "integers and floats");
    case MergeRule::append: return kind == CellKind::bytes ? Status{} : refused("append", "string and buffer");
    case MergeRule::min: return kind != CellKind::none ? Status{} : refused("min", "types with a value");
    case MergeRule::max: return kind != CellKind::none ? Status{} : refused("max", "types with a value");
    case MergeRule::replace:
    case MergeRule::keep: return {};
  }
  return {};
}

}  // namespace

CellKind kind_of(ColumnType type) {
  switch (type) {
    case ColumnType::void_type: return CellKind::none;
    case ColumnType::int8:
    case ColumnType::int16:
    case ColumnType::int32:
    case ColumnType::int64:
    case ColumnType::time_s:
    case ColumnType::time_ms:
    case ColumnType::time_us: return CellKind::integer;
    case ColumnType::boolean:
    case ColumnType::character:
    case ColumnType::uint8:
    case ColumnType::uint16:
    case ColumnType::uint32:
    case ColumnType::uint64: return CellKind::unsigned_integer;
    case ColumnType::real32:
    case ColumnType::real64: return CellKind::real;
    case ColumnType::string:
    case ColumnType::buffer: return CellKind::bytes;
  }
  return CellKind::none;
}

IntegerLimits limits_of(Column const& column) {
  IntegerLimits out = range_of(column.type);
  if (kind_of(column.type) == CellKind::unsigned_integer) {
    if (column.value_min) out.unsigned_low = static_cast<std::uint64_t>(*column.value_min);
    if (column.value_max) out.unsigned_high = *column.value_max;
  } else {
    if (column.value_min) out.low = *column.value_min;
    if (column.value_max) out.high = static_cast<std::int64_t>(*column.value_max);
  }
  return out;
}

std::string_view name_of(ColumnType type) {
  for (TypeName const& row : kTypeNames)
    if (row.type == type) return row.name;
  return "unknown";
}

std::optional<ColumnType> type_of_name(std::string_view name) {
  for (TypeName const& row : kTypeNames)
    if (row.name == name) return row.type;
  return std::nullopt;
}

Status check_limits(Column const& column, Cell const& cell) {
  switch (kind_of(column.type)) {
    case CellKind::integer: {
      IntegerLimits const limits = limits_of(column);
      if (cell.integer < limits.low || cell.integer > limits.high)
        return refuse(Code::bad_parameter, column, std::to_string(cell.integer), expectation(column));
      return {};
    }
    case CellKind::unsigned_integer: {
      IntegerLimits const limits = limits_of(column);
      if (cell.unsigned_integer < limits.unsigned_low || cell.unsigned_integer > limits.unsigned_high)
        return refuse(Code::bad_parameter, column, std::to_string(cell.unsigned_integer), expectation(column));
      return {};
    }
    case CellKind::real: {
      bool const beyond_float = column.type == ColumnType::real32 &&
                                std::fabs(cell.real) > static_cast<double>(std::numeric_limits<float>::max());
      if (!std::isfinite(cell.real) || beyond_float || (column.real_min && cell.real < *column.real_min) ||
          (column.real_max && cell.real > *column.real_max))
        return refuse(Code::bad_parameter, column, number_text(cell.real), expectation(column));
      return {};
    }
    case CellKind::bytes: return check_length(column, cell.bytes);
    case CellKind::none: return {};
  }
  return {};
}

void append_place(Extent const& extent, std::string& out) {
  append_little(out, extent.file);
  append_little(out, extent.begin);
  append_little(out, extent.size());
  append_little(out, extent.hash);
}

Extent place_of(std::string_view bytes) {
  ByteReader from{bytes};
  Extent out;
  out.file = from.number<std::uint32_t>();
  out.begin = from.number<std::uint64_t>();
  out.end = out.begin + from.number<std::uint64_t>();
  out.hash = from.number<std::uint64_t>();
  return out;
}

Status parse_value(Column const& column, Value const& value, std::string& scratch, Cell& out) {
  Status parsed;
  switch (kind_of(column.type)) {
    case CellKind::none: return is_bytes(value) && value.bytes.empty() ? Status{} : refuse(column, value);
    case CellKind::integer: {
      std::optional<std::int64_t> const integer = value.as_integer();
      if (!integer || value.kind == Value::Kind::boolean) return refuse(column, value);
      out.integer = *integer;
      break;
    }
    case CellKind::unsigned_integer: {
      if (column.type == ColumnType::character) return parse_character(column, value, out);
      bool const boolean = column.type == ColumnType::boolean;
      std::optional<std::uint64_t> const integer = boolean ? as_boolean(value) : value.as_unsigned();
      if (!integer || (value.kind == Value::Kind::boolean && !boolean)) return refuse(column, value);
      out.unsigned_integer = *integer;
      break;
    }
    case CellKind::real: parsed = parse_real(column, value, out); break;
    case CellKind::bytes:
      if (value.outside) {
        // It was checked before it was stored.
        scratch.clear();
        append_place(value.stored->extent, scratch);
        out.bytes = scratch;
        out.is_outside = true;
        return {};
      }
      parsed = parse_bytes(column, value, scratch, out);
      break;
  }
  return parsed.ok() ? check_limits(column, out) : parsed;
}

Status check_column(Column const& column) {
  if (Status status = check_column_limits(column); !status.ok()) return status;
  if (Status status = check_merge_rule(column); !status.ok()) return status;
  if (!column.default_text) return {};
  std::string scratch;
  Cell cell;
  Status const status = parse_value(column, Value::of_text(*column.default_text), scratch, cell);
  return status.ok() ? status : Status{Code::bad_configuration, "default of " + status.message()};
}

double as_written(float value) {
  std::array<char, 32> text{};
  char const* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double out = 0;
  std::from_chars(text.data(), end, out);
  return out;
}

bool has_text(ColumnType type) {
  return type == ColumnType::string || kind_of(type) == CellKind::integer ||
         kind_of(type) == CellKind::unsigned_integer;
}

std::string_view text_of(ColumnType type, Cell const& cell, std::string& scratch) {
  if (kind_of(type) == CellKind::bytes) return cell.bytes;
  char text[24];
  if (type == ColumnType::character) {
    char point[4];
    scratch.assign(point, store_utf8(static_cast<char32_t>(cell.unsigned_integer), point));
    return scratch;
  }
  char const* const end = kind_of(type) == CellKind::integer
                              ? std::to_chars(text, text + sizeof text, cell.integer).ptr
                              : std::to_chars(text, text + sizeof text, cell.unsigned_integer).ptr;
  scratch.assign(text, static_cast<std::size_t>(end - text));
  return scratch;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 40;
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string_view rest = text.substr(0, kShownBytesMax);
  std::string out = "\"";
  while (!rest.empty()) {
    auto const byte = static_cast<unsigned char>(rest[0]);
    std::string_view after = rest;
    bool const valid = take_character(after).has_value();
    // A character divided by the cut is left out, not shown as invalid.
    if (!valid && text.size() > kShownBytesMax && rest.size() < utf8_bytes(byte)) break;
    if (!valid || byte < 0x20 || byte == 0x7F) {
      out.append("\\x").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 0xFU]);
      rest.remove_prefix(1);
    } else {
      out.append(rest.substr(0, rest.size() - after.size()));
      rest = after;
    }
  }
  return out.append(text.size() > kShownBytesMax ? "...\"" : "\"");
}

}  // namespace fastjournal::model
