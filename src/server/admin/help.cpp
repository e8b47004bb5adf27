// HELP: the commands that there are, or one of them as it is declared.
#include <algorithm>
#include <string>
#include <vector>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

constexpr std::string_view kind_name(CommandKind kind) {
  switch (kind) {
    case CommandKind::read: return "read";
    case CommandKind::add: return "add";
    case CommandKind::change: return "change";
    case CommandKind::remove: return "remove";
    case CommandKind::touch: return "touch";
  }
  return "";
}

std::string parameters_of(std::vector<ParameterDeclaration> const& parameters, bool takes_columns) {
  std::string out;
  for (ParameterDeclaration const& parameter : parameters) {
    if (!out.empty()) out += ' ';
    out += parameter.name + ":" + parameter.type + (parameter.required ? "!" : "");
  }
  if (takes_columns) out += " COLUMNS";
  return out;
}

// `all`: a communicatord passes on only listed commands, so that unanswered ones are listed too.
std::string list_commands(engine::TableTypes const& types, communicator::Aliases const& aliases, bool all) {
  std::vector<std::string_view> names;
  for (OwnCommand const& command : own_commands())
    if (all || command.kind != OwnCommand::Kind::silent) names.push_back(command.name());
  for (auto const& [name, type] : types)
    for (engine::CommandType const& command : type->commands()) names.push_back(command.name);
  for (communicator::Aliases::Alias const& alias : aliases.all()) names.push_back(alias.declared->command);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string out;
  for (std::string_view const name : names) {
    if (!out.empty()) out += ',';
    out += name;
  }
  return out;
}

void tell(CommandDeclaration const& declared, std::vector<ParameterDeclaration> const& parameters, Answer& answer) {
  answer.add("parameters", std::string_view{parameters_of(parameters, declared.takes_columns)});
  answer.add("answers", std::string_view{declared.answers}).add("description", std::string_view{declared.description});
}

// One HELP message for each type that has the command.
Outcome tell_about(std::string_view command, Registry const& registry, engine::TableTypes const& types,
                   Answer& answer) {
  std::uint32_t const own = registry.find(command);
  if (own != Registry::kUnknown && own != Registry::kOfTables) {
    OwnCommand const& one = registry.declaration(own);
    answer.message("HELP").add("command", command).add("type", std::string_view{"daemon"}).add("right", one.needed());
    tell(one.declared, with_topics(one.declared.parameters, types), answer);
  }
  for (auto const& [name, type] : types) {
    std::uint32_t const index = type->find_command(command);
    if (index == NameTable::kAbsent) continue;
    CommandDeclaration const& declared = type->declaration()->commands[index];
    answer.message("HELP")
        .add("command", command)
        .add("type", std::string_view{name})
        .add("kind", kind_name(declared.kind))
        .add("right", name_of(declared.right));
    tell(declared, declared.parameters, answer);
  }
  if (!answer.empty()) return {};
  return Status{Code::unknown_command, "no command \"" + std::string{command.substr(0, 64)} + "\"; HELP lists them"};
}

}  // namespace

Command make_help(Registry const& registry, engine::TableTypes const& types, communicator::Aliases const& aliases) {
  return {[&](Request const& request) -> Outcome {
    std::string_view const command = request.message.text("command");
    if (!command.empty()) return tell_about(command, registry, types, request.answer);
    std::string const list = list_commands(types, aliases, request.caller.communicator);
    request.answer.message("COMMANDS").add("list", std::string_view{list});
    return {};
  }};
}

}  // namespace fastjournal::admin
