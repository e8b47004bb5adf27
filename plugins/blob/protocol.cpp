#include "plugins/blob/protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/greeting.h"
#include "fastjournal/extent.h"
#include "plugins/blob/parameters.h"

namespace fastjournal::blob {

using bcdb::Op;

// ---------------------------------------------------------------------------
// Packets to commands

std::size_t StreamProtocol::whole_bytes(std::string_view) const {
  return phase_ == Phase::frames ? bcdb::kFrameBytesMax + kCarriedBytesMax : bcdb::kFrameBytesMax;
}

Protocol::Piece StreamProtocol::read(std::string_view unread, Message& message, std::string&) {
  if (skip_ > 0 && !unread.empty()) {
    auto const consumed = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, unread.size()));
    skip_ -= consumed;
    return {.kind = Kind::nothing, .consumed = consumed, .bytes = consumed};
  }
  switch (phase_) {
    case Phase::opening: return first(unread, message);
    case Phase::queries: return ask(unread, message);
    case Phase::frames: return frame(unread, message);
    case Phase::content:
    case Phase::put: return content(unread);
    case Phase::over: break;
  }
  return {};
}

Protocol::Piece StreamProtocol::first(std::string_view unread, Message& message) {
  // The packets of version 1 have no sign, and text would be stored as a blob.
  Greeting const came = greeting_of(unread);
  // A few bytes of a packet may look like those of TLS.
  if (came == Greeting::tls && unread.size() < bcdb::kHelloBytes) return {};
  if (came != Greeting::unknown && came != Greeting::blob) {
    phase_ = Phase::over;
    speaks_text_ = true;
    return {.kind = Kind::bad,
            .ends = true,
            .consumed = unread.size(),
            .bytes = unread.size(),
            .status = {Code::invalid,
                       wrong_port(port_ == Port::write ? "packets of blobs (blobwrite)" : "packets of blobs (blobread)",
                                  came)}};
  }
  if (unread.size() < bcdb::kHelloBytes) return {};
  if (bcdb::is_hello(unread)) return hello(bcdb::read_hello(unread), message);
  phase_ = port_ == Port::write ? Phase::content : Phase::queries;
  return ask(unread, message);
}

// It is answered with the number of the data file, which only the table knows.
Protocol::Piece StreamProtocol::hello(bcdb::Hello const& hello, Message& message) {
  owes_ = Owes::hello;
  Piece out{.kind = Kind::message, .consumed = bcdb::kHelloBytes, .bytes = bcdb::kHelloBytes};
  if (hello.version != bcdb::kVersion || hello.file != 0) {
    phase_ = Phase::over;
    out.kind = Kind::bad;
    out.ends = true;
    out.status = {Code::not_supported, "hello with version " + std::to_string(hello.version) + " and " +
                                           std::to_string(hello.file) + "; expected " + std::to_string(bcdb::kVersion) +
                                           " and 0"};
    return out;
  }
  phase_ = Phase::frames;
  message.clear();
  message.command = "ATTACH";
  return out;
}

Protocol::Piece StreamProtocol::ask(std::string_view unread, Message& message) {
  if (unread.size() < bcdb::kAskBytes) return {};
  bcdb::Ask const ask = bcdb::read_ask(unread);
  frame_ = {.echo = ask.echo, .key = ask.key};
  bool const writes = phase_ == Phase::content;
  owes_ = writes ? Owes::end : Owes::response;
  if (writes)
    begin_command("PUT", ask.key, message);
  else
    begin_query(ask.key, message);
  Piece out{.kind = Kind::message, .consumed = bcdb::kAskBytes, .bytes = bcdb::kAskBytes};
  if (writes) {
    out.kind = Kind::begin;
    out.value = "data";
  }
  return out;
}

Protocol::Piece StreamProtocol::frame(std::string_view unread, Message& message) {
  bcdb::Cut cut = bcdb::read(unread, frame_);
  if (cut.kind == bcdb::Cut::Kind::need_more) return {};
  owes_ = Owes::reply;
  if (cut.kind == bcdb::Cut::Kind::broken) {
    phase_ = Phase::over;
    return {.kind = Kind::bad,
            .ends = true,
            .status = {Code::bad_parameter, cut.problem + ". Where this frame ends is not known: closed"}};
  }
  if (frame_.zero == 0 && frame_.op == Op::put && frame_.length <= kCarriedBytesMax)
    return whole_put(cut.bytes, unread, message);
  if (frame_.zero == 0) return command(cut.bytes, message);
  if (frame_.op == Op::put) skip_ = frame_.length;
  return {.kind = Kind::bad,
          .consumed = cut.bytes,
          .bytes = cut.bytes,
          .status = {Code::bad_parameter, std::string{name_of(frame_.op)} + ": behind the key is " +
                                              std::to_string(frame_.zero) + "; expected 0"}};
}

Protocol::Piece StreamProtocol::command(std::size_t bytes, Message& message) {
  switch (frame_.op) {
    case Op::query: begin_command("GET", frame_.key, message); break;
    case Op::put: return begin_put(bytes, message);
    case Op::attach:
      message.clear();
      message.command = "ATTACH";
      message.add("descriptor", Value::of_integer(1));
      break;
    case Op::fetch:
      begin_command("GET", frame_.key, message);
      message.add("data", Value::of_integer(1));
      if (frame_.offset != 0) message.add("offset", Value::of_unsigned(frame_.offset));
      if (frame_.length != bcdb::kToItsEnd) message.add("length", Value::of_unsigned(frame_.length));
      break;
  }
  return {.kind = Kind::message, .consumed = bytes, .bytes = bytes};
}

// One that the log's record can carry is a command like any other: one sync is enough for it.
Protocol::Piece StreamProtocol::whole_put(std::size_t head, std::string_view unread, Message& message) {
  auto const length = static_cast<std::size_t>(frame_.length);
  if (unread.size() < head + length) {
    owes_ = Owes::nothing;
    return {};
  }
  begin_command("PUT", frame_.key, message);
  message.add("data", Value::of_binary(unread.substr(head, length)));
  content_hash_ = digits_of(frame_.hash.high) + digits_of(frame_.hash.low);
  message.add("content_hash", Value::of_text(content_hash_));
  return {.kind = Kind::message, .consumed = head + length, .bytes = head + length};
}

Protocol::Piece StreamProtocol::begin_put(std::size_t bytes, Message& message) {
  begin_command("PUT", frame_.key, message);
  phase_ = Phase::put;
  left_ = frame_.length;
  return {.kind = Kind::begin,
          .consumed = bytes,
          .bytes = bytes,
          .value = "data",
          .value_bytes = frame_.length,
          .value_hash = std::array{frame_.hash.low, frame_.hash.high}};
}

Protocol::Piece StreamProtocol::content(std::string_view unread) {
  if (phase_ == Phase::put && left_ == 0) {
    phase_ = Phase::frames;
    return {.kind = Kind::end, .value_hash = std::array{frame_.hash.low, frame_.hash.high}};
  }
  if (unread.empty()) return {};
  std::size_t bytes = unread.size();
  if (phase_ == Phase::put) {
    bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes));
    left_ -= bytes;
  }
  return {.kind = Kind::content, .consumed = bytes, .bytes = bytes, .content = unread.substr(0, bytes)};
}

Protocol::Piece StreamProtocol::end_of_input(Message&, std::string&) {
  Phase const was = std::exchange(phase_, Phase::over);
  if (was == Phase::content) return {.kind = Kind::end};
  if (was != Phase::put) return {};
  // A client that ended so does not wait for an answer.
  owes_ = Owes::nothing;
  return {.kind = Kind::broken};
}

// ---------------------------------------------------------------------------
// Answers to packets

void StreamProtocol::accepted(std::string& out) {
  if (owes_ != Owes::end) return;
  bcdb::write_echo(frame_.echo, out);
  ends_output_ = true;
}

void StreamProtocol::write(Outgoing const& message, std::string& out) {
  part_ = {};
  if (message.is_push || !message.is_last) return;
  Told const told{message};
  if (owes_ == Owes::nothing && told.command != "ERROR") return;
  if (told.command == "ERROR")
    return fail(code_of_wire_name(told.text("code")).value_or(Code::invalid), told.text("message"), out);
  bool const is_expected =
      owes_ == Owes::hello || (owes_ == Owes::reply && frame_.op == Op::attach) ? told.command == "ATTACHED"
      : owes_ == Owes::end || (owes_ == Owes::reply && frame_.op == Op::put)    ? told.command == "STORED"
                                                                                : told.command == "BLOB";
  if (!is_expected) return fail(Code::not_supported, std::string{told.command} + " has no form in this protocol", out);
  switch (std::exchange(owes_, Owes::nothing)) {
    case Owes::nothing: return;
    case Owes::hello: return bcdb::write(bcdb::Hello{.file = static_cast<std::uint32_t>(told.number("file"))}, out);
    case Owes::response: return write_response(told, out);
    case Owes::end: ends_ = true; return;
    case Owes::reply: break;
  }
  if (frame_.op == Op::fetch) return write_fetched(told, out);
  write_reply(reply_of(told), out);
}

// An ERROR while nothing is asked says that the connection ends.
void StreamProtocol::fail(Code code, std::string_view why, std::string& out) {
  switch (std::exchange(owes_, Owes::nothing)) {
    case Owes::nothing:
    case Owes::response:
    case Owes::end: ends_ = true; return;
    case Owes::hello: return bcdb::write(bcdb::Hello{}, out);
    case Owes::reply: return write_reply(failure_of(code, why), out);
  }
}

// All of a stream have the same length: when the table's maintenance becomes another one, a reader connects again.
void StreamProtocol::write_response(Told const& blob, std::string& out) {
  std::size_t const bytes = has_flags(blob) ? bcdb::kResponseWithFlagsBytes : bcdb::kResponseBytes;
  ends_ = response_bytes_ != 0 && response_bytes_ != bytes;
  response_bytes_ = bytes;
  if (!ends_) bcdb::write(response_of(blob, frame_.echo), has_flags(blob), out);
}

void StreamProtocol::write_reply(bcdb::Reply reply, std::string& out) const {
  reply.op = frame_.op;
  reply.echo = frame_.echo;
  bcdb::write(reply, out);
}

// The bytes are here, or in their file and sent behind what is written.
void StreamProtocol::write_fetched(Told const& blob, std::string& out) {
  bcdb::Reply reply = reply_of(blob);
  if (reply.outcome != bcdb::Outcome::ok) return write_reply(reply, out);
  Value const* const data = blob.find("data");
  if (data != nullptr && data->outside) {
    reply.begin = data->stored->extent.begin;
    reply.end = data->stored->extent.end;
    part_.bytes = reply.end - reply.begin;
    return write_reply(reply, out);
  }
  std::string_view const bytes = data == nullptr ? std::string_view{} : data->bytes;
  reply.begin += std::min(frame_.offset, reply.end - reply.begin);
  reply.end = reply.begin + bytes.size();
  write_reply(reply, out);
  out.append(bytes);
}

void StreamProtocol::refuse(Status const& why, std::string& out) {
  if (speaks_text_) {
    out.append(why.message()).append("\n");
    return;
  }
  fail(why.code(), why.message(), out);
}

std::unique_ptr<Protocol> make_read_protocol(ProtocolPlace, std::shared_ptr<void> const&) {
  return std::make_unique<StreamProtocol>(Port::read);
}
std::unique_ptr<Protocol> make_write_protocol(ProtocolPlace, std::shared_ptr<void> const&) {
  return std::make_unique<StreamProtocol>(Port::write);
}

}  // namespace fastjournal::blob
