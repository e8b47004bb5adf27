#include "clients/cli/cluster.h"

#include <string>
#include <vector>

#include "clients/lib/answers.h"

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
    console.out << "log " << printable(one.text("log")) << ": ";
    if (one.has("owner"))
      console.out << "owner " << printable(one.text("owner")) << " at " << printable(one.text("address"));
    else
      console.out << "no owner";
    console.out << "; this node, " << printable(one.text("this")) << ", is " << printable(one.text("standing")) << '\n';
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

}  // namespace

ExitCode run_cluster(Invocation const& invocation, Console& console, client::Connection& connection) {
  return invocation.verb == "cluster status" ? show_status(invocation, console, connection)
                                             : step_down(invocation, console, connection);
}

}  // namespace fastjournal::cli
