// A command on a table, from whichever way it came: the table, the command of its type, the sender's right and the names
// of the parameters are checked, and the engine executes it. Owned by the server.
#pragma once

#include <optional>

#include "admin/command.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/listeners.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

class TableCommands {
 public:
  TableCommands(engine::Engine& engine, TurnClock& clock, Listeners const& listeners)
      : engine_(engine), clock_(clock), listeners_(listeners) {}

  // False: the answer comes later, through work::ReplySink. `basis`: the log of its table.
  [[nodiscard]] bool run(Speaker const& speaker, Message const& message, Answer& answer, Status& status,
                         admin::Basis& basis);
  // The right that its command needs; none: there is no such table or command.
  [[nodiscard]] std::optional<Right> right_of(Message const& message) const {
    return right_of(message.text("table"), message.command);
  }
  [[nodiscard]] std::optional<Right> right_of(std::string_view table, std::string_view command) const;
  // Whether it adds something to its table: all other commands need an answer.
  [[nodiscard]] bool adds(Message const& message) const;

 private:
  [[nodiscard]] engine::CommandType const* find(std::string_view table, std::string_view command) const;

  engine::Engine& engine_;
  TurnClock& clock_;
  Listeners const& listeners_;
};

}  // namespace fastjournal::server
