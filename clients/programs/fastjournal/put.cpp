#include "clients/programs/fastjournal/put.h"

#include <istream>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/sentences.h"
#include "clients/programs/fastjournal/values.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Reply;

class Putter {
 public:
  Putter(Invocation const& invocation, Console& console, Connection& connection)
      : one_(invocation), console_(console), connection_(connection) {}

  ExitCode row();

 private:
  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }

  Invocation const& one_;
  Console& console_;
  Connection& connection_;
  Buffers buffers_{connection_};
};

// The reason when a merge kept another date than the requested one.
std::string_view why_this_date(Message const& answer) {
  std::string_view const by = answer.text("date_by");
  if (by == "waiting-row") return "; not the date asked for: of the two the later one holds";
  if (by == "max-postpone") return "; not the date asked for: max-postpone lets merges put it off no further";
  return {};
}

std::string sentence_of_put(Message const& answer, bool resent) {
  std::string_view const result = answer.text("result");
  std::string const row = value_text(answer, "row");
  if (result == "merged")
    return fmt::format("merged into row {}{} (merges so far: {}){}", row, due_text(answer),
                       value_text(answer, "merges"), why_this_date(answer));
  if (result == "behind")
    return fmt::format("row {} waits behind the one that is being worked on{}{}", row, due_text(answer),
                       why_this_date(answer));
  if (result == "duplicate") return fmt::format("{}: row {}", resent ? "inserted" : "this put was counted before", row);
  if (result == "stale") return fmt::format("row {} is newer: nothing changed", row);
  return fmt::format("{} row {}{}", result, row, due_text(answer));
}

ExitCode Putter::row() {
  Message insert;
  set_options(one_, insert);
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
  Result<Reply> const reply = connection_.call_numbered(insert);
  if (!reply.ok()) return complain(reply.status());
  Message const& answer = reply->first();
  console_.out << (one_.json ? render_json(answer)
                             : with_dates(sentence_of_put(answer, reply->resent), console_.look) + '\n');
  return ExitCode::ok;
}

}  // namespace

void set_options(Invocation const& one, Message& insert) {
  insert.command = "INSERT";
  insert.set("table", one.table);
  if (one.priority) insert.set_integer("priority", *one.priority);
  if (one.at) set_date(insert, "process_date", *one.at);
  if (one.expires) set_date(insert, "expiration_date", *one.expires);
  if (!one.client.empty()) insert.set("client", one.client);
  if (one.sequence) insert.set("sequence", Value::of_unsigned(*one.sequence));
}

ExitCode put(Invocation const& invocation, Console& console, Connection& connection) {
  return Putter(invocation, console, connection).row();
}

}  // namespace fastjournal::cli
