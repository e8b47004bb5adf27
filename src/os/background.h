// A thread of its own for work that must not stop the loop: containers are
// made and removed on one, the slow syncs of a log on another. Decides nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include <absl/functional/any_invocable.h>

namespace fastjournal::os {

class Background {
 public:
  using Work = absl::AnyInvocable<void()>;

  // `finished` is called on its thread after each job.
  explicit Background(std::function<void()> finished);
  // Waits for the job that is being done; the others are dropped.
  ~Background();
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  // `work` there; then, in collect() or finish_all(), `hand_back` on the thread of the loop.
  void run(Work work, Work hand_back);
  // On the loop's thread: hands back what is finished.
  void collect();
  // The same, once everything is.
  void finish_all();

 private:
  struct Job {
    Work work;
    Work hand_back;
  };
  void work();

  std::function<void()> on_finished_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<Job> waiting_;  // guarded by mutex_, as all below
  std::deque<Job> finished_;
  bool working_{false};
  bool ending_{false};
  std::thread thread_;  // last: it uses everything above
};

}  // namespace fastjournal::os
