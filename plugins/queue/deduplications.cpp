#include "plugins/queue/deduplications.h"

#include <algorithm>

#include "base/bytes.h"

namespace fastjournal::queue {
namespace {

// Those that one search for what is to be compacted looks at; that one step ends.
constexpr std::uint32_t kDeduplicationsLooked = 20'000;
constexpr std::uint32_t kDeduplicationsEnded = 1'000;
// What one takes in memory beside its key: itself, and its places in both maps.
constexpr std::uint64_t kDeduplicationBytes = sizeof(Deduplications::One) + 100;

}  // namespace

std::string Deduplications::key_of(ObjectId queue, std::string_view text) {
  std::string out(sizeof queue.value, '\0');
  store_little(out.data(), queue.value);
  return out.append(text);
}

DeduplicationBody Deduplications::body_of(One const& one) {
  return {ObjectId{load_little<std::uint64_t>(one.key.data())}, one.message, one.date,
          std::string_view{one.key}.substr(sizeof(std::uint64_t))};
}

Deduplications::One const* Deduplications::find(ObjectId queue, std::string_view text, std::int64_t now) const {
  auto const found = index_.find(key_of(queue, text));
  if (found == index_.end()) return nullptr;
  One const& one = *all_.find(found->second)->second;
  return one.date + kDeduplicationMs > now ? &one : nullptr;
}

bool Deduplications::end(Decision& decision) const {
  if (next_due() > decision.now) return false;
  std::uint64_t last = 0;
  std::uint32_t ended = 0;
  for (auto const& [id, one] : all_) {
    if (one->date + kDeduplicationMs > decision.now.value || ended == kDeduplicationsEnded) break;
    last = id;
    ++ended;
  }
  model::append_record(decision.records, {}, DeduplicationsOverBody{ObjectId{last}});
  return true;
}

void Deduplications::add(ObjectId id, DeduplicationBody const& body, Lsn lsn) {
  std::uint32_t const region = rows::Regions::of(lsn);
  if (auto const known = all_.find(id.value); known != all_.end()) {
    // Compacted: it is the same.
    regions_.remove(known->second->region);
    regions_.add(region);
    known->second->region = region;
    return;
  }
  auto made = std::make_unique<One>(One{key_of(body.queue, body.text), body.message, body.date, region});
  // The former one of this text was over, and not ended yet.
  if (auto const former = index_.find(made->key); former != index_.end()) drop(all_.find(former->second));
  live_bytes_ += deduplication_record_bytes(body.text.size());
  memory_bytes_ += kDeduplicationBytes + made->key.capacity();
  regions_.add(region);
  index_.emplace(made->key, id.value);
  all_.emplace(id.value, std::move(made));
}

void Deduplications::drop(All::iterator at) {
  One const& one = *at->second;
  live_bytes_ -= deduplication_record_bytes(one.key.size() - sizeof(std::uint64_t));
  memory_bytes_ -= kDeduplicationBytes + one.key.capacity();
  regions_.remove(one.region);
  index_.erase(one.key);
  all_.erase(at);
}

void Deduplications::drop_until(ObjectId last) {
  while (!all_.empty() && all_.begin()->first <= last.value) drop(all_.begin());
}

void Deduplications::lower_clock(std::int64_t from, std::int64_t to) {
  while (!all_.empty() && all_.begin()->second->date + kDeduplicationMs <= from) drop(all_.begin());
  for (auto const& [id, one] : all_) one->date = std::min(one->date, to);
}

bool Deduplications::compact(Lsn below, rows::CopyRoom& room, Records& records) const {
  std::uint64_t left = regions_.count_below(below);
  std::uint32_t looked = 0;
  for (int round = 0; round < 2 && left > 0; ++round) {
    auto at = all_.lower_bound(compact_from_);
    for (; at != all_.end() && left > 0 && looked < kDeduplicationsLooked; ++at, ++looked) {
      compact_from_ = at->first;
      DeduplicationBody const body = body_of(*at->second);
      if (rows::Regions::start(at->second->region) >= below) continue;
      if (!room.take(deduplication_record_bytes(body.text.size()))) return true;
      model::append_record(records, ObjectId{at->first}, body);
      --left;
    }
    if (at == all_.end()) compact_from_ = 0;
    if (looked == kDeduplicationsLooked) break;
  }
  return left > 0;
}

void Deduplications::digest(DigestSink& sink) const {
  for (auto const& [id, one] : all_) model::digest_object(sink, ObjectId{id}, body_of(*one));
}

}  // namespace fastjournal::queue
