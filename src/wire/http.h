// The protocol of HTTP/1.1 and 1.0: commands as POST /v1/COMMAND, figures, health, blobs and files as GET
// (doc/http.md).
//
// Bytes wait in the server's buffer until a request is whole, but for those of a blob that is stored: these are passed
// on as they come. Then it is parsed, and nothing of it is kept but what its answer depends on. So a connection that
// waits costs this object, and a request that is cut anywhere gets the same answer. One request is answered after the
// other: the next one is read when the answer before is whole.
//
// Requests of HTTP alone (paths, methods, hosts, files) are answered here, and is `nothing` for the server. What is no
// request, or no JSON, is `bad`. Where servers and proxies could disagree about the end of a request, the connection
// ends with the refusal: the bytes behind it may be a request of another client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "wire/http_range.h"
#include "wire/http_request.h"
#include "wire/http_response.h"
#include "wire/http_routes.h"
#include "wire/http_scan.h"
#include "wire/http_site.h"

namespace fastjournal::protocol {

class Http final : public Protocol {
 public:
  explicit Http(std::shared_ptr<HttpSite const> site) : site_(std::move(site)) {}

  // "100 Continue" is `nothing` that consumes nothing: the next call goes on with the same request.
  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const override;
  // The messages of one answer: a JSON object, an array if they are counted or several, events if the command
  // streams; of METRICS and OPENAPI that were fetched the texts one behind the other. A push is an event, and is dropped
  // where there is no stream of events. An ERROR while nothing was asked closes the connection, and says so; other
  // messages are dropped then.
  void write(Outgoing const& message, std::string& out) override;
  [[nodiscard]] Piece end_of_input(Message& message, std::string& out) override;
  // Of a blob that is stored: what was announced may come.
  void accepted(std::string& out) override;
  void refuse(Status const& why, std::string& out) override;
  [[nodiscard]] bool holds_leases() const override { return false; }
  [[nodiscard]] bool is_answering() const override { return phase_ >= Phase::answering; }
  [[nodiscard]] bool ends() const override { return ends_; }
  // Of a blob that is fetched, or of the description. In JSON the bytes are a part of the answer.
  [[nodiscard]] bool sends_stored() const override {
    return is_answering() && (route_ == HttpRoute::blob || route_ == HttpRoute::openapi);
  }
  [[nodiscard]] Part stored_part() const override { return part_; }

 private:
  enum class Phase : std::uint8_t {
    head,       // no whole head so far
    body,       // a head, and its body is not whole
    content,    // the same of a blob that is stored, and its bytes are passed on
    answering,  // a message was given to the server: nothing of its answer is written
    array,      // part of its answer is
    text,       // the same, of an answer that is no JSON
    events,     // and the stream that it began lasts until the connection ends
  };

  [[nodiscard]] Piece read_head(std::string_view unread, HttpRequest& request, Message& message, std::string& out);
  [[nodiscard]] Piece begin_content(HttpRequest const& request, Message& message, std::string& out);
  [[nodiscard]] Piece read_content(std::string_view unread);
  void remember(HttpCall const& call);
  [[nodiscard]] Piece read_body(std::string_view unread);
  [[nodiscard]] Piece take_call(std::string_view whole, HttpRequest const& request, Message& message, std::string& out);
  [[nodiscard]] Piece bad(std::size_t consumed, HttpRefusal refusal, bool ends);
  [[nodiscard]] Piece answer_itself(std::size_t consumed, HttpRefusal const& refusal, std::string& out);
  void serve_file(HttpSite::Served const& file, HttpRequest const& request, std::string& out);

  void write_first(Outgoing const& message, std::string& out);
  void write_error(Outgoing const& message, std::string& out);
  void write_blob(Outgoing const& message, std::string& out);
  void refuse_content(Outgoing const& message, std::string& out);
  void write_event(Outgoing const& message, std::string& out);
  void write_shared(Value const& text, std::string& out);
  void write_text(Outgoing const& message, std::string& out);
  void append_part(std::string_view text, bool is_last, std::string& out);
  void begin_parts(Phase phase, std::string_view content_type, std::string& out);
  void write_element(std::string_view before, Outgoing const& message, std::string& out);
  void write_head(HttpHead head, std::string& out);
  void write_whole(HttpHead head, std::string_view body, std::string& out);
  void write_problem(HttpRefusal const& refusal, std::string_view detail, std::string_view command,
                     std::span<Param const> facts, std::string& out);
  void say_goodbye(Outgoing const& message, std::string& out);
  void forget_request();
  void end_answer();

  [[nodiscard]] std::size_t chunked_bytes_max() const;

  std::shared_ptr<HttpSite const> site_;
  // Of the request at the front of `unread`.
  HttpHeadScan head_scan_;
  HttpChunkScan chunk_scan_;
  std::size_t head_bytes_{0};
  std::size_t body_bytes_{0};      // if it is not chunked
  std::uint64_t content_left_{0};  // the same of a blob: those that did not come so far
  // Of that request, and of its answer.
  Phase phase_{Phase::head};
  HttpRoute route_{HttpRoute::command};
  bool is_chunked_{false};
  bool is_head_{false};  // the method: its response has no body
  bool is_http11_{true};
  bool keeps_alive_{true};
  bool has_token_{false};
  bool is_streaming_{false};
  bool is_openmetrics_{false};
  bool is_expecting_{false};  // it waits for 100 Continue
  bool ends_{false};
  bool is_known_{false};                  // a whole head has come
  std::unique_ptr<HttpRefusal> refusal_;  // of `bad`, until it is written
  std::unique_ptr<HttpChoice> choice_;    // of a blob, until it is answered
  Part part_{};                           // of the blob, or the text, that was written last
};

}  // namespace fastjournal::protocol
