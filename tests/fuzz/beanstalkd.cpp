// libFuzzer target for the protocol of beanstalkd: the first byte of the input is the size of the pieces in which the rest
// arrives, the second what the daemon answers. Besides "no crash, no byte read outside" it checks for any input: no more is
// consumed than is there, no more wanted than whole_bytes says; what happens does not depend on how the stream was cut; each
// line of commands ends, and memory that is kept stays within its limits; figures of tubes are those of one connection.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fastjournal/message.h"
#include "plugins/queue/beanstalk_protocol.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::queue::beanstalk;

constexpr std::size_t kPieceBytesMax = 4'096;
constexpr int kCommandsOfLineMax = 8;

struct Told {
  std::string commands;  // one a line
  std::string out;
  bool ended{false};
};

struct Daemon {
  explicit Daemon(unsigned asked) : choice(asked) {}

  // What it might say: it depends on the message, on how many there were, and on one byte alone.
  void answer(Message const& message) {
    FJ_CHECK(!message.command.empty(), "a command has a name");
    told.commands.append(message.command);
    for (Param const& param : message.params()) told.commands.append(" ").append(param.name).append(param.value.bytes);
    told.commands += '\n';
    ++number;
    static constexpr char const* kCodes[] = {"wrong_state", "unknown_row", "too_large", "over_limit",
                                             "not_leased",  "not_found",   "invalid",   "not_allowed"};
    Param const error[] = {{"code", Value::of_text(kCodes[(choice + number) % 8])},
                           {"message", Value::of_text("no: not now")}};
    Param const job[] = {{"message", Value::of_unsigned(8 * (1 + number % 4))},
                         {"epoch", Value::of_unsigned(9)},
                         {"queue", Value::of_text("default")},
                         {"status", Value::of_text((choice & 2U) != 0 ? "waiting" : "acquired")},
                         {"body_binary", Value::of_binary("a body")}};
    Param const queue[] = {{"queue", Value::of_text("tube")},
                           {"messages", Value::of_unsigned(choice % 3)},
                           {"due", Value::of_unsigned(choice % 2)},
                           {(choice & 4U) != 0 ? "paused" : "parked", Value::of_integer(1)}};
    Param const after[] = {{"queue", Value::of_text("tube")}, {"after", Value::of_text("tube")}};
    Param const kicked[] = {{"count", Value::of_unsigned(1)}, {"more", Value::of_integer(1)}};
    bool const is_list = message.command == "QUEUES";
    if (number % 4 == choice % 5)
      protocol.write({.command = "ERROR", .params = error}, told.out);
    else if (is_list && number % 3 == 0)
      protocol.write({.command = "NOTHING"}, told.out);
    else if (is_list) {
      protocol.write({.command = "QUEUE", .params = queue, .is_last = false}, told.out);
      protocol.write({.command = "QUEUE", .params = number % 2 == 0 ? std::span<Param const>{after} : queue}, told.out);
    } else if (message.command == "KICK" && message.has("queue"))
      protocol.write(
          {.command = "KICKED", .params = number % 2 == 0 ? std::span<Param const>{kicked} : std::span<Param const>{}},
          told.out);
    else if (message.command == "ACQUIRE" && number % 3 == 0)
      protocol.write({.command = "NOTHING", .params = number % 2 == 0 ? std::span<Param const>{} : lease}, told.out);
    else if (message.command == "ACQUIRE" || message.command == "READ" || message.command == "PEEK")
      protocol.write({.command = "MESSAGE", .params = job}, told.out);
    else
      protocol.write({.command = "DONE", .params = job}, told.out);
    FJ_CHECK(!protocol.is_answering(), "an answer is whole");
  }

  static constexpr Param lease[] = {{"lease_end", Value{}}};
  unsigned choice;
  unsigned number{0};
  std::shared_ptr<Tubes> tubes{std::make_shared<Tubes>()};
  BeanstalkProtocol protocol{kPieceBytesMax, tubes};
  Told told;
};

Told played(std::string_view bytes, std::size_t step, unsigned choice) {
  Daemon daemon{choice};
  Told& told = daemon.told;
  Message message;
  std::string unread;
  std::size_t const kept_max = kWatchedBytesMax + kWatchedMax * 64 + bytes.size() * 200 + 8'192;
  int of_line = 0;
  do {
    std::size_t const more = std::min(step, bytes.size());
    unread += bytes.substr(0, more);
    bytes.remove_prefix(more);
    while (!told.ended) {
      Protocol::Piece const piece = daemon.protocol.read(unread, message, told.out);
      FJ_CHECK(piece.consumed <= unread.size(), "no more is consumed than is there");
      if (piece.kind == Protocol::Kind::need_more) {
        FJ_CHECK(piece.consumed == 0 && unread.size() < daemon.protocol.whole_bytes(unread),
                 "no more is kept than was said");
        break;
      }
      FJ_CHECK(piece.kind == Protocol::Kind::message || piece.kind == Protocol::Kind::nothing, "nothing is bad");
      of_line = piece.consumed > 0 ? 0 : of_line + 1;
      // A wait without end, and pages, go on as long as the daemon says so.
      if (of_line > kCommandsOfLineMax) return told;
      if (piece.kind == Protocol::Kind::message) daemon.answer(message);
      FJ_CHECK(daemon.protocol.kept_bytes() <= kept_max, "what is kept has a limit");
      told.ended = piece.ends || daemon.protocol.ends();
      unread.erase(0, piece.consumed);
    }
  } while (!told.ended && !bytes.empty());
  std::uint32_t using_it = 0;
  for (auto const& [name, tube] : daemon.tubes->all()) {
    using_it += tube.using_it;
    FJ_CHECK(tube.watching <= 1 && tube.waiting <= tube.watching, "one connection watches a tube once");
  }
  FJ_CHECK(using_it == 1, "one connection uses one tube");
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 2, size - 2};
  Told const whole = played(bytes, SIZE_MAX, data[1]);
  Told const pieces = played(bytes, 1 + data[0] % 64, data[1]);
  FJ_CHECK(whole.commands == pieces.commands, "the cut of the stream changes nothing");
  // Figures of the process are in the answer to stats.
  bool const has_figures = whole.out.find("rusage-") != std::string::npos;
  FJ_CHECK(has_figures || whole.out == pieces.out, "nor what is told");
  FJ_CHECK(whole.ended == pieces.ended, "nor whether it ends");
  return 0;
}
