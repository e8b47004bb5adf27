#include "clients/cpp/key_text.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "clients/cpp/answers.h"

namespace fastjournal::client {

namespace {

// Bytes as they are, or base64 in a text message.
std::string bytes_in(Value const& value) {
  std::string out;
  if (value.kind == Value::Kind::binary || value.verbatim)
    out = value.bytes;
  else
    static_cast<void>(decode_base64(value.bytes, out));
  return out;
}

void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (char const c : text) {
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  out += '"';
}

Status not_json(std::string_view key, std::string_view what) {
  return Status{Code::bad_parameter, fmt::format("{} cannot be one of many in a SET: use one SET for each", what)}.with(
      "key", std::string(key));
}

Result<TypedValue> value_in(Message const& message) {
  std::optional<ValueType> const type = value_type_of(message.text("type"));
  if (!type) return unexpected(message, "a value of a known type");
  if (*type == ValueType::nothing) return TypedValue{};
  Value const* const value = message.find("value");
  if (*type == ValueType::string) {
    if (value != nullptr) return TypedValue{std::string(value->bytes)};
    if (Value const* const cut = message.find("value_binary")) return TypedValue{bytes_in(*cut)};
  }
  if (value == nullptr) return unexpected(message, "a value");
  switch (*type) {
    case ValueType::buffer: return TypedValue{Buffer{bytes_in(*value)}};
    case ValueType::integer:
      if (auto const integer = value->as_integer()) return TypedValue{*integer};
      break;
    case ValueType::real:
      if (auto const real = value->as_real()) return TypedValue{*real};
      break;
    case ValueType::boolean:
      if (auto const integer = value->as_integer()) return TypedValue{*integer != 0};
      break;
    case ValueType::string:
    case ValueType::nothing: break;
  }
  return unexpected(message, "a value of its type");
}

}  // namespace

void set_key(Message& message, std::string_view name, std::string_view key) {
  if (is_utf8(key)) return message.set(name, key);
  message.set(message.arena().copy(std::string(name) + "_binary"), Value::of_binary(key));
}

std::string key_in(Message const& message, std::string_view name) {
  if (Value const* const plain = message.find(name)) return std::string(plain->bytes);
  return bytes_in(message, std::string(name) + "_binary");
}

std::string bytes_in(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? std::string() : bytes_in(*value);
}

void set_hash(Message& message, std::string_view hash) {
  if (hash.empty()) return;
  message.erase("key");
  message.erase("key_binary");
  message.set("hash", hash);
}

Status read_value(Message const& message, TypedValue& out) {
  if (!message.has("value") && !message.has("value_binary")) return {};
  return then(value_in(message), [&](TypedValue& value) -> Status {
    out = std::move(value);
    return {};
  });
}

Value value_of(TypedValue const& value) {
  switch (type_of(value)) {
    case ValueType::nothing: return Value::of_text({});
    case ValueType::buffer: return Value::of_binary(std::get<Buffer>(value).bytes);
    case ValueType::string: return Value::of_text(std::get<std::string>(value));
    case ValueType::integer: return Value::of_integer(std::get<std::int64_t>(value));
    case ValueType::real: return Value::of_real(std::get<double>(value));
    case ValueType::boolean: return Value::of_boolean(std::get<bool>(value));
  }
  return {};
}

std::string real_text(double real) {
  char digits[32];
  auto const [end, error] = std::to_chars(digits, digits + sizeof digits, real);
  std::string out{digits, end};
  if (std::isfinite(real) && out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string json_array(std::span<std::string_view const> keys) {
  std::string out = "[";
  for (std::string_view const key : keys) {
    if (out.size() > 1) out += ',';
    append_json(out, key);
  }
  return out + "]";
}

Result<std::string> json_object(std::span<std::pair<std::string, TypedValue> const> pairs) {
  std::string out = "{";
  for (auto const& [key, value] : pairs) {
    if (!is_utf8(key)) return not_json(key, "a key that is no UTF-8");
    if (out.size() > 1) out += ',';
    append_json(out, key);
    out += ':';
    switch (type_of(value)) {
      case ValueType::nothing: out += "null"; break;
      case ValueType::buffer: return not_json(key, "a buffer");
      case ValueType::string:
        if (!is_utf8(std::get<std::string>(value))) return not_json(key, "a string that is no UTF-8");
        append_json(out, std::get<std::string>(value));
        break;
      case ValueType::integer: out += std::to_string(std::get<std::int64_t>(value)); break;
      case ValueType::real:
        if (!std::isfinite(std::get<double>(value))) return not_json(key, "a float that is not finite");
        out += real_text(std::get<double>(value));
        break;
      case ValueType::boolean: out += std::get<bool>(value) ? "true" : "false"; break;
    }
  }
  return out + "}";
}

}  // namespace fastjournal::client
