#include "clients/spool/core/place.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace fastjournal::spool {
namespace {

using namespace std::chrono;

constexpr std::string_view kEnding{".rows"};
constexpr std::string_view kLinesEnding{".msg"};
constexpr std::int64_t kDayS = 86'400;
constexpr std::size_t kTableNameBytesMax = 64;
constexpr std::size_t kDateBytes = 16;  // 20261123T020000Z

// Digits only.
std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

std::int64_t begin_of_period(std::int64_t now_s, std::int64_t period_s) { return now_s - now_s % period_s; }

std::string name_of(Place const& place) {
  sys_seconds const date{seconds{place.begin_s}};
  auto const day = floor<days>(date);
  year_month_day const ymd{day};
  hh_mm_ss const time{date - day};
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z-{}{}", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), place.number,
                     place.kind == Kind::rows ? kEnding : kLinesEnding);
}

std::optional<Place> place_of(std::string_view name) {
  Kind const kind = name.ends_with(kLinesEnding) ? Kind::lines : Kind::rows;
  std::string_view const ending = kind == Kind::rows ? kEnding : kLinesEnding;
  if (name.size() <= kDateBytes + 1 + ending.size() || !name.ends_with(ending)) return std::nullopt;
  auto const part = [name](std::size_t at, std::size_t size) { return number_in(name.substr(at, size)); };
  auto const year_part = part(0, 4);
  auto const month_part = part(4, 2);
  auto const day_part = part(6, 2);
  auto const hour = part(9, 2);
  auto const minute = part(11, 2);
  auto const second = part(13, 2);
  auto const number = part(kDateBytes + 1, name.size() - kDateBytes - 1 - ending.size());
  if (!year_part || !month_part || !day_part || !hour || !minute || !second || !number) return std::nullopt;
  year_month_day const date{year{static_cast<int>(*year_part)}, month{*month_part}, day{*day_part}};
  if (!date.ok()) return std::nullopt;
  sys_seconds const begin = sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second};
  Place const place{begin.time_since_epoch().count(), *number, kind};
  // One name for one place: no other separators, no zeros in front, no hour 24.
  if (name_of(place) != name) return std::nullopt;
  return place;
}

std::optional<Place> place_of_hour(std::string_view name, std::int64_t now_s) {
  if (!name.ends_with(kLinesEnding)) return std::nullopt;
  std::string_view const digits = name.substr(0, name.size() - kLinesEnding.size());
  std::optional<std::uint32_t> const hour = number_in(digits);
  if (!hour || *hour > 23 || std::to_string(*hour) != digits) return std::nullopt;
  std::int64_t const begin = now_s - now_s % kDayS + std::int64_t{*hour} * kLinesPeriodS;
  return Place{begin > now_s ? begin - kDayS : begin, 0, Kind::lines};
}

bool is_table_name(std::string_view name) {
  return !name.empty() && name.size() <= kTableNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string file_of_table(std::string_view table) { return std::string{table} + std::string{kEnding}; }

std::optional<std::string> table_of_file(std::string_view name) {
  if (!name.ends_with(kEnding)) return std::nullopt;
  std::string_view const table = name.substr(0, name.size() - kEnding.size());
  if (!is_table_name(table) && table != kOtherTable) return std::nullopt;
  return std::string{table};
}

}  // namespace fastjournal::spool
