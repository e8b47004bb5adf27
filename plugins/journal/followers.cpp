// A journal for its followers: snapshots, in pages, of a table that goes on changing. First the rows by id, then the
// clients, finally the pause.
//
// Between two pages a follower applies the records in between to its part. It has all rows up to the cursor, as they
// were at the last page, so that records about them match. Records about later rows are skipped: their page will state
// them as they are then. Ids only increase, so a new row is a later one.
//
// Clients are different: their windows only grow, so records are also applied to clients that no page has stated yet.
// Their page adds the rest.
#include <algorithm>

#include "plugins/journal/journal.h"

namespace fastjournal::journal {
namespace {

enum Part : std::uint64_t { kRows = 0, kClients = 1 };

// The most places of clients in one page, as all may be empty.
constexpr std::uint32_t kClientLooksMax = 1000;
// An unknown object has ended, or is on a later page.
constexpr Lsn kNothingIsDamage{UINT64_MAX};

}  // namespace

void Journal::snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const {
  // The last row's id; or the client's place, and 0 (nothing of it yet) or 1 + its next segment.
  auto& [part, at, within] = cursor.at;
  std::size_t bytes = 0;
  // False: the page is full. An object larger than a page has a page of its own.
  auto const take = [&](std::size_t size) {
    if (bytes > 0 && bytes + size > budget_bytes) return false;
    bytes += size;
    return true;
  };
  while (part == kRows) {
    std::uint32_t const row = state_.ids().next(ObjectId{at});
    if (row == kNoRow) {
      part = kClients;
      at = within = 0;
      break;
    }
    RowBody const body = state_.body_of(row);
    if (!take(row_record_bytes(body.facts) + body.lease.worker.size())) return;
    append_row(records, state_.row(row).id(), body);
    at = state_.row(row).id().value;
  }
  for (std::uint32_t looked = 0; at < state_.clients().end(); ++at, within = 0) {
    if (++looked > kClientLooksMax) return;
    DedupWindows::Client const* const client = state_.clients().at(static_cast<std::uint32_t>(at));
    if (client == nullptr) continue;
    if (within == 0 && !client->owner_id.is_none()) {
      if (!take(64 + client->name.size() + client->origin->name.size())) return;
      append_client_owner(records, client->owner_id, {client->name, client->origin->name, client->last_used});
    }
    within = std::max<std::uint64_t>(within, 1);
    for (auto segment = client->segments.lower_bound(within - 1); segment != client->segments.end(); ++segment) {
      if (!take(64 + client->name.size() + segment->second.seen.size() * 10)) return;
      seen_.clear();
      for (DedupWindows::Seen const& seen : segment->second.seen)
        if (!DedupWindows::is_below(*client, segment->first * kSegmentSequences + seen.offset)) seen_.push_back(seen);
      append_client(records, segment->second.id, {client->name, client->last_used, segment->first, seen_});
      within = segment->first + 2;
    }
  }
  if (!state_.pause().id.is_none()) append_pause(records, state_.pause().id, body_of(state_.pause()));
  cursor.complete = true;
}

bool Journal::apply_to_part(SnapshotCursor const& cursor, RecordView const& record, TableObserver& observer) noexcept {
  auto const [part, at, within] = cursor.at;
  bool const states_row = record.type == static_cast<std::uint8_t>(RecordType::row);
  if (part == kRows && states_row && record.object.value > at) return knows(RecordType::row, record.version);
  return apply(record, {.live = false, .now = {}, .base = kNothingIsDamage}, observer);
}

}  // namespace fastjournal::journal
