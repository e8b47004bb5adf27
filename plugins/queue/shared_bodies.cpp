#include "plugins/queue/shared_bodies.h"

#include "base/bytes.h"
#include "model/row_codec.h"
#include "plugins/queue/message_body.h"

namespace fastjournal::queue {
namespace {

// SharedBodies that one search for those to compact looks at.
constexpr std::uint32_t kCompactWorkUnitsMax = 20'000;

}  // namespace

std::string_view SharedBodies::data_of(ObjectId shared_body) const {
  auto const found = all_.find(shared_body.value);
  return found == all_.end() ? std::string_view{} : std::string_view{found->second.data};
}

std::uint64_t SharedBodies::list_extents(std::uint64_t after, std::uint32_t work_units,
                                         std::vector<Extent>& found) const {
  auto one = all_.upper_bound(after);
  for (; one != all_.end() && work_units > 0; ++one, --work_units) {
    after = one->first;
    if (one->second.has_outside) model::find_outside(shared_body_schema(), one->second.data, found);
  }
  return one == all_.end() ? 0 : after;
}

void SharedBodies::add(ObjectId shared_body, SharedBodyRecord const& body, Lsn lsn, TableObserver& observer) {
  auto const [at, is_new] = all_.try_emplace(shared_body.value);
  One& one = at->second;
  std::uint32_t const region = rows::Regions::of(lsn);
  if (one.is_known) {
    // Compacted: it is the same.
    regions_.remove(one.region);
    regions_.add(region);
    one.region = region;
    return;
  }
  one.is_known = true;
  one.region = region;
  one.has_outside = body.has_outside;
  one.data = body.data;
  regions_.add(region);
  live_bytes_ += shared_body_record_bytes(one.data.size());
  memory_bytes_ += memory_of(one);
  if (is_new) idle_.insert(shared_body.value);
  if (!body.has_outside) return;
  std::vector<Extent> extents;
  model::find_outside(shared_body_schema(), one.data, extents);
  for (Extent const& extent : extents) observer.stored(extent, {});
}

void SharedBodies::use(ObjectId shared_body) {
  One& one = all_[shared_body.value];
  if (one.uses++ == 0) idle_.erase(shared_body.value);
}

void SharedBodies::leave(ObjectId shared_body, bool all_are_known, TableObserver& observer) {
  auto const one = all_.find(shared_body.value);
  if (one == all_.end()) return;
  bool const is_last = --one->second.uses == 0;
  if (is_last && !all_are_known) {
    idle_.insert(shared_body.value);
    return;
  }
  if (is_last) end(one, observer);
}

void SharedBodies::end(All::iterator at, TableObserver& observer) {
  One const& one = at->second;
  if (one.is_known) {
    regions_.remove(one.region);
    live_bytes_ -= shared_body_record_bytes(one.data.size());
    memory_bytes_ -= memory_of(one);
  }
  if (one.has_outside) {
    std::vector<Extent> extents;
    model::find_outside(shared_body_schema(), one.data, extents);
    for (Extent const& extent : extents) observer.freed(extent);
  }
  idle_.erase(at->first);
  all_.erase(at);
}

bool SharedBodies::drop_idle(std::size_t budget, TableObserver& observer) {
  for (; budget > 0 && !idle_.empty(); --budget) end(all_.find(*idle_.begin()), observer);
  return !idle_.empty();
}

bool SharedBodies::compact(Lsn below, rows::CopyRoom& room, Records& records) const {
  std::uint64_t left = regions_.count_below(below);
  std::uint32_t looked = 0;
  for (int round = 0; round < 2 && left > 0; ++round) {
    auto at = all_.lower_bound(compact_from_);
    for (; at != all_.end() && left > 0 && looked < kCompactWorkUnitsMax; ++at, ++looked) {
      compact_from_ = at->first;
      One const& one = at->second;
      if (!one.is_known || rows::Regions::start(one.region) >= below) continue;
      if (!room.take(shared_body_record_bytes(one.data.size()))) return true;
      model::append_record(records, ObjectId{at->first}, SharedBodyRecord{one.has_outside, one.data});
      --left;
    }
    if (at == all_.end()) compact_from_ = 0;
    if (looked == kCompactWorkUnitsMax) break;
  }
  return left > 0;
}

void SharedBodies::digest(DigestSink& sink) const {
  for (auto const& [id, one] : all_) {
    if (one.uses == 0) continue;
    model::digest_object(sink, ObjectId{id}, SharedBodyRecord{one.has_outside, one.data});
  }
}

}  // namespace fastjournal::queue
