#include "clients/cli/top.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>

#include "clients/cli/signals.h"
#include "clients/cli/top_screen.h"

namespace fastjournal::cli {
namespace {

using client::Connection;
using client::Reply;

// Keys come one by one and unseen, on a screen of its own; as before when it ends.
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

enum class Event : std::uint8_t { time, redraw, end };

class Top {
 public:
  Top(Invocation const& invocation, Console& console, Connection& connection)
      : one_(invocation), console_(console), connection_(connection) {}

  ExitCode run() {
    SignalQueue signals{SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    if (!console_.look.terminal || one_.json) return run_lines(signals);
    Status status;
    {
      RawTerminal terminal{console_.out};
      keys_ = terminal.reads_keys();
      status = run_screen(signals);
    }
    return status.ok() ? ExitCode::ok : complain(one_, console_, status);
  }

 private:
  ExitCode run_lines(SignalQueue& signals) {
    std::uint64_t left = one_.count.value_or(UINT64_MAX);
    while (true) {
      if (Status const status = look(); !status.ok()) return complain(one_, console_, status);
      auto const wall = std::chrono::system_clock::now().time_since_epoch();
      console_.out << snapshot_json(now_, std::chrono::duration_cast<std::chrono::milliseconds>(wall).count())
                   << std::flush;
      if (--left == 0 || !console_.out) return ExitCode::ok;
      Event event = Event::redraw;
      while (event == Event::redraw) event = wait(signals);
      if (event == Event::end) return ExitCode::ok;
    }
  }

  Status run_screen(SignalQueue& signals) {
    std::uint64_t left = one_.count.value_or(UINT64_MAX);
    while (true) {
      if (Status status = look(); !status.ok()) return status;
      Event event = Event::redraw;
      while (event == Event::redraw) {
        draw();
        if (left <= 1) return {};
        event = wait(signals);
      }
      if (event == Event::end) return {};
      --left;
    }
  }

  void draw() {
    Window window{.first = first_};
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
      window.width = size.ws_col;
      window.height = size.ws_row;
    }
    console_.out << render_screen(now_, one_.server, window) << std::flush;
  }

  // A new snapshot, with what happened since the one before.
  Status look() {
    Snapshot next;
    Message stats{"STATS"};
    Message alerts{"ALERTS"};
    if (!one_.table.empty()) {
      stats.set("table", one_.table);
      alerts.set("table", one_.table);
    }
    Result<Reply> told = connection_.call(stats);
    if (!told.ok()) return told.status();
    next.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    for (Message& message : told->messages)
      if (message.has("table"))
        next.tables.push_back(std::move(message));
      else
        next.daemon = std::move(message);
    Result<Reply> raised = connection_.call(alerts);
    if (!raised.ok()) return raised.status();
    for (Message& message : raised->messages)
      if (message.command == "ALERT") next.alerts.push_back(std::move(message));
    add_rates(now_, next);
    now_ = std::move(next);
    due_ = std::chrono::steady_clock::now() + std::chrono::milliseconds{one_.interval ? one_.interval->value : 1000};
    return {};
  }

  // Until the next look is due, or a key or signal says something.
  Event wait(SignalQueue& signals) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(due_ - std::chrono::steady_clock::now()).count();
    pollfd watched[2]{{signals.fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    int const ready = ::poll(watched, keys_ ? 2 : 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 86'400'000)));
    if (ready <= 0) return Event::time;
    if (watched[0].revents != 0) {
      int const number = signals.next();
      return number == SIGWINCH || number == 0 ? Event::redraw : Event::end;
    }
    return read_keys();
  }

  Event read_keys() {
    char keys[64];
    ssize_t const got = ::read(STDIN_FILENO, keys, sizeof keys);
    if (got <= 0) return Event::end;
    std::string_view const text{keys, static_cast<std::size_t>(got)};
    if (text.find_first_of("qQ\x03\x04") != std::string_view::npos) return Event::end;
    if (text == " ") return Event::time;
    if ((text == "\x1b[A" || text == "k") && first_ > 0) --first_;
    if ((text == "\x1b[B" || text == "j") && first_ + 1 < now_.tables.size()) ++first_;
    return Event::redraw;
  }

  Invocation const& one_;
  Console& console_;
  Connection& connection_;
  Snapshot now_;
  std::size_t first_{0};
  bool keys_{false};
  std::chrono::steady_clock::time_point due_{};
};

}  // namespace

ExitCode top(Invocation const& invocation, Console& console) {
  Result<std::unique_ptr<Connection>> const connection = connect(invocation);
  if (!connection.ok()) return complain(invocation, console, connection.status());
  return Top{invocation, console, *connection.value()}.run();
}

}  // namespace fastjournal::cli
