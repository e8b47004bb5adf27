// libFuzzer target for calendars: the first bytes choose a date and a zone, the rest is an expression. What is refused
// says what was expected. Of what is read, dates only rise, next() is monotone, last() agrees with it, and each date of
// an expression is at a second that the text, read again, has too.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "model/calendar/calendar.h"
#include "tests/support/zones.h"

namespace {

using namespace fastjournal;
using model::Calendar;

constexpr std::string_view kZones[] = {"UTC", "Europe/Berlin", "Test/Half_Hour", "Test/Midnight",
                                       "Test/Back_And_Forth"};
constexpr std::size_t kHead = 9;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < kHead) return 0;
  static test::RuleZones const zones;
  std::uint64_t drawn = 0;
  std::memcpy(&drawn, data, sizeof(drawn));
  Zone const& zone = *find_zone(&zones, kZones[data[8] % std::size(kZones)]).value();
  std::string_view const text{reinterpret_cast<char const*>(data) + kHead, size - kHead};
  Result<Calendar> const read = Calendar::parse(text, {static_cast<std::int64_t>(drawn)});
  if (!read.ok()) {
    FJ_CHECK(read.status().code() == Code::bad_parameter, "a bad text is a bad parameter");
    FJ_CHECK(!read.status().message().empty(), "and the refusal says why");
    return 0;
  }
  Calendar const& calendar = read.value();
  TimeMs const from{static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(Calendar::kEnd.value))};
  TimeMs date = from;
  for (int i = 0; i < 20; ++i) {
    TimeMs const next = calendar.next(date, zone);
    FJ_CHECK(next > date, "the next date is later");
    if (next == TimeMs::max()) return 0;
    FJ_CHECK(next < Calendar::kEnd, "dates have an end");
    FJ_CHECK(calendar.is_interval() || next.value % 1000 == 0, "dates of cron are whole seconds");
    TimeMs const between{date.value + (next.value - date.value) / 2};
    FJ_CHECK(calendar.next(between, zone) == next || between == next, "asked for later, the next date is the same");
    FJ_CHECK(calendar.last(date, {next.value + 1}, zone) == next, "it is the last one up to itself");
    FJ_CHECK(calendar.last(date, next, zone) == Calendar::kNone, "and none is before it");
    FJ_CHECK(calendar.count(date, {next.value + 1}, zone, 5) == 1, "so it is one");
    date = next;
  }
  FJ_CHECK(calendar.last(from, {date.value + 1}, zone) == date, "the last of many is the last that was found");
  return 0;
}
