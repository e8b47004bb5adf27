// The loop: turns, timer, signals, and input of connections. accept.cpp has the accepting, output.cpp the sending.
#include "platform/reactor/reactor.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "platform/reactor/connection.h"

namespace fastjournal::reactor {
namespace {

// Resets an eventfd or a timerfd, also if there is nothing to read.
void drain(int fd) {
  std::uint64_t count = 0;
  [[maybe_unused]] ssize_t const got = ::read(fd, &count, sizeof count);
}

std::string_view reason_of(int error) {
  return error == 0 || error == EPIPE ? std::string_view{"closed by peer"} : error_words(error);
}

}  // namespace

void discard_input(int fd) {
  constexpr std::size_t kDiscardBytesMax = 1U << 20U;
  char discarded[16U << 10U];  // not the loop's buffer: the handler may still be using it
  std::size_t total = 0;
  while (total < kDiscardBytesMax) {
    ssize_t const got = ::recv(fd, discarded, sizeof discarded, MSG_DONTWAIT);
    if (got <= 0) return;
    total += static_cast<std::size_t>(got);
  }
}

void Reactor::EventDeleter::operator()(event* one) const { event_free(one); }
void Reactor::BaseDeleter::operator()(event_base* base) const { event_base_free(base); }

Reactor::Reactor(ReactorOptions options)
    : options_(std::move(options)), buffer_(std::make_unique_for_overwrite<char[]>(options_.read_bytes_max)) {}

Reactor::~Reactor() {
  for (std::unique_ptr<Connection> const& connection : connections_)
    if (connection->id != ConnectionId::none) release(*connection);
}

Result<std::unique_ptr<Reactor>> Reactor::create(ReactorOptions options) {
  FJ_CHECK(options.read_bytes_max > 0 && options.turn_bytes_max > 0 && options.accepts_max > 0,
           "a limit of 0 stops the loop");
  std::unique_ptr<Reactor> out{new Reactor(std::move(options))};
  if (Status opened = out->open(); !opened.ok()) return opened;
  return out;
}

Status Reactor::make_event(int fd, void (*call)(int, short, void*), Event& out) {
  out.reset(event_new(base_.get(), fd, EV_READ | EV_PERSIST, call, this));
  if (!out || event_add(out.get(), nullptr) != 0)
    return system_failure("watch", "a descriptor of the event loop", errno);
  return {};
}

Status Reactor::open() {
  std::unique_ptr<event_config, decltype(&event_config_free)> const config{event_config_new(), &event_config_free};
  if (!config) return Status{Code::unavailable, "event loop: out of memory"};
  // epoll is required: the edge-triggered watch of end_input depends on it.
  event_config_require_features(config.get(), EV_FEATURE_ET | EV_FEATURE_O1);
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK);
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_IGNORE_ENV);
  base_.reset(event_base_new_with_config(config.get()));
  if (!base_) return Status{Code::unavailable, "event loop: libevent offers no epoll here; Linux is needed"};

  stop_fd_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!stop_fd_.valid()) return system_failure("eventfd", "of the event loop", errno);
  if (Status made = make_event(
          stop_fd_.get(), [](int fd, short, void*) { drain(fd); }, stop_event_);
      !made.ok())
    return made;

  if (Status watched = watch_clock(); !watched.ok()) return watched;

  // A timer of our own with the exact date; a date that passes during sleep fires on wake-up. Median lateness
  // (fj_measure reactor, 2 virtual cores): 0.045 ms. libevent's default timer: 2.9 ms, and no less with 1 us
  // of timer slack. Its precise timer: 0.05 ms, at the cost of one more system call per turn; this one needs a call
  // only if the date moves forward.
  timer_fd_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer_fd_.valid()) return system_failure("timerfd_create", "of the event loop", errno);
  auto const rang = [](int fd, short, void* self) {
    drain(fd);
    static_cast<Reactor*>(self)->armed_us_ = INT64_MAX;
  };
  if (Status made = make_event(timer_fd_.get(), rang, timer_event_); !made.ok()) return made;

  return prepare_accepting();
}

// Not a reason to refuse a start: without the watch, the time is only compared now and then.
Status Reactor::watch_clock() {
  Result<UniqueFd> clock = options_.watch_clock();
  if (!clock.ok()) {
    warn("clocks that are set are noticed with the next message only: " + clock.status().message());
    return {};
  }
  clock_fd_ = std::move(clock).value();
  auto const was_set = [](int fd, short, void* argument) {
    drain(fd);
    auto& self = *static_cast<Reactor*>(argument);
    self.active_ = true;
    self.handler_->on_clock_set();
  };
  return make_event(clock_fd_.get(), was_set, clock_event_);
}

Status Reactor::on_signal(int number, std::function<void()> action) {
  return add_action(number, EV_SIGNAL, 0, std::move(action));
}

Status Reactor::on_interval(std::int64_t interval_us, std::function<void()> action) {
  FJ_CHECK(interval_us > 0, "an interval takes time");
  return add_action(-1, 0, interval_us, std::move(action));
}

Status Reactor::on_readable(int fd, std::function<void()> action) {
  return add_action(fd, EV_READ, 0, std::move(action));
}

Status Reactor::add_action(int number, short what, std::int64_t interval_us, std::function<void()> action) {
  auto made = std::make_unique<Action>();
  made->owner = this;
  made->action = std::move(action);
  auto const call = [](int, short, void* argument) {
    auto& self = *static_cast<Action*>(argument);
    self.owner->active_ = true;
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

// ---------------------------------------------------------------------------
// Turns

Status Reactor::run() {
  FJ_CHECK(handler_ != nullptr, "set_handler comes before run");
  while (!stopping_.load(std::memory_order_acquire))
    if (Status done = turn(); !done.ok()) return done;
  return {};
}

void Reactor::stop() {
  stopping_.store(true, std::memory_order_release);
  std::uint64_t const one = 1;
  // Fails only if the counter is full, and then the loop wakes anyway.
  [[maybe_unused]] ssize_t const put = ::write(stop_fd_.get(), &one, sizeof one);
}

void Reactor::wake() {
  woken_.store(true, std::memory_order_release);
  std::uint64_t const one = 1;
  [[maybe_unused]] ssize_t const put = ::write(stop_fd_.get(), &one, sizeof one);
}

Status Reactor::turn() {
  active_ = std::exchange(again_, false);
  turn_bytes_ = 0;
  turn_reads_ = 0;
  handshake_steps_ = 0;
  ++counters_.looks;
  tell_ended();
  if (!waiting_.empty()) begin_waiting_handshakes();
  read_postponed();
  if (Status looked = look(!active_); !looked.ok()) return looked;
  if (active_ && gathering_may_help()) {
    ++counters_.looks;
    if (Status looked = look(false); !looked.ok()) return looked;
  }
  if (woken_.exchange(false, std::memory_order_acq_rel)) active_ = true;
  fire_timer();
  if (!active_) return {};
  ++counters_.turns;
  handler_->on_turn_end();
  return {};
}

Status Reactor::look(bool wait) {
  if (wait) arm_timer();
  // Calling the loop once per turn is the cheapest hook for the end of a turn: it needs no event of our own.
  if (event_base_loop(base_.get(), EVLOOP_ONCE | (wait ? 0 : EVLOOP_NONBLOCK)) >= 0) return {};
  return system_failure("wait for", "events", errno);
}

// A peer that was read in this turn usually sends nothing more before its answer.
bool Reactor::gathering_may_help() const {
  return options_.gather && turn_reads_ < open_ && turn_bytes_ < options_.turn_bytes_max;
}

void Reactor::arm_timer() {
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

void Reactor::fire_timer() {
  if (wake_us_ == INT64_MAX || monotonic_us() < wake_us_) return;
  wake_us_ = INT64_MAX;
  active_ = true;
  handler_->on_timer();
}

void Reactor::read_postponed() {
  if (postponed_.empty()) return;
  swap_.clear();
  swap_.swap(postponed_);
  for (ConnectionId const id : swap_) {
    Connection* const connection = find(id);
    if (connection == nullptr) continue;
    bool const shaking = connection->secure != nullptr && connection->secure->shaking;
    if (connection->secure != nullptr) connection->secure->queued = false;
    if ((shaking || !connection->paused) && !connection->input_ended) on_readable(*connection);
  }
}

void Reactor::tell_ended() {
  if (ended_.empty()) return;
  swap_.clear();
  swap_.swap(ended_);
  for (ConnectionId const id : swap_)
    if (Connection* const connection = find(id); connection != nullptr) end(*connection, connection->error);
}

// ---------------------------------------------------------------------------
// Connections

Reactor::Connection* Reactor::find(ConnectionId id) {
  auto const slot = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
  if (slot >= connections_.size()) return nullptr;
  Connection* const connection = connections_[slot].get();
  return id != ConnectionId::none && connection->id == id ? connection : nullptr;
}

Reactor::Connection& Reactor::take_slot() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(connections_.size()));
    connections_.push_back(std::make_unique<Connection>());
    connections_.back()->owner = this;
    connections_.back()->slot = free_slots_.back();
  }
  Connection& connection = *connections_[free_slots_.back()];
  free_slots_.pop_back();
  ++connection.generation;
  connection.id = ConnectionId{std::uint64_t{connection.generation} << 32U | connection.slot};
  ++open_;
  return connection;
}

// Stores the descriptor and its two watches, without starting them.
void Reactor::assign(Connection& connection, UniqueFd fd) {
  connection.fd = std::move(fd);
  connection.look = 0;
  connection.error = 0;
  connection.connecting = false;
  connection.paused = false;
  connection.input_ended = false;
  connection.output_ended = false;
  auto const readable = [](int, short, void* argument) {
    auto& self = *static_cast<Connection*>(argument);
    self.owner->on_readable(self);
  };
  auto const writable = [](int, short, void* argument) {
    auto& self = *static_cast<Connection*>(argument);
    self.owner->on_writable(self);
  };
  event_assign(&connection.readable, base_.get(), connection.fd.get(), EV_READ | EV_PERSIST, readable, &connection);
  event_assign(&connection.writable, base_.get(), connection.fd.get(), EV_WRITE, writable, &connection);
}

void Reactor::open_connection(Listener const& listener, UniqueFd fd, SocketAddress const& address) {
  PeerName peer = peer_name(fd.get(), address);
  if (listener.tls.context != nullptr)
    return has_its_share(peer.origin) ? let_wait(listener, std::move(fd), std::move(peer))
                                      : begin_handshake(listener, std::move(fd), std::move(peer));
  Connection& connection = take_slot();
  assign(connection, std::move(fd));
  if (event_add(&connection.readable, nullptr) != 0) {
    warn(fmt::format("connection of {} refused: watch its socket: {}", peer.text, error_words(errno)));
    release(connection);
    return;
  }
  ++counters_.accepted;
  active_ = true;
  handler_->on_open(connection.id, {.text = peer.text, .origin = peer.origin, .listener = listener.number});
}

void Reactor::release(Connection& connection) {
  event_del(&connection.readable);
  event_del(&connection.writable);
  if (connection.secure != nullptr) {
    if (connection.secure->shaking) end_handshake(*connection.secure);
    connection.secure.reset();
  }
  connection.fd.reset();
  connection.id = ConnectionId::none;
  --open_;
  // A slot that has used all generations is abandoned, since ids must never repeat.
  if (connection.generation != UINT32_MAX) free_slots_.push_back(connection.slot);
}

void Reactor::end(Connection& connection, int error) { end(connection, reason_of(error)); }

void Reactor::end(Connection& connection, std::string_view reason) {
  ConnectionId const id = connection.id;
  release(connection);
  active_ = true;
  handler_->on_closed(id, reason);
}

void Reactor::on_readable(Connection& connection) {
  if (connection.secure != nullptr) return on_secure_readable(connection);
  if (connection.look == counters_.looks) return;
  connection.look = counters_.looks;
  if (turn_bytes_ >= options_.turn_bytes_max) {
    postponed_.push_back(connection.id);
    again_ = true;
    return;
  }
  // One call: unread data is reported again, so reading until EAGAIN would only add cost.
  ssize_t const got = ::recv(connection.fd.get(), buffer_.get(), options_.read_bytes_max, MSG_DONTWAIT);
  if (got > 0) {
    active_ = true;
    ++turn_reads_;
    turn_bytes_ += static_cast<std::size_t>(got);
    deliver(connection.id, static_cast<std::size_t>(got));
  } else if (got == 0) {
    end_input(connection);
  } else if (errno != EAGAIN && errno != EINTR) {
    end(connection, errno);
  }
}

// What is in the buffer. Overwritten afterwards: there may be a token in it, and the next bytes may be fewer. That costs a
// hundredth of what the kernel's copy does.
void Reactor::deliver(ConnectionId id, std::size_t bytes) {
  handler_->on_bytes(id, {buffer_.get(), bytes});
  ::explicit_bzero(buffer_.get(), bytes);
}

void Reactor::end_input(Connection& connection) {
  if (connection.error != 0) {
    end(connection, connection.error);
    return;
  }
  connection.input_ended = true;
  // The end of file stays readable for ever. From here on the only possible change is the end of the connection, so an
  // edge-triggered watch wakes for that alone.
  bool const sending = event_pending(&connection.writable, EV_WRITE, nullptr) != 0;
  auto const changed = [](int, short, void* argument) {
    auto& self = *static_cast<Connection*>(argument);
    self.owner->on_change_after_input(self);
  };
  event_callback_fn const writable = event_get_callback(&connection.writable);
  event_del(&connection.readable);
  event_del(&connection.writable);
  event_assign(&connection.readable, base_.get(), connection.fd.get(), EV_READ | EV_PERSIST | EV_ET, changed,
               &connection);
  event_assign(&connection.writable, base_.get(), connection.fd.get(), EV_WRITE | EV_ET, writable, &connection);
  event_add(&connection.readable, nullptr);
  if (sending) event_add(&connection.writable, nullptr);
  active_ = true;
  ConnectionId const id = connection.id;
  handler_->on_end_of_input(id);
  // With TLS, the socket itself may stay open when both directions have ended.
  Connection* const still = find(id);
  if (still != nullptr && still->secure != nullptr && still->output_ended && !still->secure->telling_end)
    end_later(*still);
}

void Reactor::end_later(Connection& connection) {
  ended_.push_back(connection.id);
  again_ = true;
}

void Reactor::on_change_after_input(Connection& connection) {
  pollfd now{connection.fd.get(), 0, 0};
  if (::poll(&now, 1, 0) != 1 || (now.revents & (POLLHUP | POLLERR)) == 0) return;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(connection.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  end(connection, error);
}

void Reactor::on_writable(Connection& connection) {
  if (connection.secure != nullptr) return on_secure_writable(connection);
  active_ = true;
  handler_->on_writable(connection.id);
}

void Reactor::pause_reading(ConnectionId id, bool paused) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->paused == paused) return;
  connection->paused = paused;
  // Before it is open there is nothing to read, and a handshake goes on.
  bool const shaking = connection->secure != nullptr && connection->secure->shaking;
  if (connection->input_ended || connection->connecting || shaking) return;
  if (paused)
    event_del(&connection->readable);
  else
    event_add(&connection->readable, nullptr);
  // What is decrypted already does not make the socket readable.
  if (connection->secure != nullptr && !paused) read_later(*connection);
}

void Reactor::close(ConnectionId id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  if (connection->secure != nullptr) connection->secure->stream->tell_end();
  // Its last answer must not be overtaken by a reset.
  bool const may_come = !connection->input_ended && connection->error == 0 && !connection->connecting;
  UniqueFd fd;
  if (may_come) {
    event_del(&connection->readable);
    event_del(&connection->writable);
    fd = std::move(connection->fd);
  }
  release(*connection);
  if (may_come) linger(std::move(fd));
}

}  // namespace fastjournal::reactor
