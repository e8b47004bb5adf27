#include "server/listeners.h"

#include <algorithm>

namespace fastjournal::server {

// Without a word about rights: none would help.
Status Listeners::out_of_reach(Speaker const& speaker, std::string_view command, std::string_view table) {
  std::string text =
      std::string{command} + (table.empty() ? " is not about one table" : " on table " + std::string{table});
  text += ": connections that come by " + std::string{speaker.door} + " are for table " + std::string{speaker.bound} +
          " only; use another address or socket";
  Status status = Status{Code::not_allowed, std::move(text)}.with("bound", std::string{speaker.bound});
  return table.empty() ? status : std::move(status).with("table", std::string{table});
}

std::string Listener::text() const {
  std::string out = address + " (" + protocol;
  if (!table.empty()) out += ", table " + table;
  return out + ", rights " + rights.names() + ")";
}

std::vector<std::string> Listeners::texts() const {
  std::vector<std::string> out;
  for (auto const& listener : listeners_)
    if (!listener->address.empty()) out.push_back(listener->text());
  out.insert(out.end(), datagrams_.begin(), datagrams_.end());
  return out;
}

Status Listeners::refusal(Speaker const& speaker, std::string_view needed, std::string_view command,
                          std::string_view table) const {
  if (table.empty() ? !speaker.bound.empty() : !speaker.permit().reaches(table))
    return out_of_reach(speaker, command, table);
  auto const administrators =
      std::find_if(listeners_.begin(), listeners_.end(), [](auto const& one) { return one->is_administrators(); });
  std::string text = std::string{command} + " needs the right " + std::string{needed};
  if (speaker.user == nullptr) {
    text += "; whoever comes by " + std::string{speaker.door} + " has " + speaker.rights.names() + ": ";
  } else {
    if (!table.empty()) text += " on table " + std::string{table};
    Rights const has = table.empty() ? speaker.rights : access::united(speaker.rights, speaker.user->on(table));
    text += "; user " + speaker.user->name + ", who came by " + std::string{speaker.door} + ", has " + has.names() +
            (table.empty() ? " on all tables: " : " there: ");
  }
  if (administrators != listeners_.end())
    text += "use the administrator's socket, " + (*administrators)->address + ", or ";
  if (speaker.user != nullptr)
    text += "have it in rights=\"...\" of the user";
  else if (has_users_)
    text += "log in (AUTH) as a user who has it";
  else
    text += "have it in rights=\"...\" of a <listen> or <socket>";
  Status status = Status{Code::not_allowed, std::move(text)}.with("right", std::string{needed});
  if (speaker.user == nullptr) return status;
  if (!table.empty()) status = std::move(status).with("table", std::string{table});
  return std::move(status).with("user", speaker.user->name);
}

}  // namespace fastjournal::server
