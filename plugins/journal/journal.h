// The journal table: prioritised, delayed, de-duplicating rows with leases, time-outs and expiry. It is built on rows
// (plugins/rows), which apply their records and keep the state; a journal adds commands, options, pauses, statistics and
// alerts. This class puts them together and answers the contract: a command is decided by one of the parts below (their
// heads say by which), appends records, and only apply changes what these say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/journal/awaited.h"
#include "plugins/journal/changes.h"
#include "plugins/journal/effects.h"
#include "plugins/journal/figures.h"
#include "plugins/journal/grouping.h"
#include "plugins/journal/inserts.h"
#include "plugins/journal/lookups.h"
#include "plugins/journal/overview.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/recall.h"
#include "plugins/journal/scheduling.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/spill.h"
#include "plugins/journal/statistics.h"
#include "plugins/journal/workers.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/row_table.h"
#include "plugins/rows/schedules.h"
#include "plugins/rows/table_type.h"
#include "plugins/rows/timers.h"

namespace fastjournal::journal {

// The table type: exported by the plugin, linked by tests and the simulator.
[[nodiscard]] PluginDescriptor const& table_type();

class Journal final : public Table,
                      public Timed,
                      public Holder,
                      public Work,
                      public Columns,
                      public Followed,
                      public Stores,
                      public Offloads,
                      public Promises {
 public:
  Journal(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
          std::shared_ptr<TableDeclaration const> declaration);

  // Checks that the loader of the XML cannot make: ok, or the problem.
  [[nodiscard]] static Status check(TableDeclaration const& declaration);
  [[nodiscard]] static std::span<rows::NamedCommand<Journal> const> commands();

  [[nodiscard]] Capabilities capabilities() override { return capabilities_of(*this); }

  // -- deciding -----------------------------------------------------------
  Verdict decide(Command const& command, Decision& decision) const override {
    return commands_.decide(*this, command, decision);
  }
  bool decide_timer(Decision& decision) const override;
  bool decide_connection_closed(ConnectionId connection, Decision& decision) const override {
    return timers_.connection_closed(connection, decision);
  }
  bool decide_recovered(Decision& decision) const override { return timers_.recovered(decision); }
  bool decide_time_lost(DurationMs lost, Decision& decision) const override {
    return timers_.time_lost(lost, decision);
  }
  void decide_clock_accepted(TimeMs from, Decision& decision) const override { timers_.clock_accepted(from, decision); }

  // -- applying -----------------------------------------------------------
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context,
                           TableObserver& observer) noexcept override;
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t record_type) const override {
    return journal::newest_version(record_type);
  }
  void prefetch(RecordView const& record) const noexcept override { rows_.prefetch(record); }
  [[nodiscard]] TimeMs next_due() const override {
    return std::min({timers_.next_due(), TimeMs{statistics_.attempts.next_look()}, TimeMs{scheduling_.next_due()},
                     TimeMs{schedules_.next_late()}, TimeMs{figures_.next_due()},
                     rows_.history().next_due(history_limits())});
  }
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) override {
    statistics_.attempts.look(now.value, observer);
    if (schedules_.next_late() <= now.value) schedules_.look(now.value, settings_.table(), observer);
    return rows_.advance(now, budget, observer);
  }

  // -- work ---------------------------------------------------------------
  [[nodiscard]] std::uint64_t available(std::string_view topic) const override;
  [[nodiscard]] Status check_topic(std::string_view topic) const override { return selection_.check_domain(topic); }
  [[nodiscard]] ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                        std::vector<ObjectId>& found) const override {
    return rows_.find_available(topic, after, work_units, found);
  }
  [[nodiscard]] std::string_view topic_of(ObjectId object) const override { return rows_.topic_of(object); }
  [[nodiscard]] bool announce(ObjectId object, Answer& answer) const override;

  // -- values outside the log -----------------------------------------------
  [[nodiscard]] Status can_do_without() const override;
  [[nodiscard]] Status request_store(Command const& command, TimeMs now, StoreRequest& request) const override {
    static_cast<void>(now);
    return command.index == insert_ && settings_.options().spill != 0 ? spill_.request(*command.message, request)
                                                                      : Status{};
  }
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                           std::vector<Extent>& found) const override {
    return list_all_extents(cursor, work_units, found);
  }

  // -- pages of the history: no command brings bytes ---------------------------
  void fetched(Extent const& extent, std::string_view bytes, Status const& status) override {
    rows_.history().keep(extent, bytes, status);
  }
  [[nodiscard]] bool request_offload(std::vector<std::string>& values) override {
    return rows_.history().request_offload(values);
  }
  [[nodiscard]] bool decide_offloaded(std::span<StoredValue const> values, Decision& decision) const override {
    rows_.history().decide_offloaded(values, decision);
    return false;
  }
  void offload_failed(Status const&) override { rows_.history().offload_failed(); }

  // -- transactions -------------------------------------------------------
  void hold(TransactionId transaction, Hold const& hold) override { rows_.hold(transaction, hold); }
  void release(TransactionId transaction) override { rows_.release(transaction); }
  bool decide_given_up(TransactionId transaction, Decision& decision) const override {
    return timers_.given_up(transaction, decision);
  }

  // -- space, followers ---------------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const override;
  Compacted compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const override;
  void snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const override;
  [[nodiscard]] bool apply_to_part(SnapshotCursor const& cursor, RecordView const& record,
                                   TableObserver& observer) noexcept override;
  [[nodiscard]] std::uint64_t live_bytes() const override {
    return rows_.live_bytes() + pauses_.live_bytes() + schedules_.live_bytes() + figures_.live_bytes();
  }
  [[nodiscard]] std::uint64_t memory_bytes() const override {
    return rows_.memory_bytes() + statistics_.memory_bytes() + schedules_.memory_bytes() + figures_.memory_bytes() +
           awaited_.memory_bytes();
  }

  // -- people, reload -----------------------------------------------------
  void digest(DigestSink& sink) const override;
  void metrics(TimeMs now, MetricSink& sink) const override;
  [[nodiscard]] Status check_change(TableDeclaration const& next) const override;
  void change(std::shared_ptr<TableDeclaration const> next) override;
  void add_schema(Schema const& schema) override { rows_.add_schema(schema); }

  // For tests and benchmarks.
  [[nodiscard]] rows::RowTable const& rows() const { return rows_; }
  [[nodiscard]] rows::State const& state() const { return rows_.state(); }
  [[nodiscard]] rows::Schedules const& schedules() const { return schedules_; }

 private:
  void set_rules();
  [[nodiscard]] rows::HistoryLimits history_limits() const;
  [[nodiscard]] std::uint64_t list_all_extents(std::uint64_t cursor, std::uint32_t work_units,
                                               std::vector<Extent>& found) const;

  Settings settings_;
  rows::RowTable rows_;
  rows::Schedules schedules_;
  Figures figures_;
  Pauses pauses_;
  // decide counts events without a record of their own.
  mutable Statistics statistics_;
  mutable FastClocks fast_clocks_;
  mutable Awaited awaited_;
  Effects effects_;
  rows::Attempts attempts_;
  rows::Timers timers_;
  Selection selection_;
  Spill spill_;
  Dependencies dependencies_;
  Inserts inserts_;
  Scheduling scheduling_;
  Workers workers_;
  Lookups lookups_;
  Changes changes_;
  Grouping grouping_;
  Overview overview_;
  rows::Commands<Journal> const commands_;
  std::uint16_t const insert_;  // its index
  Recall recall_;
};

}  // namespace fastjournal::journal
