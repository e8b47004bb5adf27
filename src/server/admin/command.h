// A command of the daemon itself: a function from a request to its outcome. Each is given the parts of the daemon that
// it needs and no others; the registry owns them and Dispatch runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/access/permit.h"
#include "engine/engine.h"
#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/rights.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::admin {

// The sender of a command.
struct Caller {
  ConnectionId connection{};
  std::string_view peer{};    // for people
  std::string_view worker{};  // its default name in leases
  std::string_view origin{};  // the owner of its names
  bool stands_alone{false};   // each of its requests does, and may come on another connection (HTTP)
  bool communicator{false};   // a communicatord, or a service behind it: expects no answer to what it sends to all
  access::Permit permit{};    // what it may do; its right to the command itself was checked
};

// A text that is the same for all who ask for it: made once, and then in memory once, however many are being sent it.
// Kept as long as the daemon runs.
using SharedText = std::shared_ptr<std::string const>;
inline constexpr std::uint32_t kNoFile = 0;  // files of tables are numbered from 1
inline void add_shared(Answer& answer, std::string_view name, SharedText& text) {
  answer.add_stored(name, {.extent = {.file = kNoFile, .end = text->size()}, .is_text = true, .owner = &text});
}
// Null: the value is in a file.
[[nodiscard]] inline SharedText const* shared_text_of(StoredValue const& value) {
  return value.extent.file == kNoFile ? static_cast<SharedText const*>(value.owner) : nullptr;
}

using engine::Basis;
using engine::Outcome;

struct Request {
  Caller const& caller;
  Message const& message;
  TimeMs now{};
  Answer& answer;  // the messages of an outcome that is not a refusal
  // What the message was checked against.
  CommandDeclaration const* declared{nullptr};

  // A number, or milliseconds; what is declared if it is absent.
  [[nodiscard]] std::uint64_t number(std::string_view name) const;
  // The place of the word among those that are declared; of the first one if it is absent or empty.
  [[nodiscard]] std::size_t choice(std::string_view name) const;
};

// Not ok: a number is not within its limits, or a word none of those that are declared. A number whose limit the
// daemon's file says is left to the command.
[[nodiscard]] Status check_limits(CommandDeclaration const& declared, Message const& message);

using Run = std::function<Outcome(Request const&)>;

struct Command {
  Run run;
  // The right that a message needs, where it is not the declared one.
  std::function<Right(Message const&, Right declared)> right_for{};
};

[[nodiscard]] inline Status bad_parameter(std::string_view name, std::string text) {
  return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{name});
}

// The table that the message names; null: there is none that serves. Before every command on a table.
[[nodiscard]] inline engine::HostedTable* find_table(engine::Engine& engine, Message const& message) {
  Value const* const name = message.find("table");
  engine::HostedTable* const table = name == nullptr ? nullptr : engine.find_table(name->bytes);
  return table != nullptr && table->serves() ? table : nullptr;
}
// The reason.
[[nodiscard]] Status why_no_table(engine::Engine& engine, Message const& message);

// As this node knows it, if another one decides for it and the sender wants that (stale=1); else null. Everything in it
// is durable. Decisions of an owner that lost its lease may not be.
[[nodiscard]] bool may_be_stale(Message const& message);
[[nodiscard]] engine::HostedTable* find_stale(engine::Engine& engine, Message const& message);

// A command on the table that it names; what it returns rests on the log of that.
using RunOnTable = std::function<Outcome(engine::HostedTable&, Request const&)>;
[[nodiscard]] Run on_table(engine::Engine& engine, RunOnTable run);
// The same where a table may be named; null: all of them.
using RunOnTables = std::function<Outcome(engine::HostedTable*, Request const&)>;
[[nodiscard]] Run on_tables(engine::Engine& engine, RunOnTables run);

// The longest time of a transaction `until` the command of this name: the parameter `timeout`, or the configured one.
[[nodiscard]] Result<DurationMs> read_timeout(Request const& request, engine::Transactions const& transactions,
                                              std::string_view until);

}  // namespace fastjournal::admin
