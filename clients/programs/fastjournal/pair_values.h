// Values and pairs of key/value tables as they are typed and shown. Apart so that each spelling can be tested.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/key_value.h"
#include "clients/programs/fastjournal/render.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// "string", "integer", ... bad_parameter: the text is no such value. A buffer is the bytes of the text, or base64:....
[[nodiscard]] Result<client::TypedValue> parse_value(client::ValueType type, std::string_view text);
// A string, or a buffer if the bytes are no text.
[[nodiscard]] client::TypedValue value_of_bytes(std::string bytes);
// A whole number is an integer, another one a float.
[[nodiscard]] Result<client::TypedValue> parse_sum(std::string_view text);

// In one line, for people.
[[nodiscard]] std::string line_of(client::TypedValue const& value);
// Alone: a buffer as it is, all others with a newline; on a terminal nothing that controls it. `raw`: its bytes.
[[nodiscard]] std::string bare(client::TypedValue const& value, bool raw, bool terminal);

// PAIR as it would come in a frame, of its own bytes. `whole`: with what programs and those who ask for facts need.
[[nodiscard]] Message message_of(client::Pair const& pair, bool with_value, bool whole, bool facts);

}  // namespace fastjournal::cli
