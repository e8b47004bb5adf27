// Frames field by field, for people: each line has the bytes and what they mean.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal::fj {

// Of a frame that is whole; another one is shown as bytes, with what is wrong with it.
[[nodiscard]] std::string trace_request(std::string_view bytes);
[[nodiscard]] std::string trace_reply(std::string_view bytes);

}  // namespace fastjournal::fj
