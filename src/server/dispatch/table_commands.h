// A command on a table, from whichever way it came: the table, the command of its type, the sender's right and the names
// of the parameters are checked, and the engine executes it. Owned by the server.
#pragma once

#include <optional>

#include "engine/engine.h"
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
  enum class Ready : std::uint8_t {
    now,      // the command is decided with the message as it is now; settle() follows
    later,    // the message was taken: it comes again when its values are stored
    refused,  // `status` says why
  };
  // `is_promised`: it is part of a transaction, whose records carry no values.
  [[nodiscard]] virtual Ready prepare(Speaker const& speaker, engine::HostedTable& table, Command const& command,
                                      bool is_promised, Message& message, Status& status) = 0;
  virtual void settle() = 0;
  // Where the command that is decided now goes on: at its beginning, if it does not come again after read().
  [[nodiscard]] virtual work::Fetching standing() = 0;
  // It wants bytes of the table. True: the message was taken, and comes again when they were read; else `status` says
  // why not.
  [[nodiscard]] virtual bool read(Speaker const& speaker, engine::HostedTable& table, work::Fetching const& fetching,
                                  Message& message, Status& status) = 0;

 protected:
  ~ValuesFirst() = default;
};

class TableCommands {
 public:
  TableCommands(engine::Engine& engine, TurnClock& clock, Listeners const& listeners, ValuesFirst& values)
      : engine_(engine), clock_(clock), listeners_(listeners), values_(values) {}

  // False: the answer comes later, through work::ReplySink. `basis`: the log of its table.
  [[nodiscard]] bool run(Speaker const& speaker, Message& message, Answer& answer, Status& status, admin::Basis& basis);
  // Of a command in a TRANSACTION: its values that are to be stored before all of them are promised. Null: it has none.
  [[nodiscard]] engine::HostedTable* wish_to_store(Speaker const& speaker, Message const& message, StoreRequest& wish,
                                                   Status& status);
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
  // Whether a command of a table waits for the COMMIT of its transaction; false: `status` says why it has no part in one.
  // Unknown ones are refused when they are run.
  [[nodiscard]] bool is_promised(Message const& message, Status& status) const;
  // Whether it adds something to its table: all other commands need an answer.
  [[nodiscard]] bool adds(Message const& message) const;

 private:
  // The command that the message is, if its sender may give it.
  struct Checked {
    engine::HostedTable* table{nullptr};
    Command command{};
  };
  [[nodiscard]] Checked check(Speaker const& speaker, Message const& message, Status& status, admin::Basis& basis);
  [[nodiscard]] engine::CommandType const* find(std::string_view table, std::string_view command) const;

  engine::Engine& engine_;
  TurnClock& clock_;
  Listeners const& listeners_;
  ValuesFirst& values_;
};

}  // namespace fastjournal::server
