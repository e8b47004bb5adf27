// The daemon's one background thread: makes and removes containers, so that
// the loop never waits for 16 MiB of zeros. Decides nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "storage/file_log.h"

namespace fastjournal::daemon {

class Background {
 public:
  // `finished` is called on its thread after each chore.
  explicit Background(std::function<void()> finished);
  // Waits for the chore that is being done; the others are dropped.
  ~Background();
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  void run(storage::FileLog& log, std::unique_ptr<storage::Chore> chore);
  // On the loop's thread: hands back what is finished.
  void collect();

 private:
  using Job = std::pair<storage::FileLog*, std::unique_ptr<storage::Chore>>;
  void work();

  std::function<void()> on_finished_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;  // guarded by mutex_, as all below
  std::deque<Job> finished_;
  bool ending_{false};
  std::thread thread_;  // last: it uses everything above
};

}  // namespace fastjournal::daemon
