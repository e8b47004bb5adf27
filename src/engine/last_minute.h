// The last minute of histograms, for figures that people look at: a percentile since the start hides
// for days what happens now. The histogram does not change: the caller leaves a copy of its state, and what it has more
// a while later came between. So nothing is known before the second look, nor without a look for a minute.
//
// By powers of two, and between their bounds in proportion: a value is up to a third off.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/histogram.h"
#include "fastjournal/types.h"

namespace fastjournal::engine {

// The figure that is told for a histogram; empty: none, as it has no time.
[[nodiscard]] std::string last_minute_name(std::string_view histogram);

class LastMinute {
 public:
  // 99 of 100 of the values of the last 40 to 60 seconds are below; nothing: none came, or it is not known.
  [[nodiscard]] std::optional<std::uint64_t> p99(std::string_view name, Histogram const& values, TimeMs now);

 private:
  // How a histogram stood.
  struct Stand {
    std::int64_t at{0};
    std::vector<std::uint64_t> by_width;  // without the zeros at its end
  };

  std::map<std::string, std::vector<Stand>, std::less<>> stands_;  // the oldest first
};

}  // namespace fastjournal::engine
