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

std::string parameters_of(CommandDeclaration const& declared) {
  std::string out;
  for (ParameterDeclaration const& parameter : declared.parameters) {
    if (!out.empty()) out += ' ';
    out += parameter.name + ":" + parameter.type + (parameter.required ? "!" : "");
  }
  if (declared.takes_columns) out += " COLUMNS";
  return out;
}

class Help final : public Command {
 public:
  Help(Registry const& registry, engine::TableTypes const& types, communicator::Aliases const& aliases)
      : registry_(registry), types_(types), aliases_(aliases) {}

  void run(Request& request) override {
    std::string_view const command = request.message.text("command");
    if (command.empty())
      request.answer.message("COMMANDS").add("list", std::string_view{list(request.caller.communicator)});
    else
      tell_about(command, request);
  }

 private:
  // `all`: a communicatord passes on only listed commands, so that unanswered ones are listed too.
  [[nodiscard]] std::string list(bool all) const {
    std::vector<std::string_view> names;
    for (OwnCommand const& command : own_commands())
      if (all || command.kind != OwnCommand::Kind::silent) names.push_back(command.name);
    for (auto const& [name, type] : types_)
      for (engine::CommandType const& command : type->commands()) names.push_back(command.name);
    for (communicator::Aliases::Alias const& alias : aliases_.all()) names.push_back(alias.declared->command);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string out;
    for (std::string_view const name : names) {
      if (!out.empty()) out += ',';
      out += name;
    }
    return out;
  }

  // One HELP message for each type that has the command.
  void tell_about(std::string_view command, Request& request) const {
    Answer& answer = request.answer;
    std::uint32_t const own = registry_.find(command);
    if (own != Registry::kUnknown && own != Registry::kOfTables) {
      OwnCommand const& declared = registry_.declaration(own);
      answer.message("HELP")
          .add("command", command)
          .add("type", std::string_view{"daemon"})
          .add("right", declared.needed())
          .add("parameters", std::string_view{with_topics(declared.parameters, types_)});
    }
    for (auto const& [name, type] : types_) {
      std::uint32_t const index = type->find_command(command);
      if (index == NameTable::kAbsent) continue;
      CommandDeclaration const& declared = type->declaration()->commands[index];
      answer.message("HELP")
          .add("command", command)
          .add("type", std::string_view{name})
          .add("kind", kind_name(declared.kind))
          .add("right", name_of(declared.right));
      answer.add("parameters", std::string_view{parameters_of(declared)});
      answer.add("answers", std::string_view{declared.answers});
      answer.add("description", std::string_view{declared.description});
    }
    if (answer.empty())
      request.status =
          Status{Code::unknown_command, "no command \"" + std::string{command.substr(0, 64)} + "\"; HELP lists them"};
  }

  Registry const& registry_;
  engine::TableTypes const& types_;
  communicator::Aliases const& aliases_;
};

}  // namespace

CommandPtr make_help(Registry const& registry, engine::TableTypes const& types, communicator::Aliases const& aliases) {
  return std::make_unique<Help>(registry, types, aliases);
}

}  // namespace fastjournal::admin
