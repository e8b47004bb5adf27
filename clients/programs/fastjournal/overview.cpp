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
#include "clients/programs/fastjournal/verbs.h"
#include "model/date.h"

namespace fastjournal::cli {
namespace {

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

struct WatchFigures {
  OptionSet& to;
  TableName table{to, "TABLE", "this table only"};
  Duration interval{to, "--interval", daemon::watch::every.as("how often")};
  Number<> count{to, "--count", "end after so many rounds", WholeNumbers{1}};

  ExitCode run(Call& call) {
    client::Connection& connection = call.connection();
    std::int64_t const every = interval.value_or(DurationMs{daemon::watch::every.absent}).value;
    Message given = call.about_table("WATCH");
    given.set_integer("every", every);
    if (Status const status = connection.watch(given.params()); !status.ok()) return call.complain(status);
    Rounds rounds;
    std::uint64_t left = count.value_or(UINT64_MAX);
    while (left > 0 && call.console.out) {
      Result<Message> push = connection.wait_push(client::Milliseconds{every} + connection.options().time_limit);
      if (!push.ok()) return call.complain(push.status());
      if (call.json) call.show_line(push.value());
      Result<bool> const is_whole = rounds.take(std::move(push).value());
      if (!is_whole.ok()) return call.complain(is_whole.status());
      if (!is_whole.value()) continue;
      if (!call.json)
        call.console.out << render_plain(rounds.now(), date_text(rounds.date(), call.console.look), call.console.look);
      call.console.out << std::flush;
      if (--left > 0 && !call.json) call.console.out << '\n';
    }
    return ExitCode::ok;
  }
};

struct ShowTimeline {
  OptionSet& to;
  MaybeText domain{to, "--domain", journal::timeline::domain};

  ExitCode run(Call& call) {
    Timeline timeline;
    std::optional<std::int64_t> now;
    for (std::string after;;) {
      Message command = call.about_table("TIMELINE", to);
      if (now) command.set_integer("now", *now);
      set_given(command, "after", after);
      Result<client::Reply> const reply = call.connection().call(command);
      if (!reply.ok()) return call.complain(reply.status());
      for (Message const& message : reply->messages) {
        if (!now) now = message.integer("now");
        if (message.command != "DUE") continue;
        timeline[{message.integer("from").value_or(0), message.integer("to").value_or(0)}] +=
            static_cast<std::uint64_t>(message.integer("rows").value_or(0));
      }
      after = cursor_of(reply->messages.back(), after);
      if (after.empty()) break;
    }
    if (!call.json) {
      if (timeline.empty()) call.console.err << "no row of table " << call.table << " is due or waits for a date\n";
      call.console.out << render_timeline(timeline, now.value_or(0), call.console.look.width);
      return ExitCode::ok;
    }
    for (auto const& [span, rows] : timeline) {
      Message message{"DUE"};
      message.set("table", call.table);
      message.set_integer("from", span.first);
      message.set_integer("to", span.second);
      message.set("rows", Value::of_unsigned(rows));
      message.set_integer("now", now.value_or(0));
      call.console.out << render_json(message);
    }
    return ExitCode::ok;
  }
};

struct Waiters {
  OptionSet& to;
  Number<> count{to, "--count", "how many at most", WholeNumbers{1}};

  ExitCode run(Call& call) {
    return show(call, "WAITERS", [&](std::string const&) { return "nobody listens or waits at table " + call.table; });
  }

  // `if_none`: says why there is nothing, of which the daemon may know more.
  ExitCode show(Call& call, std::string_view command, std::function<std::string(std::string const&)> const& if_none) {
    Paging paging{{}, count.value_or(UINT64_MAX)};
    Result<std::vector<Message>> shown = call.all_pages(call.about_table(command), paging);
    if (!shown.ok()) return call.complain(shown.status());
    if (!call.json) {
      // Those with the most to do first.
      std::ranges::stable_sort(shown.value(), std::greater<>{}, [](Message const& one) { return one.integer("due"); });
      for (Message& message : shown.value()) spell_dates(message, call.console.look);
      if (shown->empty()) call.console.err << if_none(paging.reason) << '\n';
    }
    call.show(shown.value(), "table");
    return ExitCode::ok;
  }
};

struct Domains : Waiters {
  ExitCode run(Call& call) {
    return show(call, "DOMAINS", [&](std::string const& reason) {
      return "table " + call.table + (reason.empty() ? " has no rows" : ": " + reason);
    });
  }
};

struct ShowFigures {
  OptionSet& to;
  Text per{to, "--per", journal::figures::per};
  When since{to, "--since", journal::figures::since};
  When until{to, "--until", journal::figures::until};

  ExitCode run(Call& call) {
    Paging paging;
    Result<std::vector<Message>> shown = call.all_pages(call.about_table("FIGURES", to), paging);
    if (!shown.ok()) return call.complain(shown.status());
    if (shown->empty() && !call.json)
      call.console.err << (paging.reason.empty() ? "nothing happened in table " + call.table : paging.reason) << '\n';
    if (!call.json)
      for (Message& message : shown.value()) spell_dates(message, call.console.look);
    call.show(shown.value(), "table");
    return ExitCode::ok;
  }
};

struct Stats {
  OptionSet& to;
  TableName table{to, "TABLE", "name of the table"};

  ExitCode run(Call& call) {
    Result<client::Reply> const reply = call.connection().call(call.about_table("STATS"));
    if (!reply.ok()) return call.complain(reply.status());
    for (std::size_t i = 0; i < reply->messages.size(); ++i)
      call.console.out << (call.json ? render_json(reply->messages[i])
                                     : (i == 0 ? "" : "\n") + render_sheet(reply->messages[i], call.console.look));
    return ExitCode::ok;
  }
};

struct Alerts {
  OptionSet& to;
  TableName table{to, "TABLE", "name of the table"};
  Text lower{to, "--lower", daemon::lower::name.as("say that the alert of this name is over")};

  ExitCode run(Call& call) {
    Message const command = call.about_table(lower.empty() ? "ALERTS" : "LOWER", to);
    if (!lower.empty()) return call.report(command, [&](Message const&) { return "alert " + lower + " is over"; });
    Result<client::Reply> reply = call.connection().call(command);
    if (!reply.ok()) return call.complain(reply.status());
    std::erase_if(reply->messages, [](Message const& one) { return one.command == "ALERTS"; });
    if (reply->messages.empty() && !call.json) call.console.err << "no alert is up\n";
    if (!call.json)
      for (Message& alert : reply->messages)
        for (std::string_view const name : {"first", "last"})
          if (std::optional<std::int64_t> const ms = alert.integer(name))
            alert.set(name, alert.arena().copy(date_text(*ms, call.console.look)));
    call.show(reply->messages, call.table.empty() ? "" : "table");
    return reply->messages.empty() ? ExitCode::ok : ExitCode::alerts;
  }
};

constexpr Verb kOverviewVerbs[]{
    {"watch", "print the figures of one table, or of all and the daemon, as they change", Needs::connection,
     declare<WatchFigures>, "fastjournal watch pages --interval 10s --json >> pages.log",
     "With --json each message of a round is an object a line: STATS of the daemon and of each table that changed, "
     "then\nFIGURES. `fastjournal top` shows the same on a screen."},
    {"timeline", "show how many rows fall due when: in the next minute, hour, day, later", Needs::table,
     declare<ShowTimeline>, "fastjournal timeline pages --json",
     "Spans of seconds within a minute, of minutes within an hour, of hours within a day; those without rows are left "
     "out."},
    {"domains", "show the domains that have rows: their turns, and what keeps them", Needs::table, declare<Domains>,
     "fastjournal domains pages --count 20", "Those with the most due rows first, with --json in the daemon's order."},
    {"figures", "show what happened in each minute of the last day, or each hour of the last month", Needs::table,
     declare<ShowFigures>, "fastjournal figures pages --per hour --since 2026-11-30", "Of a table with keep-figures."},
    {"waiters", "show who listens and waits at a table", Needs::table, declare<Waiters>, "fastjournal waiters pages",
     "Who has leases: fastjournal ls TABLE --status processing"},
    {"stats", "figures of one table or of all, and of the daemon", Needs::connection, declare<Stats>,
     "fastjournal stats pages | grep rows"},
    {"alerts", "what an administrator should know, of one table or of all and the daemon", Needs::connection,
     declare<Alerts>, "fastjournal alerts || echo 'somebody should look'", "Exit code 0 if none is up, 8 if some are."},
};

}  // namespace

Verbs overview_verbs() { return kOverviewVerbs; }

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

}  // namespace fastjournal::cli
