#include "engine/transactions.h"

#include <algorithm>

#include "base/transaction_mutants.h"

namespace fastjournal::engine {
namespace {

using transaction::is_mutant;
using Mutant = transaction::Mutant;

constexpr std::uint32_t kRolledBackPerTurn = 64;
// Of an op, beside its message.
constexpr std::int64_t kOpBytes = 256;

Status over(TransactionId id, Status const& why) {
  return Status{Code::rolled_back, "transaction " + std::to_string(static_cast<std::uint64_t>(id)) +
                                       " was rolled back, and nothing of it was done: " + why.message()}
      .with("cause", std::string{row_of(why.code()).wire_name});
}

Status none_open(std::string_view command) {
  return {Code::wrong_state, std::string{command} + ": no transaction is open on this connection; BEGIN begins one"};
}

// It does not outlive the buffer that it came in.
Message copy_of(Message const& message) {
  Message out;
  out.command = message.command;
  for (Param const& param : message.params()) {
    if (param.name != "request") out.add(param.name, param.value);
  }
  out.own();
  return out;
}

}  // namespace

Result<TransactionId> Transactions::begin(ConnectionId connection, DurationMs timeout, TimeMs now) {
  if (has(connection))
    return Status{Code::wrong_state, "a transaction is open on this connection: COMMIT or ROLLBACK it before BEGIN"};
  Transaction& one = of_[connection];
  one.id = TransactionId{++last_};
  one.timeout = timeout.value == 0 ? timeout_ : timeout;
  one.ends = now + one.timeout;
  ends_.emplace(one.ends, connection);
  return one.id;
}

// ---------------------------------------------------------------------------
// Commands

Status Transactions::check(Transaction const& one, HostedTable const& table, Command const& command,
                           TimeMs now) {
  CommandType const& type = table.type->commands()[command.index];
  if (std::ranges::any_of(command.message->params(), [](Param const& param) { return param.value.outside; }))
    return {Code::not_supported, "a value that is stored in a file is not part of transactions"};
  if (type.in_transaction != InTransaction::promised)
    return {Code::not_supported, type.name + " of a table of type " + table.type->name() +
                                     " is not part of transactions: send it before BEGIN or after COMMIT"};
  if (one.log != nullptr && one.log != table.log && !is_mutant(Mutant::second_log_accepted))
    return {Code::not_supported, "table " + table.name + " is in log " + table.log->name +
                                     ", and the tables before it are in log " + one.log->name +
                                     ": a transaction is in one log"};
  if (one.ops.size() >= kOpsMax)
    return {Code::over_limit, "a transaction has at most " + std::to_string(kOpsMax) + " commands"};
  if (type.kind == CommandKind::add && parts_.memory.refuses_additions()) return parts_.shortages.refuse_memory(now);
  return {};
}

Status Transactions::promise(HostedTable& table, Command const& command, TimeMs now, Answer& answer) {
  auto const found = of_.find(command.connection);
  Transaction& one = found->second;
  if (!one.why_over.ok()) return over(one.id, one.why_over);
  Status status = check(one, table, command, now);
  hold_.clear();
  if (status.ok()) status = parts_.decider.promise(table, command, one.id, now, hold_);
  if (hold_.record_bytes == 0) hold_.record_bytes = room_of_step(*command.message);
  if (status.ok() && one.record_bytes + hold_.record_bytes > kRecordBytesMax)
    status = {Code::over_limit, "a transaction has at most " + std::to_string(kRecordBytesMax >> 20U) +
                                    " MiB of records together: make it smaller"};
  if (!status.ok()) {
    end_by(command.connection, now, status);
    return status;
  }
  take(one, table, command, hold_, now);
  answer.message("PROMISED").add("op", std::uint64_t{one.ops.size()});
  return {};
}

void Transactions::take(Transaction& one, HostedTable& table, Command const& command, Hold const& hold,
                        TimeMs now) {
  table.can.promises->hold(one.id, hold);
  one.log = table.log;
  one.adds = one.adds || table.type->commands()[command.index].kind == CommandKind::add;
  one.record_bytes += hold.record_bytes;
  if (std::ranges::find(one.tables, table.number) == one.tables.end())
    one.tables.push_back(table.number);
  one.ops.push_back({.table = table.number,
                             .index = command.index,
                             .message = copy_of(*command.message),
                             .worker = std::string{command.worker},
                             .origin = std::string{command.origin},
                             .asked = now});
  std::int64_t bytes = kOpBytes;
  for (Param const& param : command.message->params())
    bytes += static_cast<std::int64_t>(param.name.size() + param.value.bytes.size() + sizeof(Param));
  one.kept_bytes += bytes;
  parts_.keeper.keeps(command.connection, bytes);
  parts_.agenda.refresh(table);
}

// ---------------------------------------------------------------------------
// Their end

Status Transactions::commit(ConnectionId connection, TimeMs now, Answer& answer, HostedLog*& log) {
  auto const found = of_.find(connection);
  if (found == of_.end()) return none_open("COMMIT");
  Transaction& one = found->second;
  log = one.log;
  Status status;
  if (!one.why_over.ok())
    status = over(one.id, one.why_over);
  else if (log != nullptr && !log->log->reserve(one.record_bytes + kGroupBytes, !one.adds))
    status = parts_.shortages.refuse_disk(*log, now);
  if (!status.ok()) {
    end_by(connection, now, status);
    of_.erase(found);
    return status;
  }
  answer.message("COMMITTED")
      .add("transaction", static_cast<std::uint64_t>(one.id))
      .add("ops", std::uint64_t{one.ops.size()});
  promised_.clear();
  for (Op const& op : one.ops)
    promised_.push_back({.table = &parts_.tables[op.table],
                         .command = {.index = op.index,
                                     .message = &op.message,
                                     .connection = connection,
                                     .worker = op.worker,
                                     .origin = op.origin},
                         .asked = op.asked});
  if (log != nullptr) parts_.decider.keep(*log, one.id, promised_, now, answer);
  ++figures_.committed;
  committed_ops_ = std::move(one.ops);
  release(one, connection, now, true);
  of_.erase(found);
  return {};
}

Status Transactions::roll_back(ConnectionId connection, TimeMs now, Answer& answer) {
  auto const found = of_.find(connection);
  if (found == of_.end()) return none_open("ROLLBACK");
  Transaction& one = found->second;
  answer.message("ROLLED_BACK").add("transaction", static_cast<std::uint64_t>(one.id));
  end_by(connection, now, {Code::rolled_back, "ROLLBACK"});
  of_.erase(found);
  return {};
}

void Transactions::end_by(ConnectionId connection, TimeMs now, Status const& why) {
  Transaction& one = of_.at(connection);
  if (is_mutant(Mutant::refusal_does_not_end_it) && why.code() != Code::rolled_back && why.code() != Code::closed) return;
  if (is_mutant(Mutant::loss_does_not_end_it) && why.code() == Code::closed) return;
  if (one.why_over.ok()) fail(one, connection, now, why);
}

void Transactions::connection_closed(ConnectionId connection, TimeMs now) {
  if (of_.empty()) return;
  auto const found = of_.find(connection);
  if (found == of_.end()) return;
  end_by(connection, now, {Code::closed, "its connection was closed"});
  of_.erase(found);
}

void Transactions::release(Transaction& one, ConnectionId connection, TimeMs now, bool was_kept) {
  for (std::uint32_t const number : one.tables) {
    HostedTable& table = parts_.tables[number];
    if (table.is_dropped()) continue;
    Promises& promises = *table.can.promises;
    // Without room, and in a log that is away, what ended meanwhile ends now.
    if (!was_kept && table.log->serves)
      static_cast<void>(parts_.decider.decide_alone(
          table, now, kOpsMax, Durability::written,
          [&](Decision& decision) { return promises.decide_given_up(one.id, decision); }));
    if (!is_mutant(Mutant::holds_not_released)) promises.release(one.id);
    parts_.agenda.refresh(table);
  }
  ends_.erase({one.ends, connection});
  parts_.keeper.keeps(connection, -one.kept_bytes);
  one.kept_bytes = 0;
  one.ops = std::vector<Op>();
  one.tables.clear();
}

void Transactions::fail(Transaction& one, ConnectionId connection, TimeMs now, Status why) {
  release(one, connection, now, false);
  one.why_over = std::move(why);
  ++figures_.rolled_back;
}

template <typename Concerned>
void Transactions::give_up_all(Concerned const& concerned, TimeMs now, std::string const& why) {
  for (auto& [connection, one] : of_)
    if (one.why_over.ok() && concerned(one)) fail(one, connection, now, {Code::unavailable, why});
}

void Transactions::give_up(HostedTable const& table, TimeMs now, std::string const& why) {
  give_up_all(
      [&](Transaction const& one) {
        return std::ranges::find(one.tables, table.number) != one.tables.end();
      },
      now, why);
}

// Nothing is decided for its tables, so the date does not matter.
void Transactions::give_up(HostedLog const& log, std::string const& why) {
  give_up_all([&](Transaction const& one) { return one.log == &log; }, TimeMs{}, why);
}

bool Transactions::run(TimeMs now) {
  if (is_mutant(Mutant::time_does_not_end_it)) ends_.clear();
  for (std::uint32_t count = 0; !ends_.empty() && ends_.begin()->first <= now; ++count) {
    if (count == kRolledBackPerTurn) return true;
    ConnectionId const connection = ends_.begin()->second;
    Transaction& one = of_.at(connection);
    ++figures_.timed_out;
    fail(one, connection, now,
         {Code::timed_out, "it was not committed within " + std::to_string(one.timeout.value) + " ms"});
  }
  return false;
}

}  // namespace fastjournal::engine
