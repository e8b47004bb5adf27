// From the bytes of a connection to messages, and from messages to bytes: the one way in and out. The daemon speaks
// messages (text, JSON, msgpack) and HTTP; a plugin may bring more protocols (declaration.h names them).
//
// One object for each connection. It owns no socket, clock or thread and does no I/O: it is given bytes and messages,
// and writes bytes. It stores no input: what it does not consume comes again. A piece that needs several messages is
// consumed with the last of them.
//
// The server carries out one message after the other. An answer is one message or several; a message may also be sent
// without being asked for (a push). Answers come in the order of their commands, except for commands that wait: a
// protocol that has no way to tell which command an answer belongs to says `is_answering` until the answer is whole,
// and nothing more is read from its connection meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal {

// Where a protocol is spoken.
struct ProtocolPlace {
  std::size_t piece_bytes_max{0};  // of Protocol::whole_bytes
  bool is_tls{false};
};

// A message to be sent, borrowed from its sender. Apart from Message because a sender already has its parameters in an
// array (an Answer, a literal) and must not pay for a Message.
struct Outgoing {
  std::string_view from_server{};
  std::string_view from_service{};
  std::string_view server{};  // requires a service: the text form cannot express a server alone
  std::string_view service{};
  std::string_view command{};
  std::span<Param const> params{};  // no repeated name; at most Message::kParamsMax
  bool is_push{false};              // unrequested
  bool is_last{true};               // no message of the same answer follows
};

class Protocol {
 public:
  enum class Kind : std::uint8_t {
    need_more,  // nothing complete: it is called again when more bytes are there
    message,    // `message` is to be carried out; what is written next is its answer
    nothing,    // bytes that need no answer (an empty line), or that the protocol has answered itself
    bad,        // no message: `status` says why. The server calls refuse, and goes on reading unless `ends`
    begin,      // `message` is a command whose parameter `value` follows as content
    content,    // the next bytes of that value
    end,        // the value is whole: the command is carried out. What is written next is its answer
    broken,     // the value will not become whole: the command is not carried out, nothing is kept, nothing answered
  };

  // Of a request that its sender signed with a secret which it shares with the daemon, in place of a token (AWS
  // Signature Version 4).
  struct Signature {
    std::string_view user;       // whose secret: the access key
    std::string_view date;       // "20260830T123600Z"
    std::string_view scope;      // "20260830/eu-west-1/sqs/aws4_request"
    std::string_view request;    // SHA-256 of the canonical request, in hex
    std::string_view signature;  // in hex
  };

  struct Piece {
    Kind kind{Kind::need_more};
    bool ends{false};         // nothing of what follows is read; the connection ends when its output is sent
    std::size_t consumed{0};  // bytes to drop from the front of `unread`, for every kind
    std::size_t bytes{0};     // the size of what was read, as a measure of its cost
    Status status{};
    std::string_view token{};               // of `message`: its sender claims it; empty: no claim
    Signature const* signature{nullptr};    // of `message`, where there is no token: its sender signed it
    std::string_view content{};             // of `content`: a part of `unread`, within `consumed`
    std::string_view value{};               // of `begin`: the name of the parameter
    std::uint64_t value_bytes{UINT64_MAX};  // of `begin`: its size; UINT64_MAX: it ends when it ends
    // Of `begin` and `end`: the value's XXH3-128, low half first, as its sender says. Another one is refused (damaged).
    std::optional<std::array<std::uint64_t, 2>> value_hash{};
  };

  virtual ~Protocol() = default;

  // `unread` begins at the first byte not yet consumed, and contains at least what was left after the last call.
  // `message` is overwritten; its views may point into `unread`, and are used before the next call. `out` is the output
  // of the connection, for `nothing`.
  [[nodiscard]] virtual Piece read(std::string_view unread, Message& message, std::string& out) = 0;
  // Memory of what it keeps of consumed input beyond a few hundred bytes: the server counts it as the connection's.
  [[nodiscard]] virtual std::size_t kept_bytes() const { return 0; }
  // The largest possible size of the piece at the front of `unread`. The server keeps at most so many bytes.
  [[nodiscard]] virtual std::size_t whole_bytes(std::string_view unread) const = 0;

  // The peer sends nothing more, and all its bytes were given to read(); called until it returns need_more. What it
  // returns is as from read, without bytes.
  [[nodiscard]] virtual Piece end_of_input(Message& message, std::string& out) {
    static_cast<void>(message);
    static_cast<void>(out);
    return {};
  }

  // The command of the last `begin` is accepted, and its content may come. A refused one is answered by write(), and what
  // follows as its content is read and dropped.
  virtual void accepted(std::string& out) { static_cast<void>(out); }

  // Appends a message. Whatever it holds, something is appended that tells the other side of it: what this protocol
  // cannot carry is left out and named.
  virtual void write(Outgoing const& message, std::string& out) = 0;
  // The answer to `bad`.
  virtual void refuse(Status const& why, std::string& out) = 0;

  // Leases of a connection are given back when that ends. False: a connection is only a way for one request,
  // and the next one may come by another; leases end by their own dates then.
  [[nodiscard]] virtual bool holds_leases() const { return true; }
  // An answer is not whole: nothing is read.
  [[nodiscard]] virtual bool is_answering() const { return false; }
  // The output says that the connection ends with it.
  [[nodiscard]] virtual bool ends() const { return false; }
  // The output is all that this connection ever sends: the peer is told (half-close), and input goes on.
  [[nodiscard]] virtual bool ends_output() const { return false; }
  // Its peer reads files that it opened by a name: the connection ends when the name leads to another file.
  [[nodiscard]] virtual bool reads_by_name() const { return false; }
  // Bytes of a stored value can follow what is written of its message, from their file: then write() gets it as
  // Value::outside. Asked for each answer; one that has several of them comes with their bytes all the same.
  [[nodiscard]] virtual bool sends_stored() const { return false; }
  // Of a stored value.
  struct Part {
    std::uint64_t offset{0};
    std::uint64_t bytes{0};
  };
  // Which of its bytes follow, if the last write() got one; none by default.
  [[nodiscard]] virtual Part stored_part() const { return {}; }
};

}  // namespace fastjournal
