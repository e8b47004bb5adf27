// The source of time. The daemon's clock asks the kernel, the simulator's is set by the test. Only the server reads it;
// the core gets `now` as an argument.
#pragma once

#include <cstdint>

namespace fastjournal::env {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since 1970-01-01T00:00:00Z; may jump.
  [[nodiscard]] virtual std::int64_t wall_us() = 0;
  // Microseconds since an unspecified moment; never decreases, and includes the time in which the computer slept.
  [[nodiscard]] virtual std::int64_t monotonic_us() = 0;
  // The same without the time in which the computer slept.
  [[nodiscard]] virtual std::int64_t awake_us() = 0;
};

}  // namespace fastjournal::env
