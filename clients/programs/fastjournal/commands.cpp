#include "clients/programs/fastjournal/commands.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "clients/cpp/error_text.h"
#include "clients/cpp/value_text.h"
#include "clients/programs/fastjournal/administer.h"
#include "clients/programs/fastjournal/backup.h"
#include "clients/programs/fastjournal/bench.h"
#include "clients/programs/fastjournal/blobs.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/check/check.h"
#include "clients/programs/fastjournal/cluster.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/doctor.h"
#include "clients/programs/fastjournal/feed.h"
#include "clients/programs/fastjournal/frame.h"
#include "clients/programs/fastjournal/log_commands.h"
#include "clients/programs/fastjournal/overview.h"
#include "clients/programs/fastjournal/pair_lock.h"
#include "clients/programs/fastjournal/pairs.h"
#include "clients/programs/fastjournal/pipeline_people.h"
#include "clients/programs/fastjournal/pipelines.h"
#include "clients/programs/fastjournal/plans.h"
#include "clients/programs/fastjournal/put.h"
#include "clients/programs/fastjournal/put_many.h"
#include "clients/programs/fastjournal/put_spool.h"
#include "clients/programs/fastjournal/queues.h"
#include "clients/programs/fastjournal/rows.h"
#include "clients/programs/fastjournal/sentences.h"
#include "clients/programs/fastjournal/spool_commands.h"
#include "clients/programs/fastjournal/token.h"
#include "clients/programs/fastjournal/top.h"
#include "clients/programs/fastjournal/transactions.h"
#include "clients/programs/fastjournal/usage/completion.h"
#include "clients/programs/fastjournal/user_commands.h"
#include "clients/programs/fastjournal/values.h"
#include "clients/programs/fastjournal/work.h"
#include "model/date.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Reply;
using client::text_of;

// Lines as one.
std::string one_line(std::string_view text) {
  std::string out;
  for (char const c : text) out += c == '\n' ? std::string{"; "} : std::string{c};
  return out;
}

class JournalRunner {
 public:
  JournalRunner(Invocation const& invocation, Console& console, Connection& connection)
      : one_(invocation), console_(console), connection_(connection) {}

  ExitCode take();
  ExitCode lease_command();
  ExitCode row_command();
  ExitCode listen();
  ExitCode stand();
  ExitCode stats();
  ExitCode alerts();
  ExitCode tables();
  void tell_waiting_files();
  // `which` columns of the table, one a line: all "columns", or those of the "key".
  ExitCode columns(std::vector<Message> const& tables, std::string const& name, std::string_view which);
  ExitCode ping();
  ExitCode commands();
  ExitCode call_any();

 private:
  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }
  Message about_table(std::string_view command) const;
  // Buffers are bytes on both sides, in any framing.
  Result<Reply> ask(Message& command);
  // Sends it again: its buffers are already bytes.
  Result<Reply> call(Message const& command);
  std::optional<DurationMs> grace_of_table();
  // Prints the answer as JSON, or the sentence.
  ExitCode say(Message const& answer, std::string const& sentence);
  ExitCode show(std::vector<Message> const& records);
  ExitCode rows_of_key(Message& command);

  Invocation const& one_;
  Console& console_;
  Connection& connection_;
  Buffers buffers_{connection_};
};

Result<Reply> JournalRunner::ask(Message& command) {
  if (Status encoded = buffers_.encode(command); !encoded.ok()) return encoded;
  return call(command);
}

Result<Reply> JournalRunner::call(Message const& command) {
  Result<Reply> reply = connection_.call(command);
  if (!reply.ok()) return reply;
  for (Message& answer : reply->messages)
    if (answer.command == "ROW")
      if (Status decoded = buffers_.decode(answer, command.text("table")); !decoded.ok()) return decoded;
  return reply;
}

Message JournalRunner::about_table(std::string_view command) const {
  Message out(command);
  out.set("table", one_.table);
  return out;
}

ExitCode JournalRunner::say(Message const& answer, std::string const& sentence) {
  console_.out << (one_.json ? render_json(answer) : with_dates(sentence, console_.look) + '\n');
  return ExitCode::ok;
}

ExitCode JournalRunner::show(std::vector<Message> const& records) {
  if (!one_.json)
    console_.out << render_table(records, console_.look, one_.table.empty() ? "" : "table");
  else
    for (Message const& record : records) console_.out << render_json(record);
  return ExitCode::ok;
}

std::optional<DurationMs> JournalRunner::grace_of_table() {
  Message stats = about_table("STATS");
  Result<Reply> const reply = connection_.call(stats);
  // Not every table type has a grace.
  std::optional<std::int64_t> const grace = reply.ok() ? reply->first().integer("grace_ms") : std::nullopt;
  return grace ? std::optional(DurationMs{*grace}) : std::nullopt;
}

// Sets lease_end to the end that the lease has once this connection is closed, if nobody adopts it.
void end_with_connection(Message& row, DurationMs grace) {
  using std::chrono::milliseconds;
  auto const now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  std::int64_t const end = now.count() + grace.value;
  if (row.integer("lease_end").value_or(0) > end) row.set_integer("lease_end", end);
}

ExitCode JournalRunner::take() {
  Message next = about_table("NEXT");
  if (one_.count) next.set("count", Value::of_unsigned(*one_.count));
  if (one_.lease) next.set_integer("lease", one_.lease->value);
  if (one_.wait) next.set_integer("wait", one_.wait->value);
  if (!one_.domain.empty()) next.set("domain", one_.domain);
  if (!one_.worker.empty()) next.set("worker", one_.worker);
  Result<Reply> reply = ask(next);
  if (!reply.ok()) return complain(reply.status());
  if (Message const& first = reply->first(); first.command == "NOTHING") {
    auto const date = first.integer("next_date");
    if (!one_.json)
      console_.err << "nothing is due"
                   << (date && *date > 0 ? "; the next row is at " + date_text(*date, console_.look) : std::string())
                   << '\n';
    return ExitCode::nothing;
  }
  std::optional<DurationMs> const grace = one_.hold ? std::nullopt : grace_of_table();
  if (grace)
    for (Message& row : reply->messages) end_with_connection(row, *grace);
  show(reply->messages);
  console_.out.flush();
  if (console_.look.terminal && !one_.json && grace)
    console_.err << "our connection ends here, so the lease does " << model::format_span(grace->value)
                 << " later (the table's `grace`) unless done, touch or release come first; --hold stays connected\n";
  std::string ignored;
  while (one_.hold && std::getline(console_.in, ignored)) continue;
  return ExitCode::ok;
}

// The fate of a row that was returned or given up.
std::string sentence_of_return(std::uint64_t row, Message const& answer) {
  if (answer.command == "PARKED") return fmt::format("row {} is parked; `fastjournal kick` puts it back", row);
  if (answer.command == "DELETED") return fmt::format("row {} is deleted: it was given up, or has expired", row);
  return fmt::format("row {} is released{}", row, due_text(answer));
}

// touch, done, release, fail
ExitCode JournalRunner::lease_command() {
  static std::map<std::string_view, std::string_view> const kCommands{
      {"touch", "TOUCH"}, {"done", "DONE"}, {"release", "RELEASE"}, {"fail", "FAIL"}};
  Message command = about_table(kCommands.at(one_.verb));
  command.set("row", Value::of_unsigned(one_.row));
  command.set("epoch", Value::of_unsigned(one_.epoch));
  if (one_.lease) command.set_integer("lease", one_.lease->value);
  if (one_.at) set_date(command, "process_date", *one_.at);
  fastjournal::client::set_error(command, "error", one_.error);
  Result<Reply> reply = connection_.call(command);
  if (!reply.ok()) return complain(reply.status());
  Message& answer = reply->messages.front();
  if (one_.verb == "done") return say(answer, fmt::format("row {} is done", one_.row));
  if (one_.verb == "fail" || one_.verb == "release") {
    // JSON does not name the answer.
    answer.set("fate", answer.command == "PARKED" ? "parked" : answer.command == "DELETED" ? "deleted" : "released");
    return say(answer, sentence_of_return(one_.row, answer));
  }
  return say(answer, fmt::format("row {} is yours until {}", one_.row,
                                 date_text(answer.integer("lease_end").value_or(0), console_.look)));
}

// peek, why: the rows of a key come in pages.
ExitCode JournalRunner::rows_of_key(Message& command) {
  for (std::string after;;) {
    Result<Reply> reply = after.empty() ? ask(command) : call(command);
    if (!reply.ok()) return complain(reply.status());
    after = cursor_of(reply->messages.back(), after);
    std::erase_if(reply->messages, [](Message const& message) { return message.command == "NOTHING"; });
    for (Message& message : reply->messages) message.erase("after");
    if (one_.json) {
      static_cast<void>(show(reply->messages));
    } else {
      for (Message const& record : reply->messages)
        if (one_.verb == "peek")
          console_.out << render_sheet(record, console_.look);
        else
          console_.out << (record.has("row") ? "row " + value_text(record, "row") + ": " : "")
                       << printable(with_dates(record.text("text"), console_.look)) << '\n'
                       << trace_lines(record.text("error_trace"));
    }
    if (after.empty()) return ExitCode::ok;
    command.set("after", after);
  }
}

// peek, why, delete, kick: by the row's number or by its key
ExitCode JournalRunner::row_command() {
  static std::map<std::string_view, std::string_view> const kCommands{
      {"peek", "PEEK"}, {"why", "WHY"}, {"delete", "DELETE"}, {"kick", "KICK"}};
  Message command = about_table(kCommands.at(one_.verb));
  for (std::string const& word : one_.words) {
    if (word.find('=') == std::string::npos) {
      command.set("row", word);
      continue;
    }
    Result<Param> const column = parse_column(word, console_.in, command.arena());
    if (!column.ok()) {
      return misuse(one_, console_, column.status().message());
    }
    command.set(column->name, column->value);
  }
  if (one_.verb == "peek" || one_.verb == "why") return rows_of_key(command);
  Result<Reply> const reply = ask(command);
  if (!reply.ok()) return complain(reply.status());
  return say(reply->first(), fmt::format("row {} is {}", value_text(reply->first(), "row"),
                                         one_.verb == "kick" ? "back at work" : "deleted"));
}

ExitCode JournalRunner::listen() {
  client::Params params;
  if (!one_.mode.empty()) params.push_back({"mode", Value::of_text(one_.mode)});
  if (one_.credit) params.push_back({"credit", Value::of_integer(*one_.credit)});
  if (!one_.domain.empty()) params.push_back({"domain", Value::of_text(one_.domain)});
  if (Status const status = connection_.listen(one_.table, params); !status.ok()) return complain(status);
  std::uint64_t left = one_.count.value_or(UINT64_MAX);
  client::Milliseconds const limit = one_.wait ? client::Milliseconds{one_.wait->value} : client::kForever;
  bool heard = false;
  while (left > 0) {
    Result<Message> pushed = connection_.wait_push(limit);
    if (!pushed.ok() && pushed.status().code() == Code::timed_out) return heard ? ExitCode::ok : ExitCode::nothing;
    if (!pushed.ok()) return complain(pushed.status());
    if (Status const decoded = buffers_.decode(pushed.value(), one_.table); !decoded.ok()) return complain(decoded);
    console_.out << (one_.json ? render_json(pushed.value(), true) : render_line(pushed.value(), console_.look))
                 << std::flush;
    heard = true;
    --left;
  }
  return ExitCode::ok;
}

// user@host: the sender, for people.
std::string who_am_i() {
  passwd const* const user = ::getpwuid(::geteuid());
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::string const name = user == nullptr ? std::to_string(::geteuid()) : user->pw_name;
  return name + "@" + host;
}

// pause, drain, resume
ExitCode JournalRunner::stand() {
  static std::map<std::string_view, std::string_view> const kCommands{
      {"pause", "PAUSE"}, {"drain", "DRAIN"}, {"resume", "RESUME"}};
  std::string const who = one_.worker.empty() ? who_am_i() : one_.worker;
  Message command = about_table(kCommands.at(one_.verb));
  command.set("worker", who);
  if (!one_.reason.empty()) command.set("reason", one_.reason);
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return complain(reply.status());
  Message const& answer = reply->first();
  if (one_.verb == "pause")
    return say(answer, fmt::format("table {} is paused: nothing is handed out until `resume`", one_.table));
  if (one_.verb == "drain")
    return say(answer, fmt::format("table {} drains: inserts are refused until `resume`", one_.table));
  return say(answer, answer.text("was") == "open" ? fmt::format("table {} was open already", one_.table)
                                                  : fmt::format("table {} is open again", one_.table));
}

ExitCode JournalRunner::stats() {
  Message command("STATS");
  if (!one_.table.empty()) command.set("table", one_.table);
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return complain(reply.status());
  if (one_.json) return show(reply->messages);
  for (std::size_t i = 0; i < reply->messages.size(); ++i)
    console_.out << (i == 0 ? "" : "\n") << render_sheet(reply->messages[i], console_.look);
  return ExitCode::ok;
}

ExitCode JournalRunner::alerts() {
  Message command(one_.lower.empty() ? "ALERTS" : "LOWER");
  if (!one_.table.empty()) command.set("table", one_.table);
  if (!one_.lower.empty()) command.set("name", one_.lower);
  Result<Reply> reply = connection_.call(command);
  if (!reply.ok()) return complain(reply.status());
  std::erase_if(reply->messages, [](Message const& one) { return one.command == "ALERTS"; });
  if (!one_.lower.empty()) return say(reply->first(), "alert " + one_.lower + " is over");
  if (reply->messages.empty() && !one_.json) console_.err << "no alert is up\n";
  if (!one_.json)
    for (Message& alert : reply->messages)
      for (std::string_view const name : {"first", "last"})
        if (std::optional<std::int64_t> const ms = alert.integer(name))
          alert.set(name, alert.arena().copy(date_text(*ms, console_.look)));
  static_cast<void>(show(reply->messages));
  return reply->messages.empty() ? ExitCode::ok : ExitCode::alerts;
}

ExitCode JournalRunner::tables() {
  Result<Reply> reply = connection_.call("TABLES");
  if (!reply.ok() && reply.status().code() == Code::not_found) {
    if (!one_.json && !one_.names) console_.err << reply.status().message() << '\n';
    return ExitCode::nothing;
  }
  if (!reply.ok()) return complain(reply.status());
  if (!one_.columns_of.empty()) return columns(reply->messages, one_.columns_of, "columns");
  if (!one_.key_of.empty()) return columns(reply->messages, one_.key_of, "key");
  // One word per column, for programs.
  if (!one_.json)
    for (Message& table : reply->messages) table.erase("types");
  if (!one_.names) {
    ExitCode const code = show(reply->messages);
    tell_waiting_files();
    return code;
  }
  for (Message const& table : reply->messages) console_.out << table.text("name") << '\n';
  return ExitCode::ok;
}

// Files of tables that are there and not loaded. Only an administrator may ask, and who is none is told nothing.
void JournalRunner::tell_waiting_files() {
  if (one_.json || !one_.server.starts_with("unix:")) return;
  Message command("RELOAD");
  command.set_integer("dry_run", 1);
  Result<Reply> const would = connection_.call(command);
  if (would.ok() && would->first().integer("count").value_or(0) > 0)
    note(one_, console_, "files wait to be loaded (fastjournal apply): " + one_line(would->first().text("changes")));
  if (!would.ok() && would.status().code() == Code::bad_configuration)
    note(one_, console_,
         "the files of tables are not as a reload takes them (fastjournal check): " +
             one_line(would.status().message()));
}

ExitCode JournalRunner::columns(std::vector<Message> const& tables, std::string const& name, std::string_view which) {
  auto const table =
      std::find_if(tables.begin(), tables.end(), [&](Message const& one) { return one.text("name") == name; });
  if (table == tables.end()) return complain({Code::unknown_table, "no table " + name});
  std::string columns(table->text(which));
  std::replace(columns.begin(), columns.end(), ' ', '\n');
  if (!columns.empty()) console_.out << columns << '\n';
  return ExitCode::ok;
}

ExitCode JournalRunner::ping() {
  auto const begin = std::chrono::steady_clock::now();
  Result<Reply> const reply = connection_.call("ALIVE");
  if (!reply.ok()) return complain(reply.status());
  auto const us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
  Message answer("PING");
  answer.set("server", one_.server);
  answer.set_integer("round_trip_us", us);
  return say(answer, fmt::format("{} answers in {:.3f} ms", one_.server, static_cast<double>(us) / 1000));
}

ExitCode JournalRunner::commands() {
  Message help("HELP");
  if (!one_.words.empty()) help.set("command", one_.words.front());
  Result<Reply> const reply = connection_.call(help);
  if (!reply.ok()) return complain(reply.status());
  if (one_.json) return show(reply->messages);
  for (Message const& answer : reply->messages) {
    if (answer.command != "COMMANDS") {
      console_.out << render_sheet(answer, console_.look);
      continue;
    }
    std::string list(answer.text("list"));
    std::replace(list.begin(), list.end(), ',', '\n');
    console_.out << list << '\n';
  }
  return ExitCode::ok;
}

ExitCode JournalRunner::call_any() {
  Message command(one_.words.front());
  for (std::size_t i = 1; i < one_.words.size(); ++i) {
    Result<Param> const param = parse_column(one_.words[i], console_.in, command.arena());
    if (!param.ok()) {
      return misuse(one_, console_, param.status().message());
    }
    command.set(param->name, param->value);
  }
  Result<Reply> const reply = ask(command);
  if (!reply.ok()) return complain(reply.status());
  for (Message const& answer : reply->messages)
    console_.out << (one_.json ? render_json(answer, true) : render_line(answer, console_.look));
  return ExitCode::ok;
}

using Step = ExitCode (JournalRunner::*)();

std::map<std::string_view, Step> const& steps() {
  static std::map<std::string_view, Step> const kSteps{
      {"take", &JournalRunner::take},          {"touch", &JournalRunner::lease_command},
      {"done", &JournalRunner::lease_command}, {"release", &JournalRunner::lease_command},
      {"fail", &JournalRunner::lease_command}, {"peek", &JournalRunner::row_command},
      {"delete", &JournalRunner::row_command}, {"kick", &JournalRunner::row_command},
      {"why", &JournalRunner::row_command},    {"pause", &JournalRunner::stand},
      {"drain", &JournalRunner::stand},        {"resume", &JournalRunner::stand},
      {"listen", &JournalRunner::listen},      {"stats", &JournalRunner::stats},
      {"alerts", &JournalRunner::alerts},      {"tables", &JournalRunner::tables},
      {"ping", &JournalRunner::ping},          {"commands", &JournalRunner::commands},
      {"call", &JournalRunner::call_any}};
  return kSteps;
}

}  // namespace

client::Options connection_options(Invocation const& invocation) {
  client::Options options;
  options.server = invocation.server;
  options.ca_file = invocation.ca_file;
  options.certificate_file = invocation.certificate_file;
  options.key_file = invocation.key_file;
  options.token = invocation.token;
  options.framing = invocation.text ? client::Framing::text : client::Framing::msgpack;
  options.time_limit = invocation.timeout;
  options.connect_limit = std::min(options.connect_limit, options.time_limit);
  return options;
}

Result<std::unique_ptr<Connection>> connect(Invocation const& invocation) {
  return Connection::open(connection_options(invocation));
}

// One problem per line; the exit code is for CI.
ExitCode check_configuration(Invocation const& invocation, Console& console) {
  check::Report const report = check::check_files(invocation.words, invocation.plugins);
  auto const print = [&](check::Problem const& problem, std::string_view what) {
    if (invocation.json) {
      Message out;
      out.set("file", problem.file);
      out.set_integer("line", problem.line);
      out.set(what, problem.text);
      console.out << render_json(out);
    } else {
      console.err << printable(problem.file) << ':' << (problem.line > 0 ? std::to_string(problem.line) + ":" : "")
                  << ' ' << printable_lines(problem.text) << '\n';
    }
  };
  for (check::Problem const& problem : report.problems) print(problem, "problem");
  for (check::Problem const& note : report.notes) print(note, "note");
  if (!report.problems.empty()) return ExitCode::usage;
  if (!invocation.json)
    console.out << (report.files.size() == 1 ? "1 file is good" : fmt::format("{} files are good", report.files.size()))
                << '\n';
  return ExitCode::ok;
}

bool asks_daemon(Invocation const& invocation) {
  return invocation.verb != "completion" && invocation.verb != "check" && invocation.verb != "doctor" &&
         invocation.verb != "bench" && invocation.verb != "kv frame" && !invocation.verb.starts_with("log ") &&
         !invocation.verb.starts_with("user ") && !invocation.verb.starts_with("plan ") && invocation.spool.empty() &&
         invocation.blob.port.empty();
}

ExitCode run(Invocation const& invocation, Console& console) {
  if (invocation.verb == "completion") {
    std::string const& shell = invocation.words.front();
    usage::Usage const declared = declared_usage();
    console.out << (shell == "bash"  ? usage::bash_completion(declared)
                    : shell == "zsh" ? usage::zsh_completion(declared)
                                     : usage::fish_completion(declared));
    return ExitCode::ok;
  }
  if (invocation.verb == "work") return work(invocation, console);
  if (invocation.verb == "put" && !invocation.spool.empty()) return put_in_spool(invocation, console);
  if (invocation.verb == "put" && !invocation.from.empty()) return put_many(invocation, console);
  if (invocation.verb == "blob put" && !invocation.blob.port.empty()) return put_blob_by_port(invocation, console);
  if (invocation.verb == "kv lock") return run_locked(invocation, console);
  if (invocation.verb == "kv frame") return run_frame(invocation, console);
  if (invocation.verb == "top") return top(invocation, console);
  if (invocation.verb == "feed") return feed(invocation, console);
  if (invocation.verb == "stop") return stop_daemon(invocation, console);
  if (invocation.verb == "check") return check_configuration(invocation, console);
  if (invocation.verb == "doctor") return doctor(invocation, console);
  if (invocation.verb == "bench") return bench(invocation, console);
  if (invocation.verb.starts_with("log ")) return run_log(invocation, console);
  if (invocation.verb.starts_with("plan ")) return run_plan(invocation, console);
  if (invocation.verb.starts_with("user ")) return run_user(invocation, console);
  if (invocation.verb.starts_with("spool ")) return run_spool(invocation, console);
  if (invocation.verb == "login") return login(invocation, console, TokenSources::of_environment());
  Result<std::unique_ptr<Connection>> const connection = connect(invocation);
  if (!connection.ok()) {
    ExitCode const code = complain(invocation, console, connection.status());
    return connection.status().code() == Code::bad_parameter ? ExitCode::usage : code;
  }
  if (invocation.verb == "tx run") return run_transaction(invocation, console, *connection.value());
  if (invocation.verb == "tx ls") return list_branches(invocation, console, *connection.value());
  if (invocation.verb.starts_with("tx ")) return end_branch(invocation, console, *connection.value());
  if (invocation.verb.starts_with("cluster ")) return run_cluster(invocation, console, *connection.value());
  if (invocation.verb.starts_with("kv ")) return run_pairs(invocation, console, *connection.value());
  if (invocation.verb.starts_with("queue ")) return run_queues(invocation, console, *connection.value());
  if (invocation.verb == "pipeline run") return run_pipeline(invocation, console, *connection.value());
  if (invocation.verb.starts_with("pipeline ")) return run_pipeline_command(invocation, console, *connection.value());
  if (invocation.verb.starts_with("blob ")) return run_blobs(invocation, console, *connection.value());
  if (invocation.verb == "backup") return backup(invocation, console, *connection.value());
  if (invocation.verb == "apply" || invocation.verb == "reload")
    return apply_tables(invocation, console, *connection.value());
  if (invocation.verb == "watch") return watch_figures(invocation, console, *connection.value());
  if (invocation.verb == "timeline") return show_timeline(invocation, console, *connection.value());
  if (invocation.verb == "domains" || invocation.verb == "waiters")
    return show_pages(invocation, console, *connection.value());
  if (invocation.verb == "ls") return list_rows(invocation, console, *connection.value());
  if (is_bulk(invocation)) return change_rows(invocation, console, *connection.value());
  if (invocation.verb == "put") return put(invocation, console, *connection.value());
  JournalRunner runner(invocation, console, *connection.value());
  return (runner.*steps().at(invocation.verb))();
}

}  // namespace fastjournal::cli
