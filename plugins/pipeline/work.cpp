#include "plugins/pipeline/work.h"

#include <algorithm>

namespace fastjournal::pipeline {

// ---------------------------------------------------------------------------
// Lists

std::size_t Work::target_of(std::uint32_t cell) const {
  Document const& document = store_[store_.cell(cell).document];
  std::uint32_t const ordinal = cell - document.first_cell;
  bool const is_own = cell >= document.first_cell && ordinal < document.cell_count;
  return is_own ? plan().of_source(document.source)[ordinal] : plan().targets.size();
}

std::size_t Work::list_of(std::uint32_t cell) const {
  return store_[store_.cell(cell).document].source * targets() + target_of(cell);
}

std::string_view Work::source_of(std::size_t list) const {
  return plan().rules.step(static_cast<plan::StepIndex>(list / targets())).name;
}

// Of what is listed there, as many as may be handed out.
std::uint64_t Work::open_part(std::size_t list) const {
  std::uint64_t const count = lists_[list].count;
  std::size_t const target = list % targets();
  if (target == plan().targets.size() || plan().targets[target].mode == Mode::open) return count;
  return plan().targets[target].mode == Mode::probing && probes_[target].is_due ? std::min<std::uint64_t>(count, 1) : 0;
}

bool Work::may_go(std::uint32_t cell) const {
  return store_.cell(cell).place == Place::listed && is_of_newest(cell) && open_part(list_of(cell)) > 0;
}

std::uint32_t Work::first(std::optional<std::uint16_t> source, std::optional<std::uint16_t> destination) const {
  if (lists_.empty()) return kNone;
  std::uint32_t best = kNone;
  std::size_t const begin = source ? *source * targets() : 0;
  std::size_t const end = source ? begin + targets() : lists_.size();
  for (std::size_t list = begin; list < end; ++list) {
    if (lists_[list].count == 0 || open_part(list) == 0) continue;
    if (destination && list % targets() != *destination) continue;
    std::uint32_t const head = lists_[list].head;
    if (best == kNone || store_[store_.cell(head).document].id() < store_[store_.cell(best).document].id()) best = head;
  }
  return best;
}

std::uint64_t Work::available(std::optional<std::uint16_t> source) const {
  if (lists_.empty()) return 0;
  std::uint64_t count = 0;
  std::size_t const begin = source ? *source * targets() : 0;
  std::size_t const end = source ? begin + targets() : lists_.size();
  for (std::size_t list = begin; list < end; ++list)
    if (lists_[list].count > 0) count += open_part(list);
  return count;
}

void Work::start_again() {
  lists_.assign(plan().rules.steps.size() * targets(), List{});
  probes_.assign(plan().targets.size(), Probe{});
  listed_ = 0;
  rests_.clear();
}

void Work::put(std::uint32_t number, bool first, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  std::size_t const at = list_of(number);
  List& list = lists_[at];
  std::uint64_t const before = open_part(at);
  cell.place = Place::listed;
  cell.next = first ? list.head : kNone;
  cell.prev = first ? kNone : list.tail;
  (cell.prev == kNone ? list.head : store_.cell_at(cell.prev).next) = number;
  (cell.next == kNone ? list.tail : store_.cell_at(cell.next).prev) = number;
  ++list.count;
  ++listed_;
  if (open_part(at) > before) observer.available(store_[cell.document].id(), source_of(at), TimeMs{now_});
}

void Work::wait(std::uint32_t number, std::int64_t until, bool first, TableObserver& observer) {
  if (until <= now_) {
    put(number, first, observer);
    return;
  }
  Cell& cell = store_.cell_at(number);
  cell.place = Place::resting;
  // The date lies where the links of a list would.
  cell.next = static_cast<std::uint32_t>(until);
  cell.prev = static_cast<std::uint32_t>(until >> 32);
  rests_.emplace(until, number);
}

bool Work::advance(std::int64_t now, std::size_t budget, TableObserver& observer) {
  see(now);
  for (std::size_t target = 0; target < probes_.size(); ++target) {
    if (probes_[target].at > now) continue;
    probes_[target] = {INT64_MAX, true};
    tell_again(static_cast<std::uint16_t>(target), observer);
  }
  for (std::size_t count = 0; !rests_.empty() && rests_.begin()->first <= now; ++count) {
    if (count == budget) return true;
    std::uint32_t const cell = rests_.begin()->second;
    rests_.erase(rests_.begin());
    put(cell, false, observer);
  }
  return false;
}

TimeMs Work::next_due() const {
  std::int64_t due = rests_.empty() ? INT64_MAX : rests_.begin()->first;
  if (!leases_.ends().empty()) due = std::min(due, leases_.ends().begin()->first);
  for (Probe const& probe : probes_) due = std::min(due, probe.at);
  return TimeMs{due};
}

// ---------------------------------------------------------------------------
// Destinations

void Work::tell_again(std::uint16_t destination, TableObserver& observer) {
  for (std::size_t list = destination; list < lists_.size(); list += targets())
    if (std::uint64_t const count = open_part(list); count > 0) observer.available_again(source_of(list), count);
}

void Work::mode_changed(std::uint16_t destination, std::int64_t probe_at, TableObserver& observer) {
  probes_[destination] = {probe_at, false};
  tell_again(destination, observer);
}

void Work::probe_taken(std::uint16_t destination, std::int64_t next) { probes_[destination] = {next, false}; }

// ---------------------------------------------------------------------------
// Leases

void Work::lease(std::uint32_t number, rows::Leases::Terms const& terms, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  cell.place = Place::leased;
  cell.next = leases_.add(number, terms);
  cell.prev = kNone;
  last_epoch_ = std::max(last_epoch_, terms.epoch);
  observer.lease_began(store_[cell.document].id(), ConnectionId{terms.connection});
}

void Work::renew(std::uint32_t number, rows::Leases::Terms const& terms, TableObserver& observer) {
  Cell const& cell = store_.cell(number);
  ObjectId const id = store_[cell.document].id();
  std::uint64_t const before = leases_[cell.next].connection;
  leases_.change(cell.next, terms);
  if (before == terms.connection) return;
  observer.lease_ended(id, ConnectionId{before});
  observer.lease_began(id, ConnectionId{terms.connection});
}

void Work::hold(std::uint32_t number, std::int64_t at, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  if (cell.place == Place::leased)
    observer.lease_ended(store_[cell.document].id(), ConnectionId{leases_[cell.next].connection});
  cell.place = Place::in_doubt;
  leases_.hold(cell.next, at);
}

void Work::leave(std::uint32_t number, TableObserver& observer) {
  Cell& cell = store_.cell_at(number);
  switch (cell.place) {
    case Place::listed: {
      if (!is_of_newest(number)) break;
      List& list = lists_[list_of(number)];
      (cell.prev == kNone ? list.head : store_.cell_at(cell.prev).next) = cell.next;
      (cell.next == kNone ? list.tail : store_.cell_at(cell.next).prev) = cell.prev;
      --list.count;
      --listed_;
      break;
    }
    case Place::resting:
      rests_.erase({static_cast<std::int64_t>(std::uint64_t{cell.prev} << 32U | cell.next), number});
      break;
    case Place::leased:
      observer.lease_ended(store_[cell.document].id(), ConnectionId{leases_[cell.next].connection});
      leases_.remove(cell.next);
      break;
    case Place::in_doubt: leases_.remove(cell.next); break;
    case Place::nowhere:
    case Place::under:
    case Place::behind: break;
  }
  cell.place = Place::nowhere;
  cell.next = cell.prev = kNone;
}

void Work::lower_clock(std::int64_t from, std::int64_t to) {
  now_ = to;
  for (std::uint32_t number = 0; number < leases_.end(); ++number) {
    rows::Lease const& lease = leases_[number];
    if (lease.row == rows::kNoRow || lease.ends <= to) continue;
    bool const is_over = store_.cell(lease.row).place == Place::in_doubt;
    std::int64_t const ends = is_over ? to : std::max(to, lease.ends - (from - to));
    leases_.lower(number, std::min(lease.began, to), ends);
  }
}

std::uint64_t Work::memory_bytes() const {
  return leases_.memory_bytes() + lists_.capacity() * sizeof(List) + rests_.size() * 20 +
         probes_.capacity() * sizeof(Probe);
}

}  // namespace fastjournal::pipeline
