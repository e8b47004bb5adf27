// Keeps a number of connections busy with a number of messages in flight each,
// from one thread, and counts the answers. The messages are made before the
// clock starts, so that the driver is not the limit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/histogram.h"

namespace fastjournal::bench {

struct LoadPlan {
  std::string address;  // unix:/path or 127.0.0.1:port
  std::uint32_t connections{1};
  std::uint32_t in_flight{1};  // of each connection
  double seconds{1.0};
  // Appends message number `nr`, with its LF.
  std::function<void(std::uint64_t nr, std::string& out)> message;
  std::string_view good;  // what a good answer begins with
};

struct LoadResult {
  std::uint64_t good{0};
  std::uint64_t bad{0};
  double seconds{0};
  double driver_busy{0};  // share of the time that the driver's thread ran: near 1 it is the limit
  std::string first_bad;
  Histogram latency_us;  // of a whole round of a connection's messages
  [[nodiscard]] double per_second() const { return seconds > 0 ? static_cast<double>(good) / seconds : 0; }
};

// Throws std::system_error if it cannot connect.
[[nodiscard]] LoadResult run_load(LoadPlan const& plan);

}  // namespace fastjournal::bench
