#include "wire/messages.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "wire/first_line.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::protocol {

Protocol::Piece Messages::read(std::string_view unread, Message& message, std::string&) {
  if (!is_known_)
    if (Status why = check_first_bytes(unread); !why.ok())
      return bad({.consumed = unread.size(), .bytes = unread.size()}, std::move(why));
  Framer::Piece const cut = framer_.next(unread);
  Piece piece{.consumed = cut.consumed, .bytes = cut.bytes.size()};
  switch (cut.kind) {
    case Framer::Kind::need_more: return piece;
    case Framer::Kind::bad: is_binary_ = cut.is_frame; return bad(std::move(piece), cut.status);
    case Framer::Kind::line:
    case Framer::Kind::frame: break;
  }
  is_binary_ = cut.kind == Framer::Kind::frame;
  Status status = is_binary_ ? parse_frame(cut.bytes, message) : parse_line(cut.bytes, message);
  if (status.ok() && message.command.empty()) {
    piece.kind = Kind::nothing;
    return piece;
  }
  if (status.ok() && !is_known_ && !is_binary_) status = check_first_line(cut.bytes, message);
  if (!status.ok()) return bad(std::move(piece), std::move(status));
  is_known_ = true;
  piece.kind = Kind::message;
  return piece;
}

// A connection whose first line is not a message is closed with the reason, and nothing after that line is read: it may
// be the request of a web page. Frames need no such care: a web page cannot send one.
Protocol::Piece Messages::bad(Piece piece, Status why) const {
  piece.kind = Kind::bad;
  piece.ends = !is_known_ && !is_binary_;
  if (piece.ends) {
    std::string const what = why.code() == Code::too_large
                                 ? "the line is longer than " + std::to_string(line_bytes_max_) + " bytes"
                                 : why.message();
    why = Status{why.code(), what + "; a connection begins with a message: this one is closed"};
  }
  piece.status = std::move(why);
  return piece;
}

void Messages::refuse(Status const& why, std::string& out) {
  if (peer_ == MessagePeer::communicator) return;
  is_binary_ = false;  // a person can read text, whatever was sent
  Param const params[] = {{"code", Value::of_text(row_of(why.code()).wire_name)},
                          {"message", Value::of_text(why.message())}};
  append_text({.command = "INVALID", .params = params}, out);
}

void Messages::write(Outgoing const& message, std::string& out) {
  if (is_binary_)
    append_frame(message, out);
  else
    append_text(message, out);
}

void Messages::append_text(Outgoing const& message, std::string& out) const {
  bool const is_too_large =
      peer_ != MessagePeer::client && std::any_of(message.params.begin(), message.params.end(), [](Param const& param) {
        return line_bytes(param.value).value_or(0) >= kServiceValueBytesMax;
      });
  Status const status =
      is_too_large ? Status{Code::too_large, "a value is too large for this way"} : append_line(message, out);
  if (!status.ok()) append_what_fits(message, status, out);
}

// A row must be sent also if one of its values cannot be: the others are sent, and `omitted` names the rest, which a
// frame or a PEEK over another connection returns.
void Messages::append_what_fits(Outgoing const& message, Status const& why, std::string& out) const {
  std::size_t const most = peer_ == MessagePeer::client ? SIZE_MAX : kServiceValueBytesMax;
  std::vector<Param> params;
  std::string omitted;
  for (Param const& param : message.params) {
    if (line_bytes(param.value).value_or(SIZE_MAX) < most)
      params.push_back(param);
    else
      omitted.append(omitted.empty() ? "" : ",").append(param.name);
  }
  Outgoing fitting = message;
  params.push_back({"omitted", Value::of_text(omitted)});
  fitting.params = params;
  if (!omitted.empty() && append_line(fitting, out).ok()) return;
  std::string const text = "the answer cannot be written as text (" + why.message() + "); ask with msgpack framing";
  params.assign({{"code", Value::of_text(row_of(Code::not_supported).wire_name)},
                 {"command", Value::of_text(message.command)},
                 {"message", Value::of_text(text)}});
  for (Param const& param : message.params)
    if ((param.name == "request" || param.name == "left") && line_bytes(param.value)) params.push_back(param);
  fitting.command = "ERROR";
  fitting.params = params;
  // Receivers whose name no line can carry were refused before (names.h).
  static_cast<void>(append_line(fitting, out));
}

}  // namespace fastjournal::protocol
