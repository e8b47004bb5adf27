#include "clients/programs/fastjournal/administer.h"

#include <chrono>
#include <istream>
#include <ostream>
#include <string>
#include <utility>

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {
namespace {

using client::Connection;
using client::Reply;

ExitCode say(Invocation const& one, Console& console, Message const& answer, std::string const& sentence) {
  console.out << (one.json ? render_json(answer) : sentence + '\n');
  return ExitCode::ok;
}

}  // namespace

ExitCode apply_tables(Invocation const& one, Console& console, Connection& connection) {
  Message reload("RELOAD");
  if (!one.table.empty()) reload.set("table", one.table);
  if (one.dry_run || (!one.yes && one.verb != "reload")) {
    Message dry_run("RELOAD");
    dry_run.set_integer("dry_run", 1);
    if (!one.table.empty()) dry_run.set("table", one.table);
    Result<Reply> const would = connection.call(dry_run);
    if (!would.ok()) return complain(one, console, would.status());
    std::string const changes{would->first().text("changes")};
    if (changes.empty()) return say(one, console, would->first(), "nothing would change");
    if (one.dry_run) return say(one, console, would->first(), changes);
    console.err << changes << "\napply this? [y/N] " << std::flush;
    std::string answer;
    std::getline(console.in, answer);
    if (answer != "y" && answer != "yes") {
      console.err << "nothing was changed\n";
      return ExitCode::nothing;
    }
  }
  Result<Reply> const done = connection.call(reload);
  if (!done.ok()) return complain(one, console, done.status());
  std::string const changes{done->first().text("changes")};
  return say(one, console, done->first(), changes.empty() ? "nothing to change" : changes);
}

ExitCode stop_daemon(Invocation const& one, Console& console) {
  client::Options options = connection_options(one);
  // The connection is expected to end: do not reconnect.
  options.back_off.clear();
  Result<std::unique_ptr<Connection>> const opened = Connection::open(std::move(options));
  if (!opened.ok()) {
    ExitCode const code = complain(one, console, opened.status());
    return opened.status().code() == Code::bad_parameter ? ExitCode::usage : code;
  }
  Connection& connection = *opened.value();
  Result<Reply> const answer = connection.call("STOP");
  if (!answer.ok()) return complain(one, console, answer.status());
  auto const until = std::chrono::steady_clock::now() + one.timeout;
  while (true) {
    auto const left = std::chrono::ceil<client::Milliseconds>(until - std::chrono::steady_clock::now());
    Status const waited = connection.wait_push(std::max(left, client::Milliseconds{0})).status();
    if (waited.code() == Code::closed) break;
    if (!waited.ok()) return complain(one, console, {Code::timed_out, "the daemon is stopping, and has not ended yet"});
  }
  Message stopped("STOPPED");
  stopped.set("server", one.server);
  return say(one, console, stopped, "the daemon has stopped");
}

}  // namespace fastjournal::cli
