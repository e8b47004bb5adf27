// The inserts (client, sequence) that were carried out: for each client a high mark and the rows of the last 64 k
// sequence numbers. They outlive the rows, and so are objects of the log: segments of 512 numbers, each of which can be
// compacted alone.
//
// A client's name belongs to the origin (Command::origin) that used it first, so that no other origin can make its
// numbers useless. The owner is an object of its own, since it begins before the first segment, and logs of former
// versions have none: their names have no owner until one is used. A full table drops the name that was unused for
// longest, of the origin with most names, and no origin has more than half of them: an origin that invents names
// replaces its own. Of an origin's half, one connection brings a quarter at most within an hour, and the last quarter is
// for connections that bring few: an address has many producers. A sixteenth is kept for those who manage the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/limits.h"
#include "fastjournal/types.h"
#include "plugins/rows/regions.h"

namespace fastjournal::rows {

inline constexpr std::uint64_t kSequenceWindow = 64U << 10U;
inline constexpr std::uint64_t kSegmentSequences = 512;
// A name that was used within this time is not replaced.
inline constexpr std::int64_t kClientSafeMs = 3'600'000;

class DedupWindows {
 public:
  struct Seen {
    std::uint16_t offset;  // sequence = segment * kSegmentSequences + offset
    std::uint64_t row;     // id
  };
  struct Segment {
    ObjectId id{};            // LSN of its first record
    std::uint32_t region{0};  // of the oldest record that is needed for it
    std::vector<Seen> seen;   // by offset
  };
  // The clients of one origin (Command::origin). The origin with the empty name has those without an owner.
  struct Origin {
    std::string name;
    absl::btree_set<std::pair<std::int64_t, std::string_view>> by_use{};  // (last used, client's name)
  };
  struct Client {
    std::string name;
    std::uint64_t high{0};
    std::int64_t last_used{0};
    Origin* origin{nullptr};  // its owner; never null
    ObjectId owner_id{};      // of the record of its owner; none: it has no owner
    std::uint32_t owner_region{0};
    absl::btree_map<std::uint64_t, Segment> segments;  // by number
  };

  explicit DedupWindows(std::uint64_t hash_seed) : by_name_(0, NameHash{hash_seed}) {}

  enum class Answer : std::uint8_t { fresh, seen, below_window };
  struct Found {
    Answer answer{Answer::fresh};
    ObjectId row{};
  };

  // Of a client that may be nullptr.
  [[nodiscard]] static Found look(Client const* client, std::uint64_t sequence) {
    if (client == nullptr) return {};
    if (is_below(*client, sequence)) return {Answer::below_window, {}};
    auto const segment = client->segments.find(sequence / kSegmentSequences);
    if (segment == client->segments.end()) return {};
    auto const offset = static_cast<std::uint16_t>(sequence % kSegmentSequences);
    auto const at = lower(segment->second, offset);
    if (at == segment->second.seen.end() || at->offset != offset) return {};
    return {Answer::seen, ObjectId{at->row}};
  }

  [[nodiscard]] Found look(std::string_view name, std::uint64_t sequence) const { return look(find(name), sequence); }

  // Notes an insert; `lsn` is the place of its record.
  void note(std::string_view name, std::uint64_t sequence, ObjectId row, std::int64_t now, Lsn lsn) {
    Client& client = find_or_add(name, now);
    if (is_below(client, sequence)) return;
    Segment& segment = segment_of(client, sequence / kSegmentSequences, object_of(lsn), lsn);
    add_seen(segment, static_cast<std::uint16_t>(sequence % kSegmentSequences), row);
    raise(client, sequence);
  }

  // A segment as written by compact() replaces the known one.
  void restore(std::string_view name, std::int64_t last_used, std::uint64_t number, ObjectId id, std::vector<Seen> seen,
               Lsn lsn) {
    if (seen.empty()) return;
    Client& client = find_or_add(name, last_used);
    Segment& segment = segment_of(client, number, id, lsn);
    regions_.remove(segment.region);
    segment.region = Regions::of(lsn);
    regions_.add(segment.region);
    seen_ -= segment.seen.size();
    seen_ += seen.size();
    std::uint64_t const last = number * kSegmentSequences + seen.back().offset;
    segment.seen = std::move(seen);
    raise(client, last);
  }

  // The client belongs to this origin from now on; `id` is the object of that record, which is at `lsn`.
  void own(std::string_view name, std::string_view origin, std::int64_t used, ObjectId id, Lsn lsn) {
    Client& client = find_or_add(name, used);
    if (!client.owner_id.is_none()) regions_.remove(client.owner_region);
    client.owner_id = id;
    client.owner_region = Regions::of(lsn);
    regions_.add(client.owner_region);
    if (client.origin->name == origin) return;
    leave(client);
    join(client, origin);
  }

  // Who brings a new name.
  struct Newcomer {
    std::string_view origin{};
    ConnectionId connection{};  // none: all without one, as over HTTP, of the origin, together
    bool may_manage{false};
  };
  // Whether there is room for one more client of this origin, and which client it replaces.
  struct Room {
    bool there{false};
    Client const* evicted{nullptr};
    std::uint32_t brought{0};  // not 0: by this connection, and it is to bring no more
  };
  [[nodiscard]] Room room_for(Newcomer const& who, std::size_t clients_max, std::int64_t now) const {
    std::size_t const kept = clients_max / kKeptPart;
    std::size_t const half = (clients_max + 1) / 2;
    std::uint32_t const brought = brought_by(who, now);
    bool const brings_many = brought >= kFewNames;
    bool const brings_too_many = brings_many && brought >= half / kQuarter;
    std::size_t const share = half + (who.may_manage ? kept : 0) - (brings_many ? half / kQuarter : 0);
    auto const own = origins_.find(who.origin);
    bool const has_its_share = own != origins_.end() && (brings_too_many || own->second.by_use.size() >= share);
    if (size() < clients_max - (who.may_manage ? 0 : kept) && !has_its_share) return {true, nullptr};
    Origin const& crowd = has_its_share ? own->second : origins_.find(crowds_.rbegin()->second)->second;
    auto const& [used, name] = *crowd.by_use.begin();
    if (used > now - kClientSafeMs) return {.brought = has_its_share && brings_many ? brought : 0};
    return {true, find(name)};
  }
  // It got one. No part of the state: only those that decide count.
  void note_newcomer(Newcomer const& who, std::int64_t now) const {
    if (brought_.size() >= kNewcomersMax) brought_.clear();
    Brought& one = brought_[key_of(who)];
    if (now - one.since >= kClientSafeMs) one = {now, 0};
    ++one.names;
  }

  void drop(std::string_view name) {
    auto const found = by_name_.find(name);
    if (found == by_name_.end()) return;
    std::uint32_t const number = found->second;
    Client& client = *clients_[number];
    if (!client.owner_id.is_none()) regions_.remove(client.owner_region);
    leave(client);
    while (!client.segments.empty()) drop_segment(client, client.segments.begin());
    by_use_.erase({client.last_used, number});
    name_bytes_ -= client.name.size();
    by_name_.erase(found);
    clients_[number].reset();
    free_.push_back(number);
  }

  // Limits all dates of use to `to`.
  void lower_clock(std::int64_t to) {
    while (!by_use_.empty() && by_use_.rbegin()->first > to) {
      std::uint32_t const number = by_use_.rbegin()->second;
      by_use_.erase(std::prev(by_use_.end()));
      by_use_.emplace(to, number);
      Client& client = *clients_[number];
      client.origin->by_use.erase({client.last_used, client.name});
      client.last_used = to;
      client.origin->by_use.emplace(to, client.name);
    }
  }

  [[nodiscard]] Client const* find(std::string_view name) const {
    auto const found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : clients_[found->second].get();
  }
  [[nodiscard]] std::size_t size() const { return by_use_.size(); }
  [[nodiscard]] std::uint64_t sequences() const { return seen_; }
  // Numbers below may be clients (or nullptr).
  [[nodiscard]] std::uint32_t end() const { return static_cast<std::uint32_t>(clients_.size()); }
  [[nodiscard]] Client const* at(std::uint32_t number) const { return clients_[number].get(); }
  // (last used, number), the one that was silent for longest first.
  [[nodiscard]] absl::btree_set<std::pair<std::int64_t, std::uint32_t>> const& by_use() const { return by_use_; }

  // Numbers below the window are not part of the state, whenever they are dropped.
  [[nodiscard]] static bool is_below(Client const& client, std::uint64_t sequence) {
    return client.high >= kSequenceWindow && sequence <= client.high - kSequenceWindow;
  }

  // Of the log, what the objects need.
  [[nodiscard]] Regions const& regions() const { return regions_; }

  [[nodiscard]] std::size_t size_of(std::string_view origin) const {
    auto const found = origins_.find(origin);
    return found == origins_.end() ? 0 : found->second.by_use.size();
  }

  [[nodiscard]] std::uint64_t live_bytes() const {
    return seen_ * 8 + segments_ * 64 + size() * 64 + 2 * name_bytes_ + owner_bytes_;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return seen_ * sizeof(Seen) + segments_ * 96 + clients_.size() * 300 + name_bytes_ + origins_.size() * 200 +
           origin_bytes_ + brought_.size() * 64 + regions_.memory_bytes();
  }

 private:
  // Parts of clients-max, and of an origin's half of it.
  static constexpr std::size_t kKeptPart = 16;
  static constexpr std::size_t kQuarter = 4;
  // Of one connection: so many are no invention.
  static constexpr std::uint32_t kFewNames = 16;
  static constexpr std::size_t kNewcomersMax = 64U << 10U;
  struct Brought {
    std::int64_t since{0};
    std::uint32_t names{0};
  };
  // (its connection, or else its origin)
  using NewcomerKey = std::pair<std::uint64_t, std::string>;
  [[nodiscard]] static NewcomerKey key_of(Newcomer const& who) {
    return {static_cast<std::uint64_t>(who.connection),
            who.connection == ConnectionId::none ? std::string{who.origin} : std::string{}};
  }
  [[nodiscard]] std::uint32_t brought_by(Newcomer const& who, std::int64_t now) const {
    auto const found = brought_.find(key_of(who));
    return found == brought_.end() || now - found->second.since >= kClientSafeMs ? 0 : found->second.names;
  }

  [[nodiscard]] static std::vector<Seen>::const_iterator lower(Segment const& segment, std::uint16_t offset) {
    return std::lower_bound(segment.seen.begin(), segment.seen.end(), offset,
                            [](Seen const& seen, std::uint16_t wanted) { return seen.offset < wanted; });
  }

  Client& find_or_add(std::string_view name, std::int64_t used) {
    auto const found = by_name_.find(name);
    if (found != by_name_.end()) {
      Client& client = *clients_[found->second];
      if (used > client.last_used) {
        by_use_.erase({client.last_used, found->second});
        client.origin->by_use.erase({client.last_used, client.name});
        client.last_used = used;
        by_use_.emplace(used, found->second);
        client.origin->by_use.emplace(used, client.name);
      }
      return client;
    }
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(clients_.size()));
      clients_.emplace_back();
    }
    std::uint32_t const number = free_.back();
    free_.pop_back();
    clients_[number] = std::make_unique<Client>();
    Client& client = *clients_[number];
    client.name.assign(name);
    client.last_used = used;
    name_bytes_ += name.size();
    by_name_.emplace(client.name, number);
    by_use_.emplace(used, number);
    join(client, {});
    return client;
  }

  // The origin exists while it has clients; `crowds_` has their number.
  void join(Client& client, std::string_view name) {
    auto found = origins_.find(name);
    if (found == origins_.end()) {
      found = origins_.try_emplace(std::string{name}, Origin{std::string{name}}).first;
      origin_bytes_ += 2 * name.size();
    }
    Origin& origin = found->second;
    client.origin = &origin;
    owner_bytes_ += name.size();
    crowds_.erase({origin.by_use.size(), origin.name});
    origin.by_use.emplace(client.last_used, client.name);
    crowds_.emplace(origin.by_use.size(), origin.name);
  }
  void leave(Client& client) {
    Origin& origin = *client.origin;
    owner_bytes_ -= origin.name.size();
    crowds_.erase({origin.by_use.size(), origin.name});
    origin.by_use.erase({client.last_used, client.name});
    if (!origin.by_use.empty()) {
      crowds_.emplace(origin.by_use.size(), origin.name);
      return;
    }
    origin_bytes_ -= 2 * origin.name.size();
    origins_.erase(origins_.find(origin.name));
  }

  Segment& segment_of(Client& client, std::uint64_t number, ObjectId id, Lsn lsn) {
    auto const [at, added] = client.segments.try_emplace(number);
    if (added) {
      at->second.id = id;
      at->second.region = Regions::of(lsn);
      regions_.add(at->second.region);
      ++segments_;
    }
    return at->second;
  }

  void add_seen(Segment& segment, std::uint16_t offset, ObjectId row) {
    auto const at = lower(segment, offset);
    if (at != segment.seen.end() && at->offset == offset) return;
    segment.seen.insert(at, {offset, row.value});
    ++seen_;
  }

  void raise(Client& client, std::uint64_t sequence) {
    client.high = std::max(client.high, sequence);
    // By its contents, not its capacity: a segment without contents could never be compacted.
    for (auto first = client.segments.begin();
         is_below(client, first->first * kSegmentSequences + first->second.seen.back().offset);
         first = client.segments.begin())
      drop_segment(client, first);
  }

  void drop_segment(Client& client, absl::btree_map<std::uint64_t, Segment>::iterator at) {
    regions_.remove(at->second.region);
    seen_ -= at->second.seen.size();
    --segments_;
    client.segments.erase(at);
  }

  Regions regions_;  // of segments and owners
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::uint32_t> free_;
  absl::flat_hash_map<std::string_view, std::uint32_t, NameHash> by_name_;  // views of Client::name
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> by_use_;
  // Trees, which need no hash of names chosen by clients; nodes do not move, as clients point to them.
  std::map<std::string, Origin, std::less<>> origins_;
  absl::btree_set<std::pair<std::size_t, std::string_view>> crowds_;  // (clients, Origin::name)
  mutable absl::btree_map<NewcomerKey, Brought> brought_;             // new names of the last hour
  std::uint64_t seen_{0};
  std::uint64_t segments_{0};
  std::uint64_t name_bytes_{0};
  std::uint64_t owner_bytes_{0};   // names of origins, once for each client
  std::uint64_t origin_bytes_{0};  // once for each origin, with the memory of a node
};

}  // namespace fastjournal::rows
