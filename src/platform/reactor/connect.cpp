// Outgoing connections: begun without waiting, and reported like all others once established; with TLS that is when their
// handshake is done (tls.cpp).
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/reactor.h"

namespace fastjournal::reactor {

Result<ConnectionId> Reactor::connect(env::Address const& address, env::ConnectOptions const& options) {
  Result<SocketAddress> const peer = parse_address(address.text);
  if (!peer.ok()) return peer.status();
  if (open_ >= options_.connections_max)
    return Status{Code::over_limit, fmt::format("connect {}: {} connections are open", address.text, open_)};
  UniqueFd fd{::socket(peer->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd.valid()) return system_failure("socket for", address.text, errno);
  std::unique_ptr<Secure> secure;
  if (options.tls) {
    Result<std::unique_ptr<Secure>> made = secure_for(address, options, fd.get());
    if (!made.ok()) return made.status();
    secure = std::move(made).value();
  }
  if (peer->family() != AF_UNIX) {
    int const on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (::connect(fd.get(), peer->get(), peer->length) != 0 && errno != EINPROGRESS)
    return system_failure("connect", address.text, errno);

  Connection& connection = take_slot();
  assign(connection, std::move(fd));
  connection.connecting = true;
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
  if (secure != nullptr) begin_own_handshake(connection, std::move(secure));
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
    bool const paused = connection.paused;
    assign(connection, std::move(connection.fd));
    connection.paused = paused;
    bool const reads = !paused || connection.secure != nullptr;
    if (reads && event_add(&connection.readable, nullptr) != 0) error = errno;
  }
  if (error != 0) {
    end(connection, error);
    return;
  }
  PeerName name = peer_name(connection.fd.get(), peer);
  if (connection.secure != nullptr) {
    connection.secure->peer = std::move(name);
    shake_hands(connection);
    return;
  }
  active_ = true;
  handler_->on_open(connection.id, {.text = name.text, .origin = "made"});
}

}  // namespace fastjournal::reactor
