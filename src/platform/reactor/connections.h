// The open connections, of either side: their slots, what they read and send, and their end. Listeners and
// Handshakes bring them. What is closed while its peer still sends stays in Lingering.
//
// The handler learns of a connection with TLS when its handshake is done; from then on it is like any other, with three
// differences (tls.cpp).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "platform/reactor/address.h"
#include "platform/reactor/lingering.h"
#include "platform/reactor/loop.h"

namespace fastjournal::reactor {

class Handshakes;
struct Connection;

class Connections {
 public:
  explicit Connections(Loop& loop);
  // Ends all of them without telling the handler.
  ~Connections();

  // As those of env::Network. With TLS, the handshakes go on with it once it is connected.
  [[nodiscard]] Result<ConnectionId> connect(env::Address const& address, env::ConnectOptions const& options,
                                             Handshakes& handshakes);
  [[nodiscard]] std::size_t send(ConnectionId id, std::string_view bytes);
  [[nodiscard]] Result<std::size_t> send_file(ConnectionId id, env::File& file, std::uint64_t offset,
                                              std::uint64_t bytes);
  [[nodiscard]] Result<std::size_t> send_with_descriptor(ConnectionId id, std::string_view bytes, env::File& file);
  void end_output(ConnectionId id);
  void pause_reading(ConnectionId id, bool paused);
  void close(ConnectionId id);

  // In each turn before the loop looks for events: what is left of the turn before.
  void tell_ended();
  void read_postponed();

  // Opens one for the handler.
  void open(UniqueFd fd, PeerName const& peer, std::uint32_t listener);
  // One of which the handler does not hear so far.
  [[nodiscard]] Connection& add(UniqueFd fd);
  // False: it is refused and gone.
  [[nodiscard]] bool begin_reading(Connection& connection, std::string_view peer);
  [[nodiscard]] Connection* find(ConnectionId id);
  // In the next turn, in the order of the calls. Of one with TLS.
  void read_later(Connection& connection);
  void end(Connection& connection, int error);
  void end(Connection& connection, std::string_view reason);
  // The end without telling the handler.
  void release(Connection& connection);
  void release_lingering(Connection& connection);
  // Of a peer that has no connection.
  void linger(UniqueFd fd) { lingering_.add(std::move(fd)); }

  // Whether fewer than `most` peers have descriptors, with `others`. Those that linger make room.
  [[nodiscard]] bool has_room(std::size_t others, std::size_t most);
  [[nodiscard]] std::size_t size() const { return open_; }
  [[nodiscard]] std::size_t lingering() const { return lingering_.size(); }

 private:
  void assign(Connection& connection, UniqueFd fd);
  void on_readable(Connection& connection);
  void on_writable(Connection& connection);
  void on_connected(Connection& connection);
  void on_change_after_input(Connection& connection);
  void deliver(ConnectionId id, std::size_t bytes);
  void end_input(Connection& connection);
  void end_later(Connection& connection);

  // output.cpp
  void wait_until_writable(Connection& connection);
  void fail_output(Connection& connection, int error);
  [[nodiscard]] Result<std::size_t> send_by_reading(Connection& connection, env::File& file, std::uint64_t offset,
                                                    std::size_t bytes);

  // tls.cpp
  void on_secure_readable(Connection& connection);
  void on_secure_writable(Connection& connection);
  void take_secure_end(Connection& connection);
  [[nodiscard]] std::size_t send_secure(Connection& connection, std::string_view bytes);
  void end_secure_output(Connection& connection);
  void fail_secure_output(Connection& connection);

  Loop& loop_;
  Lingering lingering_;
  // By slot; the objects keep their addresses, which libevent stores.
  std::vector<std::unique_ptr<Connection>> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t open_{0};
  std::vector<ConnectionId> postponed_;  // readable, but the turn was full
  std::vector<ConnectionId> ended_;      // their end was noticed inside a call of the handler
  std::vector<ConnectionId> swap_;
};

}  // namespace fastjournal::reactor
