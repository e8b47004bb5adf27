#include "plugins/queue/sqs_protocol.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/greeting.h"
#include "plugins/queue/sqs_answer.h"
#include "wire/http_response.h"
#include "wire/http_routes.h"
#include "wire/http_rules.h"

namespace fastjournal::queue::sqs {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kAccount = "000000000000";
constexpr std::string_view kNoRequest = "fa570000-0000-4000-9000-000000000000";
constexpr std::string_view kRegion = "us-east-1";  // of requests that name none
// A request in memory, as a tree of values and as what becomes of it: so many times its bytes where all are names and
// values of a letter, and as many at most for each value that it may have.
constexpr std::size_t kTreeFactor = 16;
constexpr std::size_t kValueBytes = 128;

// Of a head that HttpHeadScan took. Empty: there is none of this name.
std::string_view field_of(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    std::size_t const end = std::min(head.find("\r\n"), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        !protocol::same_letters(line.substr(0, name.size()), name))
      continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }
  return {};
}

// What a browser sends of its own accord, and an SDK does not.
bool is_of_browser(protocol::HttpRequest const& request) {
  return request.origin.has_value() || request.fetch_site.value_or("none") != "none";
}

}  // namespace

std::size_t SqsProtocol::body_bytes_max() const {
  return place_.piece_bytes_max - std::min(place_.piece_bytes_max, protocol::kHttpHeadBytesMax);
}
std::size_t SqsProtocol::chunked_bytes_max() const {
  return body_bytes_max() + body_bytes_max() / 4 + protocol::kHttpChunkLineBytesMax;
}

std::size_t SqsProtocol::whole_bytes(std::string_view) const {
  if (phase_ == Phase::head) return protocol::kHttpHeadBytesMax;
  return head_bytes_ + (is_chunked_ ? chunked_bytes_max() : body_bytes_);
}

std::size_t SqsProtocol::kept_bytes() const {
  return action_ == nullptr ? 0 : std::min(request_bytes_ * kTreeFactor, request_bytes_ * 3 + kValuesMax * kValueBytes);
}

// ---------------------------------------------------------------------------
// Requests

Protocol::Piece SqsProtocol::read(std::string_view unread, Message& message, std::string& out) {
  if (is_commanding_ || unread.empty()) return {};
  if (ends_) return {.kind = Kind::nothing, .ends = true, .consumed = unread.size(), .bytes = unread.size()};
  if (phase_ == Phase::head) {
    Piece const piece = read_head(unread, out);
    if (phase_ == Phase::head || piece.kind != Kind::need_more) return piece;
  }
  if (phase_ == Phase::body) {
    Piece const piece = read_body(unread, out);
    if (phase_ == Phase::body || piece.kind == Kind::bad) return piece;
  }
  return phase_ == Phase::answered ? consume() : command(message);
}

Protocol::Piece SqsProtocol::read_head(std::string_view unread, std::string& out) {
  protocol::HttpScan scan = head_scan_.next(unread);
  if (scan.kind == protocol::HttpScan::Kind::need_more) return {};
  if (scan.kind == protocol::HttpScan::Kind::blank_line) {
    head_scan_.clear();
    return {.kind = Kind::nothing, .consumed = scan.bytes, .bytes = scan.bytes};
  }
  is_json_ = false;
  if (scan.kind == protocol::HttpScan::Kind::bad) {
    Greeting const came = greeting_of(unread);
    if (!is_known_ && came != Greeting::http)
      scan.why = came == Greeting::unknown ? "this port speaks HTTP, for SQS: " + scan.why : wrong_port("SQS", came);
    return bad(scan.bytes, scan.status, std::move(scan.why));
  }
  is_known_ = true;
  std::string_view const head = unread.substr(0, scan.bytes);
  protocol::HttpRequest request;
  if (std::string why = protocol::parse_http_head(head, request); !why.empty()) return bad(scan.bytes, 400, why);
  is_json_ = !field_of(head, "x-amz-target").empty();
  is_http11_ = request.is_http11;
  keeps_alive_ = request.keeps_alive;
  is_chunked_ = request.is_chunked;
  head_bytes_ = scan.bytes;
  if (request.length > body_bytes_max())
    return bad(scan.bytes, 413, fmt::format("the body has more than {} bytes", body_bytes_max()));
  body_bytes_ = static_cast<std::size_t>(request.length);
  phase_ = Phase::body;
  if (!protocol::expects_continue(request)) return {};
  out += kContinue;
  return {.kind = Kind::nothing};
}

Protocol::Piece SqsProtocol::read_body(std::string_view unread, std::string& out) {
  request_bytes_ = head_bytes_ + body_bytes_;
  std::string joined;
  if (is_chunked_) {
    protocol::HttpScan const scan = chunk_scan_.next(
        unread.substr(head_bytes_), {.body_bytes_max = body_bytes_max(), .raw_bytes_max = chunked_bytes_max()});
    if (scan.kind == protocol::HttpScan::Kind::need_more) return {};
    request_bytes_ = head_bytes_ + scan.bytes;
    if (scan.kind == protocol::HttpScan::Kind::bad) return bad(request_bytes_, scan.status, scan.why);
    if (!protocol::join_chunks(unread.substr(0, request_bytes_), joined))
      return bad(request_bytes_, 400, "the chunks, or what is behind their sizes, are not of HTTP");
  } else if (unread.size() < request_bytes_) {
    return {};
  }
  std::string_view const head = unread.substr(0, head_bytes_);
  phase_ = Phase::acting;
  request_id_ = fmt::format("fa570000-0000-4000-9000-{:012x}", ++shared_->requests & 0xFFFF'FFFF'FFFFU);
  act(head, is_chunked_ ? std::string_view{joined} : unread.substr(head_bytes_, body_bytes_), out);
  return {};
}

void SqsProtocol::act(std::string_view head, std::string_view body, std::string& out) {
  protocol::HttpRequest request;
  static_cast<void>(protocol::parse_http_head(head, request));
  if (is_of_browser(request))
    return answer_error({Fault::access_denied, "requests of pages in browsers are refused (Origin, Sec-Fetch-Site)"},
                        out);
  std::string_view const query =
      std::string_view{request.target}.substr(std::min(request.target.find('?'), request.target.size()));
  signed_ = std::make_unique<protocol::AwsSigned>(protocol::read_aws_signature(head, body));
  if (signed_->kind == protocol::AwsSigned::Kind::bad)
    return answer_error(
        {signed_->code == "SignatureDoesNotMatch" ? Fault::signature_is_wrong : Fault::incomplete_signature,
         signed_->why},
        out);
  // The older form by GET is of some clients: signed ones, since a page could send others.
  bool const is_get = request.method == "GET" && signed_->kind == protocol::AwsSigned::Kind::good && query.size() > 1;
  if (request.method != "POST" && !is_get)
    return answer_error({Fault::unsupported, "SQS is spoken here by POST, or by GET with a signature: see doc/sqs.md"},
                        out);
  token_ = protocol::bearer_token(request.authorization.value_or("")).value_or("");
  signature_ = {.user = signed_->user,
                .date = signed_->date,
                .scope = signed_->scope,
                .request = signed_->request,
                .signature = signed_->signature};
  std::string_view const path = std::string_view{request.target}.substr(0, request.target.size() - query.size());
  std::variant<Request, Error> read =
      is_json_ ? read_json(field_of(head, "x-amz-target"), body) : read_query(path, is_get ? query.substr(1) : body);
  if (Error const* const error = std::get_if<Error>(&read); error != nullptr) return answer_error(*error, out);
  std::string_view const region = signed_->region.empty() ? kRegion : std::string_view{signed_->region};
  Context const context{.place = {.url = fmt::format("{}://{}/{}/", place_.is_tls ? "https" : "http",
                                                     request.host.value_or("localhost"), kAccount),
                                  .arn = fmt::format("arn:aws:sqs:{}:{}:", region, kAccount)},
                        .shared = *shared_};
  Request& asked = std::get<Request>(read);
  std::string const name = asked.action;
  action_ = make_action(std::move(asked), context);
  if (action_ == nullptr)
    return answer_error({Fault::invalid_action, fmt::format("The action {} is not valid for this endpoint.", name)},
                        out);
  if (action_->is_done()) answer(out);
}

Protocol::Piece SqsProtocol::command(Message& message) {
  message.clear();
  action_->fill(message);
  is_commanding_ = true;
  bool const is_signed = signed_->kind == protocol::AwsSigned::Kind::good;
  is_consumed_ = action_->waits();
  return {.kind = Kind::message,
          .consumed = is_consumed_ ? request_bytes_ : 0,
          .bytes = request_bytes_,
          .token = token_,
          .signature = is_signed ? &signature_ : nullptr};
}

Protocol::Piece SqsProtocol::consume() {
  Piece const out{.kind = Kind::nothing, .ends = ends_, .consumed = request_bytes_, .bytes = request_bytes_};
  begin_again();
  return out;
}

void SqsProtocol::begin_again() {
  phase_ = Phase::head;
  head_scan_.clear();
  chunk_scan_.clear();
  head_bytes_ = body_bytes_ = request_bytes_ = 0;
  is_consumed_ = false;
}

Protocol::Piece SqsProtocol::bad(std::size_t consumed, std::uint16_t status, std::string why) {
  keeps_alive_ = false;
  phase_ = Phase::head;
  return {.kind = Kind::bad,
          .ends = true,
          .consumed = consumed,
          .bytes = consumed,
          .status = {status == 413 || status == 431 ? Code::too_large : Code::invalid, std::move(why)}};
}

// ---------------------------------------------------------------------------
// Answers

void SqsProtocol::refuse(Status const& why, std::string& out) {
  keeps_alive_ = false;
  answer_error({Fault::malformed, why.message()}, out);
}

void SqsProtocol::write(Outgoing const& message, std::string& out) {
  if (message.is_push || ends_) return;
  if (!is_commanding_) {
    // The server closes the connection, and nothing was asked.
    if (message.command != "ERROR") return;
    keeps_alive_ = false;
    return answer_error({Fault::unavailable, std::string{text_in(message, "message")}}, out);
  }
  if (!action_->is_done()) action_->take(message);
  if (!message.is_last) return;
  is_commanding_ = false;
  if (action_->is_done()) answer(out);
}

void SqsProtocol::answer(std::string& out) {
  if (action_->error()) return answer_error(*action_->error(), out);
  write_whole(200, {},
              is_json_ ? json_of(action_->result()) : xml_of(action_->request().action, action_->result(), request_id_),
              out);
}

void SqsProtocol::answer_error(Error const& error, std::string& out) {
  FaultRow const& row = row_of(error.fault);
  // Of bytes that became no request.
  if (phase_ != Phase::acting) request_id_ = kNoRequest;
  std::string const field = fmt::format("x-amzn-query-error: {};{}\r\n", row.code, error.who());
  write_whole(row.status, field, is_json_ ? json_of(error) : xml_of(error, request_id_), out);
}

void SqsProtocol::write_whole(std::uint16_t status, std::string_view error_fields, std::string_view body,
                              std::string& out) {
  std::string const further = fmt::format("x-amzn-RequestId: {}\r\n{}", request_id_, error_fields);
  protocol::append_http_head({.status = status,
                              .content_type = is_json_ ? kJsonType : kXmlType,
                              .bytes = body.size(),
                              .is_http11 = is_http11_,
                              .keeps_alive = keeps_alive_,
                              .further = further},
                             out);
  out += body;
  phase_ = Phase::answered;
  ends_ = ends_ || !keeps_alive_;
  action_.reset();
  signed_.reset();
  token_.clear();
  if (is_consumed_) begin_again();
}

std::unique_ptr<Protocol> make_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared) {
  return std::make_unique<SqsProtocol>(place, std::static_pointer_cast<Shared>(shared));
}

std::shared_ptr<void> share() { return std::make_shared<Shared>(); }

}  // namespace fastjournal::queue::sqs
