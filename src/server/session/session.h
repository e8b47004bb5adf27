// One connection: its unread input, its unsent output, and its peer. Owned by Sessions; plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/env/disk.h"
#include "base/env/network.h"
#include "config/access/user.h"
#include "engine/waiting/subscriptions.h"
#include "fastjournal/protocol.h"
#include "fastjournal/rights.h"
#include "fastjournal/types.h"
#include "log/log.h"
#include "server/session/admission.h"
#include "server/session/client_memory.h"

namespace fastjournal::storage {
class Readings;
}

namespace fastjournal::server {

enum class Spoken : std::uint8_t {
  messages,
  http,
  other,  // a protocol of a table type
};

// When a push became due, for its lateness, and where it ends in `out`.
struct Pushed {
  TimeMs due{};
  work::ListenMode mode{};
  std::size_t end{0};
};

// The stream of answers from here on depends on a log: it is sent once that is durable up to `lsn`.
struct Mark {
  std::uint64_t begin{0};  // counted from the begin of the stream
  log::Log const* log{nullptr};
  Lsn lsn{kNoLsn};  // none: of the current turn
};

// A file whose descriptor goes to the peer with the byte at this place of the stream.
struct Attachment {
  std::uint64_t at{0};  // counted from the begin of the stream
  std::shared_ptr<env::File> file;
};

// Bytes of a file, or of a text that many are sent, that go to the peer at this place of the stream, before the byte that
// stands there.
struct FileBytes {
  std::uint64_t at{0};  // counted from the begin of the stream, which they are no part of
  std::shared_ptr<env::File> file{};
  std::shared_ptr<std::string const> text{};  // instead of a file
  std::uint64_t offset{0};
  std::uint64_t left{0};
  storage::Readings* owner{nullptr};  // of a file: keeps them in their place
  std::uint64_t reading{0};           // until this number is given back
};

// Buffers that grew beyond this are freed when empty.
inline constexpr std::size_t kBufferKeptBytes = 256U << 10U;

// Memory of a silent connection, here and in the reactor.
inline constexpr std::size_t kConnectionBytes = 2048;

template <typename Bytes>
void clear_buffer(Bytes& buffer) {
  buffer.clear();
  if (buffer.capacity() > kBufferKeptBytes) buffer.shrink_to_fit();
}

struct Session {
  Session(ConnectionId connection, env::Peer const& from, std::unique_ptr<Protocol> spoken)
      : id(connection), peer(from.text), origin(from.origin), listener(from.listener), protocol(std::move(spoken)) {
    worker = peer + "#" + std::to_string(static_cast<std::uint64_t>(connection));
    holds_leases = protocol->holds_leases();
  }

  ConnectionId id;
  std::string peer;
  std::string origin;      // its origin (env::Peer)
  std::uint32_t listener;  // its listener; 0: opened by the daemon
  std::string worker;      // its default name in leases
  // Of the listener, or of a connection that we opened; and those that the user has on all tables.
  Rights rights{};
  access::UserPtr user;        // who logged in, or whose certificate it is; null: nobody
  std::string user_origin;     // the owner of his names
  access::UserPtr token_user;  // of the last message that came with a token; null: there was none
  std::unique_ptr<Protocol> protocol;
  bool holds_leases{true};              // of the protocol: what it leases ends with it
  Buffer in;                            // an incomplete message, or messages that wait for room in `out`
  std::string out;                      // answers
  std::string aside;                    // what is said meanwhile, while an answer is told in parts (long_answers.h)
  std::uint64_t before{0};              // bytes removed from `out` so far
  std::size_t sent{0};                  // of `out`: given to the kernel
  std::vector<Mark> marks;              // in order; everything before the first may be sent
  std::size_t marks_closed{0};          // of these: of earlier turns
  std::size_t committed{0};             // of `out`: covered by a commit; nothing after it may be sent
  std::vector<Pushed> pushed;           // pushes in `out` that were not sent yet
  std::vector<Attachment> attachments;  // in order; usually none
  std::list<FileBytes> files;           // in order; usually none
  std::uint64_t file_bytes{0};          // of these, not sent yet
  bool output_ended{false};             // the peer was told that nothing more comes (Protocol::ends_output)
  bool peer_gone{false};                // its connection is gone, and a value that it sent whole is being stored
  bool reading_paused{false};           // the network reads nothing more
  bool full{false};                     // ... because `out` must be sent first
  bool in_line{false};                  // ... because earlier input waits for its turn (input_line.h)
  bool held_back{false};                // input waits until an answer is whole (Protocol::is_answering), or a login
  bool logs_in{false};                  // a token of it is being verified: nothing is read (authentication.h)
  bool stores{false};                   // a value of it is being stored: nothing is read (stored_commands.h)
  bool commits{false};                  // a transaction of it, in several logs: nothing is read (EngineReplies)
  bool in_parts{false};                 // an answer of it is
  std::uint32_t fetches{0};             // answers that are, or wait for bytes (stored_answers.h): nothing is read
  bool ends_then{false};                // it ends when these were told
  bool wipes_input{false};              // its input has a token in it
  bool told_full{false};                // the engine sends it nothing
  bool input_ended{false};
  bool end_told{false};  // to its protocol
  bool may_end{false};   // a value that comes in pieces: it may be whole though nothing more comes
  Admission::Place place{Admission::Place::none};
  std::list<Session*>* silence{nullptr};  // its queue in silence.h
  std::list<Session*>::iterator place_in_silence;
  std::int64_t silent_since_us{0};
  std::uint32_t waiting{0};   // commands whose answers come later
  bool may_be_silent{false};  // it listens, or makes a backup
  bool is_known{false};       // it has sent a message
  bool ending{false};         // nothing more is read; it is closed when `out` is sent
  bool link{false};           // opened by the daemon
  Spoken speaks{Spoken::messages};
  bool communicator{false};  // to a communicatord, whose senders are trusted
  bool dirty{false};         // in the list of those to flush (sessions.h)

  ClientMemory::Account account{};
  std::uint64_t kept{0};            // memory of its waiting commands and listeners in the engine
  bool lost{false};                 // there was no memory for an answer: it will be closed
  bool stopped{false};              // not read, to save memory; in the list of those (memory_guard.h)
  std::int64_t let_on_until_us{0};  // until then it may finish its message all the same; 0: it may not

  // A value of it is being stored, or read for it; or a transaction is being committed.
  [[nodiscard]] bool keeps_waiting() const { return stores || commits || fetches != 0; }
  // Nothing more is handled until something else has happened.
  [[nodiscard]] bool must_wait() const { return logs_in || keeps_waiting() || protocol->is_answering(); }
  // According to its marks.
  void commit() { committed = marks.empty() ? out.size() : static_cast<std::size_t>(marks.front().begin - before); }
  [[nodiscard]] std::uint64_t unsent() const { return out.size() - sent + file_bytes; }
  // It may leave now.
  [[nodiscard]] bool has_to_send() const {
    return sent < committed || (!files.empty() && files.front().at <= before + committed);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return kConnectionBytes + in.capacity() + out.capacity() + aside.capacity() + pushed.capacity() * sizeof(Pushed) +
           marks.size() * sizeof(Mark) + files.size() * (sizeof(FileBytes) + 2 * sizeof(void*)) + kept +
           protocol->kept_bytes();
  }
};

}  // namespace fastjournal::server
