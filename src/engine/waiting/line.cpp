#include "engine/waiting/line.h"

#include <utility>

namespace fastjournal::work {

void Line::put(std::unique_ptr<WaitingCommand> command) {
  std::uint64_t const serial = command->serial;
  for_each_topic(*command, [&](std::string_view name) {
    Topic& topic = topics_.use(name);
    if (!topic.line.emplace(serial, Waiter{command.get(), nullptr}).second) return topics_.release(topic);
    command->topics.push_back(&topic);
  });
  std::pair const key{command->deadline, serial};
  by_deadline_.emplace(key, std::move(command));
}

void Line::put(Listener& listener) {
  listener.serial = next_serial();
  listener.topic->line.emplace(listener.serial, Waiter{nullptr, &listener});
}

void Line::remove(Listener& listener) {
  if (listener.serial != 0) listener.topic->line.erase(listener.serial);
  listener.serial = 0;
}

std::unique_ptr<WaitingCommand> Line::take(TimeMs deadline, std::uint64_t serial) {
  auto const at = by_deadline_.find({deadline, serial});
  std::unique_ptr<WaitingCommand> command = std::move(at->second);
  by_deadline_.erase(at);
  for (Topic* const topic : std::exchange(command->topics, {})) {
    topic->line.erase(serial);
    topics_.release(*topic);
  }
  return command;
}

ConnectionId Line::first_overdue(TimeMs now) const {
  if (by_deadline_.empty() || by_deadline_.begin()->first.first > now) return ConnectionId::none;
  return by_deadline_.begin()->second->connection;
}

std::unique_ptr<WaitingCommand> Line::take_first() {
  auto const [deadline, serial] = by_deadline_.begin()->first;
  return take(deadline, serial);
}

Line::Turn Line::next(Work const& work) {
  TopicBook::Lines& lines = topics_.lines();
  while (!lines.empty()) {
    auto const [serial, topic] = *lines.begin();
    bool const first = !topic->line.empty() && topic->line.begin()->first == serial;
    std::uint64_t const ready = first ? work.available(topic->name) : 0;
    if (ready > 0) {
      if (topic->round == 0 || topic->round > topic->line.size()) topic->round = topic->line.size();
      return {topic, serial, &topic->line.begin()->second, ready, (ready + topic->round - 1) / topic->round};
    }
    lines.erase(lines.begin());
    // The first entry left: the topic is sorted by the next one.
    if (!first && !topic->line.empty()) lines.insert({topic->line.begin()->first, topic});
  }
  return {};
}

std::unique_ptr<WaitingCommand> Line::served(Turn const& turn, std::uint64_t rows) {
  --turn.topic->round;
  topics_.took(*turn.topic, rows);
  if (turn.waiter->command != nullptr) return take(turn.waiter->command->deadline, turn.serial);
  Listener& listener = *turn.waiter->listener;
  remove(listener);
  if (listener.free_credit() > 0) put(listener);
  return nullptr;
}

}  // namespace fastjournal::work
