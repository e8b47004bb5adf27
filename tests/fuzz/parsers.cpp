// libFuzzer target for the codecs of messages: the first byte of the input chooses text,
// JSON, msgpack, framer, base64 or the commands of a transaction, the rest is the input. Besides "no crash, no byte read
// outside" it checks two rules for any input: a written message is read back the
// same, and framing does not depend on where the stream was cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/check.h"
#include "wire/commands.h"
#include "wire/first_line.h"
#include "wire/framer.h"
#include "wire/json.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::protocol;

Outgoing outgoing_of(Message const& message) {
  return {message.from_server, message.from_service, message.server,
          message.service,     message.command,      message.params()};
}

// Every byte of what was parsed, so that a sanitizer sees a view that points nowhere.
std::string all_of(Message const& message) {
  std::string out;
  for (std::string_view part :
       {message.from_server, message.from_service, message.server, message.service, message.command})
    out.append(part).append(1, '\0');
  for (Param const& param : message.params())
    out.append(param.name).append(1, '=').append(param.value.bytes).append(1, '\0');
  return out;
}

bool only_text(Message const& message) {
  for (Param const& param : message.params())
    if (param.value.kind != Value::Kind::text) return false;
  return true;
}

void check_written_as_text(Message const& message) {
  std::string line;
  if (!append_line(outgoing_of(message), line).ok()) {
    FJ_CHECK(line.empty(), "a refusal appends nothing");
    return;
  }
  FJ_CHECK(line.find('\n') == line.size() - 1, "one line ends in the one LF it has");
  line.pop_back();
  Message again;
  FJ_CHECK(parse_line(line, again).ok(), "what was written can be read");
  FJ_CHECK(again.command == message.command && again.service == message.service, "it says the same");
  FJ_CHECK(again.params().size() == message.params().size(), "it says as much");
  if (!only_text(message)) return;
  for (Param const& param : message.params()) FJ_CHECK(again.text(param.name) == param.value.bytes, "values come back");
}

// The server asks line_bytes before it does anything whether an answer could repeat a value.
void check_repeated(Message const& message) {
  for (Param const& param : message.params()) {
    Param const alone[] = {{"request", param.value}};
    std::string line;
    bool const written = append_line({.command = "ERROR", .params = alone}, line).ok();
    FJ_CHECK(line_bytes(param.value).has_value() == written, "what is said to fit a line does");
    FJ_CHECK(!written || line.size() <= *line_bytes(param.value) + 17, "and is no longer than was said");
  }
}

void check_written_as_frame(Message const& message) {
  std::string frame;
  append_frame(outgoing_of(message), frame);
  Message again;
  FJ_CHECK(parse_frame(std::string_view{frame}.substr(kFrameHeaderBytes), again).ok(), "what was written can be read");
  FJ_CHECK(all_of(again) == all_of(message), "a frame says the same");
}

// Whatever a request of HTTP reads as, it is no first line of ours.
void check_request(std::string_view bytes) {
  std::string const request = std::string{bytes.substr(0, bytes.find('\n'))} + " HTTP/1.1";
  Message message;
  if (!parse_line(request, message).ok()) return;
  FJ_CHECK(!check_first_line(request, message).ok(), "a request is told from a message");
}

void read_line(std::string_view bytes) {
  check_request(bytes);
  Message message;
  if (!parse_line(bytes, message).ok() || message.command.empty()) return;
  static_cast<void>(all_of(message));
  check_written_as_text(message);
}

void read_json(std::string_view bytes) {
  Message message;
  if (!parse_json(bytes, message).ok()) return;
  check_repeated(message);
  check_written_as_text(message);
  check_written_as_frame(message);
  std::string written;
  append_json(outgoing_of(message), written);
  Message again;
  Status const status = parse_json(written, again);
  FJ_CHECK(status.ok() || written.find("null") != std::string::npos, "what was written is JSON");
}

void read_frame(std::string_view bytes) {
  Message message;
  if (!parse_frame(bytes, message).ok()) return;
  check_repeated(message);
  check_written_as_frame(message);
  check_written_as_text(message);
}

struct Cut {
  std::vector<std::string> pieces;
  std::size_t consumed{0};
};

// What the framer makes of the stream when it arrives `step` bytes at a time.
Cut cut(std::string_view stream, std::size_t step) {
  constexpr FrameLimits kLimits{.line_bytes_max = 24, .frame_bytes_max = 32};
  Framer framer{kLimits};
  Cut out;
  for (std::size_t end = 0; end < stream.size();) {
    end = std::min(stream.size(), end + step);
    for (;;) {
      std::string_view const unread = stream.substr(out.consumed, end - out.consumed);
      // A buffer of its own: a byte read behind the end is seen.
      std::unique_ptr<char[]> const exact{new char[unread.size()]};
      if (!unread.empty()) std::memcpy(exact.get(), unread.data(), unread.size());
      Framer::Piece const piece = framer.next({exact.get(), unread.size()});
      FJ_CHECK(piece.consumed <= unread.size(), "only what is there is consumed");
      out.consumed += piece.consumed;
      if (piece.kind == Framer::Kind::need_more) break;
      FJ_CHECK(piece.consumed > 0, "a piece takes bytes");
      out.pieces.push_back(piece.kind == Framer::Kind::bad ? piece.status.text() : std::string{piece.bytes});
    }
  }
  return out;
}

void read_stream(std::string_view bytes) {
  if (bytes.empty()) return;
  std::size_t const step = static_cast<std::uint8_t>(bytes.front()) % 13U + 1U;
  bytes.remove_prefix(1);
  Cut const whole = cut(bytes, bytes.size() + 1);
  FJ_CHECK(cut(bytes, 1).pieces == whole.pieces, "byte by byte gives the same");
  FJ_CHECK(cut(bytes, step).pieces == whole.pieces, "in steps gives the same");
}

void read_base64(std::string_view text) {
  std::string bytes;
  if (!decode_base64(text, bytes)) return;
  std::string again;
  append_base64(bytes, again);
  FJ_CHECK(again == text, "each value has one spelling");
}

void read_transaction(std::string_view bytes) {
  constexpr std::size_t kMost = 5;
  for (Value const& value : {Value::of_text(bytes), Value::of_binary(bytes)}) {
    std::string decoded;
    std::vector<Message> commands;
    if (!read_commands(value, kMost, decoded, commands).ok()) continue;
    FJ_CHECK(!commands.empty() && commands.size() <= kMost, "as many as may be");
    for (Message const& command : commands) static_cast<void>(all_of(command));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  // Exactly as long as the input, so that a byte read behind it is seen.
  std::vector<char> const copy(data + 1, data + size);
  std::string_view const bytes{copy.data(), copy.size()};
  switch (data[0] % 6U) {
    case 0: read_line(bytes); break;
    case 1: read_json(bytes); break;
    case 2: read_frame(bytes); break;
    case 3: read_stream(bytes); break;
    case 4: read_base64(bytes); break;
    default: read_transaction(bytes); break;
  }
  return 0;
}
