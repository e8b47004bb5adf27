#include "wire/http.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/greeting.h"
#include "wire/http_blob.h"
#include "wire/http_json.h"
#include "wire/http_rules.h"
#include "wire/parts.h"
#include "wire/streams.h"

namespace fastjournal::protocol {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kTextMetrics = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kNoBlobs = "this is no table of blobs";
// Never taken for a page, whatever is in it.
constexpr std::string_view kBlobType = "application/octet-stream";
constexpr std::string_view kOpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
// Files and blobs are asked for again each time, and are sent again only if they changed.
constexpr std::string_view kRevalidate = "no-cache";

// What is wrong with the bytes of a request.
HttpRefusal wrong(std::uint16_t status, std::string why) {
  Code code = Code::invalid;
  if (status == 505) code = Code::not_supported;
  if (status == 413 || status == 414 || status == 431) code = Code::too_large;
  return {.status = status, .code = code, .why = std::move(why)};
}

// An empty text where there is none.
Value value_of(Outgoing const& message, std::string_view name) {
  for (Param const& param : message.params)
    if (param.name == name) return param.value;
  return {};
}

std::string_view text_of(Outgoing const& message, std::string_view name) { return value_of(message, name).bytes; }

bool has(Outgoing const& message, std::string_view name) {
  return std::any_of(message.params.begin(), message.params.end(),
                     [name](Param const& param) { return param.name == name; });
}

// How long to wait, from 1 to 3600, where a refusal says so in milliseconds.
unsigned seconds_of(std::string_view milliseconds) {
  std::int64_t const ms = Value::of_text(milliseconds).as_integer().value_or(0);
  return static_cast<unsigned>(std::clamp<std::int64_t>(ms / 1000 + (ms % 1000 > 0 ? 1 : 0), 1, 3600));
}

bool is_refusal(std::string_view command) { return command == "ERROR" || command == "UNKNOWN" || command == "INVALID"; }

// The table knows no such command or parameter: it is none of blobs.
bool is_of_command(Code code) { return code == Code::not_supported || code == Code::unknown_parameter; }

Code code_of(Outgoing const& message) {
  if (message.command == "UNKNOWN") return Code::unknown_command;
  return code_of_wire_name(text_of(message, "code")).value_or(Code::io_error);
}

}  // namespace

// ---------------------------------------------------------------------------
// Requests

Protocol::Piece Http::read(std::string_view unread, Message& message, std::string& out) {
  if (is_answering() || ends_) return {};
  if (phase_ == Phase::content) return read_content(unread);
  HttpRequest request;
  bool const is_parsed = phase_ == Phase::head;
  if (phase_ == Phase::head) {
    Piece piece = read_head(unread, request, message, out);
    if (phase_ == Phase::head || piece.kind != Kind::need_more) return piece;
  }
  Piece piece = read_body(unread);
  if (piece.consumed == 0 || piece.kind == Kind::bad) return piece;
  std::string_view const whole = unread.substr(0, piece.consumed);
  // It was good when it came, and is so again.
  if (!is_parsed) static_cast<void>(parse_http_head(whole.substr(0, head_bytes_), request));
  return take_call(whole, request, message, out);
}

std::size_t Http::whole_bytes(std::string_view) const {
  if (phase_ != Phase::body) return kHttpHeadBytesMax;
  return head_bytes_ + (is_chunked_ ? chunked_bytes_max() : body_bytes_);
}

// With their sizes chunks may be a quarter larger than what they hold: those of 40 bytes and more are.
std::size_t Http::chunked_bytes_max() const {
  std::size_t const body = site_->options().body_bytes_max;
  return body + body / 4 + kHttpChunkLineBytesMax;
}

// The phase afterwards is `body` if the head is good and its body may come.
Protocol::Piece Http::read_head(std::string_view unread, HttpRequest& request, Message& message, std::string& out) {
  HttpScan scan = head_scan_.next(unread);
  if (scan.kind == HttpScan::Kind::need_more) return {};
  if (scan.kind == HttpScan::Kind::blank_line) {
    head_scan_.clear();
    return {.kind = Kind::nothing, .consumed = scan.bytes, .bytes = scan.bytes};
  }
  is_head_ = unread.starts_with("HEAD ");
  is_http11_ = true;
  if (scan.kind == HttpScan::Kind::bad) {
    Greeting const came = greeting_of(unread);
    std::string const here = site_->options().is_tls ? "HTTP over TLS" : "HTTP";
    if (!is_known_ && came != Greeting::http)
      scan.why = came == Greeting::unknown ? "this port speaks " + here + ": " + scan.why : wrong_port(here, came);
    return bad(scan.bytes, wrong(scan.status, std::move(scan.why)), true);
  }
  is_known_ = true;
  if (std::string why = parse_http_head(unread.substr(0, scan.bytes), request); !why.empty())
    return bad(scan.bytes, wrong(400, std::move(why)), true);
  std::size_t const most = site_->options().body_bytes_max;
  is_http11_ = request.is_http11;
  keeps_alive_ = request.keeps_alive;
  head_bytes_ = scan.bytes;
  is_chunked_ = request.is_chunked;
  if (is_blob_put(request)) return begin_content(request, message, out);
  if (request.length > most)
    return bad(scan.bytes, wrong(413, "the body has more than " + std::to_string(most) + " bytes"), true);
  phase_ = Phase::body;
  body_bytes_ = static_cast<std::size_t>(request.length);
  if (!expects_continue(request)) return {};
  if (HttpCall const call = judge(request, *site_); call.refusal.status != 0) {
    keeps_alive_ = false;  // it is unknown whether its body follows all the same
    return answer_itself(head_bytes_, call.refusal, out);
  }
  out.append(kContinue);
  return {.kind = Kind::nothing};
}

// A refusal ends the connection: it is unknown whether the bytes follow.
Protocol::Piece Http::begin_content(HttpRequest const& request, Message& message, std::string& out) {
  HttpCall const call = judge(request, *site_);
  std::size_t const head_bytes = head_bytes_;
  if (call.refusal.status == 400) return bad(head_bytes, call.refusal, true);
  if (call.refusal.status != 0) {
    keeps_alive_ = false;
    return answer_itself(head_bytes, call.refusal, out);
  }
  message.clear();
  message.command = message.arena().copy(call.command);
  begin_blob_put(call.table, call.key, message);
  remember(call);
  is_expecting_ = expects_continue(request);
  forget_request();
  phase_ = Phase::content;
  content_left_ = request.length;
  return {.kind = Kind::begin,
          .consumed = head_bytes,
          .bytes = head_bytes,
          .token = message.arena().copy(call.token),
          .value = kBlobContent,
          .value_bytes = is_chunked_ ? UINT64_MAX : request.length};
}

Protocol::Piece Http::read_content(std::string_view unread) {
  Piece piece{.kind = Kind::content};
  bool is_whole = !is_chunked_ && content_left_ == 0;
  if (!is_whole && unread.empty()) return {};
  if (is_chunked_) {
    HttpScan scan = chunk_scan_.next_part(unread, piece.content);
    if (scan.kind == HttpScan::Kind::bad) return bad(scan.bytes, wrong(scan.status, std::move(scan.why)), true);
    is_whole = scan.kind == HttpScan::Kind::whole;
    piece.consumed = scan.bytes;
  } else if (!is_whole) {
    piece.content = unread.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(content_left_, unread.size())));
    piece.consumed = piece.content.size();
    content_left_ -= piece.consumed;
  }
  piece.bytes = piece.consumed;
  if (!is_whole) return piece;
  forget_request();
  phase_ = Phase::answering;
  piece.kind = Kind::end;
  return piece;
}

Protocol::Piece Http::end_of_input(Message&, std::string&) {
  if (phase_ != Phase::content || ends_) return {};
  ends_ = true;
  return {.kind = Kind::broken};
}

void Http::accepted(std::string& out) {
  if (std::exchange(is_expecting_, false)) out.append(kContinue);
}

// Consumes the whole request, or nothing.
Protocol::Piece Http::read_body(std::string_view unread) {
  if (!is_chunked_) {
    std::size_t const whole = head_bytes_ + body_bytes_;
    return {.consumed = unread.size() < whole ? 0 : whole};
  }
  HttpScan scan = chunk_scan_.next(unread.substr(head_bytes_), {.body_bytes_max = site_->options().body_bytes_max,
                                                                .raw_bytes_max = chunked_bytes_max()});
  if (scan.kind == HttpScan::Kind::need_more) return {};
  std::size_t const consumed = head_bytes_ + scan.bytes;
  if (scan.kind != HttpScan::Kind::bad) return {.consumed = consumed};
  return bad(consumed, wrong(scan.status, std::move(scan.why)), true);
}

Protocol::Piece Http::take_call(std::string_view whole, HttpRequest const& request, Message& message,
                                std::string& out) {
  std::string joined;
  // Before it may be refused: the connection goes on behind it.
  if (is_chunked_ && !join_chunks(whole, joined))
    return bad(whole.size(), wrong(400, "the chunks, or what is behind their sizes, are not of HTTP"), true);
  std::string_view const body = is_chunked_ ? std::string_view{joined} : whole.substr(head_bytes_);
  HttpCall const call = judge(request, *site_);
  if (call.refusal.status == 400) return bad(whole.size(), call.refusal, false);
  if (call.refusal.status != 0) return answer_itself(whole.size(), call.refusal, out);
  if (call.route == HttpRoute::file) {
    serve_file(*call.file, request, out);
    end_answer();
    return {.kind = Kind::nothing, .ends = ends_, .consumed = whole.size(), .bytes = whole.size()};
  }
  message.clear();
  message.command = message.arena().copy(call.command);
  if (call.route == HttpRoute::command) {
    Status status = body.empty() ? Status{} : parse_parameters(body, message);
    if (status.ok() && message.has(kStreamingParameter))
      status = {Code::not_supported,
                "the parameter listen needs a connection that stays: send LISTEN, which is answered "
                "by a stream"};
    if (!status.ok())
      return bad(whole.size(),
                 {.status = http_status_of(status.code()),
                  .code = status.code(),
                  .why = call.command + ": " + status.message()},
                 false);
  } else if (call.route == HttpRoute::blob) {
    begin_blob_get(call.table, call.key, !is_head_, message);
    choice_ = std::make_unique<HttpChoice>(HttpChoice{.if_match = request.if_match.value_or(""),
                                                      .if_none_match = request.if_none_match.value_or(""),
                                                      .range = is_head_ ? "" : request.range.value_or(""),
                                                      .if_range = request.if_range.value_or("")});
  } else if (!call.parameter.empty()) {
    message.set(call.parameter, call.value);
  }
  remember(call);
  forget_request();
  phase_ = Phase::answering;
  return {.kind = Kind::message,
          .consumed = whole.size(),
          .bytes = whole.size(),
          .token = message.arena().copy(call.token)};
}

// What its answer depends on.
void Http::remember(HttpCall const& call) {
  route_ = call.route;
  has_token_ = !call.token.empty();
  is_streaming_ = call.route == HttpRoute::command && is_streaming(call.command);
  is_openmetrics_ = call.value == "openmetrics";
}

Protocol::Piece Http::bad(std::size_t consumed, HttpRefusal refusal, bool ends) {
  if (ends) keeps_alive_ = false;
  refusal_ = std::make_unique<HttpRefusal>(std::move(refusal));
  head_scan_.clear();
  Piece piece{.kind = Kind::bad, .ends = !keeps_alive_, .consumed = consumed, .bytes = consumed};
  piece.status = Status{refusal_->code, refusal_->why};
  return piece;
}

Protocol::Piece Http::answer_itself(std::size_t consumed, HttpRefusal const& refusal, std::string& out) {
  write_problem(refusal, refusal.why, {}, {}, out);
  end_answer();
  return {.kind = Kind::nothing, .ends = ends_, .consumed = consumed, .bytes = consumed};
}

void Http::serve_file(HttpSite::Served const& file, HttpRequest const& request, std::string& out) {
  HttpHead head{.content_type = file.file.content_type, .cache = kRevalidate, .etag = file.etag};
  if (request.if_none_match && names_etag(*request.if_none_match, file.etag)) {
    head.status = 304;
    head.content_type = {};
    head.length = HttpLength::none;
    return write_whole(head, {}, out);
  }
  write_whole(head, file.file.bytes, out);
}

void Http::forget_request() {
  head_scan_.clear();
  chunk_scan_.clear();
  head_bytes_ = body_bytes_ = 0;
  phase_ = Phase::head;
}

// The next request may be read; the connection ends if this one, or its answer, said so.
void Http::end_answer() {
  forget_request();
  ends_ = ends_ || !keeps_alive_;
}

// ---------------------------------------------------------------------------
// Answers

void Http::refuse(Status const& why, std::string& out) {
  HttpRefusal refusal{.status = http_status_of(why.code()), .code = why.code()};
  if (refusal_)
    refusal = std::move(*refusal_);
  else
    keeps_alive_ = false;  // of the server's own: it did not read on
  refusal_.reset();
  write_problem(refusal, why.message(), {}, {}, out);
  end_answer();
}

void Http::write(Outgoing const& message, std::string& out) {
  part_ = {};
  if (ends_) return;
  if (phase_ == Phase::events) return write_event(message, out);
  if (message.is_push) return;
  switch (phase_) {
    case Phase::head:
    case Phase::body: return say_goodbye(message, out);
    case Phase::content: return refuse_content(message, out);
    case Phase::text: return write_text(message, out);
    case Phase::array: return write_element(",\n", message, out);
    default: return write_first(message, out);
  }
}

void Http::write_first(Outgoing const& message, std::string& out) {
  bool const refuses = is_refusal(message.command);
  if (is_streaming_ && !refuses) {
    begin_parts(Phase::events, kEventsType, out);
    return write_event(message, out);
  }
  bool const is_fetched = route_ == HttpRoute::metrics || route_ == HttpRoute::openapi;
  if (is_fetched && !refuses && has(message, "text")) {
    if (Value const& text = value_of(message, "text"); text.outside) {
      write_shared(text, out);
      return end_answer();
    }
    std::string_view type = kJsonType;
    if (route_ == HttpRoute::metrics) type = is_openmetrics_ ? kOpenMetrics : kTextMetrics;
    if (!message.is_last) {
      begin_parts(Phase::text, type, out);
      return write_text(message, out);
    }
    write_whole({.content_type = type}, text_of(message, "text"), out);
  } else if (route_ == HttpRoute::blob && !refuses) {
    write_blob(message, out);
  } else if (!message.is_last || (has(message, "left") && !refuses)) {
    begin_parts(Phase::array, kJsonType, out);
    return write_element("[\n", message, out);
  } else if (refuses) {
    write_error(message, out);
  } else {
    std::string body;
    append_object(message, body);
    body += '\n';
    bool const is_new = route_ == HttpRoute::blob_put && is_new_blob(message);
    write_whole({.status = static_cast<std::uint16_t>(is_new ? 201 : 200), .content_type = kJsonType}, body, out);
  }
  end_answer();
}

// Its bytes follow from their place in memory.
void Http::write_shared(Value const& text, std::string& out) {
  std::uint64_t const bytes = text.stored->extent.size();
  write_head({.content_type = kJsonType, .bytes = bytes}, out);
  if (!is_head_) part_ = {.bytes = bytes};
}

// The head of an answer whose length is not known. Events have no end but that of the connection, and an old client
// knows no other.
void Http::begin_parts(Phase phase, std::string_view content_type, std::string& out) {
  bool const is_chunked = phase != Phase::events && is_http11_;
  phase_ = phase;
  keeps_alive_ = keeps_alive_ && is_chunked;
  append_http_head({.content_type = content_type,
                    .length = is_chunked ? HttpLength::chunked : HttpLength::until_close,
                    .is_http11 = is_http11_,
                    .keeps_alive = keeps_alive_},
                   out);
}

void Http::write_error(Outgoing const& message, std::string& out) {
  HttpRefusal refusal{.code = code_of(message)};
  refusal.status = http_status_of(refusal.code);
  if (refusal.code == Code::not_allowed) {
    // A missing right is named, and so is a parameter at fault: otherwise it is the token. Where a listener is bound to
    // another table, none helps. A user who sent none has come by a certificate, and is known.
    std::string_view const parameter = text_of(message, "parameter");
    if (has(message, "bound") || (!has_token_ && has(message, "user")))
      refusal.challenge = HttpChallenge::none;
    else if (!has_token_)
      refusal.challenge = HttpChallenge::token;
    else if (parameter == "token" || (parameter.empty() && !has(message, "right")))
      refusal.challenge = HttpChallenge::other_token;
    if (refusal.challenge != HttpChallenge::none) refusal.status = 401;
  } else if (route_ == HttpRoute::health) {
    refusal.status = 503;
  } else if ((route_ == HttpRoute::blob || route_ == HttpRoute::blob_put) && is_of_command(refusal.code)) {
    return write_problem({.status = 404, .code = Code::not_found}, kNoBlobs, text_of(message, "command"), {}, out);
  }
  refusal.retry_after_s = seconds_of(text_of(message, "wait_ms"));
  std::string_view detail = text_of(message, "message");
  if (detail.empty()) detail = row_of(refusal.code).text;
  write_problem(refusal, detail, text_of(message, "command"), message.params, out);
}

// A blob is not stored, and its bytes may still come: the connection ends.
void Http::refuse_content(Outgoing const& message, std::string& out) {
  if (!is_refusal(message.command)) return;
  if (has(message, "limit")) return say_goodbye(message, out);
  keeps_alive_ = false;
  write_error(message, out);
  end_answer();
}

// The bytes are here, or follow from their file.
void Http::write_blob(Outgoing const& message, std::string& out) {
  std::optional<HttpBlob> const blob = read_blob(message);
  std::unique_ptr<HttpChoice> const choice = std::move(choice_);
  if (!blob || !blob->is_there) {
    HttpRefusal const none{.status = 404, .code = Code::not_found};
    return write_problem(none, blob ? "there is no blob under this key" : kNoBlobs, "GET", {}, out);
  }
  HttpChosen const chosen = choose(*choice, blob->etag, blob->bytes);
  if (chosen.status == 412 || chosen.status == 416) {
    HttpRefusal refusal{.status = chosen.status, .code = Code::bad_parameter};
    if (chosen.status == 416) refusal.content_range = content_range(chosen, blob->bytes);
    std::string const size = std::to_string(blob->bytes);
    return write_problem(refusal,
                         chosen.status == 416 ? "the blob has " + size + " bytes, and Range names none of them"
                                              : "If-Match names another blob than the one that is here",
                         "GET", {}, out);
  }
  std::string const date = http_date(blob->stored_at_s);
  HttpHead head{
      .status = chosen.status, .cache = kRevalidate, .etag = blob->etag, .last_modified = date, .accepts_ranges = true};
  if (chosen.status == 304) {
    head.length = HttpLength::none;
    return write_head(head, out);
  }
  std::string const range = chosen.status == 206 ? content_range(chosen, blob->bytes) : std::string{};
  head.content_type = kBlobType;
  head.content_range = range;
  head.bytes = chosen.bytes;
  write_head(head, out);
  if (is_head_ || blob->content == nullptr) return;
  if (blob->content->outside)
    part_ = {.offset = chosen.offset, .bytes = chosen.bytes};
  else
    out.append(
        blob->content->bytes.substr(static_cast<std::size_t>(chosen.offset), static_cast<std::size_t>(chosen.bytes)));
}

// An unrequested ERROR is the last event.
void Http::write_event(Outgoing const& message, std::string& out) {
  out.append("event: ").append(message.command).append("\ndata: ");
  append_object(message, out);
  out.append("\n\n");
  if (message.command == "ERROR" && !message.is_push) end_answer();
}

// With what stands before it in the array.
void Http::write_element(std::string_view before, Outgoing const& message, std::string& out) {
  std::string text{before};
  append_object(message, text);
  if (message.is_last) text.append("\n]\n");
  append_part(text, message.is_last, out);
}

// A refusal has no place in a text: the connection ends before the text does, which the client sees.
void Http::write_text(Outgoing const& message, std::string& out) {
  if (!is_refusal(message.command)) return append_part(text_of(message, "text"), message.is_last, out);
  keeps_alive_ = false;
  end_answer();
}

void Http::append_part(std::string_view text, bool is_last, std::string& out) {
  if (!is_head_ && is_http11_) {
    append_chunk(text, out);
    if (is_last) append_last_chunk(out);
  } else if (!is_head_) {
    out.append(text);
  }
  if (is_last) end_answer();
}

void Http::write_head(HttpHead head, std::string& out) {
  head.is_http11 = is_http11_;
  head.keeps_alive = keeps_alive_;
  append_http_head(head, out);
}

void Http::write_whole(HttpHead head, std::string_view body, std::string& out) {
  head.bytes = body.size();
  write_head(head, out);
  if (!is_head_) out.append(body);
}

void Http::write_problem(HttpRefusal const& refusal, std::string_view detail, std::string_view command,
                         std::span<Param const> facts, std::string& out) {
  std::string body;
  append_problem({.status = refusal.status, .code = refusal.code, .detail = detail, .command = command, .facts = facts},
                 body);
  write_whole({.status = refusal.status,
               .content_type = kProblemType,
               .content_range = refusal.content_range,
               .allow = refusal.allow,
               .retry_after_s = refusal.retry_after_s,
               .challenge = refusal.challenge},
              body, out);
}

// The server closes the connection, and nothing was asked.
void Http::say_goodbye(Outgoing const& message, std::string& out) {
  if (message.command != "ERROR") return;
  is_head_ = false;
  keeps_alive_ = false;
  HttpRefusal refusal{.code = code_of(message)};
  // A limit of time is named; without a name there is no room.
  if (has(message, "limit")) refusal.code = Code::timed_out;
  bool const is_late = refusal.code == Code::timed_out || refusal.code == Code::closed;
  refusal.status = is_late ? 408 : refusal.code == Code::not_allowed ? 403 : 503;
  write_problem(refusal, text_of(message, "message"), text_of(message, "command"), message.params, out);
  end_answer();
}

}  // namespace fastjournal::protocol
