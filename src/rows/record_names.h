// The names of the records of rows, for people who read logs and feeds.
#pragma once

#include <cstdint>
#include <string_view>

#include "rows/records.h"

namespace fastjournal::rows {

// Of a table type that is built on rows; empty: of that type's own records, or none.
[[nodiscard]] constexpr std::string_view name_of_record(std::uint8_t type) {
  // The journal's own, older than the others.
  if (type == 12 || type == 13) return type == 12 ? "pause" : "resume";
  switch (static_cast<RecordType>(type)) {
    case RecordType::row: return "row";
    case RecordType::merge: return "merge";
    case RecordType::lease: return "lease";
    case RecordType::renew: return "renew";
    case RecordType::give_back: return "give-back";
    case RecordType::fold: return "fold";
    case RecordType::park: return "park";
    case RecordType::remove: return "remove";
    case RecordType::seen: return "seen";
    case RecordType::client: return "client";
    case RecordType::client_dropped: return "client-dropped";
    case RecordType::clock: return "clock";
    case RecordType::client_owner: return "client-owner";
    case RecordType::hold: return "hold";
    case RecordType::move: return "move";
  }
  return {};
}

}  // namespace fastjournal::rows
