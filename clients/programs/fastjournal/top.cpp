// `fastjournal top`: the daemon's figures, live. A terminal shows a screen, updated until q is pressed; otherwise one
// JSON object per line.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "clients/programs/fastjournal/rounds.h"
#include "clients/programs/fastjournal/signals.h"
#include "clients/programs/fastjournal/top_screen.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

using client::Connection;
using client::Milliseconds;
using client::Reply;
using client::Ticket;
using Steady = std::chrono::steady_clock;

// A later answer is reported as missing; meanwhile the screen is updated at the same rate.
constexpr Milliseconds kPatience{1'000};

std::int64_t wall_ms() {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Keys without line mode and echo, on the alternate screen; both are restored at the end.
class RawTerminal {
 public:
  explicit RawTerminal(std::ostream& out) : out_(out), reads_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (reads_) {
      termios raw = before_;
      raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    out_ << "\x1b[?1049h\x1b[?25l" << std::flush;
  }
  RawTerminal(RawTerminal const&) = delete;
  RawTerminal& operator=(RawTerminal const&) = delete;
  ~RawTerminal() {
    out_ << "\x1b[?25h\x1b[?1049l" << std::flush;
    if (reads_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

  [[nodiscard]] bool reads_keys() const { return reads_; }

 private:
  std::ostream& out_;
  termios before_{};
  bool reads_;
};

// Signals, keys and a timer as one descriptor, which ends any wait.
class Waker {
 public:
  explicit Waker(int signals)
      : fd_(::epoll_create1(EPOLL_CLOEXEC)), timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
    watch(signals);
    watch(timer_);
  }
  Waker(Waker const&) = delete;
  Waker& operator=(Waker const&) = delete;
  ~Waker() {
    ::close(timer_);
    ::close(fd_);
  }

  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event);
  }
  [[nodiscard]] int fd() const { return fd_; }
  // Becomes readable after `span`; replaces the previous timer.
  void in(Milliseconds span) const {
    itimerspec when{};
    // 0 would disarm the timer.
    auto const ns = std::chrono::nanoseconds(std::max(span, Milliseconds{1})).count();
    when.it_value = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    ::timerfd_settime(timer_, 0, &when, nullptr);
  }

 private:
  int fd_;
  int timer_;
};

bool is_readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

// The daemon is away or does not answer, but may come back.
bool may_come_back(Code code) { return exit_code_of(code) == ExitCode::unreachable; }

constexpr Help kEvery = daemon::watch::every;

struct TopOptions {
  OptionSet& to;
  TableName table{to, "TABLE", "this table only"};
  Duration interval{to, "--interval", kEvery.as("how often to look")};
  Number<> count{to, "--count", "end after so many looks", WholeNumbers{1}};
};

class Top {
 public:
  Top(TopOptions const& given, Call& call, Connection& connection)
      : one_(given), call_(call), connection_(connection) {}

  ExitCode run() {
    bool const lines = !call_.console.look.terminal || call_.json;
    Status const status = lines ? run_lines() : run_screen();
    return status.ok() ? ExitCode::ok : call_.complain(status);
  }

 private:
  Status run_lines() {
    std::uint64_t left = one_.count.value_or(UINT64_MAX);
    if (Status const status = begin(); ended_ || !status.ok()) return ended_ ? Status{} : status;
    while (true) {
      Result<Message> push = connection_.wait_push(every() + connection_.options().time_limit, signals_.fd());
      if (handle_signals(); ended_) return {};
      if (!push.ok() && heard_signal_) continue;
      if (!push.ok()) return push.status();
      Result<bool> const is_whole = rounds_.take(std::move(push).value());
      if (!is_whole.ok()) return is_whole.status();
      if (!is_whole.value() || !is_shown()) continue;
      if (Status const status = look_at_alerts(); ended_ || !status.ok()) return ended_ ? Status{} : status;
      call_.console.out << snapshot_json(rounds_.now(), wall_ms()) << std::flush;
      if (--left == 0 || !call_.console.out) return {};
    }
  }

  Status run_screen() {
    RawTerminal terminal{call_.console.out};
    draws_ = true;
    keys_ = terminal.reads_keys();
    if (keys_) waker_.watch(STDIN_FILENO);
    std::uint64_t left = one_.count.value_or(UINT64_MAX);
    Status status = begin();
    while (true) {
      if (ended_) return {};
      if (!status.ok() && !may_come_back(status.code())) return status;
      waker_.in(kPatience);
      Result<Message> push = connection_.wait_push(client::kForever, waker_.fd());
      if (!push.ok()) {
        if (push.status().code() != Code::timed_out) return push.status();
        handle();
        if (std::exchange(again_, false)) status = begin();
        continue;
      }
      Result<bool> const is_whole = rounds_.take(std::move(push).value());
      if (!is_whole.ok()) return is_whole.status();
      if (!is_whole.value() || !is_shown()) continue;
      answered_ = Steady::now();
      answered_ms_ = wall_ms();
      status = look_at_alerts();
      if (ended_) return {};
      draw();
      if (--left == 0) return {};
    }
  }

  void draw() {
    Window window{.first = first_, .look = call_.console.look};
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
      window.width = size.ws_col;
      window.height = size.ws_row;
    }
    std::optional<Silence> silence;
    Steady::time_point const now = Steady::now();
    if (now - answered_ >= every() + kPatience)
      silence = Silence{answered_ms_, std::chrono::duration_cast<Milliseconds>(now - answered_).count()};
    call_.console.out << render_screen(rounds_.now(), call_.server, window, silence) << std::flush;
  }

  // As the daemon has it: rounds that it sends more often than is wanted are not shown.
  [[nodiscard]] Milliseconds every() const {
    return Milliseconds{std::clamp<std::int64_t>(wanted_ms(), kEvery.least, kEvery.most)};
  }
  [[nodiscard]] std::int64_t wanted_ms() const { return one_.interval.value_or(DurationMs{kEvery.absent}).value; }
  bool is_shown() {
    if (shown_date_ != 0 && rounds_.date() - shown_date_ < wanted_ms() - every().count() / 2) return false;
    shown_date_ = rounds_.date();
    return true;
  }

  // The first round comes at once. Again: so does the next one.
  Status begin() {
    Message command{"WATCH"};
    if (!call_.table.empty()) command.set("table", call_.table);
    command.set_integer("every", every().count());
    Result<Reply> const reply = ask(command);
    if (reply.ok() || may_come_back(reply.status().code())) connection_.keep(command);
    return reply.status();
  }

  // Not ok: those of before stay.
  Status look_at_alerts() {
    if (rounds_.alerts() == 0) {
      rounds_.now().alerts.clear();
      return {};
    }
    Message alerts{"ALERTS"};
    if (!call_.table.empty()) alerts.set("table", call_.table);
    Result<Reply> raised = ask(alerts);
    if (!raised.ok()) return raised.status();
    rounds_.now().alerts.clear();
    for (Message& message : raised->messages)
      if (message.command == "ALERT") rounds_.now().alerts.push_back(std::move(message));
    return {};
  }

  // Waits for the answer, and handles keys and signals meanwhile; if one of them ends the program, there is no answer.
  Result<Reply> ask(Message const& command) {
    Status const given_up{Code::timed_out, "ended before there was an answer"};
    Steady::time_point const until = Steady::now() + connection_.options().time_limit;
    Result<Ticket> ticket = given_up;
    do {
      waker_.in(kPatience);
      ticket = connection_.send(command, waker_.fd());
      if (ticket.ok()) break;
      handle();
      if (ended_ || ticket.status().code() != Code::timed_out || Steady::now() >= until) return ticket.status();
    } while (true);
    waker_.in(kPatience);
    while (!connection_.wait_answer(ticket.value(), client::kForever, waker_.fd())) {
      handle();
      if (ended_) return given_up;
      waker_.in(kPatience);
    }
    return connection_.receive(ticket.value());
  }

  // Handles the events of the waker. The timer only needs to be set again.
  void handle() {
    waker_.in(kPatience);
    handle_signals();
    if (keys_ && is_readable(STDIN_FILENO)) read_keys();
    if (draws_ && !ended_) draw();
  }

  void handle_signals() {
    heard_signal_ = false;
    while (int const number = signals_.next()) {
      heard_signal_ = true;
      if (number != SIGWINCH) ended_ = true;
    }
  }

  void read_keys() {
    char keys[64];
    ssize_t const got = ::read(STDIN_FILENO, keys, sizeof keys);
    std::string_view const text{keys, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
    if (text.empty() || text.find_first_of("qQ\x03\x04") != std::string_view::npos) ended_ = true;
    if (text == " ") again_ = true;
    if ((text == "\x1b[A" || text == "k") && first_ > 0) --first_;
    if ((text == "\x1b[B" || text == "j") && first_ + 1 < rounds_.now().tables.size()) ++first_;
  }

  TopOptions const& one_;
  Call& call_;
  Connection& connection_;
  SignalQueue signals_{SIGINT, SIGTERM, SIGHUP, SIGWINCH};
  Waker waker_{signals_.fd()};
  Rounds rounds_;
  std::int64_t shown_date_{0};  // the daemon's, of the round that was shown last
  std::size_t first_{0};
  bool draws_{false};
  bool keys_{false};
  bool ended_{false};
  bool again_{false};  // a look is wanted at once
  bool heard_signal_{false};
  Steady::time_point answered_{Steady::now()};
  std::int64_t answered_ms_{wall_ms()};
};

struct TopVerb {
  OptionSet& to;
  TopOptions given{to};

  ExitCode run(Call& call) {
    client::Options options = connection_options(call);
    // A person is waiting.
    options.back_off = {kPatience};
    Result<std::unique_ptr<Connection>> const connection = Connection::open(std::move(options));
    if (!connection.ok()) return call.complain(connection.status());
    return Top{given, call, *connection.value()}.run();
  }
};

constexpr Verb kTop[]{
    {"top", "watch tables, rates, lateness and alerts live; q ends", Needs::daemon, declare<TopVerb>,
     "fastjournal top --interval 5s",
     "q ends, a blank looks at once, arrows (or j and k) scroll. STATE is open, PAUSED, DRAINS or FAILS (most attempts "
     "of\nthe last minutes failed); WAIT are rows with a date to come, FAIL/s attempts a second that failed, LATE99 "
     "and WORK99 the\n99th percentile of lateness and of the time from lease to DONE in the last minute. Figures for "
     "which the screen is too\nnarrow are left out. The figures are those of `watch`. A daemon that says nothing is "
     "waited for. Without a terminal, or\nwith --json, each look is one JSON object a line."},
};

}  // namespace

Verbs top_verbs() { return kTop; }

}  // namespace fastjournal::cli
