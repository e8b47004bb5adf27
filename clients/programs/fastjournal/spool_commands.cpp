#include "clients/programs/fastjournal/spool_commands.h"

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

class SpoolRunner {
 public:
  SpoolRunner(Invocation const& invocation, Console& console)
      : one_(invocation), console_(console), folder_(invocation.spool) {}

  ExitCode run();

 private:
  ExitCode complain_of(Status const& status);
  ExitCode status();
  void show(SpoolStatus const& found);
  void show_json(SpoolStatus const& found);
  void line(std::string_view name, std::string_view text);
  void advise(SpoolStatus const& found);
  ExitCode list();
  [[nodiscard]] Json json_of(spool::RowInFolder const& row) const;
  ExitCode move_rows();
  [[nodiscard]] Result<std::vector<spool::FileOfRows>> set_aside() const;
  bool is_confirmed(std::vector<spool::FileOfRows> const& files);
  void tell_moved(std::string const& table, std::uint64_t rows);

  Invocation const& one_;
  Console& console_;
  std::string const folder_;
};

ExitCode SpoolRunner::run() {
  if (Status const there = check_spool_folder(folder_); !there.ok()) return complain_of(there);
  if (one_.verb == "spool status") return status();
  if (one_.verb == "spool list") return list();
  return move_rows();
}

ExitCode SpoolRunner::complain_of(Status const& status) {
  tell(one_, console_, status, {}, {});
  return exit_code_of_files(status.code());
}

// ---------------------------------------------------------------------------
// status

ExitCode SpoolRunner::status() {
  Result<SpoolStatus> const found = read_spool_status(folder_);
  if (!found.ok()) return complain_of(found.status());
  if (one_.json)
    show_json(found.value());
  else
    show(found.value());
  return found->is_well() ? ExitCode::ok : ExitCode::alerts;
}

void SpoolRunner::line(std::string_view name, std::string_view text) {
  console_.out << fmt::format("{:<10} {}\n", name, printable(with_dates(text, console_.look)));
}

void SpoolRunner::show(SpoolStatus const& found) {
  std::string const process = found.process > 0 ? fmt::format(" (process {})", found.process) : "";
  line("forwarder", found.is_running ? "runs" + process + since_text(found.since_ms) : "none runs");
  for (SpoolStatus::Server const& server : found.servers)
    line("server", server.address + ": " + server.state + since_text(server.since_ms) +
                       (server.problem.empty() ? "" : ": " + server.problem));
  std::string waiting = fmt::format("{}, {} in {} {}", rows_text(found.waiting_rows), size_text(found.waiting_bytes),
                                    found.waiting_files, found.waiting_files == 1 ? "file" : "files");
  if (found.oldest_ms)
    waiting += fmt::format("; the oldest is {} old", model::format_span(now_ms() - *found.oldest_ms));
  line("waiting", waiting);
  for (SpoolStatus::Table const& table : found.held) {
    std::string text = table_text(table.name) + ": " + rows_text(table.rows);
    if (std::string const reason = reason_text(table.code, table.message); !reason.empty()) text += ": " + reason;
    if (table.oldest_ms) text += "; the oldest is " + model::format_span(now_ms() - *table.oldest_ms) + " old";
    if (table.next_try_ms > 0) text += "; next try " + model::format_date(table.next_try_ms);
    line("held", text);
  }
  for (SpoolStatus::Table const& table : found.aside)
    line("set aside", table_text(table.name) + ": " + rows_text(table.rows) +
                          (table.rows > 1 ? ", the first because of " : " because of ") +
                          reason_text(table.code, table.message));
  if (found.damaged_bytes > 0)
    line("damaged",
         fmt::format("{} bytes are no rows: producers or the computer ended while they wrote, or the disk is damaged",
                     found.damaged_bytes));
  if (std::string const problem = reason_text(found.problem_code, found.problem); !problem.empty())
    line("problem", problem);
  advise(found);
}

// One line for each thing that somebody must do.
void SpoolRunner::advise(SpoolStatus const& found) {
  std::string const folder = printable(folder_);
  if (!found.is_running && found.has_rows_to_send())
    console_.out << (found.waiting_rows > 0 ? "Rows wait" : "Rows are held")
                 << " and no forwarder runs: start fastjournal-client for this folder.\n";
  if (!found.held.empty())
    console_.out << "Held rows go on by themselves once a daemon takes rows of their table: declare or resume it, or "
                    "give the\nforwarder the right to add to it.\n";
  if (!found.aside.empty())
    console_.out << fmt::format(
        "Rows set aside were refused for good: `fastjournal spool list {0} --aside` shows them. When the table takes "
        "them,\n`fastjournal spool resend {0} TABLE` sends them again; `fastjournal spool purge {0} TABLE` deletes "
        "them.\n",
        folder);
}

void SpoolRunner::show_json(SpoolStatus const& found) {
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
  console_.out << json_line(out);
}

// ---------------------------------------------------------------------------
// list

// `row` has what `put --from` takes, but its table.
Json SpoolRunner::json_of(spool::RowInFolder const& row) const {
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

ExitCode SpoolRunner::list() {
  bool const all = !one_.aside && !one_.held && !one_.waiting;
  spool::RowsWanted const wanted{
      .waiting = all || one_.waiting, .held = all || one_.held, .aside = all || one_.aside, .table = one_.table};
  std::uint64_t const most = one_.count.value_or(one_.json ? UINT64_MAX : kListedRows);
  std::uint64_t shown = 0;
  bool more = false;
  std::vector<Message> rows;
  Status const listed = spool::list_rows(folder_, wanted, [&](spool::RowInFolder const& row) {
    more = shown == most;
    if (more) return false;
    ++shown;
    if (one_.json) {
      console_.out << json_line(json_of(row));
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
  if (!listed.ok()) return complain_of(listed);
  if (one_.json) return ExitCode::ok;
  console_.out << render_table(rows, console_.look);
  if (more) console_.err << "there are more: --count\n";
  if (rows.empty()) console_.err << "there are no such rows\n";
  return ExitCode::ok;
}

// ---------------------------------------------------------------------------
// resend, purge

Result<std::vector<spool::FileOfRows>> SpoolRunner::set_aside() const {
  Result<std::vector<spool::FileOfRows>> files = spool::count_rows(folder_);
  if (files.ok())
    std::erase_if(files.value(), [this](spool::FileOfRows const& file) {
      return file.where != spool::Where::aside || (!one_.all && file.table != one_.table);
    });
  return files;
}

bool SpoolRunner::is_confirmed(std::vector<spool::FileOfRows> const& files) {
  for (spool::FileOfRows const& file : files)
    console_.err << fmt::format("{}: {}, {}\n", printable(table_text(file.table)), rows_text(file.rows),
                                size_text(file.bytes));
  console_.err << "delete these rows? They cannot be had again. [y/N] " << std::flush;
  std::string answer;
  std::getline(console_.in, answer);
  return answer == "y" || answer == "yes";
}

void SpoolRunner::tell_moved(std::string const& table, std::uint64_t rows) {
  bool const resends = one_.verb == "spool resend";
  if (one_.json) {
    Json out = {{"table", table}, {resends ? "resent" : "purged", rows}};
    if (one_.dry_run) out["dry_run"] = true;
    console_.out << json_line(out);
    return;
  }
  std::string_view const what = resends        ? "sent again"
                                : one_.dry_run ? "would be deleted"
                                : rows == 1    ? "is deleted"
                                               : "are deleted";
  console_.out << fmt::format("{} of {} {}{}\n", rows_text(rows), printable(table_text(table)),
                              resends ? (rows == 1 ? "is " : "are ") : "", what);
}

ExitCode SpoolRunner::move_rows() {
  Result<std::vector<spool::FileOfRows>> const files = set_aside();
  if (!files.ok()) return complain_of(files.status());
  if (files->empty()) {
    note(one_, console_, one_.all ? "no rows are set aside" : "no rows of " + one_.table + " are set aside");
    return ExitCode::nothing;
  }
  bool const resends = one_.verb == "spool resend";
  if (!resends && !one_.dry_run && !one_.yes && !is_confirmed(files.value())) {
    console_.err << "nothing was deleted\n";
    return ExitCode::nothing;
  }
  ExitCode code = ExitCode::ok;
  for (spool::FileOfRows const& file : files.value()) {
    if (one_.dry_run) {
      tell_moved(file.table, file.rows);
      continue;
    }
    Result<std::uint64_t> const moved =
        resends ? spool::resend(folder_, file.table) : spool::purge(folder_, file.table);
    if (moved.ok())
      tell_moved(file.table, moved.value());
    else if (moved.status().code() != Code::not_found)  // by somebody else, meanwhile
      code = complain_of(moved.status());
  }
  SpoolStatus found;
  if (resends && read_forwarder(folder_, found).ok() && !found.is_running)
    note(one_, console_, "no forwarder runs: they wait until one does");
  return code;
}

}  // namespace

ExitCode run_spool(Invocation const& invocation, Console& console) { return SpoolRunner{invocation, console}.run(); }

}  // namespace fastjournal::cli
