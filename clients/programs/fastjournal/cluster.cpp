#include "clients/programs/fastjournal/cluster.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "clients/cpp/answers.h"
#include "clients/programs/fastjournal/progress.h"

namespace fastjournal::cli {
namespace {

ExitCode show_status(Invocation const& invocation, Console& console, client::Connection& connection) {
  Result<client::Reply> reply = connection.call("CLUSTER");
  if (!reply.ok()) return complain(invocation, console, reply.status());
  if (invocation.json) {
    for (Message const& one : reply->messages) console.out << render_json(one);
    return ExitCode::ok;
  }
  bool has_owner = true;
  std::vector<Message> nodes;
  auto const show_nodes = [&] {
    if (!nodes.empty()) console.out << render_table(nodes, console.look, "log");
    nodes.clear();
  };
  for (Message& one : reply.value().messages) {
    if (one.command == "NODE") {
      nodes.push_back(std::move(one));
      continue;
    }
    show_nodes();
    if (one.command == "MOVE_STATUS") {
      console.out << "table " << printable(one.text("table")) << ", from log " << printable(one.text("from"))
                  << " to log " << printable(one.text("to")) << ": " << printable(one.text("step"));
      if (one.has("why")) console.out << ": " << printable(one.text("why"));
      console.out << '\n';
      continue;
    }
    console.out << "log " << printable(one.text("log")) << ": ";
    if (one.has("owner"))
      console.out << "owner " << printable(one.text("owner")) << " at " << printable(one.text("address"));
    else
      console.out << "no owner";
    console.out << "; this node, " << printable(one.text("this")) << ", is " << printable(one.text("standing")) << '\n';
    if (one.text("standing") == "unavailable" && one.has("why")) console.out << printable(one.text("why")) << '\n';
    has_owner = has_owner && one.has("owner");
  }
  show_nodes();
  return has_owner ? ExitCode::ok : ExitCode::alerts;
}

ExitCode step_down(Invocation const& invocation, Console& console, client::Connection& connection) {
  client::Params params{{"log", Value::of_text(invocation.words.front())}};
  if (invocation.lease) params.push_back({"for", Value::of_integer(invocation.lease->value)});
  Result<client::Reply> const reply = connection.call("STEP_DOWN", params);
  if (!reply.ok()) return complain(invocation, console, reply.status());
  if (invocation.json)
    console.out << render_json(reply->first());
  else
    console.out << "this node has given log " << printable(invocation.words.front()) << " away\n";
  return ExitCode::ok;
}

// How often it is asked how far the move is.
constexpr std::chrono::milliseconds kClusterLookEvery{100};

// What CLUSTER tells of the move of this table; not found: there is none.
Result<Message> move_status(client::Connection& connection, std::string_view table) {
  Result<client::Reply> reply = connection.call("CLUSTER");
  if (!reply.ok()) return reply.status();
  for (Message& one : reply.value().messages)
    if (one.command == "MOVE_STATUS" && one.text("table") == table) return std::move(one);
  return Status{Code::not_found,
                "the daemon was started anew, or moves another table by now: `cluster status` and "
                "`tables` tell where this one is"};
}

ExitCode move_table(Invocation const& invocation, Console& console, client::Connection& connection) {
  std::string const& table = invocation.words.front();
  client::Params const params{{"table", Value::of_text(table)}};
  Result<client::Reply> const begun = connection.call("MOVE_TABLE", params);
  if (!begun.ok()) return complain(invocation, console, begun.status());
  if (begun->first().command == "KEPT") {
    if (invocation.json)
      console.out << render_json(begun->first());
    else
      console.out << "table " << printable(table) << " stays in log " << printable(begun->first().text("log"))
                  << ", and is not in doubt any more\n";
    return ExitCode::ok;
  }
  StatusLine line{console};
  for (;;) {
    Result<Message> const status = move_status(connection, table);
    if (!status.ok()) return complain(invocation, console, status.status());
    std::string_view const step = status->text("step");
    std::string const what = fmt::format("table {}, from log {} to log {}", printable(table),
                                         printable(status->text("from")), printable(status->text("to")));
    if (step == "in doubt")
      return complain(
          invocation, console,
          {Code::unavailable, what + ": in doubt until that log is back: " + std::string{status->text("why")}});
    if (step == "stayed")
      return complain(invocation, console,
                      {Code::wrong_state, what + ": it stays: " + std::string{status->text("why")}});
    if (step == "moved") {
      line.clear();
      if (invocation.json)
        console.out << render_json(status.value());
      else
        console.out << what << ": moved, " << status->integer("copied").value_or(0) << " bytes copied, "
                    << status->integer("pause").value_or(0) << " ms without an answer\n";
      return ExitCode::ok;
    }
    line.show(fmt::format("{}: {}, {} of about {} bytes", what, step, status->integer("copied").value_or(0),
                          std::max(status->integer("bytes").value_or(0), status->integer("copied").value_or(0))));
    std::this_thread::sleep_for(kClusterLookEvery);
  }
}

}  // namespace

ExitCode run_cluster(Invocation const& invocation, Console& console, client::Connection& connection) {
  if (invocation.verb == "cluster status") return show_status(invocation, console, connection);
  return invocation.verb == "cluster move" ? move_table(invocation, console, connection)
                                           : step_down(invocation, console, connection);
}

}  // namespace fastjournal::cli
