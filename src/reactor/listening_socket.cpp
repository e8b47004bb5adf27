// Opens and closes listening sockets; see listening_socket.h.
#include "reactor/listening_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

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

Status bind_failure(std::string const& text, int error) {
  if (error == EADDRINUSE) {
    return {Code::in_use,
            fmt::format("listen on {}: {}: another process listens there; stop it or choose another address", text,
                        error_words(error))};
  }
  if (error == EACCES || error == EPERM) {
    return {Code::not_allowed,
            fmt::format("listen on {}: {}; choose an address this user may bind", text, error_words(error))};
  }
  return system_failure("bind", text, error);
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

// Whether the address accepts connections. A full backlog counts as yes.
bool somebody_listens(SocketAddress const& address) {
  UniqueFd const probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!probe.valid()) return true;
  return ::connect(probe.get(), address.get(), address.length) == 0 || errno != ECONNREFUSED;
}

// Whether there is a socket file of this name without a listener; not ok: another kind of file has the name.
Result<bool> is_stale(SocketAddress const& address, std::string const& text) {
  std::string const path = address.path();
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return false;
    return system_failure("lstat", path, errno);
  }
  if (!S_ISSOCK(found.st_mode)) {
    return Status{
        Code::in_use,
        fmt::format("listen on {}: a file that is no socket has this name; move it away or choose another path", text)};
  }
  if (somebody_listens(address)) return bind_failure(text, EADDRINUSE);
  return true;
}

// Removes a stale socket file.
Status remove_stale(SocketAddress const& address, std::string const& text) {
  Result<bool> const stale = is_stale(address, text);
  if (!stale.ok() || !stale.value()) return stale.status();
  std::string const path = address.path();
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_failure("unlink", path, errno);
  return {};
}

// Whether a file can be made in the folder of this socket.
Status probe_folder(SocketAddress const& address, std::string const& text) {
  std::string folder = address.path();
  std::size_t const slash = folder.rfind('/');
  folder = slash == std::string::npos ? "." : folder.substr(0, std::max<std::size_t>(slash, 1));
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) return bind_failure(text, errno);
  if (!S_ISDIR(found.st_mode)) return bind_failure(text, ENOTDIR);
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? Status{} : bind_failure(text, errno);
}

}  // namespace

Result<std::unique_ptr<ListeningSocket>> ListeningSocket::open(SocketAddress const& address, mode_t unix_mode) {
  Result<std::unique_ptr<ListeningSocket>> made = make(address);
  if (!made.ok()) return made;
  std::unique_ptr<ListeningSocket> out = std::move(made).value();
  Status bound = address.family() == AF_UNIX ? out->open_unix(address, unix_mode) : out->open_internet(address);
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
  Result<std::unique_ptr<ListeningSocket>> made = make(address);
  if (!made.ok()) return made.status();
  // Bound and released at once: without listen() nobody notices.
  if (address.family() != AF_UNIX) return made.value()->open_internet(address);
  std::string const& text = made.value()->text_;
  if (Result<bool> const stale = is_stale(address, text); !stale.ok()) return stale.status();
  return probe_folder(address, text);
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

Status ListeningSocket::open_unix(SocketAddress const& address, mode_t mode) {
  int error = ::bind(fd(), address.get(), address.length) == 0 ? 0 : errno;
  if (error == EADDRINUSE) {
    if (Status room = remove_stale(address, text_); !room.ok()) return room;
    error = ::bind(fd(), address.get(), address.length) == 0 ? 0 : errno;
  }
  if (error != 0) return bind_failure(text_, error);

  path_ = address.path();
  struct stat made {};
  if (::lstat(path_.c_str(), &made) != 0) return system_failure("lstat", path_, errno);
  device_ = made.st_dev;
  inode_ = made.st_ino;
  // Nobody can connect before listen(), so nobody connects under the mode left by umask.
  return set_mode(mode);
}

Status ListeningSocket::set_mode(mode_t mode) const {
  if (path_.empty() || ::chmod(path_.c_str(), mode) == 0) return {};
  return system_failure("chmod", path_, errno);
}

ListeningSocket::~ListeningSocket() {
  if (path_.empty()) return;
  struct stat found {};
  if (::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_) ::unlink(path_.c_str());
}

}  // namespace fastjournal::reactor
