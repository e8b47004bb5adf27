// The position of the next page of a table's snapshot. FETCH sends it as `cursor` and gets it back with the next
// request; a follower knows by it which part of the table it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/capabilities.h"

namespace fastjournal::feed {

struct SnapshotPlace {
  // The daemon's start: the meaning of a table's cursor may differ from start to start.
  std::uint32_t start{0};
  // The next schema; beyond the largest version the objects follow.
  std::uint32_t schema{0};
  SnapshotCursor cursor;

  // "3.65536.0.69688.0"
  [[nodiscard]] std::string text() const;
  // Nothing if it is not from text().
  [[nodiscard]] static std::optional<SnapshotPlace> read(std::string_view text);
};

}  // namespace fastjournal::feed
