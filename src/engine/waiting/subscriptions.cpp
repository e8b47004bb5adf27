#include "engine/waiting/subscriptions.h"

#include <algorithm>

namespace fastjournal::work {
namespace {

// The last quarter of the places is for connections that have few, so that those which one address may have do not take
// all.
constexpr std::size_t kFew = 2;
bool has_place(std::size_t taken, std::size_t most, std::size_t own) {
  return taken < (own < kFew ? most : most - most / 4);
}

std::int64_t cost_of(WaitingCommand const& command) {
  std::size_t topics = 0;
  for_each_topic(command, [&](std::string_view) { ++topics; });
  return static_cast<std::int64_t>(Subscriptions::kWaitingCost + command.worker.size() + 2 * command.topic.size() +
                                   (topics - std::min<std::size_t>(topics, 1)) * Subscriptions::kFurtherTopicCost);
}

std::int64_t cost_of(Listener const& listener) {
  return static_cast<std::int64_t>(Subscriptions::kListenerCost + listener.credit * sizeof(ObjectId) +
                                   listener.worker.size() + 2 * listener.topic->name.size() +
                                   (listener.further == nullptr ? 0 : Subscriptions::kFurtherCost));
}

std::unique_ptr<Message> kept(std::span<Param const> params) {
  if (params.empty()) return nullptr;
  auto out = std::make_unique<Message>();
  for (Param const& param : params) out->add(param.name, param.value);
  out->own();
  return out;
}

}  // namespace

void Subscriptions::keep(ConnectionId connection, Client& client, std::int64_t bytes) {
  client.kept += bytes;
  if (keeper_ != nullptr && bytes != 0) keeper_->keeps(connection, bytes);
}

void Subscriptions::forget_if_empty(Clients::iterator client) {
  if (client->second.is_empty()) clients_.erase(client);
}

// ---------------------------------------------------------------------------
// Clients

ConnectionId Subscriptions::for_each_above(ConnectionId after, std::size_t count,
                                           std::function<void(WaitingClient const&)> const& visit) const {
  std::vector<ConnectionId> found;
  for (auto const& [connection, client] : clients_)
    if (connection > after) found.push_back(connection);
  // Each has one entry at least.
  std::size_t const shown = std::min(count, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), found.end());
  std::size_t told = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    Client const& client = clients_.find(found[i])->second;
    bool const commands_wait = !client.waiting.empty() || !client.stalled.empty();
    std::size_t const entries = client.listeners.size() + (commands_wait ? 1 : 0);
    if (i > 0 && told + entries > count) return found[i - 1];
    tell(found[i], client, visit);
    told += entries;
  }
  return shown < found.size() ? found[shown - 1] : ConnectionId::none;
}

void Subscriptions::tell(ConnectionId connection, Client const& client,
                         std::function<void(WaitingClient const&)> const& visit) {
  for (Listener const& listener : client.listeners)
    visit({.connection = connection,
           .listener = &listener,
           .topic = listener.topic->name,
           .worker = listener.worker,
           .since = listener.since,
           .is_stalled = client.is_stalled});
  std::size_t const waiting = client.waiting.size() + client.stalled.size();
  if (waiting == 0) return;
  WaitingCommand const& oldest = client.waiting.empty() ? *client.stalled.front() : *client.waiting.begin()->second;
  visit({.connection = connection,
         .topic = oldest.topic,
         .worker = oldest.worker,
         .since = oldest.since,
         .until = oldest.deadline,
         .waiting = waiting,
         .is_stalled = client.is_stalled});
}

// ---------------------------------------------------------------------------
// Listeners

void Subscriptions::enter(Listener& listener, bool first) {
  switch (listener.mode) {
    case ListenMode::wake:
      if (listener.stalled)
        wakes_.remove(listener);
      else
        wakes_.arm(listener, first);
      break;
    case ListenMode::row: announcements_.enter(listener); break;
    case ListenMode::deliver:
      line_.remove(listener);
      if (listener.stalled || listener.free_credit() == 0) return;
      line_.put(listener);
      topics_.mark(*listener.topic);
      break;
  }
}

void Subscriptions::leave(Listener& listener) {
  switch (listener.mode) {
    case ListenMode::wake: wakes_.remove(listener); break;
    case ListenMode::row: announcements_.remove(listener); break;
    case ListenMode::deliver: line_.remove(listener); break;
  }
}

bool Subscriptions::listen(ConnectionId connection, ListenRequest const& request) {
  Clients::iterator const client = clients_.try_emplace(connection).first;
  std::list<Listener>& mine = client->second.listeners;
  auto found =
      std::find_if(mine.begin(), mine.end(), [&](Listener const& l) { return l.topic->name == request.topic; });
  bool const again = found != mine.end();
  std::int64_t const before = again ? cost_of(*found) : 0;
  if (!again) {
    if (!has_place(count_, kListenersMax, mine.size()) || mine.size() >= kListensMax) {
      forget_if_empty(client);
      return false;
    }
    ++count_;
    found = mine.emplace(mine.end());
    found->connection = connection;
    found->topic = &topics_.use(request.topic);
    found->stalled = client->second.is_stalled;
  } else {
    static_cast<void>(wakes_.pass_on(*found, false));
    leave(*found);
    if (found->mode == ListenMode::deliver) --deliver_listeners_;
    // A change of credit leaves its rows alone.
    if (found->mode != ListenMode::deliver || request.mode != ListenMode::deliver) found->delivered.clear();
    found->missed = 0;
  }
  found->mode = request.mode;
  found->since = request.since;
  found->credit = request.credit;
  found->worker = request.worker;
  found->further = kept(request.further);
  found->paging = request.mode == ListenMode::row;
  found->paged_to = {};
  if (request.mode == ListenMode::deliver) ++deliver_listeners_;
  keep(connection, client->second, cost_of(*found) - before);
  // First in the queue: rows that are already due wake the new listener itself.
  enter(*found, true);
  if (request.mode == ListenMode::wake) wakes_.owe(*found->topic);
  return true;
}

bool Subscriptions::unlisten(ConnectionId connection, std::string_view topic) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return false;
  std::list<Listener>& mine = client->second.listeners;
  auto const found = std::find_if(mine.begin(), mine.end(), [&](Listener const& l) { return l.topic->name == topic; });
  if (found == mine.end()) return false;
  static_cast<void>(wakes_.pass_on(*found, false));
  leave(*found);
  if (found->mode == ListenMode::deliver) --deliver_listeners_;
  keep(connection, client->second, -cost_of(*found));
  topics_.release(*found->topic);
  mine.erase(found);
  --count_;
  forget_if_empty(client);
  return true;
}

bool Subscriptions::end_wake(ConnectionId connection, Take take) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return false;
  bool passed_on = false;
  for (Listener& listener : client->second.listeners) {
    if (listener.mode != ListenMode::wake) continue;
    // The work for which it was woken may still be there: it may have asked for another domain, or its wait may just
    // have ended.
    passed_on = wakes_.pass_on(listener, take == Take::found) || passed_on;
    if (take == Take::found) {
      leave(listener);
    } else if (listener.state != Listener::State::idle) {
      enter(listener, false);
    }
  }
  return passed_on;
}

// ---------------------------------------------------------------------------
// Waiting commands

bool Subscriptions::wait(WaitingCommand command) {
  Clients::iterator const at = clients_.try_emplace(command.connection).first;
  Client& client = at->second;
  if (!has_place(waiting_, kWaitingMax, client.waiting.size() + client.stalled.size())) {
    forget_if_empty(at);
    return false;
  }
  ++waiting_;
  command.serial = line_.next_serial();
  keep(command.connection, client, cost_of(command));
  auto owned = std::make_unique<WaitingCommand>(std::move(command));
  if (!client.is_stalled) {
    put_in_line(std::move(owned), client);
  } else {
    use_topics(*owned);
    client.stalled.push_back(std::move(owned));
  }
  return true;
}

void Subscriptions::put_in_line(std::unique_ptr<WaitingCommand> command, Client& client) {
  client.waiting[command->serial] = command.get();
  line_.put(std::move(command));
}

void Subscriptions::use_topics(WaitingCommand const& command) {
  for_each_topic(command, [&](std::string_view name) { topics_.use(name); });
}

void Subscriptions::release_topics(WaitingCommand const& command, bool marks) {
  for_each_topic(command, [&](std::string_view name) {
    Topic& topic = *topics_.find(name);
    if (marks) topics_.mark(topic);
    topics_.release(topic);
  });
}

void Subscriptions::forget(WaitingCommand const& command) {
  --waiting_;
  auto const client = clients_.find(command.connection);
  client->second.waiting.erase(command.serial);
  keep(command.connection, client->second, -cost_of(command));
  forget_if_empty(client);
}

std::unique_ptr<WaitingCommand> Subscriptions::take_overdue() {
  std::unique_ptr<WaitingCommand> command = line_.take_first();
  forget(*command);
  return command;
}

void Subscriptions::served(Line::Turn const& turn, std::uint64_t rows) {
  if (std::unique_ptr<WaitingCommand> const command = line_.served(turn, rows)) forget(*command);
}

// ---------------------------------------------------------------------------
// Connections

void Subscriptions::closed(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return;
  for (Listener& listener : client->second.listeners) {
    // It was woken, and left without taking the work: wake another.
    static_cast<void>(wakes_.pass_on(listener, false));
    leave(listener);
    if (listener.mode == ListenMode::deliver) --deliver_listeners_;
    topics_.release(*listener.topic);
    --count_;
  }
  for (auto const& [serial, command] : client->second.waiting) static_cast<void>(line_.take(command->deadline, serial));
  for (auto const& command : client->second.stalled) release_topics(*command, false);
  waiting_ -= client->second.waiting.size() + client->second.stalled.size();
  keep(connection, client->second, -client->second.kept);
  clients_.erase(client);
}

Subscriptions::Ended Subscriptions::end() {
  Ended out;
  std::vector<ConnectionId> all;
  for (auto const& [connection, client] : clients_) all.push_back(connection);
  std::sort(all.begin(), all.end());
  for (ConnectionId const connection : all) {
    go_on(connection);
    for (Listener const& listener : clients_.find(connection)->second.listeners)
      out.listeners.emplace_back(connection, listener.topic->name);
  }
  while (line_.has_commands()) out.commands.push_back(take_overdue());
  for (ConnectionId const connection : all) closed(connection);
  while (announcements_.first() != nullptr) announcements_.end_first();
  announcements_.count_lost();
  end_turn();
  return out;
}

void Subscriptions::stall(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end() || client->second.is_stalled) return;
  client->second.is_stalled = true;
  for (Listener& listener : client->second.listeners) {
    if (listener.mode == ListenMode::row)
      announcements_.stall(listener);
    else
      leave(listener);
    listener.stalled = true;
  }
  for (auto const& [serial, command] : std::exchange(client->second.waiting, {})) {
    use_topics(*command);  // kept for reuse
    client->second.stalled.push_back(line_.take(command->deadline, serial));
  }
}

void Subscriptions::go_on(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end() || !client->second.is_stalled) return;
  client->second.is_stalled = false;
  for (Listener& listener : client->second.listeners) {
    listener.stalled = false;
    if (listener.mode == ListenMode::row) {
      announcements_.go_on(listener);
      continue;
    }
    enter(listener, false);
    wakes_.owe(*listener.topic);
  }
  for (auto& command : std::exchange(client->second.stalled, {})) {
    WaitingCommand const& waiting = *command;
    put_in_line(std::move(command), client->second);
    release_topics(waiting, true);
  }
}

// ---------------------------------------------------------------------------
// Events of the table

void Subscriptions::became_available(ObjectId object, std::string_view name, TimeMs due) {
  if (topics_.whole_is_used()) topics_.add(topics_.whole(), 1, due);
  Topic* const topic = name.empty() ? nullptr : topics_.find(name);
  if (topic != nullptr) topics_.add(*topic, 1, due);
  announcements_.note(object, topic, due);
}

void Subscriptions::lease_began(ObjectId object, ConnectionId connection) {
  if (delivering_ == nullptr || delivering_->connection != connection) return;
  std::vector<ObjectId>& delivered = delivering_->delivered;
  // Mostly the newest of all.
  delivered.insert(std::upper_bound(delivered.begin(), delivered.end(), object), object);
}

bool Subscriptions::lease_ended(ObjectId object, ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return false;
  for (Listener& listener : client->second.listeners) {
    if (listener.mode != ListenMode::deliver) continue;
    auto const at = std::lower_bound(listener.delivered.begin(), listener.delivered.end(), object);
    if (at == listener.delivered.end() || *at != object) continue;
    listener.delivered.erase(at);
    if (listener.serial == 0) enter(listener, false);
    return true;
  }
  return false;
}

void Subscriptions::end_turn() {
  topics_.forget_pending();
  wakes_.end_turn();
}

}  // namespace fastjournal::work
