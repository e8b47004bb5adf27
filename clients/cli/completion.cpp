#include "clients/cli/completion.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "clients/cli/options.h"

namespace fastjournal::cli {

namespace {

// %VERBS% etc. are replaced below. Columns and tables are asked of the daemon named on the command line; without a
// daemon there are no suggestions for them.
constexpr std::string_view kScript = R"bash(# fastjournal completion; made by `fastjournal completion`
_fastjournal_options() {
  case "$1" in
%OPTIONS%  esac
}

_fastjournal_below() {
  case "$1" in
%BELOW%  esac
}

_fastjournal() {
  local current="${COMP_WORDS[COMP_CWORD]}" verb="" table="" words="" server=() i word
  COMPREPLY=()
  # An option's value. Nothing here: files are offered.
  case "${COMP_WORDS[COMP_CWORD - 1]}" in
    --status) COMPREPLY=($(compgen -W "waiting due processing behind parked paused" -- "$current")); return ;;
    --mode) COMPREPLY=($(compgen -W "wake row deliver" -- "$current")); return ;;
    --config|--plugins|--to|--server) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    case "$word" in
      --) return ;;
      --server) server=(--server "${COMP_WORDS[i + 1]}"); ((i++)) ;;
      %VALUES%) ((i++)) ;;
      -*) ;;
      *) if [[ -z "$verb" ]]; then verb="$word"; elif [[ -z "$table" ]]; then table="$word"; fi ;;
    esac
  done
  if [[ "$current" == -* ]]; then
    words="%GLOBALS% $(_fastjournal_options "$verb")"
  elif [[ -z "$verb" ]]; then
    words="%VERBS%"
  elif [[ "$verb" == completion ]]; then
    words="bash zsh"
  elif [[ -z "$table" && -n "$(_fastjournal_below "$verb")" ]]; then
    words="$(_fastjournal_below "$verb")"
  elif [[ "$verb" == commands || "$verb" == call ]]; then
    words="$(fastjournal "${server[@]}" --timeout 1s commands 2>/dev/null)"
  elif [[ -z "$table" && " %TABLE_VERBS% " == *" $verb "* ]]; then
    words="$(fastjournal "${server[@]}" --timeout 1s tables --names 2>/dev/null)"
  elif [[ " put peek why delete kick " == *" $verb "* && "$current" != *=* ]]; then
    # The others name a row by its key or, without one, by its number: no files then.
    [[ "$verb" == put ]] && words=--columns || words=--key
    words="$(fastjournal "${server[@]}" --timeout 1s tables $words "$table" 2>/dev/null)"
    compopt -o nospace +o default 2>/dev/null
    COMPREPLY=($(compgen -S = -W "$words" -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

# Of the daemon: the options that it names itself; else files.
_fastjournald() {
  local current="${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  [[ "$current" == -* ]] || return
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" --help 2>/dev/null | grep -oE -- '^ +(-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+')" -- "$current"))
}
complete -o default -F _fastjournal fastjournal
complete -o default -F _fastjournald fastjournald
)bash";

constexpr std::string_view kZshHead = "autoload -U +X bashcompinit && bashcompinit\n";

void fill(std::string& text, std::string_view name, std::string_view value) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

void append_word(std::string& list, std::string_view word) {
  if (!list.empty()) list += ' ';
  list += word;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  std::string verbs;
  std::string table_verbs;
  std::string options;
  std::string below;
  for (VerbWords const& one : verb_words()) {
    append_word(verbs, one.verb);
    if (one.takes_table) append_word(table_verbs, one.verb);
    if (!one.below.empty()) below += fmt::format("    {}) echo \"{}\" ;;\n", one.verb, fmt::join(one.below, " "));
    options += fmt::format("    {}) echo \"{}\" ;;\n", one.verb, fmt::join(one.options, " "));
  }
  std::string out(kScript);
  fill(out, "%OPTIONS%", options);
  fill(out, "%BELOW%", below);
  fill(out, "%VALUES%", fmt::format("{}", fmt::join(options_with_value(), "|")));
  fill(out, "%GLOBALS%", fmt::format("{}", fmt::join(global_options(), " ")));
  fill(out, "%VERBS%", verbs);
  fill(out, "%TABLE_VERBS%", table_verbs);
  return shell == "zsh" ? std::string(kZshHead) + out : out;
}

}  // namespace fastjournal::cli
