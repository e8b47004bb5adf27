#include "plugins/pipeline/families.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fastjournal::pipeline {
namespace {

// Counts begin anew, if that is a newer generation.
void raise_to(std::uint32_t generation, Family& family) {
  if (generation > family.generation) family = {.generation = generation, .all = std::move(family.all)};
}
void raise_to(std::uint32_t generation, Original& original) {
  if (generation > original.generation) original = {.generation = generation, .cell = original.cell};
}

}  // namespace

// ---------------------------------------------------------------------------
// Reading

Family const* Families::family_of(std::uint32_t document) const {
  auto const found = families_.find(store_[document].id().value);
  return found == families_.end() ? nullptr : &found->second;
}

Family const* Families::family_now(std::uint32_t document) const {
  Family const* const family = family_of(document);
  return family == nullptr || family->generation != extras_.generation_of(document) ? nullptr : family;
}

Original const* Families::original_of(ObjectId original) const {
  auto const found = originals_.find(original.value);
  return found == originals_.end() ? nullptr : &found->second;
}

bool Families::is_orphan(std::uint32_t document) const {
  std::optional<Origin> const origin = store_.origin_of(document);
  if (!origin) return false;
  std::uint32_t const original = store_.find(origin->original);
  return original == kNone || extras_.generation_of(original) != extras_.generation_of(document);
}

bool Families::children_done(std::uint32_t number) const {
  std::optional<std::uint64_t> const declared = extras_.declared_of(number);
  Family const* const family = family_now(number);
  std::uint64_t const children = family == nullptr ? 0 : family->children;
  if (children == 0) return declared.value_or(0) == 0;
  return declared && children >= *declared && family->not_done == 0;
}

Family* Families::family_counting(std::uint32_t child) {
  std::optional<Origin> const origin = store_.origin_of(child);
  if (!origin) return nullptr;
  auto const found = families_.find(origin->parent.value);
  if (found == families_.end()) return nullptr;
  return found->second.generation == extras_.generation_of(child) ? &found->second : nullptr;
}

Original* Families::original_counting(std::uint32_t child) {
  std::optional<Origin> const origin = store_.origin_of(child);
  if (!origin) return nullptr;
  auto const found = originals_.find(origin->original.value);
  if (found == originals_.end()) return nullptr;
  bool const counts = found->second.generation == extras_.generation_of(child);
  return counts ? &found->second : nullptr;
}

// ---------------------------------------------------------------------------
// Changing

// Of what a child was made of: a replay may come to it before, or after it has changed.
void Families::raise_generations(std::uint32_t child) {
  Origin const origin = *store_.origin_of(child);
  auto const newest = [&](ObjectId of) {
    std::uint32_t const known = store_.find(of);
    return std::max(extras_.generation_of(child), known == kNone ? 0 : extras_.generation_of(known));
  };
  raise_to(newest(origin.parent), families_[origin.parent.value]);
  raise_to(newest(origin.original), originals_[origin.original.value]);
}

void Families::add(std::uint32_t document, bool has_cell) {
  ObjectId const id = store_[document].id();
  std::uint32_t const generation = extras_.generation_of(document);
  // Its children may be those of an earlier generation.
  if (auto const family = families_.find(id.value); family != families_.end()) raise_to(generation, family->second);
  std::optional<Origin> const origin = store_.origin_of(document);
  if (!origin) {
    if (!has_cell && !originals_.contains(id.value)) return;
    Original& original = originals_[id.value];
    raise_to(generation, original);
    if (original.cell == kNone) original.cell = store_.add_cells(document, 1);
    return;
  }
  raise_generations(document);
  Family& family = families_[origin->parent.value];
  family.all.push_back(id);
  Original& original = originals_[origin->original.value];
  if (std::uint32_t const above = store_.find(origin->original); above != kNone && original.cell == kNone)
    original.cell = store_.add_cells(above, 1);
  if (family.generation == generation) {
    ++family.children;
    ++family.not_done;
  }
}

void Families::add_cell(std::uint32_t document) {
  Original& original = originals_[store_[document].id().value];
  if (original.cell != kNone) return;
  original.generation = extras_.generation_of(document);
  original.cell = store_.add_cells(document, 1);
}

void Families::begin_generation(std::uint32_t number) {
  Document& document = store_.at(number);
  ObjectId const id = document.id();
  extras_.begin_generation(number);
  std::uint32_t const generation = extras_.generation_of(number);
  if (auto const family = families_.find(id.value); family != families_.end()) raise_to(generation, family->second);
  if (auto const original = originals_.find(id.value); original != originals_.end())
    raise_to(generation, original->second);
  document.is_undeclared = false;
  if (document.is_child) raise_generations(number);
  // Of a child: it has another generation now, so it was not counted in this one.
  if (Family* const family = family_counting(number)) {
    ++family->children;
    if (!document.is_done) ++family->not_done;
  }
}

void Families::look_at(std::uint32_t document, ObjectId original, TableObserver& observer) {
  look_at_children(document, original);
  look_at_original(original, observer);
}

void Families::look_at_children(std::uint32_t number, ObjectId original) {
  Family const* const family = family_now(number);
  bool const is_undeclared = family != nullptr && family->children > 0 && !extras_.declared_of(number);
  Document& document = store_.at(number);
  if (is_undeclared == document.is_undeclared) return;
  auto const found = originals_.find(original.value);
  if (found == originals_.end() || found->second.generation != extras_.generation_of(number)) return;
  document.is_undeclared = is_undeclared;
  if (is_undeclared)
    ++found->second.undeclared;
  else
    --found->second.undeclared;
}

// The cell that stands for the children is due if something is missing there, or some of them may not even be known; if
// they are unleased; and if the original is not in a run already.
void Families::look_at_original(ObjectId id, TableObserver& observer) {
  auto const found = originals_.find(id.value);
  if (found == originals_.end() || found->second.cell == kNone) return;
  Original const& original = found->second;
  Cell const& cell = store_.cell(original.cell);
  if (cell.place == Place::leased || store_[cell.document].plan != plans_.newest_number()) return;
  bool const is_waiting = cell.place == Place::listed || cell.place == Place::resting;
  bool const is_needed = original.missing > 0 || original.undeclared > 0;
  bool const is_run = original.in_hands > 0;
  if (!is_needed || is_run || is_terminal(cell.state)) {
    if (is_waiting) work_.leave(original.cell, observer);
    return;
  }
  Failure const* const failure = extras_.failure_of(original.cell);
  std::int64_t const until = std::max(original.until, failure == nullptr ? 0 : failure->until);
  if (is_waiting && until <= work_.now()) return;
  if (is_waiting) work_.leave(original.cell, observer);
  work_.wait(original.cell, until, false, observer);
}

void Families::forget(std::uint32_t number) {
  Document const& document = store_[number];
  ObjectId const id = document.id();
  forget_unknown(id);
  if (Original* const above = original_counting(number); above != nullptr && document.is_undeclared)
    --above->undeclared;
  std::optional<Origin> const origin = store_.origin_of(number);
  if (!origin) return;
  auto const family = families_.find(origin->parent.value);
  if (family == families_.end()) return;
  if (family->second.generation == extras_.generation_of(number)) {
    --family->second.children;
    if (!document.is_done) --family->second.not_done;
  }
  std::vector<ObjectId>& all = family->second.all;
  if (!all.empty() && all.back() == id)
    all.pop_back();
  else
    std::erase(all, id);
}

void Families::forget_unknown(ObjectId id) {
  families_.erase(id.value);
  originals_.erase(id.value);
}

std::uint64_t Families::memory_bytes() const {
  std::uint64_t children = 0;
  // Any order: a sum.
  for (auto const& [id, family] : families_) children += family.all.capacity() * sizeof(ObjectId);
  return families_.capacity() * (sizeof(Family) + 9) + originals_.capacity() * (sizeof(Original) + 9) + children;
}

}  // namespace fastjournal::pipeline
