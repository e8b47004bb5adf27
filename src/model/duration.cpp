// Numbers with units. See duration.h.
#include "model/duration.h"

#include <charconv>
#include <span>

#include "model/value.h"

namespace fastjournal::model {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// Ascending; a number without a unit has the first one.
constexpr Unit kDurations[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kSizes[] = {{"B", 1},
                           {"KiB", std::int64_t{1} << 10U},
                           {"MiB", std::int64_t{1} << 20U},
                           {"GiB", std::int64_t{1} << 30U},
                           {"TiB", std::int64_t{1} << 40U}};

constexpr std::string_view kDurationExpected =
    "a duration: a whole number with one of the units ms, s, m, h, d (without one: ms), as in 1500, 10s or 2d";
constexpr std::string_view kSizeExpected =
    "a size: a whole number with one of the units B, KiB, MiB, GiB, TiB (without one: bytes), as in 4096 or 512KiB";

Status refuse(std::string_view text, std::string_view reason, std::string_view expected) {
  return {Code::bad_parameter, "found " + shown(text) + std::string{reason} + ", expected " + std::string{expected}};
}

Result<std::int64_t> parse(std::string_view text, std::span<Unit const> units, std::string_view expected) {
  std::int64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return refuse(text, ", which is above 64 bits", expected);
  if (error != std::errc{} || number < 0 || text[0] == '-') return refuse(text, "", expected);
  std::string_view const unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return number * units.front().factor;
  for (Unit const& known : units) {
    if (known.name != unit) continue;
    if (number > INT64_MAX / known.factor) return refuse(text, ", which is above 64 bits", expected);
    return number * known.factor;
  }
  return refuse(text, ", whose unit is unknown", expected);
}

std::string format(std::int64_t value, std::span<Unit const> units) {
  Unit const* best = &units.front();
  if (value != 0)
    for (Unit const& unit : units)
      if (value % unit.factor == 0) best = &unit;
  return std::to_string(value / best->factor).append(best->name);
}

}  // namespace

Result<std::int64_t> parse_duration(std::string_view text) { return parse(text, kDurations, kDurationExpected); }
Result<std::int64_t> parse_size(std::string_view text) { return parse(text, kSizes, kSizeExpected); }
std::string format_duration(std::int64_t milliseconds) { return format(milliseconds, kDurations); }
std::string format_size(std::int64_t bytes) { return format(bytes, kSizes); }

}  // namespace fastjournal::model
