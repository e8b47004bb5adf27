// Completion for zsh.
#include <fmt/format.h>

#include "clients/programs/fastjournal/usage/completion.h"

namespace fastjournal::usage {
namespace {

constexpr std::string_view kZshHelpers = R"zsh(
# What the daemon says that the command line names: _%NAME%_ask WORD...
_%NAME%_ask() {
  local -a server
  local address=${opt_args[--server]:-$%NAME%_server}
  [[ -z $address ]] || server=(--server ${address//\\:/:})
  reply=(${(f)"$(fastjournal $server --timeout 1s "$@" 2>/dev/null)"})
}

_%NAME%_offer_tables() {
  local -a reply
  _%NAME%_ask tables --names
  compadd -a reply
}

_%NAME%_offer_commands() {
  local -a reply
  _%NAME%_ask commands
  compadd -a reply
}

# The table is the first word after the command that is no option: _arguments has it in `line`.
_%NAME%_offer_columns() {
  local -a reply
  [[ $PREFIX != *=* ]] || { _files; return }
  _%NAME%_ask tables --columns $line[1]
  compadd -S = -a reply
}

_%NAME%_offer_keys() {
  local -a reply
  [[ $PREFIX != *=* ]] || return 1
  _%NAME%_ask tables --key $line[1]
  compadd -S = -a reply
}

_%NAME%_offer_pairs() {
  local -a reply
  _%NAME%_ask kv scan $line[1] --keys-only --count 100 --prefix "${(Q)PREFIX}"
  compadd -a reply
}
)zsh";

// In single quotes, where colons and brackets mean something to _arguments.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out;
}

std::string action_of(Option const& option, std::string_view program) {
  switch (kind_of(option)) {
    case Kind::words: return fmt::format("({})", fmt::join(option.choices, " "));
    case Kind::files: return "_files";
    case Kind::folders: return "_files -/";
    case Kind::tables: return fmt::format("_{}_offer_tables", program);
    case Kind::columns: return fmt::format("_{}_offer_columns", program);
    case Kind::keys: return fmt::format("_{}_offer_keys", program);
    case Kind::pairs: return fmt::format("_{}_offer_pairs", program);
    case Kind::commands: return fmt::format("_{}_offer_commands", program);
    case Kind::text: return " ";
  }
  return " ";
}

void add_options(Usage const& of, std::string_view program, std::string& out) {
  for (Option const& option : of.options) {
    std::string const all = fmt::format("{}", fmt::join(option.names, " "));
    std::string const value =
        option.value.empty() ? "" : fmt::format(":{}:{}", zsh_quoted(option.value), action_of(option, program));
    for (std::string const& name : option.names) {
      std::string const ending = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
      out += fmt::format("    '{}{}{}[{}]{}'\n", option.repeated ? "*" : fmt::format("({})", all), name, ending,
                         zsh_quoted(in_short(option.description)), value);
    }
  }
}

void add_positionals(Usage const& of, std::string_view program, std::string& out) {
  for (Option const& option : of.positionals)
    out += fmt::format("    '{}:{}:{}'\n",
                       option.repeated   ? "*"
                       : option.required ? ""
                                         : ":",
                       zsh_quoted(option.value), action_of(option, program));
}

std::string function_of(std::string const& prefix, Usage const& of) { return prefix + "_" + as_identifier(of.name); }

void add_function(Usage const& of, std::string const& name, std::string_view program, bool top, std::string& out) {
  for (Usage const& below : of.below) add_function(below, function_of(name, below), program, false, out);
  out += fmt::format("\n{}() {{\n", name);
  if (top) out += fmt::format("  local {0}_server\n  local -a {0}_globals\n", program);
  out += fmt::format("  local curcontext=$curcontext state line\n  local -A opt_args\n  local -a specs{}\n",
                     of.below.empty() ? "" : " verbs");
  out += "  specs=(\n";
  add_options(of, program, out);
  add_positionals(of, program, out);
  out += "  )\n";
  if (top) out += fmt::format("  {}_globals=($specs)\n", program);
  std::string const globals = top ? "" : fmt::format(" ${}_globals", program);
  if (of.below.empty()) {
    out += fmt::format("  _arguments -S -s : $specs{}\n}}\n", globals);
    return;
  }
  out += fmt::format("  _arguments -C -S -s : $specs{} '1:command:->command' '*::argument:->argument' && return\n",
                     globals);
  out += fmt::format("  {0}_server=${{opt_args[--server]:-${0}_server}}\n", program);
  out += "  case $state in\n    command)\n      verbs=(\n";
  for (Usage const& below : of.below)
    out += fmt::format("        '{}:{}'\n", zsh_quoted(below.name), zsh_quoted(in_short(below.description)));
  out += "      )\n      _describe command verbs\n      ;;\n    argument)\n      case $line[1] in\n";
  for (Usage const& below : of.below) out += fmt::format("        {}) {} ;;\n", below.name, function_of(name, below));
  out += "      esac\n      ;;\n  esac\n}\n";
}

}  // namespace

std::string zsh_completion(Usage const& program) {
  std::string const name = as_identifier(program.name);
  std::string out =
      fmt::format("#compdef {0}\n# zsh completion of {0}; made of the declaration of its options\n", program.name);
  if (!program.below.empty()) {
    std::string helpers{kZshHelpers};
    replace_all(helpers, "%NAME%", name);
    out += helpers;
  }
  add_function(program, "_" + name, name, true, out);
  // Loaded by name it is the function itself; sourced, it is registered.
  out += fmt::format("\nif [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {1}\nfi\n",
                     program.name, program.name);
  replace_all(out, fmt::format("_{} \"$@\"", program.name), fmt::format("_{} \"$@\"", name));
  replace_all(out, fmt::format("compdef _{} ", program.name), fmt::format("compdef _{} ", name));
  return out;
}

}  // namespace fastjournal::usage
