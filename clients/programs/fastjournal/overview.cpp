#include "clients/programs/fastjournal/overview.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/rounds.h"
#include "clients/programs/fastjournal/rows.h"
#include "model/date.h"

namespace fastjournal::cli {
namespace {

using client::Connection;
using client::Reply;

constexpr std::uint64_t kTablesPageMax = 1000;

std::string label_of(std::int64_t from, std::int64_t to, std::int64_t now) {
  if (from == 0) return "due now";
  if (to == 0) return "after " + model::format_span(from - now);
  return "within " + model::format_span(to - now);
}

void spell_dates(Message& message, Look const& look) {
  for (std::string_view const name : {"since", "until", "first_date", "next_date"})
    if (std::optional<std::int64_t> const date = message.integer(name))
      message.set(name, message.arena().copy(*date == 0 ? "-" : date_text(*date, look)));
}

}  // namespace

ExitCode watch_figures(Invocation const& one, Console& console, Connection& connection) {
  std::int64_t const every = one.interval ? one.interval->value : 1000;
  client::Params params{{"every", Value::of_integer(every)}};
  if (!one.table.empty()) params.push_back({"table", Value::of_text(one.table)});
  if (Status const status = connection.watch(params); !status.ok()) return complain(one, console, status);
  Rounds rounds;
  std::uint64_t left = one.count.value_or(UINT64_MAX);
  while (left > 0 && console.out) {
    Result<Message> push = connection.wait_push(client::Milliseconds{every} + connection.options().time_limit);
    if (!push.ok()) return complain(one, console, push.status());
    if (one.json) console.out << render_json(push.value(), true);
    Result<bool> const is_whole = rounds.take(std::move(push).value());
    if (!is_whole.ok()) return complain(one, console, is_whole.status());
    if (!is_whole.value()) continue;
    if (!one.json) console.out << render_plain(rounds.now(), date_text(rounds.date(), console.look), console.look);
    console.out << std::flush;
    if (--left > 0 && !one.json) console.out << '\n';
  }
  return ExitCode::ok;
}

std::string render_timeline(Timeline const& timeline, std::int64_t now, std::size_t width) {
  constexpr std::size_t kLabelWidth = 20;
  constexpr std::size_t kCountWidth = 12;
  std::uint64_t most = 1;
  for (auto const& [span, rows] : timeline) most = std::max(most, rows);
  std::size_t const room = std::max<std::size_t>(width, kLabelWidth + kCountWidth + 12) - kLabelWidth - kCountWidth - 2;
  std::string out;
  auto const line = [&](std::pair<std::int64_t, std::int64_t> const& span, std::uint64_t rows) {
    // Some rows are one mark at least.
    auto const marks = std::max<std::size_t>(
        1, static_cast<std::size_t>(static_cast<double>(rows) / static_cast<double>(most) * static_cast<double>(room)));
    out += fmt::format("{:<{}}{:>{}}  {}\n", label_of(span.first, span.second, now), kLabelWidth, rows, kCountWidth,
                       std::string(marks, '#'));
  };
  // In the order of the map: what is later than all has the last `from`.
  for (auto const& [span, rows] : timeline) line(span, rows);
  return out;
}

ExitCode show_timeline(Invocation const& one, Console& console, Connection& connection) {
  Timeline timeline;
  std::optional<std::int64_t> now;
  for (std::string after;;) {
    Message command{"TIMELINE"};
    command.set("table", one.table);
    if (one.filter.domain) command.set("domain", *one.filter.domain);
    if (now) command.set_integer("now", *now);
    if (!after.empty()) command.set("after", after);
    Result<Reply> const reply = connection.call(command);
    if (!reply.ok()) return complain(one, console, reply.status());
    for (Message const& message : reply->messages) {
      if (!now) now = message.integer("now");
      if (message.command != "DUE") continue;
      timeline[{message.integer("from").value_or(0), message.integer("to").value_or(0)}] +=
          static_cast<std::uint64_t>(message.integer("rows").value_or(0));
    }
    after = cursor_of(reply->messages.back(), after);
    if (after.empty()) break;
  }
  if (timeline.empty() && !one.json) console.err << "no row of table " << one.table << " is due or waits for a date\n";
  if (!one.json) {
    console.out << render_timeline(timeline, now.value_or(0), console.look.width);
    return ExitCode::ok;
  }
  for (auto const& [span, rows] : timeline) {
    Message message{"DUE"};
    message.set("table", one.table);
    message.set_integer("from", span.first);
    message.set_integer("to", span.second);
    message.set("rows", Value::of_unsigned(rows));
    message.set_integer("now", now.value_or(0));
    console.out << render_json(message);
  }
  return ExitCode::ok;
}

ExitCode show_pages(Invocation const& one, Console& console, Connection& connection) {
  bool const domains = one.verb == "domains";
  std::uint64_t left = one.count.value_or(UINT64_MAX);
  std::vector<Message> shown;
  std::string reason;
  for (std::string after; left > 0;) {
    Message command{domains ? "DOMAINS" : "WAITERS"};
    command.set("table", one.table);
    command.set("count", Value::of_unsigned(std::min(left, kTablesPageMax)));
    if (!after.empty()) command.set("after", after);
    Result<Reply> reply = connection.call(command);
    if (!reply.ok()) return complain(one, console, reply.status());
    after = cursor_of(reply->messages.back(), after);
    for (Message& message : reply->messages) {
      if (message.command == "NOTHING") {
        reason = std::string{message.text("reason")};
      } else if (left > 0) {
        --left;
        shown.push_back(std::move(message));
      }
    }
    if (after.empty()) break;
  }
  if (one.json) {
    for (Message const& message : shown) console.out << render_json(message);
    return ExitCode::ok;
  }
  if (domains)  // those with the most to do first
    std::ranges::stable_sort(shown, std::greater<>{}, [](Message const& one_of) { return one_of.integer("due"); });
  for (Message& message : shown) spell_dates(message, console.look);
  console.out << render_table(shown, console.look, "table");
  if (!shown.empty()) return ExitCode::ok;
  if (!domains)
    console.err << "nobody listens or waits at table " << one.table << '\n';
  else
    console.err << (reason.empty() ? "table " + one.table + " has no rows" : "table " + one.table + ": " + reason)
                << '\n';
  return ExitCode::ok;
}

}  // namespace fastjournal::cli
