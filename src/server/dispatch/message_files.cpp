#include "server/dispatch/message_files.h"

#include <algorithm>
#include <set>

#include "engine/files/figures.h"
#include "server/admin/declarations.h"

namespace fastjournal::server {
namespace {

struct Parameter {
  std::string type;  // string, integer
  bool required{false};
};
struct FileCommand {
  std::string description;
  std::map<std::string, Parameter> parameters;
  std::size_t types{0};  // that have it
};
using FileCommands = std::map<std::string, FileCommand>;

// The numbers of STATS, which depend on the table type.
class MetricNames final : public MetricSink {
 public:
  explicit MetricNames(FileCommand& command) : command_(command) {}
  void integer(Metric const& metric, std::int64_t) override { add(metric.name); }
  void real(Metric const& metric, double) override { add(metric.name); }
  void histogram(Metric const& metric, Histogram const& values) override {
    engine::tell_parts(metric, values, [this](std::string const& name, std::uint64_t) { add(name); });
    if (std::string const name = engine::last_minute_name(metric.name); !name.empty()) add(name);
  }

 private:
  void add(std::string_view name) { command_.parameters.try_emplace(std::string{name}, Parameter{"string", false}); }

  FileCommand& command_;
};

// Dates may be `+N`: a checker takes only digits for an integer.
std::string checked_type(std::string_view declared) {
  return declared == "integer" || declared == "duration" ? "integer" : "string";
}

void add(CommandDeclaration const& declared, FileCommand& out) {
  if (out.description.empty()) out.description = declared.description;
  ++out.types;
  std::set<std::string> seen;
  for (ParameterDeclaration const& one : declared.parameters) {
    auto const [at, is_new] = out.parameters.try_emplace(one.name, Parameter{checked_type(one.type), one.required});
    // If two types have the same command, a parameter is required only if both require it.
    if (is_new && out.types > 1) at->second.required = false;
    if (!is_new) at->second.required = at->second.required && one.required;
    seen.insert(one.name);
  }
  for (auto& [name, parameter] : out.parameters)
    if (!seen.contains(name)) parameter.required = false;
}

void add_columns(engine::Declarations const& tables, std::string_view type, FileCommand& command) {
  for (engine::Declaration const& table : tables)
    if (table->type == type)
      for (Column const& column : table->schema.columns)
        command.parameters.try_emplace(column.name, Parameter{"string", false});
}

// No parameter of an answer is required: a value that cannot be sent is left out (`omitted`). Its dates are numbers.
void add(AnswerDeclaration const& declared, FileCommand& out) {
  if (out.description.empty()) out.description = declared.description;
  // Nor of a command that has the name of an answer.
  for (auto& [name, parameter] : out.parameters) parameter.required = false;
  for (ParameterDeclaration const& one : declared.parameters) {
    std::string const type = one.type == "date" ? "integer" : checked_type(one.type);
    Parameter& known = out.parameters.try_emplace(one.name, Parameter{type, false}).first->second;
    if (known.type != type) known.type = "string";
  }
}

// Names separated by blanks.
void add_names(std::string_view names, FileCommand& out) {
  while (!names.empty()) {
    std::size_t const end = std::min(names.find(' '), names.size());
    if (end > 0) out.parameters.try_emplace(std::string{names.substr(0, end)}, Parameter{"string", false});
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

void add_metrics(engine::TableTypes const& types, engine::Declarations const& tables, FileCommand& stats) {
  MetricNames names{stats};
  for (engine::Declaration const& declaration : tables) {
    engine::TableType const& type = *types.find(declaration->type)->second;
    engine::HostedTable hosted;
    Result<std::unique_ptr<Table>> made = type.make({.id = TableId{1}}, declaration);
    if (!made.ok()) continue;
    hosted.take(std::move(made).value());
    engine::tell_metrics(hosted, TimeMs{}, names);
    if (hosted.can.stores != nullptr) storage::tell_figures({}, names);
  }
}

// The alias's parameter becomes a required one without a default.
bool is_required(AliasDeclaration const& alias, AliasParameter const& parameter, TableDeclaration const& table,
                 engine::TableType const& type) {
  if (parameter.use != AliasParameter::Use::take) return false;
  for (Column const& column : table.schema.columns)
    if (column.name == parameter.is) return column.required;
  std::uint32_t const index = type.find_command(alias.means);
  if (index == NameTable::kAbsent) return false;
  std::vector<std::string> const& required = type.commands()[index].required;
  return std::find(required.begin(), required.end(), parameter.is) != required.end();
}

// The message, and its two answers with the echoed parameters.
FileCommands commands_of(AliasDeclaration const& alias, TableDeclaration const& table, engine::TableType const& type) {
  FileCommands out;
  FileCommand& asked = out[alias.command];
  asked.description = "an alias: " + alias.means + " of table " + table.name;
  FileCommand answer;
  answer.description = "answers " + alias.command;
  for (AliasParameter const& one : alias.parameters) {
    asked.parameters[one.name] = {"string", is_required(alias, one, table, type)};
    if (one.use == AliasParameter::Use::echo) answer.parameters[one.name] = {"string", false};
  }
  for (std::string const& name : {alias.answer, alias.refusal})
    if (!name.empty()) out[name] = answer;
  return out;
}

std::string content_of(std::string const& name, FileCommand const& command) {
  std::string out = "# " + name + ": " + command.description + "\n";
  for (auto const& [parameter, facts] : command.parameters)
    out += "\n[" + parameter + "]\ntype=" + facts.type + "\nflags=" + (facts.required ? "required" : "optional,empty") +
           "\n";
  return out;
}

}  // namespace

std::map<std::string, std::string> message_files(engine::TableTypes const& types, engine::Declarations const& tables) {
  FileCommands commands;
  for (auto const& [type_name, type] : types) {
    for (CommandDeclaration const& declared : type->declaration()->commands) {
      FileCommand& command = commands[declared.name];
      add(declared, command);
      if (declared.takes_columns) add_columns(tables, type_name, command);
    }
  }
  for (admin::OwnCommand const& own : admin::own_commands()) {
    if (own.kind != admin::OwnCommand::Kind::own) continue;
    CommandDeclaration declared = own.declared;
    declared.parameters = admin::with_topics(declared.parameters, types);
    add(declared, commands[declared.name]);
  }
  for (auto const& [type_name, type] : types) {
    for (AnswerDeclaration const& declared : type->declaration()->answers) {
      FileCommand& command = commands[declared.name];
      add(declared, command);
      if (declared.has_columns) add_columns(tables, type_name, command);
    }
  }
  for (admin::OwnAnswer const& own : admin::own_answers()) {
    if (own.is_shared) continue;
    AnswerDeclaration declared = own.declared;
    declared.parameters = admin::with_topics(declared.parameters, types);
    add(declared, commands[declared.name]);
  }
  add_metrics(types, tables, commands["STATS"]);
  std::map<std::string, std::string> out;
  for (auto& [name, command] : commands) {
    // The first is for every message, the others for every answer; `op`: of a command in a transaction.
    add_names("request left omitted op", command);
    out[name + ".conf"] = content_of(name, command);
  }
  for (engine::Declaration const& table : tables)
    for (AliasDeclaration const& alias : table->aliases)
      for (auto const& [name, command] : commands_of(alias, *table, *types.find(table->type)->second))
        out[name + ".conf"] = content_of(name, command);
  return out;
}

}  // namespace fastjournal::server
