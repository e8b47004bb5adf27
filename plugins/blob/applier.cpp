#include "plugins/blob/applier.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"

namespace fastjournal::blob {

std::uint8_t Applier::newest_version(std::uint8_t type) {
  std::uint8_t const own = blob::newest_version(type);
  return own != 0 ? own : rows::Clients::newest_version(type);
}

bool Applier::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  if (record.version > newest_version(record.type)) return false;
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::put: return apply_put(record, observer);
    case RecordType::page: return apply_page(record, observer);
    case RecordType::omit: return apply_omit(record, observer);
    case RecordType::damaged: return apply_damaged(record, context, observer);
    case RecordType::moved: return apply_moved(record, observer);
    case RecordType::left: return apply_left(record, context, observer);
    case RecordType::state:
    case RecordType::begun:
    case RecordType::swapped:
    case RecordType::ended:
    case RecordType::cancelled: return apply_state(record, context, observer);
  }
  if (static_cast<rows::RecordType>(record.type) == rows::RecordType::clock) return apply_clock(record, observer);
  std::int64_t seen = 0;
  return shared_.clients.apply(record, seen);
}

void Applier::prefetch(RecordView const& record) const {
  PutBody body;
  bool const is_put =
      static_cast<RecordType>(record.type) == RecordType::put && record.version <= newest_version(record.type);
  if (is_put && model::read_record(record, body)) shared_.index.prefetch(body.key);
}

bool Applier::learn(Files const& files) {
  Files const& known = shared_.index.files();
  if (shared_.state_lsn.is_none()) {
    if (shared_.knows_files && known.current != files.current) return false;
    if (!shared_.knows_files || (known.next == 0 && files.next != 0)) shared_.index.learn(files);
    shared_.knows_files = true;
  }
  return known.current == files.current && (files.next == 0 || files.next == known.next);
}

bool Applier::apply_put(RecordView const& record, TableObserver& observer) {
  PutBody body;
  if (!model::read_record(record, body) || !learn({body.extent.file, 0})) return false;
  Blob blob{.key = body.key, .entry_time = body.entry_time, .extent = body.extent};
  if (shared_.index.files().next != 0) blob.marks = marks::kNew;
  shared_.index.put(blob, body.carried, record.lsn, observer);
  shared_.survey.note_put(body.key, body.extent.size());
  return true;
}

bool Applier::apply_page(RecordView const& record, TableObserver& observer) {
  PageRecord body;
  if (!model::read_record(record, body) || !learn(body.files)) return false;
  shared_.index.replace_range(body, record.lsn, observer);
  return true;
}

bool Applier::apply_omit(RecordView const& record, TableObserver& observer) {
  OmitBody body;
  if (!model::read_record(record, body)) return false;
  static_cast<void>(shared_.index.mark(body.key, marks::kOmitted, observer));
  return true;
}

bool Applier::apply_damaged(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  DamagedBody body;
  if (!model::read_record(record, body)) return false;
  static_cast<void>(shared_.index.mark(body.key, marks::kDamaged, observer));
  shared_.survey.note_done(body.key);
  ++shared_.damaged;
  if (context.live) observer.alert("blob-damaged", 80, body.text, kManualTag);
  return true;
}

bool Applier::apply_moved(RecordView const& record, TableObserver& observer) {
  MovedBody body;
  if (!model::read_record(record, body)) return false;
  // Which file is the current one is not known as long as no blob is.
  Files const& files = shared_.index.files();
  bool const is_unknown = shared_.state_lsn.is_none() && !shared_.knows_files;
  if (is_unknown) return true;
  if (!learn({files.current, body.file})) return false;
  for (Copied const& blob : body.blobs) {
    static_cast<void>(shared_.index.add_copy(blob.key, blob.begin, observer));
    shared_.survey.note_done(blob.key);
  }
  return true;
}

bool Applier::apply_left(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  LeftBody body;
  if (!model::read_record(record, body)) return false;
  for (Key const& key : body.keys) {
    if (shared_.index.remove(key, observer) && context.live) ++shared_.statistics.left_out;
    shared_.survey.note_done(key);
  }
  return true;
}

bool Applier::apply_state(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  StateBody body;
  if (!model::read_record(record, body)) return false;
  State const& state = body.state;
  auto const type = static_cast<RecordType>(record.type);
  if (type == RecordType::swapped && context.live)
    shared_.statistics.left_out += shared_.index.size() - shared_.index.copied();
  if (shared_.knows_files || !shared_.state_lsn.is_none())
    shared_.index.set_files(state.files, observer);
  else
    shared_.index.learn(state.files);
  shared_.state = state;
  shared_.state_lsn = record.lsn;
  // Not in this turn of the timers: they have advanced the table already.
  shared_.work_due = context.live ? context.now + DurationMs{1} : TimeMs{};
  shared_.knows_files = true;
  if (!state.is_building()) {
    shared_.survey.end();
  } else if (type == RecordType::begun || !shared_.survey.is_on()) {
    shared_.survey.begin(state.policy, state.began_s(), state.mode == Mode::online);
    shared_.damaged = 0;
  }
  if (!context.live) return true;
  if (type == RecordType::cancelled && !body.text.empty()) observer.alert("maintenance-failed", 70, body.text, "blob");
  if (type == RecordType::swapped) observer.lower_alert("maintenance-failed");
  return true;
}

// Dates of what has happened are not later than now; the rest of an old file is as long as it was.
bool Applier::apply_clock(RecordView const& record, TableObserver& observer) {
  rows::ClockBody body;
  if (!model::read_record(record, body)) return false;
  std::uint32_t const to_s = TableState::seconds(TimeMs{body.to});
  shared_.index.lower_clock(to_s, observer);
  State& state = shared_.state;
  state.began = std::min(state.began, body.to);
  if (state.old_file != 0) state.old_ends -= std::min(state.old_ends, body.from - body.to);
  shared_.clients.lower_clock(body.to);
  shared_.start_s = std::min(shared_.start_s, to_s);
  return true;
}

}  // namespace fastjournal::blob
