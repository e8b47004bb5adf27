// How far a run of `put --lines` is, as a small file, so that another run can go on where it ended: `--resume FILE`.
// Lines `name value`. Kept only where it is asked for, as it belongs beside the input. The sequence of an INSERT is the
// number of its line, so that a run without a state can be continued by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fastjournal/status.h"

namespace fastjournal::cli {

// All of it speaks of the lines that were confirmed one after the other from the first on: each is in, was refused, or
// is blank.
struct RunState {
  std::string table;
  std::string client;      // each line's INSERT has this client, and as sequence the line's number
  std::uint64_t lines{0};  // so many are confirmed
  std::uint64_t hash{0};   // of these lines: hash_line() of each on top of the one before, from 0
  std::uint64_t in{0};
  std::uint64_t refused{0};
  std::string refused_file;        // empty: none was made
  std::uint64_t refused_bytes{0};  // its size then
};

[[nodiscard]] std::uint64_t hash_line(std::string const& line, std::uint64_t before);

// Nothing if there is no such file; bad_parameter if it is none of ours.
[[nodiscard]] Result<std::optional<RunState>> read_state(std::string const& path);
// Replaces the file in one step; what stands there survives a power cut.
[[nodiscard]] Status write_state(std::string const& path, RunState const& state);

}  // namespace fastjournal::cli
