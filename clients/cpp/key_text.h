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
// Empty if there are none.
[[nodiscard]] std::string bytes_in(Message const& message, std::string_view name);
// In place of the key that it has, what is made of it; nothing if it is empty.
void set_hash(Message& message, std::string_view hash);
// The value of a PAIR or STORED, by its `type`, if it has one. invalid: it is none.
[[nodiscard]] Status read_value(Message const& message, TypedValue& out);
// Borrowed.
[[nodiscard]] Value value_of(TypedValue const& value);
// A float has a point, so that it is not taken for an integer.
[[nodiscard]] std::string real_text(double real);

// For `keys` of GET, and `pairs` of SET. bad_parameter: JSON cannot hold them.
[[nodiscard]] std::string json_array(std::span<std::string_view const> keys);
[[nodiscard]] Result<std::string> json_object(std::span<std::pair<std::string, TypedValue> const> pairs);

// Numbered, unless it has a condition: repeated, that would be answered by what the first one has done.
[[nodiscard]] Result<Reply> call_changing(Connection& connection, Message& command);

}  // namespace fastjournal::client
