// Reads the words of a command line by the verbs that there are.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clients/programs/fastjournal/usage/usage.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {

// A verb with what was given to it.
struct CommandLine {
  Globals all;
  Verb const* verb{nullptr};
  std::unique_ptr<Action> action;

  [[nodiscard]] Needs needs() const { return action->needs(verb->needs); }
  // With the connection that it needs.
  [[nodiscard]] ExitCode run(Console& console);
};

// A command to run, or text to print before the exit.
struct Parsed {
  std::unique_ptr<CommandLine> command;
  ExitCode exit_code{ExitCode::ok};
  std::string output;  // help for standard output (ok), or the mistake for standard error
};

// `arguments` without the name of the program.
[[nodiscard]] Parsed parse_arguments(std::vector<std::string> arguments, std::span<Group const> groups = verb_groups());

// The verbs and their options, for completion and the manual.
[[nodiscard]] usage::Usage declared_usage();

// The line above the examples of a verb's help.
inline constexpr std::string_view kExample = "Example:";

}  // namespace fastjournal::cli
