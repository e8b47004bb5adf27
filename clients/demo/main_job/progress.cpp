#include "clients/demo/main_job/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace fastjournal::main_job {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kBarWidth = 20;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string Progress::text_of(Counts const& counts, Clock::time_point now) {
  if (auto const passed = now - rate_from_; passed >= 1s) {
    rate_ = static_cast<double>(counts.done - rate_done_) / std::chrono::duration<double>(passed).count();
    rate_from_ = now;
    rate_done_ = counts.done;
  }
  return fmt::format("{}/{} pages, {} changes saved, {} rows done, {:.0f}/s, {:.0f} s", counts.finished, pages_,
                     counts.saved, counts.done, rate_, std::chrono::duration<double>(now - start_).count());
}

void Progress::show(Counts const& counts) {
  auto const now = Clock::now();
  if (style_ == Style::none || now - shown_ < (style_ == Style::bar ? 100ms : 1000ms)) return;
  shown_ = now;
  std::string text = text_of(counts, now);
  if (style_ == Style::bar) {
    std::uint64_t const full = pages_ == 0 ? kBarWidth : std::min(kBarWidth, counts.finished * kBarWidth / pages_);
    text = fmt::format("[{:#>{}}{:->{}}] {}", "", full, "", kBarWidth - full, text);
  }
  print(text, style_ == Style::lines);
}

void Progress::print(std::string const& text, bool last) {
  // A wrapped line cannot be overwritten.
  std::string const line = style_ == Style::bar ? text.substr(0, terminal_width() - 1) : text;
  fmt::print("{}{}{}", style_ == Style::bar ? "\r\x1b[K" : "  ", line, last ? "\n" : "");
  std::fflush(stdout);
  bar_open_ = style_ == Style::bar && !last;
}

void Progress::say(std::string_view text) {
  if (style_ == Style::none) return;
  fmt::print("{}{}\n", bar_open_ ? "\r\x1b[K" : "", text);
  std::fflush(stdout);
  bar_open_ = false;
}

void Progress::finish(Counts const& counts) {
  if (style_ == Style::none) return;
  shown_ = {};
  if (style_ == Style::lines || bar_open_) show(counts);
  if (bar_open_) fmt::print("\n");
  bar_open_ = false;
}

}  // namespace fastjournal::main_job
