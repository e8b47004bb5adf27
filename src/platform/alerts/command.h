// A program run for an alert: started without a shell, in its own process group; its output is read, and it is killed
// after its time limit. Never waits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fastjournal/status.h"
#include "log/alert_book.h"

namespace fastjournal::alerts {

// Variables "NAME=value": FASTJOURNAL_ALERT_STATE (up, down), _TABLE (empty: the daemon), _NAME, _PRIORITY, _MESSAGE,
// _TAGS, _COUNT, _FIRST, _LAST (ms), _MANUAL (yes, no).
[[nodiscard]] std::vector<std::string> alert_environment(log::AlertNotice const& notice);

class RunningCommand {
 public:
  static constexpr std::size_t kOutputBytesMax = 4096;  // kept of its output; the rest is dropped

  // Runs `program` with the arguments STATE SECTION NAME and our environment plus `environment`. Input: /dev/null.
  [[nodiscard]] static Result<std::unique_ptr<RunningCommand>> start(std::string const& program,
                                                                     std::vector<std::string> const& arguments,
                                                                     std::vector<std::string> const& environment,
                                                                     std::int64_t deadline_us);
  // Kills it and its group if it is still running.
  ~RunningCommand();
  RunningCommand(RunningCommand const&) = delete;
  RunningCommand& operator=(RunningCommand const&) = delete;

  [[nodiscard]] int output_fd() const { return output_; }  // -1 once closed at the other end
  [[nodiscard]] int ended_fd() const { return ended_; }    // readable once it has ended
  [[nodiscard]] std::int64_t deadline_us() const { return deadline_us_; }
  void read_output();
  // True once it has ended; `how` is empty for success, otherwise the failure.
  [[nodiscard]] bool collect(std::string& how);
  // The time limit is over: kills the group. collect() is true soon after.
  void kill();
  [[nodiscard]] std::string const& output() const { return text_; }

 private:
  RunningCommand(pid_t pid, int output, int ended, std::int64_t deadline_us)
      : pid_(pid), output_(output), ended_(ended), deadline_us_(deadline_us) {}

  pid_t pid_;
  int output_;
  int ended_;
  std::int64_t deadline_us_;
  bool killed_{false};
  bool collected_{false};
  std::string text_;
};

}  // namespace fastjournal::alerts
