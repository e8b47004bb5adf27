#include "plugins/rows/places.h"

namespace fastjournal::rows {

Places::Places(Rows& rows, Payloads const& payloads, Keys& keys, std::uint64_t hash_seed)
    : rows_(rows),
      payloads_(payloads),
      keys_(keys),
      groups_(rows, hash_seed),
      waits_(rows),
      order_(rows, hash_seed),
      wheel_(WheelLinks{&rows}),
      leases_(hash_seed) {}

// ---------------------------------------------------------------------------
// Time

TimeMs Places::next_date() const {
  std::int64_t date = std::min(wheel_.first_date().value, order_.next_token());
  if (!leases_.ends().empty()) date = std::min(date, leases_.ends().begin()->first);
  return TimeMs{date};
}

TimeMs Places::next_date(std::string_view domain) const {
  std::int64_t date = order_.next_date(domain);
  // Due rows there may wait for any lease of the table.
  if (order_.is_full() && order_.is_due(domain) && !leases_.ends().empty())
    date = std::min(date, leases_.ends().begin()->first);
  return TimeMs{date};
}

bool Places::advance(std::int64_t now, std::size_t budget, TableObserver& observer) {
  see(now);
  if (order_.advance(now_, budget, observer)) return true;
  if (waits_.has_work()) [[unlikely]] {
    Waits::Done released;
    bool const more = waits_.release(budget, released);
    for (std::uint32_t const row : released) release(row, observer);
    if (more) return true;
  }
  return wheel_.advance(TimeMs{now}, budget, [&](std::uint32_t row) {
    order_.unexpect(row);
    order_.push(row, observer);
  });
}

void Places::lower_now(std::int64_t now) {
  now_ = now;
  order_.see(now);
}

void Places::lower_leases(std::int64_t from, std::int64_t to) {
  leases_.lower_progress(to);
  for (std::uint32_t number = 0; number < leases_.end(); ++number) {
    Lease const& lease = leases_[number];
    if (lease.row == kNoRow || lease.ends <= to) continue;
    std::uint32_t const row = lease.row;
    std::int64_t const before = lease.ends;
    if (rows_[row].place() == Place::held) {
      // Its end is past.
      held_.erase({before, row});
      held_.emplace(to, row);
      leases_.lower(number, std::min(lease.began, to), to);
      continue;
    }
    std::int64_t const ends = std::max(to, before - (from - to));
    order_.renew(row, before, ends);
    leases_.lower(number, std::min(lease.began, to), ends);
  }
}

// ---------------------------------------------------------------------------
// Places

// The row's place is already a waiting one, or is set here first: the order of its key depends on it.
void Places::wait(std::uint32_t index, TableObserver& observer) {
  if (rows_[index].place() == Place::blocked) [[unlikely]] {
    expect_expiry(index);
    ++blocked_;
    return;
  }
  keys_.set_place(index, Place::behind);
  expect_expiry(index);
  if (rows_[index].has_siblings() && keys_.of(index).processing_count >= order_.rules().concurrency_key) {
    ++behind_;
    return;
  }
  if (rows_[index].is_grouped()) [[unlikely]] {
    ++behind_;
    order_.put_behind(index);
    groups_.enter(index);
    settle(groups_.of(index), observer);
    return;
  }
  stand(index, observer);
}

void Places::stand(std::uint32_t index, TableObserver& observer) {
  Row& row = rows_[index];
  if (row.date() <= now_) {
    order_.push(index, observer);
    return;
  }
  row.set_place(Place::future);
  if (wheel_.size() == 0) wheel_.start(TimeMs{now_});
  wheel_.set(index);
  order_.expect(index);
}

void Places::settle(Group& group, TableObserver& observer) {
  std::uint32_t const next = group.next();
  std::uint32_t const before = std::exchange(group.standing, next);
  if (before == next) return;
  if (before != kNoRow) {
    if (rows_[before].place() == Place::future) {
      wheel_.cancel(before);
      order_.unexpect(before);
    } else {
      order_.erase(before);
    }
    rows_[before].set_place(Place::behind);
    ++behind_;
    order_.put_behind(before);
  }
  if (next == kNoRow) return;
  --behind_;
  order_.take_behind(next);
  stand(next, observer);
}

void Places::part(std::uint32_t index, TableObserver& observer) {
  Group* const group = rows_[index].is_grouped() ? groups_.part(index) : nullptr;
  order_.part(index);
  if (group != nullptr) settle(*group, observer);
}

void Places::block(std::uint32_t index, After const& after) {
  if (rows_[index].place() != Place::blocked) {
    rows_[index].set_place(Place::blocked);
    waits_.reset(index);
  }
  waits_.add(index, after);
}

void Places::forget_waits(std::uint32_t index) {
  waits_.forget(index);
  rows_[index].set_place(Place::behind);
}

void Places::ended(ObjectId id, After::Kind kind, Outcome outcome, TableObserver& observer) {
  if (waits_.empty()) return;
  Waits::Done released;
  waits_.ended(id, kind, outcome, Waits::kAtOnce, released);
  for (std::uint32_t const row : released) release(row, observer);
}

void Places::release(std::uint32_t index, TableObserver& observer) {
  leave(index, observer);
  unblock(index);
  wait(index, observer);
}

void Places::wait_again(std::uint32_t waiting, TableObserver& observer) {
  leave(waiting, observer);
  wait(waiting, observer);
}

void Places::lease(std::uint32_t index, Leases::Terms const& terms, bool live) {
  // The end of a waiting row has no effect on others.
  Row& row = rows_[index];
  bool const is_grouped = row.is_grouped();
  if (is_grouped) [[unlikely]]
    groups_.leave(index);
  // The next NEXT needs the row after it: prefetched, as memory is slower than everything else here.
  if (row.place() == Place::listed && row.next != kNoRow) {
    Row const& second = rows_[row.next];
    payloads_.prefetch(second.payload);
    if (second.next != kNoRow) fastjournal::prefetch(&rows_[second.next]);
  }
  if (row.place() == Place::future) {
    wheel_.cancel(index);
    order_.unexpect(index);
  } else if (row.place() == Place::behind) {
    --behind_;
    if (is_grouped) order_.take_behind(index);
  } else {
    order_.erase(index);
  }
  forget_expiry(index);
  keys_.set_place(index, Place::processing);
  row.next = leases_.add(index, terms);
  last_epoch_ = std::max(last_epoch_, terms.epoch);
  see(terms.began);
  order_.begin(index, terms.epoch, terms.began, terms.ends, live);
  if (!is_grouped) [[likely]]
    return;
  groups_.enter(index);
  // Of a group nothing becomes due by that.
  NoObserver nobody;
  settle(groups_.of(index), nobody);
}

void Places::resume(std::uint32_t index, Leases::Terms const& terms) {
  Row& row = rows_[index];
  if (row.is_grouped()) [[unlikely]] {
    groups_.enter(index);
    NoObserver nobody;
    settle(groups_.of(index), nobody);
  }
  row.next = leases_.add(index, terms);
  last_epoch_ = std::max(last_epoch_, terms.epoch);
  if (row.place() == Place::held) {
    leases_.hold(row.next, terms.ends);
    held_.emplace(terms.ends, index);
  } else {
    order_.begin(index, terms.epoch, terms.began, terms.ends, false);
  }
}

void Places::renew(std::uint32_t index, Leases::Terms const& terms, TableObserver& observer) {
  Row& row = rows_[index];
  Lease const& lease = leases_[row.next];
  // Another connection has it from here on, or its connection is gone.
  if (lease.connection != 0 && lease.connection != terms.connection)
    observer.lease_ended(row.id(), ConnectionId{lease.connection});
  if (row.place() == Place::held) {
    held_.erase({lease.ends, index});
    row.set_place(Place::processing);
    order_.begin(index, lease.epoch, lease.began, terms.ends, false);
  } else {
    order_.renew(index, lease.ends, terms.ends);
  }
  leases_.change(row.next, terms);
}

void Places::hold(std::uint32_t index, std::int64_t at, TableObserver& observer) {
  Row& row = rows_[index];
  Lease const& lease = leases_[row.next];
  std::int64_t const ends = lease.ends;
  observer.lease_ended(row.id(), ConnectionId{lease.connection});
  leases_.hold(row.next, at);
  row.set_place(Place::held);
  held_.emplace(at, index);
  // It is unleased, and counts for no limit but that of its key.
  order_.end(index, ends, observer);
}

void Places::park(std::uint32_t index, std::int64_t at) {
  keys_.set_place(index, Place::parked);
  parked_.emplace(at, index);
  expect_expiry(index);
}

void Places::park_earlier(std::uint32_t index, std::int64_t before, std::int64_t at) {
  parked_.erase({before, index});
  parked_.emplace(at, index);
}

// The caller settles its group, by wait(), part() or free_twin().
void Places::leave(std::uint32_t index, TableObserver& observer) {
  Row& row = rows_[index];
  if (row.is_grouped()) [[unlikely]]
    groups_.leave(index);
  switch (row.place()) {
    case Place::future:
      wheel_.cancel(index);
      order_.unexpect(index);
      break;
    case Place::listed:
    case Place::treed: order_.erase(index); break;
    case Place::behind:
      --behind_;
      if (row.is_grouped()) order_.take_behind(index);
      break;
    case Place::blocked: --blocked_; break;
    case Place::processing: {
      Lease const& lease = leases_[row.next];
      std::int64_t const ends = lease.ends;
      observer.lease_ended(row.id(), ConnectionId{lease.connection});
      leases_.remove(row.next);
      order_.end(index, ends, observer);
      return;
    }
    case Place::parked: parked_.erase({payloads_.view(row.payload).facts.parked_at, index}); break;
    case Place::held:
      held_.erase({leases_[row.next].ends, index});
      leases_.remove(row.next);
      return;
    case Place::free: return;
  }
  forget_expiry(index);
}

void Places::free_twin(std::uint32_t index, TableObserver& observer) {
  if (rows_[index].is_grouped()) return settle(groups_.of(index), observer);
  if (!rows_[index].has_siblings()) return;
  std::uint32_t const waiting = keys_.of(index).waiting;
  if (waiting != kNoRow && waiting != index && rows_[waiting].place() == Place::behind) wait_again(waiting, observer);
}

// ---------------------------------------------------------------------------
// Rules

// Adds a row with a known place to the order.
void Places::tell_order(std::uint32_t index, std::string_view domain, TableObserver& observer) {
  Row const& row = rows_[index];
  order_.join(index, domain);
  if (is_due(row.place())) {
    order_.push(index, observer);
  } else if (row.place() == Place::future) {
    order_.expect(index);
  } else if (row.place() == Place::behind && row.is_grouped()) {
    order_.put_behind(index);
  } else if (row.place() == Place::processing) {
    Lease const& lease = lease_of(index);
    order_.begin(index, lease.epoch, lease.began, lease.ends, false);
  }
}

void Places::free_all_twins(TableObserver& observer) {
  for (std::uint32_t number = 0; number < leases_.end(); ++number) {
    std::uint32_t const row = leases_[number].row;
    std::uint32_t const waiting = row == kNoRow ? kNoRow : keys_.of(row).waiting;
    if (waiting != kNoRow) wait_again(waiting, observer);
  }
}

}  // namespace fastjournal::rows
