// The output during a run: a bar on a terminal, one line per second elsewhere, nothing for a program.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "clients/demo/main_job/ledger.h"

namespace fastjournal::main_job {

class Progress {
 public:
  enum class Style : std::uint8_t { none, lines, bar };

  // Prints to standard output. `pages`: the number of pages to finish.
  Progress(Style style, std::uint64_t pages) : style_(style), pages_(pages) {}

  // Shows the progress, at most at its update rate.
  void show(Counts const& counts);
  // Prints a separate line above the bar.
  void say(std::string_view text);
  // Ends the bar's line.
  void finish(Counts const& counts);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string text_of(Counts const& counts, Clock::time_point now);
  void print(std::string const& text, bool last);

  Style style_;
  std::uint64_t pages_;
  Clock::time_point start_{Clock::now()};
  Clock::time_point shown_{};
  // For the rate of the last second.
  Clock::time_point rate_from_{Clock::now()};
  std::uint64_t rate_done_{0};
  double rate_{0};
  bool bar_open_{false};
};

}  // namespace fastjournal::main_job
