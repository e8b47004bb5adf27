#include "engine/feed/snapshot.h"

#include <array>
#include <charconv>

namespace fastjournal::feed {

std::string SnapshotPlace::text() const {
  std::string out = std::to_string(start) + "." + std::to_string(schema);
  for (std::uint64_t const part : cursor.at) out.append(1, '.').append(std::to_string(part));
  return out;
}

std::optional<SnapshotPlace> SnapshotPlace::read(std::string_view text) {
  std::array<std::uint64_t, 5> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts[i]);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    bool const last = i + 1 == parts.size();
    if (last != text.empty() || (!last && text.front() != '.')) return std::nullopt;
    if (!last) text.remove_prefix(1);
  }
  if (parts[0] > UINT32_MAX || parts[1] > UINT32_MAX) return std::nullopt;
  return SnapshotPlace{
      static_cast<std::uint32_t>(parts[0]), static_cast<std::uint32_t>(parts[1]), {{parts[2], parts[3], parts[4]}}};
}

}  // namespace fastjournal::feed
