// libFuzzer target for the packets of blob tables: the first byte of the input is the size of the pieces in which the rest
// arrives, the second the port and what the daemon answers. Besides "no crash, no byte read outside" it checks for any
// input: no more is consumed than is there, no more wanted than whole_bytes says; what happens does not depend on how the
// stream was cut; each command and each refusal has exactly one answer, of version 2 a reply that its reader reads; a
// packet that was read is written to the same bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fastjournal/message.h"
#include "plugins/blob/datagrams.h"
#include "plugins/blob/protocol.h"
#include "wire/bcdb/packet.h"

namespace {

using namespace fastjournal;

struct Told {
  std::string commands;  // one a line, and the bytes of values
  std::string out;
  std::size_t asked{0};
  bool ended{false};
};

// What a daemon might say: it depends on the message and on one byte alone.
void answer(Protocol& protocol, std::string_view command, bool wants_data, unsigned choice, std::string& out) {
  Param const place[] = {{"result", Value::of_text("found")},   {"entry_time", Value::of_integer(7)},
                         {"begin", Value::of_unsigned(4096)},   {"end", Value::of_unsigned(4100)},
                         {"file", Value::of_unsigned(3)},       {"files", Value::of_integer(2)},
                         {"data", Value::of_binary("\0\1\2\3")}};
  Param const absent[] = {{"result", Value::of_text("absent")}};
  Param const error[] = {{"code", Value::of_text("unavailable")}, {"message", Value::of_text("not now")}};
  if (choice % 8 == 7) return protocol.write({.command = "ERROR", .params = error}, out);
  if (command == "GET" && choice % 8 == 6) return protocol.write({.command = "BLOB", .params = absent}, out);
  std::span<Param const> const shown = std::span{place}.first(wants_data ? 7 : 5 + choice % 2);
  std::string_view const name = command == "GET" ? "BLOB" : command == "PUT" ? "STORED" : "ATTACHED";
  protocol.write({.command = name, .params = shown}, out);
}

Told played(std::string_view bytes, std::size_t step, unsigned choice) {
  blob::StreamProtocol protocol{(choice & 8U) != 0 ? blob::Port::write : blob::Port::read};
  Told told;
  Message message;
  std::string unread;
  bool is_refused = false;
  auto const take = [&](Protocol::Piece const& piece) {
    switch (piece.kind) {
      case Protocol::Kind::need_more:
      case Protocol::Kind::nothing: break;
      case Protocol::Kind::message:
      case Protocol::Kind::begin:
        FJ_CHECK(!message.command.empty(), "a command has a name");
        told.commands.append(message.command);
        for (Param const& param : message.params())
          told.commands.append(" ").append(param.name).append(param.value.bytes);
        told.commands += '\n';
        if (piece.kind == Protocol::Kind::message) {
          ++told.asked;
          FJ_CHECK(protocol.is_answering(), "the next one waits");
          answer(protocol, message.command, message.has("data"), choice, told.out);
          FJ_CHECK(!protocol.is_answering(), "an answer is whole");
          break;
        }
        is_refused = (choice & 16U) != 0;
        if (is_refused) {
          ++told.asked;
          answer(protocol, "PUT", false, 7, told.out);
        } else {
          protocol.accepted(told.out);
        }
        break;
      case Protocol::Kind::content: told.commands += piece.content; break;
      case Protocol::Kind::end:
        told.commands += "\nend\n";
        if (is_refused) break;
        ++told.asked;
        answer(protocol, "PUT", false, choice, told.out);
        break;
      case Protocol::Kind::broken: told.commands += "\nbroken\n"; break;
      case Protocol::Kind::bad:
        ++told.asked;
        protocol.refuse(piece.status, told.out);
        break;
    }
    FJ_CHECK(!protocol.is_answering(), "each command is answered");
    told.ended = told.ended || piece.ends || protocol.ends();
  };
  while (!told.ended && !bytes.empty()) {
    std::size_t const more = std::min(step, bytes.size());
    unread += bytes.substr(0, more);
    bytes.remove_prefix(more);
    while (!told.ended) {
      Protocol::Piece const piece = protocol.read(unread, message, told.out);
      FJ_CHECK(piece.consumed <= unread.size(), "no more is consumed than is there");
      if (piece.kind == Protocol::Kind::need_more) {
        FJ_CHECK(piece.consumed == 0 && unread.size() < protocol.whole_bytes(unread), "no more is kept than was said");
        break;
      }
      take(piece);
      unread.erase(0, piece.consumed);
    }
  }
  for (int i = 0; !told.ended && i < 3; ++i) {
    Protocol::Piece const piece = protocol.end_of_input(message, told.out);
    if (piece.kind == Protocol::Kind::need_more) break;
    FJ_CHECK(i == 0, "the end is told once");
    take(piece);
  }
  return told;
}

// Of version 2: a hello, and as many replies as commands.
void check_replies(Told const& told) {
  std::string_view rest = told.out;
  FJ_CHECK(rest.size() >= bcdb::kHelloBytes && bcdb::is_hello(rest), "a hello is answered by one");
  rest.remove_prefix(bcdb::kHelloBytes);
  std::size_t replies = 1;
  bool is_last_odd = false;
  while (!rest.empty()) {
    bcdb::Reply reply;
    bcdb::Cut const cut = bcdb::read(rest, reply);
    // A frame with an unknown op gets it back, and is the last one.
    is_last_odd = cut.kind == bcdb::Cut::Kind::broken;
    if (is_last_odd) break;
    FJ_CHECK(cut.kind == bcdb::Cut::Kind::whole, "each reply is whole");
    rest.remove_prefix(cut.bytes);
    FJ_CHECK(rest.size() >= reply.content_bytes(), "with what follows it");
    rest.remove_prefix(static_cast<std::size_t>(reply.content_bytes()));
    ++replies;
  }
  FJ_CHECK(!is_last_odd || told.ended, "only the end of a connection is odd");
  FJ_CHECK(replies + (is_last_odd ? 1 : 0) == told.asked, "one reply a command");
}

void check_packets(std::string_view bytes) {
  std::string again;
  bcdb::Frame frame;
  bcdb::Cut cut = bcdb::read(bytes, frame);
  FJ_CHECK(cut.bytes <= bcdb::kFrameBytesMax, "a frame has a limit");
  if (cut.kind == bcdb::Cut::Kind::whole) {
    bcdb::write(frame, again);
    FJ_CHECK(again == bytes.substr(0, cut.bytes), "a frame is written as it came");
  }
  bcdb::Reply reply;
  cut = bcdb::read(bytes, reply);
  FJ_CHECK(cut.bytes <= bcdb::kReplyBytes + 4 + bcdb::kTextBytesMax, "a reply has a limit");
  if (cut.kind == bcdb::Cut::Kind::whole) {
    again.clear();
    bcdb::write(reply, again);
    bcdb::Reply back;
    FJ_CHECK(bcdb::read(again, back).kind == bcdb::Cut::Kind::whole && back.echo == reply.echo, "so is a reply");
  }
  if (bytes.size() == bcdb::kAskBytes) {
    again.clear();
    bcdb::write(bcdb::read_ask(bytes), again);
    FJ_CHECK(again == bytes, "so is a query");
    FJ_CHECK(bcdb::key_of_digits(bcdb::digits_of(bcdb::unpacked(bytes))) == bcdb::unpacked(bytes), "so is a key");
  }
  blob::DatagramProtocol datagrams;
  Message message;
  std::string out;
  Protocol::Piece const piece = datagrams.read(bytes, message, out);
  FJ_CHECK(piece.consumed == bytes.size(), "a datagram is whole");
  FJ_CHECK((piece.kind == Protocol::Kind::message) == (bytes.size() == bcdb::kAskBytes), "or dropped");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 2, size - 2};
  check_packets(bytes);
  Told const whole = played(bytes, SIZE_MAX, data[1]);
  Told const pieces = played(bytes, 1 + data[0] % 64, data[1]);
  // Whether the first bytes are those of another protocol is said of those that are there.
  for (Told const* const told : {&whole, &pieces})
    if (told->out.find(", and what came is ") != std::string::npos) return 0;
  FJ_CHECK(whole.commands == pieces.commands && whole.asked == pieces.asked, "the cut of the stream changes nothing");
  FJ_CHECK(whole.out == pieces.out && whole.ended == pieces.ended, "nor what is replied");
  if (bytes.size() >= bcdb::kHelloBytes && bcdb::is_hello(bytes)) check_replies(whole);
  return 0;
}
