// Records become state: the only writer, live and at recovery alike.
//
// A replay begins at the log's base. It reads records about rows that ended and were dropped before (their ids are
// below the base: ignored and counted), and about rows whose whole record follows later, copied forward. Any other
// record that does not match the state is damage: false.
#include <algorithm>

#include "base/bytes.h"
#include "model/row_codec.h"
#include "plugins/journal/journal.h"
#include "timer/wheel.h"

namespace fastjournal::journal {

bool Journal::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept {
  if (!knows(static_cast<RecordType>(record.type), record.version)) return false;
  // The end of a lease may release a domain: its tokens are counted at the time of the decision.
  if (context.live) state_.see(context.now.value);
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::row: return apply_row(record, context, observer);
    case RecordType::merge: return apply_merge(record, context, observer);
    case RecordType::lease: return apply_lease(record, context, observer);
    case RecordType::renew: return apply_renew(record, context, observer);
    case RecordType::give_back: return apply_give_back(record, context, observer);
    case RecordType::fold: return apply_fold(record, context, observer);
    case RecordType::park: return apply_park(record, context, observer);
    case RecordType::remove: return apply_remove(record, context, observer);
    case RecordType::seen: return apply_seen(record);
    case RecordType::client: return apply_client(record);
    case RecordType::client_owner: return apply_client_owner(record);
    case RecordType::client_dropped: state_.drop_client(as_text(record.body)); return true;
    case RecordType::pause: return apply_pause(record, context, observer);
    case RecordType::resume: return apply_resume(record, context, observer);
    case RecordType::clock: return apply_clock(record, observer);
  }
  return false;
}

// The key index is too large for any cache, and accessed at random.
void Journal::prefetch(RecordView const& record) const noexcept {
  if (!state_.has_keys() || static_cast<RecordType>(record.type) != RecordType::row) return;
  RowBody body;
  if (read_row(as_text(record.body), record.version, body)) state_.prefetch(body.key);
}

Journal::Known Journal::look(ObjectId id, ApplyContext const& context, std::uint32_t& row) {
  row = state_.find(id);
  if (row != kNoRow) return Known::yes;
  if (id.value >= context.base.value) return Known::damage;
  ++records_ignored_;
  return Known::dropped;
}

bool Journal::apply_row(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  RowBody body;
  if (!read_row(as_text(record.body), record.version, body)) return false;
  if (body.date < 0 || body.date > timer::kDateMax) return false;
  // An object that begins here is new.
  std::uint32_t const known = record.object == object_of(record.lsn) ? kNoRow : state_.find(record.object);
  if (known != kNoRow) {
    // Copied forward: the state is known.
    state_.moved(known, record.lsn);
    return true;
  }
  state_.see(body.facts.arrival);
  if (!state_.add(record.object, body, record.lsn, observer)) return false;
  if (!body.sender.client.empty()) state_.note(body.sender, record.object, body.facts.arrival, record.lsn);
  count(context, &Statistics::inserted);
  return true;
}

bool Journal::apply_merge(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  MergeBody body;
  if (!read_merge(as_text(record.body), body)) return false;
  if (body.date > timer::kDateMax) return false;
  // The client's window outlives the row.
  if (!body.sender.client.empty()) {
    state_.see(body.now);
    state_.note(body.sender, record.object, body.now, record.lsn);
  }
  std::uint32_t index = kNoRow;
  Known const known = look(record.object, context, index);
  if (known != Known::yes) return known == Known::dropped;
  Row const& row = state_.row(index);
  if (!is_waiting(row.place())) return false;

  PayloadView const view = state_.view(index);
  State::Change change{body.priority, body.date, {0, 0, row.lifetime()}, view.facts, view.data, {}};
  change.facts.expires = body.expires;
  change.facts.accepted = body.accepted;
  change.facts.merges = body.merges;
  if (body.change != DataChange::none) {
    Schema const* const schema = state_.schema(body.schema);
    if (schema == nullptr) return false;
    change.facts.schema = body.schema;
    change.data = body.data;
    if (body.change == DataChange::by_rule && view.data.size() >= kPiecesFrom) {
      if (!model::merge_pieces(*state_.schema(view.facts.schema), view.data, *schema, body.data, pieces_).ok())
        return false;
      change.pieces = &pieces_;
    } else if (body.change == DataChange::by_rule) {
      merged_.clear();
      if (!model::merge_data(*state_.schema(view.facts.schema), view.data, *schema, body.data, merged_).ok())
        return false;
      change.data = merged_;
    }
  }
  state_.change(index, change, observer);
  count(context, &Statistics::merged);
  return true;
}

bool Journal::apply_lease(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  Leases::Terms terms;
  if (!read_lease(as_text(record.body), terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (!is_waiting(state_.row(row).place())) return false;
  measure_lease(row, terms.began, context);
  state_.lease(row, terms, context.live);
  observer.lease_began(record.object, ConnectionId{terms.connection});
  return true;
}

bool Journal::apply_renew(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  Leases::Terms terms;
  if (!read_renew(as_text(record.body), terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() != Place::processing) return false;
  // Adopted by another connection, or its connection is gone.
  std::uint64_t const before = state_.lease_of(row).connection;
  if (before != 0 && before != terms.connection) observer.lease_ended(record.object, ConnectionId{before});
  state_.renew(row, terms);
  return true;
}

bool Journal::apply_give_back(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  GiveBackBody body;
  if (!read_give_back(as_text(record.body), record.version, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  std::uint32_t const waiting = state_.key_rows_of(row).waiting;
  if ((waiting != kNoRow && waiting != row) || body.date > timer::kDateMax) return false;
  std::uint8_t const before = state_.row(row).lifetime();
  state_.wait(row, body, observer);
  if (body.counters.lifetime > before) alert_weary(row, context, observer);
  return true;
}

bool Journal::apply_fold(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  FoldBody body;
  if (!read_fold(as_text(record.body), record.version, body)) return false;
  // Each of the two may have ended and been dropped.
  std::uint32_t returned = kNoRow;
  Known const gone = look(body.returned, context, returned);
  std::uint32_t twin = kNoRow;
  Known const known = look(record.object, context, twin);
  if (gone == Known::damage || known == Known::damage) return false;
  std::uint8_t const before = gone == Known::yes ? state_.row(returned).lifetime() : UINT8_MAX;
  if (gone == Known::yes && known == Known::yes) state_.pass_weary(returned, twin);
  if (gone == Known::yes) state_.remove(returned, observer);
  if (known == Known::yes) {
    if (!is_waiting(state_.row(twin).place()) || body.date > timer::kDateMax) return false;
    PayloadView const view = state_.view(twin);
    State::Change change{body.priority, body.date, body.counters,
                         view.facts,    view.data, body.error.empty() ? view.error : body.error};
    change.facts.expires = body.expires;
    change.facts.merges = body.merges;
    state_.change(twin, change, observer);
    if (body.counters.lifetime > before) alert_weary(twin, context, observer);
  }
  return true;
}

void Journal::alert_failed(std::uint32_t row, RemoveBody const& deleted, ApplyContext const& context,
                           TableObserver& observer) const {
  if (!context.live) return;
  bool const is_deleted = deleted.reason == Reason::failed;
  std::string_view const error = deleted.error.empty() ? state_.view(row).error : deleted.error;
  std::string message = "row " + std::to_string(state_.row(row).id().value) + " of table " + declaration_->name +
                        (is_deleted ? " is deleted after " : " is parked after ") +
                        attempts_text(deleted.has_counters ? deleted.counters : state_.counters_of(row));
  if (!error.empty()) message.append("; last error: ").append(error);
  // The alert of parked rows is lowered with the last of them; that of deleted rows has nothing left that could end it.
  if (is_deleted)
    observer.alert("row-deleted", 60, message, "journal,manual");
  else
    observer.alert("row-failed", 60, message, "journal");
}

// A merge resets a row's attempts, but not those of its life: otherwise a poison row would never be noticed.
void Journal::alert_weary(std::uint32_t row, ApplyContext const& context, TableObserver& observer) const {
  if (!context.live || !state_.is_weary(row)) return;
  std::string const message = "row " + std::to_string(state_.row(row).id().value) + " of table " + declaration_->name +
                              " failed or timed out " + std::to_string(state_.row(row).lifetime()) +
                              " times in its life and is tried again; above " +
                              std::to_string(options_.max_lifetime_timeouts) + " it is given up";
  observer.alert("row-times-out", 55, message, "journal");
}

bool Journal::apply_park(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  ParkBody body;
  if (!read_park(as_text(record.body), record.version, body)) return false;
  note_failure(false, true);
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() != Place::processing) return false;
  state_.park(row, body, observer);
  count(context, &Statistics::failed);
  alert_failed(row, {}, context, observer);
  return true;
}

bool Journal::apply_remove(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  RemoveBody body;
  if (!read_remove(as_text(record.body), record.version, body)) return false;
  note_failure(body.reason == Reason::done, body.reason == Reason::failed);
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  switch (body.reason) {
    case Reason::done: measure_done(row, context); break;
    case Reason::deleted: count(context, &Statistics::deleted); break;
    case Reason::expired: count(context, &Statistics::expired); break;
    case Reason::failed:
      count(context, &Statistics::failed);
      alert_failed(row, body, context, observer);
      break;
  }
  state_.remove(row, observer);
  return true;
}

bool Journal::apply_seen(RecordView const& record) {
  SeenBody body;
  if (!read_seen(as_text(record.body), body)) return false;
  state_.see(body.now);
  state_.note(body.sender, body.row, body.now, record.lsn);
  return true;
}

bool Journal::apply_client(RecordView const& record) {
  ClientBody body;
  if (!read_client(as_text(record.body), body)) return false;
  state_.restore_client(body, record.object, record.lsn);
  return true;
}

bool Journal::apply_client_owner(RecordView const& record) {
  ClientOwnerBody body;
  if (!read_client_owner(as_text(record.body), body)) return false;
  state_.see(body.last_used);
  state_.own_client(body, record.object, record.lsn);
  return true;
}

// The alert of a table that was paused by failures lasts as long as the pause.
bool Journal::apply_pause(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  PauseBody body;
  if (!read_pause(as_text(record.body), body)) return false;
  bool const was_paused = is_paused();
  bool const copied = state_.pause().id == record.object && state_.pause().since == body.since;
  state_.set_pause(record.object, body, record.lsn);
  if (was_paused && !is_paused()) observer.available_again({}, state_.order().available());
  if (copied || !context.live) return true;
  if (body.by_failures)
    observer.alert("paused", 80, "table " + declaration_->name + " is " + pause_text(), "journal");
  else
    observer.lower_alert("paused");
  return true;
}

bool Journal::apply_resume(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  if (!record.body.empty()) return false;
  // Also if the pause itself was dropped from the log: earlier failures must not count again.
  failures_in_row_ = 0;
  if (state_.pause().id != record.object) {
    if (record.object >= ObjectId{context.base.value}) return false;
    ++records_ignored_;
    return true;
  }
  state_.end_pause();
  observer.lower_alert("paused");
  observer.available_again({}, state_.order().available());
  return true;
}

bool Journal::apply_clock(RecordView const& record, TableObserver& observer) {
  ClockBody body;
  if (!read_clock(as_text(record.body), body)) return false;
  state_.lower_clock(body.from, body.to, observer);
  return true;
}

// ---------------------------------------------------------------------------
// Statistics: derived, and not counted during a replay

// Failures in a row (pause-after-failures) are derived from the records that the log still has: a restart may count
// fewer, never more. Logged, they would be a record for each failure of every table.
void Journal::note_failure(bool done, bool failed) {
  if (done) failures_in_row_ = 0;
  if (failed && failures_in_row_ < UINT32_MAX) ++failures_in_row_;
}

void Journal::measure_lease(std::uint32_t index, std::int64_t began, ApplyContext const& context) {
  if (!context.live) return;
  Row const& row = state_.row(index);
  ++statistics_.leased;
  statistics_.lateness_ms.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, began - row.date())));
  if (row.lifetime() > 0) return;
  std::int64_t const arrival = state_.arrival_of(index);
  statistics_.wait_ms.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, began - arrival)));
}

void Journal::measure_done(std::uint32_t index, ApplyContext const& context) {
  if (!context.live) return;
  ++statistics_.done;
  statistics_.merges.add(state_.merges_of(index));
  if (state_.row(index).place() != Place::processing) return;
  std::int64_t const began = state_.lease_of(index).began;
  statistics_.processing_ms.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, context.now.value - began)));
}

}  // namespace fastjournal::journal
