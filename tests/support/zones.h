// Time zones without a computer's tzdata: a few that change their clocks by a rule, at any date. For the simulator, and
// for tests of what goes by zones. Berlin as it is since 1996; Half_Hour puts its clock forward by 30 minutes in spring
// of the north; Midnight leaves out the first hour of a day; Back_And_Forth does both within a month, each year.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/zones.h"

namespace fastjournal::test {

class RuleZone final : public Zone {
 public:
  // A change of each year, in seconds of UTC behind the last Sunday of the month at 0:00.
  struct Change {
    unsigned month;
    std::int64_t second;
  };
  constexpr RuleZone(std::int32_t winter_s, std::int32_t summer_s, Change forward, Change back)
      : winter_s_(winter_s), summer_s_(summer_s), forward_(forward), back_(back) {}

  [[nodiscard]] ZoneSpan at(std::int64_t utc_s) const override {
    using namespace std::chrono;
    int const year = int{year_month_day{floor<days>(sys_seconds{seconds{utc_s}})}.year()};
    std::int64_t const forward = of_year(year, forward_);
    std::int64_t const back = of_year(year, back_);
    if (utc_s < forward) return {of_year(year - 1, back_), forward, winter_s_};
    if (utc_s < back) return {forward, back, summer_s_};
    return {back, of_year(year + 1, forward_), winter_s_};
  }

 private:
  static std::int64_t of_year(int year, Change change) {
    using namespace std::chrono;
    sys_days const sunday{std::chrono::year{year} / std::chrono::month{change.month} / Sunday[last]};
    return duration_cast<seconds>(sunday.time_since_epoch()).count() + change.second;
  }

  std::int32_t winter_s_;
  std::int32_t summer_s_;
  Change forward_;
  Change back_;
};

class RuleZones final : public Zones {
 public:
  [[nodiscard]] Zone const* find(std::string_view name) const override {
    if (name == "Europe/Berlin") return &berlin_;
    if (name == "Test/Half_Hour") return &half_hour_;
    if (name == "Test/Midnight") return &midnight_;
    if (name == "Test/Back_And_Forth") return &back_and_forth_;
    return nullptr;
  }
  [[nodiscard]] std::string origin() const override { return "the zones are those of a test"; }

 private:
  RuleZone berlin_{3600, 7200, {3, 3600}, {10, 3600}};
  RuleZone half_hour_{37'800, 39'600, {4, 16 * 3600 - 1800}, {10, 15 * 3600}};
  RuleZone midnight_{-14'400, -10'800, {9, 4 * 3600}, {11, 3 * 3600}};
  RuleZone back_and_forth_{0, 3600, {5, 7200}, {6, 7200}};
};

}  // namespace fastjournal::test
