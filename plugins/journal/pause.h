// Whether a table hands out rows and accepts inserts, and who paused it. While a table is not open this is an object of
// the log, like a row: it survives restarts, is compacted, and is part of the digest. Each command states it
// whole, so that a replay needs one record.
#pragma once

#include <cstdint>
#include <string>

#include "fastjournal/limits.h"
#include "fastjournal/types.h"

namespace fastjournal::journal {

enum class Standing : std::uint8_t {
  open = 0,
  paused = 1,    // no row is handed out; inserts are accepted
  draining = 2,  // inserts are refused; rows are handed out
};

struct Pause {
  Standing standing{Standing::open};
  bool by_failures{false};  // the table paused itself (pause-after-failures)
  ObjectId id{};            // none while it is open
  std::uint32_t region{0};  // of its latest record
  std::int64_t since{0};
  std::string by;
  std::string reason;
};

}  // namespace fastjournal::journal
