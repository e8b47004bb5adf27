// The state of a document at one destination (doc/pipeline.md has the drawing).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fastjournal::pipeline {

enum class State : std::uint8_t {
  processing,  // found, and to be brought there
  restart,     // to be brought there again, whatever its hash
  dirty,       // to be brought there again if its source finds it, with whatever hash
  force,       // to be brought there again by an operator's request, although it had arrived
  error,       // failed, and rests until it is tried again
  batched,     // in a worker's batch, not sent so far
  sending,     // about to be sent: after a crash it is unknown whether it was
  sent,
  dropped,    // on purpose: filtered, or a router chose another way
  dead,       // failed too often
  error_doc,  // failed for good
};
inline constexpr std::size_t kStates = 11;

// As in messages.
inline constexpr std::array<std::string_view, kStates> kStateNames{
    "processing", "restart", "dirty", "force", "error", "batched", "sending", "sent", "dropped", "dead", "error_doc"};

[[nodiscard]] constexpr std::string_view name_of(State state) { return kStateNames[static_cast<std::size_t>(state)]; }
[[nodiscard]] constexpr std::optional<State> state_named(std::string_view name) {
  for (std::size_t at = 0; at < kStates; ++at)
    if (kStateNames[at] == name) return static_cast<State>(at);
  return std::nullopt;
}

// Nothing more happens by itself.
[[nodiscard]] constexpr bool is_terminal(State state) { return state >= State::sent; }
// Terminal, and not as it should be: an operator looks at it.
[[nodiscard]] constexpr bool is_failed(State state) { return state == State::dead || state == State::error_doc; }
// Waits to be brought there; without a lease it has not begun.
[[nodiscard]] constexpr bool is_open(State state) { return state <= State::error; }

}  // namespace fastjournal::pipeline
