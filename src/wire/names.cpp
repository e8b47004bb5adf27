#include "wire/names.h"

#include <string>

#include "fastjournal/limits.h"
#include "wire/text.h"

namespace fastjournal::protocol {
namespace {

Status too_long(std::string_view what, std::size_t size, std::size_t most) {
  return {Code::too_large, std::string{what} + " has " + std::to_string(size) + " bytes: at most " +
                               std::to_string(most) + " are taken, as answers repeat it"};
}

}  // namespace

Status check_echo(std::string_view name, Value const& value, std::size_t bytes_max) {
  if (value.bytes.size() > bytes_max)
    return too_long(name, value.bytes.size(), bytes_max).with("parameter", std::string{name});
  if (line_bytes(value)) return {};
  return Status{Code::bad_parameter, std::string{name} +
                                         " cannot be repeated in a line of text, whichever way it came: a NUL, or a "
                                         "last backslash behind a ';' or a first '\"'; choose another"}
      .with("parameter", std::string{name});
}

Status check_head_names(Message const& message) {
  if (message.command.size() > kCommandBytesMax)
    return too_long("the command's name", message.command.size(), kCommandBytesMax);
  if (message.from_service.empty() && message.from_server.empty()) return {};
  std::size_t const sender = message.from_server.size() + message.from_service.size();
  if (sender > kSenderBytesMax) return too_long("the sender (server and service together)", sender, kSenderBytesMax);
  if (message.from_service.empty()) return {};  // then an answer is addressed to no service
  std::string scratch;
  Outgoing const answer{.server = message.from_server, .service = message.from_service, .command = "ERROR"};
  if (append_line(answer, scratch).ok()) return {};
  return {Code::invalid, "the sender's name cannot be a receiver's: an answer to it could not be written"};
}

}  // namespace fastjournal::protocol
