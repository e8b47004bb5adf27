#include "platform/sql/patience.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace fastjournal::sql {
namespace {

// A stop is seen after this, also where no descriptor tells it.
constexpr std::int64_t kLookMs = 500;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Patience::Patience(Stop const& stop, std::int64_t limit_ms)
    : stop_(stop), limit_ms_(limit_ms), until_ms_(now_ms() + limit_ms) {}

std::int64_t Patience::left_ms() const {
  return stop_.is_given() ? 0 : std::max<std::int64_t>(0, until_ms_ - now_ms());
}

bool Patience::is_over() const { return left_ms() == 0; }

Status Patience::wait(int socket, short events, std::string_view what) const {
  for (std::int64_t left = left_ms(); left > 0; left = left_ms()) {
    pollfd watched[] = {{socket, events, 0}, {stop_.fd(), POLLIN, 0}};
    ::poll(watched, 2, static_cast<int>(std::min(left, kLookMs)));
    if (!stop_.is_given() && watched[0].revents != 0) return {};
  }
  if (stop_.is_given()) return {Code::closed, fmt::format("{}: the daemon stops", what)};
  return {Code::timed_out, fmt::format("{}: no answer within the {} s of an export", what, limit_ms_ / 1000)};
}

bool Patience::pause(std::int64_t ms) const {
  std::int64_t const until = now_ms() + ms;
  for (std::int64_t now = now_ms(); now < until; now = now_ms()) {
    if (is_over()) return true;
    pollfd watched{stop_.fd(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::min({until - now, left_ms(), kLookMs})));
  }
  return is_over();
}

}  // namespace fastjournal::sql
