// The commands `spool status`, `list`, `resend` and `purge`: for a spool folder, perhaps without a running forwarder or
// daemon. What they read and change is in clients/spool/core/folder_tools.h, what a forwarder says in spool_status.h.
#include <algorithm>
#include <chrono>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/json_line.h"
#include "clients/programs/fastjournal/spool_status.h"
#include "clients/programs/fastjournal/verbs.h"
#include "clients/spool/core/folder_tools.h"
#include "clients/spool/core/place.h"
#include "model/date.h"

namespace fastjournal::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kListedRows = 100;
constexpr std::size_t kShownBytesMax = 1024;  // of what is no row

std::int64_t now_ms() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string rows_text(std::uint64_t rows) { return fmt::format("{} {}", rows, rows == 1 ? "row" : "rows"); }

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < (std::uint64_t{10} << 20U)) return fmt::format("{} KiB", bytes >> 10U);
  return fmt::format("{} MiB", bytes >> 20U);
}

std::string since_text(std::int64_t ms) { return ms > 0 ? " since " + model::format_date(ms) : std::string(); }

// "code: message", as much of it as there is.
std::string reason_text(std::string const& code, std::string const& message) {
  return code.empty() || message.empty() ? code + message : code + ": " + message;
}

std::string_view word_of(spool::Where where) {
  switch (where) {
    case spool::Where::waiting: return "waiting";
    case spool::Where::held: return "held";
    case spool::Where::aside: return "aside";
  }
  return {};
}

std::string table_text(std::string const& name) {
  return name == spool::kOtherTable ? name + " (no proper name of a table, or too many tables)" : name;
}

constexpr char kFolderHelp[] = "the folder that producers save to";

// ---------------------------------------------------------------------------
// status

struct ShowSpool {
  OptionSet& to;
  Text folder{to, "FOLDER", kFolderHelp, required};

  ExitCode run(Call& call) {
    if (Status const there = check_spool_folder(folder); !there.ok()) return call.complain_of_files(there);
    Result<SpoolStatus> const found = read_spool_status(folder);
    if (!found.ok()) return call.complain_of_files(found.status());
    if (call.json)
      show_json(call, found.value());
    else
      show(call, found.value());
    return found->is_well() ? ExitCode::ok : ExitCode::alerts;
  }

  static void line(Call& call, std::string_view name, std::string_view text) {
    call.console.out << fmt::format("{:<10} {}\n", name, printable(with_dates(text, call.console.look)));
  }

  void show(Call& call, SpoolStatus const& found) const {
    std::string const process = found.process > 0 ? fmt::format(" (process {})", found.process) : "";
    line(call, "forwarder", found.is_running ? "runs" + process + since_text(found.since_ms) : "none runs");
    for (SpoolStatus::Server const& server : found.servers)
      line(call, "server",
           server.address + ": " + server.state + since_text(server.since_ms) +
               (server.problem.empty() ? "" : ": " + server.problem));
    std::string waiting = fmt::format("{}, {} in {} {}", rows_text(found.waiting_rows), size_text(found.waiting_bytes),
                                      found.waiting_files, found.waiting_files == 1 ? "file" : "files");
    if (found.oldest_ms)
      waiting += fmt::format("; the oldest is {} old", model::format_span(now_ms() - *found.oldest_ms));
    line(call, "waiting", waiting);
    for (SpoolStatus::Table const& table : found.held) {
      std::string text = table_text(table.name) + ": " + rows_text(table.rows);
      if (std::string const reason = reason_text(table.code, table.message); !reason.empty()) text += ": " + reason;
      if (table.oldest_ms) text += "; the oldest is " + model::format_span(now_ms() - *table.oldest_ms) + " old";
      if (table.next_try_ms > 0) text += "; next try " + model::format_date(table.next_try_ms);
      line(call, "held", text);
    }
    for (SpoolStatus::Table const& table : found.aside)
      line(call, "set aside",
           table_text(table.name) + ": " + rows_text(table.rows) +
               (table.rows > 1 ? ", the first because of " : " because of ") + reason_text(table.code, table.message));
    if (found.damaged_bytes > 0)
      line(call, "damaged",
           fmt::format("{} bytes are no rows: producers or the computer ended while they wrote, or the disk is damaged",
                       found.damaged_bytes));
    if (std::string const problem = reason_text(found.problem_code, found.problem); !problem.empty())
      line(call, "problem", problem);
    advise(call, found);
  }

  // One line for each thing that somebody must do.
  void advise(Call& call, SpoolStatus const& found) const {
    std::string const place = printable(folder);
    if (!found.is_running && found.has_rows_to_send())
      call.console.out << (found.waiting_rows > 0 ? "Rows wait" : "Rows are held")
                       << " and no forwarder runs: start fastjournal-client for this folder.\n";
    if (!found.held.empty())
      call.console.out << "Held rows go on by themselves once a daemon takes rows of their table: declare or resume "
                          "it, or give the\nforwarder the right to add to it.\n";
    if (!found.aside.empty())
      call.console.out << fmt::format(
          "Rows set aside were refused for good: `fastjournal spool list {0} --aside` shows them. When the table takes "
          "them,\n`fastjournal spool resend {0} TABLE` sends them again; `fastjournal spool purge {0} TABLE` deletes "
          "them.\n",
          place);
  }

  static void show_json(Call& call, SpoolStatus const& found) {
    Json out = Json::object();
    out["folder"] = found.folder;
    out["well"] = found.is_well();
    out["forwarder"]["running"] = found.is_running;
    if (found.process > 0) out["forwarder"]["process"] = found.process;
    if (found.since_ms > 0) out["forwarder"]["since"] = found.since_ms;
    if (found.date_ms > 0) out["forwarder"]["date"] = found.date_ms;
    if (!found.figures.empty()) out["forwarder"]["figures"] = Json::parse(found.figures, nullptr, false);
    for (SpoolStatus::Server const& server : found.servers) {
      Json one = {{"address", server.address}, {"state", server.state}};
      if (server.since_ms > 0) one["since"] = server.since_ms;
      if (!server.problem.empty()) one["problem"] = server.problem;
      out["forwarder"]["servers"].push_back(std::move(one));
    }
    if (!found.problem.empty() || !found.problem_code.empty())
      out["problem"] = {{"code", found.problem_code}, {"message", found.problem}};
    out["waiting"] = {{"rows", found.waiting_rows}, {"bytes", found.waiting_bytes}, {"files", found.waiting_files}};
    std::int64_t oldest = found.oldest_ms.value_or(INT64_MAX);
    for (SpoolStatus::Table const& table : found.held) oldest = std::min(oldest, table.oldest_ms.value_or(INT64_MAX));
    if (oldest != INT64_MAX) out["oldest_date"] = oldest;
    auto const tables = [](std::vector<SpoolStatus::Table> const& from) {
      Json list = Json::array();
      for (SpoolStatus::Table const& table : from) {
        Json one = {{"table", table.name}, {"rows", table.rows}, {"bytes", table.bytes}};
        if (!table.code.empty()) one["code"] = table.code;
        if (!table.message.empty()) one["message"] = table.message;
        if (table.next_try_ms > 0) one["next_try"] = table.next_try_ms;
        if (table.oldest_ms) one["oldest_date"] = *table.oldest_ms;
        list.push_back(std::move(one));
      }
      return list;
    };
    out["held"] = tables(found.held);
    out["aside"] = tables(found.aside);
    out["damaged_bytes"] = found.damaged_bytes;
    call.console.out << json_line(out);
  }
};

// ---------------------------------------------------------------------------
// list

struct SpoolList {
  OptionSet& to;
  Text folder{to, "FOLDER", kFolderHelp, required};
  TableName table{to, "--table", "of this table only"};
  Flag waiting{to, "--waiting", "those that were not sent so far"};
  Flag held{to, "--held", "those whose table takes no rows now"};
  Flag aside{to, "--aside", "those that were refused for good"};
  Number<> count{to, "--count", "how many at most (default 100, with --json all)", WholeNumbers{1}};

  ExitCode run(Call& call) {
    if (Status const there = check_spool_folder(folder); !there.ok()) return call.complain_of_files(there);
    bool const all = !aside && !held && !waiting;
    spool::RowsWanted const wanted{
        .waiting = all || waiting, .held = all || held, .aside = all || aside, .table = call.table};
    std::uint64_t const most = count.value_or(call.json ? UINT64_MAX : kListedRows);
    std::uint64_t shown = 0;
    bool more = false;
    std::vector<Message> rows;
    Status const listed = spool::list_rows(folder, wanted, [&](spool::RowInFolder const& row) {
      more = shown == most;
      if (more) return false;
      ++shown;
      if (call.json) {
        call.console.out << json_line(json_of(row));
        return true;
      }
      Message& out = rows.emplace_back("ROW");
      out.set("status", word_of(row.where));
      if (!row.table.empty()) out.set("table", row.table);
      if (row.date_ms > 0) out.set_integer("date", row.date_ms);
      if (!row.code.empty()) out.set("code", row.code);
      if (!row.reason.empty()) out.set("reason", row.reason);
      if (row.row == nullptr) out.set("body", Value::of_binary(row.body.substr(0, kShownBytesMax)));
      for (Param const& param : row.row == nullptr ? std::vector<Param>{} : row.row->params())
        if (param.name != "insertion_date") out.set(param.name, param.value);
      out.own();
      return true;
    });
    if (!listed.ok()) return call.complain_of_files(listed);
    if (call.json) return ExitCode::ok;
    call.console.out << render_table(rows, call.console.look);
    if (more) call.console.err << "there are more: --count\n";
    if (rows.empty()) call.console.err << "there are no such rows\n";
    return ExitCode::ok;
  }

  // `row` has what `put --from` takes, but its table.
  static Json json_of(spool::RowInFolder const& row) {
    Json out = {{"where", word_of(row.where)}, {"table", row.table}};
    if (row.date_ms > 0) out["date"] = row.date_ms;
    if (!row.code.empty()) out["code"] = row.code;
    if (!row.reason.empty()) out["reason"] = row.reason;
    Message shown;
    if (row.row != nullptr) {
      for (Param const& param : row.row->params())
        if (param.name != "table") shown.set(param.name, param.value);
      out["row"] = Json::parse(render_json(shown), nullptr, false);
    } else {
      shown.set("body", Value::of_binary(row.body.substr(0, kShownBytesMax)));
      out["body"] = Json::parse(render_json(shown), nullptr, false)["body"];
    }
    return out;
  }
};

// ---------------------------------------------------------------------------
// resend, purge

// Rows that are set aside, of a table or of all.
struct RowsAside {
  OptionSet& to;
  std::string_view const* verb;
  Text folder{to, "FOLDER", kFolderHelp, required};
  TableName table{to, "TABLE", "as `spool status` shows it"};
  Flag all{to, "--all", "of all tables", excludes(table)};

  std::string contradiction(Globals const& given) const {
    return given.table.empty() != all ? std::string{*verb} + " needs a table, or --all for all of them" : "";
  }

  using Files = std::vector<spool::FileOfRows>;
  struct Move {
    std::string_view word;  // for programs
    bool is_dry{false};
    std::function<bool(Files const&)> is_wanted;
    std::function<Result<std::uint64_t>(spool::FileOfRows const&)> rows;  // not found: somebody else moved them
    std::function<std::string(std::uint64_t)> done;
  };

  ExitCode move(Call& call, Move const& how) const {
    if (Status const there = check_spool_folder(folder); !there.ok()) return call.complain_of_files(there);
    Result<Files> files = spool::count_rows(folder);
    if (!files.ok()) return call.complain_of_files(files.status());
    std::erase_if(files.value(), [&](spool::FileOfRows const& file) {
      return file.where != spool::Where::aside || (!all && file.table != call.table);
    });
    if (files->empty()) {
      call.note(all ? "no rows are set aside" : "no rows of " + call.table + " are set aside");
      return ExitCode::nothing;
    }
    if (!how.is_wanted(files.value())) {
      call.console.err << "nothing was deleted\n";
      return ExitCode::nothing;
    }
    ExitCode code = ExitCode::ok;
    for (spool::FileOfRows const& file : files.value()) {
      Result<std::uint64_t> const moved = how.rows(file);
      if (!moved.ok() && moved.status().code() != Code::not_found) code = call.complain_of_files(moved.status());
      if (!moved.ok()) continue;
      Json out = {{"table", file.table}, {std::string{how.word}, moved.value()}};
      if (how.is_dry) out["dry_run"] = true;
      call.console.out << (call.json ? json_line(out)
                                     : fmt::format("{} of {} {}\n", rows_text(moved.value()),
                                                   printable(table_text(file.table)), how.done(moved.value())));
    }
    return code;
  }
};

constexpr std::string_view kResend{"spool resend"};
constexpr std::string_view kPurge{"spool purge"};

struct SpoolResend : RowsAside {
  ExitCode run(Call& call) {
    ExitCode const code =
        move(call, {.word = "resent",
                    .is_wanted = [&](Files const&) { return is_begun = true; },
                    .rows = [&](auto const& file) { return spool::resend(folder, file.table); },
                    .done = [](std::uint64_t rows) { return std::string{rows == 1 ? "is" : "are"} + " sent again"; }});
    SpoolStatus found;
    if (is_begun && read_forwarder(folder, found).ok() && !found.is_running)
      call.note("no forwarder runs: they wait until one does");
    return code;
  }

  bool is_begun{false};
};

struct SpoolPurge : RowsAside {
  Flag yes{to, "--yes", "do not ask"};
  Flag dry_run{to, "--dry-run", "say how many rows it would be, and delete none", excludes(yes)};

  ExitCode run(Call& call) {
    auto const is_wanted = [&](Files const& files) {
      if (dry_run || yes) return true;
      for (spool::FileOfRows const& file : files)
        call.console.err << fmt::format("{}: {}, {}\n", printable(table_text(file.table)), rows_text(file.rows),
                                        size_text(file.bytes));
      return call.is_confirmed("delete these rows? They cannot be had again.");
    };
    auto const rows = [&](spool::FileOfRows const& file) {
      return dry_run ? Result<std::uint64_t>{file.rows} : spool::purge(folder, file.table);
    };
    auto const done = [&](std::uint64_t count) {
      return std::string{dry_run ? "would be" : count == 1 ? "is" : "are"} + " deleted";
    };
    return move(call, {.word = "purged", .is_dry = dry_run, .is_wanted = is_wanted, .rows = rows, .done = done});
  }
};

constexpr Verb kSpoolVerbs[]{
    {"spool status", "say whether a forwarder runs, what waits, and what somebody must do", Needs::nothing,
     declare<ShowSpool>, "fastjournal spool status /var/spool/fastjournal/site",
     "Exit code 0 if all is well; 8 if rows are held or set aside, if rows wait and no forwarder runs, or if\n"
     "the forwarder has a problem. Reads all files of the folder, and changes nothing."},
    {"spool list", "show rows that wait, are held, or are set aside with the reason", Needs::nothing,
     declare<SpoolList>, "fastjournal spool list /var/spool/fastjournal/site --aside --table pages",
     "With --json an object a line: where, table, date, code, reason, and in `row` what `put --from` takes:\n"
     "  fastjournal spool list FOLDER --aside --table T --json | jq -c .row > rows\n"
     "and when the rows are corrected and put, `fastjournal spool purge FOLDER T`."},
    {kResend, "give rows that were set aside to the forwarder again", Needs::nothing, declare<SpoolResend, &kResend>,
     "fastjournal spool resend /var/spool/fastjournal/site pages",
     "They are sent as new rows. Those that are refused again are set aside again."},
    {kPurge, "delete rows that were set aside: shows how many, asks, and deletes them", Needs::nothing,
     declare<SpoolPurge, &kPurge>, "fastjournal spool purge /var/spool/fastjournal/site pages --dry-run"},
};

}  // namespace

Verbs spool_verbs() { return kSpoolVerbs; }

}  // namespace fastjournal::cli
