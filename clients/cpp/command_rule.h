// The library's knowledge about a command: whether to resend it after a loss, and how long to wait for its answer.
// Rules of the daemon's own commands are in in_flight.cpp, those of table types in made_rules.cpp.
#pragma once

#include <span>
#include <string_view>

namespace fastjournal::client {

// Whether a command may be resent after the connection was lost before its answer, as declared in TYPE.xml.
enum class Resend {
  never,     // it is not known whether the command was carried out
  always,    // carrying it out twice does no harm
  numbered,  // if it has the parameters client and sequence
};

struct CommandRule {
  std::string_view name;
  Resend resend{Resend::never};
  // The parameter by which the daemon waits: the answer may be later by that time, and overtake others. Empty: none.
  std::string_view wait{};
  // The answer to assume if a resent command finds the row gone: the first one was carried out, and only its answer was
  // lost. Empty: a failure like any other.
  std::string_view done_before{};
  // A message of this name, or of one of these between blanks, in the answer leases something. If the caller does not get
  // the answer, that is returned with the command `give_back`.
  std::string_view leases{};
  std::string_view give_back{};
};

// As declared in plugins/*/TYPE.xml. A lease of a lost answer ends after the grace, whether or not the command is resent.
[[nodiscard]] std::span<CommandRule const> journal_commands();
[[nodiscard]] std::span<CommandRule const> key_value_commands();
[[nodiscard]] std::span<CommandRule const> queue_commands();
[[nodiscard]] std::span<CommandRule const> pipeline_commands();
[[nodiscard]] std::span<CommandRule const> blob_commands();
// The daemon's own commands that may be resent.
[[nodiscard]] std::span<std::string_view const> resent_daemon_commands();
// Of all of these: the default of Options::commands. Of a name that several have, the rule is the same, or does no harm
// in the others: a DELETE of a journal cannot be numbered.
[[nodiscard]] std::span<CommandRule const> known_commands();

}  // namespace fastjournal::client
