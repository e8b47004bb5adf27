// Records become state: the only writer, live and at recovery alike.
//
// A replay begins at the log's base: it meets records about rows that died and
// were dropped before (their ids are below base: ignored and counted), and about rows whose
// whole record comes later, copied forward. Whatever does not fit what it
// knows is damage: false.
#include "base/bytes.h"
#include "model/row_codec.h"
#include "plugins/journal/journal.h"
#include "timer/wheel.h"

namespace fastjournal::journal {

bool Journal::apply(RecordView const& record, Lsn base, Effects& effects) noexcept {
  if (record.version != kRecordVersion) return false;
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
    case RecordType::client_dropped: state_.drop_client(as_text(record.body)); return true;
  }
  return false;
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
  if (!read_row(as_text(record.body), body)) return false;
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
  count(&Counts::inserted);
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
  State::Change change{body.priority, body.date, 0, row.lifetime(), view.facts, view.data, {}};
  change.facts.expires = body.expires;
  change.facts.accepted = body.accepted;
  change.facts.merges = body.merges;
  if (body.change != DataChange::none) {
    Schema const* const schema = state_.schema(body.schema);
    if (schema == nullptr) return false;
    change.facts.schema = body.schema;
    change.data = body.data;
    if (body.change == DataChange::by_rule) {
      merged_.clear();
      if (!model::merge_data(*state_.schema(view.facts.schema), view.data, *schema, body.data, merged_).ok())
        return false;
      change.data = merged_;
    }
  }
  state_.change(index, change, effects);
  count(&Counts::merged);
  return true;
}

bool Journal::apply_lease(RecordView const& record, Lsn base, Effects& effects) {
  Leases::Terms terms;
  if (!read_lease(as_text(record.body), terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  if (!is_waiting(state_.row(row).place())) return false;
  state_.lease(row, terms);
  effects.lease_began(record.object, ConnectionId{terms.connection});
  count(&Counts::leased);
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
  if (!read_give_back(as_text(record.body), body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  std::uint32_t const waiting = state_.key_rows_of(row).waiting;
  if ((waiting != kNoRow && waiting != row) || body.date > timer::kDateMax) return false;
  if (!body.error.empty()) state_.set_error(row, body.error);
  state_.wait(row, body.date, body.timeouts, body.lifetime, effects);
  count(&Counts::returned);
  return true;
}

bool Journal::apply_fold(RecordView const& record, Lsn base, Effects& effects) {
  FoldBody body;
  if (!read_fold(as_text(record.body), body)) return false;
  // Each of the two may be one that died and was dropped.
  std::uint32_t returned = kNoRow;
  Known const gone = look(body.returned, base, returned);
  std::uint32_t twin = kNoRow;
  Known const known = look(record.object, base, twin);
  if (gone == Known::damage || known == Known::damage) return false;
  if (gone == Known::yes) state_.remove(returned, effects);
  if (known == Known::yes) {
    if (!is_waiting(state_.row(twin).place()) || body.date > timer::kDateMax) return false;
    PayloadView const view = state_.view(twin);
    State::Change change{body.priority,
                         body.date,
                         body.timeouts,
                         body.lifetime,
                         view.facts,
                         view.data,
                         body.error.empty() ? view.error : body.error};
    change.facts.expires = body.expires;
    change.facts.merges = body.merges;
    state_.change(twin, change, effects);
  }
  count(&Counts::returned);
  return true;
}

void Journal::alert_failed(std::uint32_t row, std::string_view what, Effects& effects) const {
  if (!serving_) return;
  PayloadView const view = state_.view(row);
  std::string message = "row " + std::to_string(state_.row(row).id().value) + " of table " + declaration_->name +
                        " is " + std::string{what} + " after " + std::to_string(state_.row(row).timeouts()) +
                        " time-outs (" + std::to_string(state_.row(row).lifetime()) + " in its life)";
  if (!view.error.empty()) message.append("; last error: ").append(view.error);
  effects.alert("row-failed", 60, message, "journal");
}

bool Journal::apply_park(RecordView const& record, Lsn base, Effects& effects) {
  ParkBody body;
  if (!read_park(as_text(record.body), body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  if (state_.row(row).place() != Place::processing) return false;
  state_.park(row, body, effects);
  count(&Counts::parked);
  alert_failed(row, "parked", effects);
  return true;
}

bool Journal::apply_remove(RecordView const& record, Lsn base, Effects& effects) {
  Reason reason{};
  if (!read_remove(as_text(record.body), reason)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, base, row);
  if (known != Known::yes) return known == Known::dropped;
  switch (reason) {
    case Reason::done: count(&Counts::done); break;
    case Reason::deleted: count(&Counts::deleted); break;
    case Reason::expired: count(&Counts::expired); break;
    case Reason::failed:
      count(&Counts::failed);
      alert_failed(row, "deleted", effects);
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

}  // namespace fastjournal::journal
