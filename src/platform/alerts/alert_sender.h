// Reports alerts on this computer: by flag files, and by running a command. Both may wait for a disk or a program, so
// there is a separate thread: neither the loop nor the making of segments ever waits for them. All queues have
// limits. Without configuration nothing is reported: a default folder that happens to exist belongs to another program.
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

#include "log/alert_book.h"
#include "platform/alerts/command.h"
#include "platform/alerts/flag_folder.h"

namespace fastjournal::alerts {

struct TellerOptions {
  env::Disk* flags{nullptr};  // the flags folder; null: no flag files
  communicator::Origin origin{};
  std::string command{};  // path of a program; empty: none
  std::int64_t command_limit_us{30'000'000};
  std::function<void()> wake{};  // called from the alert_sender's thread: there is something to collect
};

// A result for the loop.
struct Report {
  enum class Kind : std::uint8_t { flags_failed, flags_agree, command_failed, command_output };
  Kind kind{};
  std::string text{};
};

class AlertSender {
 public:
  static constexpr std::size_t kNoticesMax = 4096;  // not processed yet; beyond this, notices are only counted
  static constexpr std::size_t kCommandsWaitingMax = 256;
  static constexpr std::size_t kCommandsAtOnce = 4;
  static constexpr std::int64_t kFlagsAgainUs = 10'000'000;  // after a failure

  // `standing`: every active alert; the flag files are made to match.
  AlertSender(TellerOptions options, std::vector<log::Alert> const& standing);
  // Brings the flags up to date with all notices; kills running commands and drops waiting ones.
  ~AlertSender();
  AlertSender(AlertSender const&) = delete;
  AlertSender& operator=(AlertSender const&) = delete;

  void tell(log::AlertNotice const& notice);
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
  std::deque<log::AlertNotice> notices_;  // guarded by mutex_, like all members up to the blank line
  std::vector<Report> reports_;
  std::uint64_t notices_dropped_{0};
  bool ending_{false};

  // Used only by the thread.
  std::unique_ptr<FlagFolder> flags_;
  bool flags_dirty_{true};
  bool flags_failed_{false};
  bool flags_agreed_{false};
  std::int64_t flags_again_us_{0};
  std::deque<log::AlertNotice> to_run_;
  std::vector<Running> running_;

  std::thread thread_;  // last: it uses all members above
};

}  // namespace fastjournal::alerts
