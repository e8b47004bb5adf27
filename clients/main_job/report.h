// The result of a run: whether it was correct, as a table for people and as one JSON object for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients/main_job/index.h"
#include "clients/main_job/ledger.h"

namespace fastjournal::main_job {

// The daemon's own figures (STATS), next to our counts.
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
  Histogram lateness{};          // from LISTEN's date to the time of reading by a backend, us
  double seconds{0};             // from the first insert to the last row done
  std::uint64_t best_second{0};  // maximum of rows done within one second
  std::string killed{};          // the killed backend; empty: none was found with leased rows
  std::uint64_t killed_rows{0};
  DaemonFigures daemon{};
  std::uint64_t index_pages{0};
  std::uint64_t index_bytes{0};
  std::vector<std::string> index_missing{};  // URIs that are done but not in the index
  std::string query{};
  std::vector<Hit> hits{};
  std::vector<std::string> problems{};  // all other errors
};

// All errors of this run, one sentence each; empty: it is correct.
[[nodiscard]] std::vector<std::string> what_is_wrong(Outcome const& outcome);

[[nodiscard]] std::string table_of(Outcome const& outcome);
[[nodiscard]] std::string json_of(Outcome const& outcome);

}  // namespace fastjournal::main_job
