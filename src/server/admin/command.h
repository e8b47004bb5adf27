// One command of the daemon itself. Each is in a file of its own, with the parts of the daemon that it needs and no
// others; the registry owns them and the server runs them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/access/permit.h"
#include "engine/engine.h"
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

// The whole number that a parameter is or spells; none: it is another thing, as true and false are.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(Value const& value) {
  return value.kind == Value::Kind::boolean ? std::nullopt : value.as_integer();
}
// The same by its name; `absent` if there is none, `wrong` if it is no number.
[[nodiscard]] inline std::int64_t whole_number(Message const& message, std::string_view name, std::int64_t absent,
                                               std::int64_t wrong) {
  Value const* const value = message.find(name);
  return value == nullptr ? absent : whole_number(*value).value_or(wrong);
}

// The logs whose state an answer shows: it leaves once they are durable.
struct Basis {
  log::Log const* log{nullptr};  // of one table
  bool all{false};               // every log that serves
};

// The rest of an answer that would keep all others waiting if it were made at once: it is told in parts, of later turns.
class Parts {
 public:
  // Of tables whose figures are looked at: less than a millisecond.
  static constexpr std::size_t kTables = 64;
  virtual ~Parts() = default;
  // The next messages, or none so far. Returns how many follow them, or will at least; 0: that was all.
  [[nodiscard]] virtual std::uint64_t tell(TimeMs now, Answer& answer) = 0;
  // What is kept of it in memory.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

struct Request {
  Caller const& caller;
  Message const& message;
  TimeMs now{};
  Answer& answer;
  Status& status;  // not ok: why there is no answer
  Basis& basis;
  bool may_be_silent{false};       // from here on: the caller waits for pushes, or copies logs
  std::unique_ptr<Parts> parts{};  // if not null: they are the answer
  bool is_later{false};            // the answer comes by the ReplySink (end_commit); the caller sends nothing meanwhile
};

class Command {
 public:
  virtual ~Command() = default;
  // Neither answer nor status: there is no answer.
  virtual void run(Request& request) = 0;
  // What this message needs, where that is not the declared right.
  [[nodiscard]] virtual Right right_for(Message const&, Right declared) const { return declared; }
};

[[nodiscard]] inline Status bad_parameter(std::string_view name, std::string text) {
  return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{name});
}

// The table that the message names; null: there is none that serves, and `status` says so. Before every command on a
// table.
[[nodiscard]] Status why_no_table(engine::Engine& engine, Message const& message);
[[nodiscard]] inline engine::HostedTable* find_table(engine::Engine& engine, Message const& message, Status& status,
                                                     Basis& basis) {
  Value const* const name = message.find("table");
  engine::HostedTable* const table = name == nullptr ? nullptr : engine.find_table(name->bytes);
  if (table == nullptr || !table->serves()) {
    status = why_no_table(engine, message);
    return nullptr;
  }
  basis.log = table->log->log;
  return table;
}

// As this node knows it, if another one decides for it and the sender wants that (stale=1); else null. Everything in it
// is durable. What an owner has decided that lost its lease may not be.
[[nodiscard]] bool may_be_stale(Message const& message);
[[nodiscard]] engine::HostedTable* find_stale(engine::Engine& engine, Message const& message);

// For commands on one table or all of them. False: a table was named, and cannot be used.
struct TableChoice {
  bool is_valid{false};
  engine::HostedTable* table{nullptr};  // null: all
};
[[nodiscard]] TableChoice choose_table(engine::Engine& engine, Request& request);

// How long a transaction may last `until` the command of this name: the parameter `timeout`, or what the configuration
// says. None: refused.
[[nodiscard]] std::optional<DurationMs> read_timeout(Request& request, engine::Transactions const& transactions,
                                                     std::string_view until);

}  // namespace fastjournal::admin
