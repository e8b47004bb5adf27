// Completion for fish.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "clients/programs/fastjournal/usage/completion.h"

namespace fastjournal::usage {
namespace {

constexpr std::string_view kFishHelpers = R"fish(# fish completion of %PROGRAM%; made of the declaration of its options

# The words before the cursor that are neither options nor their values, a line each.
function __%NAME%_words
    set -l tokens (commandline -opc)
    set -l value 0
    for token in $tokens[2..-1]
        if test $value = 1
            set value 0
        else if contains -- $token %VALUES%
            set value 1
        else if not string match -q -- '-*' $token
            echo $token
        end
    end
end

# Whether the first words are these: __%NAME%_at WORD...
function __%NAME%_at
    set -l words (__%NAME%_words)
    set -l number (count $argv)
    test (count $words) -ge $number; or return 1
    test "$words[1..$number]" = "$argv"
end

# Whether the words are these, and so many more: __%NAME%_at_place N WORD...
function __%NAME%_at_place
    set -l words (__%NAME%_words)
    test (count $words) -eq (math $argv[1] + (count $argv) - 1); or return 1
    test (count $argv) -eq 1; or __%NAME%_at $argv[2..-1]
end
)fish";

constexpr std::string_view kAsking = R"fish(
# What the daemon says that the command line names.
function __%NAME%_ask
    set -l tokens (commandline -opc)
    set -l server
    if set -l at (contains -i -- --server $tokens)
        set server --server $tokens[(math $at + 1)]
    end
    fastjournal $server --timeout 1s $argv 2>/dev/null
end

function __%NAME%_columns
    set -l words (__%NAME%_words)
    __%NAME%_ask tables $argv[1] $words[2] | string replace -r '$' '='
end

# The keys of the table that is this word.
function __%NAME%_pairs
    set -l words (__%NAME%_words)
    __%NAME%_ask kv scan $words[$argv[1]] --keys-only --count 100 --prefix (commandline -ct)
end
)fish";

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (char const c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// The end of a line of `complete`: what is offered for the value, where a table is the word `table`.
std::string offer_of(Option const& option, std::string_view name, std::size_t table) {
  switch (kind_of(option)) {
    case Kind::words: return fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    case Kind::files: return " -F";
    case Kind::folders: return " -a '(__fish_complete_directories)'";
    case Kind::tables: return fmt::format(" -a '(__{}_ask tables --names)'", name);
    case Kind::columns: return fmt::format(" -a '(__{}_columns --columns)'", name);
    case Kind::keys: return fmt::format(" -a '(__{}_columns --key)'", name);
    case Kind::pairs: return fmt::format(" -a '(__{}_pairs {})'", name, table);
    case Kind::commands: return fmt::format(" -a '(__{}_ask commands)'", name);
    case Kind::text: return "";
  }
  return "";
}

void add(Usage const& of, std::string const& program, std::string const& path, std::string& out) {
  std::string const name = as_identifier(program);
  // The first one behind those of the command.
  std::size_t const table = static_cast<std::size_t>(std::count(path.begin(), path.end(), ' ')) + 1;
  std::string const here = path.empty() ? "" : fmt::format(" -n {}", fish_quoted(fmt::format("__{}_at{}", name, path)));
  for (Option const& option : of.options) {
    std::string names;
    for (std::string const& one : option.names)
      names += one.starts_with("--") ? " -l " + one.substr(2) : " -s " + one.substr(1);
    std::string const value =
        option.value.empty() ? "" : (kind_of(option) == Kind::files ? " -r" : " -x") + offer_of(option, name, table);
    out += fmt::format("complete -c {}{}{}{} -d {}\n", program, here, names, value,
                       fish_quoted(in_short(option.description)));
  }
  auto const at_place = [&](std::size_t place) {
    return fish_quoted(fmt::format("__{}_at_place {}{}", name, place, path));
  };
  for (std::size_t i = 0; i < of.positionals.size(); ++i) {
    Option const& option = of.positionals[i];
    std::string const offer = offer_of(option, name, table);
    if (offer.empty()) continue;
    std::string const condition = option.repeated ? fish_quoted(fmt::format("__{}_at{}", name, path)) : at_place(i);
    // A table is named first; behind it there are only columns.
    out += fmt::format("complete -c {} -n {}{}\n", program,
                       option.repeated && i > 0
                           ? fish_quoted(fmt::format("__{0}_at{1}; and not __{0}_at_place 0{1}", name, path))
                           : condition,
                       offer);
  }
  for (Usage const& below : of.below)
    out += fmt::format("complete -c {} -n {} -a {} -d {}\n", program, at_place(0), below.name,
                       fish_quoted(in_short(below.description)));
  for (Usage const& below : of.below) add(below, program, path + " " + below.name, out);
}

void collect_values(Usage const& from, std::set<std::string>& out) {
  for (Option const& option : from.options)
    if (!option.value.empty()) out.insert(option.names.begin(), option.names.end());
  for (Usage const& below : from.below) collect_values(below, out);
}

}  // namespace

std::string fish_completion(Usage const& program) {
  std::set<std::string> values;
  collect_values(program, values);
  std::string out{kFishHelpers};
  if (!program.below.empty()) out += kAsking;
  replace_all(out, "%VALUES%", fmt::format("{}", fmt::join(values, " ")));
  replace_all(out, "%PROGRAM%", program.name);
  replace_all(out, "%NAME%", as_identifier(program.name));
  out += fmt::format("\ncomplete -c {} -f\n", program.name);
  add(program, program.name, "", out);
  return out;
}

}  // namespace fastjournal::usage
