// The real clocks. Dates follow CLOCK_BOOTTIME: a date that passes while the computer sleeps is due when it wakes.
#pragma once

#include <cstdint>

#include "base/env/clock.h"

namespace fastjournal::os {

class PosixClock final : public env::Clock {
 public:
  [[nodiscard]] std::int64_t wall_us() override;
  // CLOCK_BOOTTIME, like the reactor's timer.
  [[nodiscard]] std::int64_t monotonic_us() override;
  // CLOCK_MONOTONIC, which stops while the computer sleeps.
  [[nodiscard]] std::int64_t awake_us() override;
};

}  // namespace fastjournal::os
