// Opens and closes listening sockets; see listening_socket.h.
#include "platform/reactor/listening_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace fastjournal::reactor {
namespace {

// Connections queued by the kernel during a turn; it lowers this to net.core.somaxconn.
constexpr int kBacklog = 4096;

// A vanished peer is noticed after two minutes of silence.
constexpr int kKeepAliveIdleSeconds = 60;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 6;

struct SocketOption {
  int level;
  int name;
  int value;
  char const* words;
};

// Linux copies all of these to accepted sockets, which saves calls.
constexpr SocketOption kInternetOptions[] = {
    {SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"},
    {IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY"},
    {SOL_SOCKET, SO_KEEPALIVE, 1, "SO_KEEPALIVE"},
    {IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds, "TCP_KEEPIDLE"},
    {IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds, "TCP_KEEPINTVL"},
    {IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes, "TCP_KEEPCNT"},
};

Status set_option(int fd, SocketOption const& option, std::string const& text) {
  if (::setsockopt(fd, option.level, option.name, &option.value, sizeof option.value) == 0) return {};
  return system_failure(fmt::format("setsockopt {}", option.words), text, errno);
}

Result<int> option_of(int fd, int name, std::string const& text) {
  int out = 0;
  socklen_t size = sizeof out;
  if (::getsockopt(fd, SOL_SOCKET, name, &out, &size) == 0) return out;
  return system_failure("getsockopt", text, errno);
}

Status wrong_kind(std::string const& name, std::string const& what) {
  return {Code::bad_configuration,
          fmt::format("{}: {}; expected a stream socket that listens on an IP address or a path", name, what)};
}

}  // namespace

Result<std::unique_ptr<ListeningSocket>> ListeningSocket::open(SocketAddress const& address, mode_t unix_mode) {
  Result<std::unique_ptr<ListeningSocket>> made = make(address);
  if (!made.ok()) return made;
  std::unique_ptr<ListeningSocket> out = std::move(made).value();
  Status bound =
      address.family() == AF_UNIX ? out->file_.bind(out->fd(), address, unix_mode) : out->open_internet(address);
  if (!bound.ok()) return bound;
  if (::listen(out->fd(), kBacklog) != 0)
    return errno == EADDRINUSE ? bind_failure(out->text_, errno) : system_failure("listen", out->text_, errno);
  return out;
}

Result<std::unique_ptr<ListeningSocket>> ListeningSocket::make(SocketAddress const& address) {
  std::unique_ptr<ListeningSocket> out{new ListeningSocket};
  out->text_ = to_text(address);
  out->fd_.reset(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!out->fd_.valid()) return system_failure("socket", out->text_, errno);
  return out;
}

Status ListeningSocket::probe(SocketAddress const& address) {
  if (address.family() == AF_UNIX) return SocketFile::probe(address, SOCK_STREAM);
  Result<std::unique_ptr<ListeningSocket>> made = make(address);
  if (!made.ok()) return made.status();
  // Bound and released at once: without listen() it is not noticed.
  return made.value()->open_internet(address);
}

Result<std::unique_ptr<ListeningSocket>> ListeningSocket::adopt(int fd, std::string const& name) {
  std::unique_ptr<ListeningSocket> out{new ListeningSocket};
  out->fd_.reset(fd);
  SocketAddress bound;
  bound.length = sizeof bound.storage;
  if (::getsockname(fd, bound.get(), &bound.length) != 0)
    return errno == ENOTSOCK ? wrong_kind(name, "it is no socket") : system_failure("getsockname", name, errno);
  bool const is_unix = bound.family() == AF_UNIX;
  if (!is_unix && bound.family() != AF_INET && bound.family() != AF_INET6)
    return wrong_kind(name, fmt::format("it is of the address family {}", bound.family()));
  if (is_unix && bound.path().empty()) return wrong_kind(name, "it is a unix socket without a path");
  out->text_ = to_text(bound);
  Result<int> const type = option_of(fd, SO_TYPE, out->text_);
  if (!type.ok()) return type.status();
  if (type.value() != SOCK_STREAM)
    return wrong_kind(
        name, fmt::format("it is {} at {}", type.value() == SOCK_DGRAM ? "for datagrams" : "no stream", out->text_));
  Result<int> const listens = option_of(fd, SO_ACCEPTCONN, out->text_);
  if (!listens.ok()) return listens.status();
  if (listens.value() == 0) return wrong_kind(name, "it does not listen, at " + out->text_);
  int const flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
    return system_failure("fcntl", out->text_, errno);
  if (!is_unix)
    if (Status set = out->set_internet_options(); !set.ok()) return set;
  return out;
}

Status ListeningSocket::set_internet_options() const {
  for (SocketOption const& option : kInternetOptions)
    if (Status set = set_option(fd(), option, text_); !set.ok()) return set;
  return {};
}

Status ListeningSocket::open_internet(SocketAddress const& address) {
  if (Status set = set_internet_options(); !set.ok()) return set;
  if (address.family() == AF_INET6) {
    // So that [::]:4050 and 0.0.0.0:4050 can be used together on any system.
    if (Status set = set_option(fd(), {IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY"}, text_); !set.ok()) return set;
  }
  if (::bind(fd(), address.get(), address.length) != 0) return bind_failure(text_, errno);

  SocketAddress bound;
  bound.length = sizeof bound.storage;
  if (::getsockname(fd(), bound.get(), &bound.length) != 0) return system_failure("getsockname", text_, errno);
  text_ = to_text(bound);
  return {};
}

}  // namespace fastjournal::reactor
