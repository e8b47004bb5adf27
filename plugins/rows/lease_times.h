// Parameters and answers of every command that hands out work: how long its lease lasts, who the worker is, how long it
// waits, and that there is nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "model/parameters.h"

namespace fastjournal::rows {

struct LeaseTimes {
  std::int64_t usual{3'600'000};  // ms
  std::int64_t min{1};
  std::int64_t max{0};
  std::int64_t http{INT64_MAX};  // at most, of who has no connection that could hold a lease

  // Of a lease that says nothing else.
  [[nodiscard]] std::int64_t of(Command const& command) const;
  [[nodiscard]] std::int64_t read(Command const& command, model::Parameters& parameters) const {
    return parameters.integer("lease", of(command), min, max);
  }
  // Checks beyond those of the loader: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
};

// The parameter `wait`: how long the command waits when there is nothing.
[[nodiscard]] std::int64_t read_wait(Command const& command, model::Parameters& parameters);
// There is nothing to be handed out before that date (max(): not known): the command waits, or says so.
Verdict give_nothing(std::string_view table, std::int64_t wait_ms, TimeMs next_date, Decision& decision);
// Refuses a worker's name that is too long.
void check_worker(Command const& command, model::Parameters& parameters);

}  // namespace fastjournal::rows
