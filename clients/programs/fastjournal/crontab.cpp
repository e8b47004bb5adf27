// The verb `schedule import`: lines of a crontab become schedules, or the elements of a table's file that declare them.
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "clients/programs/fastjournal/imports/crontab.h"
#include "clients/programs/fastjournal/verbs.h"
#include "platform/os/zones.h"

namespace fastjournal::cli {
namespace {

std::string crontab_xml(std::string_view text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

struct ScheduleImport {
  OptionSet& to;
  Text file{to, "FILE", "a crontab; - for standard input", required};
  Text column{to, "--column", "the column that gets the command", called("NAME"), required};
  Flag system{to, "--system", "as /etc/crontab: a user stands before the command"};
  Text user_column{to, "--user-column", "the column that gets the user", called("NAME"), only_with(system)};
  Text zone{to, "--zone", "of lines without CRON_TZ or TZ (default: that of this computer)", called("ZONE")};
  Flag dry_run{to, "--dry-run", "only prints the schedules, as elements of the table's file; no daemon is asked"};

  [[nodiscard]] Needs needs(Needs usual) const { return dry_run ? Needs::nothing : usual; }

  ExitCode run(Call& call) {
    Result<std::string> const text = file_bytes(file, call.console.in);
    if (!text.ok()) return call.misuse(text.status().message());
    imports::Crontab const found = imports::read_crontab(text.value(), zone.or_else(os::local_zone()), system);
    for (imports::CronProblem const& note : found.notes) call.note(fmt::format("line {}: {}", note.line, note.text));
    bool is_refused = false;
    auto const refuse = [&](std::uint64_t line, Status const& why) {
      call.tell(why, fmt::format("line {}", line), {});
      is_refused = true;
    };
    for (imports::CronProblem const& one : found.problems)
      refuse(one.line, {Code::bad_parameter, "no schedule: " + one.text});
    os::SystemZones const zones;
    std::vector<Message> made;
    for (imports::CronLine const& one : found.lines) {
      if (dry_run) {
        if (Result<Zone const*> const known = find_zone(&zones, one.zone); !known.ok())
          refuse(one.line, known.status());
        print(call, one);
        continue;
      }
      Result<Message> answer = call.ask(command_of_line(call, one));
      if (!answer.ok()) {
        // Without the daemon nothing follows.
        if (!call.connection().is_connected()) return call.complain(answer.status(), fmt::format("line {}", one.line));
        refuse(one.line, answer.status());
        continue;
      }
      answer->set_integer("line", static_cast<std::int64_t>(one.line));
      made.push_back(std::move(answer).value());
    }
    call.show(made, "table");
    if (is_refused) return ExitCode::refused;
    return found.lines.empty() ? ExitCode::nothing : ExitCode::ok;
  }

 private:
  // As cron does it: no date waits for the row of another, and none is made up for.
  Message command_of_line(Call& call, imports::CronLine const& one) const {
    Message out = call.about_table("SCHEDULE");
    out.set("schedule", out.arena().copy(one.name));
    out.set("cron", out.arena().copy(one.cron));
    out.set("time_zone", out.arena().copy(one.zone));
    out.set("overlap", std::string_view{"all"});
    out.set("catch_up", std::string_view{"none"});
    out.set(out.arena().copy(column), out.arena().copy(one.command));
    if (!user_column.empty()) out.set(out.arena().copy(user_column), out.arena().copy(one.user));
    return out;
  }

  void print(Call& call, imports::CronLine const& one) const {
    std::string out =
        fmt::format("<schedule name=\"{}\" cron=\"{}\" time-zone=\"{}\" overlap=\"all\" catch-up=\"none\">", one.name,
                    crontab_xml(one.cron), crontab_xml(one.zone));
    auto const add = [&](std::string_view name, std::string_view value) {
      out += fmt::format("\n  <column name=\"{}\">{}</column>", crontab_xml(name), crontab_xml(value));
    };
    add(column, one.command);
    if (!user_column.empty()) add(user_column, one.user);
    call.console.out << out << "\n</schedule>\n";
  }
};

constexpr Verb kCrontabVerbs[]{
    {"schedule import", "make schedules of the lines of a crontab", Needs::table, declare<ScheduleImport>,
     "fastjournal schedule import jobs crontab.txt --column command --dry-run\n"
     "fastjournal schedule import jobs /etc/crontab --column command --system --user-column owner",
     "The same line has the same name each time, so an import twice changes nothing. Lines that cannot be a schedule\n"
     "(@reboot, a command with input) are told, and the exit code is 1 then. doc/schedules.md has the rest."},
};

}  // namespace

Verbs crontab_verbs() { return kCrontabVerbs; }

}  // namespace fastjournal::cli
