// A promised command as bytes, so that a prepared transaction outlives the process: which command of which table, by whom
// and when, its parameters, and what it holds. A start takes the holds from here: it does not promise again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/extent.h"
#include "fastjournal/message.h"
#include "fastjournal/table.h"

namespace fastjournal::engine {

struct PromisedOp {
  TableId table{};
  std::string command;
  std::string worker;
  std::string origin;
  TimeMs asked{};
  Hold hold;
  std::uint32_t number{0};    // of a transaction over several logs, its place among all commands, from 1; else 0
  std::vector<char> bytes{};  // read: what its message borrows
  std::vector<StoredValue> values{};  // read: what its message has outside the log
};

void write_op(PromisedOp const& op, Message const& message, std::string& out);
// The message borrows from `bytes` and `values` of `out`. False: damaged.
[[nodiscard]] bool read_op(std::string_view bytes, PromisedOp& out, Message& message);

}  // namespace fastjournal::engine
