// How a program that brings things somewhere stops: the first SIGTERM, SIGINT or SIGHUP asks it to finish what it has and
// to begin nothing else; a second one, or the end of a limit, ends that too. A thread of its own sees to it, so that
// neither a command nor a daemon that does not answer keeps the program alive.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "clients/programs/fastjournal/signals.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::cli {

// For the end itself, once it is over.
inline constexpr std::chrono::milliseconds kEndingMax{5'000};

class Stop {
 public:
  // Until it is destroyed the signals are blocked for this thread and those that it starts. `limit`: to finish.
  explicit Stop(DurationMs limit);
  Stop(Stop const&) = delete;
  Stop& operator=(Stop const&) = delete;
  ~Stop();

  [[nodiscard]] bool ok() const { return signals_.ok() && wake_ >= 0 && thread_.joinable(); }
  // Nothing new is to begin.
  [[nodiscard]] bool is_asked() const { return phase_ >= kAsked; }
  // What is under way is to end. kEndingMax later the process ends, whatever it does.
  [[nodiscard]] bool is_over() const { return phase_ >= kOver; }
  // Readable while a phase began that nobody has looked at.
  [[nodiscard]] int fd() const { return wake_; }
  // False: nothing came.
  bool look();
  // False: it was asked to stop meanwhile, or before.
  bool wait(std::chrono::milliseconds limit);

 private:
  enum Phase : int { kRunning, kAsked, kOver };
  void watch(std::stop_token const& end);
  void enter(Phase phase);
  // Waits for a signal. False: until then there was none.
  bool wait_signal(std::stop_token const& end, std::chrono::steady_clock::time_point until);

  SignalQueue signals_;
  std::chrono::milliseconds const limit_;
  int wake_{-1};
  int end_{-1};
  std::atomic<int> phase_{kRunning};
  std::jthread thread_;
};

}  // namespace fastjournal::cli
