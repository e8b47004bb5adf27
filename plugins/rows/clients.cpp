#include "plugins/rows/clients.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"

namespace fastjournal::rows {
namespace {

// The most places of clients that one step, or one page, looks at: all may be empty.
constexpr std::uint32_t kWorkUnitsMax = 1000;

std::size_t owner_bytes(DedupWindows::Client const& client) {
  return 64 + client.name.size() + client.origin->name.size();
}
std::size_t segment_bytes(DedupWindows::Client const& client, DedupWindows::Segment const& segment) {
  return 64 + client.name.size() + segment.seen.size() * 10;
}

void append_owner(DedupWindows::Client const& client, Records& records) {
  model::append_record(records, client.owner_id, ClientOwnerBody{client.name, client.origin->name, client.last_used});
}

}  // namespace

std::int64_t Clients::first_unused(std::int64_t keep_ms) const {
  auto const& by_use = windows_.by_use();
  return by_use.empty() ? INT64_MAX : by_use.begin()->first + keep_ms;
}

std::uint32_t Clients::drop_unused(std::int64_t keep_ms, std::int64_t now, std::uint32_t max, Records& records) const {
  std::uint32_t dropped = 0;
  for (auto const& [used, number] : windows_.by_use()) {
    if (used + keep_ms > now || dropped == max) break;
    model::append_record(records, {}, ClientDroppedBody{windows_.at(number)->name});
    ++dropped;
  }
  return dropped;
}

std::uint8_t Clients::newest_version(std::uint8_t type) {
  switch (static_cast<RecordType>(type)) {
    case RecordType::seen:
    case RecordType::client:
    case RecordType::client_dropped:
    case RecordType::client_owner:
    case RecordType::clock: return rows::newest_version(static_cast<RecordType>(type), {});
    default: return 0;
  }
}

bool Clients::apply(RecordView const& record, std::int64_t& seen) {
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::seen: {
      SeenBody body;
      if (!model::read_record(record, body)) return false;
      seen = body.now;
      note(body.sender, body.row, body.now, record.lsn);
      return true;
    }
    case RecordType::client: {
      ClientBody body;
      if (!model::read_record(record, body)) return false;
      windows_.restore(body.name, body.last_used, body.number, record.object, std::move(body.seen), record.lsn);
      return true;
    }
    case RecordType::client_owner: {
      ClientOwnerBody body;
      if (!model::read_record(record, body)) return false;
      seen = body.last_used;
      windows_.own(body.name, body.origin, body.last_used, record.object, record.lsn);
      return true;
    }
    case RecordType::client_dropped: windows_.drop(as_text(record.body)); return true;
    default: return false;
  }
}

void Clients::append_segment(DedupWindows::Client const& client, std::uint64_t number,
                             DedupWindows::Segment const& segment, Records& records) const {
  ClientBody body{client.name, client.last_used, number, {}};
  for (DedupWindows::Seen const& seen : segment.seen)
    if (!DedupWindows::is_below(client, number * kSegmentSequences + seen.offset)) body.seen.push_back(seen);
  model::append_record(records, segment.id, body);
}

bool Clients::compact(Lsn below, CopyRoom& room, Records& records) const {
  std::uint64_t left = windows_.regions().count_below(below);
  for (std::uint32_t looked = 0; left > 0 && looked < kWorkUnitsMax && looked < windows_.end(); ++looked) {
    if (compact_from_ >= windows_.end()) compact_from_ = 0;
    if (DedupWindows::Client const* const client = windows_.at(compact_from_); client != nullptr) {
      if (!client->owner_id.is_none() && Regions::start(client->owner_region) < below) {
        if (!room.take(owner_bytes(*client))) return true;
        append_owner(*client, records);
        --left;
      }
      for (auto const& [number, segment] : client->segments) {
        if (Regions::start(segment.region) >= below) continue;
        if (!room.take(segment_bytes(*client, segment))) return true;
        append_segment(*client, number, segment, records);
        --left;
      }
    }
    ++compact_from_;
  }
  return left > 0;
}

bool Clients::snapshot(SnapshotCursor& cursor, CopyRoom& page, Records& records) const {
  std::uint64_t& at = cursor.at[1];
  std::uint64_t& within = cursor.at[2];
  for (std::uint32_t looked = 0; at < windows_.end(); ++at, within = 0) {
    if (++looked > kWorkUnitsMax) return false;
    DedupWindows::Client const* const client = windows_.at(static_cast<std::uint32_t>(at));
    if (client == nullptr) continue;
    if (within == 0 && !client->owner_id.is_none()) {
      if (!page.take_one_at_least(owner_bytes(*client))) return false;
      append_owner(*client, records);
    }
    within = std::max<std::uint64_t>(within, 1);
    for (auto segment = client->segments.lower_bound(within - 1); segment != client->segments.end(); ++segment) {
      if (!page.take_one_at_least(segment_bytes(*client, segment->second))) return false;
      append_segment(*client, segment->first, segment->second, records);
      within = segment->first + 2;
    }
  }
  return true;
}

void Clients::digest(DigestSink& sink) const {
  for (std::uint32_t number = 0; number < windows_.end(); ++number) {
    DedupWindows::Client const* const client = windows_.at(number);
    if (client == nullptr) continue;
    if (!client->owner_id.is_none()) {
      std::string canonical;
      model::append_varint(canonical, client->name.size());
      canonical.append(client->name).append(client->origin->name);
      sink.object(as_bytes(canonical));
    }
    // Each number in the window is an object of the digest, independent of segments.
    for (auto const& [segment_number, segment] : client->segments) {
      for (DedupWindows::Seen const& seen : segment.seen) {
        if (DedupWindows::is_below(*client, segment_number * kSegmentSequences + seen.offset)) continue;
        model::digest_body(sink, ClientBody{client->name, client->last_used, segment_number, {seen}});
      }
    }
  }
}

}  // namespace fastjournal::rows
