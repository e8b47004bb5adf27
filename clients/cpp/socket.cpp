#include "clients/cpp/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "platform/tls/words.h"

namespace fastjournal::client {

namespace {

constexpr int kUnixSendBytes = 1 << 20;

using std::chrono::milliseconds;

std::string socket_reason(int error) { return std::strerror(error); }

Status not_reached(std::string const& address, std::string const& reason) {
  return {Code::unavailable, "cannot connect to " + address + ": " + reason};
}

Status not_an_address(std::string const& address) {
  return {Code::bad_parameter, "'" + address +
                                   "' is no address: expected HOST:PORT, [IPV6]:PORT, unix:PATH or /PATH, and tls: "
                                   "before it where the daemon speaks TLS"};
}

// Completes a pending connect. 0, or an errno.
int finish_connect(int fd, int wake_fd, Moment until) {
  while (std::chrono::steady_clock::now() < until) {
    Ready const ready = wait_for(fd, true, wake_fd, until);
    if (ready.woken) return EINTR;
    if (!ready.writable) continue;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
  return ETIMEDOUT;
}

// 0 and the socket, or an errno.
int try_connect(int family, sockaddr const* address, socklen_t size, int wake_fd, Moment until, Socket& out) {
  Socket made(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return errno;
  if (::connect(made.fd(), address, size) != 0) {
    // A unix socket with a full backlog returns EAGAIN and does not continue by itself.
    if (errno != EINPROGRESS && errno != EINTR) return errno;
    if (int const error = finish_connect(made.fd(), wake_fd, until); error != 0) return error;
  }
  out = std::move(made);
  return 0;
}

Status check_path(std::string const& address, std::string_view path) {
  constexpr std::size_t kBytes = sizeof sockaddr_un::sun_path;
  if (!path.empty() && path.size() < kBytes) return {};
  return {Code::bad_parameter, "'" + address + "' is no address: the path of a unix socket has 1 to " +
                                   std::to_string(kBytes - 1) + " bytes"};
}

Result<Socket> connect_unix(std::string const& address, std::string_view path, int wake_fd, Moment until) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (Status checked = check_path(address, path); !checked.ok()) return checked;
  path.copy(to.sun_path, path.size());
  Socket socket;
  sockaddr const* const any = reinterpret_cast<sockaddr const*>(&to);
  if (int const error = try_connect(AF_UNIX, any, sizeof to, wake_fd, until, socket); error != 0)
    return not_reached(address, socket_reason(error));
  // What a client sends in batches stays there while it does something else. Over TCP the kernel finds the size.
  int const bytes = kUnixSendBytes;
  static_cast<void>(::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
  return socket;
}

// Splits "[host]:port" or "host:port"; empty for any other text.
std::optional<std::pair<std::string, std::string>> split_host_port(std::string_view address) {
  std::size_t const colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == address.size()) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  std::string_view const port = address.substr(colon + 1);
  if (host.front() == '[') {
    if (host.back() != ']' || host.size() < 3) return std::nullopt;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  if (!std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return std::pair{std::string(host), std::string(port)};
}

// For small messages and long silence.
void tune_tcp(int fd) {
  int const on = 1;
  int const idle_s = 30;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A listener may be idle for hours: without keep-alive it never notices a vanished daemon.
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
}

// `place`: the address without "tls:".
Result<Socket> connect_tcp(std::string const& address, std::string_view place, int wake_fd, Moment until) {
  auto const parts = split_host_port(place);
  if (!parts) return not_an_address(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (int const error = ::getaddrinfo(parts->first.c_str(), parts->second.c_str(), &hints, &found); error != 0)
    return not_reached(address, ::gai_strerror(error));
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> const owner(found, &::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (addrinfo const* one = found; one != nullptr; one = one->ai_next) {
    Socket socket;
    error = try_connect(one->ai_family, one->ai_addr, one->ai_addrlen, wake_fd, until, socket);
    if (error == 0) {
      tune_tcp(socket.fd());
      return socket;
    }
  }
  return not_reached(address, socket_reason(error));
}

constexpr std::string_view kTls = "tls:";
constexpr std::string_view kUnix = "unix:";

std::string_view place_of(std::string_view address) {
  return address.substr(Socket::is_tls(address) ? kTls.size() : 0);
}

constexpr short kGone = POLLERR | POLLHUP | POLLNVAL;

bool not_now(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Moment moment_after(milliseconds limit) {
  Moment const now = std::chrono::steady_clock::now();
  auto const left = std::chrono::duration_cast<milliseconds>(Moment::max() - now);
  return limit >= left ? Moment::max() : now + limit;
}

bool wait_for_any(std::span<pollfd> polled, Moment until) {
  timespec span{};
  timespec* limit = nullptr;
  if (until != Moment::max()) {
    auto const left = std::max(until - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration::zero());
    auto const whole = std::chrono::duration_cast<std::chrono::seconds>(left);
    span.tv_sec = whole.count();
    span.tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(left - whole).count();
    limit = &span;
  }
  return ::ppoll(polled.data(), polled.size(), limit, nullptr) > 0;
}

pollfd polled_of(int fd, bool want_write) { return {fd, static_cast<short>(POLLIN | (want_write ? POLLOUT : 0)), 0}; }

Ready ready_of(pollfd const& polled) {
  return {.readable = (polled.revents & (POLLIN | kGone)) != 0, .writable = (polled.revents & (POLLOUT | kGone)) != 0};
}

Ready wait_for(int fd, bool want_write, int wake_fd, Moment until) {
  // poll ignores negative descriptors, such as -1.
  std::array<pollfd, 2> polled{};
  polled[0] = polled_of(fd, want_write);
  polled[1] = polled_of(wake_fd, false);
  if (!wait_for_any(polled, until)) return {};
  Ready out = ready_of(polled[0]);
  out.woken = polled[1].revents != 0;
  return out;
}

bool is_woken(int wake_fd) { return wake_fd >= 0 && wait_for(-1, false, wake_fd, Moment{}).woken; }

bool wait_to_write(int fd, Moment until) {
  std::array<pollfd, 1> polled{pollfd{fd, POLLOUT, 0}};
  return wait_for_any(polled, until);
}

Socket::Socket(int fd) : fd_(fd), process_(::getpid()) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(process_, other.process_);
  std::swap(tls_, other.tls_);
  std::swap(wants_write_, other.wants_write_);
  return *this;
}

void Socket::close() {
  if (fd_ < 0) return;
  if (process_ != ::getpid()) {
    // The session is the parent's, and so is what there is to read.
    tls_.reset();
  } else if (tls_ != nullptr) {
    tls_->tell_end();
    tls_.reset();
    // TCP answers unread bytes (tickets of TLS 1.3) with a reset, which may overtake what was sent.
    char dropped[4096];
    for (int i = 0; i < 16 && ::recv(fd_, dropped, sizeof dropped, MSG_DONTWAIT) > 0; ++i) continue;
  }
  ::close(fd_);
  fd_ = -1;
  wants_write_ = false;
}

Status Socket::check_process() const {
  pid_t const here = ::getpid();
  if (fd_ < 0 || process_ == here) return {};
  return {Code::not_supported, "process " + std::to_string(process_) + " made this connection, and this is process " +
                                   std::to_string(here) + ": connect in each child after fork()"};
}

bool Socket::is_tls(std::string_view address) { return address.starts_with(kTls); }

Status Socket::check(std::string const& address) {
  std::string_view const place = place_of(address);
  if (place.starts_with(kUnix)) return check_path(address, place.substr(kUnix.size()));
  if (place.starts_with('/')) return check_path(address, place);
  return split_host_port(place) ? Status{} : not_an_address(address);
}

Result<std::shared_ptr<tls::ClientContext>> Socket::tls_for(std::string const& address, tls::ClientFiles const& files,
                                                            std::string_view protocol) {
  if (!is_tls(address)) return std::shared_ptr<tls::ClientContext>{};
  std::string_view const place = place_of(address);
  std::string host = "localhost";
  if (!place.starts_with(kUnix) && !place.starts_with('/')) {
    auto const parts = split_host_port(place);
    if (!parts) return not_an_address(address);
    host = parts->first;
  }
  return tls::ClientContext::make(files, std::move(host), protocol);
}

Result<Socket> Socket::connect(std::string const& address, int wake_fd, Moment until,
                               std::shared_ptr<tls::ClientContext> const& tls) {
  std::string_view const place = place_of(address);
  Result<Socket> made = place.starts_with(kUnix) ? connect_unix(address, place.substr(kUnix.size()), wake_fd, until)
                        : place.starts_with('/') ? connect_unix(address, place, wake_fd, until)
                                                 : connect_tcp(address, place, wake_fd, until);
  if (!made.ok() || !is_tls(address)) return made;
  Status const shaken = made->shake_hands(tls, wake_fd, until);
  if (shaken.ok()) return made;
  Status status{shaken.code(), "cannot connect to " + address + ": " + shaken.message()};
  for (auto const& [name, value] : shaken.facts()) status = std::move(status).with(name, value);
  return status;
}

Status Socket::shake_hands(std::shared_ptr<tls::ClientContext> const& tls, int wake_fd, Moment until) {
  if (tls == nullptr) return {Code::bad_parameter, "no authorities of TLS were given"};
  Result<std::unique_ptr<tls::Stream>> stream = tls::Stream::connect(tls, fd_);
  if (!stream.ok()) return stream.status();
  tls_ = std::move(stream).value();
  while (true) {
    tls::Stream::Progress const progress = tls_->handshake();
    if (progress == tls::Stream::Progress::done) return {};
    if (progress == tls::Stream::Progress::failed || progress == tls::Stream::Progress::closed)
      return tls::explain_to_client(*tls_);
    bool const wants_write = progress == tls::Stream::Progress::want_write;
    if (wait_for(fd_, wants_write, wake_fd, until).woken) return {Code::unavailable, socket_reason(EINTR)};
    if (std::chrono::steady_clock::now() >= until)
      return Status{Code::unavailable,
                    "it did not end the TLS handshake in time: it is overloaded, or speaks no TLS at this address"}
          .with("tls", "ended");
  }
}

Result<std::size_t> Socket::send(std::string_view bytes) {
  if (Status status = check_process(); !status.ok()) return status;
  if (tls_ != nullptr) {
    std::size_t sent = 0;
    if (tls_->write(bytes, sent) == tls::Stream::Progress::failed) return tls::explain_to_client(*tls_);
    return sent;
  }
  ssize_t const took = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (took >= 0) return static_cast<std::size_t>(took);
  if (not_now(errno)) return std::size_t{0};
  return Status{Code::closed, socket_reason(errno)};
}

Result<std::size_t> Socket::receive(std::span<char> into) {
  if (Status status = check_process(); !status.ok()) return status;
  if (tls_ != nullptr) {
    std::size_t received = 0;
    tls::Stream::Progress const progress = tls_->read(into, received);
    wants_write_ = progress == tls::Stream::Progress::want_write;
    // An end is told by the next call.
    if (received > 0) return received;
    if (progress == tls::Stream::Progress::closed) return Status{Code::closed, "the daemon ended the connection"};
    if (progress == tls::Stream::Progress::failed) return tls::explain_to_client(*tls_);
    return received;
  }
  ssize_t const got = ::recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got == 0) return Status{Code::closed, "the daemon ended the connection"};
  if (not_now(errno)) return std::size_t{0};
  return Status{Code::closed, socket_reason(errno)};
}

}  // namespace fastjournal::client
