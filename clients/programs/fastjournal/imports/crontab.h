// A crontab as schedules: of each line a name, the calendar, the zone and the command. What has no schedule is told with
// its line: @reboot, a command with standard input (an unescaped %), variables of the command's environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::imports {

struct CronLine {
  std::uint64_t line{0};
  // Made of the command and of what else tells it from others: the same line has the same name each time.
  std::string name;
  std::string cron;
  std::string zone;  // of CRON_TZ or TZ above it, else that which was given
  std::string user;  // of a system's crontab
  std::string command;
};

struct CronProblem {
  std::uint64_t line{0};
  std::string text;
};

struct Crontab {
  std::vector<CronLine> lines;
  std::vector<CronProblem> problems;  // lines that make no schedule
  std::vector<CronProblem> notes;     // that say what a schedule does not have
};

// `has_users`: as /etc/crontab, with a user before the command. `zone`: of lines without CRON_TZ or TZ.
[[nodiscard]] Crontab read_crontab(std::string_view text, std::string_view zone, bool has_users);

}  // namespace fastjournal::imports
