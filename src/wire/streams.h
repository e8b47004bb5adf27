// The commands whose answer never ends: pushes follow it until the connection ends, or the command's counterpart stops
// them. Protocols that answer one request after the other need to know them: over HTTP they are server-sent events.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace fastjournal::protocol {

inline constexpr std::array<std::string_view, 2> kStreamingCommands{"LISTEN", "WATCH"};

[[nodiscard]] constexpr bool is_streaming(std::string_view command) {
  return std::ranges::find(kStreamingCommands, command) != kStreamingCommands.end();
}

// A parameter of other commands by which pushes follow: where an answer has an end, it is refused.
inline constexpr std::string_view kStreamingParameter = "listen";

}  // namespace fastjournal::protocol
