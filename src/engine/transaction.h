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
  std::uint32_t table{0};  // its number
  std::uint16_t index{0};  // of the command
  Message message;
  std::string worker;
  std::string origin;
  TimeMs asked{};
  Hold hold;
};

struct Transaction {
  TransactionId id{};
  DurationMs timeout{};
  TimeMs ends{};            // max: its time does not end it
  HostedLog* log{nullptr};  // of its commands; null: none came yet
  std::vector<TransactionOp> ops;
  std::vector<std::uint32_t> tables;  // their numbers, each once
  std::uint64_t record_bytes{0};      // the most of its commit
  std::uint64_t kept_bytes{0};        // memory of its commands
  ConnectionId owner{};               // to which that belongs, and with which it ends; none: a branch (branches.h)
  bool adds{false};                   // one of its commands does
  Status why_over;                    // not ok: it was rolled back, and whoever it belongs to is to be told
};

}  // namespace fastjournal::engine
