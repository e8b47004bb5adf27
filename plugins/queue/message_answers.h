// A message as a message of an answer.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/queue/message_body.h"
#include "plugins/queue/table_state.h"

namespace fastjournal::queue {

// The part of its body to be shown.
struct BodyRequest {
  bool none{false};
  bool place{false};  // of a body in a file: its place
  bool is_part{false};
  std::uint64_t offset{0};
  std::uint64_t length{UINT64_MAX};
};

// Adds what a message consists of to the current message of the answer, its body last. Returns the bytes that its body
// has outside the log. Not ok: its shared body is not there (damage).
[[nodiscard]] Status add_shared_body(TableState const& shared, std::uint32_t row, BodyRequest const& request,
                                     Answer& answer, std::uint64_t& outside);

// waiting, due, acquired or parked.
[[nodiscard]] std::string_view status_of(rows::Place place);
// The message of its group for which one waits that is behind; none: it is not known.
[[nodiscard]] ObjectId before_in_group(TableState const& shared, std::uint32_t row);

// All of it that `command` may see, in a message of its own.
[[nodiscard]] Status describe(TableState const& shared, Command const& command, std::uint32_t row,
                              BodyRequest const& request, Answer& answer, std::uint64_t& outside);

}  // namespace fastjournal::queue
