// See table_reader.h.
#include "config/table_reader.h"

#include <algorithm>

#include "config/address.h"
#include "config/alias_reader.h"
#include "config/column_reader.h"
#include "config/fields.h"
#include "config/listen_reader.h"
#include "config/plan_reader.h"
#include "config/schedule_reader.h"
#include "config/xml.h"
#include "model/plan/codec.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

// The root <table>, or the only <table> inside another system's <context> or <keyspace>.
std::optional<Element> find_table(Element const& root) {
  if (root.name() == "table") return root;
  if (root.name() != "context" && root.name() != "keyspace") {
    root.problem("root element <" + std::string{root.name()} +
                 ">, expected <table>, or one <table> in <context> or <keyspace>" +
                 near_miss(root.name(), {"table", "context", "keyspace"}));
    return std::nullopt;
  }
  root.expect({.attributes = {{"name"}}, .children = {{"description"}, {"table", Times::one}}}, unsupported_parts());
  static_cast<void>(root.description());  // checked but not used
  return root.child("table");
}

// The type whose name in other systems' declarations is `model`; null: none.
TypeDeclaration const* find_foreign(std::string_view model, TypesByName const& types) {
  for (auto const& [name, type] : types)
    if (type->foreign_model == model) return type.get();
  return nullptr;
}

// `model` and `type` mean the same. `foreign`: the table is wrapped as in other systems' declarations.
TypeDeclaration const* find_type(Element const& table, TypesByName const& types, bool foreign) {
  std::optional<std::string_view> const model = table.attribute("model");
  std::optional<std::string_view> const type = table.attribute("type");
  if (model && type) {
    table.problem_at("type", "attributes \"model\" and \"type\" both, expected one of them");
    return nullptr;
  }
  if (!model && !type) {
    table.problem("missing attribute \"model\" in <table>, expected the table's type" +
                  (types.empty() ? std::string{} : ", as in model=\"" + types.begin()->first + "\""));
    return nullptr;
  }
  std::string_view const found = model ? *model : *type;
  TypeDeclaration const* const theirs = model ? find_foreign(found, types) : nullptr;
  if (foreign && theirs != nullptr) return theirs;
  if (auto const known = types.find(found); known != types.end()) return known->second.get();
  if (theirs != nullptr) {
    table.problem_at("model", "attribute \"model\": found " + model::shown(found) + ", which means a table of type " +
                                  theirs->name + " only inside <context> or <keyspace>, expected model=\"" +
                                  theirs->name + "\"");
    return nullptr;
  }
  std::vector<std::string_view> names;
  for (auto const& [name, declaration] : types) names.push_back(name);
  std::string const attribute = model ? "model" : "type";
  table.problem_at(attribute, "attribute \"" + attribute + "\": found " + model::shown(found) +
                                  ", expected a table type that is loaded (" +
                                  (names.empty() ? "there is none" : listed(names)) + ")" + near_miss(found, names));
  return nullptr;
}

// The text of the plan in a file; empty: it cannot be used, and the element says why.
std::string read_plan_text(Element const& element, std::string_view name, std::string const& path) {
  Result<PlanFile> const read = read_plan(path);
  if (!read.ok()) {
    element.problem("element <" + std::string{element.name()} +
                    ">: the plan cannot be read: " + read.status().message());
    return {};
  }
  for (plan::Finding const& finding : read->findings)
    if (!finding.is_warning || (read->plan && read->plan->strict))
      element.problem("element <" + std::string{element.name()} + ">: " + std::string{name} + ":" +
                      std::to_string(finding.line) + ": " + std::string{finding.name} + ": " + finding.what);
  return read->is_usable() ? plan::encode(*read->plan) : std::string{};
}

OptionValue read_option(Element const& table, OptionDeclaration const& declared, std::filesystem::path const& folder,
                        std::vector<std::string>& named) {
  OptionValue out;
  out.name = declared.name;
  out.text = declared.default_text;
  std::optional<Element> const element = table.child(declared.name);
  if (element) {
    element->expect({.attributes = {}, .children = {}, .text = true});
    out.text = element->text();
    out.given = true;
    if (declared.type == OptionType::plan && !out.text.empty()) {
      named.push_back((folder / out.text).lexically_normal().string());
      out.text = read_plan_text(*element, out.text, named.back());
    }
  }
  Result<std::int64_t> const value = parse_option(declared, out.text);
  if (value.ok())
    out.integer = value.value();
  else if (element)
    element->problem("element <" + declared.name + ">: " + value.status().message());
  return out;
}

std::string read_log(Element const& table) {
  std::optional<Element> const log = table.child("log");
  if (!log) return "shared";
  log->expect({.attributes = {{"name", Times::one}}, .children = {}});
  return name_field(*log, "name", kLogName).value_or("");
}

std::optional<FeedDeclaration> read_feed(Element const& table) {
  std::optional<Element> const element = table.child("feed");
  if (!element) return std::nullopt;
  element->expect(
      {.attributes = {{"address", Times::one}, {"interface"}, {"ttl"}, {"heartbeat"}, {"keep"}}, .children = {}});
  FeedDeclaration feed;
  if (std::optional<std::string_view> const text = element->attribute("address")) {
    feed.address = *text;
    std::optional<ParsedAddress> const address = parse_address(*text);
    if (!address || address->port == 0)
      element->problem_at("address", "attribute \"address\": found " + model::shown(*text) +
                                         ", expected an IP address and a port that is not 0, as in 239.1.2.3:4051 (a "
                                         "group) or 127.0.0.1:4051");
  }
  feed.interface = interface_field(*element, "interface");
  if (auto const ttl = integer_field(*element, "ttl", 0, 255)) feed.ttl = static_cast<std::uint8_t>(*ttl);
  feed.heartbeat_ms = duration_field(*element, "heartbeat", 100, 3'600'000).value_or(feed.heartbeat_ms);
  if (auto const keep = size_field(*element, "keep", 64 << 10, 1 << 30))
    feed.keep_bytes = static_cast<std::uint64_t>(*keep);
  return feed;
}

// A table that is not persistent has no log and cannot be followed.
void read_volatile(Element const& table, TableDeclaration& out) {
  for (std::string const name : {"log", "feed"})
    if (std::optional<Element> const element = table.child(name))
      element->problem("element <" + name + "> in a table with persistent=\"no\", whose records are in no log" +
                       (name == "feed" ? ": a follower could never know what a restart forgets" : "") +
                       "; expected one of them");
  out.log = kVolatileLog;
}

// For problems found later, without the elements.
void note_lines(Element const& table, TableDeclaration& out) {
  out.lines.emplace("table", table.line());
  auto const note = [&out](std::string name, Element const& element) {
    out.lines.emplace(std::move(name), element.line());
  };
  for (Element const& element : table.children()) {
    note(std::string{element.name()}, element);
    for (Element const& inner : element.children()) {
      if (inner.name() == "column") note("column " + std::string{inner.attribute("name").value_or("")}, inner);
      if (inner.name() == "schedule") note("schedule " + std::string{inner.attribute("name").value_or("")}, inner);
      if (inner.name() == "alias") note("alias " + std::string{inner.attribute("command").value_or("")}, inner);
    }
  }
}

// The elements and attributes of a table of this type.
Shape shape_of(TypeDeclaration const& type) {
  Shape shape{.attributes = {{"name", Times::one}, {"model"}, {"type"}}, .children = {{"description"}, {"log"}}};
  if (type.key != TypeDeclaration::Key::none)
    shape.attributes.push_back({"row-key", type.key == TypeDeclaration::Key::required ? Times::one : Times::maybe});
  shape.attributes.push_back({"persistent"});
  if (type.has_columns) shape.children.push_back({"schema", Times::one});
  for (std::string_view const name : {"aliases", "feed", "listeners", "wake-message"}) shape.children.push_back({name});
  if (schedule_command(type) != nullptr) shape.children.push_back({"schedules"});
  for (OptionDeclaration const& option : type.options) shape.children.push_back({option.name, Times::maybe});
  return shape;
}

// The option with the topic's name, if there is one, tells whether the table has topics.
bool has_topics(TypeDeclaration const& type, TableDeclaration const& table) {
  bool const has_option = std::ranges::any_of(type.options, [&](auto const& one) { return one.name == type.topic; });
  return !type.topic.empty() && (!has_option || !table.option(type.topic).text.empty());
}

TableDeclaration read(Element const& table, std::filesystem::path const& path, TypeDeclaration const* type,
                      std::vector<std::string>& named) {
  // Without the type the table's options are unknown.
  if (type != nullptr) table.expect(shape_of(*type), unsupported_parts());
  TableDeclaration out;
  out.file = path.string();
  note_lines(table, out);
  out.name = name_field(table, "name", kColumnName).value_or("");
  if (!out.name.empty() && path.stem() != out.name)
    table.problem_at("name",
                     "table " + model::shown(out.name) + " in a file of another name, expected " + out.name + ".xml");
  out.description = table.description();
  out.log = read_log(table);
  out.feed = read_feed(table);
  out.persistent = word_field(table, "persistent", {"yes", "no"}) != 1U;
  if (!out.persistent) read_volatile(table, out);
  static TypeDeclaration const unknown{};
  TypeDeclaration const& known = type == nullptr ? unknown : *type;
  out.type = known.name;
  if (auto const schema = table.child("schema")) out.schema = read_schema(*schema, table, known);
  for (OptionDeclaration const& option : known.options)
    out.options.push_back(read_option(table, option, path.parent_path(), named));
  if (auto const aliases = table.child("aliases")) out.aliases = read_aliases(*aliases, known, out.schema);
  if (CommandDeclaration const* const command = schedule_command(known))
    if (auto const schedules = table.child("schedules"))
      out.schedules = read_schedules(*schedules, *command, out.schema);
  if (auto const wake = table.child("wake-message"))
    out.wake_message = read_wake_message(*wake, known.topic, has_topics(known, out));
  return out;
}

std::vector<ListenDeclaration> read_listeners(Element const& table, std::string const& file, std::string const& name,
                                              DaemonDeclaration const* daemon) {
  std::vector<ListenDeclaration> out;
  std::optional<Element> const listeners = table.child("listeners");
  if (!listeners) return out;
  listeners->expect({.attributes = {}, .children = {{"listen", Times::any}, {"socket", Times::any}}});
  // Without a name the file is refused anyway; they are not the daemon's then either.
  ListenSource const source{.file = file, .table = name.empty() ? "?" : name, .daemon = daemon};
  std::vector<Element> const elements = listeners->children();
  for (Element const& element : elements) {
    if (element.name() == "listen") read_listen(element, source, out);
    if (element.name() == "socket") read_socket(element, source, out);
  }
  if (elements.empty() || elements.size() > kListenersOfTableMax)
    listeners->problem("element <listeners>: found " + std::to_string(elements.size()) +
                       " elements in it, expected 1 to " + std::to_string(kListenersOfTableMax) +
                       ", each a <listen> or a <socket>");
  return out;
}

}  // namespace

Result<TableFile> read_table_file(std::filesystem::path const& path, TypesByName const& types,
                                  DaemonDeclaration const* daemon) {
  Problems problems{path.string()};
  TableFile out;
  if (std::optional<Document> const document = Document::read(path, problems))
    if (std::optional<Element> const table = find_table(document->root())) {
      out.table = read(*table, path, find_type(*table, types, document->root().name() != "table"), out.named);
      out.listen = read_listeners(*table, out.table.file, out.table.name, daemon);
    }
  if (!problems.empty()) return problems.status();
  return out;
}

Result<TableDeclaration> read_table(std::filesystem::path const& path, TypesByName const& types) {
  Result<TableFile> read = read_table_file(path, types, nullptr);
  if (!read.ok()) return read.status();
  return std::move(read->table);
}

TableDeclaration default_table(TypeDeclaration const& type, std::string name) {
  TableDeclaration out;
  out.name = std::move(name);
  out.type = type.name;
  for (OptionDeclaration const& option : type.options) {
    Result<std::int64_t> const value = parse_option(option, option.default_text);
    out.options.push_back({option.name, option.default_text, value.ok() ? value.value() : 0, false});
  }
  return out;
}

}  // namespace fastjournal::config
