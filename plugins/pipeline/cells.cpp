#include "plugins/pipeline/cells.h"

#include <algorithm>

namespace fastjournal::pipeline {

// ---------------------------------------------------------------------------
// Reading

std::uint32_t Cells::of(std::uint32_t number, std::uint16_t ordinal) const {
  Document const& document = store_[number];
  if (ordinal == kOriginalCell) {
    Original const* const original = document.is_child ? nullptr : families_.original_of(document.id());
    return original == nullptr ? kNone : original->cell;
  }
  return ordinal < document.cell_count ? document.first_cell + ordinal : kNone;
}

std::uint32_t Cells::with(std::uint64_t key) const {
  std::uint64_t const ordinal = key % kKeysOfDocument;
  std::uint32_t const document = store_.find(ObjectId{key / kKeysOfDocument * kLsnAlign});
  return of(document, ordinal == kKeysOfDocument - 1 ? kOriginalCell : static_cast<std::uint16_t>(ordinal));
}

std::uint16_t Cells::destination_of(std::uint32_t cell) const {
  Document const& document = store_[store_.cell(cell).document];
  return plans_[document.plan].of_source(document.source)[store_.ordinal_of(cell)];
}

std::optional<std::uint16_t> Cells::ordinal_at(std::uint32_t number, std::uint16_t destination) const {
  std::vector<std::uint16_t> const& all = plans_[store_[number].plan].of_source(store_[number].source);
  auto const found = std::ranges::find(all, destination);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - all.begin());
}

rows::Leases::Terms Cells::terms_of(std::uint32_t cell) const {
  rows::Lease const& lease = work_.lease_of(cell);
  return {lease.epoch, lease.began, lease.ends, lease.connection, lease.start, work_.leases().worker(lease)};
}

CellBody Cells::body_of(std::uint32_t number) const {
  Cell const& cell = store_.cell(number);
  CellBody out;
  out.state = cell.state;
  out.attempts = cell.attempts;
  if (Failure const* const failure = extras_.failure_of(number)) out.failure = *failure;
  if (cell.place == Place::leased) out.held = CellBody::Lease::leased;
  if (cell.place == Place::in_doubt) out.held = CellBody::Lease::in_doubt;
  if (out.held != CellBody::Lease::none) out.lease = terms_of(number);
  return out;
}

// ---------------------------------------------------------------------------
// Changing

bool Cells::find(std::uint32_t document, Ordinals const& ordinals, std::vector<std::uint32_t>& found) {
  found.clear();
  for (std::uint16_t const ordinal : ordinals) {
    if (ordinal == kOriginalCell && !store_[document].is_child) families_.add_cell(document);
    std::uint32_t const cell = of(document, ordinal);
    if (cell == kNone) return false;
    found.push_back(cell);
  }
  return true;
}

void Cells::leave(std::uint32_t number, TableObserver& observer) {
  Cell const& cell = store_.cell(number);
  counts_.leave(number, observer);
  if (Original* const original = families_.original_counting(cell.document)) {
    if (cell.place == Place::under) --original->missing;
    if (cell.place == Place::leased) --original->in_hands;
    if (is_failed(cell.state)) --original->failed;
    if (original->missing == 0) original->until = 0;
  }
  work_.leave(number, observer);
}

void Cells::enter(std::uint32_t number, Entry const& entry, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  Document const& document = store_[cell.document];
  Original* const original = families_.original_counting(cell.document);
  Failure const* const failure = extras_.failure_of(number);
  std::int64_t const until = cell.state == State::error && failure != nullptr ? failure->until : 0;
  if (entry.held != CellBody::Lease::none) {
    work_.lease(number, *entry.terms, observer);
    if (entry.held == CellBody::Lease::in_doubt) {
      work_.hold(number, entry.terms->ends, observer);
      counts_.add_in_doubt(number);
    } else if (original != nullptr) {
      ++original->in_hands;
    }
  } else if (is_failed(cell.state)) {
    counts_.add_failed(number);
    if (original != nullptr) ++original->failed;
  } else if (!is_terminal(cell.state) && document.plan == plans_.newest_number()) {
    if (original != nullptr) {
      cell.place = Place::under;
      ++original->missing;
      original->until = std::max(original->until, until);
    } else if (!document.is_child && store_.ordinal_of(number) != kOriginalCell) {
      if (versions_.is_behind(number))
        cell.place = Place::behind;
      else
        work_.wait(number, until, entry.first, observer);
    }
  }
  counts_.count(number, 1);
  if (std::uint32_t const behind = versions_.misplaced_behind(number); behind != kNone) move(behind, observer);
}

void Cells::move(std::uint32_t cell, TableObserver& observer) {
  leave(cell, observer);
  enter(cell, {}, observer);
}

void Cells::read(std::uint32_t number, CellBody const& body, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  cell.state = body.state;
  cell.attempts = body.attempts;
  extras_.set_failure(number, body.failure ? &*body.failure : nullptr);
  enter(number, {body.held, &body.lease}, observer);
}

void Cells::forget(std::uint32_t number, TableObserver& observer) {
  Document const& document = store_[number];
  for (std::uint16_t at = 0; at < document.cell_count; ++at) {
    leave(document.first_cell + at, observer);
    extras_.set_failure(document.first_cell + at, nullptr);
  }
  Original const* const original = families_.original_of(document.id());
  if (original == nullptr || original->cell == kNone) return;
  work_.leave(original->cell, observer);
  extras_.set_failure(original->cell, nullptr);
  counts_.forget_cell(original->cell, observer);
  store_.remove_cells(original->cell, 1);
}

}  // namespace fastjournal::pipeline
