// See schedule_reader.h.
#include "config/schedule_reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "config/fields.h"
#include "model/duration.h"
#include "model/value.h"

namespace fastjournal::config {
namespace {

constexpr std::size_t kSchedulesMax = 10'000;
// Of these the element has the name, the table, and nobody.
constexpr std::string_view kOtherwiseGiven[] = {"schedule", "table", "worker"};

bool is_attribute(ParameterDeclaration const& parameter) {
  return std::ranges::find(kOtherwiseGiven, parameter.name) == std::ranges::end(kOtherwiseGiven);
}

std::string attribute_of(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

// Whole numbers of the text, which has these characters between them; `Z` may be the last.
bool take_number(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  auto const [end, error] = std::from_chars(text.data(), text.data() + digits, out);
  if (error != std::errc{} || end != text.data() + digits) return false;
  text.remove_prefix(digits);
  return true;
}
bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// 2026-12-01, 2026-12-01T12:00:00Z: milliseconds since 1970.
std::optional<std::int64_t> date_of(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  bool good = take_number(text, 4, year) && take_char(text, '-') && take_number(text, 2, month) &&
              take_char(text, '-') && take_number(text, 2, day);
  if (good && !text.empty())
    good = take_char(text, 'T') && take_number(text, 2, hour) && take_char(text, ':') && take_number(text, 2, minute) &&
           take_char(text, ':') && take_number(text, 2, second) && take_char(text, 'Z') && text.empty();
  std::chrono::year_month_day const date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!good || year < 1970 || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  std::int64_t const days = std::chrono::sys_days{date}.time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60'000 + second * 1000;
}

// The value as a message has it; what it may be is checked with the others.
std::string value_of(Element const& element, ParameterDeclaration const& parameter, std::string_view attribute,
                     std::string_view text) {
  if (parameter.type == "duration") {
    Result<std::int64_t> const value = model::parse_duration(text);
    if (value.ok()) return std::to_string(value.value());
    element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": " + value.status().message());
  } else if (parameter.type == "date") {
    if (std::optional<std::int64_t> const value = date_of(text)) return std::to_string(*value);
    element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": found " + model::shown(text) +
                                      ", expected a date like 2026-12-01 or 2026-12-01T12:00:00Z");
  }
  return std::string{text};
}

ScheduleDeclaration read_schedule(Element const& element, CommandDeclaration const& command, Schema const& schema) {
  ScheduleDeclaration out;
  std::deque<std::string> names;
  Shape shape{.attributes = {{"name", Times::one}}, .children = {{"column", Times::any}}};
  for (ParameterDeclaration const& parameter : command.parameters)
    if (is_attribute(parameter)) shape.attributes.push_back({names.emplace_back(attribute_of(parameter.name))});
  element.expect(shape);
  out.name = element.attribute("name").value_or("");
  auto name = names.begin();
  for (ParameterDeclaration const& parameter : command.parameters) {
    if (!is_attribute(parameter)) continue;
    std::string const& attribute = *name++;
    if (std::optional<std::string_view> const text = element.attribute(attribute))
      out.parameters.emplace_back(parameter.name, value_of(element, parameter, attribute, *text));
  }
  for (Element const& column : element.children("column")) {
    column.expect({.attributes = {{"name", Times::one}}, .children = {}, .text = true});
    std::string const wanted{column.attribute("name").value_or("")};
    bool const is_known = std::ranges::any_of(schema.columns, [&](Column const& one) { return one.name == wanted; });
    bool const is_twice = std::ranges::any_of(out.parameters, [&](auto const& one) { return one.first == wanted; });
    std::vector<std::string_view> columns;
    for (Column const& one : schema.columns) columns.push_back(one.name);
    if (!is_known)
      column.problem_at("name", "column " + model::shown(wanted) + " of a schedule, expected a column of the table" +
                                    near_miss(wanted, columns));
    else if (is_twice)
      column.problem_at("name", "column " + model::shown(wanted) + " twice, expected each column once");
    else
      out.parameters.emplace_back(wanted, column.text());
  }
  return out;
}

}  // namespace

CommandDeclaration const* schedule_command(TypeDeclaration const& type) {
  auto const found = std::ranges::find(type.commands, "SCHEDULE", &CommandDeclaration::name);
  return found == type.commands.end() ? nullptr : &*found;
}

std::vector<ScheduleDeclaration> read_schedules(Element const& schedules, CommandDeclaration const& command,
                                                Schema const& schema) {
  schedules.expect({.attributes = {}, .children = {{"schedule", Times::one_or_more}}});
  std::vector<ScheduleDeclaration> out;
  std::vector<Element> const elements = schedules.children("schedule");
  if (elements.size() > kSchedulesMax)
    schedules.problem(std::to_string(elements.size()) + " schedules, expected at most " +
                      std::to_string(kSchedulesMax));
  for (Element const& element : elements) out.push_back(read_schedule(element, command, schema));
  std::vector<std::string_view> names;
  for (ScheduleDeclaration const& one : out) names.push_back(one.name);
  std::ranges::sort(names);
  if (auto const twice = std::ranges::adjacent_find(names); twice != names.end())
    schedules.problem("schedule " + model::shown(*twice) + " twice, expected each name once");
  return out;
}

}  // namespace fastjournal::config
