// Counters of this start of the daemon, for people. They are no state: nothing is decided by them.
#pragma once

#include <cstdint>

namespace fastjournal::blob {

struct Statistics {
  std::uint64_t hits{0};
  std::uint64_t misses{0};
  std::uint64_t puts{0};
  std::uint64_t replaced{0};
  std::uint64_t duplicates{0};
  std::uint64_t refused{0};  // after their bytes had come
  std::uint64_t maintenances{0};
  std::uint64_t given_up{0};
  std::uint64_t left_out{0};
  std::uint64_t copied{0};
  std::uint64_t copied_bytes{0};
};

}  // namespace fastjournal::blob
