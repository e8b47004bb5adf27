// See local_datagram_socket.h.
#include "platform/reactor/local_datagram_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/un.h>

#include <cstddef>

#include <fmt/format.h>

namespace fastjournal::reactor {
namespace {

constexpr std::size_t kNameAt = offsetof(sockaddr_un, sun_path);

bool is_answerable(std::string_view name) {
  return name.starts_with('/') || (name.starts_with('\0') && name.size() > 1);
}

// A path ends with a NUL, a name without a file with its length.
std::string name_of(SocketAddress const& address) {
  if (address.family() != AF_UNIX || address.length <= kNameAt) return {};
  char const* const name = reinterpret_cast<char const*>(&address.storage) + kNameAt;
  std::size_t const size = address.length - kNameAt;
  std::string out{name, name[0] == '\0' ? size : ::strnlen(name, size)};
  return is_answerable(out) ? out : std::string{};
}

}  // namespace

Result<std::unique_ptr<LocalDatagramSocket>> LocalDatagramSocket::open(SocketAddress const& address, mode_t mode) {
  std::unique_ptr<LocalDatagramSocket> out{new LocalDatagramSocket};
  out->text_ = to_text(address);
  if (address.family() != AF_UNIX)
    return Status{Code::bad_parameter,
                  fmt::format("address \"{}\": expected a path, as in unix:/run/fastjournal.sock", out->text_)};
  out->fd_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!out->fd_.valid()) return system_failure("socket", out->text_, errno);
  // Before anything can arrive: the kernel notes credentials when a datagram is sent.
  int const on = 1;
  if (::setsockopt(out->fd(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    return system_failure("setsockopt SO_PASSCRED", out->text_, errno);
  if (Status bound = out->file_.bind(out->fd(), address, mode); !bound.ok()) return bound;
  return out;
}

bool LocalDatagramSocket::receive(std::span<char> into, Received& out) const {
  iovec part{into.data(), into.size()};
  SocketAddress from;
  // No more than the credentials need: descriptors that are sent along find no room, and the kernel closes them.
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  msghdr message{};
  message.msg_name = from.get();
  message.msg_namelen = sizeof from.storage;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = -1;
  do {
    got = ::recvmsg(fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return false;
  from.length = message.msg_namelen;
  out.bytes = static_cast<std::size_t>(got);
  out.from = name_of(from);
  // The user nobody, as the kernel says it where it has no credentials.
  out.sender = {.pid = 0, .uid = static_cast<uid_t>(-1), .gid = static_cast<gid_t>(-1)};
  cmsghdr const* const first = CMSG_FIRSTHDR(&message);
  if (first != nullptr && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_CREDENTIALS)
    ::memcpy(&out.sender, CMSG_DATA(first), sizeof out.sender);
  return true;
}

bool LocalDatagramSocket::send(std::string_view to, std::string_view bytes) const {
  SocketAddress address;
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
  bool const is_path = to.starts_with('/');
  if (!is_answerable(to) || to.size() + (is_path ? 1 : 0) > sizeof local.sun_path) return false;
  local.sun_family = AF_UNIX;
  ::memcpy(local.sun_path, to.data(), to.size());
  address.length = static_cast<socklen_t>(kNameAt + to.size() + (is_path ? 1 : 0));
  return ::sendto(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT, address.get(), address.length) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace fastjournal::reactor
