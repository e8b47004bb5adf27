// Records of rows become state: the only writer, live and at recovery alike.
//
// A replay begins at the log's base. It reads records about rows that ended and were dropped before (their ids are
// below the base: ignored and counted), and about rows whose whole record follows later, compacted. Any other
// record that does not match the state is damage: false.
#pragma once

#include "base/bytes.h"
#include "model/timer/wheel.h"
#include "plugins/rows/effects.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::rows {

template <typename Effects>
bool RowTable::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects) {
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  last_lsn_ = record.lsn;
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::row: return apply_row(record, context, observer, effects);
    case RecordType::merge: return apply_merge(record, context, observer, effects);
    case RecordType::lease: return apply_lease(record, context, observer, effects);
    case RecordType::renew: return apply_renew(record, context, observer);
    case RecordType::give_back: return apply_give_back(record, context, observer, effects);
    case RecordType::fold: return apply_fold(record, context, observer, effects);
    case RecordType::park: return apply_park(record, context, observer, effects);
    case RecordType::hold: return apply_hold(record, context, observer, effects);
    case RecordType::move: return apply_move(record, context, observer, effects);
    case RecordType::remove: return apply_remove(record, context, observer, effects);
    case RecordType::clock: return apply_clock(record, observer, effects);
    case RecordType::progress: return apply_progress(record, context);
    case RecordType::ended:
    case RecordType::page:
    case RecordType::page_dropped: return apply_history(record, context, observer);
    case RecordType::group:
    case RecordType::group_dropped: return apply_group(record, context, observer);
    case RecordType::unique:
    case RecordType::unique_dropped: return apply_unique(record, context);
    case RecordType::seen:
    case RecordType::client:
    case RecordType::client_dropped:
    case RecordType::client_owner: return apply_client(record);
  }
  return false;
}

template <typename Effects>
bool RowTable::apply_row(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                         Effects& effects) {
  RowBody body;
  if (!model::read_record(record, body)) return false;
  if (body.date < 0 || body.date > timer::kDateMax) return false;
  if (body.status == RowStatus::held && !kind_.holds) return false;
  // An object that begins here is new.
  std::uint32_t const known = record.object == object_of(record.lsn) ? kNoRow : state_.find(record.object);
  if (known != kNoRow) {
    // Compacted: the state is known.
    state_.moved(known, record.lsn);
    return true;
  }
  state_.see(body.facts.arrival);
  if (!state_.add(record.object, body, record.lsn, observer)) return false;
  if (!body.sender.client.empty()) clients_.note(body.sender, record.object, body.facts.arrival, record.lsn);
  effects.added(record.object, context);
  return true;
}

template <typename Effects>
bool RowTable::apply_merge(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                           Effects& effects) {
  MergeBody body;
  if (!model::read_record(record, body)) return false;
  if (body.date > timer::kDateMax) return false;
  // The client's window outlives the row.
  if (!body.sender.client.empty()) {
    state_.see(body.now);
    clients_.note(body.sender, record.object, body.now, record.lsn);
  }
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (!is_waiting(state_.row(row).place())) return false;
  PayloadView const view = state_.view(row);
  State::Change change{body.priority, body.date, {0, 0, state_.row(row).lifetime()}, view.facts, view.data, {}};
  change.has_outside = body.has_outside;
  change.extras = body.extras;
  change.lease = body.lease;
  change.facts.expires = body.expires;
  change.facts.accepted = body.accepted;
  change.facts.merges = body.merges;
  if (body.change != DataChange::none && !merge_data(body, view, change)) return false;
  state_.change(row, change, observer);
  effects.merged(row, context);
  return true;
}

template <typename Effects>
bool RowTable::apply_lease(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                           Effects& effects) {
  LeaseBody terms;
  if (!model::read_record(record, terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() == Place::blocked) [[unlikely]] {
    // In a replay time does not go on.
    if (!state_.waits_for_none(row)) return false;
    state_.release(row, observer);
  }
  if (!is_waiting(state_.row(row).place())) return false;
  effects.leasing(row, terms.began, context);
  state_.lease(row, terms, context.live);
  observer.lease_began(record.object, ConnectionId{terms.connection});
  return true;
}

template <typename Effects>
bool RowTable::apply_give_back(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                               Effects& effects) {
  GiveBackBody body;
  if (!model::read_record(record, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  std::uint32_t const waiting = state_.keys().of(row).waiting;
  if ((waiting != kNoRow && waiting != row) || body.date > timer::kDateMax) return false;
  bool const counted = body.counters.lifetime > state_.row(row).lifetime();
  bool const was_parked = state_.row(row).place() == Place::parked;
  if (was_parked) effects.unparking(row);
  if (body.kept_at != 0) keep_attempt(row, body.counters, body.error, body.kept_at, record.lsn);
  state_.wait(row, body, observer);
  effects.returned(row, counted, context, observer);
  if (was_parked && state_.places().parked().empty()) effects.none_parked(observer);
  return true;
}

template <typename Effects>
bool RowTable::apply_fold(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                          Effects& effects) {
  FoldBody body;
  if (!model::read_record(record, body)) return false;
  // Each of the two may have ended and been dropped.
  std::uint32_t returned = kNoRow;
  Known const gone = look(body.returned, context, returned);
  std::uint32_t twin = kNoRow;
  Known const known = look(record.object, context, twin);
  if (gone == Known::damage || known == Known::damage) return false;
  if (state_.has_waits()) [[unlikely]]
    state_.moved_on(body.returned, record.object);
  std::uint8_t const before = gone == Known::yes ? state_.row(returned).lifetime() : UINT8_MAX;
  bool const was_parked = gone == Known::yes && state_.row(returned).place() == Place::parked;
  if (gone == Known::yes) {
    if (body.kept_at != 0) keep_attempt(returned, body.counters, body.error, body.kept_at, record.lsn);
    effects.folding(returned, known == Known::yes ? twin : kNoRow, observer);
    state_.remove(returned, observer);
  }
  if (known == Known::yes) {
    if (!is_waiting(state_.row(twin).place()) || body.date > timer::kDateMax) return false;
    PayloadView const view = state_.view(twin);
    State::Change change{body.priority, body.date, body.counters,
                         view.facts,    view.data, body.error.empty() ? view.failure : body.error};
    change.facts.expires = body.expires;
    change.facts.merges = body.merges;
    std::string const joins = body.group.is_none() ? std::string{} : extras::write({.group = body.group});
    change.extras = joins;
    state_.change(twin, change, observer);
    effects.returned(twin, body.counters.lifetime > before, context, observer);
  }
  if (was_parked && state_.places().parked().empty()) effects.none_parked(observer);
  return true;
}

template <typename Effects>
bool RowTable::apply_park(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                          Effects& effects) {
  ParkBody body;
  if (!model::read_record(record, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known == Known::yes && was_tried(row, body.counters)) effects.ended(Reason::failed);
  if (state_.has_waits()) [[unlikely]]
    state_.ended(record.object, After::Kind::row, Outcome::parked, observer);
  if (known != Known::yes) return known == Known::dropped;
  if (!has_lease(state_.row(row).place()) && !is_waiting(state_.row(row).place())) return false;
  if (body.is_kept) keep_attempt(row, body.counters, body.error, body.at, record.lsn);
  effects.parking(row, observer);
  state_.park(row, body, observer);
  effects.parked(row, context, observer);
  return true;
}

template <typename Effects>
bool RowTable::apply_hold(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                          Effects& effects) {
  HoldBody body;
  if (!model::read_record(record, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() != Place::processing) return false;
  state_.hold(row, body, observer);
  effects.held(row, context, observer);
  return true;
}

template <typename Effects>
bool RowTable::apply_move(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                          Effects& effects) {
  MoveBody body;
  if (!model::read_record(record, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (body.date > timer::kDateMax || state_.row(row).has_siblings()) return false;
  PayloadView const view = state_.view(row);
  State::Change change{state_.priority_of(row),
                       body.date,
                       body.counters,
                       view.facts,
                       view.data,
                       body.error.empty() ? view.failure : body.error};
  change.detail = body.detail;
  change.facts.parked_at = 0;
  change.facts.expires = 0;
  MergeBody merge;
  merge.change = DataChange::by_rule;
  merge.schema = body.schema;
  merge.data = body.data;
  if (!merge_data(merge, view, change)) return false;
  bool const was_parked = state_.row(row).place() == Place::parked;
  effects.moving(row, observer);
  state_.change(row, change, observer);
  effects.moved(row, context, observer);
  if (was_parked && state_.places().parked().empty()) effects.none_parked(observer);
  return true;
}

template <typename Effects>
bool RowTable::apply_remove(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                            Effects& effects) {
  RemoveBody body;
  if (!model::read_record(record, body)) return false;
  if (!body.group.is_none()) state_.count_end(body.group, body.reason == Reason::done);
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  // A row that need not run was not tried either. Of one that is gone this is unknown: then failures are fewer.
  if (known != Known::yes ? body.reason == Reason::done : has_ended_by_attempt(row, body)) effects.ended(body.reason);
  if (state_.has_waits()) [[unlikely]]
    state_.ended(record.object, After::Kind::row, body.reason == Reason::done ? Outcome::well : Outcome::failed,
                 observer);
  if (known != Known::yes) return known == Known::dropped;
  effects.removing(row, body, context, observer);
  if (body.kept_at != 0) keep_end(row, body, record.lsn);
  bool const was_parked = state_.row(row).place() == Place::parked;
  state_.remove(row, observer);
  if (was_parked && state_.places().parked().empty()) effects.none_parked(observer);
  return true;
}

template <typename Effects>
bool RowTable::apply_clock(RecordView const& record, TableObserver& observer, Effects& effects) {
  ClockBody body;
  if (!model::read_record(record, body)) return false;
  state_.lower_clock(body.from, body.to, observer);
  clients_.lower_clock(body.to);
  history_.lower_clock(body.to);
  uniques_.lower_clock(body.from, body.to);
  effects.clock_lowered(body.from, body.to, observer);
  return true;
}

}  // namespace fastjournal::rows
