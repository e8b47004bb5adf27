// Workers for work in independent pieces that decide nothing: the checks of a start's reads. Threads in the daemon
// (platform/os/workers.h); in the simulator, and where none are given, the caller's own thread.
#pragma once

#include <cstddef>
#include <functional>

namespace fastjournal::env {

class Workers {
 public:
  virtual ~Workers() = default;
  // Begins piece(0) to piece(count - 1), concurrently and in any order. One job at a time: finish() must be called
  // before the next begin(), and before the data of the pieces is destroyed.
  virtual void begin(std::size_t count, std::function<void(std::size_t)> piece) = 0;
  // Helps, and returns when all pieces are done; their writes are visible to the caller. Returns at once without a
  // begin().
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
