// A separate thread for work that must not stop the loop: one thread makes and removes segments, another does the
// slow syncs of a log. Decides nothing.
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

  // `finished` is called on the background thread after each job. `yields`: where processors are short, other threads go
  // first.
  explicit Background(std::function<void()> finished, bool yields = false);
  // Waits for the current job; drops the others.
  ~Background();
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  // Calls `work` on the background thread; then, in collect() or finish_all(), `hand_back` on the loop's thread.
  void run(Work work, Work hand_back);
  // On the loop's thread: hands back the finished jobs.
  void collect();
  // The same, after waiting for all jobs.
  void finish_all();

 private:
  struct Job {
    Work work;
    Work hand_back;
  };
  void work();

  std::function<void()> on_finished_;
  bool yields_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<Job> waiting_;  // guarded by mutex_, like all members below
  std::deque<Job> finished_;
  bool working_{false};
  bool ending_{false};
  std::thread thread_;  // last: it uses all members above
};

}  // namespace fastjournal::os
