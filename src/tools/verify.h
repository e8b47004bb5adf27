// Reads a log as a start of the daemon does, and changes nothing: what is
// there, whether all of it is sound, and the digest of the tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/disk.h"
#include "tools/recovered.h"

namespace fastjournal::tools {

struct LogFacts {
  storage::RecoveryReport report;
  std::uint64_t container_bytes{0};
  std::uint32_t block_bytes{0};
  std::uint64_t digest{0};
  std::uint64_t records_of_no_table{0};
  std::vector<Recovered::TableFacts> tables;
};

// not_found: there is no log in this folder. in_use: a daemon has it. damaged, bad_configuration: what a start
// would say.
[[nodiscard]] Result<LogFacts> verify(env::Disk& disk, std::string const& folder, core::TableTypes const& types,
                                      Progress progress = {});

// The same by one who has the folder's lock.
[[nodiscard]] Result<LogFacts> read_log(env::Disk& disk, std::string const& folder, core::TableTypes const& types,
                                        Progress progress);

// Of a folder without containers.
[[nodiscard]] Status no_log_here();

}  // namespace fastjournal::tools
