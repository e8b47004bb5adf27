// The budget of a turn: input beyond it waits for the next turn, so that the work of one client does not delay all
// others. It is measured by the clock, which is read rarely, and by a count of work units (objects that commands looked
// at, and similar work), which also holds in the simulator, where the clock stands still.
#pragma once

#include <cstdint>

#include "base/env/clock.h"

namespace fastjournal::server {

class TurnBudget {
 public:
  // From the first message of a turn on. Long, compared with a sync.
  static constexpr std::int64_t kTurnUs = 5'000;
  // Some 40 ns each.
  static constexpr std::uint64_t kWorkUnitsPerTurn = 128U << 10U;
  // Between two readings of the clock, some 100 us.
  static constexpr std::uint64_t kWorkUnitsPerReading = 2048;
  // Of one connection, before it is the next one's turn.
  static constexpr std::uint64_t kWorkUnitsPerSlice = 16U << 10U;

  explicit TurnBudget(env::Clock& clock) : clock_(clock) {}

  // Begins the turn, once.
  bool begin() {
    if (begun_) return false;
    begun_ = true;
    began_us_ = clock_.monotonic_us();
    work_units_ = read_at_ = 0;
    is_over_ = false;
    return true;
  }
  void end() { begun_ = false; }

  void spend(std::uint64_t work_units) {
    work_units_ += work_units;
    if (work_units_ - read_at_ < kWorkUnitsPerReading) return;
    read_at_ = work_units_;
    is_over_ = work_units_ >= kWorkUnitsPerTurn || clock_.monotonic_us() - began_us_ >= kTurnUs;
  }
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] std::uint64_t work_units() const { return work_units_; }
  [[nodiscard]] std::int64_t began_us() const { return began_us_; }

 private:
  env::Clock& clock_;
  std::int64_t began_us_{0};
  std::uint64_t work_units_{0};
  std::uint64_t read_at_{0};  // work units, when the clock was read
  bool begun_{false};
  bool is_over_{false};
};

}  // namespace fastjournal::server
