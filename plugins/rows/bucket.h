// A token bucket in whole numbers: `count` tokens at most, all of them there at first, and one more every `span_ms` /
// `count` ms. It stores the missing tokens, in units of 1 / span_ms, so that nothing is lost to rounding and a new
// bucket is all zeros.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/rows/rules.h"

namespace fastjournal::rows {

class Bucket {
 public:
  [[nodiscard]] std::uint64_t tokens(Rate const& rate, std::int64_t now) const {
    return (all(rate) - debt(rate, now)) / span(rate);
  }
  // Takes one token, or none if there is none, as in a replay.
  void take(Rate const& rate, std::int64_t now) {
    debt_ = std::min(all(rate), debt(rate, now) + span(rate));
    at_ = std::max(at_, now);
  }
  // The next date with one more token than at `now`; INT64_MAX if it is full.
  [[nodiscard]] std::int64_t next(Rate const& rate, std::int64_t now) const {
    std::uint64_t const there = tokens(rate, now);
    return there == rate.count ? INT64_MAX : date_of(rate, now, all(rate) - (there + 1) * span(rate));
  }
  // When it is full, at the earliest `now`.
  [[nodiscard]] std::int64_t full(Rate const& rate, std::int64_t now) const { return date_of(rate, now, 0); }

 private:
  static std::uint64_t span(Rate const& rate) { return static_cast<std::uint64_t>(rate.span_ms); }
  static std::uint64_t all(Rate const& rate) { return rate.count * span(rate); }

  [[nodiscard]] std::uint64_t debt(Rate const& rate, std::int64_t now) const {
    if (now <= at_) return debt_;
    if (now - at_ >= rate.span_ms) return 0;
    std::uint64_t const back = rate.count * static_cast<std::uint64_t>(now - at_);
    return debt_ > back ? debt_ - back : 0;
  }
  // When no more than `wanted` is missing.
  [[nodiscard]] std::int64_t date_of(Rate const& rate, std::int64_t now, std::uint64_t wanted) const {
    std::int64_t const from = std::max(now, at_);
    std::uint64_t const owed = debt(rate, from);
    return owed <= wanted ? from : from + static_cast<std::int64_t>((owed - wanted + rate.count - 1) / rate.count);
  }

  std::uint64_t debt_{0};
  std::int64_t at_{0};
};

}  // namespace fastjournal::rows
