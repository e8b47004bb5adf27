// Keys and values in messages.
//
// A key is bytes. In messages it is text, or, if it is no UTF-8, the binary parameter of the same name with _binary
// behind it, which is base64 in lines and JSON. Integers and floats are 8 bytes, little endian; a boolean is one byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "model/parameters.h"
#include "plugins/keyvalue/facts.h"

namespace fastjournal::keyvalue {

// The key in `name`, or NAME_binary: at most `bytes_max` bytes. `scratch` is its memory where it must be decoded.
// Of a duration in ms: from here on, 31 years, it is a date that somebody took for one.
inline constexpr std::int64_t kDurationMax = 999'999'999'999;

[[nodiscard]] std::string_view read_key(Message const& message, model::Parameters& parameters, std::string_view name,
                                        std::size_t bytes_max, bool is_required, std::string& scratch);
void check_key(std::string_view key, std::string_view name, std::size_t bytes_max, model::Parameters& parameters);
void add_key(Answer& answer, std::string_view name, std::string_view name_binary, std::string_view key);

[[nodiscard]] std::string_view name_of(ValueType type);
// The parameter `type`; by the kind of `value` if it is absent (nullptr: there is no value).
[[nodiscard]] ValueType read_type(Message const& message, model::Parameters& parameters, Value const* value);
// The bytes of a value of this type.
[[nodiscard]] std::string_view read_value(Value const& value, std::string_view name, ValueType type,
                                          model::Parameters& parameters, std::string& scratch);
void add_value(Answer& answer, ValueType type, std::string_view bytes);

[[nodiscard]] std::int64_t integer_of(std::string_view bytes);
[[nodiscard]] double real_of(std::string_view bytes);
[[nodiscard]] std::string bytes_of(std::int64_t value);
[[nodiscard]] std::string bytes_of(double value);

}  // namespace fastjournal::keyvalue
