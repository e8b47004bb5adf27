// The commands and answers of the daemon itself, as daemon.xml declares them: as a table type's, with what only these have.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/rights.h"

namespace fastjournal::config {

inline constexpr std::array<Right, 3> kRightsToChange{Right::add, Right::work, Right::manage};
inline constexpr std::string_view kRightsToChangeNames = "add, work or manage";

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

  // Without a kind and a right. A limit may be the one of this name in the daemon's file, or an option of the table.
  CommandDeclaration declared{};
  std::optional<Right> right{};  // none: allowed to all connections, unless it is for changes
  Scope scope{Scope::daemon};
  Kind kind{Kind::own};
  bool life_cycle{false};  // a communicatord sends it to all services: it needs no right for it
  // Work on a transaction: it needs one of the rights to change something (kRightsToChange), on any table.
  bool for_changes{false};
  bool may_be_silent{false};  // its sender waits for pushes, or copies logs, once it was carried out

  [[nodiscard]] std::string_view name() const { return declared.name; }
  [[nodiscard]] bool takes_table() const {
    return std::ranges::any_of(declared.parameters, [](auto const& one) { return one.name == "table"; });
  }
  // For people: what it needs; "none".
  [[nodiscard]] std::string_view needed() const {
    return right ? name_of(*right) : for_changes ? kRightsToChangeNames : "none";
  }
};

struct OwnAnswer {
  AnswerDeclaration declared{};
  bool is_shared{false};  // every service of a communicatord has it
  bool is_mixed{false};   // messages of other names may be part of the same answer

  [[nodiscard]] std::string_view name() const { return declared.name; }
};

struct OwnDeclarations {
  std::vector<OwnCommand> commands;
  std::vector<OwnAnswer> answers;  // and pushes
};

// Names of parameters that stand for others: those that the types have for their topic; the parameters of their
// delivering commands that go with LISTEN.
inline constexpr std::string_view kTopicPlace = "{topic}";
inline constexpr std::string_view kFurtherPlace = "{further}";

}  // namespace fastjournal::config
