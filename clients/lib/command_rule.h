// What the library must know of a command to send it again after a loss, and to wait for its answer. Those of the
// daemon itself are known (in_flight.cpp); a table type's stand with its wrapper (journal.h).
#pragma once

#include <span>
#include <string_view>

namespace fastjournal::client {

// Whether it may be sent again when the connection was lost before its answer came. As TYPE.xml has it.
enum class Resend {
  never,     // whether it was carried out is not known
  always,    // twice does no harm
  numbered,  // when it carries the parameters client and sequence
};

struct CommandRule {
  std::string_view name;
  Resend resend{Resend::never};
  // The parameter that asks the daemon to wait: its answer may come so much later, and overtake others. Empty: none.
  std::string_view wait{};
  // What stands for its answer when it was sent again and the row was gone by then: the first was carried out, only its
  // answer was lost. Empty: that is a failure like any other.
  std::string_view done_before{};
  // Each message of its answer of this name leases a row, which this command gives back if the answer came too late for
  // anybody to work on it.
  std::string_view leases{};
  std::string_view give_back{};
};

// Of a journal (journal.cpp): the default of Options::commands.
[[nodiscard]] std::span<CommandRule const> journal_commands();

}  // namespace fastjournal::client
