// The state of a table's rows: headers, payloads, keys, places and schemas, which its functions keep consistent. It
// knows the rules of places (due, behind a twin), but neither commands nor the log; its writers are called by RowTable
// (row_table.h) as records say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "model/row_codec.h"
#include "plugins/rows/id_index.h"
#include "plugins/rows/job_groups.h"
#include "plugins/rows/keys.h"
#include "plugins/rows/payloads.h"
#include "plugins/rows/places.h"
#include "plugins/rows/records.h"
#include "plugins/rows/regions.h"
#include "plugins/rows/rows.h"
#include "plugins/rows/schemas.h"
#include "plugins/rows/tag_index.h"

namespace fastjournal::rows {

class State {
 public:
  // `hash_seed`: TableContext's.
  // `has_keys`: rows are found by key; for the whole life of the state.
  State(std::uint64_t hash_seed, bool has_keys);

  // -- reading ------------------------------------------------------------
  [[nodiscard]] std::uint32_t find(ObjectId id) const;
  // A decision about a row is applied right after, so the row need not be looked up again.
  void remember(std::uint32_t row) const {
    last_id_ = rows_[row].id();
    last_row_ = row;
  }
  [[nodiscard]] Row const& row(std::uint32_t index) const { return rows_[index]; }
  [[nodiscard]] ObjectId id_of(std::uint32_t row) const { return rows_[row].id(); }
  [[nodiscard]] PayloadView view(std::uint32_t row) const { return payloads_.view(rows_[row].payload); }
  // Prefetches its payload.
  void expect(std::uint32_t row) const { payloads_.prefetch(rows_[row].payload); }
  [[nodiscard]] std::int64_t arrival_of(std::uint32_t row) const { return payloads_.arrival(rows_[row].payload); }
  [[nodiscard]] std::uint32_t merges_of(std::uint32_t row) const { return payloads_.merges(rows_[row].payload); }
  [[nodiscard]] Counters counters_of(std::uint32_t row) const {
    return {rows_[row].timeouts(), view(row).facts.failures, rows_[row].lifetime()};
  }
  [[nodiscard]] Detail detail_of(std::uint32_t row) const { return rows_.detail(row); }
  // As records have them (extras.h); empty: none. Valid until the row changes.
  [[nodiscard]] std::string_view extras_of(std::uint32_t row) const {
    if (!rows_[row].has_detail()) [[likely]]
      return {};
    return read_extras(row);
  }
  [[nodiscard]] std::uint32_t priority_of(std::uint32_t row) const { return rows_.priority(row); }
  // What a record says that counts it; nothing of a row that is not counted.
  [[nodiscard]] DetailChange counting(std::uint32_t row, Count what) const {
    DetailChange out;
    if (rows_[row].has_detail() && detail_of(row).is_counted) out.count = what;
    return out;
  }
  // Of a row that is processed or held.
  [[nodiscard]] Lease const& lease_of(std::uint32_t row) const { return places_.lease_of(row); }
  [[nodiscard]] Leases::Terms terms_of(std::uint32_t row) const;
  // What its worker said last, if anything.
  [[nodiscard]] Progress const* progress_of(std::uint32_t row) const {
    return has_lease(rows_[row].place()) ? leases().progress_of(rows_[row].next) : nullptr;
  }
  // All of it, as a record states it.
  [[nodiscard]] RowBody body_of(std::uint32_t row) const;
  // An expired row is never shown; one that is leased lasts until its lease ends.
  [[nodiscard]] bool is_visible(std::uint32_t row, std::int64_t now) const {
    return !rows_[row].expires() || has_lease(rows_[row].place()) || !view(row).facts.is_expired(now);
  }
  // Null: rows are not found by their tags.
  [[nodiscard]] TagIndex const* tag_index() const { return tag_index_.get(); }
  // Its group of jobs; none: it has none.
  [[nodiscard]] ObjectId group_of(std::uint32_t row) const {
    if (!rows_[row].has_detail()) [[likely]]
      return {};
    return read_group(row);
  }
  // How it ends.
  [[nodiscard]] RemoveBody removal(std::uint32_t row, Reason reason) const {
    RemoveBody body{reason};
    body.group = group_of(row);
    return body;
  }
  // "row 812", "group night"
  [[nodiscard]] std::string name_for_people(ObjectId id) const {
    JobGroup const* const group = job_groups_.find(id);
    return group != nullptr && group->is_known ? "group " + group->name : "row " + std::to_string(id.value);
  }
  [[nodiscard]] JobGroups const& job_groups() const { return job_groups_; }
  [[nodiscard]] Rows const& rows() const { return rows_; }
  [[nodiscard]] IdIndex const& ids() const { return ids_; }
  [[nodiscard]] Keys const& keys() const { return keys_; }
  [[nodiscard]] Places const& places() const { return places_; }
  [[nodiscard]] Order const& order() const { return places_.order(); }
  [[nodiscard]] Leases const& leases() const { return places_.leases(); }
  [[nodiscard]] Schemas const& schemas() const { return schemas_; }
  // Of the log, what the rows need.
  [[nodiscard]] Regions const& regions() const { return regions_; }
  [[nodiscard]] std::uint64_t live_bytes() const {
    return record_bytes_ + leases().progress_bytes() + places_.waits().open() * After::kBytesOfOne +
           job_groups_.live_bytes();
  }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] bool has_outside() const { return outside_ != 0; }
  // Values outside the log, of rows with ids above `after` in order of id: as Stores::list_extents.
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t after, std::uint32_t work_units,
                                           std::vector<Extent>& found) const;
  [[nodiscard]] bool is_nearly_full() const { return payloads_.is_nearly_full(); }

  // -- time ---------------------------------------------------------------
  void see(std::int64_t now) { places_.see(now); }
  bool advance(std::int64_t now, std::size_t budget, TableObserver& observer) {
    return places_.advance(now, budget, observer);
  }
  // The clock was ahead: it is `to`, and was `from`. Later dates of past events become `to`, leases end earlier by the
  // difference, and rows whose date is in the future wait for it again. Reads all rows.
  void lower_clock(std::int64_t from, std::int64_t to, TableObserver& observer);

  // -- rows ---------------------------------------------------------------
  // False: the body does not fit (a second waiting row of the key, a key without row-key, an unknown schema).
  [[nodiscard]] bool add(ObjectId id, RowBody const& body, Lsn lsn, TableObserver& observer);
  void remove(std::uint32_t row, TableObserver& observer);
  // The place of the row's latest whole record.
  void moved(std::uint32_t row, Lsn lsn);
  // `live`: handed out now, not replayed.
  void lease(std::uint32_t row, Leases::Terms const& terms, bool live) {
    rows_.count(row, Count::leases);
    places_.lease(row, terms, live);
  }
  [[nodiscard]] bool has_waits() const { return !places_.waits().empty(); }
  // A blocked row of which nothing is waited for any more may be released a little later (waits.h).
  [[nodiscard]] bool waits_for_none(std::uint32_t row) const { return places_.waits().after_of(row).all.empty(); }
  void release(std::uint32_t row, TableObserver& observer) { places_.release(row, observer); }
  // As in Places.
  void ended(ObjectId id, After::Kind kind, Outcome outcome, TableObserver& observer) {
    places_.ended(id, kind, outcome, observer);
  }
  void change_group(ObjectId id, GroupBody const& body, Lsn lsn, TableObserver& observer);
  // False: it is not known.
  bool drop_group(ObjectId id, TableObserver& observer);
  void count_end(ObjectId group, bool is_done) { job_groups_.count(group, is_done); }
  void pin_group(ObjectId group, int by) { job_groups_.pin(group, by); }
  void moved_on(ObjectId from, ObjectId to) { places_.moved(from, to); }
  void renew(std::uint32_t row, Leases::Terms const& terms, TableObserver& observer) {
    places_.renew(row, terms, observer);
  }
  void say_progress(std::uint32_t row, Progress progress) { places_.say_progress(row, std::move(progress)); }
  // The lease of a row that is processed does not end by itself until let().
  void keep(std::uint32_t row) { places_.keep(row); }
  void let(std::uint32_t row) { places_.let(row); }
  // An empty error keeps the last one.
  void wait(std::uint32_t row, GiveBackBody const& body, TableObserver& observer);
  void park(std::uint32_t row, ParkBody const& body, TableObserver& observer);
  void hold(std::uint32_t row, HoldBody const& body, TableObserver& observer);
  struct Change {
    std::uint32_t priority;
    std::int64_t date;
    Counters counters;
    Facts facts;  // lengths are those of key, data and error below, failures those of the counters
    std::string_view data;
    std::string_view error;
    model::Pieces const* pieces{nullptr};  // the data, in place of `data`
    bool has_outside{false};               // values of the new data are outside the log
    DetailChange detail{};
    std::string_view extras{};            // a change of them
    std::optional<std::int64_t> lease{};  // how long its leases last from now on; 0: as the table says
  };
  // Changes the values of a row, not its key; it waits then.
  void change(std::uint32_t row, Change const& change, TableObserver& observer);

  // -- declaration --------------------------------------------------------
  void add_schema(Schema const& schema) { schemas_.add(schema); }
  // New rules of order; reads all rows if they are reordered.
  void set_rules(Rules rules, TableObserver& observer);
  // Reads all rows if it becomes another.
  void index_tags(bool wanted);
  // As in Order.
  void pause(std::string_view domain, std::int64_t until, TableObserver& observer) {
    places_.pause(domain, until, observer);
  }

 private:
  [[nodiscard]] std::vector<Extent> outside_of(PayloadView const& view) const;
  // Of a row whose data changes, in which either data may have values outside the log.
  void tell_outside(std::vector<Extent> const& before, std::vector<Extent> const& after, TableObserver& observer);
  // A row is of the domain and the group that its data names.
  void join(PayloadView const& payload, std::uint32_t row);
  void lower_dates(std::uint32_t row, std::int64_t from, std::int64_t to);
  [[nodiscard]] std::string_view read_extras(std::uint32_t row) const;
  [[nodiscard]] std::string_view extras_with_waits(std::uint32_t row) const;
  // The row waits for what its extras, or a change of them, name. It is in no place.
  void block(std::uint32_t row, std::string_view encoded);
  [[nodiscard]] ObjectId read_group(std::uint32_t row) const;
  // Encoded ones, of a row; empty: none from here on.
  void set_extras(std::uint32_t row, std::string_view encoded);
  void change_extras(std::uint32_t row, Change const& change);
  // While it stands in no order.
  void change_detail(std::uint32_t row, DetailChange const& change);
  // Those in the header; failures are in the payload.
  void set_counters(std::uint32_t row, std::uint8_t timeouts, std::uint8_t lifetime);
  void rewrite(std::uint32_t row, PayloadView const& old, Facts const& facts, std::string_view data,
               std::string_view error);
  void count_rewritten(Facts const& old, Facts const& facts);

  Rows rows_;
  Payloads payloads_;
  Keys keys_;
  Places places_;
  JobGroups job_groups_;
  IdIndex ids_;
  Schemas schemas_;
  std::unique_ptr<TagIndex> tag_index_;
  Regions regions_;
  std::uint64_t record_bytes_{0};
  std::uint64_t outside_{0};  // values outside the log; without any, no data is searched for them
  // The row asked for last.
  mutable ObjectId last_id_{};
  mutable std::string whole_extras_;  // memory that is used again
  mutable std::uint32_t last_row_{kNoRow};
};

}  // namespace fastjournal::rows
