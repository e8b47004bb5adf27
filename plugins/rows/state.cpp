#include "plugins/rows/state.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fastjournal::rows {
namespace {

RowStatus status_of(Place place) {
  switch (place) {
    case Place::processing: return RowStatus::processing;
    case Place::parked: return RowStatus::parked;
    case Place::held: return RowStatus::held;
    default: return RowStatus::waiting;
  }
}

}  // namespace

State::State(std::uint64_t hash_seed, bool has_keys)
    : keys_(rows_, payloads_, hash_seed, has_keys), places_(rows_, payloads_, keys_, hash_seed) {}

// ---------------------------------------------------------------------------
// Reading

std::uint32_t State::find(ObjectId id) const {
  if (id == last_id_ && !id.is_none()) return last_row_;
  last_row_ = ids_.find(id);
  last_id_ = id;
  return last_row_;
}

Leases::Terms State::terms_of(std::uint32_t row) const {
  Lease const& lease = lease_of(row);
  return {lease.epoch, lease.began, lease.ends, lease.connection, lease.start, leases().worker(lease)};
}

RowBody State::body_of(std::uint32_t index) const {
  Row const& row = rows_[index];
  PayloadView const payload = view(index);
  RowBody body;
  body.status = status_of(row.place());
  body.priority = row.priority();
  body.detail = rows_.detail(index);
  body.date = row.date();
  body.timeouts = row.timeouts();
  body.lifetime = row.lifetime();
  if (has_lease(row.place())) body.lease = terms_of(index);
  body.facts = payload.facts;
  body.key = payload.key;
  body.data = payload.data;
  body.error = payload.failure;
  body.has_outside = outside_ != 0 && !outside_of(payload).empty();
  return body;
}

std::vector<Extent> State::outside_of(PayloadView const& view) const {
  std::vector<Extent> found;
  model::find_outside(*schemas_.find(view.facts.schema), view.data, found);
  return found;
}

void State::tell_outside(std::vector<Extent> const& before, std::vector<Extent> const& after, TableObserver& observer) {
  for (Extent const& extent : after)
    if (std::ranges::find(before, extent) == before.end()) {
      ++outside_;
      observer.stored(extent, {});
    }
  for (Extent const& extent : before)
    if (std::ranges::find(after, extent) == after.end()) {
      --outside_;
      observer.freed(extent);
    }
}

std::uint64_t State::list_extents(std::uint64_t after, std::uint32_t work_units, std::vector<Extent>& found) const {
  if (outside_ == 0) return 0;
  std::uint32_t row = ids_.next(ObjectId{after});
  for (; row != kNoRow && work_units > 0; --work_units) {
    PayloadView const payload = view(row);
    model::find_outside(*schemas_.find(payload.facts.schema), payload.data, found);
    after = rows_[row].id().value;
    row = ids_.next(ObjectId{after});
  }
  return row == kNoRow ? 0 : after;
}

std::uint64_t State::memory_bytes() const {
  return rows_.memory_bytes() + payloads_.memory_bytes() + keys_.memory_bytes() + ids_.memory_bytes() +
         places_.memory_bytes() + regions_.memory_bytes();
}

// ---------------------------------------------------------------------------
// Time

void State::lower_clock(std::int64_t from, std::int64_t to, TableObserver& observer) {
  // Out of all indexes by date, under the old dates.
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t index = 0; index < rows_.end(); ++index) {
    if (!is_waiting(rows_[index].place())) continue;
    places_.leave(index, observer);
    waiting.push_back(index);
  }
  places_.lower_now(to);
  for (std::uint32_t index = 0; index < rows_.end(); ++index)
    if (rows_[index].place() != Place::free) lower_dates(index, from, to);
  places_.lower_leases(from, to);
  for (std::uint32_t const index : waiting) places_.wait(index, observer);
}

void State::lower_dates(std::uint32_t index, std::int64_t from, std::int64_t to) {
  Row& row = rows_[index];
  PayloadView const old = view(index);
  // It was inserted under that clock, and was due by it: so it stays due. Other process dates may have been meant.
  if (old.facts.arrival > to && row.date() > to && row.date() <= from) row.set_date(to);
  Facts facts = old.facts;
  for (std::int64_t* const date : {&facts.arrival, &facts.inserted, &facts.accepted, &facts.parked_at})
    *date = std::min(*date, to);
  if (facts == old.facts) return;
  if (row.place() == Place::parked) places_.park_earlier(index, old.facts.parked_at, facts.parked_at);
  rewrite(index, old, facts, old.data, old.failure);
}

// ---------------------------------------------------------------------------
// Rows

bool State::add(ObjectId id, RowBody const& body, Lsn lsn, TableObserver& observer) {
  if (!keys_.has_keys() && !body.key.empty()) return false;
  Keys::Found const found = keys_.look(body.key);
  KeyRows const others = keys_.rows_of(found);
  if (body.status == RowStatus::waiting && others.waiting != kNoRow) return false;
  if (!schemas_.count(body.facts.schema)) return false;

  std::uint32_t const index = rows_.add();
  Row& row = rows_[index];
  row.set_id(id);
  row.set_priority(body.priority);
  if (!body.detail.is_empty()) [[unlikely]]
    rows_.set_detail(index, body.detail);
  row.set_date(body.date);
  row.set_timeouts(body.timeouts);
  row.set_lifetime(body.lifetime);
  row.set_expires(body.facts.expires != 0);
  row.payload = payloads_.write(body.facts, body.key, body.data, body.error);
  row.region = Regions::of(lsn);
  regions_.add(row.region);
  ids_.insert(id, index);
  last_id_ = id;
  last_row_ = index;
  record_bytes_ += row_record_bytes(body.facts);
  join({body.facts, body.key, body.data, body.error}, index);
  if (body.has_outside) tell_outside({}, outside_of({body.facts, body.key, body.data, body.error}), observer);

  switch (body.status) {
    case RowStatus::waiting:
      row.set_place(Place::behind);
      keys_.link(index, found);
      places_.wait(index, observer);
      break;
    case RowStatus::processing:
    case RowStatus::held:
      row.set_place(body.status == RowStatus::held ? Place::held : Place::processing);
      keys_.link(index, found);
      places_.resume(index, body.lease);
      // A twin that was compacted may be replayed before the row that it waits for.
      if (others.waiting != kNoRow) places_.wait_again(others.waiting, observer);
      break;
    case RowStatus::parked:
      row.set_place(Place::parked);
      keys_.link(index, found);
      places_.park(index, body.facts.parked_at);
      break;
  }
  return true;
}

void State::remove(std::uint32_t index, TableObserver& observer) {
  places_.leave(index, observer);
  Row& row = rows_[index];
  bool const freed = has_lease(row.place()) && row.has_siblings();
  PayloadView const payload = view(index);
  if (outside_ != 0) tell_outside(outside_of(payload), {}, observer);
  std::uint32_t const waiting = freed ? keys_.of(index).waiting : kNoRow;
  places_.part(index, observer);
  keys_.unlink(index, payload.key);
  record_bytes_ -= row_record_bytes(payload.facts);
  schemas_.discount(payload.facts.schema);
  payloads_.release(row.payload, payload);
  regions_.remove(row.region);
  ids_.erase(row.id());
  if (last_row_ == index) last_id_ = {};
  rows_.remove(index);
  if (waiting != kNoRow && rows_[waiting].place() == Place::behind) places_.wait_again(waiting, observer);
}

void State::join(PayloadView const& payload, std::uint32_t index) {
  places_.join(index, schemas_.domain_of(payload));
  if (std::string_view const group = schemas_.group_of(payload); !group.empty()) [[unlikely]]
    places_.join_group(index, order().domain_of(index), group);
}

void State::moved(std::uint32_t index, Lsn lsn) {
  Row& row = rows_[index];
  regions_.remove(row.region);
  row.region = Regions::of(lsn);
  regions_.add(row.region);
}

void State::set_counters(std::uint32_t index, std::uint8_t timeouts, std::uint8_t lifetime) {
  rows_[index].set_timeouts(timeouts);
  rows_[index].set_lifetime(lifetime);
}

void State::count_rewritten(Facts const& old, Facts const& facts) {
  record_bytes_ += row_record_bytes(facts);
  record_bytes_ -= row_record_bytes(old);
  schemas_.recount(old.schema, facts.schema);
}

void State::rewrite(std::uint32_t index, PayloadView const& old, Facts const& facts, std::string_view data,
                    std::string_view error) {
  count_rewritten(old.facts, facts);
  rows_[index].payload = payloads_.rewrite(rows_[index].payload, old, facts, data, error);
}

void State::wait(std::uint32_t index, GiveBackBody const& body, TableObserver& observer) {
  places_.keep_turn(index);
  places_.leave(index, observer);
  PayloadView const old = view(index);
  Facts facts = old.facts;
  facts.parked_at = 0;
  facts.failures = body.counters.failures;
  std::string_view const error = body.error.empty() ? old.failure : body.error;
  facts.error_bytes = static_cast<std::uint32_t>(error.size());
  if (facts.parked_at != old.facts.parked_at || facts.failures != old.facts.failures || !body.error.empty())
    rewrite(index, old, facts, old.data, error);
  rows_[index].set_date(body.date);
  set_counters(index, body.counters.timeouts, body.counters.lifetime);
  change_detail(index, body.detail);
  places_.wait(index, observer);
  places_.let_turn();
}

void State::change_detail(std::uint32_t index, DetailChange const& change) {
  if (change.priority) rows_.set_priority(index, *change.priority);
  if (change.count) rows_.count(index, *change.count);
}

void State::park(std::uint32_t index, ParkBody const& body, TableObserver& observer) {
  places_.leave(index, observer);
  set_counters(index, body.counters.timeouts, body.counters.lifetime);
  change_detail(index, body.detail);
  rows_.count(index, Count::parkings);
  PayloadView const old = view(index);
  Facts facts = old.facts;
  facts.parked_at = body.at;
  facts.failures = body.counters.failures;
  std::string_view const error = body.error.empty() ? old.failure : body.error;
  facts.error_bytes = static_cast<std::uint32_t>(error.size());
  rewrite(index, old, facts, old.data, error);
  places_.park(index, body.at);
  places_.free_twin(index, observer);
}

void State::hold(std::uint32_t index, HoldBody const& body, TableObserver& observer) {
  set_counters(index, body.timeouts, body.lifetime);
  places_.hold(index, body.at, observer);
}

void State::change(std::uint32_t index, Change const& change, TableObserver& observer) {
  places_.keep_turn(index);
  places_.leave(index, observer);
  PayloadView const old = view(index);
  Facts facts = change.facts;
  facts.failures = change.counters.failures;
  facts.key_bytes = old.facts.key_bytes;
  facts.data_bytes = static_cast<std::uint32_t>(change.pieces != nullptr ? change.pieces->size() : change.data.size());
  facts.error_bytes = static_cast<std::uint32_t>(change.error.size());
  bool const searches = outside_ != 0 || change.has_outside;
  std::vector<Extent> const before = searches ? outside_of(old) : std::vector<Extent>{};
  if (change.pieces != nullptr) {
    count_rewritten(old.facts, facts);
    rows_[index].payload = payloads_.rewrite(rows_[index].payload, old, facts, *change.pieces, change.error);
  } else {
    rewrite(index, old, facts, change.data, change.error);
  }
  if (searches) tell_outside(before, outside_of(view(index)), observer);
  if (!order().rules().domain.is_none()) {
    std::string_view const domain = schemas_.domain_of(view(index));
    if (domain != order().domain_of(index)) {
      places_.part(index, observer);
      join(view(index), index);
    }
  }
  Row& row = rows_[index];
  rows_.set_priority(index, change.priority);
  change_detail(index, change.detail);
  row.set_date(change.date);
  set_counters(index, change.counters.timeouts, change.counters.lifetime);
  row.set_expires(facts.expires != 0);
  places_.wait(index, observer);
  places_.let_turn();
}

// ---------------------------------------------------------------------------
// Declaration

void State::set_rules(Rules rules, TableObserver& observer) {
  bool const other_key = rules.concurrency_key != order().rules().concurrency_key;
  if (rules.orders_like(order().rules())) {
    places_.change_limits(std::move(rules));
  } else {
    schemas_.set_domain(rules.domain);
    schemas_.set_group(rules.group);
    places_.start_again(std::move(rules));
    for (std::uint32_t index = 0; index < rows_.end(); ++index)
      if (rows_[index].place() != Place::free) places_.tell_order(index, schemas_.domain_of(view(index)), observer);
  }
  if (other_key) places_.free_all_twins(observer);
  places_.tell_soon();
}

}  // namespace fastjournal::rows
