#include "plugins/rows/row_table.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/row_codec.h"

namespace fastjournal::rows {
namespace {

// The headers that one search for rows to compact reads: some 100 us.
constexpr std::uint32_t kCompactWorkUnitsMax = 20'000;

ProgressBody body_of(Progress const& progress) { return {progress.at, progress.percent, progress.note}; }
std::uint64_t progress_record_bytes(Progress const* progress) {
  return progress == nullptr ? 0 : 64U + progress->note.size();
}

// Of a snapshot's cursor: at[0] is the part, and at[1] in the first one the last row's id.
enum Part : std::uint64_t { kRows = 0, kClients = 1, kHistory = 17, kGroups = 16, kUniques = 18 };

}  // namespace

// ---------------------------------------------------------------------------
// Applying

// The key index is too large for any cache, and accessed at random.
void RowTable::prefetch(RecordView const& record) const {
  if (!kind_.has_keys || static_cast<RecordType>(record.type) != RecordType::row) return;
  RowBody body;
  if (model::read_record(record, body)) state_.keys().prefetch(body.key);
}

bool RowTable::merge_data(MergeBody const& body, PayloadView const& view, State::Change& change) {
  Schema const* const schema = state_.schemas().find(body.schema);
  if (schema == nullptr) return false;
  change.facts.schema = body.schema;
  change.data = body.data;
  if (body.change != DataChange::by_rule) return true;
  Schema const& old = *state_.schemas().find(view.facts.schema);
  if (view.data.size() >= kPiecesFrom) {
    change.pieces = &pieces_;
    return model::merge_pieces(old, view.data, *schema, body.data, pieces_).ok();
  }
  merged_.clear();
  if (!model::merge_data(old, view.data, *schema, body.data, merged_).ok()) return false;
  change.data = merged_;
  return true;
}

bool RowTable::apply_renew(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  RenewBody terms;
  if (!model::read_record(record, terms)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (!has_lease(state_.row(row).place())) return false;
  state_.renew(row, terms, observer);
  return true;
}

bool RowTable::apply_progress(RecordView const& record, ApplyContext const& context) {
  ProgressBody body;
  if (!model::read_record(record, body)) return false;
  std::uint32_t row = kNoRow;
  Known const known = look(record.object, context, row);
  if (known != Known::yes) return known == Known::dropped;
  if (!has_lease(state_.row(row).place())) return false;
  state_.say_progress(row, {body.at, body.percent, std::string{body.note}});
  return true;
}

bool RowTable::apply_group(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  if (record.type == static_cast<std::uint8_t>(RecordType::group_dropped)) {
    if (!record.body.empty()) return false;
    if (state_.drop_group(record.object, observer)) return true;
    ++ignored_;
    return record.object.value < context.base.value;
  }
  GroupBody body;
  if (!model::read_record(record, body)) return false;
  state_.change_group(record.object, body, record.lsn, observer);
  return true;
}

bool RowTable::apply_unique(RecordView const& record, ApplyContext const& context) {
  if (record.type == static_cast<std::uint8_t>(RecordType::unique_dropped)) {
    if (!record.body.empty()) return false;
    if (uniques_.drop(record.object)) return true;
    ++ignored_;
    return record.object.value < context.base.value;
  }
  UniqueBody body;
  if (!model::read_record(record, body)) return false;
  state_.see(body.ended);
  uniques_.apply(record.object, body, record.lsn);
  return true;
}

bool RowTable::apply_client(RecordView const& record) {
  std::int64_t seen = 0;
  if (!clients_.apply(record, seen)) return false;
  state_.see(seen);
  return true;
}

// ---------------------------------------------------------------------------
// Transactions

void RowTable::hold(TransactionId transaction, Hold const& hold) {
  holds_.add(transaction, hold);
  for (ObjectId const object : hold.objects)
    if (std::uint32_t const row = state_.find(object); row != kNoRow && state_.row(row).place() == Place::processing)
      state_.keep(row);
  for (ObjectId const object : hold.objects) state_.pin_group(object, 1);
}

void RowTable::release(TransactionId transaction) {
  if (std::vector<ObjectId> const* const objects = holds_.objects_of(transaction); objects != nullptr)
    for (ObjectId const object : *objects) {
      std::uint32_t const row = state_.find(object);
      bool const is_leased = row != kNoRow && state_.row(row).place() == Place::processing;
      if (is_leased && state_.lease_of(row).is_kept) state_.let(row);
      state_.pin_group(object, -1);
    }
  holds_.remove(transaction);
}

// ---------------------------------------------------------------------------
// Topics

ObjectId RowTable::find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                  std::vector<ObjectId>& found) const {
  // Due rows are announced, also while a limit delays them.
  for (std::uint32_t row = state_.ids().next(after); row != kNoRow; row = state_.ids().next(after)) {
    if (work_units-- == 0) return after;
    after = state_.id_of(row);
    bool const fits = topic.empty() || state_.order().domain_of(row) == topic;
    if (fits && is_due(state_.row(row).place()) && state_.is_visible(row, state_.places().now()))
      found.push_back(after);
  }
  return {};
}

std::string_view RowTable::topic_of(ObjectId object) const {
  std::uint32_t const row = state_.find(object);
  return row == kNoRow ? std::string_view{} : state_.order().domain_of(row);
}

// ---------------------------------------------------------------------------
// Space

Lsn RowTable::oldest_lsn() const {
  return oldest_of({state_.regions().oldest(), state_.job_groups().regions().oldest(),
                    clients_.windows().regions().oldest(), history_.oldest_lsn(), uniques_.regions().oldest()});
}

bool RowTable::compact(Lsn below, CopyRoom& room, Records& records) const {
  std::uint64_t left = state_.regions().count_below(below);
  for (std::uint32_t looked = 0; left > 0 && looked < kCompactWorkUnitsMax && looked < state_.rows().end(); ++looked) {
    if (compact_from_ >= state_.rows().end()) compact_from_ = 0;
    Row const& row = state_.row(compact_from_);
    if (row.place() != Place::free && Regions::start(row.region) < below) {
      RowBody const body = state_.body_of(compact_from_);
      Progress const* const progress = state_.progress_of(compact_from_);
      // The largest size of its facts, counters and lease.
      if (!room.take(row_record_bytes(body.facts) + 128 + body.lease.worker.size() + body.extras.size() +
                     progress_record_bytes(progress)))
        return true;
      model::append_record(records, row.id(), body);
      if (progress != nullptr) [[unlikely]]
        model::append_record(records, row.id(), body_of(*progress));
      --left;
    }
    ++compact_from_;
  }
  return state_.job_groups().compact(below, room, records) || clients_.compact(below, room, records) || left > 0 ||
         history_.compact(below, room, records) || uniques_.compact(below, room, records);
}

// ---------------------------------------------------------------------------
// Followers, people

// Between two pages a follower applies the records in between to its part. It has all rows up to the cursor, as they
// were at the last page, so that records about them match. Records about later rows are skipped: their page will state
// them as they are then. Ids only increase, so a new row is a later one.
//
// Clients are different: their windows only grow, so records are also applied to clients that no page has stated yet.
// Their page adds the rest.
bool RowTable::snapshot(SnapshotCursor& cursor, CopyRoom& page, Records& records) const {
  auto& [part, at, within] = cursor.at;
  while (part == kRows) {
    std::uint32_t const row = state_.ids().next(ObjectId{at});
    if (row == kNoRow) {
      part = kUniques;
      at = within = 0;
      break;
    }
    RowBody const body = state_.body_of(row);
    Progress const* const progress = state_.progress_of(row);
    if (!page.take_one_at_least(row_record_bytes(body.facts) + body.lease.worker.size() + body.extras.size() +
                                progress_record_bytes(progress)))
      return false;
    model::append_record(records, state_.id_of(row), body);
    if (progress != nullptr) model::append_record(records, state_.id_of(row), body_of(*progress));
    at = state_.id_of(row).value;
  }
  if (part == kUniques) {
    if (!uniques_.snapshot(at, page, records)) return false;
    part = kGroups;
    at = within = 0;
  }
  while (part == kGroups) {
    JobGroup const* const group = state_.job_groups().next(ObjectId{at});
    if (group == nullptr) {
      part = kClients;
      at = within = 0;
      break;
    }
    if (!page.take_one_at_least(96 + group->name.size())) return false;
    model::append_record(records, group->id, group->body());
    at = group->id.value;
  }
  if (part == kClients) {
    if (!clients_.snapshot(cursor, page, records)) return false;
    part = kHistory;
    at = within = 0;
  }
  return history_.snapshot(at, page, records);
}

bool RowTable::comes_later(SnapshotCursor const& cursor, RecordView const& record) {
  return cursor.at[0] == kRows && record.type == static_cast<std::uint8_t>(RecordType::row) &&
         record.object.value > cursor.at[1];
}

void RowTable::digest(DigestSink& sink) const {
  for (std::uint32_t row = state_.ids().next(ObjectId{}); row != kNoRow; row = state_.ids().next(state_.id_of(row))) {
    model::digest_object(sink, state_.id_of(row), state_.body_of(row));
    if (Progress const* const progress = state_.progress_of(row); progress != nullptr)
      model::digest_object(sink, state_.id_of(row), body_of(*progress));
  }
  state_.job_groups().digest(sink);
  clients_.digest(sink);
  history_.digest(sink);
  uniques_.digest(sink);
}

}  // namespace fastjournal::rows
