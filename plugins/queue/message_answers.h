// A message as a message of an answer.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/queue/letter.h"
#include "plugins/queue/shared.h"

namespace fastjournal::queue {

// What is to be shown of its body.
struct BodyWish {
  bool none{false};
  bool place{false};  // of a body in a file: its place
  bool is_part{false};
  std::uint64_t offset{0};
  std::uint64_t length{UINT64_MAX};
};

// Adds what a message consists of to the current message of the answer, its body last. Returns the bytes that its body
// has outside the log. Not ok: its letter is not there (damage).
[[nodiscard]] Status add_letter(Shared const& shared, std::uint32_t row, BodyWish const& wish, Answer& answer,
                                std::uint64_t& outside);

// waiting, due, acquired or parked.
[[nodiscard]] std::string_view status_of(rows::Place place);

// All of it that `command` may see, in a message of its own.
[[nodiscard]] Status describe(Shared const& shared, Command const& command, std::uint32_t row, BodyWish const& wish,
                              Answer& answer, std::uint64_t& outside);

}  // namespace fastjournal::queue
