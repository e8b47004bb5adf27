// Rows of a table as they are: ls, peek and why; delete and kick, of one row, of those of a key, or of all that fit a
// filter. The daemon goes through its rows a page at a time; these go on until the end.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

using client::Reply;

// Selection of rows. All given conditions must match.
struct RowFilter {
  OptionSet& to;
  Text status{to, "--status", journal::list::status};
  Text prefix{to, "--prefix", journal::list::prefix};
  MaybeText domain{to, "--domain", journal::list::domain};  // empty: rows without a domain
  // Empty: all rows with an error.
  MaybeText error{to, "--error", journal::list::error.as("only rows whose last error contains this; '' for any error")};
  MaybeText error_class{to, "--error-class", journal::list::error_class};
  Text tag{to, "--tag", journal::list::tag};

  [[nodiscard]] bool is_empty() const {
    return status.empty() && prefix.empty() && !domain && !error && !error_class && tag.empty();
  }
};

// A list tells only the places of columns that are kept in files: what is put again needs their bytes. False: the row
// is gone by now.
Result<bool> bring_places(Call& call, Message& row) {
  Value const* const number = row.find("row");
  if (row.integer("places") != 1 || number == nullptr) return true;
  Message peek = call.about_table("PEEK");
  peek.set("row", *number);
  Result<Message> answer = call.ask(peek);
  if (!answer.ok() && answer.status().code() == Code::unknown_row) return false;
  if (!answer.ok()) return answer.status();
  row = std::move(answer).value();
  return true;
}

struct Ls {
  OptionSet& to;
  RowFilter filter{to};
  Text after{to, "--after", "go on where an earlier list ended"};
  Number<> count{to, "--count", "how many at most (default 100)", WholeNumbers{1}};
  Flag all{to, "--all", "all rows; with --json, as they come", excludes(count)};
  Flag traces{to, "--traces",
              journal::list::traces.as("each row as `peek` shows it, with where its last attempt failed")};

  std::string contradiction(Globals const& given) const {
    return all && !given.json ? "ls --all needs --json: a table for people is made of at most --count rows" : "";
  }

  ExitCode run(Call& call) {
    Buffers buffers(call.connection());
    Message command = call.about_table("LIST", to);
    Paging paging{after.str(), count.value_or(all ? UINT64_MAX : 100)};
    std::uint64_t shown = 0;
    std::vector<Message> rows;
    Status const listed = call.each_page(std::move(command), paging, [&](std::vector<Message>& page) -> Status {
      for (Message& row : page) {
        if (row.command != "ROW" || paging.left == 0) continue;
        Result<bool> const is_there = call.json ? bring_places(call, row) : Result<bool>{true};
        if (!is_there.ok()) return is_there.status();
        if (!is_there.value()) continue;
        if (Status status = buffers.decode(row, call.table); !status.ok()) return status;
        --paging.left;
        ++shown;
        if (call.json)
          call.console.out << render_json(row);
        else if (traces)
          call.console.out << (shown > 1 ? "\n" : "") << render_sheet(row);
        else
          rows.push_back(std::move(row));
      }
      return {};
    });
    if (!listed.ok()) return call.complain(listed);
    if (call.json) return ExitCode::ok;
    call.show(rows, "table");
    if (!paging.after.empty()) call.console.err << "there may be more: --count, or --after " << paging.after << '\n';
    if (shown == 0 && paging.after.empty())
      call.console.err << (filter.is_empty() && after.empty() ? "table " + call.table + " has no rows\n"
                                                              : "no row of table " + call.table + " fits\n");
    return ExitCode::ok;
  }
};

// By the row's number or by its key. bad_parameter: a word is neither.
Status set_row(Message& command, std::vector<std::string> const& words, std::istream& in) {
  for (std::string const& word : words) {
    if (word.find('=') == std::string::npos)
      command.set("row", word);
    else if (Status status = add_column(command, word, in); !status.ok())
      return status;
  }
  return {};
}

constexpr char kPeek[] = "PEEK";
constexpr char kWhy[] = "WHY";

// peek, why: the rows of a key come in pages.
struct ShowRow {
  OptionSet& to;
  char const* command_name;
  WordList words{to, "WHICH", "its number, or all columns of its key if the table has keys", required};

  ExitCode run(Call& call) {
    Buffers buffers(call.connection());
    Message command = call.about_table(command_name);
    if (Status const status = set_row(command, words, call.console.in); !status.ok())
      return call.misuse(status.message());
    if (Status const encoded = buffers.encode(command); !encoded.ok()) return call.complain(encoded);
    Paging paging{.is_sized = false};
    Status const seen = call.each_page(std::move(command), paging, [&](std::vector<Message>& page) -> Status {
      for (Message& row : page) {
        if (row.command == "ROW")
          if (Status status = buffers.decode(row, call.table); !status.ok()) return status;
        row.erase("after");
        if (call.json)
          call.console.out << render_json(row);
        else if (command_name == kPeek)
          call.console.out << render_sheet(row, call.console.look);
        else
          call.console.out << (row.has("row") ? "row " + value_text(row, "row") + ": " : "")
                           << printable(with_dates(row.text("text"), call.console.look)) << '\n'
                           << trace_lines(row.text("error_trace"));
      }
      return {};
    });
    return seen.ok() ? ExitCode::ok : call.complain(seen);
  }
};

struct RowChange {
  std::string_view verb;
  std::string_view command;
  std::string_view result;  // as JSON has it
  std::string_view done;    // to many
  std::string_view fate;    // of one
  std::string_view hint;
};

constexpr RowChange kDeletion{"delete",  "DELETE",  "DELETED",
                              "deleted", "deleted", "--status, --domain, --prefix, --error or --tag"};
constexpr RowChange kKicking{"kick",   "KICK",         "KICKED",
                             "kicked", "back at work", "--status parked for all that are parked"};

// delete, kick
struct ChangeRows {
  OptionSet& to;
  RowChange const* change;
  WordList words{to, "WHICH", "the row's number, or all columns of its key if the table has keys; or else a filter"};
  RowFilter filter{to};
  Number<> count{to, "--count", "stop after so many rows", WholeNumbers{1}};
  Text after{to, "--after", "go on where an earlier one ended"};
  Flag dry_run{to, "--dry-run", "say how many rows it would be, and change nothing"};

  std::string contradiction(Globals const& /*all*/) const {
    std::string const verb{change->verb};
    bool const is_many = !filter.is_empty() || count || !after.empty() || dry_run;
    if (!words.empty() && is_many)
      return verb + " takes a row or a key, or else a filter (--status, --domain, --prefix, --error, --tag), not both";
    if (!words.empty() || !filter.is_empty()) return {};
    return verb + " needs a row, a key, or a filter: " + std::string{change->hint};
  }

  ExitCode run(Call& call) { return words.empty() ? change_all(call, dry_run) : change_one(call); }

  ExitCode change_one(Call& call) {
    Message command = call.about_table(change->command);
    if (Status const status = set_row(command, words, call.console.in); !status.ok())
      return call.misuse(status.message());
    Result<Reply> const reply = Buffers{call.connection()}.ask(command);
    if (!reply.ok()) return call.complain(reply.status());
    return call.say(reply->first(), fmt::format("row {} is {}", value_text(reply->first(), "row"), change->fate));
  }

  ExitCode change_all(Call& call, bool is_dry) {
    Message command = call.about_table(change->command, to);
    if (is_dry) command.set_integer("dry_run", 1);
    Paging paging{after.str(), count.value_or(UINT64_MAX)};
    std::uint64_t hits = 0;
    std::uint64_t looked = 0;
    StatusLine line(call.console);
    Status const changed = call.each_page(std::move(command), paging, [&](std::vector<Message>& page) -> Status {
      for (Message const& answer : page) {
        auto const here = static_cast<std::uint64_t>(answer.integer("count").value_or(0));
        hits += here;
        paging.left -= std::min(paging.left, here);
        looked += static_cast<std::uint64_t>(answer.integer("looked").value_or(0));
      }
      line.show(fmt::format("{} rows looked at, {} {}", looked, hits, is_dry ? "fit" : change->done));
      return {};
    });
    line.clear();
    if (!changed.ok()) {
      ExitCode const code = call.complain(changed);
      if (hits > 0 && !is_dry)
        call.note(fmt::format("{} rows were {} before that; the same again goes on with the rest", hits, change->done));
      return code;
    }
    Message sum(change->result);
    sum.set("table", call.table);
    sum.set("count", Value::of_unsigned(hits));
    sum.set("looked", Value::of_unsigned(looked));
    set_given(sum, "next", paging.after);
    if (is_dry) sum.set_integer("dry_run", 1);
    call.say(sum, fmt::format("{} {} {}{}", hits, hits == 1 ? "row" : "rows", is_dry ? "would be " : "", change->done));
    if (!call.json && !paging.after.empty())
      call.console.err << "there may be more: --count, or --after " << paging.after << '\n';
    return ExitCode::ok;
  }
};

struct DeleteRows : ChangeRows {
  Flag yes{to, "--yes", "do not ask, which is done on a terminal before rows of a filter go", excludes(dry_run)};

  ExitCode run(Call& call) {
    if (!words.empty() || !call.asks || yes || dry_run) return ChangeRows::run(call);
    if (ExitCode const code = change_all(call, true); code != ExitCode::ok) return code;
    call.console.out.flush();
    if (call.is_confirmed("delete them? They cannot be had again.")) return change_all(call, false);
    call.console.err << "nothing was deleted\n";
    return ExitCode::nothing;
  }
};

constexpr Verb kRowVerbs[]{
    {"ls", "list rows, leasing nothing", Needs::table, declare<Ls>,
     "fastjournal ls pages --status parked\n"
     "fastjournal ls pages --all --json > pages.json",
     "`fastjournal ls A --all --json | fastjournal put B --from -` copies a table: columns, priorities and dates. A "
     "row\nthat is parked or being processed waits in the copy."},
    {"peek", "show a row, or all rows of a key, leasing nothing", Needs::table, declare<ShowRow, kPeek>,
     "fastjournal peek pages uri=http://example.com/"},
    {"why", "say why a row, or each row of a key, is where it is", Needs::table, declare<ShowRow, kWhy>,
     "fastjournal why pages uri=http://example.com/"},
    {"delete", "drop a row, or all rows of a key or that fit a filter, whatever their state", Needs::table,
     declare<DeleteRows, &kDeletion>,
     "fastjournal delete pages uri=http://example.com/\n"
     "fastjournal delete pages --status parked --domain http://example.com/ --dry-run",
     "Without WHICH: all rows that fit --status, --domain, --prefix and --error; one of them at least.\n"
     "The daemon does it, a page of at most 1000 rows a command, to rows that fit at that moment."},
    {"kick", "put parked rows back to work: one, those of a key, or all that fit a filter", Needs::table,
     declare<ChangeRows, &kKicking>,
     "fastjournal kick pages uri=http://example.com/\n"
     "fastjournal kick pages --error 'disk full' --dry-run",
     "Without WHICH: all rows that fit --status, --domain, --prefix and --error; one of them at least.\n"
     "Parked rows, if --status does not say otherwise. A waiting row that is kicked is due now; of one\n"
     "that is being processed the lease is taken back, and its worker is refused when it reports.\n"
     "The daemon does it, a page of at most 1000 rows a command, to rows that fit at that moment."},
};

}  // namespace

Verbs row_verbs() { return kRowVerbs; }

}  // namespace fastjournal::cli
