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
    : keys_(rows_, payloads_, hash_seed, has_keys),
      places_(rows_, payloads_, keys_, hash_seed),
      job_groups_(hash_seed) {}

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
  body.detail.extras = Detail::kNoExtras;
  body.extras = extras_of(index);
  if (row.place() == Place::blocked) [[unlikely]]
    body.extras = extras_with_waits(index);
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
         places_.memory_bytes() + regions_.memory_bytes() + job_groups_.memory_bytes() +
         (tag_index_ == nullptr ? 0 : sizeof(TagIndex) + tag_index_->memory_bytes());
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
  job_groups_.lower_clock(to);
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
  if (!body.extras.empty()) [[unlikely]]
    set_extras(index, body.extras);
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
      if (!body.extras.empty()) [[unlikely]]
        block(index, body.extras);
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
      job_groups_.set_parked(group_of(index), true);
      break;
  }
  return true;
}

void State::remove(std::uint32_t index, TableObserver& observer) {
  places_.leave(index, observer);
  places_.unblock(index);
  Row& row = rows_[index];
  bool const freed = has_lease(row.place()) && row.has_siblings();
  PayloadView const payload = view(index);
  if (outside_ != 0) tell_outside(outside_of(payload), {}, observer);
  std::uint32_t const waiting = freed ? keys_.of(index).waiting : kNoRow;
  places_.part(index, observer);
  if (row.has_detail()) [[unlikely]]
    set_extras(index, {});
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
  places_.unblock(index);
  if (rows_[index].place() == Place::parked) job_groups_.set_parked(group_of(index), false);
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

std::string_view State::read_extras(std::uint32_t index) const {
  std::uint32_t const handle = rows_.detail(index).extras;
  return handle == Detail::kNoExtras ? std::string_view{} : payloads_.text(handle);
}

// What a row waits for stands in its edges alone, as most of it has ended when it is stated again.
std::string_view State::extras_with_waits(std::uint32_t index) const {
  Extras all = extras::read(extras_of(index));
  After after = places_.waits().after_of(index);
  if (!after.all.empty()) all.after = std::move(after);
  whole_extras_ = extras::write(all);
  return whole_extras_;
}

void State::block(std::uint32_t index, std::string_view encoded) {
  if (std::optional<After> const after = extras::read(encoded).after) places_.block(index, *after);
}

void State::set_extras(std::uint32_t index, std::string_view encoded) {
  std::string rest;
  if (Extras given = extras::read(encoded); given.after) {
    given.after.reset();
    rest = extras::write(given);
    encoded = rest;
  }
  ObjectId const group = group_of(index);
  Detail detail = rows_.detail(index);
  if (tag_index_ != nullptr) {
    tag_index_->remove(extras::tags_of(extras_of(index)), rows_[index].id());
    tag_index_->add(extras::tags_of(encoded), rows_[index].id());
  }
  if (detail.extras != Detail::kNoExtras) {
    record_bytes_ -= payloads_.text(detail.extras).size();
    payloads_.release_text(detail.extras);
  }
  detail.extras = encoded.empty() ? Detail::kNoExtras : payloads_.write_text(encoded);
  record_bytes_ += encoded.size();
  rows_.set_detail(index, detail);
  ObjectId const next = group_of(index);
  if (next == group) return;
  if (!group.is_none()) job_groups_.leave(group, id_of(index), rows_[index].place() == Place::parked);
  if (!next.is_none()) job_groups_.join(next, id_of(index));
}

ObjectId State::read_group(std::uint32_t index) const {
  return extras::read(read_extras(index)).group.value_or(ObjectId{});
}

void State::change_group(ObjectId id, GroupBody const& body, Lsn lsn, TableObserver& observer) {
  job_groups_.apply(id, body, lsn);
  if (body.fails_now) places_.ended(id, After::Kind::group_failed, Outcome::well, observer);
  if (body.ends_now) {
    places_.ended(id, After::Kind::group_ended, Outcome::well, observer);
    if (!body.has_failed) places_.ended(id, After::Kind::group_failed, Outcome::needless, observer);
    // It may become well once what is parked is put back to work.
    if (!body.is_well) places_.ended(id, After::Kind::group_done, Outcome::parked, observer);
  }
  if (body.is_well_now) places_.ended(id, After::Kind::group_done, Outcome::well, observer);
}

bool State::drop_group(ObjectId id, TableObserver& observer) {
  // Rows may wait for one that is not known here yet.
  for (After::Kind const kind : {After::Kind::group_ended, After::Kind::group_done, After::Kind::group_failed})
    places_.ended(id, kind, Outcome::failed, observer);
  return job_groups_.drop(id);
}

void State::change_extras(std::uint32_t index, Change const& change) {
  if (!change.extras.empty()) {
    set_extras(index, extras::changed(extras_of(index), change.extras));
    block(index, change.extras);
  }
  if (!change.lease) return;
  Detail detail = rows_.detail(index);
  detail.lease = *change.lease;
  rows_.set_detail(index, detail);
}

void State::park(std::uint32_t index, ParkBody const& body, TableObserver& observer) {
  places_.leave(index, observer);
  places_.unblock(index);
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
  job_groups_.set_parked(group_of(index), true);
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
  if (!change.extras.empty() || change.lease) [[unlikely]]
    change_extras(index, change);
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

void State::index_tags(bool wanted) {
  if (wanted == (tag_index_ != nullptr)) return;
  tag_index_ = wanted ? std::make_unique<TagIndex>() : nullptr;
  for (std::uint32_t index = 0; wanted && index < rows_.end(); ++index)
    if (rows_[index].place() != Place::free) tag_index_->add(extras::tags_of(extras_of(index)), rows_[index].id());
}

}  // namespace fastjournal::rows
