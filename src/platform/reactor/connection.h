// What the reactor keeps for each connection, listening socket and signal. Apart from
// reactor.h so that libevent's headers stay inside this folder.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "fastjournal/types.h"
#include "platform/reactor/datagram_socket.h"
#include "platform/reactor/local_datagram_socket.h"
#include "platform/reactor/peer_list.h"
#include "platform/reactor/reactor.h"
#include "platform/tls/stream.h"

namespace fastjournal::reactor {

// Reads and drops what has arrived, up to a limit.
void discard_input(int fd);

// Of a connection with TLS.
struct Reactor::Secure {
  std::unique_ptr<tls::Stream> stream;
  PeerName peer;
  Listener const* listener{nullptr};  // null: the connection was made here
  std::int64_t begun_us{0};
  std::list<ConnectionId>::iterator place{};  // in handshakes_ or own_handshakes_, while it shakes
  bool shaking{true};
  bool greeted{false};         // its first byte was looked at
  bool queued{false};          // it is in postponed_
  bool full{false};            // the handler waits for on_writable
  bool read_for_write{false};  // ... and for that the socket must be readable
  bool write_for_read{false};  // reading goes on when the socket is writable
  bool telling_end{false};     // the word for the end of our output goes when the socket is writable
};

// Accepted by a listener with TLS; its handshake begins when its origin has a place.
struct Reactor::Waiting {
  UniqueFd fd;
  PeerName peer;
  Listener const* listener;
  std::int64_t since_us;
};

// Its connection is closed for the handler.
struct Reactor::Lingering {
  Reactor* owner{nullptr};
  UniqueFd fd;
  Event readable;
  std::uint64_t bytes{0};
  std::int64_t since_us{0};
  std::int64_t heard_us{0};
};

// id = generation << 32 | slot: found without hashing, never given twice.
struct Reactor::Connection {
  Reactor* owner{nullptr};
  ConnectionId id{ConnectionId::none};  // none while the slot is free
  std::uint32_t slot{0};
  std::uint32_t generation{0};
  UniqueFd fd;
  std::unique_ptr<Secure> secure;  // null: plain
  event readable{};
  event writable{};       // one-shot; armed only after a send that accepted only a part
  std::uint64_t look{0};  // number of the look that last read it
  int error{0};           // the reason why the peer takes no more bytes
  bool connecting{false};
  bool paused{false};  // by the handler
  bool input_ended{false};
  bool output_ended{false};  // by the handler
};

struct Reactor::Listener {
  Reactor* owner{nullptr};
  std::uint32_t number{0};                  // ListenOptions::number
  bool reserved{false};                     // the last connections are reserved for this listener
  bool paused{false};                       // for a moment after a refusal
  std::string refusal;                      // ListenOptions::refusal
  PeerList peers;                           // ListenOptions::users, groups
  std::string refusal_not_allowed;          // ListenOptions::refusal_not_allowed
  TlsListening tls;                         // without a context: plain
  std::shared_ptr<ListeningSocket> socket;  // with another one at this address, until one of both stops
  std::uint32_t unix_mode{0};
  Event acceptable;
};

struct Reactor::Datagrams {
  Datagrams(Reactor* reactor, ConnectionId number, DatagramSocket opened)
      : owner(reactor), id(number), socket(std::move(opened)) {}

  Reactor* owner;
  ConnectionId id;
  DatagramSocket socket;
  Event readable;  // only for sockets that are read
};

struct Reactor::LocalDatagrams {
  Reactor* owner{nullptr};
  ConnectionId id{};
  std::uint32_t number{0};  // ListenOptions::number
  PeerList peers;
  std::uint32_t unix_mode{0};
  std::shared_ptr<LocalDatagramSocket> socket;  // with another one at this address, until one of both stops
  Event readable;
};

// Of a signal, or of an interval.
struct Reactor::Action {
  Reactor* owner{nullptr};
  std::function<void()> action;
  Event raised;
};

}  // namespace fastjournal::reactor
