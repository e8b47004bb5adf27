#include "clients/programs/fastjournal/stop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdint>

namespace fastjournal::cli {
namespace {

using StopClock = std::chrono::steady_clock;

constexpr int kExitOfTerm = 128 + SIGTERM;

void write_event(int fd) {
  std::uint64_t const one = 1;
  static_cast<void>(!::write(fd, &one, sizeof one));
}

}  // namespace

Stop::Stop(DurationMs limit)
    : signals_{SIGTERM, SIGINT, SIGHUP},
      limit_(limit.value),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      end_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (signals_.ok() && wake_ >= 0 && end_ >= 0)
    thread_ = std::jthread{[this](std::stop_token const& end) { watch(end); }};
}

Stop::~Stop() {
  thread_.request_stop();
  if (end_ >= 0) write_event(end_);
  if (thread_.joinable()) thread_.join();
  for (int const fd : {wake_, end_})
    if (fd >= 0) ::close(fd);
}

void Stop::watch(std::stop_token const& end) {
  if (!wait_signal(end, StopClock::time_point::max())) return;
  enter(kAsked);
  static_cast<void>(wait_signal(end, StopClock::now() + limit_));
  if (end.stop_requested()) return;
  enter(kOver);
  StopClock::time_point const last = StopClock::now() + kEndingMax;
  while (wait_signal(end, last)) continue;
  if (!end.stop_requested()) ::_exit(kExitOfTerm);
}

void Stop::enter(Phase phase) {
  phase_ = phase;
  write_event(wake_);
}

bool Stop::wait_signal(std::stop_token const& end, StopClock::time_point until) {
  while (!end.stop_requested()) {
    int limit_ms = -1;
    if (until != StopClock::time_point::max()) {
      auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - StopClock::now());
      if (left.count() <= 0) return false;
      limit_ms = static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX));
    }
    std::array polled{pollfd{signals_.fd(), POLLIN, 0}, pollfd{end_, POLLIN, 0}};
    if (::poll(polled.data(), polled.size(), limit_ms) > 0 && signals_.next() != 0) return true;
  }
  return false;
}

bool Stop::look() {
  std::uint64_t count = 0;
  return ::read(wake_, &count, sizeof count) == sizeof count;
}

bool Stop::wait(std::chrono::milliseconds limit) {
  pollfd one{wake_, POLLIN, 0};
  if (!is_asked()) ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(limit.count(), INT_MAX)));
  return !is_asked();
}

}  // namespace fastjournal::cli
