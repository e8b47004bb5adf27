// The protocol of messages: lines of text or JSON, and frames of msgpack, each told from its first bytes. A connection
// may use all of them; an answer has the form of the last message, and so has what is pushed.
//
// A connection must begin with one of our messages, as a browser can be made to send something else (first_line.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "wire/framer.h"

namespace fastjournal::protocol {

// Who is at the other end.
enum class MessagePeer : std::uint8_t {
  client,        // it came to us, and must begin with a message
  service,       // we called it: values towards it stay small, as it may parse them in quadratic time
  communicator,  // as service; a line that is no message has no sender that an answer could reach
};

// Towards a service that we called a value stays below this: 60 KB stall a communicatord, and with it every service
// that it connects.
inline constexpr std::size_t kServiceValueBytesMax = 16U << 10U;

class Messages final : public Protocol {
 public:
  explicit Messages(FrameLimits limits, MessagePeer peer = MessagePeer::client)
      : framer_(limits), line_bytes_max_(limits.line_bytes_max), peer_(peer), is_known_(peer != MessagePeer::client) {}

  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const override { return framer_.whole_bytes(unread); }
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;

 private:
  [[nodiscard]] Piece bad(Piece piece, Status why) const;
  void append_text(Outgoing const& message, std::string& out) const;
  void append_what_fits(Outgoing const& message, Status const& why, std::string& out) const;

  Framer framer_;
  std::size_t line_bytes_max_;
  MessagePeer peer_;
  bool is_known_;          // it has sent a message: bad lines no longer end the connection
  bool is_binary_{false};  // the form of the last message
};

}  // namespace fastjournal::protocol
