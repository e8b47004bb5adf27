// The commands and answers of the daemon itself, as a TYPE.xml declares those of a table type: names, parameters and
// rights, without code. HELP, the check of rights, the definition files of messages and the check of alias names read
// it here, the last two without a daemon.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/types.h"
#include "fastjournal/rights.h"

namespace fastjournal::admin {

struct OwnCommand {
  // Where its right is needed.
  enum class Scope : std::uint8_t {
    daemon,  // on all tables, and so on the daemon itself
    table,   // on the table that it names; without one it is about the daemon
    tables,  // on the table that it names; without one it is about all tables on which its sender has the right
  };
  enum class Kind : std::uint8_t {
    own,     // only this daemon has it
    shared,  // every service of a communicatord has it,
    silent,  // and it is not answered
  };

  std::string_view name;
  // Accepted names, separated by blanks. {topic}: the names that the types have for it; {further}: the parameters of their
  // delivering commands that go with LISTEN.
  std::string_view parameters{};
  std::optional<Right> right{};  // none: allowed to all connections, unless it is for changes
  Scope scope{Scope::daemon};
  Kind kind{Kind::own};
  bool life_cycle{false};  // a communicatord sends it to all services: it needs no right for it
  // Work on a transaction: it needs one of the rights to change something (kRightsToChange), on any table.
  bool for_changes{false};
  bool may_be_silent{false};  // its sender waits for pushes, or copies logs, once it was carried out
  bool may_be_resent{false};  // by a client that lost its connection before the answer

  [[nodiscard]] bool takes_table() const;
  // For people: what it needs; "none".
  [[nodiscard]] std::string_view needed() const;
};

inline constexpr std::array<Right, 3> kRightsToChange{Right::add, Right::work, Right::manage};
inline constexpr std::string_view kRightsToChangeNames = "add, work or manage";

struct OwnAnswer {
  std::string_view name;
  std::string_view parameters;
  bool is_counted{false};  // each says how many follow, also one that is alone
};

[[nodiscard]] std::span<OwnCommand const> own_commands();
// Answers and pushes; those of tables are declared by their types.
[[nodiscard]] std::span<OwnAnswer const> own_answers();

// LISTEN with mode=deliver takes this parameter of the delivering command and passes it on: none that LISTEN has itself or
// that says how the command waits, and none that needs a right of its own.
[[nodiscard]] bool goes_with_listen(TypeDeclaration const& type, CommandDeclaration const& command,
                                    ParameterDeclaration const& parameter);

// Where {topic} and {further} stand, the names that the types have for them.
[[nodiscard]] std::string with_topics(std::string_view parameters, engine::TableTypes const& types);

}  // namespace fastjournal::admin
