#include "plugins/rows/keys.h"

#include "base/hash.h"

namespace fastjournal::rows {
namespace {

// The place of a row among those of its key. A held row stands among those that are processed: until an operator has
// decided about it, no other row of the key may overtake it.
unsigned rank(Place place) { return is_waiting(place) ? 0 : has_lease(place) ? 1 : 2; }

}  // namespace

Keys::Keys(Rows& rows, Payloads const& payloads, std::uint64_t hash_seed, bool has_keys)
    : rows_(rows), payloads_(payloads), hash_seed_(hash_seed) {
  if (has_keys) index_.emplace();
}

std::uint32_t Keys::hash_of(std::string_view key) const {
  return static_cast<std::uint32_t>(hash64(key, hash_seed_) >> 32U);
}

std::uint32_t Keys::find_head(std::uint32_t hash, std::string_view key) const {
  return index_->find(hash, [&](std::uint32_t row) { return key_of(row) == key; });
}

Keys::Found Keys::look(std::string_view key) const {
  if (!has_keys()) return {};
  std::uint32_t const hash = hash_of(key);
  return {hash, find_head(hash, key)};
}

KeyRows Keys::chain(std::uint32_t head) const {
  KeyRows out;
  // Waiting, processing, parked: at most one of the first, and concurrency-key of the second.
  for (std::uint32_t at = head; at != kNoRow && out.parked == kNoRow; at = next(at)) {
    switch (rank(rows_[at].place())) {
      case 0: out.waiting = at; break;
      case 1:
        if (out.processing_count++ == 0) out.processing = at;
        break;
      default: out.parked = at;
    }
  }
  return out;
}

KeyRows Keys::find(std::string_view key) const { return chain(find_head(hash_of(key), key)); }

KeyRows Keys::of(std::uint32_t row) const { return rows_[row].has_siblings() ? find(key_of(row)) : chain(row); }

std::uint32_t Keys::next(std::uint32_t row) const {
  return rows_[row].has_siblings() ? siblings_.find(row)->second.next : kNoRow;
}

void Keys::link(std::uint32_t row, Found const& found) {
  if (!has_keys()) return;
  auto const [hash, head] = found;
  if (head == kNoRow) {
    index_->insert(hash, row);
    return;
  }
  if (!rows_[head].has_siblings()) {
    rows_[head].set_siblings(true);
    siblings_.emplace(head, Sibling{});
  }
  rows_[row].set_siblings(true);
  unsigned const mine = rank(rows_[row].place());
  std::uint32_t before = kNoRow;
  std::uint32_t after = head;
  while (after != kNoRow && rank(rows_[after].place()) < mine) {
    before = after;
    after = siblings_.find(after)->second.next;
  }
  siblings_[row] = Sibling{after, before};
  if (after != kNoRow) siblings_.find(after)->second.prev = row;
  if (before != kNoRow) {
    siblings_.find(before)->second.next = row;
  } else {
    index_->replace(hash, head, row);
  }
}

void Keys::unlink(std::uint32_t row, std::string_view key) {
  if (!has_keys()) return;
  std::uint32_t const hash = hash_of(key);
  if (!rows_[row].has_siblings()) {
    index_->erase(hash, row);
    return;
  }
  auto const found = siblings_.find(row);
  Sibling const sibling = found->second;
  siblings_.erase(found);
  rows_[row].set_siblings(false);
  if (sibling.next != kNoRow) siblings_.find(sibling.next)->second.prev = sibling.prev;
  if (sibling.prev != kNoRow) {
    siblings_.find(sibling.prev)->second.next = sibling.next;
  } else {
    index_->replace(hash, row, sibling.next);
  }
  std::uint32_t const neighbour = sibling.next != kNoRow ? sibling.next : sibling.prev;
  auto const left = siblings_.find(neighbour);
  if (left->second.next == kNoRow && left->second.prev == kNoRow) {
    siblings_.erase(left);
    rows_[neighbour].set_siblings(false);
  }
}

void Keys::set_place(std::uint32_t row, Place place) {
  if (!rows_[row].has_siblings() || rank(place) == rank(rows_[row].place())) {
    rows_[row].set_place(place);
    return;
  }
  std::string_view const key = key_of(row);
  unlink(row, key);
  rows_[row].set_place(place);
  link(row, look(key));
}

}  // namespace fastjournal::rows
