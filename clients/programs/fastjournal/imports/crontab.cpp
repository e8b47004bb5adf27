#include "clients/programs/fastjournal/imports/crontab.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "model/calendar/calendar.h"

namespace fastjournal::imports {

namespace {

constexpr std::string_view kCronBlanks = " \t\r";
constexpr std::size_t kCronNameMax = 40;

bool is_cron_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// The next word; what is left begins with the one behind it.
std::string_view take_cron_word(std::string_view& rest) {
  std::size_t const begin = std::min(rest.find_first_not_of(kCronBlanks), rest.size());
  std::size_t const end = std::min(rest.find_first_of(kCronBlanks, begin), rest.size());
  std::string_view const word = rest.substr(begin, end - begin);
  rest.remove_prefix(std::min(rest.find_first_not_of(kCronBlanks, end), rest.size()));
  return word;
}

// NAME=VALUE, with blanks around = and quotes around the value; none: it is no such line.
std::optional<std::pair<std::string_view, std::string_view>> cron_variable(std::string_view line) {
  std::size_t const equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view before = line.substr(0, equals);
  std::string_view const name = take_cron_word(before);
  if (name.empty() || !before.empty() || !std::ranges::all_of(name, is_cron_name_letter) ||
      (name[0] >= '0' && name[0] <= '9'))
    return std::nullopt;
  std::string_view value = line.substr(equals + 1);
  value.remove_prefix(std::min(value.find_first_not_of(kCronBlanks), value.size()));
  if (value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
    value = value.substr(1, value.size() - 2);
  return std::pair{name, value};
}

// \% is %; none: there is another %, behind which stands what the command reads.
std::optional<std::string> cron_command(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') return std::nullopt;
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '%') ++i;
    out += text[i];
  }
  return out;
}

std::string name_of_cron_line(CronLine const& one) {
  std::string_view rest = one.command;
  std::string_view word = take_cron_word(rest);
  word.remove_prefix(word.find_last_of('/') == std::string_view::npos ? 0 : word.find_last_of('/') + 1);
  std::string out;
  for (char const c : word.substr(0, kCronNameMax))
    if (is_cron_name_letter(c) && (!out.empty() || (c != '_' && c != '-' && c != '.'))) out += c;
  std::string const all = fmt::format("{}\n{}\n{}\n{}", one.cron, one.zone, one.user, one.command);
  return fmt::format("{}-{:08x}", out.empty() ? "cron" : out, hash64(all) & 0xFFFFFFFFU);
}

// cron takes both days if either begins with *, as */2 does; otherwise either.
std::string with_days_of_cron(std::string_view const* fields) {
  bool const is_both =
      (fields[2].starts_with('*') || fields[4].starts_with('*')) && fields[2] != "*" && fields[4] != "*";
  return fmt::format("{} {} {} {} {}{}", fields[0], fields[1], fields[2], fields[3], is_both ? "+" : "", fields[4]);
}

}  // namespace

Crontab read_crontab(std::string_view text, std::string_view zone, bool has_users) {
  Crontab out;
  std::string zone_now{zone};
  std::uint64_t number = 0;
  while (!text.empty()) {
    std::size_t const end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    line.remove_prefix(std::min(line.find_first_not_of(kCronBlanks), line.size()));
    while (!line.empty() && kCronBlanks.find(line.back()) != std::string_view::npos) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    if (auto const set = cron_variable(line)) {
      if (set->first == "CRON_TZ" || set->first == "TZ")
        zone_now = set->second.empty() ? zone : set->second;
      else
        out.notes.push_back(
            {number, fmt::format("{} is the environment's of commands: schedules have none", set->first)});
      continue;
    }
    CronLine one;
    one.line = number;
    one.zone = zone_now;
    std::string_view rest = line;
    if (rest[0] == '@') {
      one.cron = take_cron_word(rest);
    } else {
      std::string_view fields[5];
      for (std::string_view& field : fields) field = take_cron_word(rest);
      one.cron = with_days_of_cron(fields);
    }
    if (has_users) one.user = take_cron_word(rest);
    Result<model::Calendar> const calendar = model::Calendar::parse(one.cron);
    std::optional<std::string> command = cron_command(rest);
    std::string why;
    if (!calendar.ok())
      why = calendar.status().message();
    else if (!command)
      why = "a % that is not \\%: what stands behind it is the command's input, and schedules have none";
    else if (command->empty())
      why = has_users ? "no command behind the dates and the user" : "no command behind the dates";
    else if (command->find("{schedule}") != std::string::npos || command->find("{date}") != std::string::npos)
      why = "the command has {schedule} or {date} in it, which schedules replace";
    else if (!is_utf8(*command))
      why = "the command is not UTF-8";
    if (!why.empty()) {
      out.problems.push_back({number, std::move(why)});
      continue;
    }
    one.command = *std::move(command);
    one.name = name_of_cron_line(one);
    auto const twice = std::ranges::find(out.lines, one.name, &CronLine::name);
    if (twice != out.lines.end())
      out.problems.push_back({number, fmt::format("the same as line {}", twice->line)});
    else
      out.lines.push_back(std::move(one));
  }
  return out;
}

}  // namespace fastjournal::imports
