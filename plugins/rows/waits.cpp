#include "plugins/rows/waits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include "base/hash.h"

namespace fastjournal::rows {

std::uint32_t Waits::hash_of(std::uint64_t key) {
  // Ids are not chosen by clients.
  std::array<char, sizeof key> const bytes = std::bit_cast<std::array<char, sizeof key>>(key);
  return static_cast<std::uint32_t>(hash64(std::string_view{bytes.data(), bytes.size()}, 0) >> 32U);
}

std::uint32_t Waits::find(std::uint64_t key) const {
  if (!index_) return kNone;
  return index_->find(hash_of(key), [&](std::uint32_t edge) { return at(edge).key() == key; });
}

std::uint32_t Waits::take() {
  ++edges_;
  if (free_ != kNone) return std::exchange(free_, at(free_).next);
  if (end_ == slabs_.size() * kSlabEdges) slabs_.push_back(std::make_unique<Edge[]>(kSlabEdges));
  return end_++;
}

void Waits::free(std::uint32_t edge) {
  at(edge) = Edge{};
  at(edge).next = free_;
  free_ = edge;
  if (--edges_ > 0) return;
  // As the headers of rows do: half of the memory goes.
  end_ = 0;
  free_ = kNone;
  slabs_.resize(slabs_.size() / 2);
}

// ---------------------------------------------------------------------------
// Lists

void Waits::link(std::uint32_t edge) {
  if (!index_) index_.emplace();
  Edge& one = at(edge);
  std::uint64_t const key = one.key();
  std::uint32_t const head = find(key);
  one.prev = kNone;
  one.next = head;
  if (head == kNone) {
    index_->insert(hash_of(key), edge);
    return;
  }
  at(head).prev = edge;
  index_->replace(hash_of(key), head, edge);
}

void Waits::unlink(std::uint32_t edge) {
  Edge& one = at(edge);
  if (!one.is_linked()) return;
  if (one.next != kNone) at(one.next).prev = one.prev;
  if (one.prev != kNone) {
    at(one.prev).next = one.next;
  } else if (std::uint64_t const key = one.key(); find(key) == edge) {
    if (one.next == kNone)
      index_->erase(hash_of(key), edge);
    else
      index_->replace(hash_of(key), edge, one.next);
  } else {
    pending_.find(key)->second.head = one.next;
  }
  one.prev = kLoose;
  one.next = kNone;
}

// ---------------------------------------------------------------------------
// What becomes of an edge

Waits::Fate Waits::fate_of(After::Policy policy, Outcome outcome) {
  switch (outcome) {
    case Outcome::well: return Fate::ends;
    case Outcome::needless: return Fate::is_needless;
    case Outcome::failed: return policy == After::Policy::run ? Fate::ends : Fate::breaks;
    case Outcome::parked:
      return policy == After::Policy::run ? Fate::ends : policy == After::Policy::fail ? Fate::breaks : Fate::stays;
  }
  return Fate::stays;
}

// All edges of a list that is put aside stand there: nothing waits anew for what has ended.
Waits::Fate Waits::fate_of(Edge const& edge, ObjectId& id) const {
  if (pending_.empty() || !edge.is_linked()) return Fate::stays;
  auto const found = pending_.find(edge.key());
  if (found == pending_.end()) return Fate::stays;
  id = found->second.id;
  return fate_of(edge.policy, found->second.outcome);
}

void Waits::break_edge(Edge& edge, Fate fate, ObjectId id) {
  edge.kind = fate == Fate::breaks ? After::Kind::broken : After::Kind::needless;
  edge.set_id(id);
}

bool Waits::settle(std::uint32_t edge, Fate fate, ObjectId id) {
  if (fate == Fate::stays) return false;
  Edge& one = at(edge);
  std::uint32_t const row = one.row;
  unlink(edge);
  switch (fate) {
    case Fate::stays: break;
    case Fate::breaks:
    case Fate::is_needless: break_edge(one, fate, id); break;
    case Fate::ends:
      // It is given back with the others of its row: finding it among them would take long.
      one.row = kNone;
      --open_;
      if (--rows_[row].prev > 0) return false;
      forget(row);
      return true;
  }
  note(row);
  return false;
}

// Whether the row fails, or ends, because of a broken edge.
void Waits::note(std::uint32_t row) {
  bool is_doomed = false;
  bool is_needless = false;
  for (std::uint32_t edge = rows_[row].next; edge != kNone; edge = at(edge).of_row) {
    if (at(edge).row == kNone) continue;
    is_doomed = is_doomed || (at(edge).kind == After::Kind::broken && at(edge).policy == After::Policy::fail);
    is_needless = is_needless || at(edge).kind == After::Kind::needless;
  }
  if (is_doomed)
    doomed_.insert(row);
  else
    doomed_.erase(row);
  if (is_needless && !is_doomed)
    needless_.insert(row);
  else
    needless_.erase(row);
}

// ---------------------------------------------------------------------------
// Rows

void Waits::add(std::uint32_t row, After const& after) {
  absl::flat_hash_set<std::uint64_t> known;
  // What has become of the others was decided under the old policy.
  for (std::uint32_t edge = rows_[row].next; edge != kNone; edge = at(edge).of_row) {
    if (at(edge).row == kNone) continue;
    ObjectId id;
    if (Fate const fate = fate_of(at(edge), id); fate != Fate::stays) {
      unlink(edge);
      if (fate == Fate::ends) {
        at(edge).row = kNone;
        --open_;
        --rows_[row].prev;
      } else {
        break_edge(at(edge), fate, id);
      }
    }
    at(edge).policy = after.policy;
    if (at(edge).row != kNone) known.insert(at(edge).key());
  }
  for (After::One const& one : after.all) {
    if (known.contains(key_of(one.id, one.kind))) continue;
    std::uint32_t const edge = take();
    Edge& made = at(edge);
    made = {.low = 0,
            .high = 0,
            .kind = one.kind,
            .policy = after.policy,
            .row = row,
            .next = kNone,
            .prev = kLoose,
            .of_row = rows_[row].next};
    made.set_id(one.id);
    rows_[row].next = edge;
    ++rows_[row].prev;
    ++open_;
    if (one.kind < After::Kind::broken) link(edge);
  }
  note(row);
}

void Waits::forget(std::uint32_t row) {
  for (std::uint32_t edge = rows_[row].next; edge != kNone;) {
    std::uint32_t const next = at(edge).of_row;
    unlink(edge);
    if (at(edge).row != kNone) --open_;
    free(edge);
    edge = next;
  }
  reset(row);
  doomed_.erase(row);
  needless_.erase(row);
}

After Waits::after_of(std::uint32_t row) const {
  After out;
  for (std::uint32_t edge = rows_[row].next; edge != kNone; edge = at(edge).of_row) {
    Edge const& one = at(edge);
    if (one.row == kNone) continue;
    out.policy = one.policy;
    ObjectId id;
    switch (fate_of(one, id)) {
      case Fate::ends: break;
      case Fate::breaks: out.all.push_back({id, After::Kind::broken}); break;
      case Fate::is_needless: out.all.push_back({id, After::Kind::needless}); break;
      case Fate::stays:
        out.all.push_back({one.kind == After::Kind::row ? final_of(one.id()) : one.id(), one.kind});
        break;
    }
  }
  std::ranges::sort(out.all);
  out.all.erase(std::unique(out.all.begin(), out.all.end()), out.all.end());
  return out;
}

// ---------------------------------------------------------------------------
// What is waited for

void Waits::ended(ObjectId id, After::Kind kind, Outcome outcome, std::size_t budget, Done& released) {
  if (edges_ == 0) return;
  end_list(key_of(id, kind), id, outcome, budget, released);
  if (kind != After::Kind::row || lists_.empty()) return;
  auto const found = lists_.find(id.value);
  if (found == lists_.end()) return;
  std::vector<std::uint64_t> const others = found->second;
  for (std::uint64_t const other : others) end_list(other, id, outcome, budget, released);
  if (outcome == Outcome::parked) return;
  for (std::uint64_t const other : others) finals_.erase(other);
  lists_.erase(id.value);
}

void Waits::end_list(std::uint64_t key, ObjectId id, Outcome outcome, std::size_t& budget, Done& released) {
  std::uint32_t const head = find(key);
  if (head == kNone) return;
  if (outcome == Outcome::parked) {
    // Some edges may stay, so the list cannot be put aside.
    for (std::uint32_t edge = head; edge != kNone;) {
      std::uint32_t const next = at(edge).next;
      std::uint32_t const row = at(edge).row;
      if (settle(edge, fate_of(at(edge).policy, outcome), id)) released.push_back(row);
      edge = next;
    }
    return;
  }
  index_->erase(hash_of(key), head);
  auto const made = pending_.emplace(key, Pending{head, outcome, id}).first;
  if (drain(made->second, budget, released)) {
    pending_.erase(key);
    return;
  }
  pending_order_.push_back(key);
}

bool Waits::drain(Pending& pending, std::size_t& budget, Done& released) {
  while (pending.head != kNone) {
    if (budget == 0) return false;
    --budget;
    std::uint32_t const edge = pending.head;
    std::uint32_t const row = at(edge).row;
    if (settle(edge, fate_of(at(edge).policy, pending.outcome), pending.id)) released.push_back(row);
  }
  return true;
}

bool Waits::release(std::size_t& budget, Done& released) {
  while (!pending_order_.empty()) {
    std::uint64_t const key = pending_order_.front();
    if (!drain(pending_.find(key)->second, budget, released)) return true;
    pending_.erase(key);
    pending_order_.pop_front();
  }
  return false;
}

void Waits::moved(ObjectId from, ObjectId to) {
  if (edges_ == 0) return;
  std::vector<std::uint64_t> all;
  if (auto const found = lists_.find(from.value); found != lists_.end()) {
    all = std::move(found->second);
    lists_.erase(from.value);
  }
  if (find(from.value) != kNone || pending_.contains(from.value)) all.push_back(from.value);
  if (all.empty()) return;
  std::vector<std::uint64_t>& list = lists_[to.value];
  for (std::uint64_t const one : all) {
    finals_[one] = to.value;
    list.push_back(one);
  }
}

}  // namespace fastjournal::rows
