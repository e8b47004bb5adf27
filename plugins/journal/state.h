// What a journal holds: rows in their slabs with every index over them, leases,
// clients and schemas. Whoever changes a row through here leaves all of them in step.
// Knows the rules of places (what is due, what is behind its twin), none of commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
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
  explicit State(std::uint64_t hash_seed);

  // -- reading ------------------------------------------------------------
  [[nodiscard]] std::uint32_t find(ObjectId id) const;
  // What is decided about a row is applied right after: its record need not be looked up again.
  void remember(std::uint32_t row) const {
    last_id_ = rows_[row].id();
    last_row_ = row;
  }
  // Its payload will be wanted soon.
  void expect(std::uint32_t row) const { fastjournal::prefetch(payloads_.at(rows_[row].payload)); }
  [[nodiscard]] KeyRows find_key(std::string_view key) const;
  // The key will be looked for soon.
  void prefetch(std::string_view key) const { keys_.prefetch(hash_of(key)); }
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
  [[nodiscard]] KeyIndex const& keys() const { return keys_; }
  [[nodiscard]] Order const& order() const { return order_; }
  [[nodiscard]] Leases const& leases() const { return leases_; }
  [[nodiscard]] DedupWindows const& clients() const { return clients_; }
  [[nodiscard]] Regions const& regions() const { return regions_; }
  // Waiting and parked rows that expire; parked rows by when they were parked.
  [[nodiscard]] Deadlines const& expiries() const { return expiries_; }
  // Rows that failed or timed out so often in their lives that somebody should know (derived: what a restart finds is what it counts).
  void set_weary_from(std::uint8_t lifetime) { weary_from_ = lifetime; }
  // The waiting twin takes over what became of its row.
  void pass_weary(std::uint32_t from, std::uint32_t to) {
    if (weary_.contains(from)) weary_.insert(to);
  }
  [[nodiscard]] bool is_weary(std::uint32_t row) const { return weary_.contains(row); }
  [[nodiscard]] Deadlines const& parked() const { return parked_; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  // When advance() has something to do; the date of the first row that is not due.
  [[nodiscard]] TimeMs next_due() const { return std::min(wheel_.next_due(), TimeMs{order_.next_due()}); }
  [[nodiscard]] TimeMs first_future() const { return wheel_.first_date(); }
  // When there may be something to hand out again; TimeMs::max(): nobody knows. Of the table, or of one domain.
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
  // Dates up to `now` are due from here on for what comes; never goes back.
  void see(std::int64_t now) {
    now_ = std::max(now_, now);
    order_.see(now_);
  }
  bool advance(std::int64_t now, std::size_t budget, TableObserver& observer);
  // The clock was ahead: it is `to`, and was `from`. Later dates of what has been become `to`, leases end earlier by
  // the difference, and rows whose date is still to come wait for it again. Looks at all rows.
  void lower_clock(std::int64_t from, std::int64_t to, TableObserver& observer);

  // -- rows ---------------------------------------------------------------
  // False: the body does not fit (a second waiting row of the key, an unknown schema).
  [[nodiscard]] bool add(ObjectId id, RowBody const& body, Lsn lsn, TableObserver& observer);
  void remove(std::uint32_t row, TableObserver& observer);
  // The row's latest whole record stands here now.
  void moved(std::uint32_t row, Lsn lsn);
  // `live`: handed out just now, not replayed.
  void lease(std::uint32_t row, Leases::Terms const& terms, bool live);
  void renew(std::uint32_t row, Leases::Terms const& terms);
  // An error that is empty leaves the last one.
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
  // A waiting row with other values; the key stays.
  void change(std::uint32_t row, Change const& change, TableObserver& observer);
  // Other rules of order; as many rows as there are have to be looked at if they change places.
  void set_rules(Rules rules, TableObserver& observer);

  // -- people -------------------------------------------------------------
  // Paused or draining, as a record at `lsn` says.
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
    std::unique_ptr<Schema> schema;  // column names are borrowed by answers: it stays where it is
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
  // Those of the header; failures stand with the facts.
  void set_counters(std::uint32_t index, Counters const& counters);
  void forget_weary(std::uint32_t index, TableObserver& observer);
  void enter_again(std::uint32_t waiting, TableObserver& observer);
  void enter_due(std::uint32_t row, TableObserver& observer);
  void leave(std::uint32_t row, TableObserver& observer);
  // The row stops being processed: the one behind it may go.
  void free_twin(std::uint32_t row, TableObserver& observer);
  void set_place(std::uint32_t row, Place place);
  void expect_expiry(std::uint32_t row);
  // Returns the handle.
  std::uint32_t write(Facts const& facts, std::string_view key, std::string_view data, std::string_view error);
  void release(std::uint32_t handle, PayloadView const& view);
  void rewrite(std::uint32_t row, PayloadView const& old, Facts const& facts, std::string_view data,
               std::string_view error);
  // The same, where the data is told as pieces of what is there and others: a large row stays where it is.
  void rewrite(std::uint32_t row, PayloadView const& old, Facts const& facts, model::Pieces const& pieces,
               std::string_view error);
  void count_rewritten(PayloadView const& old, Facts const& facts);
  [[nodiscard]] SchemaUse* use_of(std::uint16_t version);

  std::uint64_t hash_seed_;
  Rows rows_;
  PayloadStore payloads_;
  KeyIndex keys_;
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
