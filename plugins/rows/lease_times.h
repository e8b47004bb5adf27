// Parameters and answers of every command that hands out work: how long its lease lasts, who the worker is, how long it
// waits, and that there is nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "model/given.h"

namespace fastjournal::rows {

struct LeaseTimes {
  std::int64_t usual{3'600'000};  // ms
  std::int64_t min{1};
  std::int64_t max{0};
  std::int64_t http{INT64_MAX};  // at most, of who has no connection that could hold a lease

  // Of a lease that says nothing else.
  [[nodiscard]] std::int64_t of(Command const& command) const;
  // Of the parameter `lease`.
  [[nodiscard]] model::Range range(Command const& command) const { return {min, max, of(command)}; }
  // Checks beyond those of the loader: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
};

// Refuses to wait where the answer would not be known from others.
[[nodiscard]] Status check_wait(Command const& command, std::int64_t wait_ms);
// There is nothing to be handed out before that date (max(): not known): the command waits, or says so.
Verdict give_nothing(std::string_view table, std::int64_t wait_ms, TimeMs next_date, Decision& decision);
// Refuses a worker's name that is too long.
[[nodiscard]] Status check_worker(Command const& command);

}  // namespace fastjournal::rows
