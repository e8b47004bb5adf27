// pause, drain, resume: what a table takes and hands out. apply and reload: the tables folder, as it is now, becomes
// what the daemon serves. stop: the daemon ends.
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

// user@host: the sender, for people.
std::string who_am_i() {
  passwd const* const user = ::getpwuid(::geteuid());
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::string const name = user == nullptr ? std::to_string(::geteuid()) : user->pw_name;
  return name + "@" + host;
}

struct SetMode {
  std::string_view command;
  std::string_view done;
};
constexpr SetMode kPauseMode{"PAUSE", "is paused: nothing is handed out until `resume`"};
constexpr SetMode kDrainMode{"DRAIN", "drains: inserts are refused until `resume`"};
constexpr SetMode kResumeMode{"RESUME", "is open again"};

struct Stand {
  OptionSet& to;
  SetMode const* mode;
  Text reason{to, "--reason", journal::pause::reason.as("why, for those who ask")};
  Text worker{to, "--worker", "worker name, shown as the lease holder (default: user@host)"};

  ExitCode run(Call& call) {
    std::string const who = worker.or_else(who_am_i());
    Message command = call.about_table(mode->command, to);
    command.set("worker", who);
    return call.report(command, [&](Message const& answer) {
      return fmt::format("table {} {}", call.table,
                         answer.text("was") == "open" && mode == &kResumeMode ? "was open already" : mode->done);
    });
  }
};

constexpr char kNeedsAdmin[] = "Needs the right admin: the administrator's socket.";

Result<Message> reload(Call& call, bool is_dry) {
  Message command = call.about_table("RELOAD");
  if (is_dry) command.set_integer("dry_run", 1);
  return call.ask(command);
}

ExitCode show_reloaded(Call& call, Result<Message> const& answer, bool is_dry) {
  if (!answer.ok()) return call.complain(answer.status());
  std::string_view const changes = answer->text("changes");
  return call.say(answer.value(), !changes.empty() ? changes : is_dry ? "nothing would change" : "nothing to change");
}

constexpr char kOnlyTable[] = "this table only";
constexpr char kOnlyShow[] = "show what would change, and change nothing";

struct Reload {
  OptionSet& to;
  TableName table{to, "TABLE", kOnlyTable};
  Flag dry_run{to, "--dry-run", kOnlyShow};

  ExitCode run(Call& call) { return show_reloaded(call, reload(call, dry_run), dry_run); }
};

struct Apply {
  OptionSet& to;
  TableName table{to, "TABLE", kOnlyTable};
  Flag yes{to, "--yes", "do not ask"};
  Flag dry_run{to, "--dry-run", kOnlyShow, excludes(yes)};

  ExitCode run(Call& call) {
    if (!yes) {
      Result<Message> const would = reload(call, true);
      std::string const changes{would.ok() ? would->text("changes") : std::string_view{}};
      if (dry_run || changes.empty()) return show_reloaded(call, would, true);
      if (!call.is_confirmed(changes + "\napply this?")) {
        call.console.err << "nothing was changed\n";
        return ExitCode::nothing;
      }
    }
    return show_reloaded(call, reload(call, false), false);
  }
};

struct StopDaemon {
  OptionSet& to;

  ExitCode run(Call& call) {
    client::Options options = connection_options(call);
    // The connection is expected to end: do not reconnect.
    options.back_off.clear();
    Result<std::unique_ptr<client::Connection>> const opened = client::Connection::open(std::move(options));
    if (!opened.ok()) return call.unconnected(opened.status());
    client::Connection& connection = *opened.value();
    Result<client::Reply> const answer = connection.call("STOP");
    if (!answer.ok()) return call.complain(answer.status());
    auto const until = std::chrono::steady_clock::now() + call.time_limit();
    while (true) {
      auto const left = std::chrono::ceil<client::Milliseconds>(until - std::chrono::steady_clock::now());
      Status const waited = connection.wait_push(std::max(left, client::Milliseconds{0})).status();
      if (waited.code() == Code::closed) break;
      if (!waited.ok()) return call.complain({Code::timed_out, "the daemon is stopping, and has not ended yet"});
    }
    Message stopped("STOPPED");
    stopped.set("server", call.server);
    return call.say(stopped, "the daemon has stopped");
  }
};

constexpr Verb kKeeperVerbs[]{
    {"pause", "hand out nothing more; leases go on, inserts are taken", Needs::table, declare<Stand, &kPauseMode>,
     "fastjournal pause pages --reason 'the backend is being upgraded' --worker anna"},
    {"drain", "refuse inserts; work goes on until the table is empty", Needs::table, declare<Stand, &kDrainMode>,
     "fastjournal drain pages --reason 'the table moves'"},
    {"resume", "end a pause or a drain", Needs::table, declare<Stand, &kResumeMode>, "fastjournal resume pages"},
    {"apply", "take the tables folder as it is now (RELOAD): show what would change, ask, do it", Needs::connection,
     declare<Apply>, "fastjournal apply --dry-run", kNeedsAdmin},
    {"reload", "the same as apply --yes", Needs::connection, declare<Reload>, "fastjournal reload pages", kNeedsAdmin},
    {"stop", "end the daemon cleanly, and wait until it has ended (--timeout: how long)", Needs::daemon,
     declare<StopDaemon>, "fastjournal stop --timeout 1m", kNeedsAdmin},
};

}  // namespace

Verbs keeper_verbs() { return kKeeperVerbs; }

}  // namespace fastjournal::cli
