#include "plugins/rows/uniques.h"

#include <algorithm>

namespace fastjournal::rows {
namespace {

// Those that one search looks at.
constexpr std::uint32_t kUniquesWorkUnitsMax = 10'000;

}  // namespace

Unique const* Uniques::find(std::string_view key, std::int64_t now) const {
  auto const found = keys_.find(key);
  return found == keys_.end() || found->second->until <= now ? nullptr : found->second;
}

Unique const* Uniques::next(ObjectId after) const {
  auto const at = all_.upper_bound(after.value);
  return at == all_.end() ? nullptr : at->second.get();
}

std::uint32_t Uniques::drop_over(std::uint64_t most, std::int64_t now, std::uint32_t max, Records& records) const {
  std::uint32_t count = 0;
  for (auto const& [until, id] : dates_) {
    if (count == max || (until > now && all_.size() - count <= most)) break;
    model::append_record(records, ObjectId{id}, UniqueDroppedBody{});
    ++count;
  }
  return count;
}

bool Uniques::compact(Lsn below, CopyRoom& room, Records& records) const {
  std::uint64_t left = regions_.count_below(below);
  for (std::uint32_t looked = 0; left > 0 && looked < kUniquesWorkUnitsMax && looked < all_.size(); ++looked) {
    auto at = all_.upper_bound(compact_from_);
    if (at == all_.end()) at = all_.begin();
    Unique const& one = *at->second;
    if (Regions::start(one.region) < below) {
      if (!room.take(record_bytes(one))) return true;
      model::append_record(records, one.id, one.body());
      --left;
    }
    compact_from_ = one.id.value;
  }
  return left > 0;
}

bool Uniques::snapshot(std::uint64_t& at, CopyRoom& page, Records& records) const {
  for (Unique const* one = next(ObjectId{at}); one != nullptr; one = next(ObjectId{at})) {
    if (!page.take_one_at_least(record_bytes(*one))) return false;
    model::append_record(records, one->id, one->body());
    at = one->id.value;
  }
  return true;
}

void Uniques::digest(DigestSink& sink) const {
  for (auto const& [id, one] : all_) model::digest_object(sink, one->id, one->body());
}

void Uniques::apply(ObjectId id, UniqueBody const& body, Lsn lsn) {
  if (auto const known = all_.find(id.value); known != all_.end()) {
    // Compacted: it is as it was.
    regions_.remove(known->second->region);
    known->second->region = Regions::of(lsn);
    regions_.add(known->second->region);
    return;
  }
  if (auto const before = keys_.find(body.key); before != keys_.end()) drop(before->second->id);
  auto one =
      std::make_unique<Unique>(Unique{id, Regions::of(lsn), std::string{body.key}, body.row, body.ended, body.until});
  regions_.add(one->region);
  memory_ += bytes_of(*one);
  live_ += record_bytes(*one);
  dates_.emplace(one->until, id.value);
  keys_.emplace(one->key, one.get());
  all_.emplace(id.value, std::move(one));
}

bool Uniques::drop(ObjectId id) {
  auto const found = all_.find(id.value);
  if (found == all_.end()) return false;
  Unique const& one = *found->second;
  regions_.remove(one.region);
  memory_ -= bytes_of(one);
  live_ -= record_bytes(one);
  dates_.erase({one.until, id.value});
  keys_.erase(one.key);
  all_.erase(found);
  return true;
}

void Uniques::lower_clock(std::int64_t from, std::int64_t to) {
  // Those that were over under the old clock stay so, whether or not a record has dropped them.
  while (!dates_.empty() && dates_.begin()->first <= from) drop(ObjectId{dates_.begin()->second});
  dates_.clear();
  for (auto const& [id, one] : all_) {
    std::int64_t const ahead = std::max<std::int64_t>(0, one->ended - to);
    one->ended -= ahead;
    one->until -= ahead;
    dates_.emplace(one->until, id);
  }
}

}  // namespace fastjournal::rows
