// Branches at a start and at a change of declarations: what is prepared holds again what it held, and its tables stay as
// they are. How parts of transactions over several logs end is asked of TwoPhase.
#include <algorithm>

#include "engine/configuration.h"
#include "engine/transactions/branches.h"
#include "engine/transactions/transaction_codec.h"

namespace fastjournal::engine {
namespace {

bool is_whole(log::TransactionBook::Entry const& entry) {
  return entry.decided != log::Outcome::none || (!entry.xid.empty() && entry.ops.size() == entry.ops_count);
}

Status damaged(HostedLog const& log, log::TransactionBook::Entry const& entry, std::string_view what) {
  return {Code::damaged, "log " + log.name + ": the prepared transaction " + entry.xid + std::string{what}};
}

}  // namespace

Status Branches::check_tables_of(HostedLog const& log, log::TransactionBook::Entry const& entry,
                                 Declarations const& next) const {
  for (log::TransactionBook::Op const& stored : entry.ops) {
    PromisedOp op;
    Message message;
    if (!read_op(stored.body, op, message))
      return {Code::damaged,
              "log " + log.name + ": a command of the prepared transaction " + entry.xid + " cannot be read"};
    log::Catalogue::TableEntry const* const table = log.catalogue.find(op.table);
    std::string const name = table == nullptr ? std::to_string(static_cast<std::uint32_t>(op.table)) : table->name;
    std::string const what = "table " + name + " has a part in the prepared transaction " + entry.xid;
    auto const declared = std::ranges::find(next, name, [](Declaration const& one) { return one->name; });
    if (table == nullptr || declared == next.end())
      return {Code::bad_configuration, what + ", and would be gone: put " + name +
                                           ".xml back, and end the transaction (fastjournal tx ls) first"};
    if (!same_schema((*declared)->schema, table->schemas.rbegin()->second.schema))
      return {Code::bad_configuration, (*declared)->at("schema") + ": " + what +
                                           ": its columns cannot change before that is ended (fastjournal tx ls)"};
  }
  return {};
}

Status Branches::check_tables(Declarations const& next) const {
  for (auto const& log : parts_.tables.logs())
    for (auto const& [object, entry] : log->catalogue.transactions().all())
      if (Status status = check_tables_of(*log, entry, next); !status.ok()) return status;
  return {};
}

Status Branches::restore(TimeMs now) {
  using Role = log::TransactionBook::Role;
  // Their branches first. What is restored may be stated anew meanwhile.
  std::vector<std::pair<HostedLog*, ObjectId>> parts;
  for (auto const& log : parts_.tables.logs())
    for (auto const& [object, entry] : log->catalogue.transactions().all())
      if (entry.role == Role::part) {
        parts.emplace_back(log.get(), object);
      } else if (entry.role == Role::branch) {
        if (Status status = restore(*log, entry, now); !status.ok()) return status;
      }
  for (auto const& [log, object] : parts)
    if (Status status = restore_part(*log, *log->catalogue.transactions().find(object), now); !status.ok())
      return status;
  parts_.two_phase.restore_outcomes();
  // Before half of one is visible.
  parts_.two_phase.advance(now);
  // Also if there is none: the alert may be up.
  look_at_ = now;
  return {};
}

Status Branches::restore(HostedLog& log, TimeMs now) {
  for (auto const& [object, entry] : log.catalogue.transactions().all())
    if (Status status = restore(log, entry, now); !status.ok()) return status;
  look_at_ = now;
  return {};
}

void Branches::let_go(HostedLog const& log, TimeMs now, Status const& why) {
  for (auto at = branches_.begin(); at != branches_.end();) {
    auto const one = at++;
    if (one->second.log != &log) continue;
    if (Transaction* const transaction = parts_.transactions.find(one->second.transaction); transaction != nullptr)
      parts_.transactions.give_up(*transaction, now, why);
    erase(one);
  }
}

Status Branches::restore(HostedLog& log, log::TransactionBook::Entry const& entry, TimeMs now) {
  if (!is_whole(entry)) return damaged(log, entry, " has not all its commands");
  if (branches_.contains(entry.xid)) return damaged(log, entry, " is there twice");
  Branch& branch = add(entry.xid, entry.origin);
  branch.log = &log;
  branch.object = entry.object;
  branch.others = entry.others;
  branch.prepared = entry.prepared;
  branch.decided = entry.decided;
  branch.decided_at = entry.decided_at;
  if (entry.decided != log::Outcome::none) return {};
  ++in_doubt_;
  Transaction& one = parts_.transactions.make(ConnectionId::none, {}, now);
  branch.transaction = one.id;
  if (Status status = restore_ops(log, entry, one); !status.ok()) return status;
  if (branch.others.empty() || one.in(log) == nullptr) return {};
  std::size_t const bytes = Transactions::room_of(*one.in(log), log::TransactionBook::bytes_of(entry));
  if (log.log->hold(bytes, true)) branch.held = bytes;
  return {};
}

Status Branches::restore_part(HostedLog& log, log::TransactionBook::Entry const& entry, TimeMs now) {
  using Verdict = TwoPhase::Verdict;
  if (!is_whole(entry)) return damaged(log, entry, " has not all its commands");
  TwoPhase::Part part{.log = &log, .object = entry.object};
  Verdict const verdict = parts_.two_phase.verdict(entry);
  if (verdict == Verdict::give_up) {
    parts_.two_phase.resolve(entry.xid, log::Outcome::rolled_back, part);
    return {};
  }
  auto found = branches_.find(entry.xid);
  Transaction* one = found == branches_.end() || verdict == Verdict::carry_out
                         ? nullptr
                         : parts_.transactions.find(found->second.transaction);
  bool const is_first = one == nullptr;
  if (is_first) one = &parts_.transactions.make(ConnectionId::none, {}, now);
  if (Status status = restore_ops(log, entry, *one); !status.ok()) return status;
  part.transaction = one->id;
  if (verdict == Verdict::carry_out) {
    parts_.two_phase.resolve(entry.xid, log::Outcome::committed, part);
    return {};
  }
  std::ranges::sort(one->ops, {}, &TransactionOp::number);
  std::size_t const bytes =
      one->in(log) == nullptr ? 0 : Transactions::room_of(*one->in(log), log::TransactionBook::bytes_of(entry));
  if (bytes != 0 && log.log->hold(bytes, true)) part.held = bytes;
  if (!is_first) {
    if (verdict == Verdict::home_lost) remember_lost(log, entry, now);
    found->second.parts.push_back(part);
    return {};
  }
  remember_lost(log, entry, now);
  ++in_doubt_;
  Branch& branch = add(entry.xid, entry.origin);
  branch.transaction = one->id;
  branch.log = &log;
  branch.object = part.object;
  branch.held = part.held;
  branch.prepared = entry.prepared;
  branch.is_home_lost = true;
  return {};
}

// An older copy of home grows, and would be believed once it stands where home stood.
void Branches::remember_lost(HostedLog& log, log::TransactionBook::Entry const& part, TimeMs now) {
  auto const is_home = [&part](auto const& one) { return one->keeps && one->log->store_id() == part.home.store_id; };
  if (std::ranges::none_of(parts_.tables.logs(), is_home)) return;
  log::TransactionBook::Entry lost = part;
  lost.home = {};
  if (!log.log->reserve(log::TransactionBook::bytes_of(lost) + kGroupBytes, true)) return;
  append_to_catalogue(log, now, [&lost](Records& records) { log::TransactionBook::append_prepared(records, lost); });
  parts_.alerting.close_group(log, now, Durability::synced);
}

Status Branches::restore_ops(HostedLog& log, log::TransactionBook::Entry const& entry, Transaction& one) {
  for (log::TransactionBook::Op const& stored : entry.ops) {
    PromisedOp op;
    Message message;
    bool const is_read = read_op(stored.body, op, message);
    auto const table = log.tables.find(op.table);
    HostedTable* const hosted = table == log.tables.end() ? nullptr : table->second;
    std::uint32_t const index = hosted == nullptr ? NameTable::kAbsent : hosted->type->find_command(op.command);
    if (!is_read || index == NameTable::kAbsent || hosted->can.promises == nullptr)
      return damaged(log, entry, ": " + op.command + " cannot be promised again");
    Status status = parts_.transactions.restore(one, *hosted,
                                                {.table = hosted->number,
                                                 .number = op.number,
                                                 .index = static_cast<std::uint16_t>(index),
                                                 .bytes = std::move(op.bytes),
                                                 .message = std::move(message),
                                                 .values = std::move(op.values),
                                                 .worker = std::move(op.worker),
                                                 .origin = std::move(op.origin),
                                                 .asked = op.asked,
                                                 .hold = std::move(op.hold)});
    if (!status.ok()) return status;
  }
  parts_.transactions.prepared(one);
  return {};
}

}  // namespace fastjournal::engine
