// See datagrams.h.
#include "platform/reactor/datagrams.h"

#include <sys/socket.h>

#include <algorithm>

#include "platform/reactor/address.h"
#include "platform/reactor/datagram_socket.h"

namespace fastjournal::reactor {
namespace {

// Per socket and look; the rest is read in the next turn.
constexpr std::uint32_t kDatagramsPerLook = 256;

}  // namespace

struct Datagrams::Udp {
  Datagrams* owner;
  ConnectionId id;
  DatagramSocket socket;
  Event readable;  // only for sockets that are read
};

struct Datagrams::Local {
  Datagrams* owner{nullptr};
  ConnectionId id{};
  env::ListenOptions options;
  PeerList peers;
  std::shared_ptr<LocalDatagramSocket> socket;  // with another one at this address, until one of both stops
  Event readable;
};

Datagrams::Datagrams(Loop& loop, NotAllowed& not_allowed) : loop_(loop), not_allowed_(not_allowed) {}
Datagrams::~Datagrams() = default;

ConnectionId Datagrams::next_id() { return ConnectionId{(std::uint64_t{1} << 63U) | ++ids_}; }

Result<ConnectionId> Datagrams::open_to(env::DatagramAddress const& address) {
  Result<DatagramSocket> socket = DatagramSocket::to(address);
  if (!socket.ok()) return socket.status();
  ConnectionId const id = next_id();
  udp_.emplace(id, new Udp{this, id, std::move(socket).value(), nullptr});
  return id;
}

Result<env::DatagramSocket> Datagrams::receive(env::DatagramAddress const& address) {
  Result<DatagramSocket> socket = DatagramSocket::at(address);
  if (!socket.ok()) return socket.status();
  std::unique_ptr<Udp> made{new Udp{this, next_id(), std::move(socket).value(), nullptr}};
  auto const readable = &call<Udp, &Datagrams::on_readable>;
  Status watched = loop_.watch(made->socket.fd(), made->socket.text(), readable, made.get(), made->readable);
  if (!watched.ok()) return watched;
  env::DatagramSocket out{made->id, {made->socket.text()}};
  udp_.emplace(made->id, std::move(made));
  return out;
}

void Datagrams::on_readable(Udp& one) {
  char bytes[env::kDatagramBytesMax + 1];
  for (std::uint32_t i = 0; i < kDatagramsPerLook; ++i) {
    std::size_t const got = one.socket.receive(bytes);
    if (got == 0) return;
    loop_.handler().on_datagram(one.id, {bytes, got});
  }
}

bool Datagrams::send(ConnectionId id, std::string_view bytes) {
  auto const found = udp_.find(id);
  return found != udp_.end() && found->second->socket.send(bytes);
}

void Datagrams::close(ConnectionId id) {
  udp_.erase(id);
  local_.erase(id);
}

// ---------------------------------------------------------------------------
// Of unix sockets

Result<env::DatagramSocket> Datagrams::receive_local(env::Address const& address, env::ListenOptions const& options) {
  Result<std::shared_ptr<LocalDatagramSocket>> socket = local_socket_at(address, options.unix_mode);
  if (!socket.ok()) return socket.status();
  auto made = std::make_unique<Local>();
  made->owner = this;
  made->id = next_id();
  made->options = options;
  made->peers = {options.users, options.groups};
  made->socket = std::move(socket).value();
  auto const readable = &call<Local, &Datagrams::on_local_readable>;
  Status watched = loop_.watch(made->socket->fd(), made->socket->text(), readable, made.get(), made->readable);
  if (!watched.ok()) return watched;
  env::DatagramSocket out{made->id, {made->socket->text()}};
  local_.emplace(made->id, std::move(made));
  return out;
}

Result<std::shared_ptr<LocalDatagramSocket>> Datagrams::local_socket_at(env::Address const& address,
                                                                        mode_t unix_mode) const {
  Result<SocketAddress> const parsed = parse_address(address.text);
  if (!parsed.ok()) return parsed.status();
  std::string const text = to_text(parsed.value());
  for (auto const& [id, other] : local_) {
    if (other->socket->text() != text) continue;
    if (Status status = other->socket->set_mode(unix_mode); !status.ok()) return status;
    return other->socket;
  }
  Result<std::unique_ptr<LocalDatagramSocket>> opened = LocalDatagramSocket::open(parsed.value(), unix_mode);
  if (!opened.ok()) return opened.status();
  return std::shared_ptr<LocalDatagramSocket>{std::move(opened).value()};
}

void Datagrams::stop(std::uint32_t number) {
  auto const is_its = [number](auto const& other) { return other.second->options.number == number; };
  auto const found = std::ranges::find_if(local_, is_its);
  if (found == local_.end()) return;
  std::unique_ptr<Local> const gone = std::move(found->second);
  local_.erase(found);
  for (auto const& [id, other] : local_) {
    if (other->socket != gone->socket) continue;
    if (Status const status = other->socket->set_mode(other->options.unix_mode); !status.ok())
      loop_.warn(status.message());
  }
}

void Datagrams::on_local_readable(Local& one) {
  // The handler may end it in each call.
  ConnectionId const id = one.id;
  std::shared_ptr<LocalDatagramSocket> const socket = one.socket;
  char bytes[env::kDatagramBytesMax + 1];
  LocalDatagramSocket::Received received;
  for (std::uint32_t i = 0; i < kDatagramsPerLook && local_.contains(id); ++i) {
    if (!socket->receive(bytes, received)) return;
    if (received.bytes == 0) continue;
    PeerName const peer = peer_name(received.sender);
    if (!one.peers.admits_sender(received.sender)) {
      not_allowed_.count(peer.text, socket->text());
      continue;
    }
    loop_.handler().on_local_datagram(id, {bytes, received.bytes}, received.from,
                                      {.text = peer.text, .origin = peer.origin, .listener = one.options.number});
  }
}

bool Datagrams::send_local(ConnectionId id, std::string_view to, std::string_view bytes) {
  auto const found = local_.find(id);
  return found != local_.end() && found->second->socket->send(to, bytes);
}

}  // namespace fastjournal::reactor
