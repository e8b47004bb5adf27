#include "clients/cpp/error_text.h"

#include "base/failure.h"
#include "base/utf8.h"

namespace fastjournal::client {

std::string error_text(std::string_view given, std::size_t bytes_max) {
  std::string out;
  while (!given.empty()) {
    std::string_view rest = given;
    bool const is_carried = given.front() != '\0' && take_character(rest).has_value();
    if (!is_carried) rest = given.substr(1);
    std::string_view const piece = is_carried ? given.substr(0, given.size() - rest.size()) : std::string_view{"?"};
    if (out.size() + piece.size() > bytes_max) break;
    out += piece;
    given = rest;
  }
  while (out.ends_with('\\')) out.pop_back();
  return out;
}

void set_error(Message& command, std::string_view name, std::string_view given, std::size_t bytes_max) {
  if (!given.empty()) command.set(name, command.arena().copy(error_text(given, bytes_max)));
}

void set_failure(Message& command, std::string_view error, std::string_view error_trace) {
  set_error(command, "error", error);
  set_error(command, "error_trace", error_trace, kTraceBytesMax);
}

bool drops_trace(Message& command, Status const& refusal) {
  if (refusal.code() != Code::unknown_parameter || !command.has("error_trace")) return false;
  command.erase("error_trace");
  return true;
}

Result<Reply> report(Connection& connection, Message& command) {
  Result<Reply> reply = connection.call(command);
  if (drops_trace(command, reply.status())) return connection.call(command);
  return reply;
}

}  // namespace fastjournal::client
