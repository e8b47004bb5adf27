#include "server/configuration.h"

#include <algorithm>
#include <utility>

namespace fastjournal::server {

Status Configuration::begin() {
  Result<communicator::Aliases> aliases = read_aliases(engine_.declarations());
  if (!aliases.ok()) return aliases.status();
  Result<Feeds::Outlets> feeds = feeds_.open(engine_.declarations());
  if (!feeds.ok()) return feeds.status();
  aliases_ = std::move(aliases).value();
  feeds_.use(std::move(feeds).value(), time_.monotonic_us());
  return {};
}

Result<std::vector<std::string>> Configuration::reload(std::string_view table, TimeMs now) {
  Result<Next> next = read(table);
  if (!next.ok()) return next.status();
  Result<TableListeners::Next> listeners = listeners_.open(next->listeners);
  if (!listeners.ok()) return listeners.status();
  Result<Feeds::Outlets> feeds = feeds_.open(next->tables);
  if (!feeds.ok()) {
    listeners_.drop(listeners.value());
    return feeds.status();
  }
  Result<std::vector<std::string>> changes = engine_.reloading().run(next->tables, now);
  feeds_.use(std::move(feeds).value(), time_.monotonic_us());
  if (!changes.ok()) {
    listeners_.drop(listeners.value());
    return changes;
  }
  aliases_ = std::move(next->aliases);
  for (std::string& change : listeners->changes) changes->push_back(std::move(change));
  listeners_.use(std::move(listeners).value());
  return changes;
}

Result<std::vector<std::string>> Configuration::preview(std::string_view table) {
  Result<Next> const next = read(table);
  if (!next.ok()) return next.status();
  Result<std::vector<std::string>> listeners = listeners_.preview(next->listeners);
  if (!listeners.ok()) return listeners;
  std::vector<std::string> changes = engine_.reloading().preview(next->tables);
  for (std::string& change : listeners.value()) changes.push_back(std::move(change));
  return changes;
}

Result<Configuration::Next> Configuration::read(std::string_view table) const {
  Result<TablesFolder::Contents> contents = folder_.read_declarations();
  if (!contents.ok()) return contents.status();
  Result<engine::Declarations> next = std::move(contents->tables);
  TableListeners::Declared listeners = std::move(contents->listeners);
  if (!table.empty()) {
    next = with_one(table, next.value());
    listeners = listeners_.with_one(table, listeners);
  }
  if (!next.ok()) return next.status();
  if (Status status = check_listeners(engine_.types(), next.value(), contents->own, listeners); !status.ok())
    return status;
  if (Status status = engine_.reloading().check(next.value()); !status.ok()) return status;
  Result<communicator::Aliases> aliases = read_aliases(next.value());
  if (!aliases.ok()) return aliases.status();
  return Next{std::move(next).value(), std::move(listeners), std::move(aliases).value()};
}

// The current declarations, with one table of `next`.
Result<engine::Declarations> Configuration::with_one(std::string_view table, engine::Declarations const& next) const {
  engine::Declarations out = engine_.declarations();
  auto const is_it = [table](engine::Declaration const& declaration) { return declaration->name == table; };
  auto const fresh = std::find_if(next.begin(), next.end(), is_it);
  bool const known = std::erase_if(out, is_it) > 0;
  if (fresh != next.end()) out.push_back(*fresh);
  if (known || fresh != next.end()) return out;
  return Status{Code::unknown_table, "no table \"" + std::string{table.substr(0, 64)} +
                                         "\" runs, and the tables folder declares none of this name"};
}

// Not ok: a name is taken.
Result<communicator::Aliases> Configuration::read_aliases(engine::Declarations const& tables) const {
  Result<communicator::Aliases> aliases = communicator::Aliases::read(tables);
  if (!aliases.ok()) return aliases;
  for (communicator::Aliases::Alias const& alias : aliases->all()) {
    std::string const& name = alias.declared->command;
    if (registry_.has(name))
      return Status{Code::bad_configuration, alias.table->at("alias " + name) + ": the alias " + name +
                                                 " has the name of a command of the daemon: choose another"};
  }
  return aliases;
}

}  // namespace fastjournal::server
