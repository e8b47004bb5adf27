#include "plugins/pipeline/documents.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "model/plan/codec.h"

namespace fastjournal::pipeline {
namespace {

// Documents that one search for those to copy forward looks at.
constexpr std::uint32_t kRestateLooksMax = 20'000;
constexpr std::size_t kHeaderBytes = 32;  // of a record
// In a whole record: a lease, and what few documents have.
constexpr std::uint64_t kLeaseBytes = 80;
constexpr std::uint64_t kMoreBytes = 64;
// Keys of one document: its destinations, and the last is the original's.
constexpr std::uint64_t kKeysOfDocument = 512;
static_assert(kKeysOfDocument > plan::kDestinationsMax);

std::uint32_t number_in(std::string_view text) {
  std::uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

// ---------------------------------------------------------------------------
// Reading

std::uint32_t Documents::cell_of(std::uint32_t number, std::uint16_t ordinal) const {
  Document const& document = store_[number];
  if (ordinal == kOriginalCell) {
    Original const* const original = document.is_child ? nullptr : original_of(document.id());
    return original == nullptr ? kNone : original->cell;
  }
  return ordinal < document.cell_count ? document.first_cell + ordinal : kNone;
}

// The id, whose numbers are kLsnAlign apart, and the ordinal below it. Numbers of clients that have 53 bits suffice up to
// a log of 140 TB.
std::uint64_t Documents::key_of(std::uint32_t cell) const {
  std::uint64_t const ordinal = std::min<std::uint64_t>(ordinal_of(cell), kKeysOfDocument - 1);
  return store_[store_.cell(cell).document].id().value / kLsnAlign * kKeysOfDocument + ordinal;
}

std::uint32_t Documents::cell_with(std::uint64_t key) const {
  std::uint64_t const ordinal = key % kKeysOfDocument;
  std::uint32_t const document = store_.find(ObjectId{key / kKeysOfDocument * kLsnAlign});
  return cell_of(document, ordinal == kKeysOfDocument - 1 ? kOriginalCell : static_cast<std::uint16_t>(ordinal));
}

std::uint16_t Documents::ordinal_of(std::uint32_t cell) const {
  Document const& document = store_[store_.cell(cell).document];
  bool const is_own = cell >= document.first_cell && cell - document.first_cell < document.cell_count;
  return is_own ? static_cast<std::uint16_t>(cell - document.first_cell) : kOriginalCell;
}

std::uint16_t Documents::destination_of(std::uint32_t cell) const {
  std::uint32_t const document = store_.cell(cell).document;
  return plan_of(document).of_source(store_[document].source)[ordinal_of(cell)];
}

std::optional<std::uint16_t> Documents::ordinal_at(std::uint32_t number, std::uint16_t destination) const {
  std::vector<std::uint16_t> const& all = plan_of(number).of_source(store_[number].source);
  auto const found = std::ranges::find(all, destination);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - all.begin());
}

Failure const* Documents::failure_of(std::uint32_t cell) const {
  if (!store_.cell(cell).has_failure) return nullptr;
  return failures_.find(cell)->second.get();
}

rows::Leases::Terms Documents::terms_of(std::uint32_t cell) const {
  rows::Lease const& lease = work_.lease_of(cell);
  return {lease.epoch, lease.began, lease.ends, lease.connection, lease.start, work_.leases().worker(lease)};
}

std::vector<plan::Choice> Documents::choices_of(std::uint32_t document) const {
  auto const found = more_.find(store_[document].id().value);
  return found == more_.end() ? std::vector<plan::Choice>{} : found->second.choices;
}

std::optional<std::uint64_t> Documents::declared_of(std::uint32_t document) const {
  auto const found = more_.find(store_[document].id().value);
  return found == more_.end() ? std::nullopt : found->second.declared;
}

std::uint32_t Documents::generation_of(std::uint32_t document) const {
  if (store_[document].is_child) return number_in(store_.hash_of(document));
  auto const found = more_.find(store_[document].id().value);
  return found == more_.end() ? 0 : found->second.generation;
}

Family const* Documents::family_of(std::uint32_t document) const {
  auto const found = families_.find(store_[document].id().value);
  return found == families_.end() ? nullptr : &found->second;
}

Original const* Documents::original_of(ObjectId original) const {
  auto const found = originals_.find(original.value);
  return found == originals_.end() ? nullptr : &found->second;
}

bool Documents::is_orphan(std::uint32_t document) const {
  std::optional<Origin> const origin = store_.origin_of(document);
  if (!origin) return false;
  std::uint32_t const original = store_.find(origin->original);
  return original == kNone || generation_of(original) != generation_of(document);
}

// ---------------------------------------------------------------------------
// Cells

// A start would not make it either.
void Documents::drop_more_without_content(ObjectId document) {
  auto const found = more_.find(document.value);
  if (found == more_.end()) return;
  More const& more = found->second;
  if (more.generation == 0 && !more.declared && more.choices.empty() && more.before.is_none()) more_.erase(found);
}

Documents::More& Documents::more_of(std::uint32_t document) { return more_[store_[document].id().value]; }

Family* Documents::family_counting(std::uint32_t child) {
  std::optional<Origin> const origin = store_.origin_of(child);
  if (!origin) return nullptr;
  auto const found = families_.find(origin->parent.value);
  return found == families_.end() || found->second.generation != generation_of(child) ? nullptr : &found->second;
}

Original* Documents::original_counting(std::uint32_t child) {
  std::optional<Origin> const origin = store_.origin_of(child);
  if (!origin) return nullptr;
  auto const found = originals_.find(origin->original.value);
  if (found == originals_.end()) return nullptr;
  bool const counts = found->second.generation == generation_of(child);
  return counts ? &found->second : nullptr;
}

void Documents::count(std::uint32_t number, int by) {
  Cell const& cell = store_.cell(number);
  std::uint16_t const ordinal = ordinal_of(number);
  if (ordinal == kOriginalCell || !plan_of(cell.document).is_known()) return;
  Plan::Counts& counts = plans_.at(store_[cell.document].plan).counts[store_[cell.document].source][ordinal];
  auto const add = static_cast<std::uint64_t>(static_cast<std::int64_t>(by));
  counts.states[static_cast<std::size_t>(cell.state)] += add;
  if (cell.place == Place::leased) counts.leased += add;
  if (cell.place == Place::in_doubt) counts.in_doubt += add;
}

void Documents::set_failure(std::uint32_t number, Failure const* failure) {
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

void Documents::leave(std::uint32_t number, TableObserver& observer) {
  Cell const& cell = store_.cell(number);
  count(number, -1);
  if (is_failed(cell.state)) {
    failed_.erase(key_of(number));
    if (failed_.empty()) observer.lower_alert("document-failed");
  }
  if (cell.place == Place::in_doubt) {
    in_doubt_.erase(key_of(number));
    if (in_doubt_.empty()) observer.lower_alert("document-in-doubt");
  }
  if (Original* const original = original_counting(cell.document)) {
    if (cell.place == Place::under) --original->missing;
    if (cell.place == Place::leased) --original->in_hands;
    if (is_failed(cell.state)) --original->failed;
    if (original->missing == 0) original->until = 0;
  }
  work_.leave(number, observer);
}

void Documents::enter(std::uint32_t number, Entry const& entry, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  Document const& document = store_[cell.document];
  Original* const original = original_counting(cell.document);
  Failure const* const failure = failure_of(number);
  std::int64_t const until = cell.state == State::error && failure != nullptr ? failure->until : 0;
  if (entry.hands != CellBody::Hands::nobodys) {
    work_.lease(number, *entry.terms, observer);
    if (entry.hands == CellBody::Hands::in_doubt) {
      work_.hold(number, entry.terms->ends, observer);
      in_doubt_.insert(key_of(number));
    } else if (original != nullptr) {
      ++original->in_hands;
    }
  } else if (is_failed(cell.state)) {
    failed_.insert(key_of(number));
    if (original != nullptr) ++original->failed;
  } else if (!is_terminal(cell.state) && document.plan == plans_.newest_number()) {
    if (original != nullptr) {
      cell.place = Place::under;
      ++original->missing;
      original->until = std::max(original->until, until);
    } else if (!document.is_child && ordinal_of(number) != kOriginalCell) {
      if (is_behind(number))
        cell.place = Place::behind;
      else
        work_.wait(number, until, entry.first, observer);
    }
  }
  count(number, 1);
  look_at_version_behind(number, observer);
}

void Documents::read_cell(std::uint32_t number, CellBody const& body, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  cell.state = body.state;
  cell.attempts = body.attempts;
  set_failure(number, body.failure ? &*body.failure : nullptr);
  enter(number, {body.hands, &body.lease}, observer);
}

CellBody Documents::cell_body(std::uint32_t number) const {
  Cell const& cell = store_.cell(number);
  CellBody out;
  out.state = cell.state;
  out.attempts = cell.attempts;
  if (Failure const* const failure = failure_of(number)) out.failure = *failure;
  if (cell.place == Place::leased) out.hands = CellBody::Hands::leased;
  if (cell.place == Place::in_doubt) out.hands = CellBody::Hands::in_doubt;
  if (out.hands != CellBody::Hands::nobodys) out.lease = terms_of(number);
  return out;
}

// The cell that stands for the children is due if something is missing there, or some of them may not even be known; if
// nobody works at them; and if the original is not in a run already.
void Documents::look_at_original(ObjectId id, TableObserver& observer) {
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
  Failure const* const failure = failure_of(original.cell);
  std::int64_t const until = std::max(original.until, failure == nullptr ? 0 : failure->until);
  if (is_waiting && until <= work_.now()) return;
  if (is_waiting) work_.leave(original.cell, observer);
  work_.wait(original.cell, until, false, observer);
}

bool Documents::all_done(std::uint32_t number) const {
  Document const& document = store_[number];
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell)
    if (!is_terminal(store_.cell(cell).state)) return false;
  return children_done(number);
}

bool Documents::children_done(std::uint32_t number) const {
  std::optional<std::uint64_t> const declared = declared_of(number);
  Family const* const family = family_of(number);
  bool const counts = family != nullptr && family->generation == generation_of(number);
  std::uint64_t const children = counts ? family->children : 0;
  if (children == 0) return declared.value_or(0) == 0;
  return declared && children >= *declared && family->not_done == 0;
}

bool Documents::has_failed(std::uint32_t number) const {
  Document const& document = store_[number];
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell)
    if (is_failed(store_.cell(cell).state)) return true;
  Original const* const original = original_of(document.id());
  return original != nullptr && original->failed > 0;
}

bool Documents::is_to_leave(std::uint32_t number) const {
  if (store_[number].is_forgotten) return true;
  if (!is_gone(number)) return false;
  Family const* const family = family_of(number);
  return family == nullptr || family->all.empty();
}

// One whose source does not remember or have it, and an earlier version, goes when it is done and nobody runs it again.
// What failed stays for a person.
void Documents::look_at_leaving(std::uint32_t number) {
  if (!is_to_leave(number)) {
    if (!leaving_.empty()) leaving_.erase(number);
    return;
  }
  std::uint32_t const original = cell_of(number, kOriginalCell);
  bool const is_run = original != kNone && store_.cell(original).place == Place::leased;
  if (store_[number].is_done && !is_run && !has_failed(number))
    leaving_.insert(number);
  else
    leaving_.erase(number);
}

// Whether it has children of which it is not known how many there are.
void Documents::look_at_children(std::uint32_t number, ObjectId original) {
  Family const* const family = family_of(number);
  bool const is_undeclared =
      family != nullptr && family->generation == generation_of(number) && family->children > 0 && !declared_of(number);
  Document& document = store_.at(number);
  if (is_undeclared == document.is_undeclared) return;
  auto const found = originals_.find(original.value);
  if (found == originals_.end() || found->second.generation != generation_of(number)) return;
  document.is_undeclared = is_undeclared;
  if (is_undeclared)
    ++found->second.undeclared;
  else
    --found->second.undeclared;
}

void Documents::finish(std::uint32_t number, TableObserver& observer) {
  look_at_leaving(number);
  std::optional<Origin> const made = store_.origin_of(number);
  ObjectId const original = made ? made->original : store_[number].id();
  look_at_children(number, original);
  look_at_original(original, observer);
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
    Family* const family = family_counting(number);
    if (family == nullptr) return;
    if (is_done)
      --family->not_done;
    else
      ++family->not_done;
    number = store_.find(store_.origin_of(number)->parent);
    if (number == kNone) return;
  }
}

// Nothing but its own record is to be known of it.
bool Documents::may_be_archived(std::uint32_t number) const {
  Document const& document = store_[number];
  if (!document.is_done || document.is_child || is_to_leave(number) || !plan_of(number).is_known()) return false;
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell)
    if (is_failed(store_.cell(cell).state)) return false;
  ObjectId const id = document.id();
  auto const more = more_.find(id.value);
  bool const has_before = more != more_.end() && !more->second.before.is_none();
  return document.cell_count > 0 && !has_before && !families_.contains(id.value) && !originals_.contains(id.value) &&
         !newer_.contains(id.value) &&
         archive_.find(name_hash(plan_of(number).id, document.source, store_.name_of(number))) == Archive::kNone;
}

// It has one child more, whether that is done or not.
void Documents::finish_parent(std::uint32_t child, TableObserver& observer) {
  std::optional<Origin> const origin = store_.origin_of(child);
  std::uint32_t const parent = origin ? store_.find(origin->parent) : kNone;
  if (parent != kNone) finish(parent, observer);
}

// ---------------------------------------------------------------------------
// Versions

std::uint32_t Documents::version_before(std::uint32_t document) const {
  auto const found = more_.find(store_[document].id().value);
  return found == more_.end() || found->second.before.is_none() ? kNone : store_.find(found->second.before);
}

ObjectId Documents::version_behind(std::uint32_t document) const {
  auto const found = newer_.find(store_[document].id().value);
  return found == newer_.end() ? ObjectId{} : found->second;
}

void Documents::follow(ObjectId before, ObjectId document) {
  newer_[before.value] = document;
  std::uint32_t const older = store_.find(before);
  if (older == kNone) return;
  store_.take_name(older);
  store_.at(older).is_forgotten = true;
  look_at_leaving(older);
}

void Documents::stop_following(ObjectId before, TableObserver& observer) {
  auto const found = newer_.find(before.value);
  if (found == newer_.end()) return;
  std::uint32_t const newer = store_.find(found->second);
  newer_.erase(found);
  if (newer == kNone) return;
  more_of(newer).before = {};
  drop_more_without_content(store_[newer].id());
  Document const document = store_[newer];
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell) {
    if (store_.cell(cell).place != Place::behind) continue;
    leave(cell, observer);
    enter(cell, {}, observer);
  }
}

bool Documents::is_behind(std::uint32_t number) const {
  if (newer_.empty()) return false;
  std::uint32_t const document = store_.cell(number).document;
  std::uint32_t const before = version_before(document);
  if (before == kNone || store_[before].plan != store_[document].plan) return false;
  return !is_terminal(store_.cell(store_[before].first_cell + ordinal_of(number)).state);
}

// This cell has another state.
void Documents::look_at_version_behind(std::uint32_t number, TableObserver& observer) {
  if (newer_.empty() || ordinal_of(number) == kOriginalCell) return;
  auto const found = newer_.find(store_[store_.cell(number).document].id().value);
  std::uint32_t const newer = found == newer_.end() ? kNone : store_.find(found->second);
  if (newer == kNone || store_[newer].plan != plans_.newest_number()) return;
  std::uint32_t const cell = store_[newer].first_cell + ordinal_of(number);
  Place const place = store_.cell(cell).place;
  bool const waits = place == Place::listed || place == Place::resting;
  if (place != Place::behind && !waits) return;
  if (is_behind(cell) == (place == Place::behind)) return;
  leave(cell, observer);
  enter(cell, {}, observer);
}

// ---------------------------------------------------------------------------
// Space, people

std::uint64_t Documents::live_bytes() const {
  return base_bytes_ + failure_bytes_ + archive_.live_bytes() + work_.leases().size() * kLeaseBytes +
         (more_.size() + originals_.size()) * kMoreBytes;
}

std::uint64_t Documents::memory_bytes() const {
  std::uint64_t children = 0;
  // Any order: a sum.
  for (auto const& [id, family] : families_) children += family.all.capacity() * sizeof(ObjectId);
  return store_.memory_bytes() + archive_.memory_bytes() + work_.memory_bytes() + failures_.capacity() * 17 +
         failures_.size() * (sizeof(Failure) + 16) + failure_bytes_ + more_.capacity() * (sizeof(More) + 9) +
         newer_.capacity() * 17 + families_.capacity() * (sizeof(Family) + 9) +
         originals_.capacity() * (sizeof(Original) + 9) + children + not_done_.memory_bytes() +
         history_.memory_bytes() + (failed_.size() + in_doubt_.size()) * 10 + leaving_.size() * 6 +
         plans_.memory_bytes();
}

DocumentBody Documents::body_of(std::uint32_t number) const {
  Document const& document = store_[number];
  DocumentBody out;
  out.plan = plans_[document.plan].id;
  out.source = document.source;
  if (std::optional<Origin> const origin = store_.origin_of(number)) {
    out.parent = origin->parent;
    out.original = origin->original;
    out.maker = origin->maker;
  }
  out.hash = store_.hash_of(number);
  out.name = store_.name_of(number);
  out.is_forgotten = document.is_forgotten;
  if (auto const more = more_.find(document.id().value); more != more_.end()) {
    out.generation = more->second.generation;
    out.before = more->second.before;
    out.declared = more->second.declared;
    out.choices = more->second.choices;
  }
  out.cell_count = document.cell_count;
  for (std::uint16_t at = 0; at < document.cell_count; ++at) out.cells.push_back(cell_body(document.first_cell + at));
  std::uint32_t const original = cell_of(number, kOriginalCell);
  if (original != kNone) out.original_cell = cell_body(original);
  return out;
}

namespace {

PlanBody plan_body(Plan const& plan) {
  PlanBody out;
  for (std::size_t at = 0; at < plan.targets.size(); ++at)
    if (plan.targets[at].mode != Mode::open)
      out.paused.push_back({static_cast<std::uint16_t>(at), plan.targets[at].mode, plan.targets[at].reason});
  out.text = plan.text;
  if (plan.drain) out.drain = DrainBody{plan.drain->since, plan.drain->by, plan.drain->reason};
  out.tells_deleted = tells_deleted(plan.rules);
  return out;
}

}  // namespace

bool Documents::restate(Lsn below, rows::CopyRoom& room, Records& records) const {
  auto const is_below = [&](std::uint32_t region) { return rows::Regions::start(region) < below; };
  std::uint64_t left = regions_.count_below(below);
  std::string bytes;
  for (auto const& plan : plans_.all()) {
    if (!plan || !plan->is_known() || !is_below(plan->region)) continue;
    PlanBody body = plan_body(*plan);
    bytes.clear();
    write_plan(bytes, body);
    if (!room.take(bytes.size() + kHeaderBytes)) return true;
    append_plan(records, plan->id, body);
    --left;
  }
  std::uint32_t looked = 0;
  // Pages first: what is left then are documents.
  bool is_stopped = false;
  auto const restate_page = [&](Archive::Page const& page) {
    is_stopped = left == 0 || ++looked == kRestateLooksMax;
    if (is_stopped || !is_below(page.region)) return !is_stopped;
    ArchivedBody body = archive_.body_of(page.id, plans_);
    bytes.clear();
    write_archived(bytes, body);
    is_stopped = !room.take(bytes.size() + kHeaderBytes);
    if (is_stopped) return false;
    append_archived(records, page.id, body);
    --left;
    return true;
  };
  std::uint64_t const first = restate_page_;
  restate_page_ = archive_.for_each_page(first, archive_.end(), restate_page);
  if (restate_page_ == archive_.end()) restate_page_ = archive_.for_each_page(0, first, restate_page);
  if (is_stopped) return left > 0;
  looked = 0;
  for (int round = 0; round < 2 && left > 0; ++round) {
    std::uint32_t number = store_.next(ObjectId{restate_from_});
    for (; number != kNone && left > 0 && looked < kRestateLooksMax; ++looked) {
      Document const& document = store_[number];
      if (is_below(document.region)) {
        DocumentBody body = body_of(number);
        bytes.clear();
        write_document(bytes, body);
        if (!room.take(bytes.size() + kHeaderBytes)) return true;
        append_document(records, document.id(), body);
        --left;
      }
      restate_from_ = document.id().value;
      number = store_.next(document.id());
    }
    if (number == kNone) restate_from_ = 0;
    if (looked == kRestateLooksMax) break;
  }
  return left > 0;
}

void Documents::digest(DigestSink& sink) const {
  std::string canonical;
  for (auto const& plan : plans_.all()) {
    if (!plan || !plan->is_known()) continue;
    canonical.clear();
    append_little(canonical, plan->id.value);
    write_plan(canonical, plan_body(*plan));
    sink.object(as_bytes(canonical));
  }
  for (std::uint32_t number = store_.next({}); number != kNone; number = store_.next(store_[number].id())) {
    canonical.clear();
    append_little(canonical, store_[number].id().value);
    write_document(canonical, body_of(number));
    sink.object(as_bytes(canonical));
  }
  static_cast<void>(archive_.for_each_page(0, archive_.end(), [&](Archive::Page const& page) {
    canonical.clear();
    append_little(canonical, page.id.value);
    write_archived(canonical, archive_.body_of(page.id, plans_));
    sink.object(as_bytes(canonical));
    return true;
  }));
}

}  // namespace fastjournal::pipeline
