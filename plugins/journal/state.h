// The state of a journal: rows in their slabs with all indexes, leases, clients and schemas. Its functions keep all of
// them consistent. It knows the rules of places (due, behind a twin), but no commands. In a table without row-key there
// is no index of keys, and no row has siblings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/prefetch.h"
#include "fastjournal/table.h"
#include "model/row_codec.h"
#include "plugins/journal/dedup_windows.h"
#include "plugins/journal/domain_text.h"
#include "plugins/journal/id_index.h"
#include "plugins/journal/key_index.h"
#include "plugins/journal/leases.h"
#include "plugins/journal/order.h"
#include "plugins/journal/payload.h"
#include "plugins/journal/payload_store.h"
#include "plugins/journal/records.h"
#include "plugins/journal/regions.h"
#include "plugins/journal/rows.h"
#include "timer/wheel.h"

namespace fastjournal::journal {

// Rows of one key; kNoRow where there is none. State::next_sibling leads from one of those processed, or parked,
// to the others.
struct KeyRows {
  std::uint32_t waiting{kNoRow};
  std::uint32_t processing{kNoRow};
  std::uint32_t processing_count{0};
  std::uint32_t parked{kNoRow};
};

class State {
 public:
  using Deadlines = absl::btree_set<std::pair<std::int64_t, std::uint32_t>>;  // (date, row)

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
  // Prefetches its payload.
  void expect(std::uint32_t row) const { fastjournal::prefetch(payloads_.at(rows_[row].payload)); }
  [[nodiscard]] bool has_keys() const { return keys_.has_value(); }
  // Only with keys, as prefetch.
  [[nodiscard]] KeyRows find_key(std::string_view key) const;
  // Prefetches for a search of this key.
  void prefetch(std::string_view key) const { keys_->prefetch(hash_of(key)); }
  [[nodiscard]] KeyRows key_rows_of(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t next_sibling(std::uint32_t row) const;
  [[nodiscard]] PayloadView view(std::uint32_t row) const;
  [[nodiscard]] std::int64_t arrival_of(std::uint32_t row) const {
    return payload::arrival_at(payloads_.at(rows_[row].payload));
  }
  [[nodiscard]] std::uint32_t merges_of(std::uint32_t row) const {
    return payload::has_merges(payloads_.at(rows_[row].payload)) ? view(row).facts.merges : 0;
  }
  [[nodiscard]] RowBody body_of(std::uint32_t row) const;
  [[nodiscard]] Row const& row(std::uint32_t index) const { return rows_[index]; }
  [[nodiscard]] Counters counters_of(std::uint32_t index) const {
    return {rows_[index].timeouts(), view(index).facts.failures, rows_[index].lifetime()};
  }
  [[nodiscard]] Lease const& lease_of(std::uint32_t row) const { return leases_[rows_[row].next]; }
  [[nodiscard]] Leases::Terms terms_of(std::uint32_t row) const;
  [[nodiscard]] Rows const& rows() const { return rows_; }
  [[nodiscard]] IdIndex const& ids() const { return ids_; }
  [[nodiscard]] KeyIndex const& keys() const { return *keys_; }
  [[nodiscard]] Order const& order() const { return order_; }
  [[nodiscard]] Leases const& leases() const { return leases_; }
  [[nodiscard]] DedupWindows const& clients() const { return clients_; }
  [[nodiscard]] Regions const& regions() const { return regions_; }
  // Waiting and parked rows that expire; parked rows by when they were parked.
  [[nodiscard]] Deadlines const& expiries() const { return expiries_; }
  // Rows with so many attempts in their lives that an alert is raised. Derived: recounted at a start.
  void set_weary_from(std::uint8_t lifetime) { weary_from_ = lifetime; }
  // The waiting twin takes over this state of its row, so that the alert stays up.
  void pass_weary(std::uint32_t from, std::uint32_t to) {
    if (weary_.contains(from)) weary_.insert(to);
  }
  [[nodiscard]] bool is_weary(std::uint32_t row) const { return weary_.contains(row); }
  [[nodiscard]] Deadlines const& parked() const { return parked_; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  // The next date with work for advance(); the date of the first row that is not due.
  [[nodiscard]] TimeMs next_due() const { return std::min(wheel_.next_due(), TimeMs{order_.next_due()}); }
  [[nodiscard]] TimeMs first_future() const { return wheel_.first_date(); }
  // When a row may become available again; TimeMs::max(): not known. Of the table, or of one domain.
  [[nodiscard]] TimeMs next_date() const;
  [[nodiscard]] TimeMs next_date(std::string_view domain) const;
  [[nodiscard]] std::uint64_t future() const { return wheel_.size(); }
  [[nodiscard]] std::uint64_t behind() const { return behind_; }
  [[nodiscard]] LeaseEpoch last_epoch() const { return last_epoch_; }
  [[nodiscard]] Pause const& pause() const { return pause_; }
  [[nodiscard]] std::uint64_t live_bytes() const {
    return row_record_bytes_ + clients_.live_bytes() + pause_record_bytes(pause_);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] bool payloads_nearly_full() const { return payloads_.is_nearly_full(); }

  // -- schemas ------------------------------------------------------------
  void add_schema(Schema const& schema);
  [[nodiscard]] Schema const* schema(std::uint16_t version) const;

  // -- time ---------------------------------------------------------------
  // New rows with dates up to `now` are due; never goes back.
  void see(std::int64_t now) {
    now_ = std::max(now_, now);
    order_.see(now_);
  }
  bool advance(std::int64_t now, std::size_t budget, TableObserver& observer);
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
  void lease(std::uint32_t row, Leases::Terms const& terms, bool live);
  void renew(std::uint32_t row, Leases::Terms const& terms);
  // An empty error keeps the last one.
  void wait(std::uint32_t row, GiveBackBody const& body, TableObserver& observer);
  void park(std::uint32_t row, ParkBody const& body, TableObserver& observer);
  struct Change {
    std::uint8_t priority;
    std::int64_t date;
    Counters counters;
    Facts facts;  // lengths are those of key, data and error below, failures those of the counters
    std::string_view data;
    std::string_view error;
    model::Pieces const* pieces{nullptr};  // the data, in place of `data`
  };
  // Changes the values of a waiting row, not its key.
  void change(std::uint32_t row, Change const& change, TableObserver& observer);
  // New rules of order; reads all rows if they are reordered.
  void set_rules(Rules rules, TableObserver& observer);

  // -- people -------------------------------------------------------------
  // Paused or draining, by a record at `lsn`.
  void set_pause(ObjectId id, PauseBody const& body, Lsn lsn);
  void end_pause();

  // -- clients ------------------------------------------------------------
  void note(Sender const& sender, ObjectId row, std::int64_t now, Lsn lsn) {
    clients_.note(regions_, sender.client, sender.sequence, row, now, lsn);
  }
  void restore_client(ClientBody const& body, ObjectId segment, Lsn lsn) {
    clients_.restore(regions_, body.name, body.last_used, body.number, segment, body.seen, lsn);
  }
  void own_client(ClientOwnerBody const& body, ObjectId owner, Lsn lsn) {
    clients_.own(regions_, body.name, body.origin, body.last_used, owner, lsn);
  }
  void drop_client(std::string_view name) { clients_.drop(regions_, name); }

 private:
  struct WheelLinks {
    Rows* rows;
    [[nodiscard]] std::uint32_t next(std::uint32_t e) const { return (*rows)[e].next; }
    [[nodiscard]] std::uint32_t prev(std::uint32_t e) const { return (*rows)[e].prev; }
    void set_next(std::uint32_t e, std::uint32_t v) const { (*rows)[e].next = v; }
    void set_prev(std::uint32_t e, std::uint32_t v) const { (*rows)[e].prev = v; }
    [[nodiscard]] std::int64_t date(std::uint32_t e) const { return (*rows)[e].date(); }
    [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const { return (*rows)[a].id() < (*rows)[b].id(); }
  };
  struct Sibling {
    std::uint32_t next{kNoRow};
    std::uint32_t prev{kNoRow};
  };
  struct SchemaUse {
    std::unique_ptr<Schema> schema;  // answers borrow column names: it must not move
    DomainColumn domain;
    std::uint64_t rows{0};
  };

  [[nodiscard]] std::uint32_t hash_of(std::string_view key) const;
  [[nodiscard]] std::uint32_t find_head(std::uint32_t hash, std::string_view key) const;
  [[nodiscard]] KeyRows key_rows(std::uint32_t head) const;
  void link(std::uint32_t row, std::uint32_t hash, std::uint32_t head);
  void unlink(std::uint32_t row, std::string_view key);
  [[nodiscard]] std::string_view domain_text_of(PayloadView const& payload);
  void tell_order(std::uint32_t row, TableObserver& observer);
  void lower_dates(std::uint32_t row, std::int64_t from, std::int64_t to);
  void lower_leases(std::int64_t from, std::int64_t to);
  void enter_waiting(std::uint32_t row, TableObserver& observer);
  // Those in the header; failures are in the payload.
  void set_counters(std::uint32_t index, Counters const& counters);
  void forget_weary(std::uint32_t index, TableObserver& observer);
  void enter_again(std::uint32_t waiting, TableObserver& observer);
  void enter_due(std::uint32_t row, TableObserver& observer);
  void leave(std::uint32_t row, TableObserver& observer);
  // The row is no longer processed: the one behind it may be handed out.
  void free_twin(std::uint32_t row, TableObserver& observer);
  void set_place(std::uint32_t row, Place place);
  void expect_expiry(std::uint32_t row);
  // Returns the handle.
  std::uint32_t write(Facts const& facts, std::string_view key, std::string_view data, std::string_view error);
  void release(std::uint32_t handle, PayloadView const& view);
  void rewrite(std::uint32_t row, PayloadView const& old, Facts const& facts, std::string_view data,
               std::string_view error);
  // The same, with the data as pieces of the old and the new: a large row stays in place.
  void rewrite(std::uint32_t row, PayloadView const& old, Facts const& facts, model::Pieces const& pieces,
               std::string_view error);
  void count_rewritten(PayloadView const& old, Facts const& facts);
  [[nodiscard]] SchemaUse* use_of(std::uint16_t version);

  std::uint64_t hash_seed_;
  Rows rows_;
  PayloadStore payloads_;
  std::optional<KeyIndex> keys_;  // none without row-key
  IdIndex ids_;
  Order order_{rows_, hash_seed_};
  timer::Wheel<WheelLinks> wheel_{WheelLinks{&rows_}};
  Leases leases_{hash_seed_};
  DedupWindows clients_{hash_seed_};
  Regions regions_;
  Pause pause_;
  Deadlines expiries_;
  Deadlines parked_;
  absl::btree_set<std::uint32_t> weary_;
  std::uint8_t weary_from_{UINT8_MAX};
  absl::flat_hash_map<std::uint32_t, Sibling> siblings_;  // of rows that share their key with others
  std::vector<SchemaUse> schemas_;
  std::int64_t now_{0};
  LeaseEpoch last_epoch_{};
  std::uint64_t row_record_bytes_{0};
  std::uint64_t behind_{0};
  std::string domain_scratch_;
  // The row asked for last.
  mutable ObjectId last_id_{};
  mutable std::uint32_t last_row_{kNoRow};
};

}  // namespace fastjournal::journal
