// The real clocks. Dates go by CLOCK_BOOTTIME, so that one that passes in the computer's sleep is reached as it wakes.
#pragma once

#include <cstdint>

#include "env/clock.h"

namespace fastjournal::os {

class PosixClock final : public env::Clock {
 public:
  [[nodiscard]] std::int64_t wall_us() override;
  // CLOCK_BOOTTIME, which the reactor's timer follows.
  [[nodiscard]] std::int64_t monotonic_us() override;
  // CLOCK_MONOTONIC, which stands while the computer sleeps.
  [[nodiscard]] std::int64_t awake_us() override;
};

}  // namespace fastjournal::os
