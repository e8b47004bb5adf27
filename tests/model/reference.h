// The rules of a journal table, in plain code over a plain vector of rows: written from doc/, to be easy to read and
// not fast, and without any code of the product. It gets each command with its answer and returns what is wrong with
// the answer. Values that the rules leave to the daemon (row numbers, lease epochs, which of several domains is next,
// the jitter of a back-off) are taken from the answer, after a check that the rules allow them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/model/reference_waits.h"
#include "tests/model/turns.h"

namespace fastjournal::reference {

// A message: its parameters, with the command under "".
using Texts = std::map<std::string, std::string>;

struct Rate {
  std::uint64_t count{0};  // 0: no limit
  std::int64_t span_ms{1};
  bool operator==(Rate const&) const = default;
};

struct Options {
  bool has_key{true};  // whether k is a key; never changes in a life
  std::int64_t processing_timeout{5000};
  std::int64_t grace{1000};
  int max_timeouts{2};
  int max_attempts{0};
  int max_lifetime{6};
  bool delete_failed{false};
  std::int64_t keep_parked{20'000};
  std::int64_t back_off_first{300};
  std::int64_t back_off_factor{2};
  std::int64_t back_off_max{4000};
  std::int64_t jitter{0};  // percent
  std::int64_t max_postpone{3000};
  std::int64_t clock_skew_max{700};
  std::size_t rows_max{0};
  std::int64_t client_keep{60'000};
  std::size_t clients_max{100'000};
  std::uint64_t pause_after{0};
  std::string back_off{"doubling"};
  bool tag_index{false};
  std::int64_t unique_for{0};
  bool refuses_unique{false};
  std::int64_t wake_timeout{5000};
  std::int64_t keep_groups{20'000};
  std::string domain;  // a column, or site(d)
  std::map<std::string, std::uint64_t> weights;
  int slow_from{256};
  std::int64_t aging{0};
  std::uint64_t concurrency{0};
  std::uint64_t concurrency_domain{0};
  std::uint64_t concurrency_key{1};
  Rate rate;
  Rate rate_domain;

  [[nodiscard]] bool orders_like(Options const& other) const {
    return domain == other.domain && slow_from == other.slow_from && aging == other.aging;
  }
  // The options as in the table file.
  [[nodiscard]] Texts texts() const;
};

// A column that is not the key.
struct Column {
  std::string name;
  std::string rule;  // replace keep min max sum append
  bool number{false};
};

enum class State : std::uint8_t { waiting, processing, parked };

struct Row {
  std::uint64_t id{0};  // 0: no answer named it yet
  std::string key;      // unique to the row in a table without row-key
  std::string k;        // the value of column k
  Texts values;         // the other columns that are present
  State state{State::waiting};
  int priority{100};
  std::int64_t date{0};      // process date: not handed out before
  std::int64_t arrival{0};   // the daemon's date of the insert
  std::int64_t inserted{0};  // insertion date given by the producer
  std::int64_t accepted{0};  // the same, of the insert accepted last
  std::int64_t expires{0};   // 0: never
  int timeouts{0};
  int failures{0};
  int lifetime{0};
  std::uint64_t merges{0};
  std::string error;
  std::string trace;
  std::int64_t parked_at{0};
  Texts own;  // what it says of itself, as its insert has it
  // The lease.
  std::uint64_t epoch{0};
  std::int64_t lease_end{0};
  std::string holder;  // the connection; empty: it is closed
  std::string worker;
};

// Looks into the subject, for what the rules leave open.
class Oracle {
 public:
  // The row as it is now; nothing if it is gone.
  virtual std::optional<Texts> peek(std::uint64_t row) = 0;
  virtual Texts statistics() = 0;
  // All groups of jobs.
  virtual std::vector<Texts> groups() = 0;

 protected:
  ~Oracle() = default;
};

class Reference {
 public:
  Reference(Options options, std::vector<Column> columns, std::int64_t now)
      : options_(std::move(options)), columns_(std::move(columns)), now_(now) {
    waits_.keep_groups = options_.keep_groups;
  }

  // -- events; they return what is wrong, or nothing -----------------------
  // A command of `client` and its whole answer. No messages: it was carried out, but never answered.
  [[nodiscard]] std::string hear(std::string const& client, Texts const& command, std::vector<Texts> const& answer);
  // A row that was handed out after a wait, or by a listener's credit (mode deliver).
  [[nodiscard]] std::string hand_out(std::string const& client, std::string const& worker, std::string const& domain,
                                     std::int64_t lease, Texts const& row, bool at_once = false);
  // The date of the next event, at most `until`; then the effects of time up to `to`.
  [[nodiscard]] std::int64_t next_event(std::int64_t until) const;
  void pass(std::int64_t to, Oracle& oracle);
  // `ms` pass at once, in which nobody could work; afterwards it is `now`.
  void lose(std::int64_t ms, std::int64_t now, Oracle& oracle);
  // The effects of timers at this moment, after a turn's commands.
  void end_turn(Oracle& oracle);
  // Of these, what follows from rows that ended: rows fail with others, groups end. True: something did.
  bool settle(Oracle& oracle);
  void close(std::string const& client);
  // A start after a kill or a power cut: leases get the grace, derived state starts anew.
  [[nodiscard]] std::string restart(std::int64_t now, Oracle& oracle);
  // Called before restart: the daemon's time was `from`, ahead of the clock, and is now `to`.
  void accept_clock(std::int64_t from, std::int64_t to);
  void change(Options options, std::vector<Column> columns);
  // Takes over the highest epoch of another possible state: epochs never repeat.
  void heard_epochs_of(Reference const& other) { highest_epoch_ = std::max(highest_epoch_, other.highest_epoch_); }
  // Rows without a number get theirs from the dump; false if it does not fit.
  [[nodiscard]] bool adopt(std::vector<Texts> const& dump);

  // -- what can be seen ---------------------------------------------------------
  // Compares with all rows, as LIST shows them.
  [[nodiscard]] std::string compare(std::vector<Texts> const& dump) const;
  [[nodiscard]] std::string compare_statistics(Texts const& statistics) const;
  // Of groups that ended since then it is only known that they did.
  void hear_ends(std::vector<Texts> const& told, std::int64_t since);
  [[nodiscard]] std::string compare_groups(std::vector<Texts> const& told) const;
  // The number of rows that NEXT would find now; domain "": in all domains.
  [[nodiscard]] std::uint64_t available(std::string const& domain) const;
  // Checks the answer of a NEXT that found nothing: NOTHING with its next_date, or a refusal.
  [[nodiscard]] std::string check_nothing(std::string const& domain, Texts const& answer) const;
  [[nodiscard]] bool is_due(Row const& row) const {
    return row.state == State::waiting && row.date <= now_ && !is_behind(row) && !is_blocked(row);
  }
  [[nodiscard]] bool is_blocked(Row const& row) const {
    return row.state == State::waiting && waits_.is_blocked(row.id);
  }
  [[nodiscard]] std::string domain_of(Row const& row) const;
  [[nodiscard]] std::vector<Row> const& rows() const { return rows_; }
  [[nodiscard]] bool has_column(std::string const& name) const;
  [[nodiscard]] Row const* find(std::uint64_t id) const;
  [[nodiscard]] std::string const& standing() const { return standing_; }
  [[nodiscard]] ReferenceWaits const& waits() const { return waits_; }
  [[nodiscard]] Options const& options() const { return options_; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  // The last event wrote records that were synced: a power cut takes back nothing before them.
  [[nodiscard]] bool is_synced() const { return synced_; }
  // Rows that became due since the last call.
  [[nodiscard]] std::set<std::uint64_t> take_became_due();

 private:
  struct Client {
    std::map<std::uint64_t, std::uint64_t> rows;  // by sequence
    std::uint64_t high{0};
    std::int64_t used{0};
    std::string owner;  // its first user
  };
  struct Bucket {  // missing tokens, in units of 1 / span
    std::uint64_t missing{0};
    std::int64_t at{0};
  };
  struct Request;

  // -- commands (reference_people.cpp, reference_work.cpp)
  std::string insert(std::string const& client, Texts const& command, std::vector<Texts> const& answer);
  [[nodiscard]] std::string refuses_client(Request& wish) const;
  std::string insert_new(Request const& wish, bool behind, Texts const& answer);
  std::string merge(Row& row, Request const& wish, bool behind, Texts const& answer);
  [[nodiscard]] std::string check_waits(std::uint64_t row, Texts const& answer) const;
  std::string change_group(Texts const& command, Texts const& answer);
  std::string cancel(Texts const& command, Texts const& answer);
  [[nodiscard]] std::string compare_group(std::string const& name, ReferenceGroup const& group,
                                          Texts const& told) const;
  void remember(Request const& wish, std::uint64_t row);
  std::string next(std::string const& client, Texts const& command, std::vector<Texts> const& answer, std::size_t from);
  std::string leased(Texts const& command, Texts const& answer, Row*& row);
  std::string done(std::string const& client, Texts const& command, std::vector<Texts> const& answer);
  std::string release(Texts const& command, Texts const& answer);
  std::string fail(Texts const& command, Texts const& answer);
  std::string touch(std::string const& client, Texts const& command, Texts const& answer);
  std::string kick(Texts const& command, std::vector<Texts> const& answer);
  std::string remove(Texts const& command, std::vector<Texts> const& answer);
  [[nodiscard]] static bool is_bulk(Texts const& command);
  std::string change_many(Texts const& command, Texts const& answer);
  [[nodiscard]] bool fits(Row const& row, Texts const& command, std::string const& status) const;
  std::string peek(Texts const& command, std::vector<Texts> const& answer) const;
  std::string list(Texts const& command, std::vector<Texts> const& answer) const;
  std::string count(Texts const& command, Texts const& answer) const;
  std::string why(Texts const& command, std::vector<Texts> const& answer) const;
  std::string timeline(Texts const& command, std::vector<Texts> const& answer) const;
  std::string tell_domains(std::vector<Texts> const& answer) const;
  std::string stand(Texts const& command, Texts const& answer);
  [[nodiscard]] std::string compare_row(Row const& row, Texts const& shown) const;
  [[nodiscard]] static std::string compare_trace(Row const& row, Texts const& message);
  [[nodiscard]] std::string status_of(Row const& row) const;
  [[nodiscard]] std::vector<Row*> rows_of(Texts const& command);
  // Without a key a row has only its number.
  [[nodiscard]] bool names_no_row(Texts const& command) const { return !options_.has_key && !command.contains("row"); }

  // -- rules
  Row* of_key(std::string const& key, State state);
  [[nodiscard]] std::uint64_t processed_of(std::string const& key) const;
  [[nodiscard]] bool is_behind(Row const& row) const;
  [[nodiscard]] bool is_visible(Row const& row) const {
    return row.state == State::processing || row.expires == 0 || row.expires > now_;
  }
  Row* row_of(std::uint64_t id);
  // `well`: it was done.
  void erase(std::uint64_t id, bool well = false);
  // Back to waiting at `date`, with its counters, or folded into its twin. Returns the row that is left; none if it had
  // expired.
  // `command`: what its worker says of a failure.
  Row* give_back(std::uint64_t id, std::int64_t date, Texts const& command);
  Row* put_back(std::uint64_t id);
  void give_up(std::uint64_t id, Texts const& command);
  // Given up without an attempt.
  void park(std::uint64_t id, Texts const& command);
  static void note_failure(Row& row, Texts const& command);
  [[nodiscard]] bool is_too_many(Row const& row) const;
  void time_out(std::uint64_t id, Oracle& oracle);
  void end_leases(Oracle& oracle);
  std::vector<std::uint64_t> in_order(std::vector<std::uint64_t> ended, Oracle& oracle) const;
  // -- what a row says of itself (reference_extras.cpp)
  [[nodiscard]] std::int64_t rest(Row const& row) const;  // after its last attempt
  [[nodiscard]] std::int64_t lease_of(Row const& row, Texts const& command) const;
  // The row is done.
  void finish(Row const& row);
  // Nothing: it may be inserted. What is wrong with the answer, and the row that is done if it was told of.
  [[nodiscard]] std::optional<std::string> refuse_unique(Row const& wanted, Texts const& answer,
                                                         std::uint64_t& done) const;
  void lower_uniques(std::int64_t from, std::int64_t to);
  void expire();
  void pause_by_failures();

  // -- order and limits (reference_order.cpp)
  [[nodiscard]] int class_of(Row const& row) const;
  [[nodiscard]] int ring_of(int klass) const { return options_.aging == 0 ? klass : 0; }
  [[nodiscard]] bool goes_before(Row const& a, Row const& b) const;
  [[nodiscard]] std::uint64_t weight_of(std::string const& domain) const;
  [[nodiscard]] std::set<std::string> domains() const;
  [[nodiscard]] std::uint64_t room() const;
  [[nodiscard]] std::uint64_t room_of(std::string const& domain) const;
  [[nodiscard]] std::uint64_t due_of(std::string const& domain) const;
  [[nodiscard]] std::uint64_t tokens(Rate const& rate, Bucket const& bucket) const;
  [[nodiscard]] std::int64_t next_token(Rate const& rate, Bucket const& bucket) const;
  void take_token(Rate const& rate, Bucket& bucket) const;
  [[nodiscard]] Row const* best_of(std::string const& domain, std::optional<int> klass) const;
  // The rows that NEXT may hand out now: one, or one of each of several domains.
  [[nodiscard]] std::vector<Row const*> choices(std::string const& domain) const;
  std::string lease(std::uint64_t id, std::string const& client, std::string const& worker, std::string const& domain,
                    std::int64_t span, Texts const& shown, bool at_once = false);
  void end_at_once(std::uint64_t id);
  void seat();  // after each change: whose turn may be next, which rows became due

  Options options_;
  std::vector<Column> columns_;
  std::int64_t now_;
  std::vector<Row> rows_;
  std::map<std::string, Client> clients_;
  struct Unique {
    std::uint64_t row{0};
    std::int64_t ended{0};
    std::int64_t until{0};
  };
  std::map<std::string, Unique> uniques_;  // by key
  ReferenceWaits waits_;                   // all rows that have a number
  std::string standing_{"open"};           // open, paused, draining
  std::uint64_t failures_{0};              // in a row
  std::uint64_t failures_logged_{0};  // without regard to changes of pause-after-failures, which are not in the log
  static constexpr std::uint64_t kEpochsOfStart = 1ULL << 40U;
  std::uint64_t highest_epoch_{0};
  std::uint64_t leases_{0};  // of this start
  bool synced_{false};
  std::uint64_t rows_ever_{0};
  // derived
  Turns turns_;
  Bucket bucket_;
  std::map<std::string, Bucket> buckets_;
  std::set<std::uint64_t> due_;         // at the last look
  std::set<std::uint64_t> became_due_;  // since the last call of take_became_due
};

// The address from which a client of a life connects: each of two addresses has several clients.
[[nodiscard]] std::string origin_of(std::string const& client);

// What a message says of its row.
[[nodiscard]] Texts own_of(Texts const& message);
void take_own(Row& row, Texts const& given);
[[nodiscard]] bool has_tag(Row const& row, std::string const& tag);

// Helpers for reading messages.
[[nodiscard]] std::string text(Texts const& texts, std::string const& name);
[[nodiscard]] std::int64_t number(Texts const& texts, std::string const& name, std::int64_t otherwise = 0);
[[nodiscard]] std::string shown(Texts const& texts);

}  // namespace fastjournal::reference
