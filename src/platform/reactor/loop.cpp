// See loop.h.
#include "platform/reactor/loop.h"

#include <errno.h>
#include <event2/event.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace fastjournal::reactor {
namespace {

constexpr std::int64_t kWarnAgainAfterUs = 10'000'000;

// Resets an eventfd or a timerfd, also if there is nothing to read.
void drain(int fd) {
  std::uint64_t count = 0;
  [[maybe_unused]] ssize_t const got = ::read(fd, &count, sizeof count);
}

}  // namespace

// Of a signal, a descriptor or an interval.
struct Loop::Action {
  Loop* owner{nullptr};
  std::function<void()> action;
  Event raised;
};

void EventDeleter::operator()(event* one) const { event_free(one); }
void Loop::BaseDeleter::operator()(event_base* base) const { event_base_free(base); }

bool RareWarning::is_due() {
  std::int64_t const now_us = monotonic_us();
  if (warned_us_ != INT64_MIN && now_us - warned_us_ < kWarnAgainAfterUs) return false;
  warned_us_ = now_us;
  return true;
}

Loop::Loop(ReactorOptions options)
    : options_(std::move(options)), buffer_(std::make_unique_for_overwrite<char[]>(options_.read_bytes_max)) {}

Loop::~Loop() = default;

Status Loop::open() {
  if (Status opened = open_base(); !opened.ok()) return opened;
  constexpr std::string_view kOwn = "a descriptor of the event loop";
  stop_fd_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!stop_fd_.valid()) return system_failure("eventfd", "of the event loop", errno);
  auto const woken = [](int fd, short, void*) { drain(fd); };
  if (Status made = watch(stop_fd_.get(), kOwn, woken, this, stop_event_); !made.ok()) return made;

  if (Status watched = watch_clock(); !watched.ok()) return watched;

  // A timer of our own with the exact date; a date that passes during sleep fires on wake-up. Median lateness
  // (fj_measure reactor, 2 virtual cores): 0.045 ms. libevent's default timer: 2.9 ms, and no less with 1 us
  // of timer slack. Its precise timer: 0.05 ms, at the cost of one more system call per turn; this one needs a call
  // only if the date moves forward.
  timer_fd_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer_fd_.valid()) return system_failure("timerfd_create", "of the event loop", errno);
  auto const rang = [](int fd, short, void* self) {
    drain(fd);
    static_cast<Loop*>(self)->armed_us_ = INT64_MAX;
  };
  return watch(timer_fd_.get(), kOwn, rang, this, timer_event_);
}

Status Loop::open_base() {
  std::unique_ptr<event_config, decltype(&event_config_free)> const config{event_config_new(), &event_config_free};
  if (!config) return {Code::unavailable, "event loop: out of memory"};
  // epoll is required: the edge-triggered watch of Connections::end_input depends on it.
  event_config_require_features(config.get(), EV_FEATURE_ET | EV_FEATURE_O1);
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK);
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_IGNORE_ENV);
  base_.reset(event_base_new_with_config(config.get()));
  if (!base_) return {Code::unavailable, "event loop: libevent offers no epoll here; Linux is needed"};
  return {};
}

// Not a reason to refuse a start: without the watch, the time is only compared now and then.
Status Loop::watch_clock() {
  Result<UniqueFd> clock = options_.watch_clock();
  if (!clock.ok()) {
    warn("clocks that are set are noticed with the next message only: " + clock.status().message());
    return {};
  }
  clock_fd_ = std::move(clock).value();
  auto const was_set = [](int fd, short, void* self) {
    drain(fd);
    static_cast<Loop*>(self)->handler().on_clock_set();
  };
  return watch(clock_fd_.get(), "a descriptor of the event loop", was_set, this, clock_event_);
}

Status Loop::watch(int fd, std::string_view what, EventCall call, void* argument, Event& out) {
  out.reset(event_new(base_.get(), fd, EV_READ | EV_PERSIST, call, argument));
  if (!out || event_add(out.get(), nullptr) != 0) return system_failure("watch", what, errno);
  return {};
}

Status Loop::make_timer(EventCall call, void* argument, Event& out) {
  out.reset(event_new(base_.get(), -1, 0, call, argument));
  if (!out) return {Code::unavailable, "event loop: out of memory"};
  return {};
}

void Loop::warn(std::string_view text) const {
  if (options_.warn) options_.warn(text);
}

Status Loop::add_action(int number, short what, std::int64_t interval_us, std::function<void()> action) {
  auto made = std::make_unique<Action>();
  made->owner = this;
  made->action = std::move(action);
  auto const call = [](int, short, void* argument) {
    auto& self = *static_cast<Action*>(argument);
    self.owner->turn_.active = true;
    self.action();
  };
  made->raised.reset(event_new(base_.get(), number, static_cast<short>(what | EV_PERSIST), call, made.get()));
  timeval const interval{interval_us / 1'000'000, interval_us % 1'000'000};
  if (!made->raised || event_add(made->raised.get(), interval_us > 0 ? &interval : nullptr) != 0)
    return system_failure(
        "watch", number < 0 ? "an interval" : fmt::format("{} {}", what == EV_READ ? "descriptor" : "signal", number),
        errno);
  actions_.push_back(std::move(made));
  return {};
}

void Loop::stop() {
  stopping_.store(true, std::memory_order_release);
  interrupt();
}

void Loop::wake() {
  woken_.store(true, std::memory_order_release);
  interrupt();
}

void Loop::interrupt() {
  std::uint64_t const one = 1;
  // Fails only if the counter is full, and then the loop wakes anyway.
  [[maybe_unused]] ssize_t const put = ::write(stop_fd_.get(), &one, sizeof one);
}

void Loop::begin_turn() {
  turn_ = {.active = std::exchange(again_, false)};
  ++counters_.looks;
}

Status Loop::look() {
  bool const wait = !turn_.active;
  if (wait) arm_timer();
  // Calling the loop once per turn is the cheapest hook for the end of a turn: it needs no event of our own.
  if (event_base_loop(base_.get(), EVLOOP_ONCE | (wait ? 0 : EVLOOP_NONBLOCK)) >= 0) return {};
  return system_failure("wait for", "events", errno);
}

Status Loop::gather(std::size_t connections) {
  // A peer that was read in this turn usually sends nothing more before its answer.
  if (!turn_.active || !options_.gather || turn_.reads >= connections || is_full()) return {};
  ++counters_.looks;
  return look();
}

void Loop::end_turn() {
  if (woken_.exchange(false, std::memory_order_acq_rel)) turn_.active = true;
  fire_timer();
  if (!turn_.active) return;
  ++counters_.turns;
  handler_->on_turn_end();
}

void Loop::arm_timer() {
  // A timer set too early costs only an idle turn; moving it with every change of the date would cost a call per turn.
  if (wake_us_ >= armed_us_) return;
  std::int64_t const at_us = std::max<std::int64_t>(wake_us_, 1);  // zero would disarm it
  itimerspec date{};
  date.it_value.tv_sec = at_us / 1'000'000;
  date.it_value.tv_nsec = (at_us % 1'000'000) * 1000;
  FJ_CHECK(::timerfd_settime(timer_fd_.get(), TFD_TIMER_ABSTIME, &date, nullptr) == 0,
           "a valid date is always accepted");
  armed_us_ = wake_us_;
}

void Loop::fire_timer() {
  if (wake_us_ == INT64_MAX || monotonic_us() < wake_us_) return;
  wake_us_ = INT64_MAX;
  handler().on_timer();
}

}  // namespace fastjournal::reactor
