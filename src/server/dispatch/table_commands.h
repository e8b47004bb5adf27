// A command on a table, from whichever way it came: the table, the command of its type, the sender's right and the names
// of the parameters are checked, and the engine executes it. Owned by the server.
#pragma once

#include <optional>

#include "engine/engine.h"
#include "engine/outcome.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/admin/command.h"
#include "server/listeners.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

// Values outside the log that are stored before their command is decided, or read (stored_commands.h).
class ValuesFirst {
 public:
  // None: the command is decided with the message as it is now; settle() follows. Else it was refused, or the message
  // was taken, and comes again when its values are stored. `is_promised`: it is part of a transaction, whose records
  // carry no values.
  [[nodiscard]] virtual std::optional<engine::Outcome> prepare(Speaker const& speaker, engine::HostedTable& table,
                                                               Command const& command, bool is_promised,
                                                               Message& message) = 0;
  virtual void settle() = 0;
  // The place from which the command that is decided now continues: its beginning, unless it comes again after read().
  [[nodiscard]] virtual work::Fetching resumed() = 0;
  // It needs bytes of the table: unless it is refused, the message was taken, and comes again when they were read.
  [[nodiscard]] virtual engine::Outcome read(Speaker const& speaker, engine::HostedTable& table,
                                             work::Fetching const& fetching, Message& message) = 0;

 protected:
  ~ValuesFirst() = default;
};

class TableCommands {
 public:
  TableCommands(engine::Engine& engine, TurnClock& clock, Listeners const& listeners, ValuesFirst& values)
      : engine_(engine), clock_(clock), listeners_(listeners), values_(values) {}

  [[nodiscard]] engine::Outcome run(Speaker const& speaker, Message& message, Answer& answer);
  // Of a command in a TRANSACTION: its table, if it has values that are to be stored before all of them are promised;
  // else null.
  [[nodiscard]] Result<engine::HostedTable*> request_store(Speaker const& speaker, Message const& message,
                                                           StoreRequest& request);
  // Such a command, whose values are stored by now.
  [[nodiscard]] Status promise(Speaker const& speaker, Message const& message, Answer& answer);
  // Of a command whose value follows in pieces: `bytes` of it, UINT64_MAX: not known yet. Not ok: it is refused.
  struct Content {
    engine::HostedTable* table{nullptr};
    std::uint64_t bytes_max{0};
  };
  [[nodiscard]] Result<Content> accept_content(Speaker const& speaker, Message const& message, std::uint64_t bytes);
  // The right that its command needs; none: there is no such table or command.
  [[nodiscard]] std::optional<Right> right_of(Message const& message) const {
    return right_of(message.text("table"), message.command);
  }
  [[nodiscard]] std::optional<Right> right_of(std::string_view table, std::string_view command) const;
  // Not ok: it has no part in a transaction. Unknown commands are refused when they are run.
  [[nodiscard]] Status check_promised(Message const& message) const;
  // Whether it adds something to its table: all other commands need an answer.
  [[nodiscard]] bool adds(Message const& message) const;

 private:
  // The command that the message is, if its sender may give it.
  struct Checked {
    engine::Outcome refusal{};            // its basis is that of the command, too
    engine::HostedTable* table{nullptr};  // null: it was refused
    Command command{};
  };
  [[nodiscard]] Checked check(Speaker const& speaker, Message const& message);
  // Of a table with values outside the log.
  [[nodiscard]] engine::Outcome run_with_values(Speaker const& speaker, Checked const& checked, Message& message,
                                                Answer& answer);
  [[nodiscard]] engine::CommandType const* find(std::string_view table, std::string_view command) const;

  engine::Engine& engine_;
  TurnClock& clock_;
  Listeners const& listeners_;
  ValuesFirst& values_;
};

}  // namespace fastjournal::server
