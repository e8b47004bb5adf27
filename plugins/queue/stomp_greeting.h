// Recognises STOMP by the first bytes at its port. Without an empty line and a NUL, a client that
// speaks something else would wait in vain.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::queue::stomp {

// Of the frames of clients.
inline constexpr std::array<std::string_view, 11> kCommands{
    "CONNECT", "STOMP", "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "ACK", "NACK", "BEGIN", "COMMIT", "ABORT", "DISCONNECT"};

// Before CONNECT. Empty: it is STOMP, as far as can be told; a text: what it is instead; nothing: more must come. The fewest
// bytes that tell decide, however many have come: the cut of the stream changes nothing.
[[nodiscard]] std::optional<std::string> what_else_is_spoken(std::string_view unread);

}  // namespace fastjournal::queue::stomp
