// A layer between a program and the kernel's clocks, loaded by LD_PRELOAD. For tests only: the real clock can be set by
// root alone, and all programs share it.
//
//   FJ_CLOCK=FILE   FILE has two numbers, in ms: CLOCK_REALTIME is ahead of the kernel's by the first, and
//                   CLOCK_BOOTTIME by the second, as if the computer had slept for that long. Writing and closing
//                   the file sets the clocks: timers of CLOCK_REALTIME that are cancelled by a change become
//                   readable, timers of CLOCK_BOOTTIME expire at their new time.
//
// It covers only the calls of the reactor and of the daemon's clock.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace {

template <typename Function>
Function next(char const* name, Function) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

auto real_settime() {
  return next("timerfd_settime", static_cast<int (*)(int, int, itimerspec const*, itimerspec*)>(nullptr));
}

std::int64_t constexpr kNsPerS = 1'000'000'000;
std::int64_t ns_of(timespec const& time) { return time.tv_sec * kNsPerS + time.tv_nsec; }
timespec timespec_of(std::int64_t ns) {
  timespec out{};
  out.tv_sec = ns / kNsPerS;
  out.tv_nsec = ns % kNsPerS;
  return out;
}

struct Layer {
  std::atomic<std::int64_t> wall_ns{0};
  std::atomic<std::int64_t> boot_ns{0};
  std::mutex mutex;
  std::set<int> wall_watches;             // eventfds that replace timers of CLOCK_REALTIME
  std::map<int, itimerspec> boot_timers;  // descriptor -> the time it was set to

  Layer() {
    char const* const file = ::getenv("FJ_CLOCK");
    if (file == nullptr) return;
    read(file);
    int const watch = ::inotify_init1(IN_CLOEXEC);
    if (::inotify_add_watch(watch, file, IN_CLOSE_WRITE) < 0) ::abort();
    std::thread{[this, file, watch] {
      char event[sizeof(inotify_event) + NAME_MAX + 1];
      while (::read(watch, event, sizeof event) > 0) {
        read(file);
        tell();
      }
    }}.detach();
  }

  void read(char const* name) {
    FILE* const file = ::fopen(name, "re");
    long long wall_ms = 0;
    long long boot_ms = 0;
    if (file == nullptr || ::fscanf(file, "%lld %lld", &wall_ms, &boot_ms) != 2) ::abort();
    ::fclose(file);
    wall_ns = wall_ms * 1'000'000;
    boot_ns = boot_ms * 1'000'000;
  }

  void tell() {
    std::lock_guard const lock{mutex};
    std::uint64_t const one = 1;
    for (int const fd : wall_watches)
      if (::write(fd, &one, sizeof one) != sizeof one) ::abort();
    for (auto const& [fd, date] : boot_timers) set_boot_timer(fd, date);
  }

  int set_boot_timer(int fd, itimerspec date) const {
    std::int64_t const at = ns_of(date.it_value);
    // Zero would disarm it.
    if (at != 0) date.it_value = timespec_of(at - boot_ns > 0 ? at - boot_ns : 1);
    return real_settime()(fd, TFD_TIMER_ABSTIME, &date, nullptr);
  }
};

// Never destroyed, as its thread uses it.
Layer& layer() {
  static Layer& one = *new Layer;
  return one;
}

}  // namespace

#define FJ_EXPORT extern "C" __attribute__((visibility("default")))

FJ_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto const real = next("clock_gettime", static_cast<int (*)(clockid_t, timespec*)>(nullptr));
  int const result = real(clock, time);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME)) return result;
  *time = timespec_of(ns_of(*time) + (clock == CLOCK_REALTIME ? layer().wall_ns : layer().boot_ns));
  return result;
}

FJ_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  if (clock != CLOCK_REALTIME) {
    int const fd = next("timerfd_create", static_cast<int (*)(clockid_t, int)>(nullptr))(clock, flags);
    std::lock_guard const lock{layer().mutex};
    if (clock == CLOCK_BOOTTIME) layer().boot_timers[fd] = {};
    return fd;
  }
  int const fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::lock_guard const lock{layer().mutex};
  layer().wall_watches.insert(fd);
  return fd;
}

FJ_EXPORT int timerfd_settime(int fd, int flags, itimerspec const* date, itimerspec* before) noexcept {
  std::lock_guard const lock{layer().mutex};
  if (layer().wall_watches.contains(fd)) return 0;
  auto const boot = layer().boot_timers.find(fd);
  if (boot == layer().boot_timers.end()) return real_settime()(fd, flags, date, before);
  boot->second = *date;
  return layer().set_boot_timer(fd, *date);
}
