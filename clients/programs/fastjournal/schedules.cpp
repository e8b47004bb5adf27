// The verbs `schedule ...`: what a journal makes rows of at the dates of a calendar. `schedule dates` asks no daemon.
#include <chrono>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/schedules.h"
#include "clients/programs/fastjournal/verbs.h"
#include "model/calendar/calendar.h"
#include "model/date.h"
#include "model/duration.h"
#include "platform/os/clock.h"
#include "platform/os/zones.h"

namespace fastjournal::cli {

std::string date_in_zone(std::int64_t ms, Zone const& zone) {
  std::int64_t const offset =
      zone.at(std::chrono::floor<std::chrono::seconds>(std::chrono::milliseconds{ms}).count()).offset_s;
  std::string out = model::format_date(ms + offset * 1000);
  if (offset == 0) return out;
  std::int64_t const minutes = std::abs(offset) / 60;
  out.back() = offset < 0 ? '-' : '+';
  return out + fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

namespace {

// The most that is shown of one schedule: SCHEDULES gives no more either.
constexpr std::uint64_t kDatesShown = 100;

Message date_row(std::string_view schedule, std::int64_t ms, std::string_view zone_name, Zone const* zone) {
  Message out{"DATE"};
  if (!schedule.empty()) out.set("schedule", out.arena().copy(schedule));
  out.set_integer("date", ms);
  if (zone != nullptr) out.set("in_zone", out.arena().copy(date_in_zone(ms, *zone)));
  out.set("time_zone", out.arena().copy(zone_name));
  return out;
}

struct ScheduleLs {
  OptionSet& to;
  Text schedule{to, "SCHEDULE", journal::schedules::schedule};
  Page pages{to};

  ExitCode run(Call& call) {
    Paging paging = pages.paging(call.json ? UINT64_MAX : 100);
    Result<std::vector<Message>> found = call.all_pages(call.about_table("SCHEDULES", to), paging);
    if (!found.ok()) return call.complain(found.status());
    if (call.json) {
      call.show(found.value());
      return found->empty() ? ExitCode::nothing : ExitCode::ok;
    }
    if (!schedule.empty() && found->size() == 1) {
      Message& one = found->front();
      spell(one, call.console.look);
      call.console.out << render_sheet(one, call.console.look);
      return ExitCode::ok;
    }
    if (found->empty()) call.console.out << "no schedules\n";
    std::vector<Message> rows;
    for (Message const& one : found.value()) rows.push_back(short_of(one));
    call.show(rows);
    if (!paging.after.empty()) call.note("there are more: --after " + printable(paging.after));
    return ExitCode::ok;
  }

 private:
  // Dates and durations whose names a column of a row could have too, so that render.h does not know them.
  static void spell(Message& one, Look const& look) {
    for (std::string_view const name : {"begins", "ends", "since"})
      if (std::optional<std::int64_t> const date = one.integer(name))
        one.set(name, one.arena().copy(date_text(*date, look)));
    for (std::string_view const name : {"every", "jitter", "catch_up_window", "alert_after", "expires_in"})
      if (std::optional<std::int64_t> const span = one.integer(name))
        one.set(name, one.arena().copy(model::format_duration(*span)));
  }

  // What fits in a line.
  static Message short_of(Message const& one) {
    Message out{"SCHEDULE"};
    out.set("schedule", out.arena().copy(one.text("schedule")));
    out.set("state", out.arena().copy(one.text("state")));
    std::optional<std::int64_t> const every = one.integer("every");
    std::string const dates = every ? "every " + model::format_duration(*every) : std::string{one.text("cron")};
    out.set("dates", out.arena().copy(dates));
    out.set("time_zone", out.arena().copy(one.has("time_zone") ? one.text("time_zone") : kUtc));
    for (std::string_view const name : {"next_date", "last_date"})
      if (std::optional<std::int64_t> const date = one.integer(name)) out.set_integer(name, *date);
    if (one.has("last_result")) out.set("last_result", out.arena().copy(one.text("last_result")));
    for (std::string_view const name : {"running", "done", "failed", "missed"})
      if (std::optional<std::int64_t> const count = one.integer(name)) out.set_integer(name, *count);
    if (one.has("problem")) out.set("problem", out.arena().copy(one.text("problem")));
    return out;
  }
};

struct ScheduleAdd {
  OptionSet& to;
  Text schedule{to, "SCHEDULE", journal::schedule::schedule, required};
  WordList columns{to, "COLUMNS", "column=value of its rows, as of put"};
  Text cron{to, "--cron", journal::schedule::cron, called("EXPRESSION")};
  Duration every{to, "--every", journal::schedule::every, excludes(cron)};
  Text zone{to, "--zone", journal::schedule::time_zone, called("ZONE")};
  Duration jitter{to, "--jitter", journal::schedule::jitter};
  When begins{to, "--begins", journal::schedule::begins};
  When ends{to, "--ends", journal::schedule::ends};
  Text overlap{to, "--overlap", journal::schedule::overlap};
  Text catch_up{to, "--catch-up", journal::schedule::catch_up};
  Duration catch_up_window{to, "--catch-up-window", journal::schedule::catch_up_window};
  Number<> catch_up_max{to, "--catch-up-max", journal::schedule::catch_up_max};
  Number<> pause_after{to, "--pause-after", journal::schedule::pause_after};
  Duration alert_after{to, "--alert-after", journal::schedule::alert_after};
  Number<> priority{to, "--priority", journal::schedule::priority};
  Duration expires_in{to, "--expires-in", journal::schedule::expires_in};

  ExitCode run(Call& call) {
    Message command = call.about_table("SCHEDULE", to);
    Status built;
    for (auto word = columns.begin(); built.ok() && word != columns.end(); ++word)
      built = add_column(command, *word, call.console.in);
    if (built.ok()) built = Buffers{call.connection()}.encode(command);
    if (built.code() == Code::bad_parameter) return call.misuse(built.message());
    if (!built.ok()) return call.complain(built);
    return call.report(command, [&](Message const& answer) {
      std::optional<std::int64_t> const next = answer.integer("next_date");
      return fmt::format(
          "schedule {} {}, {}", printable(schedule),
          answer.text("result") == "unchanged" ? "was so already" : "is " + std::string{answer.text("result")},
          next ? "next date " + date_text(*next, call.console.look) : "no date comes any more");
    });
  }
};

struct ScheduleRm {
  OptionSet& to;
  Text schedule{to, "SCHEDULE", journal::unschedule::schedule, required};

  ExitCode run(Call& call) {
    return call.report(call.about_table("UNSCHEDULE", to), [&](Message const&) {
      return fmt::format("schedule {} is removed; its rows stay", printable(schedule));
    });
  }
};

struct ScheduleNext {
  OptionSet& to;
  Text schedule{to, "SCHEDULE", journal::schedules::schedule};
  Number<> dates{to, "--count", "how many dates of each (default 5)", WholeNumbers{1, kDatesShown}};

  ExitCode run(Call& call) {
    Message command = call.about_table("SCHEDULES", to);
    command.set("dates", Value::of_unsigned(dates.value_or(5)));
    Paging paging;
    Result<std::vector<Message>> const found = call.all_pages(std::move(command), paging);
    if (!found.ok()) return call.complain(found.status());
    os::SystemZones const zones;
    std::vector<Message> rows;
    for (Message const& one : found.value()) {
      std::string_view const zone_name = one.has("time_zone") ? one.text("time_zone") : kUtc;
      // This computer may not know a zone of that one.
      Result<Zone const*> const zone = find_zone(&zones, zone_name);
      std::string const all{one.text("dates")};
      char const* at = all.c_str();
      for (char* end = nullptr; *at != 0; at = end) {
        std::int64_t const date = std::strtoll(at, &end, 10);
        if (end == at) break;
        rows.push_back(date_row(one.text("schedule"), date, zone_name, zone.ok() ? zone.value() : nullptr));
      }
    }
    if (rows.empty() && !call.json) call.console.out << "no dates\n";
    call.show(rows);
    return rows.empty() ? ExitCode::nothing : ExitCode::ok;
  }
};

struct ScheduleDates {
  OptionSet& to;
  Text expression{to, "EXPRESSION", "a cron expression of five or six fields, @daily, or `every 10m`", required};
  Text zone{to, "--zone", "whose clock it is about (default: UTC)", called("ZONE")};
  When from{to, "--from", "dates from this one on (default: now)"};
  Number<> count{to, "--count", "how many (default 5)", WholeNumbers{1, 10'000}};

  [[nodiscard]] std::string contradiction(Globals const& /*all*/) const {
    os::SystemZones const zones;
    if (Result<Zone const*> const where = find_zone(&zones, zone); !where.ok()) return where.status().message();
    Result<model::Calendar> const calendar = model::Calendar::parse(expression);
    return calendar.ok() ? "" : calendar.status().message();
  }

  ExitCode run(Call& call) {
    os::SystemZones const zones;
    Result<Zone const*> const where = find_zone(&zones, zone);
    client::Date const start = from.value_or(client::Date::in({}));
    std::int64_t const first = start.ms + (start.from_now ? os::PosixClock{}.wall_us() / 1000 : 0);
    Result<model::Calendar> const calendar = model::Calendar::parse(expression);
    std::vector<Message> rows;
    TimeMs date{first - 1};
    while (rows.size() < count.value_or(5)) {
      date = calendar.value().next(date, *where.value());
      if (date == TimeMs::max()) break;
      rows.push_back(date_row({}, date.value, zone.or_else(kUtc), where.value()));
    }
    call.show(rows);
    return rows.empty() ? ExitCode::nothing : ExitCode::ok;
  }
};

// Of a schedule, and not of its table.
struct ScheduleStand {
  OptionSet& to;
  std::string_view const* command;
  Text schedule{to, "SCHEDULE", journal::pause::schedule.as("its name"), required};
  Text reason{to, "--reason", journal::pause::reason.as("why, for those who ask")};

  ExitCode run(Call& call) {
    return call.report(call.about_table(*command, to), [&](Message const& answer) {
      bool const pauses = *command == "PAUSE";
      return fmt::format("schedule {} {}", printable(schedule),
                         pauses                           ? "is paused: its dates make no rows"
                         : answer.text("was") == "paused" ? "goes on"
                                                          : "was not paused");
    });
  }
};

constexpr std::string_view kPauseSchedule{"PAUSE"};
constexpr std::string_view kResumeSchedule{"RESUME"};

struct ScheduleRun {
  OptionSet& to;
  Text schedule{to, "SCHEDULE", journal::trigger::schedule, required};

  ExitCode run(Call& call) {
    return call.report(call.about_table("TRIGGER", to), [&](Message const& answer) {
      return fmt::format("schedule {}: row {}", printable(schedule), value_text(answer, "row"));
    });
  }
};

struct ScheduleBackfill {
  OptionSet& to;
  Text schedule{to, "SCHEDULE", journal::backfill::schedule, required};
  When from{to, "--from", journal::backfill::from_date, required};
  When until{to, "--until", journal::backfill::to_date, required};

  // The same command goes on behind the page before.
  ExitCode run(Call& call) {
    Message const command = call.about_table("BACKFILL", to);
    std::int64_t rows = 0;
    for (bool complete = false; !complete;) {
      Result<Message> const answer = call.ask(command);
      if (!answer.ok()) {
        if (rows > 0) call.note(fmt::format("{} rows were made; the same command goes on", rows));
        return call.complain(answer.status());
      }
      rows += answer->integer("count").value_or(0);
      complete = answer->integer("complete").value_or(1) == 1;
    }
    Message out{"BACKFILLED"};
    out.set_integer("count", rows);
    return call.say(out, fmt::format("schedule {}: {} rows of dates that are past", printable(schedule), rows));
  }
};

constexpr Verb kScheduleVerbs[]{
    {"schedule ls", "list the schedules of a journal, or show one whole", Needs::table, declare<ScheduleLs>,
     "fastjournal schedule ls jobs\n"
     "fastjournal schedule ls jobs backup --json"},
    {"schedule add", "make a schedule, or change one: a row at each date", Needs::table, declare<ScheduleAdd>,
     "fastjournal schedule add jobs backup --cron '30 2 * * *' --zone Europe/Berlin what=backup\n"
     "fastjournal schedule add jobs ping --every 10m --overlap skip what=ping",
     "What is not given is as in a new schedule. doc/schedules.md has the language of cron."},
    {"schedule rm", "remove a schedule; its rows stay", Needs::table, declare<ScheduleRm>,
     "fastjournal schedule rm jobs backup"},
    {"schedule next", "show the next dates of schedules, on their own clocks and on this one", Needs::table,
     declare<ScheduleNext>,
     "fastjournal schedule next jobs\n"
     "fastjournal schedule next jobs backup --count 20"},
    {"schedule dates", "show the dates of a cron expression; no daemon is asked", Needs::nothing,
     declare<ScheduleDates>,
     "fastjournal schedule dates '30 2 * * *' --zone Europe/Berlin\n"
     "fastjournal schedule dates '0 9 LW * *' --from 2026-01-01 --count 12"},
    {"schedule pause", "have the dates of a schedule make no rows", Needs::table,
     declare<ScheduleStand, &kPauseSchedule>, "fastjournal schedule pause jobs backup --reason 'the disk is full'"},
    {"schedule resume", "end the pause of a schedule", Needs::table, declare<ScheduleStand, &kResumeSchedule>,
     "fastjournal schedule resume jobs backup"},
    {"schedule run", "make a row of a schedule now", Needs::table, declare<ScheduleRun>,
     "fastjournal schedule run jobs backup"},
    {"schedule backfill", "make the rows of dates that are past", Needs::table, declare<ScheduleBackfill>,
     "fastjournal schedule backfill jobs report --from 2026-01-01 --until 2026-01-31T23:59"},
};

}  // namespace

Verbs schedule_verbs() { return kScheduleVerbs; }

}  // namespace fastjournal::cli
