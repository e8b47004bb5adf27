// The subject of references.py: reads lines `EXPRESSION<tab>ZONE<tab>FROM<tab>BEFORE` (seconds since 1970) and writes
// for each the dates from FROM on and before BEFORE, in seconds, or `! REASON`.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "model/calendar/calendar.h"
#include "platform/os/zones.h"

namespace {

using namespace fastjournal;

constexpr std::int64_t kDatesMax = 1'000'000;

std::string answer(os::SystemZones const& zones, std::vector<std::string> const& words) {
  Result<Zone const*> const zone = find_zone(&zones, words[1]);
  if (!zone.ok()) return "! " + zone.status().message();
  Result<model::Calendar> const calendar = model::Calendar::parse(words[0]);
  if (!calendar.ok()) return "! " + calendar.status().message();
  std::int64_t const before_ms = std::strtoll(words[3].c_str(), nullptr, 10) * 1000;
  TimeMs date{std::strtoll(words[2].c_str(), nullptr, 10) * 1000 - 1};
  std::string out;
  for (std::int64_t i = 0; i < kDatesMax; ++i) {
    date = calendar.value().next(date, *zone.value());
    if (date.value >= before_ms) return out;
    out += std::to_string(date.value / 1000) + ' ';
  }
  return "! too many dates";
}

}  // namespace

int main() {
  os::SystemZones const zones;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words(1);
    for (char const c : line)
      if (c == '\t')
        words.emplace_back();
      else
        words.back() += c;
    std::cout << (words.size() == 4 ? answer(zones, words) : "! expected EXPRESSION ZONE FROM BEFORE") << std::endl;
  }
}
