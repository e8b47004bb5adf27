// See type_reader.h.
#include "config/type_reader.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "config/access/listen_declaration.h"
#include "config/fields.h"
#include "config/xml.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

// Elements of every table: an option of the same name would be ambiguous.
constexpr std::string_view kTableElements[] = {"description", "log", "schema", "table"};

std::vector<std::string_view> const& kind_words() {
  static std::vector<std::string_view> const words{"read", "add", "change", "remove", "touch"};
  return words;
}

// Indexed by Resend.
std::vector<std::string_view> const& resend_words() {
  static std::vector<std::string_view> const words{"never", "always", "numbered"};
  return words;
}

// Indexed by InTransaction.
std::vector<std::string_view> const& transaction_words() {
  static std::vector<std::string_view> const words{"refused", "at-once", "promised"};
  return words;
}

// Indexed by TypeDeclaration::Key.
std::vector<std::string_view> const& key_words() {
  static std::vector<std::string_view> const words{"required", "optional", "none"};
  return words;
}

std::vector<std::string_view> const& parameter_types() {
  static std::vector<std::string_view> const words{"string",   "integer", "boolean", "date",
                                                   "duration", "columns", "flag"};
  return words;
}

std::optional<Right> read_right(Element const& element) {
  std::optional<std::size_t> const word = word_field(element, "right", {kRightNames.begin(), kRightNames.end()});
  return word ? std::optional{static_cast<Right>(*word)} : std::nullopt;
}

template <typename T>
bool has_name(std::vector<T> const& all, std::string_view name) {
  return std::any_of(all.begin(), all.end(), [&](T const& one) { return std::invoke(&T::name, one) == name; });
}

// The words of an attribute, between blanks.
std::vector<std::string> words_of(Element const& element, std::string_view attribute) {
  std::vector<std::string> out;
  std::string_view rest = element.attribute(attribute).value_or("");
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// A number of this type, or the name of an option: whether the type has it is checked when all are read.
std::optional<Bound> read_bound(Element const& element, std::string_view attribute, OptionType type) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return std::nullopt;
  if (is_name(*text, kOptionName)) return Bound{0, std::string{*text}};
  OptionDeclaration unlimited;
  unlimited.type = type;
  Result<std::int64_t> const value = parse_option(unlimited, *text);
  if (value.ok()) return Bound{value.value()};
  element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": " + value.status().message() +
                                    ", or the name of an option");
  return std::nullopt;
}

void read_bounds(Element const& element, ParameterDeclaration& parameter) {
  bool const is_number = parameter.type == "integer" || parameter.type == "duration";
  bool const is_text = parameter.type == "string";
  auto const refuse = [&](std::string_view attribute, bool is_allowed, std::string_view where) {
    if (element.attribute(attribute) && !is_allowed)
      element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\" on a parameter of type " +
                                        parameter.type + ", expected it on " + std::string{where} + " only");
  };
  refuse("min", is_number, "integer or duration");
  refuse("default", is_number, "integer, duration or flag");
  refuse("max", is_number || is_text, "integer, duration or string");
  refuse("choices", is_text, "string");
  refuse("kept", is_text, "string");
  OptionType const type = is_text                        ? OptionType::size
                          : parameter.type == "duration" ? OptionType::duration
                                                         : OptionType::integer;
  if (auto const min = read_bound(element, "min", type)) parameter.min = min;
  if (auto const max = read_bound(element, "max", type)) parameter.max = max;
  parameter.default_value = read_bound(element, "default", type);
  parameter.choices = words_of(element, "choices");
  parameter.kept = size_field(element, "kept", 1, INT64_MAX).value_or(0);
}

// Of a type, or of the daemon itself, whose commands have parameters that stand for others.
enum class Of : std::uint8_t { type, daemon };

ParameterDeclaration read_parameter(Element const& element, Of of) {
  element.expect({.attributes = {{"name", Times::one},
                                 {"type", Times::one},
                                 {"required"},
                                 {"right"},
                                 {"min"},
                                 {"max"},
                                 {"default"},
                                 {"choices"},
                                 {"kept"}},
                  .children = {},
                  .text = true});
  ParameterDeclaration out;
  out.name = element.attribute("name").value_or("");
  if (of == Of::type || (out.name != kTopicPlace && out.name != kFurtherPlace))
    out.name = name_field(element, "name", kColumnName).value_or("");
  if (auto const word = word_field(element, "type", parameter_types())) out.type = parameter_types()[*word];
  if (out.type == "flag") {
    out.type = "integer";
    out.min = Bound{0};
    out.max = Bound{1};
  }
  out.required = boolean_field(element, "required").value_or(false);
  out.right = read_right(element);
  read_bounds(element, out);
  out.description = element.text();
  if (out.description.empty()) element.problem("a parameter without text, expected its description");
  return out;
}

// What commands and answers have in common. `what`: the word for it.
template <typename T>
void read_named(Element const& element, std::string_view what, Of of, T& out) {
  out.name = name_field(element, "name", kCommandName).value_or("");
  out.description = element.description();
  for (Element const& inner : element.children("parameter")) {
    ParameterDeclaration parameter = read_parameter(inner, of);
    if (!parameter.name.empty() && has_name(out.parameters, parameter.name))
      inner.problem_at("name", "parameter " + model::shown(parameter.name) + " twice in " + std::string{what} + " " +
                                   out.name + ", expected each name once");
    out.parameters.push_back(std::move(parameter));
  }
}

void read_resent(Element const& element, Of of, CommandDeclaration& out) {
  read_named(element, "command", of, out);
  if (auto const word = word_field(element, "resend", resend_words())) out.resend = static_cast<Resend>(*word);
  out.answers = element.attribute("answers").value_or("");
}

CommandDeclaration read_command(Element const& element) {
  element.expect({.attributes = {{"name", Times::one},
                                 {"kind", Times::one},
                                 {"right", Times::one},
                                 {"columns"},
                                 {"deliver"},
                                 {"resend"},
                                 {"transaction"},
                                 {"answers"},
                                 {"leases"},
                                 {"gives-back"},
                                 {"done-before"}},
                  .children = {{"description", Times::one}, {"parameter", Times::any}}});
  CommandDeclaration out;
  read_resent(element, Of::type, out);
  if (auto const word = word_field(element, "kind", kind_words())) out.kind = static_cast<CommandKind>(*word);
  out.right = read_right(element).value_or(out.right);
  out.takes_columns = boolean_field(element, "columns").value_or(false);
  if (element.attribute("deliver")) out.deliver_count = name_field(element, "deliver", kColumnName).value_or("");
  if (element.attribute("transaction")) {
    if (auto const word = word_field(element, "transaction", transaction_words()))
      out.in_transaction = static_cast<InTransaction>(*word);
  } else if (out.kind == CommandKind::read || out.kind == CommandKind::touch) {
    out.in_transaction = InTransaction::at_once;
  }
  for (auto const& [attribute, member] : {std::pair{"leases", &CommandDeclaration::leases},
                                          {"gives-back", &CommandDeclaration::gives_back},
                                          {"done-before", &CommandDeclaration::done_before}})
    if (element.attribute(attribute)) out.*member = name_field(element, attribute, kCommandName).value_or("");
  if (out.leases.empty() != out.gives_back.empty())
    element.problem("command " + out.name + " has one of leases and gives-back, expected both or none");
  if (!out.deliver_count.empty() && !has_name(out.parameters, out.deliver_count))
    element.problem_at("deliver", "attribute \"deliver\": found " + model::shown(out.deliver_count) +
                                      ", expected the parameter of " + out.name + " that says how many at most");
  return out;
}

AnswerDeclaration read_answer(Element const& element) {
  element.expect({.attributes = {{"name", Times::one}, {"columns"}, {"counted"}},
                  .children = {{"description", Times::one}, {"parameter", Times::any}}});
  AnswerDeclaration out;
  read_named(element, "answer", Of::type, out);
  out.has_columns = boolean_field(element, "columns").value_or(false);
  out.is_counted = boolean_field(element, "counted").value_or(false);
  return out;
}

OwnCommand read_own_command(Element const& element) {
  element.expect({.attributes = {{"name", Times::one},
                                 {"right"},
                                 {"scope"},
                                 {"among"},
                                 {"life-cycle"},
                                 {"for-changes"},
                                 {"then-silent"},
                                 {"resend"},
                                 {"answers"}},
                  .children = {{"description", Times::one}, {"parameter", Times::any}}});
  OwnCommand out;
  read_resent(element, Of::daemon, out.declared);
  out.right = read_right(element);
  // In the order of the values.
  if (auto const word = word_field(element, "scope", {"daemon", "table", "tables"}))
    out.scope = static_cast<OwnCommand::Scope>(*word);
  if (auto const word = word_field(element, "among", {"daemon", "services", "silent"}))
    out.kind = static_cast<OwnCommand::Kind>(*word);
  out.life_cycle = boolean_field(element, "life-cycle").value_or(false);
  out.for_changes = boolean_field(element, "for-changes").value_or(false);
  out.may_be_silent = boolean_field(element, "then-silent").value_or(false);
  return out;
}

OwnAnswer read_own_answer(Element const& element) {
  element.expect({.attributes = {{"name", Times::one}, {"counted"}, {"mixed"}, {"among"}},
                  .children = {{"description", Times::one}, {"parameter", Times::any}}});
  OwnAnswer out;
  read_named(element, "answer", Of::daemon, out.declared);
  out.declared.is_counted = boolean_field(element, "counted").value_or(false);
  out.is_mixed = boolean_field(element, "mixed").value_or(false);
  out.is_shared = word_field(element, "among", {"daemon", "services"}) == 1U;
  return out;
}

// Message checkers must know each answer.
template <typename T>
void check_answers(Element const& command, std::vector<T> const& known) {
  for (std::string_view const attribute : {"answers", "leases", "done-before"})
    for (std::string const& name : words_of(command, attribute))
      if (!has_name(known, name))
        command.problem_at(attribute, "answer " + model::shown(name) + ", expected one that stands in <answers>");
}

// Limits may be options of the type.
void check_bounds(Element const& command, CommandDeclaration const& declared,
                  std::vector<OptionDeclaration> const& known) {
  for (ParameterDeclaration const& parameter : declared.parameters)
    for (auto const& bound : {parameter.min, parameter.max, parameter.default_value})
      if (bound && !bound->option.empty() && !has_name(known, bound->option))
        command.problem("parameter " + parameter.name + " names " + model::shown(bound->option) +
                        ", expected a number or an option that stands in <options>");
}

bool has_limits(OptionType type) {
  return type == OptionType::integer || type == OptionType::duration || type == OptionType::size;
}

void read_limits(Element const& element, OptionDeclaration& option) {
  for (std::string_view const name : {"min", "max"}) {
    std::optional<std::string_view> const text = element.attribute(name);
    if (!text) continue;
    if (!has_limits(option.type)) {
      element.problem_at(name, "attribute \"" + std::string{name} + "\" on an option of type " +
                                   std::string{option_type_words()[static_cast<std::size_t>(option.type)]} +
                                   ", expected it on integer, duration or size only");
      continue;
    }
    OptionDeclaration unlimited;
    unlimited.type = option.type;
    Result<std::int64_t> const value = parse_option(unlimited, *text);
    if (value.ok())
      (name == "min" ? option.min : option.max) = value.value();
    else
      element.problem_at(name, "attribute \"" + std::string{name} + "\": " + value.status().message());
  }
  if (option.min > option.max)
    element.problem_at(
        "min", "attribute \"min\" is above \"max\", expected at most " + format_option(option.type, option.max));
}

void read_choices(Element const& element, OptionDeclaration& option) {
  option.choices = words_of(element, "choices");
  bool const is_choice = option.type == OptionType::choice;
  if (is_choice && option.choices.empty())
    element.problem("option " + option.name + " of type choice without choices, expected choices=\"a b\"");
  if (!is_choice && element.attribute("choices"))
    element.problem_at("choices",
                       "attribute \"choices\" on an option that is no choice, expected it with type=\"choice\" only");
  for (std::string const& choice : option.choices)
    if (!is_name(choice, kOptionName))
      element.problem_at("choices",
                         "choice " + model::shown(choice) + ", expected " + std::string{kOptionName.expected});
    else if (std::count(option.choices.begin(), option.choices.end(), choice) > 1)
      element.problem_at("choices", "choice " + model::shown(choice) + " twice, expected each once");
}

OptionDeclaration read_option_type(Element const& element) {
  element.expect({.attributes = {{"name", Times::one},
                                 {"type", Times::one},
                                 {"default", Times::one},
                                 {"min"},
                                 {"max"},
                                 {"choices"},
                                 {"live"}},
                  .children = {},
                  .text = true});
  OptionDeclaration out;
  out.name = name_field(element, "name", kOptionName).value_or("");
  if (std::find(std::begin(kTableElements), std::end(kTableElements), out.name) != std::end(kTableElements))
    element.problem_at(
        "name", "option " + model::shown(out.name) + " has the name of an element of every table, expected another");
  auto const type = word_field(element, "type", option_type_words());
  out.changes_live = boolean_field(element, "live").value_or(true);
  out.default_text = element.attribute("default").value_or("");
  out.description = element.text();
  if (out.description.empty()) element.problem("an option without text, expected its description");
  if (!type) return out;
  out.type = static_cast<OptionType>(*type);
  read_limits(element, out);
  read_choices(element, out);
  if (out.type == OptionType::choice && out.choices.empty()) return out;  // already reported
  if (Result<std::int64_t> const value = parse_option(out, out.default_text);
      !value.ok() && element.attribute("default"))
    element.problem_at("default", "attribute \"default\": " + value.status().message());
  return out;
}

ProtocolDeclaration read_protocol_type(Element const& element) {
  element.expect({.attributes = {{"name", Times::one}, {"login"}}, .children = {}, .text = true});
  ProtocolDeclaration out;
  out.name = name_field(element, "name", kTypeName).value_or("");
  out.has_login = boolean_field(element, "login").value_or(false);
  out.description = element.text();
  if (out.description.empty()) element.problem("a protocol without text, expected its description");
  if (out.name == access::kMessages || out.name == access::kHttp)
    element.problem_at("name", "protocol " + model::shown(out.name) + " is the daemon's own, expected another name");
  return out;
}

template <typename T, typename Read>
std::vector<T> read_all(Element const& list, std::string_view name, Read read) {
  list.expect({.attributes = {}, .children = {{name, Times::any}}});
  std::vector<T> out;
  for (Element const& inner : list.children(name)) {
    T one = read(inner);
    std::string const of_one{std::invoke(&T::name, one)};
    if (!of_one.empty() && has_name(out, of_one))
      inner.problem_at("name", std::string{name} + " " + model::shown(of_one) + " twice, expected each name once");
    out.push_back(std::move(one));
  }
  return out;
}

RecordNames read_records(Element const& list) {
  list.expect({.attributes = {}, .children = {{"record", Times::any}}});
  RecordNames out;
  for (Element const& inner : list.children("record")) {
    inner.expect({.attributes = {{"number", Times::one}, {"name", Times::one}}, .children = {}});
    std::optional<std::int64_t> const number = integer_field(inner, "number", 1, 255);
    std::string const name = name_field(inner, "name", kOptionName).value_or("");
    if (number && !out.emplace(static_cast<std::uint8_t>(*number), name).second)
      inner.problem_at("number", "record " + std::to_string(*number) + " twice, expected each number once");
  }
  return out;
}

// Properties of all tables of the type.
void read_shape(Element const& root, TypeDeclaration& out) {
  out.has_columns = boolean_field(root, "columns").value_or(true);
  if (auto const word = word_field(root, "key", key_words())) out.key = static_cast<TypeDeclaration::Key>(*word);
  if (!out.has_columns) {
    if (root.attribute("key") && out.key != TypeDeclaration::Key::none)
      root.problem_at("key", "attribute \"key\" of a type without columns, expected none");
    out.key = TypeDeclaration::Key::none;
  }
  if (root.attribute("topic")) out.topic = name_field(root, "topic", kColumnName).value_or("");
  if (root.attribute("foreign-model")) out.foreign_model = name_field(root, "foreign-model", kTypeName).value_or("");
  if (root.attribute("nothing")) out.empty_answer = name_field(root, "nothing", kCommandName).value_or("");
}

}  // namespace

Result<TypeDeclaration> read_type(std::filesystem::path const& path) {
  Problems problems{path.string()};
  TypeDeclaration out;
  if (std::optional<Document> const document = Document::read(path, problems)) {
    Element const root = document->root();
    if (root.name() != "table-type") {
      root.problem("root element <" + std::string{root.name()} + ">, expected <table-type>");
      return problems.status();
    }
    root.expect({.attributes = {{"name", Times::one}, {"columns"}, {"key"}, {"topic"}, {"foreign-model"}, {"nothing"}},
                 .children = {{"description", Times::one},
                              {"commands", Times::one},
                              {"answers"},
                              {"options"},
                              {"protocols"},
                              {"records"}}});
    out.name = name_field(root, "name", kTypeName).value_or("");
    if (!out.name.empty() && path.stem() != out.name)
      root.problem_at(
          "name", "table type " + model::shown(out.name) + " in a file of another name, expected " + out.name + ".xml");
    out.description = root.description();
    read_shape(root, out);
    if (auto const answers = root.child("answers"))
      out.answers = read_all<AnswerDeclaration>(*answers, "answer", read_answer);
    if (!out.empty_answer.empty() && !has_name(out.answers, out.empty_answer))
      root.problem_at("nothing", "attribute \"nothing\": found " + model::shown(out.empty_answer) +
                                     ", expected an answer that stands in <answers>");
    if (auto const commands = root.child("commands")) {
      out.commands = read_all<CommandDeclaration>(*commands, "command", read_command);
      for (Element const& command : commands->children("command")) check_answers(command, out.answers);
    }
    if (auto const options = root.child("options"))
      out.options = read_all<OptionDeclaration>(*options, "option", read_option_type);
    if (auto const commands = root.child("commands")) {
      std::size_t at = 0;
      for (Element const& command : commands->children("command"))
        check_bounds(command, out.commands[at++], out.options);
    }
    if (auto const protocols = root.child("protocols"))
      out.protocols = read_all<ProtocolDeclaration>(*protocols, "protocol", read_protocol_type);
    if (auto const records = root.child("records")) static_cast<void>(read_records(*records));
  }
  if (!problems.empty()) return problems.status();
  return out;
}

Result<OwnDeclarations> read_own(std::string_view text) {
  Problems problems{"daemon.xml"};
  OwnDeclarations out;
  if (std::optional<Document> const document = Document::parse(text, problems)) {
    Element const root = document->root();
    root.expect({.attributes = {},
                 .children = {{"description", Times::one}, {"commands", Times::one}, {"answers", Times::one}}});
    if (auto const answers = root.child("answers"))
      out.answers = read_all<OwnAnswer>(*answers, "answer", read_own_answer);
    if (auto const commands = root.child("commands")) {
      out.commands = read_all<OwnCommand>(*commands, "command", read_own_command);
      for (Element const& command : commands->children("command")) check_answers(command, out.answers);
    }
  }
  if (!problems.empty()) return problems.status();
  return out;
}

Result<TypesByName> read_types(std::filesystem::path const& folder) {
  TypesByName out;
  std::error_code error;
  for (std::filesystem::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".xml") continue;
    Result<TypeDeclaration> type = read_type(at->path());
    if (!type.ok()) return type.status();
    auto declared = std::make_shared<TypeDeclaration const>(std::move(type).value());
    out.emplace(declared->name, declared);
  }
  if (error)
    return Status{Code::not_found, "cannot read the table types of " + folder.string() + ": " + error.message()};
  if (out.empty()) return Status{Code::not_found, "there are no table types in " + folder.string()};
  return out;
}

std::map<std::string, RecordNames> read_record_names(std::filesystem::path const& folder) {
  std::map<std::string, RecordNames> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".xml") continue;
    Problems problems{at->path().string()};
    std::optional<Document> const document = Document::read(at->path(), problems);
    if (!document || document->root().name() != "table-type") continue;
    if (auto const records = document->root().child("records"))
      out[at->path().stem().string()] = read_records(*records);
  }
  return out;
}

}  // namespace fastjournal::config
