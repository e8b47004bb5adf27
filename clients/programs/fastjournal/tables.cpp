// Verbs of a table as a whole, or of the daemon, that ask one command each: listen, stats, alerts, pause, drain,
// resume, tables, ping, commands, call.
#include <algorithm>
#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {

namespace {

using client::Reply;

// Lines as one.
std::string one_line(std::string_view text) {
  std::string out;
  for (char const c : text) out += c == '\n' ? std::string{"; "} : std::string{c};
  return out;
}

struct Tables {
  OptionSet& to;
  Flag names{to, "--names", "names only, one a line"};
  Text columns_of{to, "--columns", "the columns of this table, one a line", called("TABLE"), excludes(names)};
  Text key_of{to,
              "--key",
              "the columns of this table's row-key, one a line; nothing without one",
              called("TABLE"),
              excludes(names),
              excludes(columns_of)};

  ExitCode run(Call& call) {
    Result<Reply> reply = call.connection().call("TABLES");
    if (!reply.ok() && reply.status().code() == Code::not_found) {
      if (!call.json && !names) call.console.err << reply.status().message() << '\n';
      return ExitCode::nothing;
    }
    if (!reply.ok()) return call.complain(reply.status());
    if (!columns_of.empty()) return columns(call, reply->messages, columns_of, "columns");
    if (!key_of.empty()) return columns(call, reply->messages, key_of, "key");
    if (names) {
      for (Message const& table : reply->messages) call.console.out << table.text("name") << '\n';
      return ExitCode::ok;
    }
    // One word per column, for programs.
    if (!call.json)
      for (Message& table : reply->messages) table.erase("types");
    call.show(reply->messages);
    tell_waiting_files(call);
    return ExitCode::ok;
  }

  // Files of tables that are there and not loaded. Only an administrator may ask, and who is none is told nothing.
  static void tell_waiting_files(Call& call) {
    if (call.json || !call.server.starts_with("unix:")) return;
    Message command("RELOAD");
    command.set_integer("dry_run", 1);
    Result<Message> const would = call.ask(command);
    if (would.ok() && would->integer("count").value_or(0) > 0)
      call.note("files wait to be loaded (fastjournal apply): " + one_line(would->text("changes")));
    if (!would.ok() && would.status().code() == Code::bad_configuration)
      call.note("the files of tables are not as a reload takes them (fastjournal check): " +
                one_line(would.status().message()));
  }

  // `which` columns of the table, one a line: all "columns", or those of the "key".
  static ExitCode columns(Call& call, std::vector<Message> const& tables, std::string const& name,
                          std::string_view which) {
    auto const table = std::ranges::find_if(tables, [&](Message const& one) { return one.text("name") == name; });
    if (table == tables.end()) return call.complain({Code::unknown_table, "no table " + name});
    std::string columns(table->text(which));
    std::replace(columns.begin(), columns.end(), ' ', '\n');
    if (!columns.empty()) call.console.out << columns << '\n';
    return ExitCode::ok;
  }
};

struct Ping {
  OptionSet& to;

  void declare(OptionSet& /*to*/) {}

  ExitCode run(Call& call) {
    auto const begin = std::chrono::steady_clock::now();
    Result<Reply> const reply = call.connection().call("ALIVE");
    if (!reply.ok()) return call.complain(reply.status());
    auto const us =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
    Message answer("PING");
    answer.set("server", call.server);
    answer.set_integer("round_trip_us", us);
    return call.say(answer, fmt::format("{} answers in {:.3f} ms", call.server, static_cast<double>(us) / 1000));
  }
};

struct Commands {
  OptionSet& to;
  WordList names{to, "COMMAND", "one command", expected(0, 1)};

  ExitCode run(Call& call) {
    Message help("HELP");
    if (!names.empty()) help.set("command", names.front());
    Result<Reply> const reply = call.connection().call(help);
    if (!reply.ok()) return call.complain(reply.status());
    for (Message const& answer : reply->messages) {
      if (call.json || answer.command != "COMMANDS") {
        call.console.out << (call.json ? render_json(answer) : render_sheet(answer, call.console.look));
        continue;
      }
      std::string list(answer.text("list"));
      std::replace(list.begin(), list.end(), ',', '\n');
      call.console.out << list << '\n';
    }
    return ExitCode::ok;
  }
};

struct CallAny {
  OptionSet& to;
  WordList words{to, "COMMAND", "its name, then name=value for each parameter", required};

  ExitCode run(Call& call) {
    Message command(words.front());
    for (std::size_t i = 1; i < words.size(); ++i)
      if (Status const status = add_column(command, words[i], call.console.in); !status.ok())
        return call.misuse(status.message());
    Result<Reply> const reply = Buffers{call.connection()}.ask(command);
    if (!reply.ok()) return call.complain(reply.status());
    for (Message const& answer : reply->messages) call.show_line(answer);
    return ExitCode::ok;
  }
};

constexpr Verb kTables[]{
    {"tables", "the tables of the daemon", Needs::connection, declare<Tables>, "fastjournal tables --columns pages"},
};

constexpr Verb kDaemonVerbs[]{
    {"ping", "see whether the daemon answers, and how fast", Needs::connection, declare<Ping>,
     "fastjournal ping --server 127.0.0.1:4050"},
    {"commands", "the commands that the daemon knows (HELP), or what one of them takes", Needs::connection,
     declare<Commands>, "fastjournal commands INSERT"},
    {"call", "send any command and print the answer: `fastjournal call PAUSE table=pages reason=upgrade`",
     Needs::connection, declare<CallAny>, "fastjournal call PAUSE table=pages reason=upgrade"},
};

}  // namespace

Verbs tables_verbs() { return kTables; }
Verbs daemon_verbs() { return kDaemonVerbs; }

}  // namespace fastjournal::cli
