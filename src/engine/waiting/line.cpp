#include "engine/waiting/line.h"

namespace fastjournal::work {

Topic& Line::put(std::unique_ptr<WaitingCommand> command) {
  Topic& topic = topics_.use(command->topic);
  std::uint64_t const serial = command->serial;
  by_deadline_[{command->deadline, serial}] = &topic;
  topic.line.emplace(serial, Waiter{std::move(command), nullptr});
  return topic;
}

void Line::put(Listener& listener) {
  listener.serial = next_serial();
  listener.topic->line.emplace(listener.serial, Waiter{nullptr, &listener});
}

void Line::remove(Listener& listener) {
  if (listener.serial != 0) listener.topic->line.erase(listener.serial);
  listener.serial = 0;
}

std::unique_ptr<WaitingCommand> Line::take(Topic& topic, std::uint64_t serial) {
  auto const at = topic.line.find(serial);
  std::unique_ptr<WaitingCommand> command = std::move(at->second.command);
  by_deadline_.erase({command->deadline, serial});
  topic.line.erase(at);
  topics_.release(topic);
  return command;
}

ConnectionId Line::first_overdue(TimeMs now) const {
  if (by_deadline_.empty() || by_deadline_.begin()->first.first > now) return ConnectionId::none;
  auto const& [key, topic] = *by_deadline_.begin();
  return topic->line.find(key.second)->second.connection();
}

std::unique_ptr<WaitingCommand> Line::take_first() {
  auto const [key, topic] = *by_deadline_.begin();
  return take(*topic, key.second);
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
  if (turn.waiter->command != nullptr) return take(*turn.topic, turn.serial);
  Listener& listener = *turn.waiter->listener;
  remove(listener);
  if (listener.free_credit() > 0) put(listener);
  return nullptr;
}

}  // namespace fastjournal::work
