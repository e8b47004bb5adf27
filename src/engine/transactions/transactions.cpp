#include "engine/transactions/transactions.h"

#include <algorithm>

#include "base/check.h"
#include "engine/transactions/transaction_codec.h"

namespace fastjournal::engine {
namespace {

constexpr std::uint32_t kRolledBackPerTurn = 64;
// Of an op, beside the bytes of its message.
constexpr std::uint64_t kOpBytes = sizeof(TransactionOp) + 128;
// Of a value outside the log: where it is, and what its files know of it.
constexpr std::uint64_t kOutsideBytes = sizeof(StoredValue) + 256;
// Room at the first op: many transactions have no more.
constexpr std::size_t kOpsFirst = 16;
// Ops whose memory is used again, and the most bytes of the message of one: at most 5 MiB.
constexpr std::size_t kSparesMax = 1024;
constexpr std::size_t kSpareBytesMax = 4096;

Status none_open(std::string_view command) {
  return {Code::wrong_state, std::string{command} + ": no transaction is open on this connection; BEGIN begins one"};
}

Status of_branch(std::string_view command) {
  return {Code::wrong_state, std::string{command} +
                                 ": this connection works on a branch of a distributed transaction; "
                                 "XA_END, XA_COMMIT and XA_ROLLBACK end it"};
}

// It does not outlive the buffer that it came in, nor its values outside the log what they were stored by. The arena of a
// message is larger than most: a thousand commands of a few bytes would take 4 MiB.
void copy_message(Message const& message, TransactionOp& op) {
  std::size_t bytes = message.command.size();
  std::size_t values = 0;
  for (Param const& param : message.params()) {
    bytes += param.name.size() + param.value.bytes.size();
    values += param.value.outside ? 1 : 0;
  }
  op.bytes.reserve(bytes);
  op.values.reserve(values);
  auto const keep = [&kept = op.bytes](std::string_view text) {
    std::size_t const at = kept.size();
    kept.insert(kept.end(), text.begin(), text.end());
    return std::string_view{kept.data() + at, text.size()};
  };
  op.message.command = keep(message.command);
  for (Param const& param : message.params()) {
    if (param.name == "request") continue;
    Value value = param.value;
    value.bytes = keep(value.bytes);
    if (value.outside) value.stored = &op.values.emplace_back(*value.stored);
    op.message.add(keep(param.name), value);
  }
}

}  // namespace

Status Transactions::over(TransactionId id, Status const& why) {
  return Status{Code::rolled_back, "transaction " + std::to_string(static_cast<std::uint64_t>(id)) +
                                       " was rolled back, and nothing of it was done: " + why.message()}
      .with("cause", std::string{row_of(why.code()).wire_name});
}

Transaction* Transactions::find(TransactionId id) {
  auto const found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

Transaction* Transactions::of(ConnectionId connection) {
  auto const found = current_.find(connection);
  return found == current_.end() ? nullptr : find(found->second);
}

Transaction& Transactions::make(ConnectionId owner, DurationMs timeout, TimeMs now) {
  TransactionId const id{++last_};
  Transaction& one = all_[id];
  one.id = id;
  one.owner = owner;
  one.timeout = timeout.value == 0 ? timeout_ : timeout;
  one.ends = now + one.timeout;
  ends_.emplace(one.ends, id);
  return one;
}

void Transactions::erase(TransactionId id) {
  auto const found = all_.find(id);
  if (found == all_.end()) return;
  ends_.erase({found->second.ends, id});
  // Its owner has gone on to another one if it was over several logs; connections that work on a branch are not its owners.
  if (ConnectionId const owner = found->second.owner; owner == ConnectionId::none) {
    std::erase_if(current_, [id](auto const& one) { return one.second == id; });
  } else if (auto const at = current_.find(owner); at != current_.end() && at->second == id) {
    current_.erase(at);
  }
  all_.erase(found);
}

Result<TransactionId> Transactions::begin(ConnectionId connection, DurationMs timeout, TimeMs now) {
  if (has(connection))
    return Status{Code::wrong_state, "a transaction is open on this connection: COMMIT or ROLLBACK it before BEGIN"};
  Transaction const& one = make(connection, timeout, now);
  attach(connection, one);
  return one.id;
}

// ---------------------------------------------------------------------------
// Commands

Status Transactions::check(Transaction const& one, HostedTable const& table, Command const& command, TimeMs now) {
  CommandType const& type = table.type->commands()[command.index];
  if (type.in_transaction != InTransaction::promised)
    return {Code::not_supported, type.name + " of a table of type " + table.type->name() +
                                     " is not part of transactions: send it before BEGIN or after COMMIT"};
  if (one.ops.size() >= kOpsMax)
    return {Code::over_limit, "a transaction has at most " + std::to_string(kOpsMax) + " commands"};
  // Another node may decide for one of them when the outcome is known.
  for (TransactionLog const& other : one.logs)
    if (other.log != table.log && (other.log->is_shared || table.log->is_shared))
      return {Code::not_supported,
              "log " + (table.log->is_shared ? table.log->name : other.log->name) +
                  " is shared with other nodes: a transaction with tables of it has none of others"};
  if (one.owner == ConnectionId::none && branches_bytes_ + memory_of(*command.message) > branches_bytes_max_)
    return {Code::over_limit, "the commands of all branches have " + std::to_string(branches_bytes_) +
                                  " bytes, and may have " + std::to_string(branches_bytes_max_) +
                                  ", half of client-memory: end some of them"};
  if (type.kind == CommandKind::add && parts_.memory.refuses_additions()) return parts_.shortages.refuse_memory(now);
  return {};
}

Status Transactions::promise(HostedTable& table, Command const& command, TimeMs now, Answer& answer) {
  Transaction& one = *of(command.connection);
  if (!one.why_over.ok()) return over(one.id, one.why_over);
  Status status = check(one, table, command, now);
  hold_.clear();
  if (status.ok()) status = parts_.decider.promise(table, command, one.id, now, hold_);
  if (hold_.record_bytes == 0) hold_.record_bytes = room_of_step(*command.message);
  if (status.ok() && one.record_bytes() + hold_.record_bytes > kRecordBytesMax)
    status = {Code::over_limit, "a transaction has at most " + std::to_string(kRecordBytesMax >> 20U) +
                                    " MiB of records together: make it smaller"};
  if (!status.ok()) {
    end_by(command.connection, now, status);
    return status;
  }
  TransactionOp op = empty_op();
  op.table = table.number;
  op.index = command.index;
  op.worker = command.worker;
  op.origin = command.origin;
  op.asked = now;
  op.hold = hold_;
  copy_message(*command.message, op);
  FJ_CHECK(hold_values(table, op).ok(), "values of a promise were stored before it");
  take(one, table, std::move(op));
  answer.message("PROMISED").add("op", std::uint64_t{one.ops.size()});
  return {};
}

std::uint64_t Transactions::memory_of(Message const& message) {
  std::uint64_t bytes = kOpBytes;
  for (Param const& param : message.params())
    bytes += param.name.size() + param.value.bytes.size() + sizeof(Param) + (param.value.outside ? kOutsideBytes : 0);
  return bytes;
}

TransactionOp Transactions::empty_op() {
  if (spares_.empty()) return {};
  TransactionOp op = std::move(spares_.back());
  spares_.pop_back();
  return op;
}

void Transactions::spare(std::vector<TransactionOp>& ops) {
  for (TransactionOp& op : ops) {
    if (spares_.size() == kSparesMax) break;
    if (op.bytes.capacity() > kSpareBytesMax || op.hold.keys.size() > 1 || op.hold.objects.size() > 1) continue;
    op.number = 0;
    op.bytes.clear();
    op.message.clear();
    op.values.clear();
    spares_.push_back(std::move(op));
  }
  ops.clear();
}

void Transactions::take(Transaction& one, HostedTable& table, TransactionOp&& op) {
  table.can.promises->hold(one.id, op.hold);
  auto at = std::ranges::find(one.logs, table.log, &TransactionLog::log);
  if (at == one.logs.end()) at = one.logs.insert(one.logs.end(), {.log = table.log});
  at->adds = at->adds || table.type->commands()[op.index].kind == CommandKind::add;
  at->record_bytes += op.hold.record_bytes;
  if (one.ops.empty()) one.ops.reserve(kOpsFirst);
  if (op.number == 0) op.number = static_cast<std::uint32_t>(one.ops.size() + 1);
  if (std::ranges::find(one.tables, table.number) == one.tables.end()) one.tables.push_back(table.number);
  std::uint64_t const bytes = memory_of(op.message);
  one.kept_bytes += bytes;
  if (one.owner == ConnectionId::none)
    branches_bytes_ += bytes;
  else
    parts_.keeper.keeps(one.owner, static_cast<std::int64_t>(bytes));
  one.ops.push_back(std::move(op));
  parts_.due_tables.refresh(table);
}

Status Transactions::hold_values(HostedTable& table, TransactionOp const& op) {
  for (StoredValue const& value : op.values)
    if (Status status = table.outside->promised(value.extent); !status.ok()) return status;
  return {};
}

Status Transactions::restore(Transaction& one, HostedTable& table, TransactionOp op) {
  if (table.outside == nullptr && !op.values.empty())
    return {Code::damaged, "table " + table.name + " has no files, and a prepared transaction has values in them"};
  if (Status status = hold_values(table, op); !status.ok()) return status;
  take(one, table, std::move(op));
  return {};
}

void Transactions::prepared(Transaction& one) {
  ends_.erase({one.ends, one.id});
  one.ends = TimeMs::max();
}

// ---------------------------------------------------------------------------
// Their end

std::size_t Transactions::room_of(TransactionLog const& one, std::size_t also_bytes) {
  return one.record_bytes + also_bytes + kStepBytesMax + kGroupBytes;
}

Status Transactions::keep(Transaction& one, HostedLog& log, TimeMs now, Answer& answer,
                          std::function<void(Records&)> const& also, std::size_t also_bytes) {
  if (!log.serves) return log.away;
  TransactionLog const* const there = one.in(log);
  TransactionLog const part = there == nullptr ? TransactionLog{} : *there;
  bool const removes = !part.adds || one.ends == TimeMs::max();
  if (!log.log->reserve(room_of(part, also_bytes), removes)) return parts_.shortages.refuse_disk(log, now);
  // Of a branch others may have sent the commands, and be gone.
  promised_.clear();
  std::vector<std::pair<Outside*, Extent>> values;
  for (TransactionOp& op : one.ops)
    if (HostedTable& table = parts_.tables[op.table]; table.log == &log) {
      for (StoredValue& value : op.values) {
        values.emplace_back(table.outside, value.extent);
        value.extent = table.outside->place_of(value.extent);
      }
      promised_.push_back({.table = &table,
                           .command = {.index = op.index,
                                       .message = &op.message,
                                       .connection = one.owner,
                                       .worker = op.worker,
                                       .origin = op.origin},
                           .asked = op.asked,
                           .number = op.number});
    }
  parts_.decider.keep(log, one.id, promised_, now, answer, also);
  if (!one.is_over_several_logs()) {
    spare(committed_ops_);
    committed_ops_ = std::move(one.ops);
  } else {
    for (TransactionOp& op : one.ops)
      if (parts_.tables[op.table].log == &log) committed_ops_.push_back(std::move(op));
  }
  for (auto const& [outside, extent] : values) outside->let_go(extent);
  release(one, &log, now, true);
  return {};
}

std::vector<std::string> Transactions::bodies_of(Transaction const& one, HostedLog const& log) const {
  std::vector<std::string> bodies;
  for (TransactionOp const& op : one.ops) {
    HostedTable const& table = parts_.tables[op.table];
    if (table.log != &log) continue;
    write_op({.table = table.id,
              .command = table.type->commands()[op.index].name,
              .worker = op.worker,
              .origin = op.origin,
              .asked = op.asked,
              .hold = op.hold,
              .number = one.is_over_several_logs() ? op.number : 0},
             op.message, bodies.emplace_back());
  }
  return bodies;
}

Transaction* Transactions::over_several_logs(ConnectionId connection) {
  Transaction* const one = of(connection);
  bool const is_one =
      one != nullptr && one->owner != ConnectionId::none && one->why_over.ok() && one->is_over_several_logs();
  return is_one ? one : nullptr;
}

Outcome Transactions::commit(ConnectionId connection, TimeMs now, Answer& answer) {
  Transaction* const one = of(connection);
  if (one == nullptr) return none_open("COMMIT");
  if (one->owner == ConnectionId::none) return of_branch("COMMIT");
  HostedLog* const log = one->only_log();
  Status status = one->why_over.ok() ? Status{} : over(one->id, one->why_over);
  if (status.ok()) {
    answer.message("COMMITTED")
        .add("transaction", static_cast<std::uint64_t>(one->id))
        .add("ops", std::uint64_t{one->ops.size()});
    if (log != nullptr) status = keep(*one, *log, now, answer, {});
    if (status.ok()) count_committed();
  }
  if (!status.ok()) {
    answer.clear();
    end_by(connection, now, status);
  }
  erase(one->id);
  return {std::move(status), basis_of(log)};
}

Status Transactions::roll_back(ConnectionId connection, TimeMs now, Answer& answer) {
  Transaction const* const one = of(connection);
  if (one == nullptr) return none_open("ROLLBACK");
  if (one->owner == ConnectionId::none) return of_branch("ROLLBACK");
  answer.message("ROLLED_BACK").add("transaction", static_cast<std::uint64_t>(one->id));
  end_by(connection, now, {Code::rolled_back, "ROLLBACK"});
  erase(one->id);
  return {};
}

void Transactions::end_by(ConnectionId connection, TimeMs now, Status const& why) {
  Transaction& one = *of(connection);
  if (one.why_over.ok()) give_up(one, now, why);
}

void Transactions::connection_closed(ConnectionId connection, TimeMs now) {
  if (!has(connection)) return;
  TransactionId const id = current_.at(connection);
  end_by(connection, now, {Code::closed, "its connection was closed"});
  erase(id);
}

void Transactions::release(Transaction& one, HostedLog const* log, TimeMs now, bool was_kept) {
  if (!was_kept)
    for (TransactionOp const& op : one.ops)
      if (HostedTable& table = parts_.tables[op.table]; !table.is_dropped())
        for (StoredValue const& value : op.values) table.outside->let_go(value.extent);
  for (std::uint32_t const number : one.tables) {
    HostedTable& table = parts_.tables[number];
    if (log != nullptr && table.log != log) continue;
    if (table.is_dropped()) continue;
    Promises& promises = *table.can.promises;
    // Without room, and in a log that is away, what ended meanwhile ends now.
    if (!was_kept && table.log->serves)
      static_cast<void>(parts_.decider.decide_alone(table, now, kOpsMax, Durability::written, [&](Decision& decision) {
        return promises.decide_given_up(one.id, decision);
      }));
    promises.release(one.id);
    parts_.due_tables.refresh(table);
  }
  if (log != nullptr) std::erase_if(one.tables, [&](std::uint32_t number) { return parts_.tables[number].log == log; });
  if (log != nullptr && !one.tables.empty()) return;
  ends_.erase({one.ends, one.id});
  if (one.owner == ConnectionId::none)
    branches_bytes_ -= one.kept_bytes;
  else
    parts_.keeper.keeps(one.owner, -static_cast<std::int64_t>(one.kept_bytes));
  one.kept_bytes = 0;
  one.ops.clear();
  one.tables.clear();
}

void Transactions::give_up(Transaction& one, TimeMs now, Status why) {
  release(one, nullptr, now, false);
  one.why_over = std::move(why);
  ++figures_.rolled_back;
}

// Those that are prepared stay.
template <typename Concerned>
void Transactions::give_up_all(Concerned const& concerned, TimeMs now, Status const& why) {
  for (auto& [id, one] : all_)
    if (one.why_over.ok() && one.ends != TimeMs::max() && concerned(one)) give_up(one, now, why);
}

void Transactions::give_up(HostedTable const& table, TimeMs now, std::string const& why) {
  give_up_all([&](Transaction const& one) { return std::ranges::find(one.tables, table.number) != one.tables.end(); },
              now, {Code::unavailable, why});
}

void Transactions::give_up(HostedLog const& log, TimeMs now, Status const& why) {
  give_up_all([&](Transaction const& one) { return one.in(log) != nullptr; }, now, why);
}

bool Transactions::run(TimeMs now) {
  for (std::uint32_t count = 0; !ends_.empty() && ends_.begin()->first <= now; ++count) {
    if (count == kRolledBackPerTurn) return true;
    Transaction& one = all_.at(ends_.begin()->second);
    ++figures_.timed_out;
    give_up(one, now, {Code::timed_out, "it was not committed within " + std::to_string(one.timeout.value) + " ms"});
  }
  return false;
}

}  // namespace fastjournal::engine
