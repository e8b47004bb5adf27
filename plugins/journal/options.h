// The options of a journal as numbers, read once from the declaration: names and defaults stand in journal.xml. Those of
// the order and its limits are read by rows (plugins/rows/rules.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/table_type.h"
#include "plugins/rows/timers.h"

namespace fastjournal::journal {

// The smallest value that is worth a place in a file.
inline constexpr std::uint64_t kSpillMin = 16U << 10U;

struct Options {
  rows::LeaseTimes times;  // durations are ms
  rows::AttemptRules attempts;
  rows::Lifetimes lifetimes;
  std::int64_t max_postpone{3'600'000};
  std::int64_t clock_skew_max{0};  // 0: no limit
  std::uint64_t rows_max{0};       // 0: no limit
  std::uint64_t memory_max{0};     // bytes; 0: no limit
  std::uint64_t spill{0};          // values of so many bytes are kept outside the log and memory; 0: none
  std::size_t clients_max{100'000};
  std::uint32_t pause_after_failures{0};  // 0: never

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
  // Checks of two options together, which the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;

  // So many attempts in a row's life that an alert is raised, well before it is given up.
  [[nodiscard]] std::uint8_t weary_from() const {
    return static_cast<std::uint8_t>(std::max(1, (attempts.max_lifetime + 1) / 2));
  }
};

}  // namespace fastjournal::journal
