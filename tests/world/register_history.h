// The history of one register, of which each written value is another one: is there an order of its operations, each between
// its begin and its end, in which every read returns the value of the last write? Decided by the zones of values (Gibbons
// and Korach, "Testing shared memories", 1997): the operations of a value (its write and the reads that returned it) span
// from the first end to the last begin. Where that is a time span, nothing else can be in the register meanwhile: such
// spans must not overlap, and no value's operations may lie wholly within the span of another one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fastjournal::sim {

class RegisterHistory {
 public:
  using Moment = std::int64_t;

  // The empty value is there at first.
  RegisterHistory() { zones_[{}] = {.write_begin = -1, .first_end = -1, .last_begin = -1}; }

  // One whose outcome is not known is written with an end that never comes, and counts only if somebody has read it.
  void write(std::string const& value, Moment begin, Moment end) {
    Zone& zone = zones_[value];
    zone.write_begin = begin;
    zone.has_write = true;
    zone.add(begin, end);
  }
  void read(std::string const& value, Moment begin, Moment end) {
    Zone& zone = zones_[value];
    zone.add(begin, end);
    zone.first_read_end = std::min(zone.first_read_end, end);
  }

  // Empty: there is such an order. Else what is wrong, for people.
  [[nodiscard]] std::string check() const {
    std::vector<std::pair<std::string, Zone>> forward;
    for (auto const& [value, zone] : zones_) {
      if (!value.empty() && !zone.has_write) return "\"" + value + "\" was read, and nobody wrote it";
      if (zone.first_read_end < zone.write_begin) return "\"" + value + "\" was read before it was written";
      if (zone.first_end < zone.last_begin) forward.emplace_back(value, zone);
    }
    std::ranges::sort(forward, {}, [](auto const& one) { return one.second.first_end; });
    for (std::size_t at = 1; at < forward.size(); ++at)
      if (forward[at].second.first_end < forward[at - 1].second.last_begin)
        return "\"" + forward[at].first + "\" and \"" + forward[at - 1].first + "\" were there at one time";
    for (auto const& [value, zone] : zones_) {
      if (zone.first_end < zone.last_begin) continue;
      for (auto const& [other, span] : forward)
        if (span.first_end < zone.last_begin && zone.first_end < span.last_begin)
          return "\"" + value + "\" was there while \"" + other + "\" was";
    }
    return {};
  }

 private:
  struct Zone {
    Moment write_begin{INT64_MIN};
    Moment first_end{INT64_MAX};
    Moment last_begin{INT64_MIN};
    Moment first_read_end{INT64_MAX};
    bool has_write{false};

    void add(Moment begin, Moment end) {
      first_end = std::min(first_end, end);
      last_begin = std::max(last_begin, begin);
    }
  };
  std::map<std::string, Zone> zones_;
};

}  // namespace fastjournal::sim
