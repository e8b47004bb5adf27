// The progress of a run of `put --from` as a small file, so that another run can continue it: `--resume FILE`. Lines
// `name value`. Only on request, since the file belongs next to the input. The sequence of an INSERT is the number of
// its row in the input, so that a run without a state can be continued by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::cli {

// Everything refers to the confirmed rows, without gaps from the first row on: each is inserted, refused or blank.
struct RunState {
  std::string table;
  std::string client;      // the client of each row's INSERT, whose sequence is the row's number
  std::uint64_t rows{0};   // confirmed
  std::uint64_t lines{0};  // of the input, up to the end of the last of them
  std::uint64_t hash{
      0};  // of the header of CSV and these rows: hash_row() of each, continued from the previous, from 0
  std::uint64_t in{0};
  std::uint64_t refused{0};
  std::string refused_file;
  std::uint64_t refused_bytes{0};  // its size at that point
  std::uint64_t reasons_bytes{0};  // that of the file of reasons
};

[[nodiscard]] std::uint64_t hash_row(std::string_view text, std::uint64_t before);

// Empty if there is no such file; bad_parameter if it is not a state file.
[[nodiscard]] Result<std::optional<RunState>> read_state(std::string const& path);
// Replaces the file atomically; the new contents survive a power cut.
[[nodiscard]] Status write_state(std::string const& path, RunState const& state);

}  // namespace fastjournal::cli
