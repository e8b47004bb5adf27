#include "engine/needs.h"

#include <algorithm>

#include "engine/hosted.h"

namespace fastjournal::engine {

// By the number of the table: an order that a run of the simulator repeats.
bool NeededEarlier::operator()(NeedPlace const& a, NeedPlace const& b) const {
  if (a.first != b.first) return a.first < b.first;
  if (a.second == nullptr || b.second == nullptr) return a.second == nullptr && b.second != nullptr;
  return a.second->number < b.second->number;
}

void Needs::note(HostedTable& table) {
  table.is_noted = true;
  if (table.outside != nullptr) table.outside->table_changed();
  if (table.exported.changed != nullptr) table.exported.changed->push_back(&table);
  if (std::exchange(table.need.waits_for_look, true)) return;
  noted_.push_back(&table);
}

void Needs::forget(HostedTable& table) {
  std::erase(noted_, &table);
  std::erase(carrying_, &table);
  if (!table.need.oldest.is_none()) by_oldest_.erase(table.need.place);
  live_bytes_ -= table.need.live_bytes;
  table.need = {};
  table.is_noted = false;
}

void Needs::look() {
  for (HostedTable* const table : noted_) {
    table->need.waits_for_look = table->is_noted = false;
    look_at(*table);
  }
  noted_.clear();
}

void Needs::look_at(HostedTable& table) {
  ++looks_;
  Need& need = table.need;
  Lsn const oldest = table.is_dropped() ? kNoLsn : table.table->oldest_lsn();
  std::uint64_t const live = table.is_dropped() ? 0 : table.table->live_bytes();
  live_bytes_ += live - need.live_bytes;
  need.live_bytes = live;
  if (oldest != need.oldest) {
    // Most have one before and after: their memory is used again. What changed is mostly the newest now.
    auto node = need.oldest.is_none() ? TablesByNeed::node_type{} : by_oldest_.extract(need.place);
    need.oldest = oldest;
    if (!oldest.is_none() && node.empty()) need.place = by_oldest_.emplace_hint(by_oldest_.end(), oldest, &table);
    if (!oldest.is_none() && !node.empty()) {
      node.value() = {oldest, &table};
      need.place = by_oldest_.insert(by_oldest_.end(), std::move(node));
    }
  }
  if (table.outside != nullptr && !table.outside->oldest_needed().is_none() &&
      std::ranges::find(carrying_, &table) == carrying_.end())
    carrying_.push_back(&table);
}

Lsn Needs::oldest() {
  Lsn out = by_oldest_.empty() ? kNoLsn : by_oldest_.begin()->first;
  std::erase_if(carrying_, [&out](HostedTable const* table) {
    Lsn const carried = table->outside == nullptr ? kNoLsn : table->outside->oldest_needed();
    if (!carried.is_none() && (out.is_none() || carried < out)) out = carried;
    return carried.is_none();
  });
  return out;
}

HostedTable* Needs::after(NeedPlace const& place) const {
  auto const found = by_oldest_.upper_bound(place);
  return found == by_oldest_.end() ? nullptr : found->second;
}

}  // namespace fastjournal::engine
