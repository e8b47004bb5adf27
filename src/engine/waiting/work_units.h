// The daemon's work, counted in objects looked at: what bounds a turn, whatever the clock says.
#pragma once

#include <cstdint>

namespace fastjournal::work {

class WorkUnits {
 public:
  // The cost, in these units, of one step of a command or timer, and of one applied record.
  static constexpr std::uint64_t kPerStep = 48;
  static constexpr std::uint64_t kPerRecord = 16;

  void add(std::uint64_t work_units) { total_ += work_units; }
  // Since the start.
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::uint64_t total_{0};
};

}  // namespace fastjournal::work
