// The real clock.
#pragma once

#include <cstdint>

#include "env/clock.h"

namespace fastjournal::os {

class PosixClock final : public env::Clock {
 public:
  [[nodiscard]] std::int64_t wall_us() override;
  // CLOCK_MONOTONIC, which the reactor's timer follows.
  [[nodiscard]] std::int64_t monotonic_us() override;
};

}  // namespace fastjournal::os
