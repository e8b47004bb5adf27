#include "daemon/background.h"

namespace fastjournal::daemon {

Background::Background(std::function<void()> finished)
    : on_finished_(std::move(finished)), thread_([this] { work(); }) {}

Background::~Background() {
  {
    std::scoped_lock const lock{mutex_};
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Background::run(storage::FileLog& log, std::unique_ptr<storage::Chore> chore) {
  {
    std::scoped_lock const lock{mutex_};
    waiting_.emplace_back(&log, std::move(chore));
  }
  wake_.notify_one();
}

void Background::collect() {
  std::deque<Job> finished;
  {
    std::scoped_lock const lock{mutex_};
    finished.swap(finished_);
  }
  for (Job& job : finished) job.first->finish_chore(std::move(job.second));
}

void Background::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job.second->run();
    lock.lock();
    finished_.push_back(std::move(job));
    lock.unlock();
    on_finished_();
    lock.lock();
  }
}

}  // namespace fastjournal::daemon
