// Transactions of connections: BEGIN, commands of any tables of one log, and COMMIT or ROLLBACK. Each command is promised
// when it comes (Promises): it is checked, and what it needs is held. The COMMIT carries all of them out in one group of
// the log, so after a crash all of them were done, or none. Until then nothing is recorded, and a crash, a lost
// connection and the time-out end a transaction as ROLLBACK does.
//
// A message that is refused ends it too, whatever it was: whoever sends all at once, without waiting for answers, must not
// commit a part. The connection is told so by every command of it from then on, up to its COMMIT or ROLLBACK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/agenda.h"
#include "engine/decider.h"
#include "engine/memory.h"
#include "engine/shortages.h"
#include "engine/tables.h"
#include "work/subscriptions.h"

namespace fastjournal::engine {

class Transactions {
 public:
  // The commands of one.
  static constexpr std::size_t kOpsMax = 1000;
  // The records of one, as reserved for its COMMIT: a group is written at once.
  static constexpr std::uint64_t kRecordBytesMax = 64U << 20U;
  static constexpr DurationMs kTimeout{60'000};

  struct Figures {
    std::uint64_t committed{0};
    std::uint64_t rolled_back{0};
    std::uint64_t timed_out{0};  // of these
  };

  struct Parts {
    Tables const& tables;
    Agenda& agenda;
    Decider& decider;
    Memory const& memory;
    Shortages& shortages;
    work::Keeper& keeper;
  };
  explicit Transactions(Parts const& parts) : parts_(parts) {}
  Transactions(Transactions const&) = delete;
  Transactions& operator=(Transactions const&) = delete;

  // How long one may last, and does if its BEGIN says nothing.
  void limit(DurationMs timeout) { timeout_ = timeout; }
  [[nodiscard]] DurationMs limit() const { return timeout_; }

  // -- of a connection ------------------------------------------------------------
  // One that is open, or was rolled back and not ended by its connection yet.
  [[nodiscard]] bool has(ConnectionId connection) const { return !of_.empty() && of_.contains(connection); }
  // Whether this command belongs to it; others of its connection run as ever.
  [[nodiscard]] bool takes(HostedTable const& table, Command const& command) const {
    return has(command.connection) &&
           table.type->commands()[command.index].in_transaction != InTransaction::at_once;
  }
  // `timeout`: 0: as long as one may last.
  [[nodiscard]] Result<TransactionId> begin(ConnectionId connection, DurationMs timeout, TimeMs now);
  // A command of it. Answered with PROMISED; not ok: the transaction is rolled back.
  [[nodiscard]] Status promise(HostedTable& table, Command const& command, TimeMs now, Answer& answer);
  // All its commands are carried out, in their order: COMMITTED, and behind it the answer of each. `log`: whose records
  // they are; null: there is no command. Not ok: nothing was done. In either case it is over.
  [[nodiscard]] Status commit(ConnectionId connection, TimeMs now, Answer& answer, HostedLog*& log);
  [[nodiscard]] Status roll_back(ConnectionId connection, TimeMs now, Answer& answer);
  // A message of this connection was refused, whatever it was: its transaction is over.
  void refused(ConnectionId connection, TimeMs now, Status const& why) {
    if (has(connection)) end_by(connection, now, why);
  }
  void connection_closed(ConnectionId connection, TimeMs now);

  // -- by others ------------------------------------------------------------------
  // Those with commands of this table; or of tables of this log, which serves no more.
  void give_up(HostedTable const& table, TimeMs now, std::string const& why);
  void give_up(HostedLog const& log, std::string const& why);
  [[nodiscard]] TimeMs next_due() const { return ends_.empty() ? TimeMs::max() : ends_.begin()->first; }
  // Rolls back those whose time is over, in bounded numbers; true: there are more.
  [[nodiscard]] bool run(TimeMs now);

  [[nodiscard]] std::size_t open() const { return ends_.size(); }
  [[nodiscard]] Figures const& figures() const { return figures_; }

 private:
  struct Op {
    std::uint32_t table{0};  // its number
    std::uint16_t index{0};  // of the command
    Message message;
    std::string worker;
    std::string origin;
    TimeMs asked{};
  };
  struct Transaction {
    TransactionId id{};
    DurationMs timeout{};
    TimeMs ends{};
    HostedLog* log{nullptr};             // of its commands; null: none came yet
    std::vector<Op> ops;
    std::vector<std::uint32_t> tables;   // their numbers, each once
    std::uint64_t record_bytes{0};       // the most of its commit
    std::int64_t kept_bytes{0};          // memory of its commands
    bool adds{false};                    // one of its commands does
    Status why_over;                     // not ok: it was rolled back
  };

  [[nodiscard]] Status check(Transaction const& one, HostedTable const& table, Command const& command,
                             TimeMs now);
  void take(Transaction& one, HostedTable& table, Command const& command, Hold const& hold, TimeMs now);
  // What it holds is free, and its commands are forgotten.
  void release(Transaction& one, ConnectionId connection, TimeMs now, bool was_kept);
  // The connection does not know it yet.
  void fail(Transaction& one, ConnectionId connection, TimeMs now, Status why);
  void end_by(ConnectionId connection, TimeMs now, Status const& why);
  template <typename Concerned>
  void give_up_all(Concerned const& concerned, TimeMs now, std::string const& why);

  Parts parts_;
  DurationMs timeout_{kTimeout};
  std::uint64_t last_{0};
  std::map<ConnectionId, Transaction> of_;
  std::set<std::pair<TimeMs, ConnectionId>> ends_;  // of those that are open
  Figures figures_;
  // Memory that is used again. The ops of the last commit: its answer may borrow from their messages.
  Hold hold_;
  std::vector<Decider::Promised> promised_;
  std::vector<Op> committed_ops_;
};

}  // namespace fastjournal::engine
