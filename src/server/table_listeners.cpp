#include "server/table_listeners.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fastjournal::server {
namespace {

using Running = TableListeners::Running;

// With its scheme, as those who connect write it.
std::string shown(Running const& one) {
  return one.listener.address.empty() ? one.declared.address : one.listener.address;
}

Running const* at_address(std::vector<Running> const& all, Running const& one) {
  auto const found = std::ranges::find_if(all, [&one](Running const& other) {
    return !one.declared.is_at_any_port() && other.declared.address == one.declared.address;
  });
  return found == all.end() ? nullptr : &*found;
}

// Empty: it is one of the daemon's own protocols, or one that the table's type brings.
std::string why_not_spoken(engine::TableTypes const& types, engine::Declarations const& tables,
                           access::ListenDeclaration const& one) {
  if (one.speaks_messages() || one.speaks_http() || one.table.empty()) return {};
  auto const table =
      std::ranges::find_if(tables, [&one](engine::Declaration const& known) { return known->name == one.table; });
  if (table == tables.end()) return {};
  auto const type = types.find((*table)->type);
  if (type == types.end()) return {};
  std::string expected = "messages, http";
  bool is_known = false;
  bool has_login = false;
  for (ProtocolDeclaration const& protocol : type->second->declaration()->protocols) {
    expected += ", " + protocol.name;
    if (protocol.name != one.protocol) continue;
    is_known = true;
    has_login = protocol.has_login;
  }
  if (!is_known)
    return "protocol \"" + one.protocol + "\" is not one of table " + one.table + ", which is of type " +
           (*table)->type + "; expected one of " + expected;
  if (one.rights.is_empty() && !one.tls && !has_login)
    return "nobody can log in by protocol \"" + one.protocol +
           "\", and rights is empty; expected rights, or tls=\"true\" and certificates of clients";
  return {};
}

}  // namespace

Status check_listeners(engine::TableTypes const& types, engine::Declarations const& tables,
                       std::vector<access::ListenDeclaration> const& own,
                       std::vector<access::ListenDeclaration> const& of_tables) {
  std::string problems;
  auto const add = [&problems](std::string const& problem) {
    problems.append(problems.empty() ? "" : "\n").append(problem);
  };
  auto const is_declared = [&tables](std::string const& name) {
    return std::ranges::any_of(tables, [&name](engine::Declaration const& table) { return table->name == name; });
  };
  for (access::ListenDeclaration const& one : own)
    if (!one.table.empty() && !is_declared(one.table))
      add(one.place + ": no table \"" + one.table +
          "\" is declared; expected the name of a table, whose file stays in " +
          "the tables folder as long as this listener is declared");
  auto const check_protocol = [&](access::ListenDeclaration const& one) {
    if (std::string const why = why_not_spoken(types, tables, one); !why.empty()) add(one.place + ": " + why);
  };
  std::ranges::for_each(own, check_protocol);
  std::ranges::for_each(of_tables, check_protocol);
  std::vector<access::ListenDeclaration const*> before;
  auto const add_if_twice = [&](access::ListenDeclaration const& one) {
    if (one.address.empty()) return;
    auto const other = std::ranges::find_if(
        before, [&one](auto const* known) { return !one.is_at_any_port() && known->address == one.address; });
    if (other != before.end()) {
      std::string const where = (*other)->place.empty() ? "the command line, or the daemon itself" : (*other)->place;
      add((one.place.empty() ? std::string{"the command line"} : one.place) + ": " + one.address +
          " is taken already by " + where + "; expected each address once");
    }
    before.push_back(&one);
  };
  for (access::ListenDeclaration const& one : own) add_if_twice(one);
  for (access::ListenDeclaration const& one : of_tables) add_if_twice(one);
  if (of_tables.size() > kTableListenersMax)
    add(of_tables[kTableListenersMax].place + ": more than " + std::to_string(kTableListenersMax) +
        " elements <listen> and <socket> in the files of all tables, expected at most that");
  return problems.empty() ? Status{} : Status{Code::bad_configuration, problems};
}

TableListeners::Declared TableListeners::with_one(std::string_view table, Declared const& next) const {
  Declared out;
  for (Running const& one : running_)
    if (one.declared.table != table) out.push_back(one.declared);
  for (access::ListenDeclaration const& one : next)
    if (one.table == table) out.push_back(one);
  return out;
}

TableListeners::Next TableListeners::compare(Declared const& next) const {
  Next out;
  out.gone = running_;
  for (access::ListenDeclaration const& declared : next) {
    auto const same =
        std::ranges::find_if(out.gone, [&declared](Running const& one) { return one.declared.is_as(declared); });
    if (same == out.gone.end()) {
      out.fresh.push_back({.declared = declared, .listener = {}});
      continue;
    }
    out.kept.push_back(std::move(*same));
    out.kept.back().declared.place = declared.place;
    out.gone.erase(same);
  }
  return out;
}

void TableListeners::tell_changes(Next& next) {
  for (Running const& one : next.gone) {
    bool const is_changed = at_address(next.fresh, one) != nullptr;
    next.changes.push_back("table " + one.declared.table + ": " +
                           (is_changed ? "another listener on " + shown(one) + ", connections of the old one end"
                                       : "does not listen on " + shown(one) + " any more, its connections end"));
  }
  for (Running const& one : next.fresh)
    if (at_address(next.gone, one) == nullptr)
      next.changes.push_back("table " + one.declared.table + ": listens on " + shown(one));
}

bool TableListeners::is_ours(std::string_view address) const {
  return std::ranges::any_of(running_, [address](Running const& one) { return one.declared.address == address; });
}

Result<std::vector<std::string>> TableListeners::preview(Declared const& next) const {
  Next out = compare(next);
  for (Running const& one : out.fresh) {
    if (is_ours(one.declared.address)) continue;
    if (Status const status = host_.can_listen(one.declared); !status.ok())
      return Status{status.code(), one.declared.place + ": " + status.message()};
  }
  tell_changes(out);
  return out.changes;
}

Result<TableListeners::Next> TableListeners::open(Declared const& next) {
  Next out = compare(next);
  std::vector<Running> opened;
  for (Running& one : out.fresh) {
    one.number = free_number(opened);
    Result<Listener> listener = host_.open_listener(one.number, one.declared);
    if (!listener.ok()) {
      for (Running const& before : opened) network_.stop_listening(before.number);
      return Status{listener.status().code(), one.declared.place + ": " + listener.status().message()};
    }
    one.listener = std::move(listener).value();
    opened.push_back(one);
  }
  out.fresh = std::move(opened);
  tell_changes(out);
  return out;
}

// Not that of a connection whose listener is gone either: it has rights by its number.
std::uint32_t TableListeners::free_number(std::vector<Running> const& taken) const {
  std::set<std::uint32_t> used;
  for (Running const& one : taken) used.insert(one.number);
  connections_.sessions.for_each([&used](Session const& session) { used.insert(session.listener); });
  std::uint32_t number = 1;
  while (used.contains(number) || !connections_.listeners.of(number).address.empty()) ++number;
  return number;
}

void TableListeners::use(Next next) {
  for (Running const& one : next.gone) network_.stop_listening(one.number);
  end_connections(next.gone);
  for (Running const& one : next.gone) connections_.listeners.remove(one.number);
  running_ = std::move(next.kept);
  for (Running& one : next.fresh) {
    connections_.listeners.add(one.number, one.listener);
    running_.push_back(std::move(one));
  }
}

void TableListeners::drop(Next const& next) {
  for (Running const& one : next.fresh) network_.stop_listening(one.number);
}

void TableListeners::end_connections(std::vector<Running> const& gone) {
  std::vector<Session*> ended;
  connections_.sessions.for_each([&](Session& session) {
    bool const is_of_it = std::ranges::any_of(gone, [&](Running const& one) { return one.number == session.listener; });
    if (is_of_it && !session.life.is_ending()) ended.push_back(&session);
  });
  std::ranges::sort(ended, {}, &Session::id);
  for (Session* const session : ended) {
    Listener const& listener = connections_.listeners.of(session->listener);
    Answer answer;
    // Another protocol cannot say it: it has an answer under way, or nothing to answer.
    if (!listener.make_protocol)
      connections_.replies.reply(*session, Message{"CONNECT"}, answer,
                                 Status{Code::closed, "a RELOAD changed what is declared for " + listener.address +
                                                          ", and with it ended this connection"});
    connections_.sessions.end_after_answers(*session);
  }
  if (!ended.empty()) network_.turn_again();
}

}  // namespace fastjournal::server
