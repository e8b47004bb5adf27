// Frames field by field, for people: each line has the bytes and what they mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::fj {

// Of a frame that is whole; another one is shown as bytes, with what is wrong with it.
[[nodiscard]] std::string trace_request(std::string_view bytes);
[[nodiscard]] std::string trace_reply(std::string_view bytes);

// The bytes of what a trace shows between quotation marks: \xNN is a byte. Empty: a backslash without that.
[[nodiscard]] std::optional<std::string> unquoted(std::string_view text);

}  // namespace fastjournal::fj
