// Threads that share pieces of work (base/env/workers.h). They sleep when there is none.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/env/workers.h"

namespace fastjournal::os {

class ThreadWorkers final : public env::Workers {
 public:
  // The number of threads besides the caller, who helps in finish(); 0: the caller does everything there.
  explicit ThreadWorkers(std::size_t threads);
  // No work may be under way.
  ~ThreadWorkers() override;
  ThreadWorkers(ThreadWorkers const&) = delete;
  ThreadWorkers& operator=(ThreadWorkers const&) = delete;

  void begin(std::size_t count, std::function<void(std::size_t)> piece) override;
  void finish() override;

  // One for each processor beyond the caller's, between 1 and 8: all of them work for a single thread.
  [[nodiscard]] static std::size_t threads_wanted();

 private:
  void work();
  // Does one piece; false: none is left. The lock is held before and after.
  bool do_one(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;  // there are pieces, or the threads shall end
  std::condition_variable done_;  // no piece is left or under way
  std::function<void(std::size_t)> piece_;
  std::size_t count_{0};
  std::size_t taken_{0};
  std::size_t finished_{0};
  bool ending_{false};
  std::vector<std::thread> threads_;  // last: they use all members above
};

}  // namespace fastjournal::os
