// The protocol `sqs`: requests of Amazon SQS over HTTP, in JSON or in the older form of key=value pairs. doc/sqs.md has
// the rules, and what differs.
//
// A request becomes an action (sqs_action.h), which is several commands of this table, one after the other; it is read
// again for each, and consumed with the last. One that waits is consumed before: a connection with unread input is not
// read on, and its end not seen. Heads and bodies are found as at the door of HTTP (wire/http_scan.h).
//
// Browsers are kept out: their requests say where they come from (Origin), and those of SDKs do not. Without that any
// page could send messages to a server on its reader's computer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/protocol.h"
#include "plugins/queue/sqs_action.h"
#include "wire/aws_signature.h"
#include "wire/http_request.h"
#include "wire/http_scan.h"

namespace fastjournal::queue::sqs {

class SqsProtocol final : public Protocol {
 public:
  SqsProtocol(ProtocolPlace place, std::shared_ptr<Shared> shared) : place_(place), shared_(std::move(shared)) {}

  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const override;
  [[nodiscard]] std::size_t kept_bytes() const override;
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;
  [[nodiscard]] bool holds_leases() const override { return false; }
  [[nodiscard]] bool is_answering() const override { return is_commanding_; }
  [[nodiscard]] bool ends() const override { return ends_; }

 private:
  // Of the request at the front of the input.
  enum class Phase : std::uint8_t {
    head,
    body,
    acting,    // it is an action
    answered,  // its answer is written
  };

  [[nodiscard]] Piece read_head(std::string_view unread, std::string& out);
  [[nodiscard]] Piece read_body(std::string_view unread, std::string& out);
  void act(std::string_view head, std::string_view body, std::string& out);
  [[nodiscard]] Piece command(Message& message);
  [[nodiscard]] Piece consume();
  void begin_again();
  // No request of HTTP: the connection ends.
  [[nodiscard]] Piece bad(std::size_t consumed, std::uint16_t status, std::string why);
  void answer(std::string& out);
  void answer_error(Error const& error, std::string& out);
  void write_whole(std::uint16_t status, std::string_view error_fields, std::string_view body, std::string& out);
  [[nodiscard]] std::size_t body_bytes_max() const;
  [[nodiscard]] std::size_t chunked_bytes_max() const;

  ProtocolPlace place_;
  std::shared_ptr<Shared> shared_;
  protocol::HttpHeadScan head_scan_;
  protocol::HttpChunkScan chunk_scan_;
  Phase phase_{Phase::head};
  std::size_t head_bytes_{0};
  std::size_t body_bytes_{0};     // if it is not chunked
  std::size_t request_bytes_{0};  // of the whole request, once it is whole
  bool is_chunked_{false};
  bool is_http11_{true};
  bool keeps_alive_{true};
  bool is_json_{false};
  bool is_commanding_{false};  // a command was given to the server
  bool is_consumed_{false};    // it waits
  bool ends_{false};
  bool is_known_{false};  // a whole head has come
  std::string request_id_;
  std::unique_ptr<Action> action_;
  std::unique_ptr<protocol::AwsSigned> signed_;  // who sent it
  Signature signature_{};
  std::string token_;
};

// For PluginProtocol.
[[nodiscard]] std::unique_ptr<Protocol> make_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared);
[[nodiscard]] std::shared_ptr<void> share();

}  // namespace fastjournal::queue::sqs
