// The options of a journal, and what follows from them. Those of the order and its limits are read by rows
// (plugins/rows/rules.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "plugins/journal/made.h"

namespace fastjournal::journal {

// The smallest value that is worth a place in a file.
inline constexpr std::uint64_t kSpillMin = 16U << 10U;

struct Options : made::Options {
  void complete() {
    attempts.delete_failed = when_failed == made::TableWhenFailed::delete_word;
    attempts.keeps_history = keep_done != 0;
  }
  // Checks of two options together, which the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;

  // So many attempts in a row's life that an alert is raised, well before it is given up.
  [[nodiscard]] std::uint8_t weary_from() const {
    return static_cast<std::uint8_t>(std::max(1, (attempts.max_lifetime + 1) / 2));
  }
};

}  // namespace fastjournal::journal
