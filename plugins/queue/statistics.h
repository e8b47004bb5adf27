// Counters and histograms of a table since the daemon serves. Derived: not logged, and 0 after a restart.
#pragma once

#include <cstdint>

#include "fastjournal/histogram.h"
#include "plugins/rows/failing.h"

namespace fastjournal::queue {

struct Statistics {
  std::uint64_t sent{0};       // messages on queues; one for each of several queues
  std::uint64_t unrouted{0};   // that an exchange routed to no queue
  std::uint64_t duplicate{0};  // that were resent
  std::uint64_t leased{0};
  std::uint64_t accepted{0};
  std::uint64_t released{0};
  std::uint64_t timed_out{0};
  std::uint64_t overdue{0};  // of these, by their date
  std::uint64_t attempts_failed{0};
  std::uint64_t failed{0};   // parked
  std::uint64_t dead{0};     // moved to dead letters
  std::uint64_t dropped{0};  // by a limit, without dead letters
  std::uint64_t moved{0};
  std::uint64_t deleted{0};
  std::uint64_t expired{0};

  rows::Failing deliveries;

  Histogram lateness_ms;    // date -> lease
  Histogram wait_ms;        // arrival -> first lease
  Histogram processing_ms;  // lease -> ACCEPT

  [[nodiscard]] std::uint64_t memory_bytes() const {
    return lateness_ms.memory_bytes() + wait_ms.memory_bytes() + processing_ms.memory_bytes();
  }
};

}  // namespace fastjournal::queue
