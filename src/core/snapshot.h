// Where the next page of a table's snapshot begins: what FETCH tells as
// `cursor`, gets back with the next request, and what a follower needs to know
// which part of the table it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/table.h"

namespace fastjournal::core {

struct SnapshotPlace {
  // Of the daemon: what a table's cursor means may differ from start to start.
  std::uint32_t start{0};
  // The next schema to tell; beyond the largest version the table itself follows.
  std::uint32_t schema{0};
  SnapshotCursor cursor;

  // "3.65536.0.69688.0"
  [[nodiscard]] std::string text() const;
  // Nothing for what text() did not write.
  [[nodiscard]] static std::optional<SnapshotPlace> read(std::string_view text);
};

}  // namespace fastjournal::core
