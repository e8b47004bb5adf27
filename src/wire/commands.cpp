#include "wire/commands.h"

#include "base/base64.h"
#include "wire/framer.h"
#include "wire/http_json.h"
#include "wire/msgpack.h"

namespace fastjournal::protocol {
namespace {

Status with_number(Status status, std::size_t number) { return std::move(status).with("op", std::to_string(number)); }

Status read_frames(std::string_view frames, std::size_t most, std::vector<Message>& into) {
  // They are part of a message that was within the limits.
  Framer framer{{.line_bytes_max = frames.size(), .frame_bytes_max = frames.size()}};
  while (!frames.empty()) {
    Framer::Piece const piece = framer.next(frames);
    if (piece.kind != Framer::Kind::frame)
      return with_number({Code::invalid, "commands is no row of whole frames, each a message"}, into.size() + 1);
    if (into.size() == most)
      return {Code::over_limit, "a transaction has at most " + std::to_string(most) + " commands"};
    if (Status status = parse_frame(piece.bytes, into.emplace_back()); !status.ok())
      return with_number(std::move(status), into.size());
    frames.remove_prefix(piece.consumed);
  }
  return into.empty() ? Status{Code::bad_parameter, "commands is empty, expected at least one"} : Status{};
}

}  // namespace

Status read_commands(Value const& value, std::size_t most, std::string& decoded, std::vector<Message>& into) {
  into.clear();
  if (value.kind == Value::Kind::binary) return read_frames(value.bytes, most, into);
  std::size_t const begin = value.bytes.find_first_not_of(" \t\r\n");
  if (value.kind != Value::Kind::text || begin == std::string_view::npos || value.bytes[begin] == '[' ||
      !decode_base64(value.bytes, decoded))
    return parse_commands(value.bytes, most, into);
  return read_frames(decoded, most, into);
}

}  // namespace fastjournal::protocol
