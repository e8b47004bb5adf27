// A backend of the story: it listens, leases pages, adds their text to the index, and sends DONE. It records each step
// before the next one, so that the result can be checked whenever and however it is killed.
#pragma once

#include <cstdint>
#include <string>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

struct BackendJob {
  std::string server;
  std::string name;    // of the worker, for people
  std::string index;   // file (index.h)
  std::string events;  // file (event.h)
  // Rows leased at a time: each DONE brings one more.
  std::uint32_t rows_held{4};
};

// Works until SIGTERM, then returns its leased rows.
[[nodiscard]] Status work(BackendJob const& job);

}  // namespace fastjournal::main_job
