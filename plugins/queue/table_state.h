// State shared by all parts of a queue table: its declaration, its messages (rows), the shared bodies that several of
// them share, and its queues.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/table.h"
#include "plugins/queue/deduplications.h"
#include "plugins/queue/message_body.h"
#include "plugins/queue/options.h"
#include "plugins/queue/promised.h"
#include "plugins/queue/queues.h"
#include "plugins/queue/shared_bodies.h"
#include "plugins/queue/statistics.h"
#include "plugins/rows/leased.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::queue {

struct TableState : rows::Declared<Options> {
  TableState(std::shared_ptr<TableDeclaration const> its_declaration, std::uint64_t hash_seed)
      : Declared(std::move(its_declaration)),
        table_of_rows(hash_seed, kRowKind),
        queues(hash_seed),
        deduplications(hash_seed) {}

  [[nodiscard]] rows::State const& rows() const { return table_of_rows.state(); }
  [[nodiscard]] std::string_view queue_of(std::uint32_t row) const { return rows().order().domain_of(row); }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return table_of_rows.memory_bytes() + shared_bodies.memory_bytes() + queues.memory_bytes() +
           promised.memory_bytes() + deduplications.memory_bytes() + statistics.memory_bytes();
  }
  // It has, or has promised, all the memory that it may have.
  [[nodiscard]] bool is_large() const {
    return options.memory_max != 0 && memory_bytes() + table_of_rows.holds().bytes() >= options.memory_max;
  }
  // Queues and exchanges that are there or were promised.
  [[nodiscard]] std::uint64_t named() const { return queues.size() + promised.new_queues(); }
  // Room for one more that a command makes which is about messages. An eighth of all places is for those who may manage
  // the table: names that producers invent do not take them.
  [[nodiscard]] bool has_place(Command const& command) const {
    return named() < options.queues_max - (command.may_manage ? 0 : options.queues_max / 8);
  }
  // `settings`: of DECLARE, or of its first use.
  void make_queue(std::string_view name, Settings const& settings, Decision& decision) const {
    model::append_record(decision.records, ObjectId{},
                         QueueBody{name, settings, decision.now.value, decision.now.value});
  }
  // A transaction that has promises of it and is not over; `what`: as "queue orders".
  [[nodiscard]] Status check_promised(std::string const& name, std::string const& what) const {
    TransactionId const holder = promised.holder(name);
    if (holder == TransactionId::none) return {};
    std::string const number = std::to_string(static_cast<std::uint64_t>(holder));
    return Status{Code::in_transaction, what + " of table " + table() + " is held by transaction " + number +
                                            ", which is not over: try again when it is committed or rolled back"}
        .with("transaction", number);
  }
  [[nodiscard]] Status no_queue(std::string_view name, std::string const& parameter = "queue") const {
    Queue const* const leaving = queues.find_any(name);
    if (leaving != nullptr && leaving->messages > 0)
      return Status{Code::wrong_state, "queue " + std::string{name} + " of table " + table() +
                                           " was removed, and its messages are going (" +
                                           std::to_string(leaving->messages) + " are left): try again soon"}
          .with("parameter", parameter);
    return Status{Code::not_found, "table " + table() + " has no queue " + std::string{name} +
                                       ": DECLARE it, name it in <queues>, or say <create-queues>"}
        .with("parameter", parameter);
  }

  rows::RowTable table_of_rows;
  rows::NamedRows const names{
      table_of_rows, declaration->name, {"message", "it was accepted, moved on, expired, or never there", "accept"}};
  SharedBodies shared_bodies;
  Queues queues;
  Promised promised;
  Deduplications deduplications;
  // Queues of the file may not be there.
  mutable bool looks_for_declared{true};
  // All messages of removed queues that are left are held by transactions: until one ends, none can go.
  mutable bool is_leaving_blocked{false};
  mutable Statistics statistics;
};

}  // namespace fastjournal::queue
