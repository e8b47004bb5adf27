// The engine: connects tables, their logs, time and waiting clients. It knows neither sockets nor files. One thread. It
// is composed twice, by the daemon and by the simulator.
//
// A turn: execute() for each command that came; run_timers(); end_of_turn();
// then the owner commits the logs (Log::commit), calls committed(), and sends
// what the ReplySink was given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/alerts.h"
#include "core/due_heap.h"
#include "core/group.h"
#include "core/hosted.h"
#include "core/volatile_log.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::core {

// Receives later answers and pushes. Like every answer they may be sent once the log of the table is durable.
class ReplySink : public Keeper {
 public:
  // The answer to a command that was parked, in place of the direct one.
  virtual void answer(HostedTable const& table, ConnectionId connection, Message const& command, Answer& answer,
                      Status const& status) = 0;
  // Pushes; not while is_full. `due` is when they became due, for measuring lateness; 0: not measured, as they were due
  // before there was a listener.
  virtual void push(HostedTable const& table, ConnectionId connection, Answer& messages, TimeMs due,
                    ListenMode mode) = 0;
  // This topic of a table that declares a wake-message has work that nobody takes.
  virtual void tell_wake(HostedTable const&, std::string_view) {}
  // True while the connection has more unsent output than its limit. Engine::writable is called when that has ended.
  [[nodiscard]] virtual bool is_full(ConnectionId connection) = 0;

 protected:
  ~ReplySink() = default;
};

// As people and programs compare it: 16 digits.
[[nodiscard]] std::string digest_text(std::uint64_t digest);

using Declaration = std::shared_ptr<TableDeclaration const>;
using Declarations = std::vector<Declaration>;

class Engine {
 public:
  Engine(TableTypes const& types, ReplySink& replies);
  Engine(Engine const&) = delete;
  Engine& operator=(Engine const&) = delete;
  ~Engine();

  // -- start ------------------------------------------------------------------
  // In this order: 1. the declarations of conf/; 2. a book for each log; 3. its whole catalogue (table 0), then its
  // records in order; 4. the log itself; 5. once for all logs, the changes by conf/. `forget`: tables that the
  // administrator drops with their rows: a declaration for each name and possible type, so that the rows can be
  // counted.
  void declare(Declarations declarations, Declarations forget = {});
  // The seed for hashes of clients' names (TableContext::hash_seed); call it before the first table is made.
  void hash_with(std::uint64_t seed) { hash_seed_ = seed; }
  struct Forgotten {
    std::string table;
    std::string log;
    std::optional<std::uint64_t> rows;  // not known: its plugin is missing, or cannot read them
  };
  // Known once finish_recovery is over.
  [[nodiscard]] std::vector<Forgotten> const& forgotten() const { return forgotten_; }
  HostedLog& add_log(std::string name);
  [[nodiscard]] Status replay_catalogue(HostedLog& log, RecordView const& record);
  [[nodiscard]] Status replay(HostedLog& log, RecordView const& record, Lsn base);
  // This record will be replayed soon.
  static void prefetch(HostedLog const& log, RecordView const& record) {
    auto const found = log.tables.find(record.table);
    if (found != log.tables.end() && found->second != nullptr) found->second->table->prefetch(record);
  }
  [[nodiscard]] Status attach(HostedLog& hosted, Log& log);
  // New tables and schemas enter the catalogues. The owner commits before it serves.
  [[nodiscard]] Status finish_recovery(TimeMs now);
  // The largest date any log knows: `now` never goes below it,
  [[nodiscard]] TimeMs last_now() const;
  // except by this call, before finish_recovery: the clock was ahead, and `now` is right.
  [[nodiscard]] Status accept_clock(TimeMs now);

  // For the rows of all tables; above it additions are refused (no_space).
  void limit_memory(std::uint64_t bytes) { memory_bytes_max_ = bytes; }
  // The process has run out of memory, or has memory again: meanwhile additions are refused (no_space).
  void set_memory_ended(bool ended) { memory_ended_ = ended; }

  // While a log does not serve, nothing is decided for its tables: timers, waiting commands and listeners wait. The
  // owner refuses commands on its tables. `why`: for people.
  void set_serving(HostedLog& log, bool serves, std::string why);

  // -- commands ---------------------------------------------------------------
  [[nodiscard]] HostedTable* find_table(std::string_view name);
  [[nodiscard]] std::vector<std::unique_ptr<HostedTable>> const& tables() const { return tables_; }
  // False: the answer comes later, through the ReplySink. Otherwise `answer` holds
  // the answer, or `status` why there is none.
  [[nodiscard]] bool execute(HostedTable& table, Command const& command, TimeMs now, Answer& answer, Status& status);
  // A second LISTEN of the same connection, table and topic changes its mode and credit.
  [[nodiscard]] Status listen(HostedTable& table, ConnectionId connection, ListenWish const& wish);
  [[nodiscard]] Status unlisten(HostedTable& table, ConnectionId connection, std::string_view topic);
  // Receivers of wake messages may have been down: wakes for all available work are sent again, to `service` only, or
  // to all if it is empty.
  void tell_wakes_again(std::string_view service = {});
  // It was full, and accepts messages again.
  void writable(ConnectionId connection);
  void connection_closed(ConnectionId connection, TimeMs now);

  // -- time -------------------------------------------------------------------
  [[nodiscard]] TimeMs next_due() const { return std::min(due_.first_date(), reset_due_); }
  // So much of the time up to `now` was lost (engine_time.cpp): it is recorded, and leases are extended by it. Called
  // before anything else uses this `now`.
  void lose_time(Catalogue::Clock::Why why, DurationMs lost, TimeMs now);
  // Bounded; true if more is due.
  [[nodiscard]] bool run_timers(TimeMs now);
  // Parked commands and wakes. True if it wants another turn.
  [[nodiscard]] bool end_of_turn(TimeMs now);
  // After every log committed: moves bases, copies a little forward, and drops the records of empty logs. The next turn
  // commits that: true if another turn is wanted.
  [[nodiscard]] bool committed(TimeMs now);

  // -- reload -----------------------------------------------------------------
  [[nodiscard]] Declarations const& declarations() const { return declarations_; }
  // Not ok: some changes are impossible; one line for each, with the reason. Nothing is changed.
  [[nodiscard]] Status check_reload(Declarations const& next) const;
  // The changes that reload would make, one line each; call it after check_reload returned ok.
  [[nodiscard]] std::vector<std::string> preview_reload(Declarations const& next) const;
  // Makes the changes; call it after check_reload returned ok. Returns the same as preview_reload.
  [[nodiscard]] Result<std::vector<std::string>> reload(Declarations const& next, TimeMs now);

  // -- alerts (engine_alerts.cpp) ---------------------------------------------
  // An alert that is raised again within this time is only counted.
  void set_alert_interval(DurationMs interval) { alert_interval_ = interval; }
  // Of the daemon itself. Logged, like those of tables, by the group or the end of turn that follows.
  void raise_alert(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags);
  void lower_alert(std::string_view name);
  [[nodiscard]] bool alert_is_up(std::string_view name) const;
  // Lowers disk-short and memory-short once they are over; true while one is up: ask again in a second.
  [[nodiscard]] bool check_shortages(TimeMs now);
  // Lowered by a person; `table` null: an alert of the daemon. not_found if there is none.
  [[nodiscard]] Status lower_by_hand(HostedTable const* table, std::string_view name, TimeMs now);
  // By log, table and name; of logs that serve.
  [[nodiscard]] std::vector<Alert> alerts() const;
  // Alerts to be sent once the logs are committed; each is returned once.
  [[nodiscard]] std::vector<AlertNotice> take_notices() { return std::exchange(notices_, {}); }
  // Alerts for which there was no room (kAlertsMax and other limits).
  [[nodiscard]] std::uint64_t alerts_dropped() const { return alerts_dropped_ + pending_alerts_.dropped(); }

  // -- work -------------------------------------------------------------------
  // Work since the start, counted in objects looked at; steps and records count as several. Its growth limits a turn.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  // The cost, in these units, of one step of a command or timer, and of one applied record.
  static constexpr std::uint64_t kLooksPerStep = 48;
  static constexpr std::uint64_t kLooksPerRecord = 16;

  // -- people -----------------------------------------------------------------
  static void metrics(HostedTable const& table, TimeMs now, MetricSink& sink);
  // The logs that are kept; after them, if a table is not persistent, the volatile one.
  [[nodiscard]] std::vector<std::unique_ptr<HostedLog>> const& logs() const { return logs_; }
  // Of everything that a replay reproduces.
  [[nodiscard]] std::uint64_t digest() const;
  // Of one log, whatever its name.
  [[nodiscard]] static std::uint64_t digest(HostedLog const& log);

 private:
  class Collector;
  friend class Collector;

  static constexpr std::uint32_t kTimerStepsPerTurn = 64;
  // Some 2 ms each in one turn: for timers, for leases of lost connections, and for waiting clients.
  static constexpr std::uint64_t kTimerLooksPerTurn = 48U << 10U;
  static constexpr std::uint64_t kCloseLooksPerTurn = 48U << 10U;
  static constexpr std::uint64_t kServeLooksPerTurn = 48U << 10U;
  static constexpr std::size_t kAlertsPerGroup = 4;
  // Added to a group by the engine: the date, and alerts that are lowered and raised again.
  static constexpr std::size_t kGroupBytes = Catalogue::kClockBytes + kAlertsPerGroup * 2 * AlertBook::kRecordBytesMax;
  enum class Ending : std::uint8_t { finished, more, no_space };

  Status host_replayed(HostedLog& log);
  Status create_replayed(HostedLog& log, TableId id, Catalogue::TableEntry const& entry, Schema const& schema);
  Status adopt(Declaration const& declaration, TimeMs now);
  Status create_new(Declaration const& declaration, HostedLog& log, TimeMs now);
  Status change(HostedTable& table, Declaration const& declaration, TimeMs now);
  [[nodiscard]] static Schema const& latest_schema(HostedTable const& table);
  void describe_changes(HostedTable const& table, TableDeclaration const& next,
                        std::vector<std::string>& changes) const;
  static void change_feed(HostedTable& table);
  Status check_one(Declaration const& declaration) const;
  Status drop(HostedTable& table, TimeMs now);
  void free_dropped();
  void name_tables();
  Status log_in_catalogue(HostedLog& log, TimeMs now, std::size_t bytes, std::function<void(Records&)> const& append);
  // Within what was reserved; the group stays open.
  void append_to_catalogue(HostedLog& log, std::function<void(Records&)> const& append);
  void end_forgotten(HostedTable& table);
  [[nodiscard]] Status drop_forgotten(TimeMs now);
  Status host(HostedLog& log, TableId id, TableType const& type, Declaration declaration);
  [[nodiscard]] HostedLog* find_log(std::string_view name) const;
  // For what the daemon says of itself: the first that is local.
  [[nodiscard]] HostedLog& own_log() const;
  [[nodiscard]] HostedTable* find(std::string_view name) const;
  [[nodiscard]] Declaration declared(std::string_view name) const;

  struct Outcome {
    Verdict verdict;
    TimeMs wait_until;
    std::string_view wait_topic;
    Take take{Take::no};
  };
  // The one path of commands, and of parked commands that are tried again.
  Outcome run(HostedTable& table, Command const& command, TimeMs now, bool waited, Answer& answer, Status& status);
  static void say_something(HostedTable const& table, Answer& answer, Status const& status);
  // One loop for all decisions without a command (timers, recovery, closed connections): calls `decide` until it
  // returns false, within a budget of steps.
  Ending decide_by_itself(HostedTable& table, TimeMs now, std::uint32_t steps_max, Durability durability,
                          std::function<bool(Decision&)> const& decide);
  // False: there was no room in the log, and the rest is told later.
  bool tell_lost(HostedTable& table, TimeMs now);
  Status accept_clock_in(HostedLog& log, TimeMs now);
  void close_group(HostedLog& log, TimeMs now, Durability durability);
  void end_group(HostedLog& log, TimeMs now, Durability durability);
  void end_waiting(HostedTable& table);
  // Serves waiting clients at the end of a turn (engine_listen.cpp); true: more is left for the next one.
  [[nodiscard]] bool serve(HostedTable& table, TimeMs now);
  [[nodiscard]] bool answer_overdue(HostedTable& table, TimeMs now);
  [[nodiscard]] bool answer_parked(HostedTable& table, WaitingCommand const& parked, TimeMs now, bool over);
  [[nodiscard]] bool hand_out(HostedTable& table, TimeMs now);
  [[nodiscard]] bool deliver(HostedTable& table, Subscriptions::Turn const& turn, TimeMs now);
  void wake_listeners(HostedTable& table, TimeMs now);
  [[nodiscard]] bool tell_wakes(HostedTable& table, TimeMs now);
  // The next date at which time alone concerns waiting clients or listeners.
  [[nodiscard]] static TimeMs next_deadline(HostedTable const& table);
  [[nodiscard]] bool announce(HostedTable& table);
  std::uint32_t tell_all(HostedTable& table, Subscriptions::Topic& topic, Subscriptions::Event const& event);
  void tell_missed(HostedTable& table);
  void tell_page(HostedTable& table, Subscriptions::Listener& listener);
  void mark_dirty(HostedTable& table);
  // The table changed: its next date and its memory.
  void refresh(HostedTable& table);
  void remember_table_of(ConnectionId connection, HostedTable const& table);
  // Leases of lost connections, as many as the turn allows.
  void close_some(TimeMs now);
  void move_base(HostedLog& log);
  // For tables that are not persistent.
  [[nodiscard]] Status host_volatile_log(TimeMs now);
  [[nodiscard]] Status reserve_numbers(TimeMs now);
  bool copy_forward(HostedLog& log, TimeMs now);
  [[nodiscard]] bool must_copy(HostedLog const& log, LogUsage const& usage) const;
  [[nodiscard]] std::uint64_t copy_reserve(LogUsage const& usage) const;
  std::size_t copy_tables(HostedLog& log, Lsn below, std::size_t bytes_max, TimeMs now);
  bool copy_catalogue(HostedLog& log, Lsn below, TimeMs now);
  [[nodiscard]] bool is_empty(HostedLog& log) const;
  bool reset_if_empty(HostedLog& log, TimeMs now);
  bool copy_some(HostedTable& table, Lsn below, std::size_t budget, bool may_exceed, TimeMs now);
  // engine_alerts.cpp
  void raise(HostedTable const& table, std::string_view name, std::uint8_t priority, std::string_view message,
             std::string_view tags);
  void lower(HostedTable const& table, std::string_view name);
  // Appends to the open group of this log; the rest is appended to a later one. True if it appended something.
  bool log_alerts(HostedLog& log, TimeMs now);
  void log_alert(HostedLog& log, PendingAlerts::Change const& change, TimeMs now);
  void log_alerts_alone(TimeMs now);
  void note_short_disk(HostedLog& log, TimeMs now);
  void note_short_memory(TimeMs now);
  [[nodiscard]] HostedLog& log_of_alert(HostedTable const* table, std::string_view name) const;
  void notify(HostedLog const& log, bool up, HostedTable const* table, Alert alert);
  [[nodiscard]] std::vector<Alert> alerts_of(HostedTable const& table) const;

  TableTypes const& types_;
  ReplySink& replies_;
  Declarations declarations_;
  Declarations forget_;
  std::vector<Forgotten> forgotten_;
  std::vector<std::unique_ptr<HostedLog>> logs_;
  std::unique_ptr<VolatileLog> volatile_log_;  // null: every table is persistent
  // By number. The place of a dropped table is empty until another table gets it.
  std::vector<std::unique_ptr<HostedTable>> tables_;
  std::vector<std::uint32_t> dropped_;      // dropped in this turn, in which they may still be used
  std::vector<std::uint32_t> free_tables_;  // numbers that may be given again
  NameTable by_name_;
  DueHeap due_;
  std::vector<HostedTable*> dirty_;
  // Tables on which a connection may hold leases or wait, by number; never iterated.
  std::unordered_map<ConnectionId, std::vector<std::uint32_t>> tables_of_;
  // Lost connections that may still hold leases of a table, by its number; in order.
  std::deque<std::pair<ConnectionId, std::uint32_t>> closing_;
  std::uint64_t looks_{0};
  std::uint64_t close_looks_{0};  // of this turn
  PendingAlerts pending_alerts_;
  std::vector<AlertNotice> notices_;
  std::uint64_t alerts_dropped_{0};
  DurationMs alert_interval_{600'000};
  TimeMs memory_refused_at_{};
  Answer scratch_;
  // Memory that engine_listen.cpp reuses.
  Answer pushed_;
  std::vector<ObjectId> found_;
  Group group_;
  std::uint64_t hash_seed_{0};
  std::uint64_t memory_bytes_{0};  // of all tables, as they last reported
  std::uint64_t memory_bytes_max_{UINT64_MAX};
  bool memory_ended_{false};
  TimeMs now_{};
  TimeMs reset_due_{TimeMs::max()};  // an empty log waits for its turn to be reset
};

}  // namespace fastjournal::core
