#include "clients/programs/fastjournal/put.h"

#include <fmt/format.h>

#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/verbs.h"
#include "model/date.h"

namespace fastjournal::cli {

namespace {

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
  if (result == "unique")
    return fmt::format("row {} of this key is done: nothing is inserted until {}", row,
                       model::format_date(answer.integer("unique_until").value_or(0)));
  if (result == "stale") return fmt::format("row {} is newer: nothing changed", row);
  return fmt::format("{} row {}{}", result, row, due_text(answer));
}

struct Put {
  OptionSet& to;
  PutOptions given{to};

  std::string contradiction(Globals const& /*all*/) const {
    bool const is_many = !given.from.empty();
    if (is_many && !given.columns.empty())
      return "put --from takes the columns from the file, not from the command line";
    if (!is_many && given.columns.empty())
      return "put needs columns, those of the key at least: fastjournal put TABLE COLUMN=VALUE..., or --from FILE";
    if (!is_many && given.client.empty() != !given.sequence) return "--client and --sequence belong together";
    return is_many && given.client.empty() && given.sequence ? "--sequence needs --client" : "";
  }

  Needs needs(Needs usual) const {
    if (!given.spool.empty()) return Needs::nothing;
    return given.from.empty() ? usual : Needs::daemon;
  }

  ExitCode run(Call& call) {
    if (!given.spool.empty()) return put_in_spool(given, call);
    return given.from.empty() ? put_row(call) : put_many(given, call);
  }

  ExitCode put_row(Call& call) {
    Message insert;
    given.set_in(insert, call.table);
    Status built;
    for (auto word = given.columns.begin(); built.ok() && word != given.columns.end(); ++word)
      built = add_column(insert, *word, call.console.in);
    if (built.ok()) built = Buffers{call.connection()}.encode(insert);
    if (built.code() == Code::bad_parameter) return call.misuse(built.message());
    if (!built.ok()) return call.complain(built);
    Result<client::Reply> const reply = call.connection().call_numbered(insert);
    if (!reply.ok()) return call.complain(reply.status());
    return call.say(reply->first(), with_dates(sentence_of_put(reply->first(), reply->resent), call.console.look));
  }
};

constexpr Verb kPut[]{
    {"put", "insert a row, or merge it into the one that waits under its key, if the table has keys", Needs::table,
     declare<Put>,
     "fastjournal put pages uri=http://example.com/ title='Front page' --priority 20 --at +1h\n"
     "fastjournal put pages --from pages.csv --resume pages.state",

     "The rows of --from have columns, and priority, process_date, expiration_date, ... by these names, as\n"
     "  json   one object a line; what `ls --all --json` prints is taken too\n"
     "  csv    a header with the names, then values with commas between them, those with commas, quotes or newlines\n"
     "         in quotes (RFC 4180); an empty value without quotes is absent\n"
     "  lines  name=value;name=value as in text messages, with their quotes and escapes\n"
     "Without --format the first line that is not blank decides: json if it begins with {, lines if it has = before\n"
     "any comma, otherwise csv.\n"
     "--from numbers its rows under a name drawn for each run, so that none is done twice when the connection is\n"
     "lost; it goes on when the daemon is back (--timeout limits that). Refused rows are set aside as they are, and\n"
     "told; correct that file and put it again. A refusal that would meet every row (a drained table, no space)\n"
     "ends the run. Strings for buffer columns are plain bytes, or base64:...; `--json` of other commands shows them "
     "so."},
};

}  // namespace

void PutOptions::set_in(Message& insert, std::string const& table) const {
  insert.command = "INSERT";
  insert.set("table", table);
  to.fill(insert);
}

Verbs put_verbs() { return kPut; }

}  // namespace fastjournal::cli
