// Figures of the byte files of a table: for STATS and alerts.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"

namespace fastjournal::storage {

struct ByteFigures {
  std::uint64_t files{0};
  std::uint64_t file_bytes{0};      // up to the end of each
  std::uint64_t named_bytes{0};     // of these, named by records
  std::uint64_t promised_bytes{0};  // of values of transactions that are not over
  std::uint64_t staged_bytes{0};    // in memory, on their way to a file
  std::uint64_t stored_bytes{0};    // since the start
  std::uint64_t fetched_bytes{0};
  std::uint64_t copied_bytes{0};
  std::uint64_t given_back_bytes{0};
  std::uint64_t syncs{0};
  std::uint64_t scrubbed_bytes{0};
  std::uint64_t scrub_rounds{0};
  std::uint64_t damaged{0};
};

void tell_figures(ByteFigures const& figures, MetricSink& sink);

}  // namespace fastjournal::storage
