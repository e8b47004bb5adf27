#include "plugins/pipeline/archive.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"

namespace fastjournal::pipeline {
namespace {

// Of the size of a document, before it.
constexpr std::size_t kSizeBytes = 2;

}  // namespace

std::uint64_t name_hash(ObjectId plan, std::uint16_t source, std::string_view name) {
  return hash64(name, (plan.value << 16U) ^ source);
}

// ---------------------------------------------------------------------------
// Reading

Archive::Number Archive::find(std::uint64_t name) const {
  auto const found = by_name_.find(name);
  return found == by_name_.end() ? kNone : *found;
}

std::vector<Archive::Number> Archive::beside(Number number) const {
  std::vector<Number> out;
  Leaf const& leaf = page(number);
  Number const first = number >> kPlaceBits << kPlaceBits;
  for (std::size_t at = 0; at < leaf.all.size(); ++at)
    if (first + at != number && !leaf.all[at].id().is_none()) out.push_back(first + static_cast<Number>(at));
  return out;
}

bool Archive::thins_out(Number number) const {
  Leaf const& leaf = page(number);
  return leaf.live > 1 && (leaf.live - 1) * 2U < leaf.all.size();
}

// ---------------------------------------------------------------------------
// Pages that were read

void Archive::keep(Extent const& extent, std::string_view bytes, Status const& status) {
  auto const found = pages_by_place_.find({extent.file, extent.begin});
  if (found == pages_by_place_.end()) return;
  std::uint32_t const number = found->second;
  let_go(number);
  if (at_hand_order_.size() < kAtHandMax) {
    at_hand_order_.push_back(number);
  } else {
    let_go(at_hand_order_[at_hand_next_]);
    at_hand_order_[at_hand_next_] = number;
    at_hand_next_ = (at_hand_next_ + 1) % kAtHandMax;
  }
  at_hand_bytes_ += bytes.size();
  at_hand_[number] = {std::string{bytes}, status};
}

void Archive::let_go(std::uint32_t page) {
  auto const found = at_hand_.find(page);
  if (found == at_hand_.end()) return;
  at_hand_bytes_ -= found->second.bytes.size();
  at_hand_.erase(found);
}

Archive::AtHand const* Archive::at_hand(Number number) const {
  auto const found = at_hand_.find(number >> kPlaceBits);
  return found == at_hand_.end() ? nullptr : &found->second;
}

void Archive::append(std::string& page, std::string_view document) {
  append_little(page, static_cast<std::uint16_t>(document.size()));
  page.append(document);
}

std::string_view Archive::part(std::string_view page, std::size_t place) {
  for (std::size_t at = 0;; ++at) {
    if (page.size() < kSizeBytes) return {};
    std::size_t const bytes = load_little<std::uint16_t>(page.data());
    page.remove_prefix(kSizeBytes);
    if (bytes > page.size()) return {};
    if (at == place) return page.substr(0, bytes);
    page.remove_prefix(bytes);
  }
}

bool Archive::read(Number number, AtHand const& page, DocumentBody& body) const {
  std::string_view const bytes = part(page.bytes, number & ((1U << kPlaceBits) - 1));
  return !bytes.empty() && model::read_body(bytes, 1, body) && body.cells.size() == pattern_of(number).states.size();
}

// ---------------------------------------------------------------------------
// Changing

std::uint16_t Archive::pattern(std::uint8_t plan, std::uint16_t source, std::vector<State> const& states) {
  std::pair key{std::uint32_t{plan} << 16U | source, states};
  if (auto const known = patterns_by_key_.find(key); known != patterns_by_key_.end()) return known->second;
  auto number = static_cast<std::uint16_t>(patterns_.size());
  if (free_patterns_.empty()) {
    patterns_.emplace_back();
  } else {
    number = free_patterns_.back();
    free_patterns_.pop_back();
  }
  patterns_[number] = {plan, source, states, 0};
  patterns_by_key_.emplace(std::move(key), number);
  return number;
}

void Archive::add(ObjectId id, std::uint32_t region, ArchivedBody const& body, std::vector<std::uint8_t> const& plans) {
  auto number = static_cast<std::uint32_t>(pages_.size());
  if (free_pages_.empty()) {
    pages_.emplace_back();
  } else {
    number = free_pages_.back();
    free_pages_.pop_back();
  }
  Leaf& leaf = pages_[number];
  leaf.id = id;
  leaf.extent = body.extent;
  leaf.region = region;
  leaf.live = 0;
  leaf.all.assign(body.all.size(), One{});
  pages_by_id_.emplace(id.value, number);
  pages_by_place_.emplace(std::pair{leaf.extent.file, leaf.extent.begin}, number);
  page_bytes_ += body.extent.size();
  for (std::size_t at = 0; at < body.all.size(); ++at) {
    ArchivedBody::One const& from = body.all[at];
    if (from.document.is_none()) continue;
    ArchivedBody::Pattern const& its = body.patterns[from.pattern];
    One& one = leaf.all[at];
    one.name_low = static_cast<std::uint32_t>(from.name);
    one.name_high = static_cast<std::uint32_t>(from.name >> 32U);
    one.id_low = static_cast<std::uint32_t>(from.document.value / kLsnAlign);
    one.id_high = static_cast<std::uint16_t>(from.document.value / kLsnAlign >> 32U);
    one.pattern = pattern(plans[from.pattern], its.source, its.states);
    ++patterns_[one.pattern].documents;
    ++leaf.live;
    ++size_;
    Number const where = number << kPlaceBits | static_cast<Number>(at);
    ids_.insert(from.document, where);
    by_name_.insert(where);
  }
}

Archive::Gone Archive::remove(Number number) {
  Leaf& leaf = pages_[number >> kPlaceBits];
  One& one = leaf.all[number & ((1U << kPlaceBits) - 1)];
  if (auto const found = by_name_.find(number); found != by_name_.end()) by_name_.erase(found);
  ids_.erase(one.id());
  Pattern& its = patterns_[one.pattern];
  if (--its.documents == 0) {
    patterns_by_key_.erase({std::uint32_t{its.plan} << 16U | its.source, its.states});
    its.states = {};
    free_patterns_.push_back(one.pattern);
  }
  one = One{};
  --size_;
  if (--leaf.live > 0) return {};
  Gone const gone{true, leaf.extent, leaf.region};
  let_go(number >> kPlaceBits);
  pages_by_id_.erase(leaf.id.value);
  pages_by_place_.erase({leaf.extent.file, leaf.extent.begin});
  page_bytes_ -= leaf.extent.size();
  leaf = Leaf{};
  free_pages_.push_back(number >> kPlaceBits);
  return gone;
}

// ---------------------------------------------------------------------------
// Space, people

ArchivedBody Archive::body_of(ObjectId id, Plans const& plans) const {
  Leaf const& leaf = pages_[pages_by_id_.at(id.value)];
  ArchivedBody out;
  out.extent = leaf.extent;
  std::map<std::uint16_t, std::uint16_t> numbers;
  for (One const& one : leaf.all) {
    ArchivedBody::One& to = out.all.emplace_back();
    to.document = one.id();
    if (to.document.is_none()) continue;
    auto const [at, is_new] = numbers.emplace(one.pattern, static_cast<std::uint16_t>(out.patterns.size()));
    Pattern const& its = patterns_[one.pattern];
    if (is_new) out.patterns.push_back({plans[its.plan].id, its.source, its.states});
    to.name = one.name();
    to.pattern = at->second;
  }
  return out;
}

std::uint64_t Archive::memory_bytes() const {
  return pages_.capacity() * (sizeof(Leaf) + 16) + size_ * sizeof(One) + free_pages_.capacity() * 4 +
         pages_by_id_.capacity() * 13 + pages_by_place_.capacity() * 25 +
         patterns_.size() * (2 * sizeof(Pattern) + 64) + ids_.memory_bytes() + by_name_.capacity() * 5 + at_hand_bytes_;
}

}  // namespace fastjournal::pipeline
