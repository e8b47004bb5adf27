#include "clients/programs/fastjournal/progress.h"

#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "clients/programs/fastjournal/utf8.h"

namespace fastjournal::cli {
namespace {

constexpr std::chrono::seconds kBetween{1};

}  // namespace

StatusLine::StatusLine(Console& console, SteadyClock now)
    : console_(console), now_(std::move(now)), seen_(console.progress), next_(now_() + kBetween) {}

void StatusLine::show(std::string_view text) {
  if (!seen_ || now_() < next_) return;
  next_ = now_() + kBetween;
  shown_ = true;
  std::string const line = printable(text);
  console_.err << '\r' << cut_to_width(line, console_.look.width - 1) << "\x1b[K" << std::flush;
}

void StatusLine::clear() {
  if (std::exchange(shown_, false)) console_.err << "\r\x1b[K" << std::flush;
}

tools::Progress progress_on(Console& console, std::string what, SteadyClock now) {
  if (console.look.json) return [](std::string_view, std::uint64_t, std::uint64_t) {};
  auto const line = std::make_shared<StatusLine>(console, std::move(now));
  return [&console, line, what = std::move(what), told = std::uint64_t{0}](std::string_view step, std::uint64_t done,
                                                                           std::uint64_t total) mutable {
    std::string const text = fmt::format("{}: {}, {} of at most {} MiB", what, step, done >> 20U, total >> 20U);
    if (line->is_seen()) return line->show(text);
    // Another step, or the same step again.
    if (done < told) told = 0;
    if (done - told < kTellEveryBytes) return;
    told = done;
    console.err << text << '\n' << std::flush;
  };
}

}  // namespace fastjournal::cli
