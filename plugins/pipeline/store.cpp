#include "plugins/pipeline/store.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "model/plan/destinations.h"

namespace fastjournal::pipeline {
namespace {

// The texts of a document: bytes of its hash (1) and name (2), of a child its parent, its original (8 each) and its maker
// (2), then hash and name.
constexpr std::size_t kHeadBytes = 3;
constexpr std::size_t kOriginBytes = 18;

static_assert(kKeysOfDocument > plan::kDestinationsMax);

}  // namespace

// ---------------------------------------------------------------------------
// Texts

std::size_t Store::texts_bytes(char const* texts, bool is_child) {
  return kHeadBytes + (is_child ? kOriginBytes : 0) + load_little<std::uint8_t>(texts) +
         load_little<std::uint16_t>(texts + 1);
}

std::uint32_t Store::store_texts(DocumentBody const& body) {
  bool const is_child = !body.parent.is_none();
  std::size_t const bytes = kHeadBytes + (is_child ? kOriginBytes : 0) + body.hash.size() + body.name.size();
  std::uint32_t const handle = texts_.take(bytes);
  char* to = texts_.at(handle);
  store_little(to, static_cast<std::uint8_t>(body.hash.size()));
  store_little(to + 1, static_cast<std::uint16_t>(body.name.size()));
  to += kHeadBytes;
  if (is_child) {
    store_little(to, body.parent.value);
    store_little(to + 8, body.original.value);
    store_little(to + 16, body.maker);
    to += kOriginBytes;
  }
  if (!body.hash.empty()) std::memcpy(to, body.hash.data(), body.hash.size());
  std::memcpy(to + body.hash.size(), body.name.data(), body.name.size());
  return handle;
}

std::string_view Store::hash_of(std::uint32_t number) const {
  Document const& document = (*this)[number];
  char const* const texts = texts_.at(document.texts);
  return {texts + kHeadBytes + (document.is_child ? kOriginBytes : 0), load_little<std::uint8_t>(texts)};
}

std::string_view Store::name_of(std::uint32_t number) const {
  std::string_view const hash = hash_of(number);
  return {hash.data() + hash.size(), load_little<std::uint16_t>(texts_.at((*this)[number].texts) + 1)};
}

std::optional<Origin> Store::origin_of(std::uint32_t number) const {
  Document const& document = (*this)[number];
  if (!document.is_child) return std::nullopt;
  char const* const at = texts_.at(document.texts) + kHeadBytes;
  return Origin{ObjectId{load_little<std::uint64_t>(at)}, ObjectId{load_little<std::uint64_t>(at + 8)},
                load_little<std::uint16_t>(at + 16)};
}

void Store::set_hash(std::uint32_t number, std::string_view hash) {
  Document& document = at(number);
  DocumentBody body;
  if (std::optional<Origin> const origin = origin_of(number)) {
    body.parent = origin->parent;
    body.original = origin->original;
    body.maker = origin->maker;
  }
  body.hash = hash;
  body.name = name_of(number);
  std::uint32_t const old = document.texts;
  std::size_t const old_bytes = texts_bytes(texts_.at(old), document.is_child);
  document.texts = store_texts(body);
  texts_.release(old, old_bytes);
}

// ---------------------------------------------------------------------------
// Names

Store::Name Store::full_name(std::uint32_t number) const {
  Document const& document = (*this)[number];
  std::optional<Origin> const origin = origin_of(number);
  return {document.plan, document.source, origin ? origin->parent : ObjectId{}, name_of(number)};
}

std::size_t Store::ByName::operator()(Name const& name) const {
  std::uint64_t const place = std::uint64_t{name.plan} << 16U | name.source;
  return hash64(name.name,
                store->seed_ ^ (place * 0x9E3779B97F4A7C15ULL) ^ (name.parent.value * 0xC2B2AE3D27D4EB4FULL));
}

bool Store::ByName::operator()(std::uint32_t document, Name const& name) const {
  Name const theirs = store->full_name(document);
  return theirs.name == name.name && theirs.parent == name.parent && theirs.source == name.source &&
         theirs.plan == name.plan;
}

std::uint32_t Store::find(std::uint8_t plan, std::uint16_t source, ObjectId parent, std::string_view name) const {
  auto const found = by_name_.find(Name{plan, source, parent, name});
  return found == by_name_.end() ? kNone : *found;
}

// ---------------------------------------------------------------------------
// Documents

std::uint32_t Store::add(ObjectId id, std::uint8_t plan, DocumentBody const& body) {
  std::uint32_t number = 0;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else {
    if (end_ == documents_.size() * kSlab) documents_.push_back(std::make_unique<Document[]>(kSlab));
    number = end_++;
  }
  ++size_;
  Document& document = at(number);
  document = Document{};
  document.set_id(id);
  document.plan = plan;
  document.source = body.source;
  document.is_child = !body.parent.is_none();
  document.texts = store_texts(body);
  document.is_forgotten = body.is_forgotten;
  document.cell_count = body.cell_count;
  document.first_cell = add_cells(number, body.cell_count);
  ids_.insert(id, number);
  if (!body.is_forgotten || document.is_child) by_name_.insert(number);
  return number;
}

void Store::take_name(std::uint32_t document) {
  if (auto const found = by_name_.find(document); found != by_name_.end()) by_name_.erase(found);
}

void Store::remove(std::uint32_t number) {
  Document& document = at(number);
  take_name(number);
  ids_.erase(document.id());
  remove_cells(document.first_cell, document.cell_count);
  texts_.release(document.texts, texts_bytes(texts_.at(document.texts), document.is_child));
  document = Document{};
  free_.push_back(number);
  --size_;
}

// ---------------------------------------------------------------------------
// Cells

// The id, whose numbers are kLsnAlign apart, and the ordinal below it. Numbers of clients that have 53 bits suffice up to
// a log of 140 TB.
std::uint64_t Store::key_of(std::uint32_t number) const {
  std::uint64_t const ordinal = std::min<std::uint64_t>(ordinal_of(number), kKeysOfDocument - 1);
  return (*this)[cell(number).document].id().value / kLsnAlign * kKeysOfDocument + ordinal;
}

std::uint32_t Store::add_cells(std::uint32_t document, std::uint16_t count) {
  if (count == 0) return kNone;
  std::uint32_t first = cells_end_;
  if (auto const found = free_cells_.find(count); found != free_cells_.end() && !found->second.empty()) {
    first = found->second.back();
    found->second.pop_back();
  } else {
    cells_end_ += count;
    while (cells_.size() * kSlab < cells_end_) cells_.push_back(std::make_unique<Cell[]>(kSlab));
  }
  for (std::uint32_t number = first; number < first + count; ++number) {
    cell_at(number) = Cell{};
    cell_at(number).document = document;
  }
  return first;
}

void Store::remove_cells(std::uint32_t first, std::uint16_t count) {
  if (count == 0) return;
  for (std::uint32_t number = first; number < first + count; ++number) cell_at(number) = Cell{};
  free_cells_[count].push_back(first);
}

std::uint64_t Store::memory_bytes() const {
  std::uint64_t freed = 0;
  // Any order: a sum.
  for (auto const& [count, firsts] : free_cells_) freed += firsts.capacity() * sizeof(std::uint32_t) + 40;
  return documents_.size() * (kSlab * sizeof(Document) + sizeof(void*)) +
         cells_.size() * (kSlab * sizeof(Cell) + sizeof(void*)) + freed + free_.capacity() * sizeof(std::uint32_t) +
         texts_.memory_bytes() + ids_.memory_bytes() + by_name_.capacity() * (sizeof(std::uint32_t) + 1);
}

}  // namespace fastjournal::pipeline
