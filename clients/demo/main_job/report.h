// The result of a run: whether it was correct, as a table for people and as one JSON object for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients/demo/main_job/forwarder_process.h"
#include "clients/demo/main_job/index.h"
#include "clients/demo/main_job/ledger.h"

namespace fastjournal::main_job {

// The daemon's own figures (STATS): rows at the end, wake-ups of its first start. After its return the backends have
// work for most of the time, and few are woken.
struct DaemonFigures {
  std::uint64_t rows_left{0};
  std::uint64_t rows_parked{0};
  std::uint64_t wakes{0};
  std::uint64_t lateness_us_p50{0};
  std::uint64_t lateness_us_p99{0};
  std::string durability{};
};

// The time without a daemon, in the middle of the run.
struct Outage {
  double seconds{0};      // from kill -9 until it was ready again; 0: there was none
  Ledger::Saves saves{};  // meanwhile
  // From its return until everything saved before was confirmed, to the forwarder's second.
  double caught_up_seconds{0};
};

struct Outcome {
  std::uint64_t pages_wanted{0};
  Counts counts{};
  Verdict verdict{};
  Histogram lateness{};          // from LISTEN's date to the time of reading by a backend, us
  double seconds{0};             // from the first save to the last row done
  std::uint64_t best_second{0};  // maximum of rows done within one second
  std::string killed{};          // the killed backend; empty: none was found with leased rows
  std::uint64_t killed_rows{0};
  Ledger::Saves saves{};  // of the whole run
  Outage outage{};
  ForwarderFigures forwarder{};
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
