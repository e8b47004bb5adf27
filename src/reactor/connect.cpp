// Outgoing connections: begun without waiting, and reported like all others once established.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "reactor/connection.h"
#include "reactor/reactor.h"

namespace fastjournal::reactor {

Result<ConnectionId> Reactor::connect(env::Address const& address) {
  Result<SocketAddress> const peer = parse_address(address.text);
  if (!peer.ok()) return peer.status();
  if (open_ >= options_.connections_max)
    return Status{Code::over_limit, fmt::format("connect {}: {} connections are open", address.text, open_)};
  UniqueFd fd{::socket(peer->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd.valid()) return system_failure("socket for", address.text, errno);
  if (peer->family() != AF_UNIX) {
    int const on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (::connect(fd.get(), peer->get(), peer->length) != 0 && errno != EINPROGRESS)
    return system_failure("connect", address.text, errno);

  Connection& connection = take_slot();
  assign(connection, std::move(fd));
  auto const connected = [](int, short, void* argument) {
    auto& self = *static_cast<Connection*>(argument);
    self.owner->on_connected(self);
  };
  event_assign(&connection.writable, base_.get(), connection.fd.get(), EV_WRITE, connected, &connection);
  if (event_add(&connection.writable, nullptr) != 0) {
    int const error = errno;
    release(connection);
    return system_failure("watch", address.text, error);
  }
  return connection.id;
}

void Reactor::on_connected(Connection& connection) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(connection.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  SocketAddress peer;
  peer.length = sizeof peer.storage;
  if (error == 0 && ::getpeername(connection.fd.get(), peer.get(), &peer.length) != 0) error = errno;
  if (error == 0) {
    assign(connection, std::move(connection.fd));
    if (event_add(&connection.readable, nullptr) != 0) error = errno;
  }
  if (error != 0) {
    end(connection, error);
    return;
  }
  active_ = true;
  handler_->on_open(connection.id, {.text = peer_name(connection.fd.get(), peer).text, .origin = "made"});
}

}  // namespace fastjournal::reactor
