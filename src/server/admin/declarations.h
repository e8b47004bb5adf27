// The commands and answers of the daemon itself, of daemon.xml, which declares them as a TYPE.xml those of a table type:
// without code. HELP, the check of rights, the definition files of messages, the documents and the check of alias names
// read it here, most of them without a daemon.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/own_declaration.h"
#include "engine/types.h"

namespace fastjournal::admin {

using config::kRightsToChange;
using config::kRightsToChangeNames;
using config::OwnAnswer;
using config::OwnCommand;

// The file is part of the program, and read at the first use.
[[nodiscard]] std::span<OwnCommand const> own_commands();
// Answers and pushes; those of tables are declared by their types.
[[nodiscard]] std::span<OwnAnswer const> own_answers();
// What a figure of the daemon's STATS is: a sentence without its full stop.
[[nodiscard]] std::string_view help_of_figure(std::string_view name);

// LISTEN with mode=deliver takes this parameter of the delivering command and passes it on: none that LISTEN has itself or
// that says how the command waits, and none that needs a right of its own.
[[nodiscard]] bool goes_with_listen(TypeDeclaration const& type, CommandDeclaration const& command,
                                    ParameterDeclaration const& parameter);

// With what the types have in place of {topic} and {further}.
[[nodiscard]] std::vector<ParameterDeclaration> with_topics(std::vector<ParameterDeclaration> const& parameters,
                                                            engine::TableTypes const& types);

}  // namespace fastjournal::admin
