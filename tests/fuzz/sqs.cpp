// libFuzzer target for the protocol of SQS: the first byte of the input is the size of the pieces in which the rest
// arrives, the second what the daemon answers; a third one of '{' makes the rest the body of an action, which it names
// up to a blank. Besides "no crash, no byte read outside" it checks for any input: no more is consumed than is there,
// no more wanted than whole_bytes says; what happens does not depend on how the stream was cut; each request gets one
// response, whole and of its length; an action ends; memory that is kept stays within its limits.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plugins/queue/sqs_protocol.h"
#include "tests/fuzz/conversation.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::queue::sqs;

constexpr std::size_t kPieceBytesMax = 32'768;
// Ten entries, each with a second command; a purge, or a page of queues, whose daemon says that there is more.
constexpr int kCommandsMax = 40;

struct Daemon {
  explicit Daemon(unsigned asked) : choice(asked) {}

  // What it might say: it depends on the message, on how many there were, and on one byte alone.
  void answer(Message const& message) {
    told.note(message);
    ++number;
    static constexpr char const* kCodes[] = {"wrong_state", "unknown_row", "too_large", "over_limit",
                                             "not_leased",  "not_found",   "invalid",   "not_allowed"};
    Param const error[] = {{"code", Value::of_text(kCodes[(choice + number) % 8])},
                           {"message", Value::of_text("no: \"not\" <now>")}};
    std::string const properties = R"({"a":"x","n":{"DataType":"Number","StringValue":"5"},"o":[1,{}],"sqs":)"
                                   R"({"ContentBasedDeduplication":"true","tags":{"k":"v"}}})";
    Param const sent[] = {{"message", Value::of_unsigned(8 * (1 + number % 4))},
                          {"epoch", Value::of_unsigned(9)},
                          {"queue", Value::of_text("q")},
                          {"properties", Value::of_text(properties)},
                          {(choice & 1U) != 0 ? "body" : "body_binary", Value::of_text("a <body> \x01 &")},
                          {"count", Value::of_unsigned(3)},
                          {(choice & 2U) != 0 && number % 3 != 0 ? "more" : "left", Value::of_integer(1)}};
    if (number % 4 == choice % 5)
      protocol.write({.command = "ERROR", .params = error}, told.out);
    else if (message.command == "QUEUES" && number % 3 == 0)
      protocol.write({.command = "NOTHING"}, told.out);
    else if (message.command == "QUEUES") {
      protocol.write({.command = "QUEUE", .params = sent, .is_last = false}, told.out);
      protocol.write({.command = "QUEUE", .params = sent}, told.out);
    } else if (message.command == "ACQUIRE" && number % 3 == 0)
      protocol.write({.command = "NOTHING"}, told.out);
    else if (message.command == "ACQUIRE") {
      protocol.write({.command = "MESSAGE", .params = sent, .is_last = false}, told.out);
      protocol.write({.command = "MESSAGE", .params = sent}, told.out);
    } else
      protocol.write({.command = "DONE", .params = sent}, told.out);
    FJ_CHECK(!protocol.is_answering(), "an answer is whole");
  }

  unsigned choice;
  unsigned number{0};
  SqsProtocol protocol{{.piece_bytes_max = kPieceBytesMax, .is_tls = false}, std::make_shared<Shared>()};
  fuzz::Told told;
};

fuzz::Told played(std::string_view bytes, std::size_t step, unsigned choice) {
  Daemon daemon{choice};
  bool const is_whole = fuzz::play(daemon.protocol, bytes, step, kPieceBytesMax * 3 + kValuesMax * 128, kCommandsMax,
                                   daemon.told, [&daemon](Message const& message) { daemon.answer(message); });
  FJ_CHECK(is_whole, "an action ends");
  return daemon.told;
}

// Responses stand one behind the other, each as long as it says.
void check_responses(std::string_view out) {
  while (!out.empty()) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    constexpr std::string_view kLength = "Content-Length: ";
    if (out.starts_with(kContinue)) {
      out.remove_prefix(kContinue.size());
      continue;
    }
    FJ_CHECK(out.starts_with("HTTP/1.1 "), "a response begins");
    std::size_t const head = out.find("\r\n\r\n");
    std::size_t const at = out.find(kLength);
    FJ_CHECK(head != std::string_view::npos && at < head, "it has a head and a length");
    std::size_t const length = std::strtoul(std::string{out.substr(at + kLength.size(), 20)}.c_str(), nullptr, 10);
    FJ_CHECK(out.size() >= head + 4 + length, "and as many bytes");
    out.remove_prefix(head + 4 + length);
  }
}

std::string request_of(std::string_view input) {
  if (!input.starts_with('{')) return std::string{input};
  input.remove_prefix(1);
  std::size_t const blank = std::min(input.find(' '), input.size());
  std::string_view const body = input.substr(std::min(blank + 1, input.size()));
  return "POST /0/q HTTP/1.1\r\nHost: h\r\nX-Amz-Target: AmazonSQS." + std::string{input.substr(0, blank)} +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::string const bytes = request_of({reinterpret_cast<char const*>(data) + 2, size - 2});
  fuzz::Told const whole = played(bytes, SIZE_MAX, data[1]);
  fuzz::Told const pieces = played(bytes, 1 + data[0] % 64, data[1]);
  check_responses(whole.out);
  FJ_CHECK(whole.commands == pieces.commands, "the cut of the stream changes nothing");
  // Which other protocol came is said of the bytes that are there (base/greeting.h).
  constexpr std::string_view kOther = ", and what came is ";
  bool const is_other = (whole.out + pieces.out).find(kOther) != std::string::npos;
  FJ_CHECK(is_other || whole.out == pieces.out, "nor what is told");
  FJ_CHECK(whole.ended == pieces.ended, "nor whether it ends");
  return 0;
}
