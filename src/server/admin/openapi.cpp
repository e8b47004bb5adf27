#include "server/admin/openapi.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "server/admin/commands.h"
#include "server/admin/declarations.h"
#include "wire/streams.h"

namespace fastjournal::admin {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Json reference_to(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string{kind} + "/" + std::string{name}}};
}

// Dates and durations may be written in several ways, as in messages of text; a flag may be true or false.
Json schema_of(ParameterDeclaration const& parameter) {
  Json schema;
  bool const is_text = parameter.type == "string";
  if (parameter.is_flag())
    schema["type"] = {"integer", "boolean"};
  else if (parameter.type == "integer")
    schema["type"] = "integer";
  else if (parameter.type == "date" || parameter.type == "duration")
    schema["type"] = {"integer", "string"};
  else
    schema["type"] = {"string", "number", "boolean"};
  auto const add = [&schema](char const* word, std::optional<Bound> const& bound) {
    if (bound && bound->option.empty()) schema[word] = bound->value;
  };
  if (!parameter.choices.empty()) schema["enum"] = parameter.choices;
  add("minimum", parameter.min);
  add(is_text ? "maxLength" : "maximum", parameter.max);
  add("default", parameter.default_value);
  if (!parameter.description.empty()) schema["description"] = parameter.description;
  return schema;
}

Json body_of(std::vector<ParameterDeclaration> const& parameters, bool has_columns) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  std::vector<std::string> required;
  for (ParameterDeclaration const& parameter : parameters) {
    schema["properties"][parameter.name] = schema_of(parameter);
    if (parameter.required) required.push_back(parameter.name);
  }
  // Of every command: it comes back in the answer.
  schema["properties"]["request"] = {{"type", {"string", "integer"}}, {"description", "comes back in the answer"}};
  if (!required.empty()) schema["required"] = required;
  if (has_columns)
    schema["additionalProperties"] = {{"type", {"string", "number", "boolean"}}, {"description", "a column"}};
  else
    schema["additionalProperties"] = false;
  return schema;
}

// One message: its command, and its parameters beside that.
Json answer_of(std::string_view name, std::string_view description) {
  Json schema{{"type", "object"}, {"properties", {{"command", {{"const", name}}}}}, {"required", {"command"}}};
  if (!description.empty()) schema["description"] = description;
  return schema;
}

// A path, as each type declares it that has the command.
struct Operation {
  std::string summary;
  std::string right;
  std::vector<Json> bodies;
  std::vector<std::string> answers;  // in the order of their declaration, each once
};

void add_answers(std::string_view names, std::vector<std::string>& to) {
  for (std::string& name : words_of(names))
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(std::move(name));
}

class Document {
 public:
  explicit Document(engine::TableTypes const& types) {
    for (OwnAnswer const& answer : own_answers()) {
      add_answer(answer.declared);
      if (answer.is_mixed) mixed_.insert(answer.declared.name);
    }
    for (auto const& [name, type] : types) add_type(*type->declaration());
    for (OwnCommand const& command : own_commands()) add_own(command, types);
  }

  [[nodiscard]] std::string text() const {
    Json document;
    document["openapi"] = "3.1.0";
    document["info"] = {{"title", "fastjournal"}, {"version", "1"}};
    document["security"] = {Json::object(), {{"token", Json::array()}}};
    document["paths"] = Json::object();
    for (auto const& [name, operation] : operations_) document["paths"]["/v1/" + name] = path_of(name, operation);
    document["components"]["schemas"] = answers_;
    document["components"]["schemas"]["problem"] = problem();
    document["components"]["responses"]["problem"] = {
        {"description", "the command was refused, and nothing was changed"},
        {"content", {{"application/problem+json", {{"schema", reference_to("schemas", "problem")}}}}}};
    document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
    return document.dump(1, ' ', true) + "\n";
  }

 private:
  void add_answer(AnswerDeclaration const& one) {
    // The same answer of two types may have other columns: it says only what all have.
    if (!answers_.contains(one.name)) answers_[one.name] = answer_of(one.name, one.description);
    counted_[one.name] = counted_[one.name] || one.is_counted;
  }

  void add_type(TypeDeclaration const& type) {
    for (AnswerDeclaration const& answer : type.answers) add_answer(answer);
    for (CommandDeclaration const& command : type.commands) {
      Json body = body_of(command.parameters, command.takes_columns);
      if (command.kind == CommandKind::read || command.kind == CommandKind::touch)
        body["properties"]["stale"] = {
            {"type", "integer"},
            {"description", "1: also of a table that another node decides for, as this one knows it"}};
      body["title"] = command.name + " of a table of type " + type.name;
      add(command, name_of(command.right), std::move(body));
    }
  }

  void add_own(OwnCommand const& command, engine::TableTypes const& types) {
    if (command.kind == OwnCommand::Kind::silent) return;
    bool const is_free = !command.right && !command.for_changes;
    add(command.declared, is_free ? "" : command.needed(),
        body_of(with_topics(command.declared.parameters, types), false));
  }

  void add(CommandDeclaration const& command, std::string_view right, Json body) {
    Operation& operation = operations_[command.name];
    if (operation.summary.empty()) operation.summary = command.description;
    operation.right = right;
    operation.bodies.push_back(std::move(body));
    add_answers(command.answers, operation.answers);
  }

  [[nodiscard]] Json path_of(std::string const& name, Operation const& operation) const {
    Json post{{"operationId", name}};
    if (!operation.summary.empty()) post["summary"] = operation.summary;
    post["description"] =
        operation.right.empty() ? std::string{"Needs no right."} : "Needs the right " + operation.right + ".";
    Json body = operation.bodies.size() == 1 ? operation.bodies.front() : Json{{"anyOf", operation.bodies}};
    post["requestBody"] = {{"required", true}, {"content", {{"application/json", {{"schema", std::move(body)}}}}}};
    post["responses"]["200"] = {{"description", "done"}, {"content", contents_of(name, operation)}};
    post["responses"]["default"] = reference_to("responses", "problem");
    return {{"post", std::move(post)}};
  }

  // An answer of several messages is an array, also where it has only one.
  [[nodiscard]] Json contents_of(std::string const& name, Operation const& operation) const {
    if (protocol::is_streaming(name)) return {{"text/event-stream", {{"schema", {{"type", "string"}}}}}};
    Json forms = Json::array();
    for (std::string const& answer : operation.answers) {
      auto const counted = counted_.find(answer);
      bool const is_known = counted != counted_.end();
      bool const is_mixed = mixed_.contains(answer);
      Json message = is_known ? reference_to("schemas", answer) : Json{{"type", "object"}};
      if (is_known && counted->second && !is_mixed)
        forms.push_back({{"type", "array"}, {"items", std::move(message)}});
      else
        forms.push_back(std::move(message));
      // Behind it come others.
      if (is_mixed) forms.push_back({{"type", "array"}, {"items", {{"type", "object"}}}});
    }
    Json schema = Json{{"type", {"object", "array"}}};
    if (forms.size() == 1) schema = forms.front();
    if (forms.size() > 1) schema = Json{{"anyOf", std::move(forms)}};
    return {{"application/json", {{"schema", std::move(schema)}}}};
  }

  static Json problem() {
    return {{"type", "object"},
            {"description", "problem details (RFC 9457)"},
            {"properties",
             {{"type", {{"type", "string"}}},
              {"title", {{"type", "string"}}},
              {"status", {{"type", "integer"}}},
              {"detail", {{"type", "string"}}},
              {"code", {{"type", "string"}}},
              {"command", {{"type", "string"}}}}},
            {"required", {"type", "title", "status", "code"}}};
  }

  Json answers_ = Json::object();
  std::map<std::string, bool> counted_;
  std::set<std::string> mixed_;
  std::map<std::string, Operation> operations_;
};

}  // namespace

std::string make_openapi(engine::TableTypes const& types) { return Document{types}.text(); }

Command make_openapi_command(std::function<std::string()> write) {
  // Of the declarations of commands and types alone: these are the same while the daemon runs, and for all rights.
  auto const text = std::make_shared<SharedText>();
  return {[write = std::move(write), text](Request const& request) -> Outcome {
    if (*text == nullptr) *text = std::make_shared<std::string const>(write());
    add_shared(request.answer.message("OPENAPI"), "text", *text);
    return {};
  }};
}

}  // namespace fastjournal::admin
