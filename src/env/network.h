// Connections, timers and turns, as the server sees them. Two implementations:
// the libevent reactor (reactor/) and the simulator's network (tests/sim/).
//
// One thread. A turn: on_bytes for what is readable, on_timer if it is due,
// then on_turn_end once. Nothing the server sends leaves before it says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::env {

// "127.0.0.1:4050", "[::1]:0", "unix:/run/fastjournal.sock"; a bare path that
// begins with '/' is a unix socket. Port 0: the system chooses.
struct Address {
  std::string text;
};

// Where datagrams go to, or arrive.
struct DatagramAddress {
  Address address;        // numbers and a port; a multicast group (IPv4), a broadcast, or one computer
  std::string interface;  // IPv4 address of the network card for a group; empty: the system chooses
  std::uint8_t ttl{1};    // of what is sent to a group; 0: it stays on this computer
};

// Who is at the other end of a connection; valid during the call only.
struct Peer {
  std::string_view text;    // for people: "127.0.0.1:51234", "unix:pid 812 uid 1000"
  std::string_view origin;  // whom its connections and names count to: "ip:127.0.0.1", "uid:1000", "made" if we made it
  std::uint32_t listener{0};  // by which it came: the number that listen was given; 0 if we made it
};

// How to listen.
struct ListenOptions {
  std::uint32_t number{0};        // comes back with each peer; the caller's own
  std::uint32_t unix_mode{0660};  // of the file of a unix socket
  bool reserved{false};           // the last connections that there can be are for those who come here
};

struct DatagramSocket {
  ConnectionId id{};  // not one of a connection
  Address bound;      // port 0 resolved
};

// More than any datagram that we send or read.
inline constexpr std::size_t kDatagramBytesMax = 2048;

class NetworkHandler {
 public:
  virtual void on_open(ConnectionId id, Peer const& peer) = 0;
  // Bytes that arrived; the view is valid during the call only.
  virtual void on_bytes(ConnectionId id, std::string_view bytes) = 0;
  // The peer takes bytes again after a send that took fewer than it was given.
  virtual void on_writable(ConnectionId id) = 0;
  // The peer will send nothing more (end of file): answers may still be sent to it.
  virtual void on_end_of_input(ConnectionId id) = 0;
  // The connection is gone; `id` is not used again. Not called for close().
  virtual void on_closed(ConnectionId id, std::string_view reason) = 0;
  // A datagram, whole or cut to kDatagramBytesMax + 1 bytes; valid during the call only. `id` is its socket.
  virtual void on_datagram(ConnectionId, std::string_view) {}
  // The date asked for with wake_at has come.
  virtual void on_timer() = 0;
  // Somebody set the clock of the wall, or the computer slept; on_turn_end follows.
  virtual void on_clock_set() {}
  // Everything readable in this turn was given; commit, send, and set the next timer here.
  virtual void on_turn_end() = 0;

 protected:
  ~NetworkHandler() = default;
};

class Network {
 public:
  virtual ~Network() = default;
  // Begins a connection and does not wait for it: on_open tells that it is there, on_closed that it
  // could not be made. Not ok: it failed at once, and nothing follows.
  [[nodiscard]] virtual Result<ConnectionId> connect(Address const& address) = 0;
  // The address really bound (port 0 resolved).
  [[nodiscard]] virtual Result<Address> listen(Address const& address, ListenOptions const& options) = 0;
  // Gives the kernel what it takes now; returns how much. Fewer than given: on_writable will follow.
  [[nodiscard]] virtual std::size_t send(ConnectionId id, std::string_view bytes) = 0;
  // Back-pressure: while true no on_bytes comes for it.
  virtual void pause_reading(ConnectionId id, bool paused) = 0;
  // Ends it; no further call for this id.
  virtual void close(ConnectionId id) = 0;
  // Datagrams: lost, doubled and overtaken at will. A socket to send from; nothing is read from it.
  [[nodiscard]] virtual Result<ConnectionId> open_datagrams_to(DatagramAddress const& address) = 0;
  // A socket to read from, in the group if the address is one.
  [[nodiscard]] virtual Result<DatagramSocket> receive_datagrams(DatagramAddress const& address) = 0;
  // False: the kernel does not take it now; it is lost. Never waits.
  [[nodiscard]] virtual bool send_datagram(ConnectionId id, std::string_view bytes) = 0;
  virtual void close_datagrams(ConnectionId id) = 0;
  // on_timer at this moment of the monotonic clock (Clock::monotonic_us);
  // replaces the former one; INT64_MAX: none. A date that has passed: in the next turn.
  virtual void wake_at(std::int64_t monotonic_us) = 0;
  // Another turn follows at once even if nothing is readable (work was left over).
  virtual void turn_again() = 0;
};

}  // namespace fastjournal::env
