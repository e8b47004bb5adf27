// Messages of other systems that are commands of a table (doc/table-reference.md, `<alias>`): which table takes one,
// which command it becomes, and how the sender is answered. Their senders run today and cannot be changed. Built from
// the declarations, again after each reload.
#pragma once

#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "engine/engine.h"
#include "fastjournal/message.h"

namespace fastjournal::communicator {

class Aliases {
 public:
  struct Alias {
    engine::Declaration table;
    AliasDeclaration const* declared;  // of that table
  };

  // Not ok: two tables declare the same command.
  [[nodiscard]] static Result<Aliases> read(engine::Declarations const& tables);

  [[nodiscard]] Alias const* find(std::string_view command) const {
    std::uint32_t const at = by_command_.find(command);
    return at == NameTable::kAbsent ? nullptr : &aliases_[at];
  }
  [[nodiscard]] std::vector<Alias> const& all() const { return aliases_; }

 private:
  std::vector<Alias> aliases_;
  NameTable by_command_;
};

// Its sender numbers its messages, as with INSERT: sent again, it counts once. Then it knows our answers as well.
[[nodiscard]] bool is_numbered(Aliases::Alias const& alias, Message const& theirs);
// Translates `theirs` into its command; not ok: a parameter that the alias does not know, or an invalid date. Borrows
// from both.
[[nodiscard]] Status translate(Aliases::Alias const& alias, Message const& theirs, Message& ours);
// The answer for the sender: the echoed parameters only, as its reader may check names.
void acknowledge(Aliases::Alias const& alias, Message const& theirs, bool accepted, Answer& answer);

}  // namespace fastjournal::communicator
