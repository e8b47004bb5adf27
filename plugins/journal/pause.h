// Whether a table hands out work and takes inserts, and who said that it does
// not. While a table is not open this is an object of the log like a row: it
// survives a restart, is copied forward, and counts in the digest.
#pragma once

#include <cstdint>
#include <string>

#include "fastjournal/limits.h"
#include "fastjournal/types.h"

namespace fastjournal::journal {

enum class Standing : std::uint8_t {
  open = 0,
  paused = 1,    // nothing is handed out; inserts are taken
  draining = 2,  // inserts are refused; work goes on
};

struct Pause {
  Standing standing{Standing::open};
  bool by_failures{false};  // the table paused itself (pause-after-failures)
  ObjectId id{};            // none while it is open
  std::uint32_t region{0};  // of the log: where its latest record stands
  std::int64_t since{0};
  std::string by;
  std::string reason;
};

}  // namespace fastjournal::journal
