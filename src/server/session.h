// One connection: what arrived and is not a whole message yet, what is to be
// sent, and who is at the other end. Owned by the server; plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "core/subscriptions.h"
#include "env/network.h"
#include "fastjournal/rights.h"
#include "fastjournal/types.h"
#include "server/admission.h"
#include "server/client_memory.h"
#include "wire/framer.h"

namespace fastjournal::server {

// When a push became due, for its lateness, and where it ends in `out`.
struct Pushed {
  TimeMs due{};
  core::ListenMode mode{};
  std::size_t end{0};
};

// Buffers that grew beyond this are given back when empty.
inline constexpr std::size_t kBufferKeptBytes = 256U << 10U;

// What a connection takes that says nothing, here and in the reactor.
inline constexpr std::size_t kConnectionBytes = 2048;

inline void clear_buffer(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > kBufferKeptBytes) buffer.shrink_to_fit();
}

struct Session {
  Session(ConnectionId connection, env::Peer const& from, wire::FrameLimits limits)
      : id(connection), peer(from.text), origin(from.origin), listener(from.listener), framer(limits) {
    worker = peer + "#" + std::to_string(static_cast<std::uint64_t>(connection));
  }

  ConnectionId id;
  std::string peer;
  std::string origin;      // whom it counts to (env::Peer)
  std::uint32_t listener;  // by which it came; 0: we made it
  std::string worker;      // who it is in leases, unless it says otherwise
  Rights rights{};         // of the listener; those of a connection that we made
  wire::Framer framer;
  std::string in;              // bytes of a message that is not whole, or that wait for room in `out`
  std::string out;             // answers
  std::uint64_t before{0};     // bytes that were in `out` and left it
  std::size_t sent{0};         // of `out`: given to the kernel
  std::size_t committed{0};    // of `out`: what it tells is durable; nothing behind it may leave
  std::vector<Pushed> pushed;  // in `out` and not sent yet
  bool binary{false};          // the form of the last message: pushes take it too
  bool reading_paused{false};  // the network was told to read nothing more
  bool full{false};            // ... as `out` must be sent first
  bool in_line{false};         // ... as what it sent before waits for its turn (Server::stand_in_line)
  bool told_full{false};       // the engine holds back what it has for it
  bool input_ended{false};
  Admission::Place place{Admission::Place::none};
  std::list<Session*>* silence{nullptr};  // the line of silence.h that it stands in
  std::list<Session*>::iterator place_in_silence;
  std::int64_t silent_since_us{0};
  std::uint32_t waiting{0};  // commands whose answers come later
  bool listens{false};       // silence is what it is there for
  bool is_known{false};      // it has said a message: a bad line is a mistake from here on
  bool ending{false};        // nothing more is read; it is closed when `out` has left
  bool link{false};          // a connection that we made
  bool communicator{false};  // to a communicatord, whose word on senders counts
  bool quitting{false};      // it said so: nothing more is said to it
  bool dirty{false};         // in the server's list of those to flush

  ClientMemory::Account account{};
  std::uint64_t kept{0};            // bytes that the engine keeps for it: waiting commands, listeners
  bool lost{false};                 // there was no memory for an answer: it is to be closed
  bool stopped{false};              // not read for the sake of memory; in the server's list of those
  std::int64_t let_on_until_us{0};  // all the same it may end its message, until then; 0: not

  [[nodiscard]] std::size_t unsent() const { return out.size() - sent; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return kConnectionBytes + in.capacity() + out.capacity() + pushed.capacity() * sizeof(Pushed) + kept;
  }
};

}  // namespace fastjournal::server
