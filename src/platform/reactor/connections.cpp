// See connections.h. Here are slots, reading and ends; output.cpp has the sending, tls.cpp what TLS changes.
#include "platform/reactor/connections.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <utility>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/handshakes.h"

namespace fastjournal::reactor {
namespace {

std::string_view reason_of(int error) {
  return error == 0 || error == EPIPE ? std::string_view{"closed by peer"} : error_words(error);
}

int error_of(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

Connections::Connections(Loop& loop) : loop_(loop), lingering_(loop) {}

Connections::~Connections() {
  for (std::unique_ptr<Connection> const& connection : slots_)
    if (connection->id != ConnectionId::none) release(*connection);
}

void Connections::read_postponed() {
  if (postponed_.empty()) return;
  swap_.clear();
  swap_.swap(postponed_);
  for (ConnectionId const id : swap_) {
    Connection* const connection = find(id);
    if (connection == nullptr) continue;
    if (connection->secure != nullptr) connection->secure->queued = false;
    if ((connection->is_shaking_hands() || !connection->paused) && !connection->input_ended) on_readable(*connection);
  }
}

void Connections::tell_ended() {
  if (ended_.empty()) return;
  swap_.clear();
  swap_.swap(ended_);
  for (ConnectionId const id : swap_)
    if (Connection* const connection = find(id); connection != nullptr) end(*connection, connection->error);
}

// ---------------------------------------------------------------------------
// Slots

Connection* Connections::find(ConnectionId id) {
  auto const slot = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
  if (slot >= slots_.size()) return nullptr;
  Connection* const connection = slots_[slot].get();
  return id != ConnectionId::none && connection->id == id ? connection : nullptr;
}

Connection& Connections::add(UniqueFd fd) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.push_back(std::make_unique<Connection>());
    slots_.back()->owner = this;
    slots_.back()->slot = free_slots_.back();
  }
  Connection& connection = *slots_[free_slots_.back()];
  free_slots_.pop_back();
  ++connection.generation;
  connection.id = ConnectionId{std::uint64_t{connection.generation} << 32U | connection.slot};
  ++open_;
  assign(connection, std::move(fd));
  return connection;
}

// Stores the descriptor and its two watches, without starting them.
void Connections::assign(Connection& connection, UniqueFd fd) {
  connection.fd = std::move(fd);
  connection.look = 0;
  connection.error = 0;
  connection.connecting = false;
  connection.paused = false;
  connection.input_ended = false;
  connection.output_ended = false;
  event_assign(&connection.readable, loop_.base(), connection.fd.get(), EV_READ | EV_PERSIST,
               &call<Connection, &Connections::on_readable>, &connection);
  event_assign(&connection.writable, loop_.base(), connection.fd.get(), EV_WRITE,
               &call<Connection, &Connections::on_writable>, &connection);
}

void Connections::release(Connection& connection) {
  event_del(&connection.readable);
  event_del(&connection.writable);
  if (connection.is_shaking_hands()) connection.secure->handshakes->end(*connection.secure);
  connection.secure.reset();
  connection.fd.reset();
  connection.id = ConnectionId::none;
  --open_;
  // A slot that has used all generations is abandoned, since ids must never repeat.
  if (connection.generation != UINT32_MAX) free_slots_.push_back(connection.slot);
}

void Connections::release_lingering(Connection& connection) {
  event_del(&connection.readable);
  event_del(&connection.writable);
  UniqueFd fd = std::move(connection.fd);
  release(connection);
  linger(std::move(fd));
}

bool Connections::has_room(std::size_t others, std::size_t most) {
  while (open_ + others + lingering_.size() >= most)
    if (!lingering_.make_room()) return false;
  return true;
}

// ---------------------------------------------------------------------------
// Beginning

void Connections::open(UniqueFd fd, PeerName const& peer, std::uint32_t listener) {
  Connection& connection = add(std::move(fd));
  if (!begin_reading(connection, peer.text)) return;
  ++loop_.counters().accepted;
  loop_.handler().on_open(connection.id, {.text = peer.text, .origin = peer.origin, .listener = listener});
}

bool Connections::begin_reading(Connection& connection, std::string_view peer) {
  if (event_add(&connection.readable, nullptr) == 0) return true;
  loop_.warn(fmt::format("connection of {} refused: watch its socket: {}", peer, error_words(errno)));
  release(connection);
  return false;
}

Result<ConnectionId> Connections::connect(env::Address const& address, env::ConnectOptions const& options,
                                          Handshakes& handshakes) {
  Result<SocketAddress> const peer = parse_address(address.text);
  if (!peer.ok()) return peer.status();
  if (open_ >= loop_.options().connections_max)
    return Status{Code::over_limit, fmt::format("connect {}: {} connections are open", address.text, open_)};
  UniqueFd fd{::socket(peer->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd.valid()) return system_failure("socket for", address.text, errno);
  std::unique_ptr<Secure> secure;
  if (options.tls) {
    Result<std::unique_ptr<Secure>> made = handshakes.prepare(address, options, fd.get());
    if (!made.ok()) return made.status();
    secure = std::move(made).value();
  }
  if (peer->family() != AF_UNIX) {
    int const on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (::connect(fd.get(), peer->get(), peer->length) != 0 && errno != EINPROGRESS)
    return system_failure("connect", address.text, errno);

  Connection& connection = add(std::move(fd));
  connection.connecting = true;
  event_assign(&connection.writable, loop_.base(), connection.fd.get(), EV_WRITE,
               &call<Connection, &Connections::on_connected>, &connection);
  if (event_add(&connection.writable, nullptr) != 0) {
    int const error = errno;
    release(connection);
    return system_failure("watch", address.text, error);
  }
  if (secure != nullptr) handshakes.begin(connection, std::move(secure));
  return connection.id;
}

void Connections::on_connected(Connection& connection) {
  int error = error_of(connection.fd.get());
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
  if (error != 0) return end(connection, error);
  PeerName name = peer_name(connection.fd.get(), peer);
  if (connection.secure != nullptr) {
    connection.secure->peer = std::move(name);
    return connection.secure->handshakes->step(connection);
  }
  loop_.handler().on_open(connection.id, {.text = name.text, .origin = "made"});
}

// ---------------------------------------------------------------------------
// Reading

void Connections::on_readable(Connection& connection) {
  if (connection.secure != nullptr) return on_secure_readable(connection);
  if (connection.look == loop_.counters().looks) return;
  connection.look = loop_.counters().looks;
  if (loop_.is_full()) {
    postponed_.push_back(connection.id);
    loop_.turn_again();
    return;
  }
  // One call: unread data is reported again, so reading until EAGAIN would only add cost.
  std::span<char> const buffer = loop_.buffer();
  ssize_t const got = ::recv(connection.fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got > 0)
    deliver(connection.id, static_cast<std::size_t>(got));
  else if (got == 0)
    end_input(connection);
  else if (errno != EAGAIN && errno != EINTR)
    end(connection, errno);
}

// What is in the buffer. Overwritten afterwards: there may be a token in it, and the next bytes may be fewer. That costs a
// hundredth of what the kernel's copy does.
void Connections::deliver(ConnectionId id, std::size_t bytes) {
  ++loop_.turn().reads;
  loop_.turn().bytes += bytes;
  char* const buffer = loop_.buffer().data();
  loop_.handler().on_bytes(id, {buffer, bytes});
  ::explicit_bzero(buffer, bytes);
}

void Connections::read_later(Connection& connection) {
  loop_.turn_again();
  if (std::exchange(connection.secure->queued, true)) return;
  postponed_.push_back(connection.id);
}

void Connections::on_writable(Connection& connection) {
  if (connection.secure != nullptr) return on_secure_writable(connection);
  loop_.handler().on_writable(connection.id);
}

void Connections::pause_reading(ConnectionId id, bool paused) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->paused == paused) return;
  connection->paused = paused;
  // Before it is open there is nothing to read, and a handshake goes on.
  if (connection->input_ended || connection->connecting || connection->is_shaking_hands()) return;
  if (paused)
    event_del(&connection->readable);
  else
    event_add(&connection->readable, nullptr);
  // What is decrypted already does not make the socket readable.
  if (connection->secure != nullptr && !paused) read_later(*connection);
}

// ---------------------------------------------------------------------------
// Ends

void Connections::end_input(Connection& connection) {
  if (connection.error != 0) return end(connection, connection.error);
  connection.input_ended = true;
  // The end of file stays readable for ever. From here on the only possible change is the end of the connection, so an
  // edge-triggered watch wakes for that alone.
  bool const sending = event_pending(&connection.writable, EV_WRITE, nullptr) != 0;
  event_callback_fn const writable = event_get_callback(&connection.writable);
  event_del(&connection.readable);
  event_del(&connection.writable);
  event_assign(&connection.readable, loop_.base(), connection.fd.get(), EV_READ | EV_PERSIST | EV_ET,
               &call<Connection, &Connections::on_change_after_input>, &connection);
  event_assign(&connection.writable, loop_.base(), connection.fd.get(), EV_WRITE | EV_ET, writable, &connection);
  event_add(&connection.readable, nullptr);
  if (sending) event_add(&connection.writable, nullptr);
  ConnectionId const id = connection.id;
  loop_.handler().on_end_of_input(id);
  // With TLS, the socket itself may stay open when both directions have ended.
  Connection* const still = find(id);
  if (still != nullptr && still->secure != nullptr && still->output_ended && !still->secure->telling_end)
    end_later(*still);
}

void Connections::end_later(Connection& connection) {
  ended_.push_back(connection.id);
  loop_.turn_again();
}

void Connections::on_change_after_input(Connection& connection) {
  pollfd now{connection.fd.get(), 0, 0};
  if (::poll(&now, 1, 0) != 1 || (now.revents & (POLLHUP | POLLERR)) == 0) return;
  end(connection, error_of(connection.fd.get()));
}

void Connections::end(Connection& connection, int error) { end(connection, reason_of(error)); }

void Connections::end(Connection& connection, std::string_view reason) {
  ConnectionId const id = connection.id;
  release(connection);
  loop_.handler().on_closed(id, reason);
}

void Connections::close(ConnectionId id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  if (connection->secure != nullptr) connection->secure->stream->tell_end();
  // Its last answer must not be overtaken by a reset.
  bool const may_come = !connection->input_ended && connection->error == 0 && !connection->connecting;
  if (may_come)
    release_lingering(*connection);
  else
    release(*connection);
}

}  // namespace fastjournal::reactor
