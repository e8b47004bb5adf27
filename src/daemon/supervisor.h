// Reports to the supervisor that started this process, as in sd_notify(3): that it serves, how it is, that it reloads
// or stops, and that its loop turns. Without a supervisor that asked for it, nothing is told.
//
// The messages are sent here, because libsystemd's sd_notify waits for as long as the supervisor does not read, and the
// loop must not hang with another process: a state waits for a second, what is repeated does not wait.
//
// The messages of a watchdog are sent by the loop and by nothing else: a thread of their own would go on when the loop
// hangs, and the supervisor would never start the daemon again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::daemon {

class Supervisor {
 public:
  Supervisor();
  ~Supervisor();
  Supervisor(Supervisor const&) = delete;
  Supervisor& operator=(Supervisor const&) = delete;

  [[nodiscard]] bool listens() const { return fd_ >= 0; }
  // How often `serving` is due: half the time after which the watchdog bites, and often enough for a status.
  [[nodiscard]] std::int64_t period_us() const { return period_us_; }

  // During a start that takes long, as often as there is something new: told at once, then each second. The supervisor's
  // limit for a start is extended by kStartStepUs from now on.
  void starting(std::string_view status, std::int64_t monotonic_us);
  void ready(std::string_view status);
  // Followed by `ready`.
  void reloading();
  void serving(std::string_view status);
  void stopping(std::string_view status);
  // The last words: they stay beside the exit status.
  void failed(std::string_view status);

 private:
  static constexpr std::int64_t kStatusEveryUs = 10'000'000;
  static constexpr std::int64_t kProgressEveryUs = 1'000'000;
  // Some steps of a start say nothing for longer than a second.
  static constexpr std::int64_t kStartStepUs = 120'000'000;

  enum class Wait { no, a_second };
  // A message that is lost is not worth a word: the supervisor acts as if there had been none.
  void send(std::string_view fields, std::string_view status, Wait wait);

  int fd_{-1};
  bool has_watchdog_{false};
  std::int64_t period_us_{kStatusEveryUs};
  std::int64_t progress_at_us_{INT64_MIN};
  std::string told_;  // the last status
};

}  // namespace fastjournal::daemon
