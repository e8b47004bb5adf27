// A failed attempt in memory and in the log, as one string of bytes: the worker's error, and behind it, only if it sent
// one, a mark and its trace (where it went wrong, as a traceback). The mark is a byte that UTF-8 does not have, so that
// what has no trace costs nothing for it, and is as it was before there were traces. The class of the error (TimeoutError)
// stands before the trace, between two of another such byte.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace fastjournal {

namespace failure {

inline constexpr char kTraceMark = '\xFF';
inline constexpr char kClassMark = '\xFE';

[[nodiscard]] inline std::size_t mark_of(std::string_view kept) {
  void const* const mark = kept.empty() ? nullptr : std::memchr(kept.data(), kTraceMark, kept.size());
  return mark == nullptr ? kept.size() : static_cast<std::size_t>(static_cast<char const*>(mark) - kept.data());
}
[[nodiscard]] inline bool has_trace(std::string_view kept) { return mark_of(kept) < kept.size(); }
[[nodiscard]] inline std::string_view error_of(std::string_view kept) { return kept.substr(0, mark_of(kept)); }
// Behind the mark: the class, with its marks, and the trace.
[[nodiscard]] inline std::string_view tail_of(std::string_view kept) {
  std::size_t const mark = mark_of(kept);
  return mark == kept.size() ? std::string_view{} : kept.substr(mark + 1);
}
[[nodiscard]] inline std::string_view class_of(std::string_view kept) {
  std::string_view const tail = tail_of(kept);
  if (!tail.starts_with(kClassMark)) return {};
  std::size_t const end = tail.find(kClassMark, 1);
  return end == std::string_view::npos ? std::string_view{} : tail.substr(1, end - 1);
}
[[nodiscard]] inline std::string_view trace_of(std::string_view kept) {
  std::string_view const tail = tail_of(kept);
  std::size_t const end = tail.starts_with(kClassMark) ? tail.find(kClassMark, 1) : std::string_view::npos;
  return end == std::string_view::npos ? tail : tail.substr(end + 1);
}

// What is kept of them, which are within their limits. `room`: where it is, if it is not `error` as it is.
[[nodiscard]] inline std::string_view kept_of(std::string_view error, std::string_view trace, std::string& room,
                                              std::string_view error_class = {}) {
  if (trace.empty() && error_class.empty() && !has_trace(error)) return error;
  room = error;
  for (char& byte : room)
    if (byte == kTraceMark) byte = '?';
  if (trace.empty() && error_class.empty()) return room;
  room.append(1, kTraceMark);
  if (!error_class.empty() || trace.starts_with(kClassMark)) {
    room.append(1, kClassMark);
    for (char const byte : error_class) room.append(1, byte == kClassMark ? '?' : byte);
    room.append(1, kClassMark);
  }
  room.append(trace);
  return room;
}

}  // namespace failure
}  // namespace fastjournal
