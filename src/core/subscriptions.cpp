#include "core/subscriptions.h"

#include <algorithm>

namespace fastjournal::core {

void Subscriptions::arm(Listener& listener, bool first) {
  disarm(listener);
  std::list<Listener*>& queue = armed_[listener.topic];
  listener.state = State::armed;
  listener.place = queue.insert(first ? queue.begin() : queue.end(), &listener);
}

// Out of whatever set its state keeps it in.
void Subscriptions::disarm(Listener& listener) {
  if (listener.state == State::armed) {
    auto const queue = armed_.find(listener.topic);
    queue->second.erase(listener.place);
    if (queue->second.empty()) armed_.erase(queue);
  } else if (listener.state == State::woken) {
    woken_.erase({listener.deadline, &listener});
  }
  listener.state = State::busy;
}

void Subscriptions::add_pending(std::string_view topic, TimeMs due) {
  auto found = pending_.find(topic);
  if (found == pending_.end()) found = pending_.emplace(std::string{topic}, Pending{}).first;
  if (found->second.count++ == 0) found->second.due = due;
}

bool Subscriptions::listen(ConnectionId connection, std::string_view topic, Table const& table) {
  std::list<Listener>& mine = by_connection_[connection];
  auto found = std::find_if(mine.begin(), mine.end(), [topic](Listener const& l) { return l.topic == topic; });
  if (found == mine.end()) {
    if (count_ >= kListenersMax) {
      if (mine.empty()) by_connection_.erase(connection);
      return false;
    }
    ++count_;
    found = mine.insert(mine.end(), Listener{connection, std::string{topic}, State::busy, {}, {}});
  }
  // First in the line: what is due already wakes the newcomer itself (DECISIONS 30).
  arm(*found, true);
  if (table.available(topic) > 0) add_pending(topic, {});
  return true;
}

bool Subscriptions::unlisten(ConnectionId connection, std::string_view topic) {
  auto const mine = by_connection_.find(connection);
  if (mine == by_connection_.end()) return false;
  auto const found =
      std::find_if(mine->second.begin(), mine->second.end(), [topic](Listener const& l) { return l.topic == topic; });
  if (found == mine->second.end()) return false;
  disarm(*found);
  mine->second.erase(found);
  --count_;
  if (mine->second.empty()) by_connection_.erase(mine);
  return true;
}

void Subscriptions::took(ConnectionId connection, Take take) {
  if (count_ == 0) return;
  auto const mine = by_connection_.find(connection);
  if (mine == by_connection_.end()) return;
  for (Listener& listener : mine->second) {
    if (take == Take::nothing) {
      if (listener.state != State::armed) arm(listener, false);
    } else {
      disarm(listener);
    }
  }
}

void Subscriptions::closed(ConnectionId connection, Table const& table) {
  if (auto const mine = by_connection_.find(connection); mine != by_connection_.end()) {
    for (Listener& listener : mine->second) {
      // Whoever was told and left did not take it: tell another.
      if (listener.state == State::woken && table.available(listener.topic) > 0) add_pending(listener.topic, {});
      disarm(listener);
      --count_;
    }
    by_connection_.erase(mine);
  }
  if (!parked_of_.contains(connection)) return;
  Line gone;
  for (auto& [topic, line] : parked_)
    for (auto at = line.begin(); at != line.end();)
      at = at->connection == connection ? take_out(line, at, gone) : std::next(at);
  std::erase_if(parked_, [](auto const& entry) { return entry.second.empty(); });
}

void Subscriptions::became_available(std::string_view topic, TimeMs due) { add_pending(topic, due); }

void Subscriptions::became_available_again(Table const& table) {
  for (auto const& [topic, queue] : armed_) {
    std::uint64_t const ready = table.available(topic);
    if (ready == 0) continue;
    add_pending(topic, {});
    Pending& pending = pending_.find(topic)->second;
    pending.count = std::max(pending.count, ready);
  }
}

void Subscriptions::put_in_line(ParkedCommand command, bool first) {
  Line& line = parked_[command.topic];
  ++parked_of_[command.connection];
  std::pair<TimeMs, std::uint64_t> const key{command.deadline, command.serial};
  by_deadline_[key] = line.insert(first ? line.begin() : line.end(), std::move(command));
}

// Moves one command to `out`; returns what follows it in its line.
Subscriptions::Line::iterator Subscriptions::take_out(Line& line, Line::iterator at, Line& out) {
  by_deadline_.erase({at->deadline, at->serial});
  if (auto const mine = parked_of_.find(at->connection); --mine->second == 0) parked_of_.erase(mine);
  auto const next = std::next(at);
  out.splice(out.end(), line, at);
  return next;
}

bool Subscriptions::park(ParkedCommand command) {
  if (by_deadline_.size() >= kParkedMax) return false;
  command.serial = ++last_serial_;
  put_in_line(std::move(command), false);
  return true;
}

void Subscriptions::park_again(ParkedCommand command) { put_in_line(std::move(command), true); }

std::list<ParkedCommand> Subscriptions::take_parked(TimeMs now, Table const& table) {
  Line out;
  while (!by_deadline_.empty() && by_deadline_.begin()->first.first <= now) {
    Line::iterator const at = by_deadline_.begin()->second;
    take_out(parked_.find(at->topic)->second, at, out);
  }
  for (auto& [topic, line] : parked_) {
    std::uint64_t left = line.empty() ? 0 : table.available(topic);
    for (auto at = line.begin(); left > 0 && at != line.end(); --left) at = take_out(line, at, out);
  }
  std::erase_if(parked_, [](auto const& entry) { return entry.second.empty(); });
  return out;
}

// Listeners that were told and took nothing in time go to the end of the line.
void Subscriptions::pass_over(TimeMs now, Table const& table) {
  while (!woken_.empty() && woken_.begin()->first <= now) {
    Listener& listener = *woken_.begin()->second;
    arm(listener, false);
    if (table.available(listener.topic) > 0) add_pending(listener.topic, {});
  }
}

void Subscriptions::wake(TimeMs now, DurationMs wake_timeout, Table const& table, std::vector<Wake>& out) {
  pass_over(now, table);
  for (auto& [topic, pending] : pending_) {
    std::uint64_t const ready = table.available(topic);
    std::uint64_t left = std::min(ready, pending.count);
    // Those of this topic first, then those of the whole table.
    for (std::string_view line : {std::string_view{topic}, std::string_view{}}) {
      while (left > 0) {
        auto const queue = armed_.find(line);
        if (queue == armed_.end()) break;
        Listener& listener = *queue->second.front();
        disarm(listener);
        listener.state = State::woken;
        listener.deadline = now + wake_timeout;
        woken_.insert({listener.deadline, &listener});
        out.push_back({listener.connection, listener.topic, ready, pending.due.value == 0 ? now : pending.due});
        --left;
      }
      if (topic.empty()) break;
    }
  }
  pending_.clear();
}

TimeMs Subscriptions::next_deadline() const {
  TimeMs next = TimeMs::max();
  if (!woken_.empty()) next = std::min(next, woken_.begin()->first);
  if (!by_deadline_.empty()) next = std::min(next, by_deadline_.begin()->first.first);
  return next;
}

}  // namespace fastjournal::core
