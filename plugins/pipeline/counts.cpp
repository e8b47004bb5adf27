#include "plugins/pipeline/counts.h"

#include <optional>

namespace fastjournal::pipeline {

// ---------------------------------------------------------------------------
// Cells

void Counts::count(std::uint32_t number, int by) {
  Cell const& cell = store_.cell(number);
  Document const& document = store_[cell.document];
  std::uint16_t const ordinal = store_.ordinal_of(number);
  if (ordinal == kOriginalCell || !plans_[document.plan].is_known()) return;
  Plan::Counts& counts = plans_.at(document.plan).counts[document.source][ordinal];
  auto const add = static_cast<std::uint64_t>(static_cast<std::int64_t>(by));
  counts.states[static_cast<std::size_t>(cell.state)] += add;
  if (cell.place == Place::leased) counts.leased += add;
  if (cell.place == Place::in_doubt) counts.in_doubt += add;
}

void Counts::count(Archive::Pattern const& pattern, std::int64_t by) {
  Plan& plan = plans_.at(pattern.plan);
  if (!plan.is_known()) return;
  for (std::size_t at = 0; at < pattern.states.size(); ++at)
    plan.counts[pattern.source][at].states[static_cast<std::size_t>(pattern.states[at])] +=
        static_cast<std::uint64_t>(by);
}

void Counts::leave(std::uint32_t number, TableObserver& observer) {
  Cell const& cell = store_.cell(number);
  count(number, -1);
  if (is_failed(cell.state)) {
    failed_.erase(store_.key_of(number));
    if (failed_.empty()) observer.lower_alert("document-failed");
  }
  if (cell.place == Place::in_doubt) {
    in_doubt_.erase(store_.key_of(number));
    if (in_doubt_.empty()) observer.lower_alert("document-in-doubt");
  }
}

void Counts::forget_cell(std::uint32_t cell, TableObserver& observer) {
  bool const had_failed = failed_.erase(store_.key_of(cell)) > 0;
  if (had_failed && failed_.empty()) observer.lower_alert("document-failed");
}

// ---------------------------------------------------------------------------
// Documents

bool Counts::all_done(std::uint32_t number) const {
  Document const& document = store_[number];
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell)
    if (!is_terminal(store_.cell(cell).state)) return false;
  return families_.children_done(number);
}

bool Counts::has_failed(std::uint32_t number) const {
  Document const& document = store_[number];
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell)
    if (is_failed(store_.cell(cell).state)) return true;
  Original const* const original = families_.original_of(document.id());
  return original != nullptr && original->failed > 0;
}

bool Counts::is_to_leave(std::uint32_t number) const {
  if (store_[number].is_forgotten) return true;
  if (!store_.is_gone(number)) return false;
  Family const* const family = families_.family_of(number);
  return family == nullptr || family->all.empty();
}

// One whose source does not remember or have it, and an earlier version, goes when it is done and is not run again.
// What failed stays for an operator.
void Counts::look_at_leaving(std::uint32_t number) {
  if (!is_to_leave(number)) {
    if (!leaving_.empty()) leaving_.erase(number);
    return;
  }
  Document const& document = store_[number];
  Original const* const original = document.is_child ? nullptr : families_.original_of(document.id());
  bool const is_run =
      original != nullptr && original->cell != kNone && store_.cell(original->cell).place == Place::leased;
  if (document.is_done && !is_run && !has_failed(number))
    leaving_.insert(number);
  else
    leaving_.erase(number);
}

void Counts::finish(std::uint32_t number, TableObserver& observer) {
  look_at_leaving(number);
  std::optional<Origin> const made = store_.origin_of(number);
  ObjectId const original = made ? made->original : store_[number].id();
  families_.look_at(number, original, observer);
  if (std::uint32_t const above = made ? store_.find(original) : kNone; above != kNone) look_at_leaving(above);
  for (;;) {
    bool const is_done = all_done(number);
    Document& document = store_.at(number);
    if (is_done == document.is_done) return;
    document.is_done = is_done;
    if (is_done)
      not_done_.erase(number);
    else
      not_done_.insert(number);
    if (!document.is_child && is_done)
      ++ended_;
    else if (!document.is_child)
      --ended_;
    look_at_leaving(number);
    Family* const family = families_.family_counting(number);
    if (family == nullptr) return;
    if (is_done)
      --family->not_done;
    else
      ++family->not_done;
    number = store_.find(store_.origin_of(number)->parent);
    if (number == kNone) return;
  }
}

void Counts::finish_parent(std::uint32_t child, TableObserver& observer) {
  std::optional<Origin> const origin = store_.origin_of(child);
  std::uint32_t const parent = origin ? store_.find(origin->parent) : kNone;
  if (parent != kNone) finish(parent, observer);
}

void Counts::forget(std::uint32_t number) {
  not_done_.erase(number);
  leaving_.erase(number);
  if (store_[number].is_done && !store_[number].is_child) --ended_;
}

std::uint64_t Counts::memory_bytes() const {
  return not_done_.memory_bytes() + (failed_.size() + in_doubt_.size()) * 10 + leaving_.size() * 6;
}

}  // namespace fastjournal::pipeline
