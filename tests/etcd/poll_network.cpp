#include "tests/etcd/poll_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace fastjournal::test {

PollNetwork::~PollNetwork() {
  for (auto const& [id, connection] : connections_) ::close(connection.fd);
}

Result<ConnectionId> PollNetwork::connect(env::Address const& address, env::ConnectOptions const& options) {
  if (options.tls) return missing();
  std::size_t const colon = address.text.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.text.c_str() + colon + 1)));
  if (::inet_pton(AF_INET, address.text.substr(0, colon).c_str(), &to.sin_addr) != 1)
    return Status{Code::bad_parameter, "no IPv4 address: " + address.text};
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int const on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, reinterpret_cast<sockaddr const*>(&to), sizeof to) != 0 && errno != EINPROGRESS) {
    Status failure{Code::io_error, "connect " + address.text + ": " + std::strerror(errno)};
    ::close(fd);
    return failure;
  }
  ConnectionId const id{++last_};
  connections_[id].fd = fd;
  return id;
}

std::size_t PollNetwork::send(ConnectionId id, std::string_view bytes) {
  auto const found = connections_.find(id);
  if (found == connections_.end() || found->second.has_ended) return bytes.size();
  ssize_t const sent = ::send(found->second.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  // A failure is noticed by reading.
  if (sent < 0 && errno != EAGAIN) return bytes.size();
  std::size_t const taken = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  found->second.is_full = taken < bytes.size();
  return taken;
}

void PollNetwork::pause_reading(ConnectionId id, bool paused) {
  if (auto const found = connections_.find(id); found != connections_.end()) found->second.is_paused = paused;
}

void PollNetwork::close(ConnectionId id) {
  auto const found = connections_.find(id);
  if (found == connections_.end()) return;
  ::close(found->second.fd);
  connections_.erase(found);
}

void PollNetwork::turn(env::NetworkHandler& handler, std::int64_t wait_us) {
  std::vector<pollfd> fds;
  std::vector<ConnectionId> ids;
  for (auto const& [id, connection] : connections_) {
    auto const in = static_cast<short>(connection.is_paused || connection.has_ended ? 0 : POLLIN);
    auto const out = static_cast<short>(!connection.is_open || connection.is_full ? POLLOUT : 0);
    fds.push_back({connection.fd, static_cast<short>(in | out), 0});
    ids.push_back(id);
  }
  timespec const limit{wait_us / 1'000'000, wait_us % 1'000'000 * 1000};
  if (::ppoll(fds.data(), fds.size(), &limit, nullptr) <= 0) return;
  static std::vector<char> buffer(std::size_t{256} << 10U);
  for (std::size_t i = 0; i < fds.size(); ++i) {
    auto const found = connections_.find(ids[i]);
    if (found == connections_.end() || fds[i].revents == 0) continue;
    Connection& connection = found->second;
    if (!connection.is_open) {
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(connection.fd, SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) {
        close(ids[i]);
        handler.on_closed(ids[i], std::strerror(error));
      } else {
        connection.is_open = true;
        handler.on_open(ids[i], {.text = "a server", .origin = "made"});
      }
      continue;
    }
    if ((fds[i].revents & POLLOUT) != 0) {
      connection.is_full = false;
      handler.on_writable(ids[i]);
    }
    if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || !connections_.contains(ids[i])) continue;
    ssize_t const got = ::recv(connection.fd, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      handler.on_bytes(ids[i], {buffer.data(), static_cast<std::size_t>(got)});
    } else if (got == 0) {
      connection.has_ended = true;
      handler.on_end_of_input(ids[i]);
    } else if (errno != EAGAIN) {
      int const error = errno;
      close(ids[i]);
      handler.on_closed(ids[i], std::strerror(error));
    }
  }
}

}  // namespace fastjournal::test
