// Threads that share pieces of work (env/workers.h). They sleep while there is none.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "env/workers.h"

namespace fastjournal::os {

class ThreadWorkers final : public env::Workers {
 public:
  // Beside the caller, who helps in finish(); 0: the caller does everything there.
  explicit ThreadWorkers(std::size_t threads);
  // Nothing may be under way.
  ~ThreadWorkers() override;
  ThreadWorkers(ThreadWorkers const&) = delete;
  ThreadWorkers& operator=(ThreadWorkers const&) = delete;

  void begin(std::size_t count, std::function<void(std::size_t)> piece) override;
  void finish() override;

  // One for each processor that the caller leaves, between 1 and 8: what they feed is one thread.
  [[nodiscard]] static std::size_t threads_wanted();

 private:
  void work();
  // Takes one piece and does it; false: none is left to take. The lock is held before and after.
  bool do_one(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;  // there are pieces, or it is over
  std::condition_variable done_;  // no piece is left or under way
  std::function<void(std::size_t)> piece_;
  std::size_t count_{0};
  std::size_t taken_{0};
  std::size_t finished_{0};
  bool ending_{false};
  std::vector<std::thread> threads_;  // last: they use everything above
};

}  // namespace fastjournal::os
