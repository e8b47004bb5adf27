// What a person sees while the job runs: a bar on a terminal, a line a second
// elsewhere, nothing when a program reads us.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "clients/main_job/ledger.h"

namespace fastjournal::main_job {

class Progress {
 public:
  enum class Style : std::uint8_t { none, lines, bar };

  // Prints to standard output. `pages`: how many there are to finish.
  Progress(Style style, std::uint64_t pages) : style_(style), pages_(pages) {}

  // Shows how far it is, if it is time to.
  void show(Counts const& counts);
  // A line of its own, above the bar.
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
