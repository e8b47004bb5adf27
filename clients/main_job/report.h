// What came of a run: whether it was right, as a table for a person and as
// one JSON object for a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients/main_job/index.h"
#include "clients/main_job/ledger.h"

namespace fastjournal::main_job {

// What the daemon says about itself (STATS), beside what we counted.
struct DaemonFigures {
  std::uint64_t rows_left{0};
  std::uint64_t rows_parked{0};
  std::uint64_t done{0};
  std::uint64_t wakes{0};
  std::uint64_t lateness_us_p50{0};
  std::uint64_t lateness_us_p99{0};
  std::string durability{};
};

struct Outcome {
  std::uint64_t pages_wanted{0};
  Counts counts{};
  Verdict verdict{};
  Histogram lateness{};          // LISTEN's date to the moment a backend had read it, us
  double seconds{0};             // from the first insert to the last row done
  std::uint64_t best_second{0};  // rows done within one second, at most
  std::string killed{};          // the backend that was; empty: none was caught with rows in hand
  std::uint64_t killed_rows{0};
  DaemonFigures daemon{};
  std::uint64_t index_pages{0};
  std::uint64_t index_bytes{0};
  std::vector<std::string> index_missing{};  // URIs that are done but not there
  std::string query{};
  std::vector<Hit> hits{};
  std::vector<std::string> problems{};  // anything else that went wrong
};

// Every reason why this run is not right, one sentence each; none: it is.
[[nodiscard]] std::vector<std::string> what_is_wrong(Outcome const& outcome);

[[nodiscard]] std::string table_of(Outcome const& outcome);
[[nodiscard]] std::string json_of(Outcome const& outcome);

}  // namespace fastjournal::main_job
