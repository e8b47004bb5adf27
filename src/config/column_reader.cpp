// See column_reader.h.
#include "config/column_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/fields.h"
#include "model/key_codec.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

constexpr std::size_t kColumnsMax = 200;
constexpr std::size_t kKeyColumnsMax = 8;

constexpr Unsupported kUnsupported[] = {
    {"validation", "values are checked by type, min-value, max-value, min-length and max-length only"},
    {"secondary-index", "a table has one key, its row-key"},
    {"drop", "to remove a table, drain it and delete its file"},
    {"temporary", "declare it with persistent=\"no\" on <table>"},
};

// Parameters possible in every message (doc/protocol.md): a column of the same name would be ambiguous. So would an
// `attempt`, which the command line makes of `attempts` for the commands that it runs.
constexpr std::string_view kProtocolNames[] = {"table", "request", "left", "omitted", "secret_code", "attempt"};

std::vector<std::string_view> const& merge_words() {
  static std::vector<std::string_view> const words{"replace", "keep", "min", "max", "sum", "append"};
  return words;
}

// Of commands that columns stand in beside their parameters.
bool takes_name(TypeDeclaration const& type, std::string_view name, std::string_view& command) {
  for (CommandDeclaration const& one : type.commands)
    for (ParameterDeclaration const& parameter : one.parameters)
      if (one.takes_columns && parameter.name == name) {
        command = one.name;
        return true;
      }
  return false;
}

// Parameters next to the columns in the same message.
bool answers_use(TypeDeclaration const& type, std::string_view name) {
  auto const is_it = [name](auto const& one) { return one.name == name; };
  return std::ranges::find(kProtocolNames, name) != std::ranges::end(kProtocolNames) ||
         std::ranges::any_of(type.answers, [&](AnswerDeclaration const& answer) {
           return answer.has_columns && std::ranges::any_of(answer.parameters, is_it);
         });
}

void check_name(Element const& element, std::string const& name, TypeDeclaration const& type) {
  std::string_view command;
  if (takes_name(type, name, command))
    element.problem_at("name", "column " + model::shown(name) + " has the name of a parameter of " +
                                   std::string{command} + ", expected another name");
  else if (answers_use(type, name))
    element.problem_at(
        "name", "column " + model::shown(name) + " has a name that answers use themselves, expected another name");
}

std::optional<ColumnType> read_column_type(Element const& element) {
  std::optional<std::string_view> const text = element.attribute("type");
  if (!text) return std::nullopt;
  std::optional<ColumnType> const type = model::type_of_name(*text);
  if (type) return type;
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ColumnType::time_us); ++i)
    names.push_back(model::name_of(static_cast<ColumnType>(i)));
  bool const too_wide = text->find("128") != std::string_view::npos || text->find("256") != std::string_view::npos ||
                        text->find("512") != std::string_view::npos;
  element.problem_at("type", "attribute \"type\": found " + model::shown(*text) +
                                 (too_wide ? ", an integer above 64 bits, expected " : ", expected ") + listed(names) +
                                 (too_wide ? std::string{} : near_miss(*text, names)));
  return std::nullopt;
}

// Stores a limit by value in the column; its bits are of the type's kind (model/value.h).
void read_value_limit(Element const& element, std::string_view attribute, Column& column) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return;
  bool const is_min = attribute == "min-value";
  model::CellKind const kind = model::kind_of(column.type);
  bool const has_values = (kind == model::CellKind::integer || kind == model::CellKind::unsigned_integer ||
                           kind == model::CellKind::real) &&
                          column.type != ColumnType::boolean && column.type != ColumnType::character;
  std::string const name{model::name_of(column.type)};
  if (!has_values) {
    element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\" on a column of type " + name +
                                      ", expected it on integers, floats and dates only");
    return;
  }
  // The limit is read as a value of the type, so that it must be in the type's range.
  Column plain;
  plain.type = column.type;
  std::string scratch;
  model::Cell cell;
  if (!model::parse_value(plain, Value::of_text(*text), scratch, cell).ok()) {
    element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": found " + model::shown(*text) +
                                      ", expected a value of type " + name);
    return;
  }
  if (kind == model::CellKind::real) {
    (is_min ? column.real_min : column.real_max) = cell.real;
    return;
  }
  std::uint64_t const bits =
      kind == model::CellKind::integer ? static_cast<std::uint64_t>(cell.integer) : cell.unsigned_integer;
  if (is_min)
    column.value_min = static_cast<std::int64_t>(bits);
  else
    column.value_max = bits;
}

void read_lengths(Element const& element, Column& column) {
  bool const has_length = model::kind_of(column.type) == model::CellKind::bytes;
  for (std::string_view const attribute : {"min-length", "max-length"}) {
    if (!element.attribute(attribute)) continue;
    if (!has_length) {
      element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\" on a column of type " +
                                        std::string{model::name_of(column.type)} +
                                        ", expected it on string and buffer only");
      continue;
    }
    auto const length = size_field(element, attribute, 0, static_cast<std::int64_t>(model::kRowBytesMax));
    if (length)
      (attribute == "min-length" ? column.length_min : column.length_max) = static_cast<std::uint64_t>(*length);
  }
}

Column read_column(Element const& element, TypeDeclaration const& type) {
  element.expect({.attributes = {{"name", Times::one},
                                 {"type", Times::one},
                                 {"required"},
                                 {"default"},
                                 {"min-value"},
                                 {"max-value"},
                                 {"min-length"},
                                 {"max-length"},
                                 {"merge"}},
                  .children = {{"description"}}},
                 unsupported_parts());
  Column out;
  out.name = name_field(element, "name", kColumnName).value_or("");
  if (!out.name.empty()) check_name(element, out.name, type);
  out.required = boolean_field(element, "required").value_or(false);
  if (auto const word = word_field(element, "merge", merge_words())) out.merge = static_cast<MergeRule>(*word);
  if (auto const text = element.attribute("default")) out.default_text = std::string{*text};
  out.description = element.description();
  std::optional<ColumnType> const column_type = read_column_type(element);
  if (!column_type) return out;
  out.type = *column_type;
  read_value_limit(element, "min-value", out);
  read_value_limit(element, "max-value", out);
  read_lengths(element, out);
  if (Status const status = model::check_column(out); !status.ok()) element.problem(status.message());
  return out;
}

std::vector<std::string_view> split_names(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find_first_of(", "), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// A key column has a value, no merge rule, and a type that fits into a key.
void check_key_column(Element const& element, Element const& table, Column& column) {
  if (column.type == ColumnType::void_type)
    table.problem_at("row-key", "key column " + column.name + " is void, expected a type with a value");
  if (element.attribute("merge"))
    element.problem_at("merge", "attribute \"merge\" on key column " + column.name +
                                    ", expected none: rows that merge have the same key");
  if (model::kind_of(column.type) != model::CellKind::bytes) return;
  if (element.attribute("max-length") && column.length_max > model::kKeyBytesMax)
    element.problem_at("max-length", "key column " + column.name + " may be " + std::to_string(column.length_max) +
                                         " bytes long, expected at most " + std::to_string(model::kKeyBytesMax) +
                                         ", the most that a key takes");
  column.length_max = std::min<std::uint64_t>(column.length_max, model::kKeyBytesMax);
}

// Without a key no two rows merge.
void refuse_merge_rules(std::vector<Element> const& columns) {
  for (Element const& column : columns)
    if (column.attribute("merge"))
      column.problem_at("merge",
                        "attribute \"merge\" in a table without attribute \"row-key\", expected none: rows "
                        "without a key never merge");
}

void read_key(Element const& table, std::vector<Element> const& elements, TypeDeclaration const& type, Schema& schema) {
  std::optional<std::string_view> const text = table.attribute("row-key");
  if (!text && type.key != TypeDeclaration::Key::required) refuse_merge_rules(elements);
  if (!text || schema.columns.empty()) return;  // already reported, or no key is needed
  std::vector<std::string_view> const names = split_names(*text);
  if (names.empty() || names.size() > kKeyColumnsMax)
    table.problem_at("row-key", "attribute \"row-key\": found " + std::to_string(names.size()) +
                                    " columns, expected 1 to 8 column names, separated by commas");
  std::vector<std::string_view> column_names;
  for (Column const& column : schema.columns) column_names.push_back(column.name);
  for (std::string_view const name : names) {
    auto const at = std::find(column_names.begin(), column_names.end(), name);
    if (at == column_names.end()) {
      table.problem_at("row-key", "attribute \"row-key\": found " + model::shown(name) +
                                      ", expected a column of this table (" + listed(column_names) + ")" +
                                      near_miss(name, column_names));
      continue;
    }
    auto const index = static_cast<std::uint16_t>(at - column_names.begin());
    if (std::find(schema.key.begin(), schema.key.end(), index) != schema.key.end()) {
      table.problem_at("row-key",
                       "attribute \"row-key\": column " + model::shown(name) + " twice, expected each column once");
      continue;
    }
    schema.key.push_back(index);
    check_key_column(elements[index], table, schema.columns[index]);
  }
}

}  // namespace

std::span<Unsupported const> unsupported_parts() { return kUnsupported; }

Schema read_schema(Element const& schema, Element const& table, TypeDeclaration const& type) {
  schema.expect({.attributes = {}, .children = {{"column", Times::one_or_more}}}, unsupported_parts());
  Schema out;
  std::vector<Element> const elements = schema.children("column");
  if (elements.size() > kColumnsMax)
    schema.problem(std::to_string(elements.size()) + " columns, expected at most " + std::to_string(kColumnsMax));
  for (Element const& element : elements) {
    Column column = read_column(element, type);
    bool const twice =
        std::any_of(out.columns.begin(), out.columns.end(), [&](Column const& one) { return one.name == column.name; });
    if (twice && !column.name.empty())
      element.problem_at("name", "column " + model::shown(column.name) + " twice, expected each name once");
    out.columns.push_back(std::move(column));
  }
  read_key(table, elements, type, out);
  return out;
}

}  // namespace fastjournal::config
