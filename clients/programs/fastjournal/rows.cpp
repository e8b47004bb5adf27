#include "clients/programs/fastjournal/rows.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "clients/cpp/value_text.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/progress.h"

namespace fastjournal::cli {
namespace {

using client::Connection;
using client::Reply;

constexpr std::uint64_t kRowsPageMax = 1000;

void set_filter(Message& command, RowFilter const& filter) {
  if (!filter.status.empty()) command.set("status", filter.status);
  if (!filter.prefix.empty()) command.set("prefix", filter.prefix);
  if (filter.domain) command.set("domain", *filter.domain);
  if (filter.error) command.set("error", *filter.error);
}

// A list tells only the places of columns that are kept in files: what is put again needs their bytes. False: the row is
// gone by now.
Result<bool> bring_places(Connection& connection, std::string const& table, Message& row) {
  Value const* const number = row.find("row");
  if (row.integer("places") != 1 || number == nullptr) return true;
  Message peek("PEEK");
  peek.set("table", table);
  peek.set("row", *number);
  Result<Reply> reply = connection.call(peek);
  if (!reply.ok() && reply.status().code() == Code::unknown_row) return false;
  if (!reply.ok()) return reply.status();
  row = std::move(reply->messages.front());
  return true;
}

}  // namespace

std::string cursor_of(Message const& last, std::string const& before) {
  Value const* const cursor = last.find("after");
  std::string next = cursor == nullptr ? std::string() : client::text_of(*cursor);
  return next == "0" || next == before ? std::string() : next;
}

ExitCode list_rows(Invocation const& one, Console& console, Connection& connection) {
  Buffers buffers(connection);
  std::uint64_t wanted = one.count.value_or(one.all ? UINT64_MAX : 100);
  std::uint64_t shown = 0;
  std::vector<Message> rows;
  std::string after = one.after;
  bool more = true;
  while (more && wanted > 0) {
    Message command("LIST");
    command.set("table", one.table);
    command.set("count", Value::of_unsigned(std::min(wanted, kRowsPageMax)));
    set_filter(command, one.filter);
    if (one.traces) command.set_integer("traces", 1);
    if (!after.empty()) command.set("after", after);
    Result<Reply> reply = connection.call(command);
    if (!reply.ok()) return complain(one, console, reply.status());
    after = cursor_of(reply->messages.back(), after);
    more = !after.empty();
    for (Message& row : reply->messages) {
      if (row.command != "ROW") continue;
      Result<bool> const is_there = one.json ? bring_places(connection, one.table, row) : Result<bool>{true};
      if (!is_there.ok()) return complain(one, console, is_there.status());
      if (!is_there.value()) continue;
      if (Status const status = buffers.decode(row, one.table); !status.ok()) return complain(one, console, status);
      --wanted;
      ++shown;
      if (one.json)
        console.out << render_json(row);
      else if (one.traces)
        console.out << (shown > 1 ? "\n" : "") << render_sheet(row);
      else
        rows.push_back(std::move(row));
      if (wanted == 0) break;
    }
  }
  if (one.json) return ExitCode::ok;
  console.out << render_table(rows, console.look, "table");
  if (more) console.err << "there may be more: --count, or --after " << after << '\n';
  if (shown == 0 && !more)
    console.err << (one.filter.is_empty() && one.after.empty() ? "table " + one.table + " has no rows\n"
                                                               : "no row of table " + one.table + " fits\n");
  return ExitCode::ok;
}

ExitCode change_rows(Invocation const& one, Console& console, Connection& connection) {
  bool const kicks = one.verb == "kick";
  if (!kicks && one.asks && !one.yes && !one.dry_run) {
    Invocation count = one;
    count.dry_run = true;
    if (ExitCode const code = change_rows(count, console, connection); code != ExitCode::ok) return code;
    console.out.flush();
    console.err << "delete them? They cannot be had again. [y/N] " << std::flush;
    std::string answer;
    std::getline(console.in, answer);
    if (answer != "y" && answer != "yes") {
      console.err << "nothing was deleted\n";
      return ExitCode::nothing;
    }
  }
  std::string_view const done = kicks ? "kicked" : "deleted";
  std::uint64_t wanted = one.count.value_or(UINT64_MAX);
  std::uint64_t hits = 0;
  std::uint64_t looked = 0;
  std::string after = one.after;
  StatusLine line(console);
  do {
    Message command(kicks ? "KICK" : "DELETE");
    command.set("table", one.table);
    command.set("count", Value::of_unsigned(std::min(wanted - hits, kRowsPageMax)));
    set_filter(command, one.filter);
    if (one.dry_run) command.set_integer("dry_run", 1);
    if (!after.empty()) command.set("after", after);
    Result<Reply> const reply = connection.call(command);
    if (!reply.ok()) {
      line.clear();
      ExitCode const code = complain(one, console, reply.status());
      if (hits > 0 && !one.dry_run)
        note(one, console,
             fmt::format("{} rows were {} before that; the same again goes on with the rest", hits, done));
      return code;
    }
    Message const& page = reply->first();
    hits += static_cast<std::uint64_t>(page.integer("count").value_or(0));
    looked += static_cast<std::uint64_t>(page.integer("looked").value_or(0));
    after = cursor_of(page, after);
    line.show(fmt::format("{} rows looked at, {} {}", looked, hits, one.dry_run ? "fit" : done));
  } while (!after.empty() && hits < wanted);
  line.clear();
  if (one.json) {
    Message sum(kicks ? "KICKED" : "DELETED");
    sum.set("table", one.table);
    sum.set("count", Value::of_unsigned(hits));
    sum.set("looked", Value::of_unsigned(looked));
    if (!after.empty()) sum.set("next", after);
    if (one.dry_run) sum.set_integer("dry_run", 1);
    console.out << render_json(sum);
    return ExitCode::ok;
  }
  std::string_view const rows = hits == 1 ? "row" : "rows";
  console.out << (one.dry_run ? fmt::format("{} {} would be {}", hits, rows, done)
                              : fmt::format("{} {} {}", hits, rows, done))
              << '\n';
  if (!after.empty()) console.err << "there may be more: --count, or --after " << after << '\n';
  return ExitCode::ok;
}

}  // namespace fastjournal::cli
