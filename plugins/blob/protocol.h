// The protocols `blobread` and `blobwrite`: packets of one stream connection (wire/bcdb/packet.h) as commands of this type, and
// answers as packets. The first 16 bytes tell the version. The ports differ in version 1 only; in version 2 the rights of
// the listener decide.
//
// Version 1 has no errors and no results. A query that is refused ends the connection; zeros would say that there is no
// such blob. A write that is refused ends it before the echo, one that fails later ends it at once, and one that is stored
// at its end: a writer learns from the port for reading what became of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fastjournal/protocol.h"
#include "plugins/blob/answers.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::blob {

enum class Port : std::uint8_t { read, write };

class StreamProtocol final : public Protocol {
 public:
  explicit StreamProtocol(Port port) : port_(port) {}

  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const override;
  // Once: of version 1 the end of what is written, of version 2 a put that is broken off.
  [[nodiscard]] Piece end_of_input(Message& message, std::string& out) override;
  void accepted(std::string& out) override;
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;
  [[nodiscard]] bool is_answering() const override { return owes_ != Owes::nothing && !in_content(); }
  [[nodiscard]] bool ends() const override { return ends_; }
  [[nodiscard]] bool ends_output() const override { return ends_output_; }
  [[nodiscard]] bool sends_stored() const override { return true; }
  [[nodiscard]] Part stored_part() const override { return part_; }
  // Also one that has asked nothing so far: it opened the file before it came.
  [[nodiscard]] bool reads_by_name() const override {
    return port_ == Port::read && (phase_ == Phase::opening || phase_ == Phase::queries);
  }

 private:
  enum class Phase : std::uint8_t {
    opening,  // nothing was read
    queries,  // of version 1
    content,  // of a write of version 1, up to the end of the stream
    frames,   // of version 2
    put,      // the bytes of one
    over,     // nothing more is read
  };
  // The next answer.
  enum class Owes : std::uint8_t { nothing, hello, response, end, reply };

  [[nodiscard]] bool in_content() const { return phase_ == Phase::content || phase_ == Phase::put; }
  [[nodiscard]] Piece first(std::string_view unread, Message& message);
  [[nodiscard]] Piece hello(bcdb::Hello const& hello, Message& message);
  [[nodiscard]] Piece ask(std::string_view unread, Message& message);
  [[nodiscard]] Piece frame(std::string_view unread, Message& message);
  [[nodiscard]] Piece command(std::size_t bytes, Message& message);
  [[nodiscard]] Piece whole_put(std::size_t head, std::string_view unread, Message& message);
  [[nodiscard]] Piece begin_put(std::size_t bytes, Message& message);
  [[nodiscard]] Piece content(std::string_view unread);
  void fail(Code code, std::string_view why, std::string& out);
  void write_response(Told const& blob, std::string& out);
  void write_reply(bcdb::Reply reply, std::string& out) const;
  void write_fetched(Told const& blob, std::string& out);

  Port port_;
  Phase phase_{Phase::opening};
  Owes owes_{Owes::nothing};
  bcdb::Frame frame_{};            // that is answered; of version 1 its echo only
  std::uint64_t left_{0};          // bytes of a put that did not come so far
  std::uint64_t skip_{0};          // the same of one that was refused as it is no frame
  std::size_t response_bytes_{0};  // of version 1; 0: there was none
  std::string content_hash_{};     // of a command
  Part part_{};                    // of the value that was written last
  bool ends_{false};
  bool ends_output_{false};
  bool speaks_text_{false};  // the client speaks none of the packets
};

// For PluginProtocol::make. A piece has bcdb::kFrameBytesMax bytes at most, whatever is allowed.
[[nodiscard]] std::unique_ptr<Protocol> make_read_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared);
[[nodiscard]] std::unique_ptr<Protocol> make_write_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared);

}  // namespace fastjournal::blob
