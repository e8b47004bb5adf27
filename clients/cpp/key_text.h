// Keys and values of a key/value table in messages. Internal to the library and the C API.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "clients/cpp/key_value.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::client {

// As `name` if it is text, else as `name`_binary. `name` must be a literal; the key is borrowed.
void set_key(Message& message, std::string_view name, std::string_view key);
// Either of the two, in any framing; empty if there is none.
[[nodiscard]] std::string key_in(Message const& message, std::string_view name);
// The value of a PAIR or STORED, by its `type`. invalid: it is none.
[[nodiscard]] Result<TypedValue> value_in(Message const& message);
// Borrowed.
[[nodiscard]] Value value_of(TypedValue const& value);
// A float has a point, so that it is not taken for an integer.
[[nodiscard]] std::string real_text(double real);

// For `keys` of GET, and `pairs` of SET. bad_parameter: JSON cannot hold them.
[[nodiscard]] std::string json_array(std::span<std::string_view const> keys);
[[nodiscard]] Result<std::string> json_object(std::span<std::pair<std::string, TypedValue> const> pairs);

}  // namespace fastjournal::client
