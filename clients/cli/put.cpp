#include "clients/cli/put.h"

#include <algorithm>
#include <deque>
#include <istream>
#include <map>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "clients/cli/buffers.h"
#include "clients/cli/sentences.h"
#include "clients/cli/values.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Reply;

class Putter {
 public:
  Putter(Invocation const& invocation, Console& console, Connection& connection)
      : one_(invocation), console_(console), connection_(connection) {}

  ExitCode row();
  ExitCode lines();

 private:
  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }
  Message insert_of_options() const;

  Invocation const& one_;
  Console& console_;
  Connection& connection_;
  Buffers buffers_{connection_};
};

Message Putter::insert_of_options() const {
  Message insert("INSERT");
  insert.set("table", one_.table);
  if (one_.priority) insert.set_integer("priority", *one_.priority);
  if (one_.at) set_date(insert, "process_date", *one_.at);
  if (one_.expires) set_date(insert, "expiration_date", *one_.expires);
  if (!one_.client.empty()) insert.set("client", one_.client);
  if (one_.sequence) insert.set("sequence", Value::of_unsigned(*one_.sequence));
  return insert;
}

std::string sentence_of_put(Message const& answer) {
  std::string_view const result = answer.text("result");
  std::string const row = value_text(answer, "row");
  if (result == "merged")
    return fmt::format("merged into row {}{} (merges so far: {})", row, due_text(answer), value_text(answer, "merges"));
  if (result == "behind")
    return fmt::format("row {} waits behind the one that is being worked on{}", row, due_text(answer));
  if (result == "duplicate") return fmt::format("this put was counted before: row {}", row);
  if (result == "stale") return fmt::format("row {} is newer: nothing changed", row);
  return fmt::format("{} row {}{}", result, row, due_text(answer));
}

ExitCode Putter::row() {
  Message insert = insert_of_options();
  Status built;
  for (std::string const& word : one_.words) {
    Result<Param> const column = parse_column(word, console_.in, insert.arena());
    built = column.status();
    if (!built.ok()) break;
    insert.set(column->name, column->value);
  }
  if (built.ok()) built = buffers_.encode(insert);
  if (built.code() == Code::bad_parameter) return misuse(one_, console_, built.message());
  if (!built.ok()) return complain(built);
  Result<Reply> const reply = connection_.call(insert);
  if (!reply.ok()) return complain(reply.status());
  Message const& answer = reply->first();
  console_.out << (one_.json ? render_json(answer) : sentence_of_put(answer) + '\n');
  return ExitCode::ok;
}

// Many in flight: one sync serves them all. Goes on after a refused row, and says which it was.
ExitCode Putter::lines() {
  constexpr std::size_t kDepth = 256;
  std::map<std::string, std::uint64_t> counts;
  ExitCode worst = ExitCode::ok;
  std::deque<std::uint64_t> lines;  // of the commands in flight, as blank lines send nothing
  client::Pipeline pipeline(connection_, kDepth, [&](std::uint64_t, Result<Reply> reply) {
    std::uint64_t const line_nr = lines.front();
    lines.pop_front();
    if (!reply.ok()) {
      console_.err << "line " << line_nr << ": ";
      worst = std::max(worst, complain(reply.status()));
    } else if (one_.json) {
      console_.out << render_json(reply->first());
    } else {
      ++counts[std::string(reply->first().text("result"))];
    }
  });
  std::uint64_t sequence = one_.sequence.value_or(1);
  std::string line;
  for (std::uint64_t line_nr = 1; worst < ExitCode::usage && std::getline(console_.in, line); ++line_nr) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Message insert = insert_of_options();
    Status built = parse_json_row(line, insert);
    if (built.ok()) built = buffers_.encode(insert);
    if (!built.ok()) {
      console_.err << "line " << line_nr << ": " << built.message() << "; the rows before it are put\n";
      worst = ExitCode::usage;
      break;
    }
    if (!one_.client.empty()) insert.set("sequence", Value::of_unsigned(sequence++));
    Status const sent = pipeline.send(insert);
    if (sent.ok()) {
      lines.push_back(line_nr);
    } else {
      console_.err << "line " << line_nr << ": ";
      worst = std::max(worst, complain(sent));
    }
  }
  pipeline.finish();
  for (auto const& [result, count] : counts) console_.out << count << ' ' << result << '\n';
  return worst;
}

}  // namespace

ExitCode put(Invocation const& invocation, Console& console, Connection& connection) {
  Putter putter(invocation, console, connection);
  return invocation.lines ? putter.lines() : putter.row();
}

}  // namespace fastjournal::cli
