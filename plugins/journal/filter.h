// The filter of LIST, and of KICK and DELETE of many rows: the same for all, so that they select the same rows.
#pragma once

#include <string_view>

#include "plugins/journal/rows.h"

namespace fastjournal::journal {

// A row's status, as in messages.
[[nodiscard]] constexpr std::string_view status_of(Place place) {
  switch (place) {
    case Place::free: break;
    case Place::future: return "waiting";
    case Place::listed:
    case Place::treed: return "due";
    case Place::behind: return "behind";
    case Place::processing: return "processing";
    case Place::parked: return "parked";
  }
  return "";
}

// A row must match all given fields. Views of the message and of the table's scratch.
struct Filter {
  std::string_view status;  // empty: any
  bool by_domain{false};
  std::string_view domain;
  std::string_view key_prefix;  // encoded; empty: any
  bool by_error{false};
  std::string_view error;  // part of the row's last error; empty: any error

  [[nodiscard]] bool is_empty() const { return status.empty() && !by_domain && key_prefix.empty() && !by_error; }
};

}  // namespace fastjournal::journal
