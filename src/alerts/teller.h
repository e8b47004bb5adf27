// Tells alerts to this computer: flag files, and a command that is run. All of it may wait for a disk or for a program,
// so it has a thread of its own: neither the loop nor the making of containers ever waits for it. Its queues have
// limits. Without configuration nothing is told: a default folder that happens to exist belongs to somebody else.
//
// Made, called and destroyed on the loop's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "alerts/command.h"
#include "alerts/flag_folder.h"
#include "core/alerts.h"

namespace fastjournal::alerts {

struct TellerOptions {
  env::Disk* flags{nullptr};  // the flags folder; null: no flag files
  core::Origin origin{};
  std::string command{};  // path of a program; empty: none
  std::int64_t command_limit_us{30'000'000};
  std::function<void()> wake{};  // from any thread: there is something to collect
};

// What the loop hears back.
struct Report {
  enum class Kind : std::uint8_t { flags_failed, flags_agree, command_failed, command_output };
  Kind kind{};
  std::string text{};
};

class Teller {
 public:
  static constexpr std::size_t kNoticesMax = 4096;  // not looked at yet; above it notices are only counted
  static constexpr std::size_t kCommandsWaitingMax = 256;
  static constexpr std::size_t kCommandsAtOnce = 4;
  static constexpr std::int64_t kFlagsAgainUs = 10'000'000;  // after a failure

  // `standing`: every alert that is up; flag files are made to agree with them.
  Teller(TellerOptions options, std::vector<core::Alert> const& standing);
  // Flags are brought to what was told; commands that run are ended, others are not begun.
  ~Teller();
  Teller(Teller const&) = delete;
  Teller& operator=(Teller const&) = delete;

  void tell(core::AlertNotice const& notice);
  [[nodiscard]] std::vector<Report> collect();

 private:
  void work();
  [[nodiscard]] bool take_notices();
  void write_flags(std::int64_t now_us);
  void start_commands(std::int64_t now_us);
  void finish_commands(std::int64_t now_us);
  void wait(std::int64_t now_us);
  void report(Report::Kind kind, std::string text);

  struct Running {
    std::unique_ptr<RunningCommand> command;
    std::string what;  // "up jobs row-failed"
  };

  TellerOptions options_;
  int wake_fd_;

  std::mutex mutex_;
  std::deque<core::AlertNotice> notices_;  // guarded by mutex_, as all until the blank line
  std::vector<Report> reports_;
  std::uint64_t notices_dropped_{0};
  bool ending_{false};

  // The thread's own.
  std::unique_ptr<FlagFolder> flags_;
  bool flags_dirty_{true};
  bool flags_failed_{false};
  bool flags_agreed_{false};
  std::int64_t flags_again_us_{0};
  std::deque<core::AlertNotice> to_run_;
  std::vector<Running> running_;

  std::thread thread_;  // last: it uses everything above
};

}  // namespace fastjournal::alerts
