// The journal table: prioritised, delayed, de-duplicating rows with leases, time-outs and expiry. The class connects
// the state (state.h) with the contract: decide* reads it and appends records, only apply writes it. One file for each
// subject: decide_insert, decide_work, decide_people, decide_bulk, decide_time, apply, describe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/journal/filter.h"
#include "plugins/journal/options.h"
#include "plugins/journal/parameters.h"
#include "plugins/journal/records.h"
#include "plugins/journal/state.h"
#include "plugins/journal/statistics.h"

namespace fastjournal::journal {

// The table type: exported by the plugin, linked by tests and the simulator.
[[nodiscard]] PluginDescriptor const& table_type();

class Journal final : public Table, public Timed, public Holder, public Work, public Columns, public Followed {
 public:
  Journal(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
          std::shared_ptr<TableDeclaration const> declaration);

  // Checks that the loader of the XML cannot make: ok, or the problem.
  [[nodiscard]] static Status check(TableDeclaration const& declaration);

  [[nodiscard]] Capabilities capabilities() override {
    return {.timed = this, .holder = this, .topics = this, .work = this, .columns = this, .followed = this};
  }

  [[nodiscard]] TimeMs next_due() const override;
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) override;
  bool decide_timer(Decision& decision) const override;

  Verdict decide(Command const& command, Decision& decision) const override;
  bool decide_connection_closed(ConnectionId connection, Decision& decision) const override;
  bool decide_recovered(Decision& decision) const override;
  bool decide_time_lost(DurationMs lost, Decision& decision) const override;
  void decide_clock_accepted(TimeMs from, Decision& decision) const override;
  [[nodiscard]] std::uint64_t available(std::string_view topic) const override;

  [[nodiscard]] Status check_topic(std::string_view topic) const override;
  [[nodiscard]] ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t looks,
                                        std::vector<ObjectId>& found) const override;
  [[nodiscard]] std::string_view topic_of(ObjectId object) const override;
  [[nodiscard]] bool announce(ObjectId object, Answer& answer) const override;

  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context,
                           TableObserver& observer) noexcept override;
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t record_type) const override {
    return journal::newest_version(static_cast<RecordType>(record_type));
  }
  void prefetch(RecordView const& record) const noexcept override;
  void add_schema(Schema const& schema) override { state_.add_schema(schema); }

  [[nodiscard]] Lsn oldest_lsn() const override { return state_.regions().oldest(); }
  Restated restate_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const override;
  void snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const override;
  [[nodiscard]] bool apply_to_part(SnapshotCursor const& cursor, RecordView const& record,
                                   TableObserver& observer) noexcept override;
  [[nodiscard]] std::uint64_t live_bytes() const override { return state_.live_bytes(); }
  [[nodiscard]] std::uint64_t memory_bytes() const override {
    return state_.memory_bytes() + statistics_.memory_bytes();
  }

  void digest(DigestSink& sink) const override;
  void metrics(TimeMs now, MetricSink& sink) const override;

  [[nodiscard]] Status check_change(TableDeclaration const& next) const override;
  void change(std::shared_ptr<TableDeclaration const> next) override;

  // For tests and benchmarks.
  [[nodiscard]] State const& state() const { return state_; }

 private:
  using Handler = Verdict (Journal::*)(Command const&, Decision&) const;
  struct Named;  // a command's name and handler
  friend Status check_type(TypeDeclaration const& type);

  void set_rules();

  // -- commands -----------------------------------------------------------
  Verdict insert(Command const& command, Decision& decision) const;
  Verdict next(Command const& command, Decision& decision) const;
  Verdict touch(Command const& command, Decision& decision) const;
  Verdict done(Command const& command, Decision& decision) const;
  Verdict release(Command const& command, Decision& decision) const;
  Verdict fail(Command const& command, Decision& decision) const;
  Verdict remove(Command const& command, Decision& decision) const;
  Verdict kick(Command const& command, Decision& decision) const;
  Verdict peek(Command const& command, Decision& decision) const;
  void tell_key(Command const& command, Decision& decision, std::function<bool(std::uint32_t row)> const& tell) const;
  [[nodiscard]] static Status refuse_page_of_row(Command const& command);
  [[nodiscard]] static std::uint64_t bytes_of_last(Answer const& answer);
  Verdict list(Command const& command, Decision& decision) const;
  Verdict why(Command const& command, Decision& decision) const;
  Verdict pause(Command const& command, Decision& decision) const;
  Verdict drain(Command const& command, Decision& decision) const;
  Verdict resume(Command const& command, Decision& decision) const;

  // -- insert -------------------------------------------------------------
  struct Wish;  // the checked parameters of an INSERT
  [[nodiscard]] Status read_wish(Command const& command, std::int64_t now, Wish& wish) const;
  Verdict insert_row(Wish const& wish, bool behind, Decision& decision) const;
  Verdict merge_into(std::uint32_t row, bool behind, Wish const& wish, Decision& decision) const;
  Verdict answer_stale(std::uint32_t row, Wish const& wish, Decision& decision) const;
  void answer_inserted(Decision& decision, ObjectId row, std::string_view result, std::uint32_t merges,
                       std::int64_t date) const;
  [[nodiscard]] std::uint32_t newest_of(KeyRows const& rows) const;
  // Whether this origin may use that client's name; notes in the wish which records that needs.
  [[nodiscard]] Status check_client(DedupWindows::Client const* client, std::string_view origin, Wish& wish) const;
  // Appends the records of the wish about its client, with the first record of the insert.
  void claim_client(Wish const& wish, Decision& decision) const;
  [[nodiscard]] Status merged_data(std::uint32_t row, Wish const& wish, std::string& scratch, MergeBody& body) const;

  // -- work ---------------------------------------------------------------
  Verdict give_next(Command const& command, Decision& decision, std::uint64_t count, std::int64_t lease_ms,
                    std::int64_t wait_ms) const;
  Verdict give_nothing_as_paused(Decision& decision, std::int64_t wait_ms) const;
  // When a row may become available: the first process date or end of a lease; max() if there is neither.
  [[nodiscard]] TimeMs next_date() const;
  Verdict give_row(std::uint32_t row, Command const& command, Decision& decision, std::uint64_t count,
                   std::int64_t lease_ms) const;
  void check_domain(Parameters& parameters) const;
  Verdict give_nothing(Decision& decision, std::int64_t wait_ms, TimeMs next_date) const;
  [[nodiscard]] std::int64_t lease_span(Parameters& parameters) const;
  // The leased row with the command's row and epoch, or kNoRow and a status.
  std::uint32_t find_leased(Parameters& parameters, Decision& decision) const;
  // The state of a row after its processing.
  struct Ended {
    enum How : std::uint8_t { waits, parked, deleted } how;
    std::int64_t date;  // for which it, or its twin, waits
  };
  // Returns the row: it waits, is merged into its waiting twin, or is removed because it has expired.
  Ended give_back(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  Ended end_attempt(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  Ended give_up(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  Ended put_back(std::uint32_t row, Decision& decision) const;  // as KICK does
  [[nodiscard]] std::int64_t rested(std::uint32_t row, Counters const& counters, std::int64_t now) const;
  void answer_ended(ObjectId row, std::string_view waiting, Ended const& ended, Decision& decision) const;
  void time_out(std::uint32_t row, Decision& decision) const;

  // -- people -------------------------------------------------------------
  [[nodiscard]] Status read_target(Command const& command, std::int64_t now, ObjectId& row, std::string& key) const;
  // The command's key columns; refused where rows have no keys.
  [[nodiscard]] Status read_key(Command const& command, std::string& key) const;
  void kick_row(std::uint32_t row, Decision& decision) const;
  [[nodiscard]] bool is_visible(std::uint32_t row, std::int64_t now) const;
  void describe_row(std::uint32_t row, Answer& answer) const;
  void add_row_columns(std::uint32_t row, PayloadView const& view, Answer& answer) const;
  [[nodiscard]] Status unknown_row(ObjectId row) const;
  [[nodiscard]] Status unknown_key() const;
  // The filter of LIST, KICK and DELETE; uses key_.
  [[nodiscard]] Status read_filter(Command const& command, Filter& filter) const;
  [[nodiscard]] bool fits(std::uint32_t row, Filter const& filter, std::int64_t now) const;
  [[nodiscard]] static bool is_bulk(Command const& command);
  [[nodiscard]] Status read_bulk(Command const& command, Filter& filter) const;
  Verdict change_many(Command const& command, Decision& decision) const;
  class Reasons;
  class Candidates;
  void tell_unknown(ObjectId row, Answer& answer) const;

  // -- pauses -------------------------------------------------------------
  [[nodiscard]] bool is_paused() const { return state_.pause().standing == Standing::paused; }
  [[nodiscard]] std::string pause_text() const;
  [[nodiscard]] Status refused_by_pause(std::string_view what) const;
  Verdict stand(Standing standing, std::string_view answer, Command const& command, Decision& decision) const;
  bool pause_after_failures(Decision& decision) const;

  // -- time ---------------------------------------------------------------
  bool expire_some(Decision& decision) const;
  [[nodiscard]] std::int64_t parked_until() const;
  [[nodiscard]] std::int64_t client_until() const;
  bool renew_without_connection(std::uint32_t lease, Decision& decision) const;

  // -- applying -----------------------------------------------------------
  enum class Known : std::uint8_t { yes, dropped, damage };
  Known look(ObjectId id, ApplyContext const& context, std::uint32_t& row);
  bool apply_row(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_merge(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_lease(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_renew(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_give_back(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_fold(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_park(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_remove(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_seen(RecordView const& record);
  bool apply_client(RecordView const& record);
  bool apply_client_owner(RecordView const& record);
  bool apply_pause(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_resume(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_clock(RecordView const& record, TableObserver& observer);
  void note_failure(bool done, bool failed);
  void measure_lease(std::uint32_t row, std::int64_t began, ApplyContext const& context);
  void measure_done(std::uint32_t row, ApplyContext const& context);
  // "3 attempts (2 failed, 1 timed out), 5 in its life"
  [[nodiscard]] static std::string attempts_text(Counters const& counters);
  void alert_weary(std::uint32_t row, ApplyContext const& context, TableObserver& observer) const;
  void alert_failed(std::uint32_t row, RemoveBody const& deleted, ApplyContext const& context,
                    TableObserver& observer) const;

  // A replay counts nothing.
  void count(ApplyContext const& context, std::uint64_t Statistics::*what) {
    if (context.live) ++(statistics_.*what);
  }
  void describe_statistics(MetricSink& sink) const;

  TableId id_;
  std::shared_ptr<TypeDeclaration const> type_;
  std::shared_ptr<TableDeclaration const> declaration_;
  Options options_;
  bool has_merge_rules_{false};
  std::vector<Handler> handlers_;  // by Command::index
  State state_;
  // decide counts events without a record of their own.
  mutable Statistics statistics_;
  std::uint64_t records_ignored_{0};
  // Rows given up since the last DONE, as far as the log still has them.
  std::uint32_t failures_in_row_{0};
  // Memory that decide reuses; its contents do not last.
  mutable std::string key_;
  mutable std::string data_;
  mutable std::string merged_;
  mutable model::Pieces pieces_;
  mutable std::vector<DedupWindows::Seen> seen_;
  mutable std::vector<std::uint32_t> candidates_;
  // Where the next search for rows to copy forward, or for leases of former starts, begins. A hint: the search covers
  // all from anywhere.
  mutable std::uint32_t restate_row_{0};
  mutable std::uint32_t restate_client_{0};
  mutable std::uint32_t recovered_lease_{0};
};

}  // namespace fastjournal::journal
