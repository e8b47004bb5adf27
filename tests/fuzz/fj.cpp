// libFuzzer target for the FJ protocol: the first byte of the input is the size of the pieces in which the rest arrives.
// Besides "no crash, no byte read outside" it checks for any input: no more is consumed than is there; what happens does
// not depend on how the stream was cut; each frame, refused or not, has exactly one reply (QUIT has none), which a reader
// of replies reads; a request that was read is written to the same bytes, but for sizes that are wider than they need be.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fastjournal/message.h"
#include "plugins/keyvalue/fj_protocol.h"
#include "wire/fj/frame.h"

namespace {

using namespace fastjournal;

constexpr std::size_t kFrameBytesMax = 4'096;

struct Told {
  std::string messages;  // one a line
  std::string replies;
  std::size_t asked{0};
  bool ended{false};
};

// What a daemon might say: it depends on the message alone.
void answer(Protocol& protocol, Message const& message, std::string& out) {
  Value const request = *message.find("request");
  Param const stored[] = {{"result", Value::of_text("stored")}, {"request", request}};
  Param const pair[] = {{"key", Value::of_text("k")},
                        {"type", Value::of_text("string")},
                        {"value", Value::of_text("value")},
                        {"request", request},
                        {"after", Value::of_text("k")}};
  Param const error[] = {{"code", Value::of_text("in_use")}, {"message", Value::of_text("no")}, {"request", request}};
  Param const notice[] = {{"key", Value::of_text("k")}, {"result", Value::of_text("absent")}, {"listener", request}};
  switch (message.params().size() % 4) {
    case 0: protocol.write({.command = "ERROR", .params = error}, out); break;
    case 1: protocol.write({.command = "STORED", .params = stored}, out); break;
    case 2:
      if (message.command == "GET" && !message.has("key"))
        protocol.write({.command = "PAIR", .params = std::span{pair}.first(4), .is_last = false}, out);
      protocol.write({.command = "PAIR", .params = pair}, out);
      break;
    default: protocol.write({.command = "NOTHING", .params = std::span{stored}.subspan(1)}, out); break;
  }
  if (message.has("listen")) {
    std::string push;
    protocol.write({.command = "CHANGED", .params = notice, .is_push = true}, push);
    fj::Reply read;
    FJ_CHECK(fj::read(push, push.size(), read).kind == fj::Cut::Kind::whole && read.has(fj::flag::kNotice), "a notice");
  }
}

Told played(std::string_view bytes, std::size_t step) {
  keyvalue::FjProtocol protocol{kFrameBytesMax};
  Told told;
  Message message;
  std::string unread;
  while (!told.ended && (!bytes.empty() || !unread.empty())) {
    std::size_t const more = std::min(step, bytes.size());
    unread += bytes.substr(0, more);
    bytes.remove_prefix(more);
    for (;;) {
      Protocol::Piece const piece = protocol.read(unread, message, told.replies);
      FJ_CHECK(piece.consumed <= unread.size(), "no more is consumed than is there");
      if (piece.kind == Protocol::Kind::need_more) break;
      if (piece.kind == Protocol::Kind::message) {
        ++told.asked;
        told.messages.append(message.command);
        for (Param const& param : message.params())
          told.messages.append(" ").append(param.name).append(param.value.bytes);
        told.messages += '\n';
        answer(protocol, message, told.replies);
      }
      if (piece.kind == Protocol::Kind::bad) {
        ++told.asked;
        protocol.refuse(piece.status, told.replies);
      }
      unread.erase(0, piece.consumed);
      told.ended = piece.ends;
      if (told.ended) break;
    }
    if (more == 0) break;
  }
  return told;
}

void check_replies(Told const& told) {
  std::string_view rest = told.replies;
  while (!rest.empty()) {
    fj::Reply reply;
    fj::Cut const cut = fj::read(rest, rest.size(), reply);
    FJ_CHECK(cut.kind == fj::Cut::Kind::whole, "each reply is whole");
    rest.remove_prefix(static_cast<std::size_t>(cut.bytes));
  }
}

void check_frame(std::string_view bytes) {
  fj::Request request;
  fj::Cut const cut = fj::read(bytes, bytes.size(), request);
  if (cut.kind == fj::Cut::Kind::whole) {
    std::string again;
    fj::write(request, again);
    FJ_CHECK(again.size() <= cut.bytes, "a request is not longer than it came");
    fj::Request back;
    FJ_CHECK(fj::read(again, again.size(), back).kind == fj::Cut::Kind::whole, "and is read again");
    FJ_CHECK(back.key == request.key && back.upper == request.upper && back.timestamp == request.timestamp,
             "as it was");
  }
  fj::Reply reply;
  static_cast<void>(fj::read(bytes, bytes.size(), reply));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  check_frame(bytes);
  Told const whole = played(bytes, SIZE_MAX);
  Told const pieces = played(bytes, 1 + data[0] % 32);
  FJ_CHECK(whole.messages == pieces.messages && whole.asked == pieces.asked, "the cut of the stream changes nothing");
  // Which other protocol came is said of the bytes that are there (base/greeting.h); the connection ends either way.
  auto const names_another = [](Told const& told) {
    return told.replies.find(", and what came is ") != std::string::npos;
  };
  bool const is_other = names_another(whole) || names_another(pieces);
  FJ_CHECK((is_other || whole.replies == pieces.replies) && whole.ended == pieces.ended, "nor what is replied");
  check_replies(whole);
  return 0;
}
