// Completion for bash.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "clients/programs/fastjournal/usage/completion.h"

namespace fastjournal::usage {
namespace {

// %VERBS% etc. are replaced below. Where nothing is offered, bash offers files.
constexpr std::string_view kScript = R"bash(# bash completion of %PROGRAM%; made of the declaration of its options
_%NAME%_options() {
  case "$1" in
%OPTIONS%  esac
}

_%NAME%_below() {
  case "$1" in
%BELOW%  esac
}

# The first positional argument of a command.
_%NAME%_first() {
  case "$1" in
%FIRST%  esac
}

# The further ones.
_%NAME%_further() {
  case "$1" in
%FURTHER%  esac
}

_%NAME%() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local verb="" first="" words="" kind="" server=() i word whole
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    case "$word" in
      --) return ;;
      --server) server=(--server "${COMP_WORDS[i + 1]}"); ((i++)) ;;
      %VALUES%) ((i++)) ;;
      -*) ;;
      *) if [[ -z "$verb" && -n "%VERBS%" ]]; then verb="$word"
         elif [[ -z "$first" && -n "$(_%NAME%_below "$verb")" ]]; then verb+=" $word"
         elif [[ -z "$first" ]]; then first="$word"; fi ;;
    esac
  done
  case "$previous" in
%CHOICES%    %VALUES%) return ;;
  esac
  if [[ "$current" == -* ]]; then
    words="%GLOBALS% $(_%NAME%_options "$verb")"
  elif [[ -z "$verb" && -n "%VERBS%" ]]; then
    words="%VERBS%"
  elif [[ -n "$(_%NAME%_below "$verb")" ]]; then
    words="$(_%NAME%_below "$verb")"
  elif [[ -z "$first" ]]; then
    kind="$(_%NAME%_first "$verb")"
  else
    kind="$(_%NAME%_further "$verb")"
  fi
  case "$kind" in
    tables) words="$(fastjournal "${server[@]}" --timeout 1s tables --names 2>/dev/null)" ;;
    commands) words="$(fastjournal "${server[@]}" --timeout 1s commands 2>/dev/null)" ;;
    columns | keys)
      [[ "$current" != *=* ]] || return
      # A row is named by its key or, without one, by its number: no files then.
      [[ "$kind" == columns ]] && words=--columns || words=--key
      words="$(fastjournal "${server[@]}" --timeout 1s tables $words "$first" 2>/dev/null)"
      compopt -o nospace +o default 2>/dev/null
      COMPREPLY=($(compgen -S = -W "$words" -- "$current"))
      return ;;
    pairs)
      # A word with colons, as keys have them, is several words of bash.
      whole="$current"
      [[ -z "${COMP_LINE-}" ]] || { whole="${COMP_LINE:0:COMP_POINT}"; whole="${whole##* }"; }
      while IFS= read -r word; do
        [[ "$word" == "$whole"* ]] || continue
        [[ -z "${COMP_LINE-}" || "$COMP_WORDBREAKS" != *:* ]] || word="${word#"${whole%"${whole##*:}"}"}"
        COMPREPLY+=("$(printf '%q' "$word")")
      done < <(fastjournal "${server[@]}" --timeout 1s kv scan "$first" --keys-only --count 100 --prefix "$whole" 2>/dev/null)
      compopt +o default 2>/dev/null
      return ;;
    words:*) words="${kind#words:}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _%NAME% %PROGRAM%
)bash";

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::tables: return "tables";
    case Kind::columns: return "columns";
    case Kind::keys: return "keys";
    case Kind::pairs: return "pairs";
    case Kind::commands: return "commands";
    default: return "";
  }
}

std::string offer_of(Option const& option) {
  Kind const kind = kind_of(option);
  if (kind == Kind::words) return fmt::format("words:{}", fmt::join(option.choices, " "));
  return std::string{word_of(kind)};
}

// All options of a command and of those below it.
void collect(Usage const& from, std::vector<Option>& out) {
  out.insert(out.end(), from.options.begin(), from.options.end());
  for (Usage const& below : from.below) collect(below, out);
}

std::string names_in(std::vector<Option> const& options) {
  std::vector<std::string> out;
  for (Option const& option : options)
    for (std::string const& name : option.names)
      if (name.starts_with("--") && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return fmt::format("{}", fmt::join(out, " "));
}

std::string line(std::string_view verb, std::string_view words) {
  if (words.empty()) return {};
  return fmt::format("    \"{}\") echo \"{}\" ;;\n", verb, words);
}

}  // namespace

std::string bash_completion(Usage const& program) {
  std::string verbs;
  std::string options;
  std::string below;
  std::string first;
  std::string further;
  auto const add_positionals = [&](Usage const& of, std::string_view verb) {
    if (!of.positionals.empty()) first += line(verb, offer_of(of.positionals.front()));
    if (of.positionals.size() > 1) further += line(verb, offer_of(of.positionals[1]));
  };
  add_positionals(program, "");
  for (Usage const& verb : program.below) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    std::vector<Option> all;
    collect(verb, all);
    options += line(verb.name, names_in(all));
    std::vector<std::string> names;
    for (Usage const& one : verb.below) names.push_back(one.name);
    below += line(verb.name, fmt::format("{}", fmt::join(names, " ")));
    add_positionals(verb, verb.name);
    for (Usage const& one : verb.below) {
      options += line(verb.name + " " + one.name, names_in(one.options));
      add_positionals(one, verb.name + " " + one.name);
    }
  }
  std::vector<Option> all;
  collect(program, all);
  std::set<std::string> values;
  std::map<std::string, std::set<std::string>> choices;
  std::set<std::string> of_tables;
  for (Option const& option : all) {
    if (option.value.empty()) continue;
    for (std::string const& name : option.names) {
      values.insert(name);
      choices[name].insert(option.choices.begin(), option.choices.end());
      if (kind_of(option) == Kind::tables) of_tables.insert(name);
    }
  }
  std::string offers;
  for (auto const& [name, words] : choices)
    if (!words.empty())
      offers += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n", name,
                            fmt::join(words, " "));
  for (std::string const& name : of_tables)
    offers += fmt::format(
        "    {}) COMPREPLY=($(compgen -W \"$(fastjournal \"${{server[@]}}\" --timeout 1s tables --names "
        "2>/dev/null)\" -- \"$current\")); return ;;\n",
        name);
  std::string out(kScript);
  // A function needs a line, also of a program without commands.
  constexpr std::string_view kNothing = "    *) ;;\n";
  replace_all(out, "%OPTIONS%", options.empty() ? kNothing : std::string_view{options});
  replace_all(out, "%BELOW%", below.empty() ? kNothing : std::string_view{below});
  replace_all(out, "%FIRST%", first.empty() ? kNothing : std::string_view{first});
  replace_all(out, "%FURTHER%", further.empty() ? kNothing : std::string_view{further});
  replace_all(out, "%CHOICES%", offers);
  replace_all(out, "%VALUES%", fmt::format("{}", fmt::join(values, "|")));
  replace_all(out, "%GLOBALS%", names_in(program.options));
  replace_all(out, "%VERBS%", verbs);
  replace_all(out, "%PROGRAM%", program.name);
  replace_all(out, "%NAME%", as_identifier(program.name));
  return out;
}

}  // namespace fastjournal::usage
