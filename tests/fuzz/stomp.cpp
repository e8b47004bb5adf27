// libFuzzer target for STOMP: the first byte of the input is the size of the pieces in which the rest arrives, the second what
// the daemon answers, and whether the connection is connected already. Besides "no crash, no byte read outside" it checks for
// any input: no more is consumed than is there, no more wanted than whole_bytes says; what happens does not depend on how the
// stream was cut; each command is answered once, and nothing is read behind an error; every byte that is written is part of a
// frame that its reader reads; memory that is kept stays within its limits.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/queue/stomp_frame.h"
#include "plugins/queue/stomp_protocol.h"
#include "tests/fuzz/conversation.h"
#include "wire/commands.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::queue::stomp;

constexpr std::size_t kFrameBytesMax = 4'096;
constexpr std::size_t kKeptMax =
    kTransactionBytesMax + 4 * kFrameBytesMax + kSubscriptionsMax * (1'024 * 24 + 8'192) + 4'096;

struct Daemon {
  explicit Daemon(unsigned asked) : choice(asked) {}

  // What it might say: it depends on the message and on one byte alone.
  void answer(Message const& message) {
    told.note(message);
    if (Value const* const commands = message.find("commands")) check_transaction(*commands);
    Param const error[] = {{"code", Value::of_text((choice & 1U) != 0 ? "not_allowed" : "over_limit")},
                           {"message", Value::of_text("no: not now")}};
    Param const rights[] = {{"user", Value::of_text("ann")},
                            {"rights", Value::of_text((choice & 1U) != 0 ? "add work" : "add work manage")},
                            {"connection", Value::of_unsigned(7)}};
    bool const fails = choice % 8 > 5 && message.params().size() % 4 == choice % 4;
    if (fails)
      protocol.write({.command = "ERROR", .params = error}, told.out);
    else if (message.command == "RIGHTS")
      protocol.write({.command = "RIGHTS", .params = rights}, told.out);
    else {
      if (message.command == "TRANSACTION") protocol.write({.command = "COMMITTED", .is_last = false}, told.out);
      protocol.write({.command = "DONE"}, told.out);
    }
    FJ_CHECK(!protocol.is_answering(), "an answer is whole");
    if (message.command == "LISTEN" && !protocol.ends()) deliver(message);
  }

  // Of what was asked for, with the fuzzer's own bytes as body and properties.
  void deliver(Message const& listen) {
    std::string_view const queue = listen.text("queue");
    std::string const properties =
        "{\"a\":\"" + std::string{queue} + "\",\"b\":[1,{}],\"c\":" + std::string{queue} + "}";
    Param const params[] = {{"message", Value::of_unsigned(5)},
                            {"epoch", Value::of_unsigned(9)},
                            {"queue", Value::of_text(queue)},
                            {"exchange", Value::of_text((choice & 2U) != 0 ? "topic" : "")},
                            {"routing_key", Value::of_text(queue)},
                            {"properties", Value::of_text(properties)},
                            {"body", Value::of_text(queue)},
                            {"priority", Value::of_integer(static_cast<std::int64_t>(choice))},
                            {"redelivered", Value::of_integer((choice & 4U) != 0 ? 1 : 0)}};
    for (int i = 0; i < 3; ++i) protocol.write({.command = "MESSAGE", .params = params, .is_push = true}, told.out);
  }

  static void check_transaction(Value const& commands) {
    std::vector<Message> read;
    std::string decoded;
    FJ_CHECK(protocol::read_commands(commands, kTransactionCommandsMax, decoded, read).ok(), "a transaction is read");
  }

  unsigned choice;
  StompProtocol protocol{kFrameBytesMax};
  fuzz::Told told;
};

fuzz::Told played(std::string_view bytes, std::size_t step, unsigned choice) {
  Daemon daemon{choice};
  std::string all;
  if ((choice & 128U) != 0) all = std::string{"CONNECT\naccept-version:1.2\n\n"} + '\0';
  all += bytes;
  bool const is_whole = fuzz::play(daemon.protocol, all, step, kKeptMax, INT_MAX, daemon.told,
                                   [&daemon](Message const& message) { daemon.answer(message); });
  FJ_CHECK(is_whole, "all of it was read");
  FJ_CHECK(daemon.told.bad == 0 || daemon.told.ended, "an error is the end");
  return daemon.told;
}

void check_frames(std::string_view rest, Version version) {
  FrameReader reader{SIZE_MAX};
  Frame frame;
  while (!rest.empty()) {
    FrameReader::Cut const cut = reader.next(rest, version, frame);
    FJ_CHECK(cut.kind == FrameReader::Kind::frame, "each frame is whole");
    if (frame.command == "CONNECTED")
      version = frame.text("version") == "1.0"   ? Version::v1_0
                : frame.text("version") == "1.1" ? Version::v1_1
                                                 : Version::v1_2;
    rest.remove_prefix(cut.bytes);
    reader.taken();
  }
}

// What is read of any bytes is written so that it is read again.
void check_frame(std::string_view bytes) {
  for (Version const version : {Version::v1_0, Version::v1_1, Version::v1_2}) {
    FrameReader reader{kFrameBytesMax};
    Frame frame;
    if (reader.next(bytes, version, frame).kind != FrameReader::Kind::frame || frame.command.ends_with('\r')) continue;
    std::vector<Header> headers;
    for (Header const& header : frame.headers)
      if (header.name != "content-length") headers.push_back(header);
    std::string out;
    append_frame(frame.command, headers, frame.body, version, out);
    FrameReader again{SIZE_MAX};
    Frame back;
    FJ_CHECK(again.next(out, version, back).kind == FrameReader::Kind::frame, "it is read again");
    FJ_CHECK(back.command == frame.command && back.body == frame.body, "as it was");
    if (version == Version::v1_2 && frame.command != "CONNECT" && frame.command != "STOMP" &&
        frame.command != "CONNECTED")
      for (Header const& header : headers) FJ_CHECK(back.find(header.name) == header.value, "with its headers");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 2, size - 2};
  check_frame(bytes);
  fuzz::Told const whole = played(bytes, SIZE_MAX, data[1]);
  fuzz::Told const pieces = played(bytes, 1 + data[0] % 64, data[1]);
  FJ_CHECK(whole.commands == pieces.commands, "the cut of the stream changes nothing");
  FJ_CHECK(whole.out == pieces.out && whole.ended == pieces.ended, "nor what is told");
  check_frames(whole.out, Version::v1_0);
  return 0;
}
