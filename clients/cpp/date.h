// A date in a command, for all table types.
#pragma once

#include <cstdint>

#include "fastjournal/types.h"

namespace fastjournal::client {

// Absolute, or relative to the moment when the daemon reads it.
struct Date {
  std::int64_t ms{0};
  bool from_now{false};

  static Date at(TimeMs date) { return {date.value, false}; }
  static Date in(DurationMs span) { return {span.value, true}; }
  static Date never() { return {}; }  // for expiration dates
};

}  // namespace fastjournal::client
