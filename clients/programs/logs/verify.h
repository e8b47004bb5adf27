// Reads a log like a start of the daemon, without any change: reports its contents, whether all of it is sound, and the
// digest of the tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "clients/programs/logs/recovered.h"

namespace fastjournal::tools {

struct LogFacts {
  log::file::RecoveryReport report;
  std::uint64_t segment_bytes{0};
  std::uint32_t block_bytes{0};
  std::uint64_t digest{0};
  std::uint64_t records_of_no_table{0};
  std::vector<Recovered::TableFacts> tables;
};

// not_found: there is no log in this folder. in_use: a daemon uses it. damaged, bad_configuration: the errors of a
// start.
[[nodiscard]] Result<LogFacts> verify(env::Disk& disk, std::string const& folder, engine::TableTypes const& types,
                                      Progress progress = {});

// The same, for a caller that has the folder's lock.
[[nodiscard]] Result<LogFacts> read_log(env::Disk& disk, std::string const& folder, engine::TableTypes const& types,
                                        Progress progress);

// The error for a folder without segments.
[[nodiscard]] Status no_log_here();

}  // namespace fastjournal::tools
