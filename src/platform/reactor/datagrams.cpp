// The sockets of datagrams in the loop. Their ids differ from those of connections: no slot of a connection reaches
// 2^31 generations.
#include <errno.h>
#include <sys/socket.h>

#include <algorithm>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/reactor.h"

namespace fastjournal::reactor {
namespace {

// Per socket and look; the rest is read in the next turn.
constexpr std::uint32_t kDatagramsPerLook = 256;

}  // namespace

ConnectionId Reactor::next_datagram_id() { return ConnectionId{(std::uint64_t{1} << 63U) | ++datagram_ids_}; }

Result<ConnectionId> Reactor::open_datagrams_to(env::DatagramAddress const& address) {
  Result<DatagramSocket> socket = DatagramSocket::to(address);
  if (!socket.ok()) return socket.status();
  ConnectionId const id = next_datagram_id();
  datagrams_.emplace(id, std::make_unique<Datagrams>(this, id, std::move(socket).value()));
  return id;
}

Result<env::DatagramSocket> Reactor::receive_datagrams(env::DatagramAddress const& address) {
  Result<DatagramSocket> socket = DatagramSocket::at(address);
  if (!socket.ok()) return socket.status();
  auto made = std::make_unique<Datagrams>(this, next_datagram_id(), std::move(socket).value());
  auto const call = [](int, short, void* argument) {
    auto& self = *static_cast<Datagrams*>(argument);
    self.owner->on_datagrams(self);
  };
  made->readable.reset(event_new(base_.get(), made->socket.fd(), EV_READ | EV_PERSIST, call, made.get()));
  if (!made->readable || event_add(made->readable.get(), nullptr) != 0)
    return system_failure("watch", made->socket.text(), errno);
  env::DatagramSocket out{made->id, {made->socket.text()}};
  datagrams_.emplace(made->id, std::move(made));
  return out;
}

void Reactor::on_datagrams(Datagrams& datagrams) {
  char bytes[env::kDatagramBytesMax + 1];
  for (std::uint32_t i = 0; i < kDatagramsPerLook; ++i) {
    std::size_t const got = datagrams.socket.receive(bytes);
    if (got == 0) return;
    active_ = true;
    handler_->on_datagram(datagrams.id, {bytes, got});
  }
}

bool Reactor::send_datagram(ConnectionId id, std::string_view bytes) {
  auto const found = datagrams_.find(id);
  return found != datagrams_.end() && found->second->socket.send(bytes);
}

void Reactor::close_datagrams(ConnectionId id) {
  datagrams_.erase(id);
  local_datagrams_.erase(id);
}

// ---------------------------------------------------------------------------
// Of unix sockets

Status Reactor::can_receive_local_datagrams(env::Address const& address) {
  Result<SocketAddress> const parsed = parse_address(address.text);
  return parsed.ok() ? SocketFile::probe(parsed.value(), SOCK_DGRAM) : parsed.status();
}

Result<env::DatagramSocket> Reactor::receive_local_datagrams(env::Address const& address,
                                                             env::ListenOptions const& options) {
  Result<std::shared_ptr<LocalDatagramSocket>> socket = local_socket_at(address, options.unix_mode);
  if (!socket.ok()) return socket.status();
  auto made = std::make_unique<LocalDatagrams>();
  made->owner = this;
  made->id = next_datagram_id();
  made->number = options.number;
  made->peers = {options.users, options.groups};
  made->unix_mode = options.unix_mode;
  made->socket = std::move(socket).value();
  auto const call = [](int, short, void* argument) {
    auto& self = *static_cast<LocalDatagrams*>(argument);
    self.owner->on_local_datagrams(self);
  };
  made->readable.reset(event_new(base_.get(), made->socket->fd(), EV_READ | EV_PERSIST, call, made.get()));
  if (!made->readable || event_add(made->readable.get(), nullptr) != 0)
    return system_failure("watch", made->socket->text(), errno);
  env::DatagramSocket out{made->id, {made->socket->text()}};
  local_datagrams_.emplace(made->id, std::move(made));
  return out;
}

Result<std::shared_ptr<LocalDatagramSocket>> Reactor::local_socket_at(env::Address const& address,
                                                                      mode_t unix_mode) const {
  Result<SocketAddress> const parsed = parse_address(address.text);
  if (!parsed.ok()) return parsed.status();
  std::string const text = to_text(parsed.value());
  for (auto const& [id, other] : local_datagrams_) {
    if (other->socket->text() != text) continue;
    if (Status status = other->socket->set_mode(unix_mode); !status.ok()) return status;
    return other->socket;
  }
  Result<std::unique_ptr<LocalDatagramSocket>> opened = LocalDatagramSocket::open(parsed.value(), unix_mode);
  if (!opened.ok()) return opened.status();
  return std::shared_ptr<LocalDatagramSocket>{std::move(opened).value()};
}

void Reactor::stop_local_datagrams(std::uint32_t number) {
  auto const is_its = [number](auto const& one) { return one.second->number == number; };
  auto const found = std::ranges::find_if(local_datagrams_, is_its);
  if (found == local_datagrams_.end()) return;
  std::unique_ptr<LocalDatagrams> const gone = std::move(found->second);
  local_datagrams_.erase(found);
  for (auto const& [id, other] : local_datagrams_) {
    if (other->socket != gone->socket) continue;
    if (Status const status = other->socket->set_mode(other->unix_mode); !status.ok()) warn(status.message());
  }
}

void Reactor::on_local_datagrams(LocalDatagrams& datagrams) {
  // The handler may end it in each call.
  ConnectionId const id = datagrams.id;
  std::shared_ptr<LocalDatagramSocket> const socket = datagrams.socket;
  char bytes[env::kDatagramBytesMax + 1];
  LocalDatagramSocket::Received received;
  for (std::uint32_t i = 0; i < kDatagramsPerLook && local_datagrams_.contains(id); ++i) {
    if (!socket->receive(bytes, received)) return;
    if (received.bytes == 0) continue;
    PeerName const peer = peer_name(received.sender);
    if (!datagrams.peers.admits_sender(received.sender)) {
      ++counters_.not_allowed;
      warn_of_not_allowed(peer.text, socket->text());
      continue;
    }
    active_ = true;
    handler_->on_local_datagram(id, {bytes, received.bytes}, received.from,
                                {.text = peer.text, .origin = peer.origin, .listener = datagrams.number});
  }
}

bool Reactor::send_local_datagram(ConnectionId id, std::string_view to, std::string_view bytes) {
  auto const found = local_datagrams_.find(id);
  return found != local_datagrams_.end() && found->second->socket->send(to, bytes);
}

}  // namespace fastjournal::reactor
