// Completion scripts for shells, made of a program's declaration, so that the two always agree. Tables, columns, keys and
// commands are asked of the daemon when the key is pressed; without a daemon there are no suggestions for them. What it
// says is data: no shell may read it as code.
#pragma once

#include <string>
#include <string_view>

#include "clients/programs/fastjournal/usage/usage.h"

namespace fastjournal::usage {

// As bash-completion loads it, and as `. FILE` does.
[[nodiscard]] std::string bash_completion(Usage const& program);
// A file _PROGRAM of a folder in zsh's fpath; may be sourced too.
[[nodiscard]] std::string zsh_completion(Usage const& program);
// A file PROGRAM.fish.
[[nodiscard]] std::string fish_completion(Usage const& program);

// What stands behind a word for a value. `keys`: columns of a row-key; `pairs`: keys of a key/value table.
enum class Kind { words, files, folders, tables, columns, keys, pairs, commands, text };
[[nodiscard]] Kind kind_of(Option const& option);

// The first clause of a description: what a menu has room for.
[[nodiscard]] std::string in_short(std::string_view description);

// A name that may be a part of a shell function's name.
[[nodiscard]] std::string as_identifier(std::string_view name);

// Replaces each `name` in `text`.
void replace_all(std::string& text, std::string_view name, std::string_view value);

}  // namespace fastjournal::usage
