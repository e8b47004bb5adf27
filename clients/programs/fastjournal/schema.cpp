// schema: what the commands of table types take and answer, as their TYPE.xml declares it. In JSON it is all that a client
// in another language is made from (clients/calls/README.md).
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include "clients/programs/fastjournal/verbs.h"
#include "config/fields.h"
#include "config/type_reader.h"
#include "platform/os/installation.h"
#include "server/admin/declarations.h"

namespace fastjournal::cli {
namespace {

using Json = nlohmann::ordered_json;

Json words_of(std::string_view text) {
  Json out = Json::array();
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (end > 0) out.push_back(std::string{text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// A number, or {"option": NAME}.
void add_bound(Json& to, char const* name, std::optional<Bound> const& bound) {
  if (!bound) return;
  if (bound->option.empty())
    to[name] = bound->value;
  else
    to[name] = {{"option", bound->option}};
}

Json parameters_of(std::vector<ParameterDeclaration> const& all) {
  Json out = Json::array();
  for (ParameterDeclaration const& one : all) {
    Json shown{{"name", one.name}, {"type", one.is_flag() ? "flag" : one.type}, {"required", one.required}};
    if (one.right) shown["right"] = name_of(*one.right);
    if (!one.is_flag()) add_bound(shown, "min", one.min);
    if (!one.is_flag()) add_bound(shown, "max", one.max);
    if (!one.choices.empty()) shown["choices"] = one.choices;
    add_bound(shown, "default", one.default_value);
    if (one.kept > 0) shown["kept"] = one.kept;
    shown["description"] = one.description;
    out.push_back(std::move(shown));
  }
  return out;
}

// In place of a type: the daemon itself.
constexpr char kDaemon[] = "daemon";

constexpr char const* kResends[] = {"never", "always", "numbered"};             // indexed by Resend
constexpr char const* kKinds[] = {"read", "add", "change", "remove", "touch"};  // indexed by CommandKind
constexpr char const* kInTransaction[] = {"refused", "at-once", "promised"};    // indexed by InTransaction

Json command_of(CommandDeclaration const& one) {
  Json out{{"name", one.name},
           {"kind", kKinds[static_cast<std::size_t>(one.kind)]},
           {"right", name_of(one.right)},
           {"resend", kResends[static_cast<std::size_t>(one.resend)]},
           {"transaction", kInTransaction[static_cast<std::size_t>(one.in_transaction)]},
           {"columns", one.takes_columns}};
  if (!one.deliver_count.empty()) out["deliver"] = one.deliver_count;
  if (!one.leases.empty()) out["leases"] = one.leases;
  if (!one.gives_back.empty()) out["gives_back"] = one.gives_back;
  if (!one.done_before.empty()) out["done_before"] = one.done_before;
  out["answers"] = words_of(one.answers);
  out["description"] = one.description;
  out["parameters"] = parameters_of(one.parameters);
  return out;
}

Json answer_of(AnswerDeclaration const& one) {
  return {{"name", one.name},
          {"columns", one.has_columns},
          {"counted", one.is_counted},
          {"description", one.description},
          {"parameters", parameters_of(one.parameters)}};
}

Json option_of(OptionDeclaration const& one) {
  Json out{{"name", one.name}, {"type", config::option_type_words()[static_cast<std::size_t>(one.type)]}};
  if (one.min != INT64_MIN) out["min"] = one.min;
  if (one.max != INT64_MAX) out["max"] = one.max;
  if (!one.choices.empty()) out["choices"] = one.choices;
  out["default"] = one.default_text;
  out["live"] = one.changes_live;
  out["description"] = one.description;
  return out;
}

Json type_of(TypeDeclaration const& type) {
  Json out{{"description", type.description}, {"columns", type.has_columns}};
  if (!type.topic.empty()) out["topic"] = type.topic;
  if (!type.empty_answer.empty()) out["nothing"] = type.empty_answer;
  for (char const* const name : {"commands", "answers", "options"}) out[name] = Json::array();
  for (CommandDeclaration const& one : type.commands) out["commands"].push_back(command_of(one));
  for (AnswerDeclaration const& one : type.answers) out["answers"].push_back(answer_of(one));
  for (OptionDeclaration const& one : type.options) out["options"].push_back(option_of(one));
  return out;
}

// As the commands and answers of a type.
Json daemon_of() {
  Json out{{"commands", Json::array()}, {"answers", Json::array()}};
  for (admin::OwnCommand const& one : admin::own_commands()) {
    if (one.kind == admin::OwnCommand::Kind::silent) continue;
    Json shown = command_of(one.declared);
    shown["kind"] = "own";
    shown["right"] = one.needed();
    shown["transaction"] = "at-once";
    out["commands"].push_back(std::move(shown));
  }
  for (admin::OwnAnswer const& one : admin::own_answers()) out["answers"].push_back(answer_of(one.declared));
  return out;
}

void print(CommandDeclaration const& command, std::ostream& to) {
  to << "\n  " << command.name << " -> " << command.answers << "\n    " << command.description << '\n';
  for (ParameterDeclaration const& one : command.parameters) {
    std::string limits = config::limits_of(one);
    std::erase(limits, '`');
    to << fmt::format("    {:<16} {:<9} {}{}{}{}\n", one.name, one.is_flag() ? "flag" : one.type,
                      one.required ? "required: " : "", one.description, limits.empty() ? "" : ".", limits);
  }
}

void print(TypeDeclaration const& type, std::ostream& to) {
  to << type.name << ": " << type.description << '\n';
  for (CommandDeclaration const& command : type.commands) print(command, to);
}

void print_daemon(std::ostream& to) {
  to << kDaemon << ": the commands of the daemon itself\n";
  for (admin::OwnCommand const& one : admin::own_commands())
    if (one.kind != admin::OwnCommand::Kind::silent) print(one.declared, to);
}

struct Schema {
  OptionSet& to;
  WordList names{to, "TYPE", "journal, queue, ..., or daemon; default: all"};
  Plugins plugins{to};

  ExitCode run(Call& call) {
    std::string const folder = plugins.empty() ? os::installed_plugins() : plugins.str();
    Result<config::TypesByName> read = config::read_types(folder);
    if (!read.ok()) return call.misuse(read.status().message());
    config::TypesByName types = std::move(read).value();
    bool const with_daemon = names.empty() || std::ranges::find(names, kDaemon) != names.end();
    for (std::string const& name : names)
      if (!types.contains(name) && name != kDaemon)
        return call.misuse("there is no table type " + name + " in " + folder);
    if (!names.empty())
      std::erase_if(types, [&](auto const& one) { return std::ranges::find(names, one.first) == names.end(); });
    if (!call.json) {
      for (auto const& [name, type] : types) print(*type, call.console.out);
      if (with_daemon) print_daemon(call.console.out);
      return ExitCode::ok;
    }
    Json out{{"types", Json::object()}, {"daemon", daemon_of()}};
    for (auto const& [name, type] : types) out["types"][name] = type_of(*type);
    call.console.out << out.dump(1) << '\n';
    return ExitCode::ok;
  }
};

constexpr Verb kSchema[]{
    {"schema", "print what the commands of table types take and answer; no daemon is asked", Needs::nothing,
     declare<Schema>, "fastjournal schema queue\nfastjournal schema daemon\nfastjournal schema --json"},
};

}  // namespace

Verbs schema_verbs() { return kSchema; }

}  // namespace fastjournal::cli
