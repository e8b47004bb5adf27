// The command `kv lock`: runs a command while the value of a key is locked. Apart from the other commands of key/value
// tables because the lock belongs to the connection, which must be there as long as the command runs.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "clients/cpp/key_value.h"
#include "clients/cpp/socket.h"
#include "clients/programs/fastjournal/child.h"
#include "clients/programs/fastjournal/signals.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {

namespace {

using client::Milliseconds;
using client::Moment;

constexpr DurationMs kLock{60'000};
// While COMMAND runs, an absent daemon may delay us by no more than this.
constexpr Milliseconds kLockCallMax{5'000};
// The early end of another client's lock is not reported.
constexpr Milliseconds kPause{200};
constexpr Milliseconds kLookMax{200};
constexpr std::chrono::seconds kLockPatienceAfterTerm{10};

Moment lock_now() { return std::chrono::steady_clock::now(); }

// The terminal has sent its SIGINT to COMMAND as well.
bool has_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

struct LockOptions {
  OptionSet& to;
  TableName table{to};
  Text key{to, "KEY", "the key", required};
  CommandWords command{to};
  Duration lock{to, "--lock", "renewed at half of it while COMMAND runs (default 60s)"};
  Duration wait{to, "--wait", "wait so long for somebody else's lock (default: not at all)"};
  Flag create{to, "--create", "if there is no value, make one of type void"};
};

class Locker {
 public:
  Locker(LockOptions const& given, Call& call) : one_(given), call_(call) {}
  Locker(Locker const&) = delete;
  Locker& operator=(Locker const&) = delete;

  ExitCode run();

 private:
  // Empty: the value is locked. Else the exit code.
  std::optional<ExitCode> take();
  Status create();
  ExitCode hold(Child& child);
  void wait(Moment until);
  void renew();
  void lose(std::string const& why);
  // The number of a signal that ends us, or 0.
  int pass_signals_on(Child const* child);
  [[nodiscard]] DurationMs span() const { return one_.lock.value_or(kLock); }

  LockOptions const& one_;
  Call& call_;
  SignalQueue signals_{SIGTERM, SIGINT, SIGHUP, SIGCHLD};
  std::unique_ptr<client::Connection> connection_;
  std::optional<client::KeyValue> table_;
  Moment lock_end_{};
  bool has_lock_{false};
  std::string lost_;  // the reason; empty: it is not
};

ExitCode Locker::run() {
  // Before the lock is taken.
  if (Status const found = Child::find(one_.command); !found.ok()) return call_.misuse(found.message());
  if (!signals_.ok()) return call_.complain(Status(Code::io_error, "cannot read signals from a descriptor"));
  client::Options options = connection_options(call_);
  options.time_limit = std::min(options.time_limit, kLockCallMax);
  options.on_connection = [this](Status const& how) {
    if (!how.ok() && has_lock_) lose(how.message());
  };
  Result<std::unique_ptr<client::Connection>> opened = client::Connection::open(std::move(options));
  if (!opened.ok()) return call_.unconnected(opened.status());
  connection_ = std::move(opened).value();
  table_.emplace(*connection_, call_.table);
  if (std::optional<ExitCode> const code = take()) return *code;
  call_.console.out.flush();
  Result<Child> child = Child::start_in_foreground(one_.command);
  if (!child.ok()) {
    static_cast<void>(table_->unlock(one_.key));
    return call_.misuse(child.status().message());
  }
  return hold(child.value());
}

std::optional<ExitCode> Locker::take() {
  Moment const until = lock_now() + Milliseconds{one_.wait ? one_.wait->value : 0};
  bool creates = one_.create;
  while (true) {
    Moment const asked = lock_now();
    Result<TimeMs> const locked = table_->lock(one_.key, span());
    if (locked.ok()) {
      has_lock_ = true;
      lock_end_ = asked + Milliseconds{span().value};
      return std::nullopt;
    }
    Status status = locked.status();
    if (status.code() == Code::not_found && std::exchange(creates, false)) {
      status = create();
      if (status.ok()) continue;
    }
    if (status.code() == Code::not_found) {
      call_.tell(status, {}, "only a value can be locked: --create makes one of type void");
      return ExitCode::refused;
    }
    if (status.code() != Code::in_use || lock_now() >= until) {
      ExitCode const code = call_.complain(status);
      return status.code() == Code::in_use ? ExitCode::nothing : code;
    }
    wait(std::min(until, lock_now() + kPause));
    if (int const number = pass_signals_on(nullptr)) return static_cast<ExitCode>(128 + number);
  }
}

Status Locker::create() {
  Result<client::Stored> const stored = table_->set(one_.key, {}, {.overwrite = false});
  return stored.status();
}

ExitCode Locker::hold(Child& child) {
  Moment kill_at = Moment::max();
  bool told = false;
  while (!child.reap()) {
    Moment const renew_at = lock_end_ - Milliseconds{span().value / 2};
    wait(lost_.empty() ? renew_at : kill_at);
    static_cast<void>(pass_signals_on(&child));
    if (lost_.empty() && lock_now() >= renew_at) renew();
    if (!lost_.empty() && !std::exchange(told, true)) {
      static_cast<void>(call_.complain({Code::closed, "the lock is lost: " + lost_}));
      child.signal(SIGTERM);
      kill_at = lock_now() + kLockPatienceAfterTerm;
    }
    if (lock_now() >= kill_at) {
      child.signal(SIGKILL);
      kill_at = Moment::max();
    }
  }
  if (!lost_.empty()) return ExitCode::refused;
  static_cast<void>(table_->unlock(one_.key));
  Child::End const end = child.how();
  return static_cast<ExitCode>(end.signal != 0 ? 128 + end.signal : end.status);
}

// For a signal, the end of the connection, or the time.
void Locker::wait(Moment until) {
  if (lost_.empty()) {
    // It goes on with a new connection; that there is a loss is seen here.
    auto const left = std::chrono::ceil<Milliseconds>(until - lock_now());
    Result<Message> const push = connection_->wait_push(std::clamp(left, Milliseconds{0}, kLookMax), signals_.fd());
    if (push.ok() || push.status().code() == Code::timed_out) return;
    if (has_lock_) return lose(push.status().message());
  }
  using namespace std::chrono;
  auto const left = until == Moment::max() ? milliseconds{1'000} : ceil<milliseconds>(until - lock_now());
  pollfd one{signals_.fd(), POLLIN, 0};
  ::poll(&one, 1, static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 1'000)));
}

void Locker::renew() {
  Moment const asked = lock_now();
  Result<TimeMs> const renewed = table_->lock(one_.key, span());
  if (renewed.ok() && lost_.empty()) {
    lock_end_ = asked + Milliseconds{span().value};
    return;
  }
  if (!lost_.empty()) return;
  // An answer may be late; the lock is over only with its time.
  if (renewed.status().code() == Code::timed_out && lock_now() < lock_end_ - kLockCallMax) return;
  lose(renewed.status().message());
}

void Locker::lose(std::string const& why) {
  if (lost_.empty()) lost_ = why;
}

int Locker::pass_signals_on(Child const* child) {
  int stop = 0;
  while (int const number = signals_.next()) {
    if (number == SIGCHLD) continue;
    stop = number;
    if (child != nullptr && !(number == SIGINT && has_terminal())) child->signal(number);
  }
  return stop;
}

struct KvLock {
  OptionSet& to;
  LockOptions given{to};

  std::string contradiction(Globals const& /*all*/) const {
    return given.command.empty()
               ? "kv lock needs a command to run: fastjournal kv lock TABLE KEY [OPTIONS] -- COMMAND..."
               : "";
  }

  ExitCode run(Call& call) { return Locker(given, call).run(); }
};

constexpr Verb kKvLock[]{
    {"kv lock", "run COMMAND while no other client can change the value: `... -- COMMAND...`", Needs::daemon,
     declare<KvLock>, "fastjournal kv lock values nightly --create --wait 10m -- ./nightly.sh",
     "COMMAND has our input, output and terminal. Exit code: that of COMMAND, 128 and its number after a signal; 4 if\n"
     "somebody else has the lock. The lock belongs to our connection: if that is lost, COMMAND gets a SIGTERM, after\n"
     "10 s a SIGKILL, and the exit code is 1. Whoever only reads is not kept out."},
};

}  // namespace

Verbs lock_verbs() { return kKvLock; }

}  // namespace fastjournal::cli
