// Connections, timers and turns, as the server sees them. Two implementations: the libevent reactor (reactor/) and the
// simulator's network (tests/sim/).
//
// One thread. A turn: on_bytes for everything readable, on_timer if due, then on_turn_end once. Bytes leave only when
// the server calls send.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::env {

class File;

// "127.0.0.1:4050", "[::1]:0", "unix:/run/fastjournal.sock"; a bare path that
// begins with '/' is a unix socket. Port 0: the system chooses.
struct Address {
  std::string text;
};

// The destination of datagrams sent, or the address to receive them on.
struct DatagramAddress {
  Address address;        // numeric, with a port; a multicast group (IPv4), a broadcast address, or one computer
  std::string interface;  // IPv4 address of the network card for a group; empty: the system chooses
  std::uint8_t ttl{1};    // for sending to a group; 0: this computer only
};

// The other end of a connection; valid during the call only.
struct Peer {
  std::string_view text;      // for people: "127.0.0.1:51234", "unix:pid 812 uid 1000"
  std::string_view origin;    // owner of its connections and names: "ip:127.0.0.1", "uid:1000", "made" for our own
  std::uint32_t listener{0};  // ListenOptions::number of its listener; 0 for our own
  // Whom the verified certificate of the peer names, 1 to 64 characters out of A-Z a-z 0-9 _ . @ -; empty: none.
  std::string_view user{};
};

// How to listen.
struct ListenOptions {
  std::uint32_t number{0};        // the caller's own; returned in each Peer
  std::uint32_t unix_mode{0660};  // of the file of a unix socket
  bool reserved{false};           // the last possible connections are reserved for this listener
  std::string refusal{};          // what peers are told where there is no descriptor for them; not over TLS
  // Of a unix socket: only these users and members of these groups may come, by their numbers; besides root and the
  // user of this process. Both empty: every user whom the file's mode lets. Others are not heard of.
  std::vector<std::uint32_t> users{};
  std::vector<std::uint32_t> groups{};
  std::string refusal_not_allowed{};  // what others are told; not over TLS
};

// How to connect: plain, or with TLS.
struct ConnectOptions {
  bool tls{false};
  std::uint32_t certificates{0};  // the number of what we show and whom we trust (Reactor::use_client_certificates)
  std::string name{};      // that the peer's certificate must be for; empty: the host of the address, or localhost
  std::string protocol{};  // that the peer has to agree upon by ALPN, "h2"; empty: none is asked for
};

struct DatagramSocket {
  ConnectionId id{};  // never the id of a connection
  Address bound;      // port 0 resolved
};

// Larger than any datagram that we send or read.
inline constexpr std::size_t kDatagramBytesMax = 2048;

// Of one call of send_file: a peer that reads as fast as we write must not keep the turn.
inline constexpr std::size_t kSendFileBytesMax = 1U << 20U;

class NetworkHandler {
 public:
  virtual void on_open(ConnectionId id, Peer const& peer) = 0;
  // Bytes that arrived; the view is valid during the call only.
  virtual void on_bytes(ConnectionId id, std::string_view bytes) = 0;
  // The peer takes bytes again, after a send that accepted only a part.
  virtual void on_writable(ConnectionId id) = 0;
  // The peer will send nothing more (end of file); answers may still be sent to it.
  virtual void on_end_of_input(ConnectionId id) = 0;
  // The connection is gone; `id` is not reused. Not called for close().
  virtual void on_closed(ConnectionId id, std::string_view reason) = 0;
  // A datagram, whole or cut to kDatagramBytesMax + 1 bytes; valid during the call only. `id` is the socket's.
  virtual void on_datagram(ConnectionId, std::string_view) {}
  // The same of a unix socket, with the address of its sender for send_local_datagram; empty: it has none, and nobody
  // can be answered.
  virtual void on_local_datagram(ConnectionId, std::string_view /*bytes*/, std::string_view /*from*/,
                                 Peer const& /*peer*/) {}
  // The date given to wake_at has come.
  virtual void on_timer() = 0;
  // The wall clock was set, or the computer slept; on_turn_end follows.
  virtual void on_clock_set() {}
  // All input of this turn was delivered: commit, send, and set the next timer here.
  virtual void on_turn_end() = 0;

 protected:
  ~NetworkHandler() = default;
};

class Network {
 public:
  virtual ~Network() = default;
  // Begins a connection without waiting: on_open reports success, on_closed reports failure. Not ok: it failed at once,
  // and no call follows. With TLS, success is a handshake that is done, with a peer whose certificate was verified. A
  // peer that refuses our own certificate may say so after that, by on_closed (TLS 1.3).
  [[nodiscard]] virtual Result<ConnectionId> connect(Address const& address, ConnectOptions const& options) = 0;
  // Returns the bound address (port 0 resolved). An address that it listens on already is shared by both listeners: so
  // one can take the place of another, which then stops, and no connection is refused meanwhile.
  [[nodiscard]] virtual Result<Address> listen(Address const& address, ListenOptions const& options) = 0;
  // The listener of this number is closed. Connections that were opened stay.
  // Its sockets for datagrams end.
  virtual void stop_listening(std::uint32_t number) = 0;
  // Gives the kernel as much as it takes now; returns that size. If it is less than given, on_writable follows, and the
  // next call begins with the bytes not taken: they may be encrypted already.
  [[nodiscard]] virtual std::size_t send(ConnectionId id, std::string_view bytes) = 0;
  // The same with a range of a file, without reading it into memory where that is possible; at most kSendFileBytesMax
  // of it. Not ok: these bytes cannot be read, or the file ends before them. A peer that is gone is no failure.
  [[nodiscard]] virtual Result<std::size_t> send_file(ConnectionId id, File& file, std::uint64_t offset,
                                                      std::uint64_t bytes) = 0;
  // As send, and a descriptor of the file goes with the first byte; by it the peer can read the whole file, and nothing
  // else. 0: nothing went. Not ok, and nothing went: not_supported (not a unix socket, or TLS), or there is no
  // descriptor for it now.
  [[nodiscard]] virtual Result<std::size_t> send_with_descriptor(ConnectionId id, std::string_view bytes,
                                                                 File& file) = 0;
  // The peer gets the end of our output after all that was taken; what it sends is still read. Nothing is sent
  // afterwards. Once the input has ended, too, on_closed follows.
  virtual void end_output(ConnectionId id) = 0;
  // Back-pressure: while true there is no on_bytes for it.
  virtual void pause_reading(ConnectionId id, bool paused) = 0;
  // Ends it; no further call for this id.
  virtual void close(ConnectionId id) = 0;
  // Datagrams may be lost, doubled and reordered. A socket for sending only.
  [[nodiscard]] virtual Result<ConnectionId> open_datagrams_to(DatagramAddress const& address) = 0;
  // A socket for reading; it joins the group if the address is one.
  [[nodiscard]] virtual Result<DatagramSocket> receive_datagrams(DatagramAddress const& address) = 0;
  // False: the kernel does not take it now, and the datagram is lost. Never waits.
  [[nodiscard]] virtual bool send_datagram(ConnectionId id, std::string_view bytes) = 0;
  // Datagrams at the path of a unix socket; its file is as that of a listener, and shared in the same way.
  [[nodiscard]] virtual Result<DatagramSocket> receive_local_datagrams(Address const& address,
                                                                       ListenOptions const& options) = 0;
  // From this socket to an address that on_local_datagram told. False: it is lost, as the receiver's queue is full, or
  // the receiver is gone. Never waits.
  [[nodiscard]] virtual bool send_local_datagram(ConnectionId id, std::string_view to, std::string_view bytes) = 0;
  virtual void close_datagrams(ConnectionId id) = 0;
  // Calls on_timer at this moment of the monotonic clock (Clock::monotonic_us). Replaces the previous date; INT64_MAX:
  // none. For a date in the past: in the next turn.
  virtual void wake_at(std::int64_t monotonic_us) = 0;
  // Requests another turn at once, even if nothing is readable (work is left over).
  virtual void turn_again() = 0;
};

}  // namespace fastjournal::env
