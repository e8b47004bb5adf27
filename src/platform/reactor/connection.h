// The data of each connection and each listener. Apart from the classes that own them because handshakes look at
// both, and libevent's structures stay inside this folder.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <list>
#include <memory>

#include "platform/reactor/address.h"
#include "platform/reactor/listening_socket.h"
#include "platform/reactor/loop.h"
#include "platform/reactor/peer_list.h"
#include "platform/tls/stream.h"

namespace fastjournal::reactor {

class Connections;
class Handshakes;
class Listeners;

// Owned by Listeners.
struct Listener {
  Listeners* owner{nullptr};
  env::ListenOptions options;
  PeerList peers;                           // of the options
  bool paused{false};                       // for a moment after a refusal
  TlsListening tls;                         // without a context: plain
  std::shared_ptr<ListeningSocket> socket;  // with another one at this address, until one of both stops
  Event acceptable;
};

// Of a connection with TLS.
struct Secure {
  std::unique_ptr<tls::Stream> stream;
  PeerName peer;
  Listener const* listener{nullptr};          // null: the connection was made here
  Handshakes* handshakes{nullptr};            // while the handshake is under way
  std::list<ConnectionId>::iterator place{};  // ... its place among them
  std::int64_t begun_us{0};
  bool greeted{false};         // its first byte was looked at
  bool queued{false};          // Connections::read_later
  bool full{false};            // the handler waits for on_writable
  bool read_for_write{false};  // ... and for that the socket must be readable
  bool write_for_read{false};  // reading goes on when the socket is writable
  bool telling_end{false};     // the word for the end of our output goes when the socket is writable
};

// Owned by Connections. id = generation << 32 | slot: found without hashing, never given twice.
struct Connection {
  Connections* owner{nullptr};
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

  [[nodiscard]] bool is_shaking_hands() const { return secure != nullptr && secure->handshakes != nullptr; }
};

}  // namespace fastjournal::reactor
