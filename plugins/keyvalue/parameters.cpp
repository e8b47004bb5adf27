#include "plugins/keyvalue/parameters.h"

#include <array>
#include <bit>
#include <cmath>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/utf8.h"

namespace fastjournal::keyvalue {
namespace {

constexpr std::array<std::string_view, 6> kTypeNames = {"void", "buffer", "string", "integer", "float", "boolean"};

// Of a parameter that is bytes: as they are, or encoded in a line or JSON.
std::string_view bytes_in(Value const& value, std::string_view name, model::Parameters& parameters,
                          std::string& scratch) {
  if (value.kind == Value::Kind::binary || value.verbatim) return value.bytes;
  if (value.kind == Value::Kind::text && decode_base64(value.bytes, scratch)) return scratch;
  parameters.refuse(Code::bad_parameter, name, std::string{name} + " is not base64");
  return {};
}

}  // namespace

std::string_view read_key(Message const& message, model::Parameters& parameters, std::string_view name,
                          std::size_t bytes_max, bool is_required, std::string& scratch) {
  std::string const binary = std::string{name} + "_binary";
  Value const* const plain = message.find(name);
  Value const* const encoded = message.find(binary);
  if (plain == nullptr && encoded == nullptr) {
    if (is_required)
      parameters.refuse(Code::missing_parameter, name,
                        std::string{message.command} + " needs the parameter " + std::string{name} + ", or " + binary);
    return {};
  }
  if (plain != nullptr && encoded != nullptr)
    parameters.refuse(Code::bad_parameter, binary, std::string{name} + " and " + binary + " are given; expected one");
  std::string_view key;
  if (encoded != nullptr)
    key = bytes_in(*encoded, binary, parameters, scratch);
  else if (plain->kind == Value::Kind::text || plain->kind == Value::Kind::binary)
    key = plain->bytes;
  else
    parameters.refuse(Code::bad_parameter, name, std::string{name} + " is a number; expected text");
  if (parameters.ok() && (is_required || !key.empty())) check_key(key, name, bytes_max, parameters);
  return key;
}

void check_key(std::string_view key, std::string_view name, std::size_t bytes_max, model::Parameters& parameters) {
  if (key.empty())
    parameters.refuse(Code::bad_parameter, name, std::string{name} + " is empty; expected 1 byte or more");
  if (key.size() > bytes_max)
    parameters.refuse(Code::too_large, name,
                      std::string{name} + " has " + std::to_string(key.size()) + " bytes; at most " +
                          std::to_string(bytes_max) + " are allowed (key-size-max)");
}

void add_key(Answer& answer, std::string_view name, std::string_view name_binary, std::string_view key) {
  if (is_utf8(key))
    answer.add(name, key);
  else
    answer.add_binary(name_binary, key);
}

std::string_view name_of(ValueType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

ValueType read_type(Message const& message, model::Parameters& parameters, Value const* value) {
  if (Value const* const wanted = message.find("type")) {
    for (std::size_t i = 0; i < kTypeNames.size(); ++i)
      if (wanted->bytes == kTypeNames[i]) return static_cast<ValueType>(i);
    parameters.refuse(Code::bad_parameter, "type",
                      "type is \"" + std::string{wanted->bytes.substr(0, 64)} +
                          "\"; expected void, buffer, string, integer, float or boolean");
    return ValueType::nothing;
  }
  if (value == nullptr) return ValueType::nothing;
  switch (value->kind) {
    case Value::Kind::text: return ValueType::string;
    case Value::Kind::binary: return ValueType::buffer;
    case Value::Kind::integer:
    case Value::Kind::unsigned_integer: return ValueType::integer;
    case Value::Kind::real: return ValueType::real;
    case Value::Kind::boolean: return ValueType::boolean;
  }
  return ValueType::nothing;
}

std::string_view read_value(Value const& value, std::string_view name, ValueType type, model::Parameters& parameters,
                            std::string& scratch) {
  auto const expected = [&](std::string_view what) {
    parameters.refuse(Code::bad_parameter, name,
                      std::string{name} + " is no " + std::string{name_of(type)} + "; expected " + std::string{what});
    return std::string_view{};
  };
  switch (type) {
    case ValueType::nothing:
      return value.kind == Value::Kind::text && value.bytes.empty() ? std::string_view{} : expected("no value");
    case ValueType::buffer:
      return value.kind == Value::Kind::text || value.kind == Value::Kind::binary
                 ? bytes_in(value, name, parameters, scratch)
                 : expected("bytes");
    case ValueType::string:
      return (value.kind == Value::Kind::text || value.kind == Value::Kind::binary) && is_utf8(value.bytes)
                 ? value.bytes
                 : expected("text in UTF-8");
    case ValueType::integer: {
      auto const number = value.kind == Value::Kind::boolean ? std::nullopt : value.as_integer();
      if (!number) return expected("a whole number of 64 bits");
      scratch = bytes_of(*number);
      return scratch;
    }
    case ValueType::real: {
      auto const number = value.as_real();
      if (!number || !std::isfinite(*number)) return expected("a finite number");
      scratch = bytes_of(*number);
      return scratch;
    }
    case ValueType::boolean: {
      bool const is_true = value.kind == Value::Kind::text && value.bytes == "true";
      bool const is_false = value.kind == Value::Kind::text && value.bytes == "false";
      auto const number = is_true ? 1 : is_false ? 0 : value.as_integer().value_or(-1);
      if (number != 0 && number != 1) return expected("true, false, 1 or 0");
      scratch.assign(1, static_cast<char>(number));
      return scratch;
    }
  }
  return {};
}

void add_value(Answer& answer, ValueType type, std::string_view bytes) {
  answer.add("type", Value::of_text(name_of(type)));
  switch (type) {
    case ValueType::nothing: return;
    case ValueType::buffer: answer.add_binary("value", bytes); return;
    // One that was cut within a character is no text any more.
    case ValueType::string:
      if (is_utf8(bytes))
        answer.add("value", bytes);
      else
        answer.add_binary("value_binary", bytes);
      return;
    case ValueType::integer: answer.add("value", integer_of(bytes)); return;
    case ValueType::real: answer.add("value", Value::of_real(real_of(bytes))); return;
    case ValueType::boolean: answer.add("value", Value::of_boolean(bytes[0] != 0)); return;
  }
}

std::int64_t integer_of(std::string_view bytes) { return load_little<std::int64_t>(bytes.data()); }
double real_of(std::string_view bytes) { return std::bit_cast<double>(load_little<std::uint64_t>(bytes.data())); }

std::string bytes_of(std::int64_t value) {
  std::string out;
  append_little(out, value);
  return out;
}
std::string bytes_of(double value) {
  std::string out;
  append_little(out, std::bit_cast<std::uint64_t>(value));
  return out;
}

}  // namespace fastjournal::keyvalue
