// Commands that name their client and number: whose name it is, and whether the command was carried out before.
//
// Names belong to the origin that used them first: otherwise one command with a large number would make another's
// numbers stale, and invented names would keep others out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "model/parameters.h"
#include "plugins/rows/dedup_windows.h"
#include "plugins/rows/records.h"

namespace fastjournal::rows {

struct Claim {
  Sender sender{};             // no client: the command is not numbered
  std::string_view owner{};    // the name gets this origin as its owner; empty: no change
  std::string_view evicted{};  // the client that it replaces; empty: none
  // Of a new name: what brings it, and to where.
  Command const* brought_by{nullptr};
  DedupWindows const* windows{nullptr};

  [[nodiscard]] bool is_numbered() const { return !sender.client.empty(); }
};

// The parameters client and sequence, which go together.
[[nodiscard]] Sender read_sender(model::Parameters& parameters);
[[nodiscard]] Sender sender_of(model::Text client, std::optional<std::uint64_t> sequence, Status& why);

// Whether a numbered command was carried out before.
enum class Before : std::uint8_t {
  no,
  done,  // it is to be answered as a duplicate; the records of its claim are appended
  over,  // nothing more is to be done: its promise was given before, or the status says why it is refused
};
// Fills the claim, and of one that was done its object. Refused: the name is another's, there is no room for one more, or
// the number is older than what is remembered; not in Phase::keep.
[[nodiscard]] Before look_up(DedupWindows const& windows, std::string_view table, Command const& command,
                             std::size_t clients_max, std::int64_t now, Claim& claim, ObjectId& object,
                             Decision& decision);

// The records of the claim alone, without that of the command. A new name counts from here on.
void append_claim(Claim const& claim, std::int64_t now, Records& records);

}  // namespace fastjournal::rows
