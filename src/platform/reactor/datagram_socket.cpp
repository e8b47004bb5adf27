#include "platform/reactor/datagram_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "platform/reactor/address.h"

namespace fastjournal::reactor {
namespace {

// About 3000 datagrams of a feed: they arrive while a follower is busy with a fetch.
constexpr int kReceiveBufferBytes = 4 << 20;
constexpr int kSendBufferBytes = 1 << 20;

// Null: not an IPv4 multicast group.
in_addr const* group_of(SocketAddress const& address) {
  if (address.family() != AF_INET) return nullptr;
  auto const& internet = reinterpret_cast<sockaddr_in const&>(address.storage);
  return IN_MULTICAST(ntohl(internet.sin_addr.s_addr)) ? &internet.sin_addr : nullptr;
}

Result<SocketAddress> read(env::DatagramAddress const& wanted, in_addr& card) {
  Result<SocketAddress> address = parse_address(wanted.address.text);
  if (!address.ok()) return address;
  if (address->family() == AF_UNIX)
    return Status{Code::bad_parameter,
                  fmt::format("address \"{}\": datagrams go to an IP address and a port", wanted.address.text)};
  card.s_addr = htonl(INADDR_ANY);
  if (!wanted.interface.empty() && ::inet_pton(AF_INET, wanted.interface.c_str(), &card) != 1)
    return Status{Code::bad_parameter,
                  fmt::format("interface \"{}\": expected the IPv4 address of a network card", wanted.interface)};
  return address;
}

template <typename T>
Status set(int fd, int level, int name, char const* words, T const& value, std::string const& text) {
  if (::setsockopt(fd, level, name, &value, sizeof value) == 0) return {};
  return system_failure(fmt::format("setsockopt {}", words), text, errno);
}

UniqueFd make(SocketAddress const& address) {
  return UniqueFd{::socket(address.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

}  // namespace

Result<DatagramSocket> DatagramSocket::to(env::DatagramAddress const& wanted) {
  in_addr card{};
  Result<SocketAddress> const address = read(wanted, card);
  if (!address.ok()) return address.status();
  DatagramSocket out;
  out.text_ = to_text(address.value());
  out.fd_ = make(address.value());
  if (!out.fd_.valid()) return system_failure("socket", out.text_, errno);
  Status status;
  if (group_of(address.value()) != nullptr) {
    int const ttl = wanted.ttl;
    status = set(out.fd(), IPPROTO_IP, IP_MULTICAST_TTL, "IP_MULTICAST_TTL", ttl, out.text_);
    if (status.ok() && !wanted.interface.empty())
      status = set(out.fd(), IPPROTO_IP, IP_MULTICAST_IF, "IP_MULTICAST_IF", card, out.text_);
  } else if (address->family() == AF_INET) {
    status = set(out.fd(), SOL_SOCKET, SO_BROADCAST, "SO_BROADCAST", 1, out.text_);
  }
  if (!status.ok()) return status;
  ::setsockopt(out.fd(), SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
  if (::connect(out.fd(), address->get(), address->length) != 0) return system_failure("connect", out.text_, errno);
  return out;
}

Result<DatagramSocket> DatagramSocket::at(env::DatagramAddress const& wanted) {
  in_addr card{};
  Result<SocketAddress> const address = read(wanted, card);
  if (!address.ok()) return address.status();
  DatagramSocket out;
  out.text_ = to_text(address.value());
  out.fd_ = make(address.value());
  if (!out.fd_.valid()) return system_failure("socket", out.text_, errno);
  in_addr const* const group = group_of(address.value());
  // Several followers on one computer may share a group; an ordinary address belongs to one process.
  Status status = group == nullptr ? Status{} : set(out.fd(), SOL_SOCKET, SO_REUSEADDR, "SO_REUSEADDR", 1, out.text_);
  if (!status.ok()) return status;
  ::setsockopt(out.fd(), SOL_SOCKET, SO_RCVBUF, &kReceiveBufferBytes, sizeof kReceiveBufferBytes);
  if (::bind(out.fd(), address->get(), address->length) != 0) return system_failure("bind", out.text_, errno);
  if (group != nullptr) {
    ip_mreq membership{};
    membership.imr_multiaddr = *group;
    membership.imr_interface = card;
    status = set(out.fd(), IPPROTO_IP, IP_ADD_MEMBERSHIP, "IP_ADD_MEMBERSHIP", membership, out.text_);
    // Only the groups joined by this socket, not those joined by others on this computer.
    if (status.ok()) status = set(out.fd(), IPPROTO_IP, IP_MULTICAST_ALL, "IP_MULTICAST_ALL", 0, out.text_);
    if (!status.ok()) return status;
  }
  SocketAddress bound;
  bound.length = sizeof bound.storage;
  if (::getsockname(out.fd(), bound.get(), &bound.length) != 0) return system_failure("getsockname", out.text_, errno);
  out.text_ = to_text(bound);
  return out;
}

bool DatagramSocket::send(std::string_view bytes) const {
  return ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

std::size_t DatagramSocket::receive(std::span<char> into) const {
  // An empty datagram has no meaning; an error (of an earlier send) is cleared by this call.
  ssize_t const got = ::recv(fd(), into.data(), into.size(), MSG_DONTWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace fastjournal::reactor
