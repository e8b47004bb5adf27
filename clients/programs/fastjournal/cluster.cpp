// The verbs `cluster ...`. status: the logs that the daemon shares with other nodes. step-down: it gives one to another
// node. move: a table goes from one log to another.
#include <algorithm>
#include <chrono>
#include <ostream>
#include <thread>

#include <fmt/format.h>

#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

std::string shown(Message const& message, std::string_view name) { return printable(message.text(name)); }

struct ClusterStatus {
  OptionSet& to;

  ExitCode run(Call& call) {
    Result<client::Reply> reply = call.connection().call("CLUSTER");
    if (!reply.ok()) return call.complain(reply.status());
    if (call.json) {
      call.show(reply->messages);
      return ExitCode::ok;
    }
    std::ostream& out = call.console.out;
    bool has_owner = true;
    std::vector<Message> nodes;
    auto const show_nodes = [&] {
      if (!nodes.empty()) call.show(nodes, "log");
      nodes.clear();
    };
    for (Message& one : reply.value().messages) {
      if (one.command == "NODE") {
        nodes.push_back(std::move(one));
        continue;
      }
      show_nodes();
      if (one.command == "MOVE_STATUS") {
        out << "table " << shown(one, "table") << ", from log " << shown(one, "from") << " to log " << shown(one, "to")
            << ": " << shown(one, "step") << (one.has("why") ? ": " + shown(one, "why") : "") << '\n';
        continue;
      }
      out << "log " << shown(one, "log") << ": "
          << (one.has("owner") ? "owner " + shown(one, "owner") + " at " + shown(one, "address") : "no owner")
          << "; this node, " << shown(one, "this") << ", is " << shown(one, "standing") << '\n';
      if (one.text("standing") == "unavailable" && one.has("why")) out << shown(one, "why") << '\n';
      has_owner = has_owner && one.has("owner");
    }
    show_nodes();
    return has_owner ? ExitCode::ok : ExitCode::alerts;
  }
};

struct ClusterStepDown {
  OptionSet& to;
  Text log{to, "LOG", daemon::step_down::log.as("as `cluster status` shows it"), required, alone};
  Duration rest{to, "--for", daemon::step_down::the_for.as("so long the node does not take it again")};

  ExitCode run(Call& call) {
    return call.report(call.about_table("STEP_DOWN", to),
                       [&](Message const&) { return "this node has given log " + printable(log) + " away"; });
  }
};

// How often it is asked how far the move is.
constexpr std::chrono::milliseconds kClusterLookEvery{100};

struct ClusterMove {
  OptionSet& to;
  Text table{to, "TABLE", "its file was changed, and the configuration reloaded", required, alone};

  ExitCode run(Call& call) {
    Message command("MOVE_TABLE");
    command.set("table", table);
    Result<Message> const begun = call.ask(command);
    if (!begun.ok()) return call.complain(begun.status());
    if (begun->command == "KEPT")
      return call.say(begun.value(), "table " + printable(table) + " stays in log " + shown(begun.value(), "log") +
                                         ", and is not in doubt any more");
    StatusLine line{call.console};
    for (;;) {
      Result<Message> const status = status_of_move(call);
      if (!status.ok()) return call.complain(status.status());
      std::string_view const step = status->text("step");
      std::int64_t const copied = status->integer("copied").value_or(0);
      std::string const why{status->text("why")};
      std::string const what = fmt::format("table {}, from log {} to log {}", printable(table),
                                           shown(status.value(), "from"), shown(status.value(), "to"));
      if (step == "in doubt")
        return call.complain({Code::unavailable, what + ": in doubt until that log is back: " + why});
      if (step == "stayed") return call.complain({Code::wrong_state, what + ": it stays: " + why});
      if (step == "moved") {
        line.clear();
        return call.say(status.value(), fmt::format("{}: moved, {} bytes copied, {} ms without an answer", what, copied,
                                                    status->integer("pause").value_or(0)));
      }
      line.show(fmt::format("{}: {}, {} of about {} bytes", what, step, copied,
                            std::max(status->integer("bytes").value_or(0), copied)));
      std::this_thread::sleep_for(kClusterLookEvery);
    }
  }

  // What CLUSTER tells of the move of this table; not found: there is none.
  Result<Message> status_of_move(Call& call) const {
    Result<client::Reply> reply = call.connection().call("CLUSTER");
    if (!reply.ok()) return reply.status();
    for (Message& one : reply.value().messages)
      if (one.command == "MOVE_STATUS" && one.text("table") == table) return std::move(one);
    return Status{Code::not_found,
                  "the daemon was started anew, or moves another table by now: `cluster status` and `tables` tell "
                  "where this one is"};
  }
};

constexpr Verb kClusterVerbs[]{
    {"cluster status", "show who owns each shared log, and who follows", Needs::connection, declare<ClusterStatus>,
     "fastjournal cluster status --json", "Exit code 8 if a log has no owner at this moment."},
    {"cluster step-down", "give a log to another node, while the daemon goes on", Needs::connection,
     declare<ClusterStepDown>, "fastjournal cluster step-down common --for 1m",
     "Needs the right admin, and to be sent to the node that owns the log."},
    {"cluster move", "move a table to the log that its file names, while it serves", Needs::connection,
     declare<ClusterMove>, "fastjournal cluster move jobs",
     "Waits for the end. Needs the right admin, and to be sent to the node that has the table and owns the log.\n"
     "Exit code 1: the table stays where it was; the reason is on standard error."},
};

}  // namespace

Verbs cluster_verbs() { return kClusterVerbs; }

}  // namespace fastjournal::cli
