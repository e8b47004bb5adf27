// What the reactor keeps for each connection, listening socket and signal. Apart from
// reactor.h so that libevent's headers stay inside this folder.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "fastjournal/types.h"
#include "reactor/datagram_socket.h"
#include "reactor/reactor.h"

namespace fastjournal::reactor {

// id = generation << 32 | slot: found without hashing, and never given twice.
struct Reactor::Connection {
  Reactor* owner{nullptr};
  ConnectionId id{ConnectionId::none};  // none while the slot is free
  std::uint32_t slot{0};
  std::uint32_t generation{0};
  UniqueFd fd;
  event readable{};
  event writable{};       // once; armed only after a send that took fewer bytes than it was given
  std::uint64_t look{0};  // when it was last read
  int error{0};           // why the peer takes no more bytes
  bool paused{false};     // the handler wants no bytes
  bool input_ended{false};
};

struct Reactor::Listener {
  Reactor* owner{nullptr};
  std::uint32_t number{0};  // the owner's own
  bool reserved{false};     // the last connections are for those who come here
  bool paused{false};       // it refused somebody a moment ago
  std::unique_ptr<ListeningSocket> socket;
  Event acceptable;
};

struct Reactor::Datagrams {
  Datagrams(Reactor* reactor, ConnectionId number, DatagramSocket opened)
      : owner(reactor), id(number), socket(std::move(opened)) {}

  Reactor* owner;
  ConnectionId id;
  DatagramSocket socket;
  Event readable;  // only of those that are read
};

struct Reactor::SignalAction {
  Reactor* owner{nullptr};
  std::function<void()> action;
  Event raised;
};

}  // namespace fastjournal::reactor
