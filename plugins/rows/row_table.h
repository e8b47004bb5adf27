// The rows of a table as the log knows them: their records are applied to the state, compacted when the base moves, and
// stated for followers and the digest. A table type that is built on rows owns one, gives it every record that is not
// its own, and answers the contract (fastjournal/table.h) with it; what it decides is its own affair (attempts.h and
// timers.h have what all of them decide alike).
//
// apply() is a template, as a type may want to know of each record (effects.h): calls that a type does not need, or that
// are small, cost nothing. It is defined in apply.h, for the one file of a type that calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/rows/clients.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/ended.h"
#include "plugins/rows/history.h"
#include "plugins/rows/holds.h"
#include "plugins/rows/records.h"
#include "plugins/rows/state.h"
#include "plugins/rows/uniques.h"

namespace fastjournal::rows {

class RowTable {
 public:
  // `kind`: for the whole life of the table.
  RowTable(std::uint64_t hash_seed, Kind kind)
      : kind_(kind), state_(hash_seed, kind.has_keys), clients_(hash_seed), holds_(hash_seed), uniques_(hash_seed) {}

  [[nodiscard]] State const& state() const { return state_; }
  [[nodiscard]] Clients const& clients() const { return clients_; }
  [[nodiscard]] Uniques const& uniques() const { return uniques_; }
  [[nodiscard]] Holds const& holds() const { return holds_; }
  [[nodiscard]] History const& history() const { return history_; }
  [[nodiscard]] History& history() { return history_; }
  // What is left of a row that ends now; `room`: of its data, if not all of it is kept.
  [[nodiscard]] EndedBody ended_of(std::uint32_t row, RemoveBody const& body, std::string& room) const;

  // -- applying -----------------------------------------------------------
  // False: damage, or a record that it does not know. See apply.h.
  template <typename Effects>
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                           Effects& effects);
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t record_type) const {
    return rows::newest_version(static_cast<RecordType>(record_type), kind_);
  }
  void prefetch(RecordView const& record) const;
  // Of the last record, as far as it is known.
  [[nodiscard]] Lsn last_lsn() const { return last_lsn_; }
  // Records of a replay about rows that were gone.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

  // -- time ---------------------------------------------------------------
  void see(std::int64_t now) { state_.see(now); }
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) {
    return state_.advance(now.value, budget, observer);
  }

  // -- transactions -------------------------------------------------------
  // As in Promises. The held objects are rows that are processed: their leases do not end meanwhile.
  void hold(TransactionId transaction, Hold const& hold);
  void release(TransactionId transaction);

  // -- topics -------------------------------------------------------------
  // As in Topics: a topic is a domain.
  [[nodiscard]] ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                        std::vector<ObjectId>& found) const;
  [[nodiscard]] std::string_view topic_of(ObjectId object) const;

  // -- space --------------------------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const;
  // Compacts what stands below. True if more remains, or there was no room.
  bool compact(Lsn below, CopyRoom& room, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const {
    return state_.live_bytes() + uniques_.live_bytes() + clients_.windows().live_bytes() + history_.live_bytes();
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return state_.memory_bytes() + uniques_.memory_bytes() + clients_.windows().memory_bytes() + holds_.memory_bytes() +
           history_.memory_bytes();
  }

  // -- followers, people --------------------------------------------------
  // A page from the cursor on, first rows by id, then clients, then the history. True: that was the last.
  bool snapshot(SnapshotCursor& cursor, CopyRoom& page, Records& records) const;
  // A follower has the pages up to the cursor, and a later one states this record's row as it is then.
  [[nodiscard]] static bool comes_later(SnapshotCursor const& cursor, RecordView const& record);
  // The base for the other records that such a follower applies: an unknown object has ended, or is on a later page.
  static constexpr Lsn kBaseOfPart{UINT64_MAX};
  void digest(DigestSink& sink) const;

  // -- declaration --------------------------------------------------------
  void add_schema(Schema const& schema) { state_.add_schema(schema); }
  void set_rules(Rules rules, TableObserver& observer) { state_.set_rules(std::move(rules), observer); }
  void index_tags(bool wanted) { state_.index_tags(wanted); }
  // As in Order.
  void pause(std::string_view domain, std::int64_t until, TableObserver& observer) {
    state_.pause(domain, until, observer);
  }

 private:
  enum class Known : std::uint8_t { yes, dropped, damage };
  Known look(ObjectId id, ApplyContext const& context, std::uint32_t& row) {
    row = state_.find(id);
    if (row != kNoRow) return Known::yes;
    if (id.value >= context.base.value) return Known::damage;
    ++ignored_;
    return Known::dropped;
  }
  template <typename Effects>
  bool apply_row(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_merge(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_lease(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  bool apply_renew(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_progress(RecordView const& record, ApplyContext const& context);
  template <typename Effects>
  bool apply_give_back(RecordView const& record, ApplyContext const& context, TableObserver& observer,
                       Effects& effects);
  template <typename Effects>
  bool apply_fold(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_park(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_hold(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_move(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_remove(RecordView const& record, ApplyContext const& context, TableObserver& observer, Effects& effects);
  template <typename Effects>
  bool apply_clock(RecordView const& record, TableObserver& observer, Effects& effects);
  bool apply_client(RecordView const& record);
  bool apply_history(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
    return history_.apply(record, context.live, observer);
  }
  // What is left of them becomes part of the history, before the row changes.
  // Rows that fail as others did, that are cancelled, or that need not run, were not tried: nothing is counted of them.
  [[nodiscard]] bool was_tried(std::uint32_t row, Counters const& after) const {
    return has_lease(state_.row(row).place()) && state_.counters_of(row) != after;
  }
  [[nodiscard]] bool has_ended_by_attempt(std::uint32_t row, RemoveBody const& body) const {
    if (body.reason == Reason::failed && body.has_counters) return was_tried(row, body.counters);
    return has_lease(state_.row(row).place());
  }
  void keep_attempt(std::uint32_t row, Counters const& counters, std::string_view error, std::int64_t at, Lsn lsn);
  void keep_end(std::uint32_t row, RemoveBody const& body, Lsn lsn);
  bool apply_group(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_unique(RecordView const& record, ApplyContext const& context);
  // The merged data of a row, in change.data or change.pieces. False: unknown schema, or data that is not of it.
  bool merge_data(MergeBody const& body, PayloadView const& view, State::Change& change);

  Kind kind_;
  State state_;
  Clients clients_;
  Holds holds_;
  History history_;
  Uniques uniques_;
  std::uint64_t ignored_{0};
  Lsn last_lsn_{};
  // Where the next search for rows to compact begins: a hint, as the search covers all from anywhere.
  mutable std::uint32_t compact_from_{0};
  // Memory that is used again; its contents do not last.
  std::string merged_;
  model::Pieces pieces_;
};

}  // namespace fastjournal::rows
