// The daemon's own commands by name, with their code. Every declared command has one. It also knows the names of the
// tables' commands, so that one look-up tells what a message asks for. Owned by the server; filled before it serves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "engine/types.h"
#include "server/admin/command.h"
#include "server/admin/declarations.h"

namespace fastjournal::admin {

class Registry {
 public:
  // The result of find() for a command of tables, and for a name that is neither.
  static constexpr std::uint32_t kOfTables = NameTable::kAbsent - 1;
  static constexpr std::uint32_t kUnknown = NameTable::kAbsent;

  explicit Registry(engine::TableTypes const& types);

  // `name` is declared, and has no code yet.
  void add(std::string_view name, Command command);
  [[nodiscard]] bool is_complete() const;

  // The number of a command of our own, or one of the two above.
  [[nodiscard]] std::uint32_t find(std::string_view name) const { return names_.find(name); }
  [[nodiscard]] bool has(std::string_view name) const { return names_.has(name); }

  [[nodiscard]] OwnCommand const& declaration(std::uint32_t number) const { return own_commands()[number]; }
  // The right needed for this message; none: it may be sent in any case.
  [[nodiscard]] std::optional<Right> right_for(std::uint32_t number, Caller const& caller,
                                               Message const& message) const;
  // Refused: the message does not keep to what is declared.
  [[nodiscard]] Outcome run(std::uint32_t number, Request request) const;

 private:
  NameTable names_;
  std::vector<Command> commands_;  // by number, the place of its declaration
};

}  // namespace fastjournal::admin
