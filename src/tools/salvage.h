// What is left of a damaged log, as a new log that the daemon starts on. The
// damaged one is only read.
//
// Groups stay whole: each lies in one batch, and a batch is there or not. A
// record that no longer fits what is left (a lease of a row that another
// record, now lost, had returned) is left out alone, and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.h"
#include "tools/scan.h"
#include "tools/verify.h"

namespace fastjournal::tools {

struct Salvaged {
  std::vector<std::string> odd_containers;  // "container-000002: neither copy of the header can be read; ..."
  std::vector<Gap> lost;                    // damage, in the order of the log
  std::uint64_t lost_bytes{0};              // in these
  std::uint64_t batches{0};
  std::uint64_t records_kept{0};
  struct LeftOut {
    TableId table{};
    std::string name;  // empty: the catalogue does not know the table
    std::uint64_t records{0};
    std::string reason;
  };
  std::vector<LeftOut> left_out;
  LogFacts result;  // the new log, as `verify` finds it
};

// wrong_state: the log is sound, there is nothing to salvage. `store_id`: chance, for the new log.
[[nodiscard]] Result<Salvaged> salvage(env::Disk& disk, std::string const& folder, env::Disk& to_disk,
                                       std::string const& to_folder, core::TableTypes const& types,
                                       std::uint64_t store_id, Progress const& progress = {});

}  // namespace fastjournal::tools
