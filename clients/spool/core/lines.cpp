#include "clients/spool/core/lines.h"

#include <algorithm>

#include "fastjournal/protocol.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::spool {
namespace {

bool is_filler(char c) { return c == '\n' || c == '\0'; }

}  // namespace

Found find_line(std::string_view bytes, std::size_t from, bool is_settled) {
  std::size_t damaged = 0;
  for (std::size_t at = from;;) {
    while (at < bytes.size() && is_filler(bytes[at])) ++at;
    std::size_t const end = bytes.find('\n', at);
    std::size_t const size = std::min(end, bytes.size()) - at;
    if (end != std::string_view::npos && size <= kLineBytesMax)
      return {Found::Kind::record, at, end + 1, bytes.substr(at, size), damaged};
    bool const is_open = end == std::string_view::npos && !is_settled && size <= kLineBytesMax;
    if (is_open && size > 0) return {Found::Kind::unfinished, at, at, {}, damaged};
    damaged += size;
    if (end == std::string_view::npos) return {Found::Kind::nothing, bytes.size(), bytes.size(), {}, damaged};
    at = end;
  }
}

Status read_line(std::string_view line, std::string_view command, Message& row, std::string& frame) {
  std::string const text = std::string{command} + " " + std::string{line};
  if (Status status = protocol::parse_line(text, row); !status.ok()) return status;
  row.own();
  if (row.command != command || row.params().empty())
    return {Code::invalid, "this is no line of parameters, name=value;name=value"};
  for (std::string_view const name : {"client", "sequence", "request"})
    if (row.has(name))
      return Status{Code::bad_parameter, "the forwarder sets " + std::string{name}}.with("parameter",
                                                                                         std::string{name});
  frame.clear();
  protocol::append_frame({.command = row.command, .params = row.params()}, frame);
  frame.erase(0, protocol::kFrameHeaderBytes);
  return {};
}

}  // namespace fastjournal::spool
