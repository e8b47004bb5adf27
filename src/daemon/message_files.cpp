#include "daemon/message_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace fastjournal::daemon {
namespace {

struct Parameter {
  std::string type;  // string, integer
  bool required{false};
};
struct Command {
  std::string description;
  std::map<std::string, Parameter> parameters;
  std::size_t types{0};  // that have it
};

// Dates may be `+N`: only what is digits alone is an integer to a checker.
std::string checked_type(std::string_view declared) {
  return declared == "integer" || declared == "duration" ? "integer" : "string";
}

void add(CommandDeclaration const& declared, Command& out) {
  if (out.description.empty()) out.description = declared.description;
  ++out.types;
  std::set<std::string> seen;
  for (ParameterDeclaration const& one : declared.parameters) {
    auto const [at, is_new] = out.parameters.try_emplace(one.name, Parameter{checked_type(one.type), one.required});
    // Two types that share a command: only what both demand is demanded.
    if (is_new && out.types > 1) at->second.required = false;
    if (!is_new) at->second.required = at->second.required && one.required;
    seen.insert(one.name);
  }
  for (auto& [name, parameter] : out.parameters)
    if (!seen.contains(name)) parameter.required = false;
}

// What comes in, and the two answers, which echo what they were asked to.
std::map<std::string, Command> commands_of(AliasDeclaration const& alias, std::string const& table) {
  std::map<std::string, Command> out;
  Command& asked = out[alias.command];
  asked.description = "an alias: " + alias.means + " of table " + table;
  Command answer;
  answer.description = "answers " + alias.command;
  for (AliasParameter const& one : alias.parameters) {
    asked.parameters[one.name] = {"string", false};
    if (one.use == AliasParameter::Use::echo) answer.parameters[one.name] = {"string", false};
  }
  for (std::string const& name : {alias.answer, alias.refusal})
    if (!name.empty()) out[name] = answer;
  return out;
}

std::string content_of(std::string const& name, Command const& command) {
  std::string out = "# " + name + ": " + command.description + "\n";
  for (auto const& [parameter, facts] : command.parameters)
    out += "\n[" + parameter + "]\ntype=" + facts.type + "\nflags=" + (facts.required ? "required" : "optional,empty") +
           "\n";
  return out;
}

}  // namespace

std::map<std::string, std::string> message_files(core::TableTypes const& types, core::Declarations const& tables) {
  std::map<std::string, Command> commands;
  for (auto const& [type_name, type] : types) {
    for (CommandDeclaration const& declared : type->declaration()->commands) {
      Command& command = commands[declared.name];
      add(declared, command);
      if (!declared.takes_columns) continue;
      for (core::Declaration const& table : tables)
        if (table->type == type_name)
          for (Column const& column : table->schema.columns)
            command.parameters.try_emplace(column.name, Parameter{"string", false});
    }
  }
  for (auto const& [name, parameters] : server::Server::own_commands()) {
    Command& command = commands[std::string{name}];
    if (command.description.empty()) command.description = "of the daemon";
    for (std::string_view rest = parameters; !rest.empty();) {
      std::size_t const end = std::min(rest.find(' '), rest.size());
      command.parameters.try_emplace(std::string{rest.substr(0, end)}, Parameter{"string", false});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::map<std::string, std::string> out;
  for (auto& [name, command] : commands) {
    command.parameters.try_emplace("request", Parameter{"string", false});
    out[name + ".conf"] = content_of(name, command);
  }
  for (core::Declaration const& table : tables)
    for (AliasDeclaration const& alias : table->aliases)
      for (auto const& [name, command] : commands_of(alias, table->name)) out[name + ".conf"] = content_of(name, command);
  return out;
}

Status write_message_files(std::string const& folder, std::map<std::string, std::string> const& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return {Code::io_error, "make " + folder + ": " + error.message()};
  for (auto const& [name, content] : files) {
    std::string const path = folder + "/" + name;
    std::ofstream file{path, std::ios::trunc};
    file << content;
    file.close();
    if (!file) return {Code::io_error, "write " + path + ": it cannot be written"};
  }
  return {};
}

}  // namespace fastjournal::daemon
