// The segments, batches and records of a log, each as one message: for people, or as JSON for programs. Also for
// damaged logs; it reports the damage.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/env/disk.h"
#include "config/type_reader.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::tools {

struct DumpRequest {
  Lsn from{};
  Lsn to{UINT64_MAX};                                  // records and batches that begin below it
  std::string table;                                   // name or number; empty: all
  std::string segment;                                 // number or file name; empty: all
  std::uint32_t body_bytes{64};                        // of a record's body, shown in hexadecimal
  std::map<std::string, config::RecordNames> names{};  // of records, by type; those of others are numbers
};

// CONTAINER, BATCH, RECORD, DAMAGE and REST messages, in the order of the log; DumpRequest selects them.
using DumpSink = std::function<void(Message const&)>;

// True if there is damage. not_found, in_use, bad_parameter (a table that the log does not know), or an error of the
// disk.
[[nodiscard]] Result<bool> dump(env::Disk& disk, std::string const& folder, DumpRequest const& wish,
                                DumpSink const& sink);

}  // namespace fastjournal::tools
