// Counters and histograms of a table since the daemon serves. Derived: not logged, and 0 after a restart.
#pragma once

#include <cstdint>

#include "fastjournal/histogram.h"
#include "plugins/rows/failing.h"

namespace fastjournal::pipeline {

struct Statistics {
  std::uint64_t found{0};       // documents, new ones
  std::uint64_t changed{0};     // that had another hash
  std::uint64_t unchanged{0};   // that were complete
  std::uint64_t handed_out{0};  // documents, by NEXT or FOUND
  std::uint64_t runs_again{0};  // of originals, for their children
  std::uint64_t sendings{0};
  std::uint64_t sent{0};
  std::uint64_t dropped{0};
  std::uint64_t failures{0};
  std::uint64_t stale{0};      // reports of workers who were fenced
  std::uint64_t timed_out{0};  // leases that ran out
  std::uint64_t in_doubt{0};
  std::uint64_t dead{0};
  std::uint64_t pauses{0};  // of destinations, by failures

  rows::Failing deliveries;

  Histogram sending_ms;  // SENDING -> SENT

  [[nodiscard]] std::uint64_t memory_bytes() const { return sending_ms.memory_bytes(); }
};

}  // namespace fastjournal::pipeline
