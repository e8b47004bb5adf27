// The containers, batches and records of a log as messages, one for each: for
// a person, or as JSON for a program. Works on what is damaged, and says where.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "env/disk.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::tools {

struct DumpWish {
  Lsn from{};
  Lsn to{UINT64_MAX};            // records and batches that begin below
  std::string table;             // its name or its number; empty: all
  std::string container;         // its number, or its file's name; empty: all
  std::uint32_t body_bytes{64};  // of a record, shown in hexadecimal
};

// CONTAINER, BATCH, RECORD, DAMAGE and REST messages, in the order of the log; for what is left out see DumpWish.
using DumpSink = std::function<void(Message const&)>;

// True if there is damage. not_found, in_use, bad_parameter (a table that the log does not know), or what the disk
// says.
[[nodiscard]] Result<bool> dump(env::Disk& disk, std::string const& folder, DumpWish const& wish, DumpSink const& sink);

}  // namespace fastjournal::tools
