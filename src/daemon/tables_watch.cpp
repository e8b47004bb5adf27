#include "daemon/tables_watch.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace fastjournal::daemon {
namespace {

constexpr std::uint32_t kOfFiles = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB;
constexpr std::uint32_t kOfFolder = IN_DELETE_SELF | IN_MOVE_SELF;

std::int64_t now_us() {
  timespec now{};
  static_cast<void>(::clock_gettime(CLOCK_MONOTONIC, &now));
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1'000;
}

Status cannot_watch(std::string const& folder, std::string_view call) {
  return {Code::io_error, folder + " is not watched for files that wait to be loaded: " + std::string{call} + ": " +
                              ::strerrordesc_np(errno)};
}

}  // namespace

Status TablesWatch::begin(std::string folder) {
  folder_ = std::move(folder);
  events_ = reactor::UniqueFd{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  if (events_.get() < 0) return cannot_watch(folder_, "inotify_init1");
  timer_ = reactor::UniqueFd{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)};
  if (timer_.get() < 0) return cannot_watch(folder_, "timerfd_create");
  return watch() ? Status{} : cannot_watch(folder_, "inotify_add_watch");
}

bool TablesWatch::watch() {
  is_watched_ = ::inotify_add_watch(events_.get(), folder_.c_str(), kOfFiles | kOfFolder | IN_ONLYDIR) >= 0;
  return is_watched_;
}

Status TablesWatch::tell(reactor::Reactor& reactor, std::function<void()> changed) {
  if (!events_.valid() || !timer_.valid()) return {};
  changed_ = std::move(changed);
  if (Status status = reactor.on_readable(events_.get(), [this] { take_events(); }); !status.ok()) return status;
  return reactor.on_readable(timer_.get(), [this] { fire(); });
}

// A file that was made is counted when its writer closes it; a link has no writer.
bool TablesWatch::counts(std::uint32_t what, std::string_view name) const {
  if ((what & IN_Q_OVERFLOW) != 0) return true;
  if ((what & IN_ISDIR) != 0 || !name.ends_with(".xml")) return false;
  if ((what & IN_CREATE) == 0) return true;
  struct stat is {};
  return ::lstat((folder_ + "/" + std::string{name}).c_str(), &is) == 0 && (S_ISLNK(is.st_mode) || is.st_nlink > 1);
}

void TablesWatch::take_events() {
  alignas(inotify_event) std::array<char, 16U << 10U> bytes;
  bool has_changed = false;
  // What more there is comes in the next turn.
  ssize_t const got = ::read(events_.get(), bytes.data(), bytes.size());
  for (ssize_t at = 0; at < got;) {
    inotify_event event{};
    std::memcpy(&event, bytes.data() + at, sizeof event);
    char const* const name = bytes.data() + at + sizeof event;
    has_changed = has_changed || counts(event.mask, {name, ::strnlen(name, event.len)});
    if ((event.mask & (kOfFolder | IN_IGNORED)) != 0 && is_watched_) {
      // A renamed one goes on telling.
      if ((event.mask & IN_MOVE_SELF) != 0) static_cast<void>(::inotify_rm_watch(events_.get(), event.wd));
      is_watched_ = false;
      has_changed = true;
    }
    at += static_cast<ssize_t>(sizeof event + event.len);
  }
  if (!has_changed) return;
  std::int64_t const now = now_us();
  if (first_us_ == 0) first_us_ = now;
  set_timer(std::clamp<std::int64_t>(first_us_ + kMostUs - now, 1, kQuietUs));
}

void TablesWatch::fire() {
  std::uint64_t times = 0;
  if (::read(timer_.get(), &times, sizeof times) != sizeof times) return;
  // A folder that is there again may be another.
  bool const is_back = !is_watched_ && watch();
  if (!is_watched_) set_timer(kLookUs);
  if (std::exchange(first_us_, 0) != 0 || is_back) changed_();
}

void TablesWatch::set_timer(std::int64_t after_us) {
  itimerspec next{};
  next.it_value = {after_us / 1'000'000, after_us % 1'000'000 * 1'000};
  static_cast<void>(::timerfd_settime(timer_.get(), 0, &next, nullptr));
}

}  // namespace fastjournal::daemon
