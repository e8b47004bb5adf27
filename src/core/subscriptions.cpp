#include "core/subscriptions.h"

#include <algorithm>

#include "base/check.h"

namespace fastjournal::core {

using Listener = Subscriptions::Listener;

Subscriptions::Subscriptions() : whole_(&topics_[std::string{}]) { whole_->uses = 1; }

ConnectionId Subscriptions::Waiter::connection() const {
  return command != nullptr ? command->connection : listener->connection;
}

// ---------------------------------------------------------------------------
// Memory of waiting clients

void Subscriptions::keep(ConnectionId connection, Client& client, std::int64_t bytes) {
  client.kept += bytes;
  if (keeper_ != nullptr && bytes != 0) keeper_->keeps(connection, bytes);
}

std::int64_t Subscriptions::cost_of(WaitingCommand const& command) {
  return static_cast<std::int64_t>(kParkedCost + command.worker.size() + 2 * command.topic.size());
}

std::int64_t Subscriptions::cost_of(Listener const& listener) {
  return static_cast<std::int64_t>(kListenerCost + listener.credit * sizeof(ObjectId) + listener.worker.size() +
                                   2 * listener.topic->name.size());
}

// ---------------------------------------------------------------------------
// Topics

// The caller uses it once.
Subscriptions::Topic& Subscriptions::topic_of(std::string_view name) {
  auto found = topics_.find(name);
  if (found == topics_.end()) {
    found = topics_.emplace(std::string{name}, Topic{}).first;
    found->second.name = found->first;
  }
  ++found->second.uses;
  return found->second;
}

void Subscriptions::release(Topic& topic) {
  if (--topic.uses == 0) topics_.erase(topics_.find(topic.name));
}

void Subscriptions::mark_pending(Topic& topic) {
  if (!topic.pending) {
    topic.pending = true;
    ++topic.uses;
    pending_.push_back(&topic);
  }
  if (!topic.line.empty()) open_.insert({topic.line.begin()->first, &topic});
}

void Subscriptions::add_pending(Topic& topic, std::uint64_t count, TimeMs due) {
  if (topic.count == 0) topic.due = due;
  topic.count += count;
  mark_pending(topic);
}

void Subscriptions::owe_wake(Topic& topic) {
  ++topic.owed;
  mark_pending(topic);
}

bool Subscriptions::pass_on_wake(Listener const& listener, bool used) {
  if (listener.mode != ListenMode::wake || listener.state != Listener::State::woken) return false;
  if (listener.shared && !used) ++again_;
  ++listener.topic->freed;
  mark_pending(*listener.topic);
  if (listener.topic == whole_ || whole_->uses == 1) return true;
  ++whole_->freed;
  mark_pending(*whole_);
  return true;
}

void Subscriptions::forget_pending() {
  for (Topic* topic : pending_) {
    topic->pending = false;
    topic->count = 0;
    topic->owed = 0;
    topic->freed = 0;
    topic->shared = 0;
    topic->due = {};
    topic->round = 0;
    release(*topic);
  }
  pending_.clear();
  open_.clear();
  waking_ = 0;
}

// ---------------------------------------------------------------------------
// Queues of a listener

void Subscriptions::put_in_line(Listener& listener) {
  listener.serial = ++last_serial_;
  listener.topic->line.emplace(listener.serial, Waiter{nullptr, &listener});
}

void Subscriptions::wait_in(Listeners& queue, Listener& listener) {
  stop_waiting(listener);
  listener.waits = &queue;
  listener.waiting = queue.insert(queue.end(), &listener);
}

void Subscriptions::stop_waiting(Listener& listener) {
  if (listener.waits != nullptr) listener.waits->erase(listener.waiting);
  listener.waits = nullptr;
}

void Subscriptions::enter(Listener& listener, bool first) {
  leave(listener);
  Topic& topic = *listener.topic;
  switch (listener.mode) {
    case ListenMode::wake:
      if (listener.stalled) return;
      listener.state = Listener::State::idle;
      listener.place = topic.armed.insert(first ? topic.armed.begin() : topic.armed.end(), &listener);
      break;
    case ListenMode::row:
      listener.place = topic.rows.insert(topic.rows.end(), &listener);
      listener.state = Listener::State::idle;
      if (listener.paging && !listener.stalled) wait_in(paging_, listener);
      break;
    case ListenMode::deliver:
      if (listener.stalled || listener.free_credit() == 0) return;
      put_in_line(listener);
      mark_pending(topic);
      break;
  }
}

void Subscriptions::leave(Listener& listener) {
  Topic& topic = *listener.topic;
  switch (listener.mode) {
    case ListenMode::wake:
      if (listener.state == Listener::State::idle) topic.armed.erase(listener.place);
      if (listener.state == Listener::State::woken) {
        woken_.erase({listener.deadline, listener.serial});
        --topic.woken;
      }
      listener.state = Listener::State::busy;
      break;
    case ListenMode::row:
      if (listener.state == Listener::State::idle) topic.rows.erase(listener.place);
      listener.state = Listener::State::busy;
      stop_waiting(listener);
      break;
    case ListenMode::deliver:
      if (listener.serial != 0) topic.line.erase(listener.serial);
      break;
  }
  listener.serial = 0;
}

// ---------------------------------------------------------------------------
// Listeners and connections

bool Subscriptions::listen(ConnectionId connection, ListenWish const& wish) {
  Clients::iterator const client = clients_.try_emplace(connection).first;
  std::list<Listener>& mine = client->second.listeners;
  auto found = std::find_if(mine.begin(), mine.end(), [&](Listener const& l) { return l.topic->name == wish.topic; });
  bool const again = found != mine.end();
  std::int64_t const before = again ? cost_of(*found) : 0;
  if (!again) {
    if (count_ >= kListenersMax || mine.size() >= kListensMax) {
      forget_if_empty(client);
      return false;
    }
    ++count_;
    found = mine.emplace(mine.end());
    found->connection = connection;
    found->topic = &topic_of(wish.topic);
    found->stalled = client->second.is_stalled;
  } else {
    static_cast<void>(pass_on_wake(*found, false));
    leave(*found);
    if (found->mode == ListenMode::deliver) --deliver_listeners_;
    // A change of credit leaves its rows alone.
    if (found->mode != ListenMode::deliver || wish.mode != ListenMode::deliver) found->delivered.clear();
    found->missed = 0;
  }
  found->mode = wish.mode;
  found->credit = wish.credit;
  found->worker = wish.worker;
  found->paging = wish.mode == ListenMode::row;
  found->paged_to = {};
  if (wish.mode == ListenMode::deliver) ++deliver_listeners_;
  keep(connection, client->second, cost_of(*found) - before);
  // First in the queue: rows that are already due wake the new listener itself.
  enter(*found, true);
  if (wish.mode == ListenMode::wake) owe_wake(*found->topic);
  return true;
}

bool Subscriptions::unlisten(ConnectionId connection, std::string_view topic) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return false;
  std::list<Listener>& mine = client->second.listeners;
  auto const found = std::find_if(mine.begin(), mine.end(), [&](Listener const& l) { return l.topic->name == topic; });
  if (found == mine.end()) return false;
  static_cast<void>(pass_on_wake(*found, false));
  leave(*found);
  if (found->mode == ListenMode::deliver) --deliver_listeners_;
  keep(connection, client->second, -cost_of(*found));
  release(*found->topic);
  mine.erase(found);
  --count_;
  forget_if_empty(client);
  return true;
}

void Subscriptions::forget_if_empty(Clients::iterator client) {
  if (client->second.is_empty()) clients_.erase(client);
}

bool Subscriptions::took(ConnectionId connection, Take take) {
  if (take == Take::no || count_ == 0) return false;
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return false;
  bool passed_on = false;
  for (Listener& listener : client->second.listeners) {
    if (listener.mode != ListenMode::wake) continue;
    // The work for which it was woken may still be there: it may have asked for another domain, or its wait may just
    // have ended.
    passed_on = pass_on_wake(listener, take == Take::found) || passed_on;
    if (take == Take::found) {
      leave(listener);
    } else if (listener.state != Listener::State::idle) {
      enter(listener, false);
    }
  }
  return passed_on;
}

void Subscriptions::closed(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end()) return;
  for (Listener& listener : client->second.listeners) {
    // It was woken, and left without taking the work: wake another.
    static_cast<void>(pass_on_wake(listener, false));
    leave(listener);
    if (listener.mode == ListenMode::deliver) --deliver_listeners_;
    release(*listener.topic);
    --count_;
  }
  while (!client->second.parked.empty()) {
    auto const [serial, topic] = *client->second.parked.begin();
    static_cast<void>(take_command(*topic, topic->line.find(serial)));
    --parked_;
  }
  parked_ -= client->second.stalled.size();
  for (auto const& command : client->second.stalled) release(topics_.find(command->topic)->second);
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
  while (!by_deadline_.empty()) out.commands.push_back(take_overdue());
  for (ConnectionId const connection : all) closed(connection);
  while (!events_.empty()) end_event();
  count_lost();
  forget_pending();
  return out;
}

void Subscriptions::stall(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end() || client->second.is_stalled) return;
  client->second.is_stalled = true;
  for (Listener& listener : client->second.listeners) {
    if (listener.mode == ListenMode::row) {
      stop_waiting(listener);
    } else {
      leave(listener);
    }
    listener.stalled = true;
  }
  while (!client->second.parked.empty()) {
    auto const [serial, topic] = *client->second.parked.begin();
    ++topic->uses;  // kept for reuse
    client->second.stalled.push_back(take_command(*topic, topic->line.find(serial)));
  }
}

void Subscriptions::go_on(ConnectionId connection) {
  auto const client = clients_.find(connection);
  if (client == clients_.end() || !client->second.is_stalled) return;
  client->second.is_stalled = false;
  for (Listener& listener : client->second.listeners) {
    listener.stalled = false;
    if (listener.mode == ListenMode::row) {
      // The count of missed rows is sent first; then the pages continue.
      if (listener.paging) wait_in(paging_, listener);
      if (listener.missed > 0) wait_in(missed_, listener);
      continue;
    }
    enter(listener, false);
    owe_wake(*listener.topic);
  }
  for (auto& command : std::exchange(client->second.stalled, {})) {
    Topic& topic = topics_.find(command->topic)->second;
    put_in_line(std::move(command), client->second);
    mark_pending(topic);
    release(topic);
  }
}

// ---------------------------------------------------------------------------
// Parked commands

void Subscriptions::put_in_line(std::unique_ptr<WaitingCommand> command, Client& client) {
  Topic& topic = topic_of(command->topic);
  std::uint64_t const serial = command->serial;
  client.parked[serial] = &topic;
  by_deadline_[{command->deadline, serial}] = &topic;
  topic.line.emplace(serial, Waiter{std::move(command), nullptr});
}

std::unique_ptr<WaitingCommand> Subscriptions::take_command(Topic& topic, Line::iterator at) {
  std::unique_ptr<WaitingCommand> command = std::move(at->second.command);
  by_deadline_.erase({command->deadline, at->first});
  clients_.find(command->connection)->second.parked.erase(at->first);
  topic.line.erase(at);
  release(topic);
  return command;
}

bool Subscriptions::park(WaitingCommand command) {
  if (parked_ >= kParkedMax) return false;
  ++parked_;
  command.serial = ++last_serial_;
  Client& client = clients_[command.connection];
  keep(command.connection, client, cost_of(command));
  auto owned = std::make_unique<WaitingCommand>(std::move(command));
  if (!client.is_stalled) {
    put_in_line(std::move(owned), client);
  } else {
    topic_of(owned->topic);
    client.stalled.push_back(std::move(owned));
  }
  return true;
}

ConnectionId Subscriptions::first_overdue(TimeMs now) const {
  if (by_deadline_.empty() || by_deadline_.begin()->first.first > now) return ConnectionId::none;
  auto const& [key, topic] = *by_deadline_.begin();
  return topic->line.find(key.second)->second.connection();
}

std::unique_ptr<WaitingCommand> Subscriptions::take_overdue() {
  auto const [key, topic] = *by_deadline_.begin();
  std::unique_ptr<WaitingCommand> command = take_command(*topic, topic->line.find(key.second));
  --parked_;
  auto const client = clients_.find(command->connection);
  keep(command->connection, client->second, -cost_of(*command));
  forget_if_empty(client);
  return command;
}

// ---------------------------------------------------------------------------
// Events of the table

void Subscriptions::became_available(ObjectId object, std::string_view name, TimeMs due) {
  bool const listed = whole_->uses > 1;
  auto const found = name.empty() ? topics_.end() : topics_.find(name);
  bool rows = !whole_->rows.empty();
  if (listed) add_pending(*whole_, 1, due);
  Topic* topic = nullptr;
  if (found != topics_.end()) {
    add_pending(found->second, 1, due);
    if (!found->second.rows.empty()) topic = &found->second;
    rows = rows || topic != nullptr;
  }
  if (!rows) return;
  if (events_.size() < kEventsMax) {
    if (topic != nullptr) ++topic->uses;
    events_.push_back({object, topic, due});
    return;
  }
  for (Topic* one : {topic, whole_}) {
    if (one == nullptr || one->rows.empty()) continue;
    if (one->lost++ > 0) continue;
    ++one->uses;
    lost_.push_back(one);
  }
}

void Subscriptions::became_available_again(std::string_view name, std::uint64_t count) {
  if (name.empty()) {
    again_ += count;
    return;
  }
  if (whole_->uses > 1) add_pending(*whole_, count, {});
  if (auto const found = topics_.find(name); found != topics_.end()) add_pending(found->second, count, {});
}

void Subscriptions::share_again(Work const& work) {
  if (again_ == 0) return;
  std::uint64_t left = std::min(again_, work.available({}));
  again_ = 0;
  std::uint64_t elsewhere = 0;
  // Each time from another topic on, so that no topic gets all.
  auto at = topics_.upper_bound(again_from_);
  for (std::size_t looked = topics_.size(); looked > 0; --looked) {
    if (at == topics_.end()) at = topics_.begin();
    Topic& topic = (at++)->second;
    if (topic.line.empty() && (topic.armed.empty() || left == 0)) continue;
    std::uint64_t const ready = work.available(topic.name);
    if (ready == 0) continue;
    // A queue is served in the order of arrival while there is work, and takes nothing from others here.
    std::uint64_t const count = topic.line.empty() ? std::min<std::uint64_t>({topic.armed.size(), ready, left}) : ready;
    add_pending(topic, count, {});
    if (&topic != whole_) elsewhere += count;
    if (!topic.line.empty()) continue;
    topic.shared += count;
    left -= count;
    again_from_ = topic.name;
  }
  // The count of the whole table includes those of the domains, and decreases with them.
  if (elsewhere > 0 && whole_->uses > 1) add_pending(*whole_, elsewhere, {});
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

// ---------------------------------------------------------------------------
// The queue for work

Subscriptions::Turn Subscriptions::next(Work const& work) {
  while (!open_.empty()) {
    auto const [serial, topic] = *open_.begin();
    bool const first = !topic->line.empty() && topic->line.begin()->first == serial;
    std::uint64_t const ready = first ? work.available(topic->name) : 0;
    if (ready > 0) {
      if (topic->round == 0 || topic->round > topic->line.size()) topic->round = topic->line.size();
      return {topic, serial, &topic->line.begin()->second, ready, (ready + topic->round - 1) / topic->round};
    }
    open_.erase(open_.begin());
    // The first entry left: the topic is sorted by the next one.
    if (!first && !topic->line.empty()) open_.insert({topic->line.begin()->first, topic});
  }
  return {};
}

void Subscriptions::served(Turn const& turn, std::uint64_t rows) {
  --turn.topic->round;
  for (Topic* topic : {turn.topic, whole_}) {
    topic->count -= std::min(topic->count, rows);
    if (whole_ == turn.topic) break;
  }
  if (turn.waiter->command == nullptr) {
    Listener& listener = *turn.waiter->listener;
    leave(listener);
    if (listener.free_credit() > 0) put_in_line(listener);
    return;
  }
  ConnectionId const connection = turn.waiter->command->connection;
  std::unique_ptr<WaitingCommand> const command = take_command(*turn.topic, turn.topic->line.find(turn.serial));
  --parked_;
  auto const client = clients_.find(connection);
  keep(connection, client->second, -cost_of(*command));
  forget_if_empty(client);
}

void Subscriptions::found_nothing(Turn const& turn) { open_.erase({turn.serial, turn.topic}); }

// ---------------------------------------------------------------------------
// Announcements

void Subscriptions::end_event() {
  Topic* const topic = events_.front().topic;
  events_.pop_front();
  if (topic != nullptr) release(*topic);
}

void Subscriptions::note_missed(Listener& listener, std::uint64_t rows) {
  listener.missed += rows;
  missed_ever_ += rows;
  if (!listener.stalled) wait_in(missed_, listener);
}

void Subscriptions::count_lost() {
  for (Topic* topic : std::exchange(lost_, {})) {
    for (Listener* listener : topic->rows) note_missed(*listener, topic->lost);
    topic->lost = 0;
    release(*topic);
  }
}

Listener* Subscriptions::take_missed() {
  if (missed_.empty()) return nullptr;
  Listener& listener = *missed_.front();
  stop_waiting(listener);
  if (listener.paging) wait_in(paging_, listener);
  return &listener;
}

void Subscriptions::page_told(Listener& listener, ObjectId to, bool last) {
  listener.paged_to = to;
  listener.paging = !last;
  stop_waiting(listener);
  if (!last && !listener.stalled) wait_in(paging_, listener);
}

// ---------------------------------------------------------------------------
// Wakes

void Subscriptions::pass_over(TimeMs now) {
  while (!woken_.empty() && woken_.begin()->first.first <= now) {
    Listener& listener = *woken_.begin()->second;
    static_cast<void>(pass_on_wake(listener, false));
    enter(listener, false);
  }
}

bool Subscriptions::wakes_one(Topic& topic, Work const& work) {
  if (topic.armed.empty() || topic.count + topic.owed + topic.freed == 0) return false;
  std::uint64_t left = work.available(topic.name);
  topic.owed = std::min(topic.owed, left);
  left -= topic.owed;
  topic.count = std::min(topic.count, left);
  left -= topic.count;
  // Listeners of any domain may take the work of the whole table's.
  std::uint64_t const woken = &topic == whole_ ? woken_.size() : topic.woken;
  topic.freed = std::min(topic.freed, left - std::min(left, woken));
  return topic.count + topic.owed + topic.freed > 0;
}

Subscriptions::Wake Subscriptions::next_wake(TimeMs deadline, Work const& work) {
  // Listeners of the topic first; those of the whole table are woken for the rest.
  if (waking_ == 0 && whole_->pending && pending_.back() != whole_) {
    std::erase(pending_, whole_);
    pending_.push_back(whole_);
  }
  for (; waking_ < pending_.size(); ++waking_) {
    Topic& topic = *pending_[waking_];
    if (!wakes_one(topic, work)) continue;
    bool const of_row = topic.owed + topic.freed == 0;
    --(of_row ? topic.count : topic.owed > 0 ? topic.owed : topic.freed);
    if (of_row && &topic != whole_ && whole_->count > 0) --whole_->count;
    Listener& listener = *topic.armed.front();
    leave(listener);
    listener.state = Listener::State::woken;
    listener.shared = of_row && topic.shared > 0;
    if (listener.shared) --topic.shared;
    listener.deadline = deadline;
    listener.serial = ++last_serial_;
    woken_[{deadline, listener.serial}] = &listener;
    ++topic.woken;
    return {&listener, topic.due, of_row};
  }
  return {};
}

void Subscriptions::not_told(Wake const& wake) {
  Topic& topic = *wake.listener->topic;
  ++(wake.of_row ? topic.count : topic.owed);
  if (wake.listener->shared) ++topic.shared;
  if (wake.of_row && &topic != whole_) ++whole_->count;
}

TimeMs Subscriptions::next_deadline() const {
  TimeMs next = TimeMs::max();
  if (!woken_.empty()) next = std::min(next, woken_.begin()->first.first);
  if (!by_deadline_.empty()) next = std::min(next, by_deadline_.begin()->first.first);
  return next;
}

}  // namespace fastjournal::core
