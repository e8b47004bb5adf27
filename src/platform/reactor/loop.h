// The event loop that the parts of the reactor share: libevent's base, the timer, the actions, and the state of the
// current turn. It owns no peer's socket and knows none of the parts; reactor.cpp has the order of a turn.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env/network.h"
#include "platform/reactor/options.h"

struct event;
struct event_base;

namespace fastjournal::reactor {

struct EventDeleter {
  void operator()(event* one) const;
};
using Event = std::unique_ptr<event, EventDeleter>;
using EventCall = void (*)(int, short, void*);

// The callback of an event whose argument is a Thing: its owner's method, with the thing.
template <class Thing, auto method>
void call(int, short, void* argument) {
  auto& thing = *static_cast<Thing*>(argument);
  (thing.owner->*method)(thing);
}

// A line for the administrator that any peer can cause: at most once in ten seconds.
class RareWarning {
 public:
  [[nodiscard]] bool is_due();

 private:
  std::int64_t warned_us_{INT64_MIN};
};

struct Turn {
  bool active{false};    // it had any event
  std::size_t bytes{0};  // that were read
  std::size_t reads{0};  // connections that had some
};

class Loop {
 public:
  explicit Loop(ReactorOptions options);
  ~Loop();
  [[nodiscard]] Status open();

  // As those of Reactor.
  void set_handler(env::NetworkHandler& handler) { handler_ = &handler; }
  void stop();
  void wake();
  void wake_at(std::int64_t monotonic_us) { wake_us_ = monotonic_us; }
  void turn_again() { again_ = true; }

  // The parts of a turn, in this order.
  [[nodiscard]] bool is_stopping() const { return stopping_.load(std::memory_order_acquire); }
  void begin_turn();
  // Runs the callbacks of what is readable; waits for it unless the turn is active already.
  [[nodiscard]] Status look();
  // Looks once more if that may find anything; `connections`: how many are open.
  [[nodiscard]] Status gather(std::size_t connections);
  // Tells the handler that its date has come, and the end of an active turn.
  void end_turn();

  [[nodiscard]] Turn& turn() { return turn_; }
  // Nothing more is read in this turn.
  [[nodiscard]] bool is_full() const { return turn_.bytes >= options_.turn_bytes_max; }
  // For one call of the handler; the turn is active then.
  [[nodiscard]] env::NetworkHandler& handler() {
    turn_.active = true;
    return *handler_;
  }
  [[nodiscard]] bool has_handler() const { return handler_ != nullptr; }

  // Runs the action in the loop again and again. `what`: EV_SIGNAL, EV_READ of a descriptor, or 0: after each interval.
  [[nodiscard]] Status add_action(int number, short what, std::int64_t interval_us, std::function<void()> action);
  // Calls back whenever the descriptor is readable, as long as the event lives. `what`: its name in the error.
  [[nodiscard]] Status watch(int fd, std::string_view what, EventCall call, void* argument, Event& out);
  // To be added by event_add for each time.
  [[nodiscard]] Status make_timer(EventCall call, void* argument, Event& out);
  [[nodiscard]] event_base* base() const { return base_.get(); }
  // Of one call that reads; overwritten by the next.
  [[nodiscard]] std::span<char> buffer() { return {buffer_.get(), options_.read_bytes_max}; }

  [[nodiscard]] ReactorOptions const& options() const { return options_; }
  [[nodiscard]] ReactorCounters& counters() { return counters_; }
  [[nodiscard]] ReactorCounters const& counters() const { return counters_; }
  void warn(std::string_view text) const;

 private:
  struct Action;
  struct BaseDeleter {
    void operator()(event_base* base) const;
  };

  [[nodiscard]] Status open_base();
  [[nodiscard]] Status watch_clock();
  void interrupt();
  void arm_timer();
  void fire_timer();

  ReactorOptions const options_;
  ReactorCounters counters_;
  env::NetworkHandler* handler_{nullptr};
  std::unique_ptr<event_base, BaseDeleter> base_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> woken_{false};
  UniqueFd stop_fd_;
  Event stop_event_;
  UniqueFd clock_fd_;
  Event clock_event_;
  UniqueFd timer_fd_;
  Event timer_event_;
  std::int64_t wake_us_{INT64_MAX};   // the requested date
  std::int64_t armed_us_{INT64_MAX};  // the date of the kernel's timer, never later than wake_us_ while waiting
  std::vector<std::unique_ptr<Action>> actions_;
  std::unique_ptr<char[]> buffer_;
  bool again_{false};
  Turn turn_;
};

}  // namespace fastjournal::reactor
