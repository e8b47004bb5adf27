// A worker's account of a failed attempt, for people: the parameters error, error_class and error_trace of
// its command.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "fastjournal/limits.h"
#include "fastjournal/table.h"
#include "model/shortened.h"

namespace fastjournal::rows {

// The most that a trace and a class add to the records of a command.
[[nodiscard]] inline std::size_t trace_bytes(Message const& message) {
  return std::min(message.text("error_trace").size(), kTraceBytesMax) + kErrorClassBytesMax + 2;
}

// As a row keeps it; empty: nothing was said. In what was given, or in `room`. While memory is short the end of an attempt is
// not refused, but then all share the room of an error: what failing workers say must not fill the rest.
[[nodiscard]] inline std::string_view failure_of(std::string_view given_error, std::string_view given_trace,
                                                 Decision const& decision, std::string& room,
                                                 std::string_view given_class = {}) {
  std::string_view const error = model::shortened(given_error, kErrorBytesMax);
  std::size_t const left = decision.short_of_memory ? kErrorBytesMax - error.size() : kTraceBytesMax;
  std::string_view const error_class = model::shortened(given_class, std::min(left, kErrorClassBytesMax));
  std::size_t const trace_bytes_max = decision.short_of_memory ? left - error_class.size() : kTraceBytesMax;
  return failure::kept_of(error, model::shortened(given_trace, trace_bytes_max), room, error_class);
}

// Each is added to the current message if it is there.
inline void add_error(std::string_view kept, Answer& answer) {
  if (std::string_view const error = failure::error_of(kept); !error.empty()) answer.add("error", error);
  if (std::string_view const its = failure::class_of(kept); !its.empty()) answer.add("error_class", its);
}
inline void add_trace(std::string_view kept, Answer& answer) {
  if (std::string_view const trace = failure::trace_of(kept); !trace.empty()) answer.add("error_trace", trace);
}
inline void add_failure(std::string_view kept, Answer& answer) {
  add_error(kept, answer);
  add_trace(kept, answer);
}

}  // namespace fastjournal::rows
