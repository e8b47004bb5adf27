// The sockets of datagrams in the loop. Their ids differ from those of connections: no slot of a connection reaches
// 2^31 generations.
#include <errno.h>

#include <fmt/format.h>

#include "reactor/connection.h"
#include "reactor/reactor.h"

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

void Reactor::close_datagrams(ConnectionId id) { datagrams_.erase(id); }

}  // namespace fastjournal::reactor
