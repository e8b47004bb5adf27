// The main job from its first to its last line: documents, daemon, producer,
// backends, the kill -9 in the middle, and what came of it. It starts the
// processes, follows what they write down, and decides when which of them ends.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "clients/main_job/progress.h"
#include "clients/main_job/report.h"
#include "fastjournal/status.h"

namespace fastjournal::main_job {

struct Settings {
  std::vector<std::filesystem::path> folders{};  // of documents
  std::uint32_t pages_max{4000};
  std::string query{"license AND warranty"};
  bool query_given{false};  // else a word of the index is taken if the query has no hit
  std::uint64_t seed{1};
  std::filesystem::path program{};     // this one, to be started again as producer and backend
  std::filesystem::path run_folder{};  // exists, is empty
  Progress::Style style{Progress::Style::lines};
  std::sig_atomic_t volatile const* interrupted;  // not 0: stop everything and return
};

// `closed`: it was interrupted; any other Status: it could not be done, and why. An Outcome may still
// say that the result is wrong (what_is_wrong). No process of ours is left behind in any case.
[[nodiscard]] Result<Outcome> play(Settings const& settings);

}  // namespace fastjournal::main_job
