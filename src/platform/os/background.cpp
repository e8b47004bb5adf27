#include "platform/os/background.h"

#include <sys/resource.h>

#include <utility>

namespace fastjournal::os {

namespace {

// Of a thread that yields: it gets a tenth of a processor that others want.
constexpr int kNice = 10;

}  // namespace

Background::Background(std::function<void()> finished, bool yields)
    : on_finished_(std::move(finished)), yields_(yields), thread_([this] { work(); }) {}

Background::~Background() {
  {
    std::scoped_lock const lock{mutex_};
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Background::run(Work work, Work hand_back) {
  {
    std::scoped_lock const lock{mutex_};
    waiting_.push_back({std::move(work), std::move(hand_back)});
  }
  wake_.notify_one();
}

void Background::collect() {
  std::deque<Job> finished;
  {
    std::scoped_lock const lock{mutex_};
    finished.swap(finished_);
  }
  for (Job& job : finished) job.hand_back();
}

void Background::finish_all() {
  {
    std::unique_lock lock{mutex_};
    idle_.wait(lock, [this] { return waiting_.empty() && !working_; });
  }
  collect();
}

void Background::work() {
  // Of this thread alone, on Linux. Without it the work is done all the same.
  if (yields_) static_cast<void>(::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNice));
  std::unique_lock lock{mutex_};
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    working_ = true;
    lock.unlock();
    job.work();
    lock.lock();
    finished_.push_back(std::move(job));
    working_ = false;
    idle_.notify_all();
    lock.unlock();
    on_finished_();
    lock.lock();
  }
}

}  // namespace fastjournal::os
