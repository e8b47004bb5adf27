// Records become state: the only writer, live and at recovery alike.
//
// A replay begins at the log's base: it meets records about rows that died and
// were dropped before (their ids are below base: ignored and counted), and about rows whose
// whole record comes later, copied forward. Whatever does not fit what it
// knows is damage: false.
#include <algorithm>

#include "base/bytes.h"
#include "model/row_codec.h"
#include "plugins/journal/journal.h"
#include "timer/wheel.h"

namespace fastjournal::journal {

bool Journal::apply(RecordView const& record, Lsn base, Effects& effects) noexcept {
  if (!knows(static_cast<RecordType>(record.type), record.version)) return false;
  // A lease that ends may free a domain: what tokens there are then is counted at the time of the decision.
  if (serving_at_ != 0) state_.see(serving_at_);
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::row: return apply_row(record, effects);
    case RecordType::merge: return apply_merge(record, base, effects);
    case RecordType::lease: return apply_lease(record, base, effects);
    case RecordType::hold: return apply_hold(record, base, effects);
    case RecordType::give_back: return apply_give_back(record, base, effects);
    case RecordType::fold: return apply_fold(record, base, effects);
    case RecordType::park: return apply_park(record, base, effects);
    case RecordType::remove: return apply_remove(record, base, effects);
    case RecordType::seen: return apply_seen(record);
    case RecordType::client: return apply_client(record);
    case RecordType::client_owner: return apply_client_owner(record);
    case RecordType::client_dropped: state_.drop_client(as_text(record.body)); return true;
    case RecordType::pause: return apply_pause(record, effects);
    case RecordType::resume: return apply_resume(record, base, effects);
    case RecordType::clock: return apply_clock(record, effects);
  }
  return false;
}

// A row's key is looked for in an index that is too large for any cache, in a place that nobody could guess.
void Journal::foresee(RecordView const& record) const noexcept {
  if (static_cast<RecordType>(record.type) != RecordType::row) return;
  RowBody body;
  if (read_row(as_text(record.body), record.version, body)) state_.foresee(body.key);
}

Journal::Known Journal::look(ObjectId id, Lsn base, std::uint32_t& row) {
  row = state_.find(id);
  if (row != kNoRow) return Known::yes;
  if (id.value >= base.value) return Known::damage;
  ++records_ignored_;
  return Known::dropped;
}

bool Journal::apply_row(RecordView const& record, Effects& effects) {
  RowBody body;
  if (!read_row(as_text(record.body), record.version, body)) return false;
  if (body.date < 0 || body.date > timer::kDateMax) return false;
  // One that begins here is new.
  std::uint32_t const known = record.object == object_of(record.lsn) ? kNoRow : state_.find(record.object);
  if (known != kNoRow) {
    // Copied forward: it says what is known.
    state_.moved(known, record.lsn);
    return true;
  }
  state_.see(body.facts.arrival);
  if (!state_.add(record.object, body, record.lsn, effects)) return false;
  if (!body.sender.client.empty()) state_.note(body.sender, record.object, body.facts.arrival, record.lsn);
  count(&Statistics::inserted);
  return true;
}

bool Journal::apply_merge(RecordView const& record, Lsn base, Effects& effects) {
  MergeBody body;
  if (!read_merge(as_text(record.body), body)) return false;
  if (body.date > timer::kDateMax) return false;
  // The client's window outlives the row.
  if (!body.sender.client.empty()) {
    state_.see(body.now);
    state_.note(body.sender, record.object, body.now, record.lsn);
  }
  std::uint32_t index = kNoRow;
  Known const known = look(record.object, base, index);
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
  state_.change(index, change, effects);
  count(&Statistics::merged);
  return true;
}

bool Journal::apply_lease(RecordView const& record, Lsn base, Effects& effects) {
  Leases::Terms terms;
  if (!read_lease(as_text(record.body), terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  if (!is_waiting(state_.row(row).place())) return false;
  measure_lease(row, terms.began);
  state_.lease(row, terms, serving_at_ != 0);
  effects.lease_began(record.object, ConnectionId{terms.connection});
  return true;
}

bool Journal::apply_hold(RecordView const& record, Lsn base, Effects& effects) {
  Leases::Terms terms;
  if (!read_hold(as_text(record.body), terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() != Place::processing) return false;
  // Adopted by another connection, or its connection is gone.
  std::uint64_t const before = state_.lease_of(row).connection;
  if (before != 0 && before != terms.connection) effects.lease_ended(record.object, ConnectionId{before});
  state_.hold(row, terms);
  return true;
}

bool Journal::apply_give_back(RecordView const& record, Lsn base, Effects& effects) {
  GiveBackBody body;
  if (!read_give_back(as_text(record.body), record.version, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  std::uint32_t const waiting = state_.key_rows_of(row).waiting;
  if ((waiting != kNoRow && waiting != row) || body.date > timer::kDateMax) return false;
  std::uint8_t const before = state_.row(row).lifetime();
  state_.wait(row, body, effects);
  if (body.counters.lifetime > before) alert_weary(row, effects);
  return true;
}

bool Journal::apply_fold(RecordView const& record, Lsn base, Effects& effects) {
  FoldBody body;
  if (!read_fold(as_text(record.body), record.version, body)) return false;
  // Each of the two may be one that died and was dropped.
  std::uint32_t returned = kNoRow;
  Known const gone = look(body.returned, base, returned);
  std::uint32_t twin = kNoRow;
  Known const known = look(record.object, base, twin);
  if (gone == Known::damage || known == Known::damage) return false;
  std::uint8_t const before = gone == Known::yes ? state_.row(returned).lifetime() : UINT8_MAX;
  if (gone == Known::yes && known == Known::yes) state_.pass_weary(returned, twin);
  if (gone == Known::yes) state_.remove(returned, effects);
  if (known == Known::yes) {
    if (!is_waiting(state_.row(twin).place()) || body.date > timer::kDateMax) return false;
    PayloadView const view = state_.view(twin);
    State::Change change{body.priority, body.date, body.counters,
                         view.facts,    view.data, body.error.empty() ? view.error : body.error};
    change.facts.expires = body.expires;
    change.facts.merges = body.merges;
    state_.change(twin, change, effects);
    if (body.counters.lifetime > before) alert_weary(twin, effects);
  }
  return true;
}

void Journal::alert_failed(std::uint32_t row, RemoveBody const& deleted, Effects& effects) const {
  if (serving_at_ == 0) return;
  bool const is_deleted = deleted.reason == Reason::failed;
  std::string_view const error = deleted.error.empty() ? state_.view(row).error : deleted.error;
  std::string message = "row " + std::to_string(state_.row(row).id().value) + " of table " + declaration_->name +
                        (is_deleted ? " is deleted after " : " is parked after ") +
                        attempts_text(deleted.has_counters ? deleted.counters : state_.counters_of(row));
  if (!error.empty()) message.append("; last error: ").append(error);
  // A parked row is lowered with the last of its kind; nothing is left of a deleted one that could end.
  if (is_deleted)
    effects.alert("row-deleted", 60, message, "journal,manual");
  else
    effects.alert("row-failed", 60, message, "journal");
}

// A merge forgives a row's attempts; those of its life are remembered, or a poison row would never be noticed.
void Journal::alert_weary(std::uint32_t row, Effects& effects) const {
  if (serving_at_ == 0 || !state_.is_weary(row)) return;
  std::string const message = "row " + std::to_string(state_.row(row).id().value) + " of table " + declaration_->name +
                              " failed or timed out " + std::to_string(state_.row(row).lifetime()) +
                              " times in its life and is tried again; above " +
                              std::to_string(options_.max_lifetime_timeouts) + " it is given up";
  effects.alert("row-times-out", 55, message, "journal");
}

bool Journal::apply_park(RecordView const& record, Lsn base, Effects& effects) {
  ParkBody body;
  if (!read_park(as_text(record.body), record.version, body)) return false;
  note_failure(false, true);
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() != Place::processing) return false;
  state_.park(row, body, effects);
  count(&Statistics::failed);
  alert_failed(row, {}, effects);
  return true;
}

bool Journal::apply_remove(RecordView const& record, Lsn base, Effects& effects) {
  RemoveBody body;
  if (!read_remove(as_text(record.body), record.version, body)) return false;
  note_failure(body.reason == Reason::done, body.reason == Reason::failed);
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  switch (body.reason) {
    case Reason::done: measure_done(row); break;
    case Reason::deleted: count(&Statistics::deleted); break;
    case Reason::expired: count(&Statistics::expired); break;
    case Reason::failed:
      count(&Statistics::failed);
      alert_failed(row, body, effects);
      break;
  }
  state_.remove(row, effects);
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

// A table that was paused by failures says so, as long as it is.
bool Journal::apply_pause(RecordView const& record, Effects& effects) {
  PauseBody body;
  if (!read_pause(as_text(record.body), body)) return false;
  bool const was_paused = is_paused();
  bool const copied = state_.pause().id == record.object && state_.pause().since == body.since;
  state_.set_pause(record.object, body, record.lsn);
  if (was_paused && !is_paused()) effects.available_again({}, state_.order().available());
  if (copied || serving_at_ == 0) return true;
  if (body.by_failures)
    effects.alert("paused", 80, "table " + declaration_->name + " is " + pause_text(), "journal");
  else
    effects.lower_alert("paused");
  return true;
}

bool Journal::apply_resume(RecordView const& record, Lsn base, Effects& effects) {
  if (!record.body.empty()) return false;
  // Also where the pause itself is gone from the log: failures of before must not count again.
  failures_in_row_ = 0;
  if (state_.pause().id != record.object) {
    if (record.object >= ObjectId{base.value}) return false;
    ++records_ignored_;
    return true;
  }
  state_.end_pause();
  effects.lower_alert("paused");
  effects.available_again({}, state_.order().available());
  return true;
}

bool Journal::apply_clock(RecordView const& record, Effects& effects) {
  ClockBody body;
  if (!read_clock(as_text(record.body), body)) return false;
  state_.lower_clock(body.from, body.to, effects);
  return true;
}

// ---------------------------------------------------------------------------
// Measuring: derived, and nothing of it during a replay

// Failures in a row (pause-after-failures) are derived from the records that the log still has: a restart may count
// fewer, never more. Logged, they would be a record for each failure of every table.
void Journal::note_failure(bool done, bool failed) {
  if (done) failures_in_row_ = 0;
  if (failed && failures_in_row_ < UINT32_MAX) ++failures_in_row_;
}

void Journal::measure_lease(std::uint32_t index, std::int64_t began) {
  if (serving_at_ == 0) return;
  Row const& row = state_.row(index);
  ++statistics_.leased;
  statistics_.lateness_ms.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, began - row.date())));
  if (row.lifetime() > 0) return;
  std::int64_t const arrival = state_.arrival_of(index);
  statistics_.wait_ms.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, began - arrival)));
}

void Journal::measure_done(std::uint32_t index) {
  if (serving_at_ == 0) return;
  ++statistics_.done;
  statistics_.merges.add(state_.merges_of(index));
  if (state_.row(index).place() != Place::processing) return;
  std::int64_t const began = state_.lease_of(index).began;
  statistics_.processing_ms.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, serving_at_ - began)));
}

}  // namespace fastjournal::journal
