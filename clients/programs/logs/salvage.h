// Writes the readable part of a damaged log into a new log that the daemon can start on. The damaged log is only read.
//
// Groups stay whole: each is in one batch, and a batch is either present or not. A record that does not fit the
// remaining ones (a lease of a row that was returned by a record now lost) is left out alone, and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients/programs/logs/scan.h"
#include "clients/programs/logs/verify.h"
#include "engine/types.h"

namespace fastjournal::tools {

struct Salvaged {
  std::vector<std::string> odd_segments;  // "container-000002: neither copy of the header can be read; ..."
  std::vector<Gap> lost;                  // damage, in the order of the log
  std::uint64_t lost_bytes{0};            // in `lost`
  std::uint64_t batches{0};
  std::uint64_t records_kept{0};
  struct LeftOut {
    TableId table{};
    std::string name;  // empty: unknown to the catalogue
    std::uint64_t records{0};
    std::string reason;
  };
  std::vector<LeftOut> left_out;
  LogFacts result;  // the new log, as `verify` finds it
};

// wrong_state: the log is sound, and there is nothing to salvage. `store_id`: random, for the new log.
[[nodiscard]] Result<Salvaged> salvage(env::Disk& disk, std::string const& folder, env::Disk& to_disk,
                                       std::string const& to_folder, engine::TableTypes const& types,
                                       std::uint64_t store_id, Progress const& progress = {});

}  // namespace fastjournal::tools
