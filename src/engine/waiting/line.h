// The line for the work of one table: waiting commands (NEXT with wait) and deliver listeners with credit, in order of
// arrival; a waiter that was served goes to its end. Owned by Subscriptions, which puts in who waits. A command is in
// the lines of its topics and among the deadlines, or in none; a listener is in the line while its serial is not 0.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "engine/waiting/topic_book.h"

namespace fastjournal::work {

class Line {
 public:
  explicit Line(TopicBook& topics) : topics_(topics) {}
  Line(Line const&) = delete;
  Line& operator=(Line const&) = delete;

  // Who is next, and for how much.
  struct Turn {
    Topic* topic{nullptr};
    std::uint64_t serial{0};
    Waiter* waiter{nullptr};  // nullptr: no waiter for the available work
    std::uint64_t ready{0};   // rows that it would find
    std::uint64_t share{0};   // share of them, so that all in the line get some
  };

  // Order of arrival.
  [[nodiscard]] std::uint64_t next_serial() { return ++last_serial_; }
  // By its serial; uses its topics until take().
  void put(std::unique_ptr<WaitingCommand> command);
  // At the end.
  void put(Listener& listener);
  void remove(Listener& listener);
  [[nodiscard]] std::unique_ptr<WaitingCommand> take(TimeMs deadline, std::uint64_t serial);

  // The connection of a command whose wait is over, the earliest first; none: no wait is over.
  [[nodiscard]] ConnectionId first_overdue(TimeMs now) const;
  [[nodiscard]] bool has_commands() const { return !by_deadline_.empty(); }
  // The command with the earliest deadline leaves the line.
  [[nodiscard]] std::unique_ptr<WaitingCommand> take_first();

  // The first to arrive of those for whom there is work now.
  [[nodiscard]] Turn next(Work const& work);
  // It got `rows`: a listener moves to the end, or leaves the line without credit; a command is returned.
  std::unique_ptr<WaitingCommand> served(Turn const& turn, std::uint64_t rows);
  // None of this topic would get any: all keep their places.
  void found_nothing(Turn const& turn) { topics_.lines().erase({turn.serial, turn.topic}); }

  // Of the waiting commands.
  [[nodiscard]] TimeMs next_deadline() const {
    return by_deadline_.empty() ? TimeMs::max() : by_deadline_.begin()->first.first;
  }

 private:
  TopicBook& topics_;
  std::map<std::pair<TimeMs, std::uint64_t>, std::unique_ptr<WaitingCommand>> by_deadline_;  // and serial
  std::uint64_t last_serial_{0};
};

}  // namespace fastjournal::work
