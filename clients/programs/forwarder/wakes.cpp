#include "clients/programs/forwarder/wakes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace fastjournal::forwarder {
namespace {

constexpr char kSocketName[] = "socket";
constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP, SIGUSR1};

Status failure(std::string_view call, std::string const& path) {
  return Status{Code::io_error, std::string{call} + " " + path + ": " + std::strerror(errno)}.with("path", path);
}

}  // namespace

Result<std::unique_ptr<Wakes>> Wakes::open(files::Folder const& own, std::vector<files::Folder const*> const& watched) {
  std::unique_ptr<Wakes> out{new Wakes{own}};
  sigset_t set;
  ::sigemptyset(&set);
  for (int const number : kSignals) ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  out->signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (out->signals_ < 0) return failure("signalfd for", own.path());
  if (Status status = out->open_socket(); !status.ok()) return status;
  out->changes_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (out->changes_ < 0) out->without_changes_ = failure("inotify_init of", own.path());
  for (files::Folder const* const folder : watched) out->watch(*folder);
  return out;
}

Wakes::~Wakes() {
  for (int const fd : {signals_, changes_, socket_})
    if (fd >= 0) ::close(fd);
  if (has_socket_) static_cast<void>(own_.remove(kSocketName));
}

// The folder is ours alone, by its lock: a socket that is there was left by an earlier forwarder.
Status Wakes::open_socket() {
  std::string const path = own_.path_here(kSocketName);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  FJ_CHECK(path.size() < sizeof address.sun_path, "a path by a descriptor is short");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) return failure("socket for", path);
  if (own_.remove(kSocketName) != 0 && errno != ENOENT) return failure("unlink of", path);
  if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return failure("bind to", path);
  has_socket_ = true;
  // A process that may reach the folder may ping.
  return ::fchmodat(own_.fd(), kSocketName, 0666, 0) == 0 ? Status{} : failure("chmod of", path);
}

void Wakes::watch(files::Folder const& folder) {
  if (changes_ < 0) return;
  if (::inotify_add_watch(changes_, folder.path_here("").c_str(),
                          IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
    without_changes_ = failure("inotify_add_watch of", folder.path());
}

void Wakes::add_polled(std::vector<pollfd>& to, bool with_changes) const {
  for (int const fd : {signals_, socket_, with_changes ? changes_ : -1})
    if (fd >= 0) to.push_back({fd, POLLIN, 0});
}

int Wakes::next_signal() {
  signalfd_siginfo info{};
  return ::read(signals_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

bool Wakes::take_pings() {
  if (socket_ < 0) return false;
  char bytes[16];
  bool out = false;
  for (int most = 0; most < 1000 && ::recv(socket_, bytes, sizeof bytes, MSG_TRUNC) >= 0; ++most) out = true;
  return out;
}

bool Wakes::take_changes() {
  if (changes_ < 0 || !without_changes_.ok()) return true;
  alignas(inotify_event) char bytes[16384];
  bool out = false;
  for (int most = 0; most < 100 && ::read(changes_, bytes, sizeof bytes) > 0; ++most) out = true;
  return out;
}

}  // namespace fastjournal::forwarder
