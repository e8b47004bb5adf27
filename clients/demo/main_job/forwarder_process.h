// The forwarder of the main job: its command line, and what it says about itself in its spool folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "clients/demo/main_job/daemon_process.h"
#include "fastjournal/status.h"

namespace fastjournal::main_job {

// bin/fastjournal-client from `programs`, for the run's spool. not_found: there is no such program.
[[nodiscard]] Result<std::vector<std::string>> forwarder_words(std::filesystem::path const& programs,
                                                               RunFolder const& folder, std::string const& server);

// Rows since its start, except where another unit is named.
struct ForwarderFigures {
  std::uint64_t sent{0};       // again counted again
  std::uint64_t confirmed{0};  // durable at the daemon
  std::uint64_t held{0};
  std::uint64_t set_aside{0};
  std::uint64_t damaged_bytes{0};
  std::uint64_t waiting_bytes{0};  // now

  bool operator==(ForwarderFigures const&) const = default;
};

// From the text of its status file; invalid: with the reason.
[[nodiscard]] Result<ForwarderFigures> forwarder_figures_of(std::string_view json);
// It writes its status each second, and at its end. not_found: not so far.
[[nodiscard]] Result<ForwarderFigures> read_forwarder_figures(RunFolder const& folder);

}  // namespace fastjournal::main_job
