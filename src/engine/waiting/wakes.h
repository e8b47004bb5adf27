// Wakes of the idle listeners of one table (LISTEN mode wake). No herd: work that becomes available wakes as many idle
// listeners as there are rows, the rest stay asleep; one that takes nothing within the table's wake-timeout is passed
// over. Owned by Subscriptions. A listener is idle (armed), woken until its deadline, or busy and in no queue.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "engine/waiting/topic_book.h"

namespace fastjournal::work {

struct Wake {
  Listener* listener{nullptr};
  TimeMs due{};        // 0: it was due before
  bool of_row{false};  // of one that became available
};

class Wakes {
 public:
  explicit Wakes(TopicBook& topics) : topics_(topics) {}
  Wakes(Wakes const&) = delete;
  Wakes& operator=(Wakes const&) = delete;

  // It is idle, and the first or the last to be woken.
  void arm(Listener& listener, bool first);
  // It is busy.
  void remove(Listener& listener);
  // One listener of the topic is to be woken, if there is work.
  void owe(Topic& topic);
  // If it has a wake, another listener for the same work gets it, as far as there is work for which none was woken.
  // `used`: it took something. True if it had one.
  bool pass_on(Listener const& listener, bool used);
  // Listeners that took nothing in time move to the end of their queue.
  void pass_over(TimeMs now);
  // The next idle listener to be woken; it counts as woken until `deadline`. Nothing: there is none.
  [[nodiscard]] Wake next(TimeMs deadline, Work const& work);
  // The listener of next() cannot be notified: another one will be.
  void not_told(Wake const& wake);
  // The end of a turn: TopicBook::forget_pending follows.
  void end_turn() { looked_ = 0; }
  [[nodiscard]] TimeMs next_deadline() const { return woken_.empty() ? TimeMs::max() : woken_.begin()->first.first; }

 private:
  [[nodiscard]] bool wakes_one(Topic& topic, Work const& work);

  TopicBook& topics_;
  std::map<std::pair<TimeMs, std::uint64_t>, Listener*> woken_;  // by deadline and serial
  std::size_t looked_{0};                                        // pending topics before this index were handled
  std::uint64_t last_serial_{0};
};

}  // namespace fastjournal::work
