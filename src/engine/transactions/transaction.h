// A transaction: its commands, in the order in which they were promised, and what is to be known of them. Plain data of
// Transactions and Branches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/hosted.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"

namespace fastjournal::engine {

struct TransactionOp {
  std::uint32_t table{0};             // its number
  std::uint32_t number{0};            // among all commands of the transaction, from 1
  std::uint16_t index{0};             // of the command
  std::vector<char> bytes{};          // of its message
  Message message{};                  // borrows from `bytes` and `values`
  std::vector<StoredValue> values{};  // outside the log, at their place until they are kept
  std::string worker;
  std::string origin;
  TimeMs asked{};
  Hold hold;
};

// A log with commands of it.
struct TransactionLog {
  HostedLog* log{nullptr};
  std::uint64_t record_bytes{0};  // the most of its commit there
  bool adds{false};               // one of the commands does
};

struct Transaction {
  TransactionId id{};
  DurationMs timeout{};
  TimeMs ends{};                     // max: its time does not end it
  std::vector<TransactionLog> logs;  // each once; usually one
  std::vector<TransactionOp> ops;
  std::vector<std::uint32_t> tables;  // their numbers, each once
  std::uint64_t kept_bytes{0};        // memory of its commands
  ConnectionId owner{};               // to which that belongs, and with which it ends; none: a branch (branches.h)
  Status why_over;                    // not ok: it was rolled back, and its owner is to be told

  // Null: it has no command yet.
  [[nodiscard]] HostedLog* only_log() const { return logs.size() == 1 ? logs.front().log : nullptr; }
  [[nodiscard]] bool is_over_several_logs() const { return logs.size() > 1; }
  [[nodiscard]] TransactionLog const* in(HostedLog const& log) const {
    for (TransactionLog const& one : logs)
      if (one.log == &log) return &one;
    return nullptr;
  }
  [[nodiscard]] std::uint64_t record_bytes() const {
    std::uint64_t sum = 0;
    for (TransactionLog const& one : logs) sum += one.record_bytes;
    return sum;
  }
};

}  // namespace fastjournal::engine
