#include "daemon/supervisor.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace fastjournal::daemon {
namespace {

// The whole message is a datagram; systemd takes 4 KiB, and shows a line.
constexpr std::size_t kStatusBytesMax = 1000;

std::string one_line(std::string_view text) {
  std::string out{text.substr(0, kStatusBytesMax)};
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

// A socket of datagrams to this path, or to an abstract name behind '@'; -1: there is none.
int connect_to(std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() >= sizeof address.sun_path || (name[0] != '/' && name[0] != '@')) return -1;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  int const fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  timeval const second{1, 0};
  auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second) == 0 &&
      ::connect(fd, reinterpret_cast<sockaddr const*>(&address), size) == 0)
    return fd;
  ::close(fd);
  return -1;
}

// As sd_watchdog_enabled(3) has it: 0 if there is none, or it is for another process.
std::int64_t watchdog_us() {
  char const* const limit = std::getenv("WATCHDOG_USEC");
  char const* const process = std::getenv("WATCHDOG_PID");
  if (limit == nullptr || (process != nullptr && std::strtol(process, nullptr, 10) != ::getpid())) return 0;
  return std::strtoll(limit, nullptr, 10);
}

}  // namespace

Supervisor::Supervisor() {
  char const* const name = std::getenv("NOTIFY_SOCKET");
  if (name != nullptr) fd_ = connect_to(name);
  std::int64_t const limit_us = watchdog_us();
  has_watchdog_ = fd_ >= 0 && limit_us > 0;
  if (has_watchdog_) period_us_ = std::clamp<std::int64_t>(limit_us / 2, 1000, kStatusEveryUs);
}

Supervisor::~Supervisor() {
  if (fd_ >= 0) ::close(fd_);
}

void Supervisor::starting(std::string_view status, std::int64_t monotonic_us) {
  if (monotonic_us < progress_at_us_) return;
  progress_at_us_ = monotonic_us + kProgressEveryUs;
  send(fmt::format("EXTEND_TIMEOUT_USEC={}\n", kStartStepUs), status, Wait::no);
}

void Supervisor::ready(std::string_view status) { send("READY=1\n", status, Wait::a_second); }

void Supervisor::reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n", std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000),
       "reads tables, users and certificates again", Wait::a_second);
}

void Supervisor::serving(std::string_view status) {
  if (has_watchdog_ || status != told_) send(has_watchdog_ ? "WATCHDOG=1\n" : "", status, Wait::no);
}

void Supervisor::stopping(std::string_view status) { send("STOPPING=1\n", status, Wait::a_second); }

void Supervisor::failed(std::string_view status) { send("", status, Wait::a_second); }

void Supervisor::send(std::string_view fields, std::string_view status, Wait wait) {
  if (fd_ < 0) return;
  std::string const text = fmt::format("{}STATUS={}", fields, one_line(status));
  int const flags = MSG_NOSIGNAL | (wait == Wait::no ? MSG_DONTWAIT : 0);
  if (::send(fd_, text.data(), text.size(), flags) >= 0) told_ = status;
}

}  // namespace fastjournal::daemon
