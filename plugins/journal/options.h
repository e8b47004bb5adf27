// The options of a journal as numbers, read once from the declaration: names and defaults stand in journal.xml. Those of
// the order and its limits are read by rows (plugins/rows/rules.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/timers.h"

namespace fastjournal::journal {

// The smallest value that is worth a place in a file.
inline constexpr std::uint64_t kSpillMin = 16U << 10U;

struct Options {
  std::int64_t processing_timeout{3'600'000};  // durations are ms
  std::int64_t processing_timeout_min{0};
  std::int64_t processing_timeout_max{0};
  std::int64_t processing_timeout_http{300'000};  // of who has no connection that could hold a lease
  rows::AttemptRules attempts;
  rows::Lifetimes lifetimes;
  std::int64_t max_postpone{3'600'000};
  std::int64_t clock_skew_max{0};  // 0: no limit
  std::uint64_t rows_max{0};       // 0: no limit
  std::uint64_t memory_max{0};     // bytes; 0: no limit
  std::uint64_t spill{0};          // values of so many bytes are kept outside the log and memory; 0: none
  std::size_t clients_max{100'000};
  std::uint32_t pause_after_failures{0};  // 0: never

  [[nodiscard]] static Options read(TableDeclaration const& declaration);
  // How long a lease lasts that says nothing else.
  [[nodiscard]] std::int64_t lease_of(Command const& command) const {
    if (command.holds) return processing_timeout;
    return std::max(processing_timeout_min, std::min(processing_timeout, processing_timeout_http));
  }
  // Checks of two options together, which the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;

  // So many attempts in a row's life that an alert is raised, well before it is given up.
  [[nodiscard]] std::uint8_t weary_from() const {
    return static_cast<std::uint8_t>(std::max(1, (attempts.max_lifetime + 1) / 2));
  }
};

}  // namespace fastjournal::journal
