// The main job as a whole: documents, daemon, forwarder, producer, backends, the time without a daemon, the kill -9 of a
// backend, and the result. It starts the processes, follows their events, and decides when to end each of them.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "clients/demo/main_job/progress.h"
#include "clients/demo/main_job/report.h"
#include "fastjournal/status.h"

namespace fastjournal::main_job {

struct Settings {
  std::vector<std::filesystem::path> folders{};  // with documents
  std::uint32_t pages_max{4000};
  std::string query{"license AND warranty"};
  bool query_given{false};  // if not, a query without a hit is replaced by a word of the index
  std::uint64_t seed{1};
  std::filesystem::path program{};     // this one, to be started as producer and backend
  std::filesystem::path run_folder{};  // exists and is empty
  Progress::Style style{Progress::Style::lines};
  std::sig_atomic_t volatile const* interrupted;  // not 0: stop everything and return
};

// `closed`: interrupted; any other Status: the run was impossible, with the reason. The Outcome may still be wrong
// (what_is_wrong). In every case, all our processes have ended.
[[nodiscard]] Result<Outcome> play(Settings const& settings);

}  // namespace fastjournal::main_job
