// Reading and writing socket addresses; see address.h.
#include "platform/reactor/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace fastjournal::reactor {
namespace {

Status not_an_address(std::string_view text, std::string_view why) {
  return {
      Code::bad_parameter,
      fmt::format("address \"{}\": {}; expected numbers as in 127.0.0.1:4050 or [::1]:4050, or unix:/path/to/socket",
                  text, why)};
}

Result<SocketAddress> parse_unix(std::string_view text, std::string_view path) {
  SocketAddress out;
  auto& local = reinterpret_cast<sockaddr_un&>(out.storage);
  if (path.empty()) return not_an_address(text, "the path is missing");
  if (path.find('\0') != std::string_view::npos) return not_an_address(text, "the path holds a NUL");
  if (path.size() >= sizeof local.sun_path) {
    return Status{Code::too_large, fmt::format("address \"{}\": the path has {} bytes, a unix socket's may have {}",
                                               text, path.size(), sizeof local.sun_path - 1)};
  }
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.data(), path.size());
  out.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return out;
}

// Four numbers only: getaddrinfo would accept "*" as this computer and "1" as 0.0.0.1.
Result<SocketAddress> parse_ipv4(std::string_view text, std::string const& host, std::uint16_t port) {
  SocketAddress out;
  auto& internet = reinterpret_cast<sockaddr_in&>(out.storage);
  if (::inet_pton(AF_INET, host.c_str(), &internet.sin_addr) != 1)
    return not_an_address(text, "the host is no IPv4 address");
  internet.sin_family = AF_INET;
  internet.sin_port = htons(port);
  out.length = sizeof internet;
  return out;
}

// By getaddrinfo because of scopes, as in fe80::1%eth0.
Result<SocketAddress> parse_ipv6(std::string_view text, std::string const& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_INET6;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (host.find(':') == std::string::npos || ::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0)
    return not_an_address(text, "what stands in brackets is no IPv6 address");
  SocketAddress out;
  std::memcpy(&out.storage, found->ai_addr, found->ai_addrlen);
  out.length = found->ai_addrlen;
  ::freeaddrinfo(found);
  reinterpret_cast<sockaddr_in6&>(out.storage).sin6_port = htons(port);
  return out;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::string SocketAddress::path() const {
  if (family() != AF_UNIX || length <= offsetof(sockaddr_un, sun_path)) return {};
  return reinterpret_cast<sockaddr_un const&>(storage).sun_path;
}

Result<SocketAddress> parse_address(std::string_view text) {
  if (text.starts_with("unix:")) return parse_unix(text, text.substr(5));
  if (text.starts_with('/')) return parse_unix(text, text);

  std::size_t const colon = text.rfind(':');
  if (colon == std::string_view::npos) return not_an_address(text, "the port is missing");
  std::string_view const host = text.substr(0, colon);
  std::optional<std::uint16_t> const port = parse_port(text.substr(colon + 1));
  if (!port) return not_an_address(text, "the port is no number from 0 to 65535");
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return parse_ipv6(text, std::string{host.substr(1, host.size() - 2)}, *port);
  if (host.find(':') != std::string_view::npos) return not_an_address(text, "an IPv6 address stands in brackets");
  return parse_ipv4(text, std::string{host}, *port);
}

std::string to_text(SocketAddress const& address) {
  if (address.family() == AF_UNIX) return "unix:" + address.path();
  char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 1] = "";
  char port[8] = "";
  int const failed = ::getnameinfo(address.get(), address.length, host, sizeof host, port, sizeof port,
                                   NI_NUMERICHOST | NI_NUMERICSERV);
  if (failed != 0) return "unknown";
  return address.family() == AF_INET6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

PeerName peer_name(int fd, SocketAddress const& peer) {
  if (peer.family() != AF_UNIX) {
    std::string text = to_text(peer);
    std::string_view host{text.data(), text.rfind(':')};
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    std::string origin = "ip:" + std::string{host};
    return {std::move(text), std::move(origin)};
  }
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {"unix:unknown", "uid:unknown"};
  return peer_name(who);
}

PeerName peer_name(ucred const& local) {
  return {fmt::format("unix:pid {} uid {}", local.pid, local.uid), fmt::format("uid:{}", local.uid)};
}

}  // namespace fastjournal::reactor
