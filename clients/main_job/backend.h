// A backend of the story: it listens, leases pages, puts their text into the
// index, and says DONE. Before it goes on it writes down what it does, so
// that the end can be checked whenever and however it is killed.
#pragma once

#include <cstdint>
#include <string>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

struct BackendJob {
  std::string server;
  std::string name;    // the worker's name, for people
  std::string index;   // file (index.h)
  std::string events;  // file (event.h)
  // Rows it holds at a time: each DONE brings one more.
  std::uint32_t rows_held{4};
};

// Works until SIGTERM; what it holds then it gives back.
[[nodiscard]] Status work(BackendJob const& job);

}  // namespace fastjournal::main_job
