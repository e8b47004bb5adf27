// Hands for work that falls into pieces which need nothing of one another and
// decide nothing: checking what a start reads. Threads in the daemon
// (os/workers.h); in the simulator, and where nobody brings any, the caller's own.
#pragma once

#include <cstddef>
#include <functional>

namespace fastjournal::env {

class Workers {
 public:
  virtual ~Workers() = default;
  // Begins piece(0) to piece(count - 1), side by side and in any order. One work at a time: finish() comes before the
  // next begin(), and before what the pieces use goes away.
  virtual void begin(std::size_t count, std::function<void(std::size_t)> piece) = 0;
  // Helps, and returns when all pieces are done. What they wrote is seen by the caller. Nothing was begun: returns at once.
  virtual void finish() = 0;
};

class InlineWorkers final : public Workers {
 public:
  void begin(std::size_t count, std::function<void(std::size_t)> piece) override {
    for (std::size_t i = 0; i < count; ++i) piece(i);
  }
  void finish() override {}
};

}  // namespace fastjournal::env
