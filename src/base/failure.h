// A failed attempt in memory and in the log, as one string of bytes: the worker's error, and behind it, only if it sent
// one, a mark and its trace (where it went wrong, as a traceback). The mark is a byte that UTF-8 does not have, so that
// what has no trace costs nothing for it, and is as it was before there were traces.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace fastjournal {

namespace failure {

inline constexpr char kTraceMark = '\xFF';

[[nodiscard]] inline std::size_t mark_of(std::string_view kept) {
  void const* const mark = kept.empty() ? nullptr : std::memchr(kept.data(), kTraceMark, kept.size());
  return mark == nullptr ? kept.size() : static_cast<std::size_t>(static_cast<char const*>(mark) - kept.data());
}
[[nodiscard]] inline bool has_trace(std::string_view kept) { return mark_of(kept) < kept.size(); }
[[nodiscard]] inline std::string_view error_of(std::string_view kept) { return kept.substr(0, mark_of(kept)); }
[[nodiscard]] inline std::string_view trace_of(std::string_view kept) {
  std::size_t const mark = mark_of(kept);
  return mark == kept.size() ? std::string_view{} : kept.substr(mark + 1);
}

// What is kept of both, which are within their limits. `room`: where it is, if it is not `error` as it is.
[[nodiscard]] inline std::string_view kept_of(std::string_view error, std::string_view trace, std::string& room) {
  if (trace.empty() && !has_trace(error)) return error;
  room = error;
  for (char& byte : room)
    if (byte == kTraceMark) byte = '?';
  if (!trace.empty()) room.append(1, kTraceMark).append(trace);
  return room;
}

}  // namespace failure
}  // namespace fastjournal
