// The progress of long work, on standard error: for a person a line that is updated every second, otherwise a line
// every 256 MiB; nothing for short work, and nothing with --json.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "clients/programs/fastjournal/call.h"
#include "clients/programs/logs/progress.h"

namespace fastjournal::cli {

// Between two lines without a person watching.
inline constexpr std::uint64_t kTellEveryBytes = 256U << 20U;

using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

// One line of a terminal, shown after a second and removed at the end. No effect elsewhere.
class StatusLine {
 public:
  // `console` must outlive it. `now` is for tests.
  explicit StatusLine(Console& console, SteadyClock now = std::chrono::steady_clock::now);
  StatusLine(StatusLine const&) = delete;
  StatusLine& operator=(StatusLine const&) = delete;
  ~StatusLine() { clear(); }

  // At most once a second.
  void show(std::string_view text);
  void clear();
  [[nodiscard]] bool is_seen() const { return seen_; }

 private:
  Console& console_;
  SteadyClock now_;
  bool seen_;
  bool shown_{false};
  std::chrono::steady_clock::time_point next_;
};

// `what` is the beginning of each line: "fastjournal log verify: /data/shared". `console` must outlive it.
[[nodiscard]] tools::Progress progress_on(Console& console, std::string what,
                                          SteadyClock now = std::chrono::steady_clock::now);

}  // namespace fastjournal::cli
