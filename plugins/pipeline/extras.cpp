#include "plugins/pipeline/extras.h"

#include <charconv>
#include <string_view>
#include <utility>

namespace fastjournal::pipeline {
namespace {

std::uint32_t number_in(std::string_view text) {
  std::uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

// ---------------------------------------------------------------------------
// Documents

Extras::More const* Extras::of(ObjectId document) const {
  auto const found = more_.find(document.value);
  return found == more_.end() ? nullptr : &found->second;
}

std::vector<plan::Choice> Extras::choices_of(std::uint32_t document) const {
  More const* const more = of(store_[document].id());
  return more == nullptr ? std::vector<plan::Choice>{} : more->choices;
}

std::optional<std::uint64_t> Extras::declared_of(std::uint32_t document) const {
  More const* const more = of(store_[document].id());
  return more == nullptr ? std::nullopt : more->declared;
}

std::uint32_t Extras::generation_of(std::uint32_t document) const {
  if (store_[document].is_child) return number_in(store_.hash_of(document));
  More const* const more = of(store_[document].id());
  return more == nullptr ? 0 : more->generation;
}

void Extras::add(ObjectId document, DocumentBody& body) {
  if (body.generation != 0 || body.declared || !body.choices.empty() || !body.before.is_none())
    more_.emplace(document.value, More{body.generation, body.declared, std::move(body.choices), body.before});
}

void Extras::begin_generation(std::uint32_t document) {
  std::uint32_t const generation = store_[document].is_child ? 0 : generation_of(document) + 1;
  More& more = at(document);
  more = {generation, std::nullopt, {}, more.before};
  drop_without_content(store_[document].id());
}

// A start would not make it either.
void Extras::drop_without_content(ObjectId document) {
  auto const found = more_.find(document.value);
  if (found == more_.end()) return;
  More const& more = found->second;
  if (more.generation == 0 && !more.declared && more.choices.empty() && more.before.is_none()) more_.erase(found);
}

// ---------------------------------------------------------------------------
// Cells

Failure const* Extras::failure_of(std::uint32_t cell) const {
  if (!store_.cell(cell).has_failure) return nullptr;
  return failures_.find(cell)->second.get();
}

void Extras::set_failure(std::uint32_t number, Failure const* failure) {
  Cell& cell = store_.cell_at(number);
  auto const bytes = [](Failure const& of) { return 10 + of.kind.size() + of.message.size(); };
  if (cell.has_failure) {
    auto const found = failures_.find(number);
    failure_bytes_ -= bytes(*found->second);
    if (failure == nullptr) {
      failures_.erase(found);
      cell.has_failure = false;
      return;
    }
    *found->second = *failure;
    failure_bytes_ += bytes(*failure);
    return;
  }
  if (failure == nullptr) return;
  failures_.emplace(number, std::make_unique<Failure>(*failure));
  failure_bytes_ += bytes(*failure);
  cell.has_failure = true;
}

std::uint64_t Extras::memory_bytes() const {
  return failures_.capacity() * 17 + failures_.size() * (sizeof(Failure) + 16) + failure_bytes_ +
         more_.capacity() * (sizeof(More) + 9);
}

}  // namespace fastjournal::pipeline
