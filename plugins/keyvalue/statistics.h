// Counters of this start of the daemon, for people. They are no state: nothing is decided by them.
#pragma once

#include <cstdint>

namespace fastjournal::keyvalue {

struct Statistics {
  std::uint64_t hits{0};
  std::uint64_t misses{0};
  std::uint64_t stored{0};
  std::uint64_t unchanged{0};  // stale, duplicate, exists or mismatch
  std::uint64_t evicted{0};
  std::uint64_t expired{0};
};

}  // namespace fastjournal::keyvalue
