// One connection: who it is, its unread input, its unsent output, what it is doing until it ends, and what it costs.
// Owned by Sessions; plain data.
#pragma once

#include <algorithm>
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

struct Session;

// other: a protocol of a table type.
enum class Spoken : std::uint8_t { messages, http, other };

// Whom the daemon called, if the peer did not call. A communicatord's senders are trusted.
enum class Called : std::uint8_t { no_one, alert_peer, communicator };

// Buffers that grew beyond this are freed when empty.
inline constexpr std::size_t kBufferKeptBytes = 256U << 10U;

// Memory of a silent connection, here and in the reactor.
inline constexpr std::size_t kConnectionBytes = 2048;

template <typename Bytes>
void clear_buffer(Bytes& buffer) {
  buffer.clear();
  if (buffer.capacity() > kBufferKeptBytes) buffer.shrink_to_fit();
}

// Whose commands they are.
struct Identity {
  // Of the listener, or of a connection that we opened; and those that the user has on all tables.
  Rights rights{};
  access::UserPtr user{};  // who logged in, or whose certificate it is; null: none
  std::string origin{};    // of a user: the owner of his names
};

// The commands that it sent and that were not handled so far.
struct UnreadInput {
  // Why it does not even stand in line. Of two reasons the last one counts; the other is checked when that is over.
  enum class Pause : std::uint8_t {
    none,
    held_back,  // something else must happen first (Session::must_wait)
    full,       // its output must be sent first, or there is no memory for more
  };
  enum class End : std::uint8_t { open, came, told };  // told: its protocol knows

  Buffer bytes;  // an incomplete message, or messages that wait
  Pause pause{Pause::none};
  End end{End::open};
  bool is_in_line{false};      // earlier input waits for its turn (input_line.h)
  bool reading_paused{false};  // by the network
  bool has_token{false};       // which is wiped
  bool may_end{false};         // a value that comes in pieces: it may be whole though nothing more comes

  [[nodiscard]] bool is_full() const { return pause == Pause::full; }
  // It goes on when what the session is sent now is written.
  void hold_back() { pause = std::max(pause, Pause::held_back); }
};

// The stream of answers from here on depends on a log: it is sent once that is durable up to `lsn`.
struct Mark {
  std::uint64_t begin{0};  // counted from the begin of the stream
  log::Log const* log{nullptr};
  Lsn lsn{kNoLsn};  // none: of the current turn
};

// When a push became due, for its lateness, and where it ends in the unsent bytes.
struct Pushed {
  TimeMs due{};
  work::ListenMode mode{};
  std::size_t end{0};
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

// The stream of answers, as far as it was not sent. Its lists are in order; those of attachments and files are usually
// empty.
struct UnsentOutput {
  // told: the peer knows that nothing more comes (Protocol::ends_output). gone: so is its connection, and a value that
  // it sent whole is being stored.
  enum class End : std::uint8_t { open, told, gone };

  std::string bytes;
  std::string aside;            // what is said meanwhile, while an answer is told in parts (long_answers.h)
  std::uint64_t before{0};      // bytes of the stream before these
  std::size_t sent{0};          // given to the kernel
  std::size_t committed{0};     // covered by a commit; nothing after it may be sent
  std::vector<Mark> marks;      // everything before the first may be sent
  std::size_t marks_closed{0};  // of these: of earlier turns
  std::vector<Pushed> pushed;
  std::vector<Attachment> attachments;
  std::list<FileBytes> files;
  std::uint64_t file_bytes{0};  // of these, not sent yet
  End end{End::open};
  bool told_full{false};  // the engine sends it nothing
  bool dirty{false};      // in the list of those to flush (sessions.h)

  // Where in the stream the next byte comes, and how far the peer was sent it.
  [[nodiscard]] std::uint64_t written() const { return before + bytes.size(); }
  [[nodiscard]] std::uint64_t taken() const { return before + sent; }
  // According to its marks.
  void commit() { committed = marks.empty() ? bytes.size() : static_cast<std::size_t>(marks.front().begin - before); }
  [[nodiscard]] std::uint64_t unsent() const { return bytes.size() - sent + file_bytes; }
  // It may leave now.
  [[nodiscard]] bool has_to_send() const {
    return sent < committed || (!files.empty() && files.front().at <= before + committed);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return bytes.capacity() + aside.capacity() + pushed.capacity() * sizeof(Pushed) + marks.size() * sizeof(Mark) +
           files.size() * (sizeof(FileBytes) + 2 * sizeof(void*));
  }
};

// What its last command waits for. Nothing is read meanwhile, so it is one thing at a time.
enum class WaitsFor : std::uint8_t {
  nothing,
  login,       // a token of it is being verified (authentication.h)
  storing,     // of a value (stored_commands.h)
  committing,  // a transaction in several logs (EngineReplies)
  parts,       // of an answer (long_answers.h)
};

// What it is doing, and how far its end is.
struct SessionLife {
  enum class End : std::uint8_t {
    open,
    after_answers,  // it ends when what it waits for was told
    ending,         // nothing more is read; it is closed when its output is sent
  };

  WaitsFor waits_for{WaitsFor::nothing};
  End end{End::open};
  bool is_known{false};       // it has sent a message
  bool may_be_silent{false};  // it listens, or makes a backup
  Admission::Place place{Admission::Place::none};
  std::uint32_t fetches{0};               // answers that wait for bytes (stored_answers.h): nothing is read
  std::uint32_t waiting{0};               // commands whose answers come later
  std::list<Session*>* silence{nullptr};  // its queue in silence.h
  std::list<Session*>::iterator place_in_silence;
  std::int64_t silent_since_us{0};

  [[nodiscard]] bool is_ending() const { return end == End::ending; }
  [[nodiscard]] bool is_storing() const { return waits_for == WaitsFor::storing; }
  [[nodiscard]] bool is_in_parts() const { return waits_for == WaitsFor::parts; }
  [[nodiscard]] bool logs_in() const { return waits_for == WaitsFor::login; }
  // A command of it is under way, and its answer is to come.
  [[nodiscard]] bool keeps_waiting() const { return fetches != 0 || (waits_for != WaitsFor::nothing && !logs_in()); }
  void answered() {
    if (waiting != 0) --waiting;
  }
};

// What clients cost (client_memory.h), and what is done about it (memory_guard.h).
struct SessionAccount : ClientMemory::Account {
  std::uint64_t kept{0};            // memory of its waiting commands and listeners in the engine
  bool lost{false};                 // there was no memory for an answer: it will be closed
  bool stopped{false};              // not read, to save memory; in the list of those
  std::int64_t let_on_until_us{0};  // until then it may finish its message all the same; 0: it may not
};

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
  Called called{Called::no_one};
  Spoken speaks{Spoken::messages};
  bool holds_leases{true};  // of the protocol: what it leases ends with it
  std::string worker;       // its default name in leases
  Identity who;
  access::UserPtr token_user;  // of the last message that came with a token; null: there was none
  std::unique_ptr<Protocol> protocol;

  UnreadInput in;
  UnsentOutput out;
  SessionLife life;
  SessionAccount account;

  [[nodiscard]] bool is_link() const { return called != Called::no_one; }
  [[nodiscard]] bool is_communicator() const { return called == Called::communicator; }
  // The owner of the names in its commands.
  [[nodiscard]] std::string const& owner() const { return who.user == nullptr ? origin : who.origin; }
  // Nothing more is handled until something else has happened.
  [[nodiscard]] bool must_wait() const {
    return life.waits_for != WaitsFor::nothing || life.fetches != 0 || protocol->is_answering();
  }
  // What its command waited for is there: it is answered now.
  void go_on() {
    life.waits_for = WaitsFor::nothing;
    life.answered();
    in.hold_back();
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return kConnectionBytes + in.bytes.capacity() + out.memory_bytes() + account.kept + protocol->kept_bytes();
  }
};

}  // namespace fastjournal::server
