// The names of queues and exchanges, routing keys and patterns, which clients invent.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::queue {

// Of a name, a routing key or a pattern, in bytes. A queue is the topic of its messages (kDomainBytesMax).
inline constexpr std::size_t kNameBytesMax = 255;

// `what`: the parameter. UTF-8 without control characters and blanks, and not empty.
[[nodiscard]] Status check_name(std::string_view what, std::string_view name);
// The same, but it may be empty and have blanks.
[[nodiscard]] Status check_routing_key(std::string_view key);
// Empty: there is none.
[[nodiscard]] Status check_group(std::string_view group);
[[nodiscard]] Status check_deduplication(std::string_view text);
// The names between these characters, in their order.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text, std::string_view between);

}  // namespace fastjournal::queue
