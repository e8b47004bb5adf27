#include "clients/programs/fastjournal/pair_values.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "clients/cpp/key_text.h"
#include "clients/programs/fastjournal/buffers.h"

namespace fastjournal::cli {

namespace {

using client::Buffer;
using client::TypedValue;
using client::ValueType;

template <typename T>
std::optional<T> spelled(std::string_view text) {
  T out{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

Status bad(std::string_view text, ValueType type, std::string_view expected) {
  return {Code::bad_parameter,
          fmt::format("'{}' is no {}: expected {}", text.substr(0, 64), client::name_of(type), expected)};
}

void set_copy(Message& message, std::string_view name, std::string_view bytes) {
  client::set_key(message, name, message.arena().copy(bytes));
}

void set_date_of(Message& message, std::string_view name, std::optional<TimeMs> const& date) {
  if (date) message.set_integer(name, date->value);
}

std::string spelled_number(TypedValue const& value) {
  switch (client::type_of(value)) {
    case ValueType::integer: return std::to_string(std::get<std::int64_t>(value));
    case ValueType::real: return client::real_text(std::get<double>(value));
    case ValueType::boolean: return std::get<bool>(value) ? "true" : "false";
    default: return {};
  }
}

}  // namespace

Result<TypedValue> parse_value(ValueType type, std::string_view text) {
  switch (type) {
    case ValueType::nothing:
      if (!text.empty()) return bad(text, type, "no value");
      return TypedValue{};
    case ValueType::buffer: {
      if (!text.starts_with(kBase64Prefix)) return TypedValue{Buffer{std::string(text)}};
      Buffer out;
      if (!decode_base64(text.substr(kBase64Prefix.size()), out.bytes)) return bad(text, type, "base64 behind base64:");
      return TypedValue{std::move(out)};
    }
    case ValueType::string:
      if (!is_utf8(text))
        return Status{Code::bad_parameter, "the value is no text in UTF-8: --type buffer takes any bytes"};
      return TypedValue{std::string(text)};
    case ValueType::integer:
      if (auto const integer = spelled<std::int64_t>(text)) return TypedValue{*integer};
      return bad(text, type, "a whole number of 64 bits");
    case ValueType::real:
      if (auto const real = spelled<double>(text); real && std::isfinite(*real)) return TypedValue{*real};
      return bad(text, type, "a number");
    case ValueType::boolean:
      if (text == "true" || text == "1") return TypedValue{true};
      if (text == "false" || text == "0") return TypedValue{false};
      return bad(text, type, "true, false, 1 or 0");
  }
  return TypedValue{};
}

TypedValue value_of_bytes(std::string bytes) {
  if (is_utf8(bytes)) return TypedValue{std::move(bytes)};
  return TypedValue{Buffer{std::move(bytes)}};
}

Result<TypedValue> parse_sum(std::string_view text) {
  if (auto const integer = spelled<std::int64_t>(text)) return TypedValue{*integer};
  if (auto const real = spelled<double>(text); real && std::isfinite(*real)) return TypedValue{*real};
  return Status{Code::bad_parameter,
                fmt::format("BY is '{}': expected a whole number of 64 bits, or one with a point", text.substr(0, 64))};
}

std::string line_of(TypedValue const& value) {
  switch (client::type_of(value)) {
    case ValueType::nothing: return {};
    case ValueType::buffer: return fmt::format("({} bytes)", std::get<Buffer>(value).bytes.size());
    case ValueType::string: return printable(std::get<std::string>(value));
    default: return spelled_number(value);
  }
}

std::string bare(TypedValue const& value, bool raw, bool terminal) {
  bool const is_buffer = client::type_of(value) == ValueType::buffer;
  std::string out;
  if (is_buffer)
    out = std::get<Buffer>(value).bytes;
  else if (client::type_of(value) == ValueType::string)
    out = std::get<std::string>(value);
  else
    out = spelled_number(value);
  if (raw) return out;
  if (terminal) out = printable_lines(out);
  return is_buffer && !terminal ? out : out + '\n';
}

Message message_of(client::Pair const& pair, bool with_value, bool whole, bool facts) {
  Message out("PAIR");
  if (whole) set_copy(out, "table", pair.table);
  set_copy(out, "key", pair.key);
  if (whole) out.set("type", client::name_of(pair.type));
  if (with_value && client::type_of(pair.value) != ValueType::nothing) {
    Value value = client::value_of(pair.value);
    std::string const number = spelled_number(pair.value);
    // People are shown the spelling that they type.
    if (!whole && !number.empty()) value = Value::of_text(number);
    value.bytes = out.arena().copy(value.bytes);
    // A string that was cut within a character.
    if (value.kind == Value::Kind::text && !is_utf8(value.bytes)) value = Value::of_binary(value.bytes);
    out.set("value", value);
  }
  if (facts || (whole && !with_value)) out.set("size", Value::of_unsigned(pair.size));
  if (whole) out.set("timestamp", Value::of_unsigned(pair.timestamp));
  set_date_of(out, "expiration_date", pair.expires);
  if (pair.locked) out.set_integer("locked", 1);
  if (pair.worked_on) out.set_integer("worked_on", 1);
  if (!facts) return out;
  if (pair.ttl) out.set_integer("ttl", pair.ttl->value);
  set_date_of(out, "lock_end", pair.lock_end);
  set_date_of(out, "worked_on_end", pair.worked_on_end);
  out.set_integer("persist", pair.persist ? 1 : 0);
  set_date_of(out, "creation_date", pair.created);
  set_date_of(out, "modification_date", pair.modified);
  set_date_of(out, "access_date", pair.accessed);
  if (!pair.main_key.empty()) set_copy(out, "main_key", pair.main_key);
  return out;
}

}  // namespace fastjournal::cli
