// Transactions of connections: BEGIN, commands of any tables, and COMMIT or ROLLBACK. Each command is promised when it
// comes (Promises): it is checked, and what it needs is held. The COMMIT carries all of them out in one group of the
// log, so after a crash all of them were done, or none. Until then nothing is recorded, and a crash, a lost connection
// and the time-out end a transaction as ROLLBACK does. Commands of several logs are carried out by TwoPhase.
//
// A message that is refused ends it too, whatever it was: a client that sends all at once, without waiting for answers,
// must not commit a part. The connection is told so by every command of it from then on, up to its COMMIT or ROLLBACK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/memory.h"
#include "engine/shortages.h"
#include "engine/tables.h"
#include "engine/transactions/transaction.h"
#include "engine/waiting/subscriptions.h"

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
    DueTables& due_tables;
    Decider& decider;
    Memory const& memory;
    Shortages& shortages;
    work::Keeper& keeper;
  };
  explicit Transactions(Parts const& parts) : parts_(parts) {}
  Transactions(Transactions const&) = delete;
  Transactions& operator=(Transactions const&) = delete;

  // How long one may last, and does if its BEGIN says nothing. `branches_bytes`: memory of the commands of all branches,
  // which belong to no connection.
  void limit(DurationMs timeout, std::uint64_t branches_bytes) {
    timeout_ = timeout;
    branches_bytes_max_ = branches_bytes;
  }
  [[nodiscard]] DurationMs limit() const { return timeout_; }

  // -- of a connection ------------------------------------------------------------
  // Whether a command of this connection may be promised: its values outside the log are stored for it.
  [[nodiscard]] bool promises(HostedTable const& table, Command const& command) {
    Transaction const* const one = of(command.connection);
    return one != nullptr && one->why_over.ok() &&
           table.type->commands()[command.index].in_transaction == InTransaction::promised;
  }
  // One that is open, or was rolled back and not ended by its connection yet.
  [[nodiscard]] bool has(ConnectionId connection) const { return !current_.empty() && current_.contains(connection); }
  // Whether this command belongs to it; others of its connection run as ever.
  [[nodiscard]] bool takes(HostedTable const& table, Command const& command) const {
    return has(command.connection) && table.type->commands()[command.index].in_transaction != InTransaction::at_once;
  }
  // `timeout`: 0: as long as one may last.
  [[nodiscard]] Result<TransactionId> begin(ConnectionId connection, DurationMs timeout, TimeMs now);
  // A command of it. Answered with PROMISED; not ok: the transaction is rolled back.
  [[nodiscard]] Status promise(HostedTable& table, Command const& command, TimeMs now, Answer& answer);
  // All its commands are carried out, in their order: COMMITTED, and behind it the answer of each. Refused: nothing was
  // done. In either case it is over. Not for one over several logs.
  [[nodiscard]] Outcome commit(ConnectionId connection, TimeMs now, Answer& answer);
  // The one that COMMIT of this connection ends, if it has commands of several logs and is not over; else null.
  [[nodiscard]] Transaction* over_several_logs(ConnectionId connection);
  [[nodiscard]] Status roll_back(ConnectionId connection, TimeMs now, Answer& answer);
  // A message of this connection was refused, whatever it was: its transaction is over.
  void refused(ConnectionId connection, TimeMs now, Status const& why) {
    if (has(connection)) end_by(connection, now, why);
  }
  void connection_closed(ConnectionId connection, TimeMs now);
  // The answers to COMMITs are written.
  void end_turn() {
    if (!committed_ops_.empty()) spare(committed_ops_);
  }

  // -- by others ------------------------------------------------------------------
  // Those with commands of this table; or of tables of this log, which serves no more.
  void give_up(HostedTable const& table, TimeMs now, std::string const& why);
  void give_up(HostedLog const& log, TimeMs now, Status const& why);
  [[nodiscard]] TimeMs next_due() const { return ends_.empty() ? TimeMs::max() : ends_.begin()->first; }
  // Rolls back those whose time is over, in bounded numbers; true: there are more.
  [[nodiscard]] bool run(TimeMs now);

  // -- for branches -----------------------------------------------------------------
  // A new one. `owner`: the connection that it belongs to; none: it ends by erase() only.
  [[nodiscard]] Transaction& make(ConnectionId owner, DurationMs timeout, TimeMs now);
  // The commands of this connection are its, until detach().
  void attach(ConnectionId connection, Transaction const& one) { current_[connection] = one.id; }
  void detach(ConnectionId connection) { current_.erase(connection); }
  // Null: the connection has none, or there is none of this number.
  [[nodiscard]] Transaction* of(ConnectionId connection);
  [[nodiscard]] Transaction* find(TransactionId id);
  // Carries out all of its commands of this log, each with its answer, in one group with what `also` appends to the
  // catalogue (at most `also_bytes`). What the tables of the log held is free. Not ok: there is no room, and nothing was
  // done.
  [[nodiscard]] Status keep(Transaction& one, HostedLog& log, TimeMs now, Answer& answer,
                            std::function<void(Records&)> const& also, std::size_t also_bytes = 0);
  // The message to its connection.
  [[nodiscard]] static Status over(TransactionId id, Status const& why);
  // The bytes that keep() reserves there.
  [[nodiscard]] static std::size_t room_of(TransactionLog const& one, std::size_t also_bytes);
  // The commands of this log as bytes, for a start. They have numbers if the transaction is over several logs.
  [[nodiscard]] std::vector<std::string> bodies_of(Transaction const& one, HostedLog const& log) const;
  void count_committed() { ++figures_.committed; }
  // Frees its holds, and keeps `why` for its owner.
  void give_up(Transaction& one, TimeMs now, Status why);
  // It is prepared: no time ends it.
  void prepared(Transaction& one);
  // A command of one that was prepared before the start holds again what it held. Not ok: its values are not there.
  [[nodiscard]] Status restore(Transaction& one, HostedTable& table, TransactionOp op);
  void erase(TransactionId id);

  [[nodiscard]] std::size_t open() const { return ends_.size(); }
  [[nodiscard]] Figures const& figures() const { return figures_; }

 private:
  [[nodiscard]] Status check(Transaction const& one, HostedTable const& table, Command const& command, TimeMs now);
  [[nodiscard]] static std::uint64_t memory_of(Message const& message);
  [[nodiscard]] static Status hold_values(HostedTable& table, TransactionOp const& op);
  void take(Transaction& one, HostedTable& table, TransactionOp&& op);
  // An op to be filled in, with the memory of one that is over; those that are over.
  [[nodiscard]] TransactionOp empty_op();
  void spare(std::vector<TransactionOp>& ops);
  // Frees its holds in the tables of this log; null: in all. After the last one its commands are forgotten.
  void release(Transaction& one, HostedLog const* log, TimeMs now, bool was_kept);
  void end_by(ConnectionId connection, TimeMs now, Status const& why);
  template <typename Concerned>
  void give_up_all(Concerned const& concerned, TimeMs now, Status const& why);

  Parts parts_;
  DurationMs timeout_{kTimeout};
  std::uint64_t last_{0};
  std::map<TransactionId, Transaction> all_;
  std::map<ConnectionId, TransactionId> current_;
  std::set<std::pair<TimeMs, TransactionId>> ends_;  // of those that are open and not prepared
  std::uint64_t branches_bytes_{0};                  // memory of the commands of those without an owner
  std::uint64_t branches_bytes_max_{UINT64_MAX};
  Figures figures_;
  // Memory that is used again. The ops of the turn's last commit: its answer may borrow from their messages.
  Hold hold_;
  std::vector<Decider::Promised> promised_;
  std::vector<TransactionOp> committed_ops_;
  std::vector<TransactionOp> spares_;
};

}  // namespace fastjournal::engine
