#include "platform/os/workers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace fastjournal::os {

ThreadWorkers::ThreadWorkers(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ThreadWorkers::~ThreadWorkers() {
  {
    std::scoped_lock const lock{mutex_};
    FJ_CHECK(finished_ == count_, "work was finished before the hands go");
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::size_t ThreadWorkers::threads_wanted() {
  std::size_t const processors = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(processors, 2, 9) - 1;
}

void ThreadWorkers::begin(std::size_t count, std::function<void(std::size_t)> piece) {
  {
    std::scoped_lock const lock{mutex_};
    FJ_CHECK(finished_ == count_, "one work at a time");
    piece_ = std::move(piece);
    count_ = count;
    taken_ = finished_ = 0;
  }
  wake_.notify_all();
}

void ThreadWorkers::finish() {
  std::unique_lock lock{mutex_};
  while (do_one(lock)) {
  }
  done_.wait(lock, [this] { return finished_ == count_; });
}

bool ThreadWorkers::do_one(std::unique_lock<std::mutex>& lock) {
  if (taken_ == count_) return false;
  std::size_t const number = taken_++;
  lock.unlock();
  piece_(number);
  lock.lock();
  if (++finished_ == count_) done_.notify_all();
  return true;
}

void ThreadWorkers::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || taken_ < count_; });
    if (ending_) return;
    while (do_one(lock)) {
    }
  }
}

}  // namespace fastjournal::os
