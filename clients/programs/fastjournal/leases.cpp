// take, and what becomes of the rows that it leased: touch, done, release, fail.
#include <chrono>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "clients/cpp/error_text.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/verbs.h"
#include "model/date.h"

namespace fastjournal::cli {

namespace {

std::optional<DurationMs> grace_of_table(Call& call) {
  Result<Message> const stats = call.ask(call.about_table("STATS"));
  // Not every table type has a grace.
  std::optional<std::int64_t> const grace = stats.ok() ? stats->integer("grace_ms") : std::nullopt;
  return grace ? std::optional(DurationMs{*grace}) : std::nullopt;
}

// Sets lease_end to the end that the lease has once this connection is closed, if nobody adopts it.
void end_with_connection(Message& row, DurationMs grace) {
  using std::chrono::milliseconds;
  auto const now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  std::int64_t const end = now.count() + grace.value;
  if (row.integer("lease_end").value_or(0) > end) row.set_integer("lease_end", end);
}

struct Take {
  OptionSet& to;
  Number<> count{to, "--count", journal::next::count};
  Duration lease{to, "--lease", journal::next::lease.as("how long they are yours")};
  Duration wait{to, "--wait", journal::next::wait.as("wait so long for the first one")};
  Text domain{to, "--domain", journal::next::domain};
  Text worker{to, "--worker", journal::next::worker};
  Flag hold{to, "--hold",
            "stay connected until standard input ends: without a connection the daemon takes rows back after the "
            "table's `grace`"};
  Flag at_once{to, "--done", journal::next::done, excludes(lease), excludes(hold)};

  ExitCode run(Call& call) {
    Message next = call.about_table("NEXT", to);
    Result<client::Reply> reply = Buffers{call.connection()}.ask(next);
    if (!reply.ok()) return call.complain(reply.status());
    if (Message const& first = reply->first(); first.command == "NOTHING") {
      auto const date = first.integer("next_date");
      if (!call.json)
        call.console.err << "nothing is due"
                         << (date && *date > 0 ? "; the next row is at " + date_text(*date, call.console.look)
                                               : std::string())
                         << '\n';
      return ExitCode::nothing;
    }
    std::optional<DurationMs> const grace = hold || at_once ? std::nullopt : grace_of_table(call);
    if (grace)
      for (Message& row : reply->messages) end_with_connection(row, *grace);
    call.show(reply->messages, "table");
    call.console.out.flush();
    if (call.console.look.terminal && !call.json && grace)
      call.console.err
          << "our connection ends here, so the lease does " << model::format_span(grace->value)
          << " later (the table's `grace`) unless done, touch or release come first; --hold stays connected\n";
    std::string ignored;
    while (hold && std::getline(call.console.in, ignored)) continue;
    return ExitCode::ok;
  }
};

struct Lease {
  OptionSet& to;
  Number<> row{to, "ROW", journal::done::row.as("number of the row, as `take` shows it"), required};
  Number<> epoch{to, "EPOCH", journal::done::epoch.as("epoch of the lease, as `take` shows it"), required};

  // Of a row that was returned or given up.
  ExitCode give_up(Call& call, Message command, std::string_view error) const {
    client::set_error(command, "error", error);
    Result<Message> answer = call.ask(command);
    if (!answer.ok()) return call.complain(answer.status());
    std::string_view const name = answer->command;
    // JSON does not name the answer.
    answer->set("fate", name == "PARKED" ? "parked" : name == "DELETED" ? "deleted" : "released");
    std::string const sentence =
        name == "PARKED"    ? fmt::format("row {} is parked; `fastjournal kick` puts it back", *row)
        : name == "DELETED" ? fmt::format("row {} is deleted: it was given up, or has expired", *row)
                            : fmt::format("row {} is released{}", *row, due_text(answer.value()));
    return call.say(answer.value(), with_dates(sentence, call.console.look));
  }
};

struct Touch : Lease {
  Duration lease{to, "--lease", journal::touch::lease};

  ExitCode run(Call& call) {
    return call.report(call.about_table("TOUCH", to), [&](Message const& answer) {
      return fmt::format("row {} is yours until {}", *row,
                         date_text(answer.integer("lease_end").value_or(0), call.console.look));
    });
  }
};

struct Progress : Lease {
  Number<> percent{to, "PERCENT", journal::progress::percent, required};
  Text note{to, "NOTE", journal::progress::note};
  Duration lease{to, "--lease", journal::progress::lease};

  ExitCode run(Call& call) {
    return call.report(call.about_table("PROGRESS", to),
                       [&](Message const&) { return fmt::format("row {} is at {} %", *row, *percent); });
  }
};

struct Done : Lease {
  ExitCode run(Call& call) {
    return call.report(call.about_table("DONE", to),
                       [&](Message const&) { return fmt::format("row {} is done", *row); });
  }
};

struct Fail : Lease {
  Text error{to, "--error", journal::fail::error.sentence};
  Text error_class{to, "--error-class", journal::fail::error_class};

  ExitCode run(Call& call) { return give_up(call, call.about_table("FAIL", to), error); }
};

struct Release : Lease {
  When at{to, "--at",
          journal::release::process_date.as("not before this date (default: now; with --error the table's back-off)")};
  Text error{to, "--error", "why: it is a failed attempt then, and counts"};
  Text error_class{to, "--error-class", journal::release::error_class};

  ExitCode run(Call& call) { return give_up(call, call.about_table("RELEASE", to), error); }
};

constexpr Verb kLeaseVerbs[]{
    {"take", "lease the next rows that are due, and show them", Needs::table, declare<Take>,
     "fastjournal take pages --count 10 --lease 5m --wait 30s"},
    {"touch", "renew a lease", Needs::table, declare<Touch>, "fastjournal touch pages 69688 1099511627777 --lease 10m"},
    {"progress", "say how far the work on a row is", Needs::table, declare<Progress>,
     "fastjournal progress pages 69688 1099511627777 40 '4 of 10 files' --lease 10m"},
    {"done", "the work is done: the row goes away", Needs::table, declare<Done>,
     "fastjournal done pages 69688 1099511627777"},
    {"release", "give a row back", Needs::table, declare<Release>,
     "fastjournal release pages 69688 1099511627777 --error 'the site does not answer' --at +10m"},
    {"fail", "this row can never work: parked for an operator, or deleted (the table's when-failed)", Needs::table,
     declare<Fail>, "fastjournal fail pages 69688 1099511627777 --error 'no such page'"},
};

}  // namespace

Verbs lease_verbs() { return kLeaseVerbs; }

}  // namespace fastjournal::cli
