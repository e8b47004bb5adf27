// See alias_reader.h.
#include "config/alias_reader.h"

#include <algorithm>
#include <string>

#include "config/fields.h"
#include "model/value.h"

namespace fastjournal::config {
namespace {

// Indexed by AliasParameter::Use.
std::vector<std::string_view> const& use_words() {
  static std::vector<std::string_view> const words{"take", "echo", "ignore"};
  return words;
}

// Units of dates in other systems; ours are milliseconds.
std::vector<std::string_view> const& unit_words() {
  static std::vector<std::string_view> const words{"ms", "us", "s"};
  return words;
}

// Indexed by AliasDeclaration::keep_refused.
std::vector<std::string_view> const& refused_words() {
  static std::vector<std::string_view> const words{"tell", "keep"};
  return words;
}

// The command that the alias stands for. It must add: it is answered at once, and that answer becomes the alias's
// answer.
CommandDeclaration const* find_command(Element const& alias, TypeDeclaration const& type) {
  std::optional<std::string_view> const means = alias.attribute("means");
  if (!means) return nullptr;
  std::vector<std::string_view> names;
  for (CommandDeclaration const& command : type.commands) {
    if (command.kind != CommandKind::add) continue;
    if (command.name == *means) return &command;
    names.push_back(command.name);
  }
  alias.problem_at("means", "attribute \"means\": found " + model::shown(*means) +
                                ", expected a command that adds rows (" + listed(names) + ")");
  return nullptr;
}

// Checks the target of a parameter: a parameter of the command, or a column.
void check_target(Element const& element, AliasParameter& parameter, CommandDeclaration const& command,
                  Schema const& schema, std::string_view attribute) {
  auto const known = std::find_if(command.parameters.begin(), command.parameters.end(),
                                  [&](ParameterDeclaration const& one) { return one.name == parameter.is; });
  bool const is_parameter = known != command.parameters.end() && known->name != "table";
  if (is_parameter && known->type == "date") return;
  if (element.attribute("unit"))
    element.problem_at("unit", "attribute \"unit\" on " + model::shown(parameter.is) +
                                   ", expected it where a parameter of type date is meant");
  bool const is_column = std::any_of(schema.columns.begin(), schema.columns.end(),
                                     [&](Column const& column) { return column.name == parameter.is; });
  if (is_parameter || is_column) return;
  std::vector<std::string_view> names;
  for (ParameterDeclaration const& one : command.parameters)
    if (one.name != "table") names.push_back(one.name);
  for (Column const& column : schema.columns) names.push_back(column.name);
  element.problem_at(attribute, "parameter " + model::shown(parameter.name) + " becomes " + model::shown(parameter.is) +
                                    ", expected a parameter of " + command.name + " or a column (" + listed(names) +
                                    ")" + near_miss(parameter.is, names));
}

AliasParameter read_parameter(Element const& element, CommandDeclaration const* command, Schema const& schema) {
  element.expect({.attributes = {{"name", Times::one}, {"is"}, {"unit"}, {"use"}}, .children = {}});
  AliasParameter out;
  out.name = name_field(element, "name", kColumnName).value_or("");
  if (auto const word = word_field(element, "use", use_words())) out.use = static_cast<AliasParameter::Use>(*word);
  if (auto const unit = word_field(element, "unit", unit_words())) {
    if (*unit == 1) out.units_per_ms = 1000;
    if (*unit == 2) out.ms_per_unit = 1000;
  }
  if (out.use != AliasParameter::Use::take) {
    for (std::string_view const attribute : {"is", "unit"})
      if (element.attribute(attribute))
        element.problem_at(
            attribute, "attribute \"" + std::string{attribute} + "\" on a parameter that is not taken, expected none");
    return out;
  }
  bool const named = element.attribute("is").has_value();
  out.is = named ? name_field(element, "is", kColumnName).value_or("") : out.name;
  if (command != nullptr && !out.is.empty()) check_target(element, out, *command, schema, named ? "is" : "name");
  return out;
}

void check_names(Element const& element, AliasDeclaration const& alias, AliasParameter const& next) {
  for (AliasParameter const& one : alias.parameters) {
    if (one.name == next.name && !next.name.empty())
      element.problem_at("name", "parameter " + model::shown(next.name) + " twice, expected each name once");
    if (one.is == next.is && !next.is.empty())
      element.problem_at("name", "parameters " + model::shown(one.name) + " and " + model::shown(next.name) +
                                     " both become " + model::shown(next.is) + ", expected one of them");
  }
}

AliasDeclaration read_alias(Element const& element, TypeDeclaration const& type, Schema const& schema) {
  element.expect({.attributes = {{"command", Times::one},
                                 {"means", Times::one},
                                 {"answer", Times::one},
                                 {"refusal", Times::one},
                                 {"refused"}},
                  .children = {{"parameter", Times::one_or_more}}});
  AliasDeclaration out;
  out.command = name_field(element, "command", kCommandName).value_or("");
  out.answer = name_field(element, "answer", kCommandName).value_or("");
  out.refusal = name_field(element, "refusal", kCommandName).value_or("");
  if (auto const word = word_field(element, "refused", refused_words())) out.keep_refused = *word == 1;
  for (CommandDeclaration const& command : type.commands)
    if (command.name == out.command)
      element.problem_at("command", "command " + out.command + " is one of the table type itself, expected another");
  CommandDeclaration const* const means = find_command(element, type);
  if (means != nullptr) out.means = means->name;
  std::vector<Element> const parameters = element.children("parameter");
  if (parameters.size() > kAliasParametersMax)
    element.problem(std::to_string(parameters.size()) + " parameters, expected at most " +
                    std::to_string(kAliasParametersMax));
  for (Element const& parameter : parameters) {
    AliasParameter next = read_parameter(parameter, means, schema);
    check_names(parameter, out, next);
    out.parameters.push_back(std::move(next));
  }
  return out;
}

// A value is plain text, with or without {TOPIC}: {domain} for a journal.
void check_wake_value(Element const& element, std::string const& value, std::string_view topic, bool has_topics) {
  std::string const place = wake_place(topic);
  if (value.size() > kWakeValueBytesMax)
    element.problem_at("value", "a value of " + std::to_string(value.size()) + " bytes, expected at most " +
                                    std::to_string(kWakeValueBytesMax));
  for (std::size_t at = value.find_first_of("{}"); at != std::string::npos; at = value.find_first_of("{}", at)) {
    if (value.compare(at, place.size(), place) != 0) {
      element.problem_at(
          "value", "attribute \"value\": found " + model::shown(value) + ", expected no braces but those of " + place);
      return;
    }
    at += place.size();
  }
  if (!has_topics && value.find(place) != std::string::npos)
    element.problem_at("value", place + " in a table without " + std::string{topic} + "s, expected the element <" +
                                    std::string{topic} + "> beside it");
}

}  // namespace

WakeMessage read_wake_message(Element const& element, std::string_view topic, bool has_topics) {
  element.expect(
      {.attributes = {{"service", Times::one}, {"command", Times::one}}, .children = {{"parameter", Times::any}}});
  WakeMessage out;
  out.service = name_field(element, "service", kServiceName).value_or("");
  out.command = name_field(element, "command", kCommandName).value_or("");
  for (Element const& parameter : element.children("parameter")) {
    parameter.expect({.attributes = {{"name", Times::one}, {"value", Times::one}}, .children = {}});
    WakeMessage::Parameter next{name_field(parameter, "name", kColumnName).value_or(""),
                                std::string{parameter.attribute("value").value_or("")}};
    check_wake_value(parameter, next.value, topic, has_topics);
    for (WakeMessage::Parameter const& one : out.parameters)
      if (one.name == next.name && !next.name.empty())
        parameter.problem_at("name", "parameter " + model::shown(next.name) + " twice, expected each name once");
    out.parameters.push_back(std::move(next));
  }
  if (out.parameters.size() > kWakeParametersMax)
    element.problem(std::to_string(out.parameters.size()) + " parameters, expected at most " +
                    std::to_string(kWakeParametersMax));
  return out;
}

std::vector<AliasDeclaration> read_aliases(Element const& aliases, TypeDeclaration const& type, Schema const& schema) {
  aliases.expect({.attributes = {}, .children = {{"alias", Times::one_or_more}}});
  std::vector<AliasDeclaration> out;
  std::vector<Element> const elements = aliases.children("alias");
  if (elements.size() > kAliasesMax)
    aliases.problem(std::to_string(elements.size()) + " aliases, expected at most " + std::to_string(kAliasesMax));
  for (Element const& element : elements) {
    AliasDeclaration next = read_alias(element, type, schema);
    for (AliasDeclaration const& one : out)
      if (one.command == next.command && !next.command.empty())
        element.problem_at("command", "command " + next.command + " twice, expected each alias once");
    out.push_back(std::move(next));
  }
  return out;
}

}  // namespace fastjournal::config
