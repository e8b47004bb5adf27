// How far a long work is, on standard error: a line that is written over each
// second where a person looks on, else a line every 256 MiB; nothing for what
// takes no longer than a glance, and nothing with --json.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "clients/cli/console.h"
#include "tools/progress.h"

namespace fastjournal::cli {

// Between two lines where nobody looks on.
inline constexpr std::uint64_t kTellEveryBytes = 256U << 20U;

using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

// One line of a terminal that comes after a second and is gone in the end. Elsewhere it does nothing.
class StatusLine {
 public:
  // `console` stays. `now` is for tests.
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

// `what` begins each line: "fastjournal log verify: /data/shared". `console` stays.
[[nodiscard]] tools::Progress progress_on(Console& console, std::string what,
                                          SteadyClock now = std::chrono::steady_clock::now);

}  // namespace fastjournal::cli
