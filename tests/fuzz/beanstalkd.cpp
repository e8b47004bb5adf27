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

#include "plugins/queue/beanstalk_protocol.h"
#include "tests/fuzz/conversation.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::queue::beanstalk;

constexpr std::size_t kPieceBytesMax = 4'096;
constexpr int kCommandsOfLineMax = 8;

struct Daemon {
  explicit Daemon(unsigned asked) : choice(asked) {}

  // What it might say: it depends on the message, on how many there were, and on one byte alone.
  void answer(Message const& message) {
    told.note(message);
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
  fuzz::Told told;
};

fuzz::Told played(std::string_view bytes, std::size_t step, unsigned choice) {
  Daemon daemon{choice};
  std::size_t const kept_max = kWatchedBytesMax + kWatchedMax * 64 + bytes.size() * 200 + 8'192;
  // A wait without end, and pages, go on as long as the daemon says so: the rest is not read then.
  bool const is_whole = fuzz::play(daemon.protocol, bytes, step, kept_max, kCommandsOfLineMax, daemon.told,
                                   [&daemon](Message const& message) { daemon.answer(message); });
  FJ_CHECK(daemon.told.bad == 0, "nothing is bad");
  if (!is_whole) return daemon.told;
  std::uint32_t using_it = 0;
  for (auto const& [name, tube] : daemon.tubes->all()) {
    using_it += tube.using_it;
    FJ_CHECK(tube.watching <= 1 && tube.waiting <= tube.watching, "one connection watches a tube once");
  }
  FJ_CHECK(using_it == 1, "one connection uses one tube");
  return daemon.told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 2, size - 2};
  fuzz::Told const whole = played(bytes, SIZE_MAX, data[1]);
  fuzz::Told const pieces = played(bytes, 1 + data[0] % 64, data[1]);
  FJ_CHECK(whole.commands == pieces.commands, "the cut of the stream changes nothing");
  // Figures of the process are in the answer to stats.
  bool const has_figures = whole.out.find("rusage-") != std::string::npos;
  FJ_CHECK(has_figures || whole.out == pieces.out, "nor what is told");
  FJ_CHECK(whole.ended == pieces.ended, "nor whether it ends");
  return 0;
}
