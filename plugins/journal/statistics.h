// Counters and histograms of a table since the daemon serves. Derived: not logged, and 0 after a restart. Histograms
// allocate memory with their first value, so that ten thousand idle tables cost very little.
#pragma once

#include <cstdint>

#include "fastjournal/histogram.h"
#include "plugins/rows/failing.h"

namespace fastjournal::journal {

struct Statistics {
  // INSERTs by their result; `behind` ones are counted as inserted or merged too.
  std::uint64_t inserted{0};
  std::uint64_t merged{0};
  std::uint64_t behind{0};
  std::uint64_t duplicate{0};
  std::uint64_t stale{0};
  std::uint64_t unique{0};
  // Events of rows.
  std::uint64_t leased{0};
  std::uint64_t done{0};
  std::uint64_t released{0};
  std::uint64_t timed_out{0};
  std::uint64_t attempts_failed{0};  // RELEASE with an error, FAIL
  std::uint64_t failed{0};           // parked or deleted, by FAIL or after too many attempts
  std::uint64_t kicked{0};
  std::uint64_t deleted{0};
  std::uint64_t expired{0};

  rows::Failing attempts;

  Histogram lateness_ms;    // process date -> lease
  Histogram wait_ms;        // arrival -> first lease
  Histogram processing_ms;  // lease -> DONE
  Histogram merges;         // of rows that are DONE

  [[nodiscard]] std::uint64_t memory_bytes() const {
    return lateness_ms.memory_bytes() + wait_ms.memory_bytes() + processing_ms.memory_bytes() + merges.memory_bytes();
  }
};

}  // namespace fastjournal::journal
