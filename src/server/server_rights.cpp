// Who may do what: each command has a right, and a connection has those of the listener that it came by. No right
// includes another, so that rights="add" is a letter box. HELP and ALIVE need none: every service must answer them.
#include <algorithm>

#include "server/server.h"

namespace fastjournal::server {

Server::Speaker Server::speaker_of(Session const& session, ConnectionId connection) {
  std::string_view door = listener_of(session).address;
  if (session.link) door = session.communicator ? "the communicatord" : "a connection that the daemon made";
  return {.connection = connection,
          .worker = session.worker,
          .origin = origin_of(session),
          .rights = session.rights,
          .door = door};
}

Status Server::check_right(Speaker const& speaker, Right right, std::string_view command) const {
  if (speaker.rights.has(right)) return {};
  auto const administrators =
      std::find_if(listeners_.begin(), listeners_.end(), [](Listener const& one) { return one.is_administrators(); });
  std::string text = std::string{command} + " needs the right " + std::string{name_of(right)} + "; whoever comes by " +
                     std::string{speaker.door} + " has " + speaker.rights.names() + ": ";
  if (administrators != listeners_.end())
    text += "use the administrator's socket, " + administrators->address + ", or ";
  text += "have it in rights=\"...\" of a <listen> or <socket>";
  return Status{Code::not_allowed, std::move(text)}.with("right", std::string{name_of(right)});
}

Status Server::check_right(Session const& session, SystemCommand const& command) {
  if (!command.right || (command.life_cycle && session.communicator)) return {};
  // A row listener takes no work from others, and sees rows.
  bool const watches = command.handler == &Server::on_listen && message_.text("mode") == "row";
  return check_right(speaker_of(session, session.id), watches ? Right::read : *command.right, command.name);
}

}  // namespace fastjournal::server
