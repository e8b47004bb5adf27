#include "spool/place.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace fastjournal::spool {
namespace {

using namespace std::chrono;

constexpr std::string_view kEnding{".rows"};
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
                     time.minutes().count(), time.seconds().count(), place.number, kEnding);
}

std::optional<Place> place_of(std::string_view name) {
  if (name.size() <= kDateBytes + 1 + kEnding.size() || !name.ends_with(kEnding)) return std::nullopt;
  auto const part = [name](std::size_t at, std::size_t size) { return number_in(name.substr(at, size)); };
  auto const year_part = part(0, 4);
  auto const month_part = part(4, 2);
  auto const day_part = part(6, 2);
  auto const hour = part(9, 2);
  auto const minute = part(11, 2);
  auto const second = part(13, 2);
  auto const number = part(kDateBytes + 1, name.size() - kDateBytes - 1 - kEnding.size());
  if (!year_part || !month_part || !day_part || !hour || !minute || !second || !number) return std::nullopt;
  year_month_day const date{year{static_cast<int>(*year_part)}, month{*month_part}, day{*day_part}};
  if (!date.ok()) return std::nullopt;
  sys_seconds const begin = sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second};
  Place const place{begin.time_since_epoch().count(), *number};
  // One name for one place: no other separators, no zeros in front, no hour 24.
  if (name_of(place) != name) return std::nullopt;
  return place;
}

}  // namespace fastjournal::spool
