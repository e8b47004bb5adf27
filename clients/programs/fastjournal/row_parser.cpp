#include "clients/programs/fastjournal/row_parser.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clients/cpp/journal.h"
#include "clients/programs/fastjournal/values.h"
#include "model/value.h"
#include "wire/text.h"

namespace fastjournal::cli {
namespace {

constexpr std::array<std::string_view, 9> kTakenNames{"priority",       "process_date", "expiration_date",
                                                      "insertion_date", "tags",         "max_attempts",
                                                      "back_off",       "lease",        "unique_for"};
constexpr std::string_view kDateEnding = "_date";

bool is_date_parameter(std::string_view name) {
  return name.ends_with(kDateEnding) &&
         std::find(kTakenNames.begin() + 1, kTakenNames.end(), name) != kTakenNames.end();
}

Status bad(std::string sentence) { return {Code::bad_parameter, std::move(sentence)}; }

Status set_date_text(Message& insert, std::string_view name, std::string_view text) {
  Result<client::Date> const date =
      name == "expiration_date" && text != "0" ? parse_expiration(text) : parse_date(text);
  if (date.ok()) set_date(insert, name, date.value());
  return date.status();
}

// `table` and `row` are on their own until all of a row is known.
Status set(Message& insert, std::string_view name, Value value) {
  if (value.kind == Value::Kind::text && is_date_parameter(name)) return set_date_text(insert, name, value.bytes);
  if (insert.params().size() >= Message::kParamsMax)
    return {Code::too_large, "a row has at most " + std::to_string(Message::kParamsMax) + " values"};
  insert.set(name, value);
  return {};
}

// What only describes a row that LIST, PEEK or NEXT showed. The command line sets the table.
Status drop_description(Message& insert, Value const& table) {
  bool const is_shown = insert.has("row");
  if (!is_shown && insert.has("table") && insert.text("table").data() != table.bytes.data())
    return bad("'table' cannot be set here: it stands on the command line");
  if (!is_shown) return {};
  if (std::string_view const omitted = insert.text("omitted"); !omitted.empty())
    return bad("this row was shown without its columns " + std::string{omitted});
  for (std::size_t i = 0; i < insert.params().size();) {
    std::string_view const name = insert.params()[i].name;
    if (name != "table" && client::is_row_parameter(name) &&
        std::find(kTakenNames.begin(), kTakenNames.end(), name) == kTakenNames.end())
      insert.erase(name);
    else
      ++i;
  }
  insert.set("table", table);
  return {};
}

// The members of one JSON object, straight into a message: no tree is built.
class RowBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit RowBuilder(Message& into) : into_(into) {}

  bool null() override { return is_in_object(); }
  bool boolean(bool v) override { return value(Value::of_boolean(v)); }
  bool number_integer(number_integer_t v) override { return value(Value::of_integer(v)); }
  bool number_unsigned(number_unsigned_t v) override { return value(Value::of_unsigned(v)); }
  bool number_float(number_float_t v, string_t const&) override { return value(Value::of_real(v)); }
  bool string(string_t& v) override { return value(Value::of_text(into_.arena().copy(v))); }
  bool binary(binary_t&) override { return refuse_structure(); }
  bool start_object(std::size_t) override { return std::exchange(is_inside_, true) ? refuse_structure() : true; }
  bool key(string_t& name) override {
    name_ = into_.arena().copy(name);
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return is_in_object() && refuse_structure(); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const&) override {
    status_ = bad(fmt::format("this is no JSON: it is wrong at byte {}", position));
    return false;
  }

  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  bool is_in_object() {
    if (!is_inside_) status_ = bad("this is no JSON object: expected {\"column\": value, ...}");
    return is_inside_;
  }
  bool refuse_structure() {
    status_ =
        bad("'" + std::string{name_} + "' is an array or object: expected a string, a number, true, false or null");
    return false;
  }
  bool value(Value const& v) {
    if (!is_in_object()) return false;
    status_ = set(into_, name_, v);
    return status_.ok();
  }

  Message& into_;
  Status status_;
  std::string_view name_;  // of the member that is read
  bool is_inside_{false};
};

Status parse_json(std::string_view record, Message& insert) {
  RowBuilder builder{insert};
  char const* const begin = record.data();
  if (nlohmann::json::sax_parse(begin, begin + record.size(), &builder)) return {};
  return builder.take_status();
}

std::string_view without_carriage_return(std::string_view record) {
  if (record.ends_with('\r')) record.remove_suffix(1);
  return record;
}

// One value in quotes, which `rest` begins with; what is behind it is left.
Status take_quoted(std::string_view& rest, Arena& arena, Value& out) {
  std::size_t end = rest.find('"', 1);
  std::size_t doubled = 0;
  while (end != std::string_view::npos && rest.substr(end + 1).starts_with('"')) {
    ++doubled;
    end = rest.find('"', end + 2);
  }
  if (end == std::string_view::npos) return bad("a value begins with a quote and has none at its end");
  std::string_view const raw = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  if (!rest.empty() && !rest.starts_with(','))
    return bad("a comma or the end of the line is expected behind the quoted value " + model::shown(raw));
  if (doubled == 0) {
    out = Value::of_text(raw);
    return {};
  }
  char* const to = arena.take(raw.size() - doubled);
  std::size_t size = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '"') ++i;
    to[size++] = raw[i];
  }
  out = Value::of_text({to, size});
  return {};
}

// The values of a record; one that is absent is a boolean, which CSV has not.
Status split_csv(std::string_view rest, Arena& arena, std::vector<Value>& out) {
  out.clear();
  rest = without_carriage_return(rest);
  while (true) {
    Value value = Value::of_boolean(false);
    if (rest.starts_with('"')) {
      if (Status status = take_quoted(rest, arena, value); !status.ok()) return status;
    } else {
      std::string_view const raw = rest.substr(0, rest.find(','));
      rest.remove_prefix(raw.size());
      if (raw.find('"') != std::string_view::npos)
        return bad("a value with a quote in it stands in quotes, with each quote of its own twice: found " +
                   model::shown(raw));
      if (!raw.empty()) value = Value::of_text(raw);
    }
    out.push_back(value);
    if (rest.empty()) return {};
    rest.remove_prefix(1);  // the comma
    if (out.size() > Message::kParamsMax)
      return {Code::too_large, "a row has at most " + std::to_string(Message::kParamsMax) + " values"};
  }
}

bool is_name(std::string_view name) {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Status RowParser::set_header(std::string_view header) {
  Arena arena;
  if (header.ends_with('\n')) header.remove_suffix(1);
  if (header.find_first_not_of(" \t") != std::string_view::npos && header[header.find_first_not_of(" \t")] == '[')
    return bad("the input begins with [: expected one JSON object a line, as `jq -c '.[]'` makes of an array");
  Status status = split_csv(header, arena, fields_);
  if (!status.ok()) return bad("the header: " + status.message());
  columns_.clear();
  for (Value const& name : fields_) {
    if (!is_name(name.bytes))
      return bad("the first line is taken for the header of CSV, and " + model::shown(name.bytes) +
                 " in it is no name of a column: expected letters, digits and _, with commas between the names");
    if (std::find(columns_.begin(), columns_.end(), name.bytes) != columns_.end())
      return bad("the header has " + std::string{name.bytes} + " twice");
    columns_.emplace_back(name.bytes);
  }
  return {};
}

Status RowParser::parse(std::string_view record, Message& insert) {
  Value const* const before = insert.find("table");
  Value const table = before == nullptr ? Value{} : *before;
  Status status;
  switch (format_) {
    case RowFormat::json: status = parse_json(record, insert); break;
    case RowFormat::csv: status = parse_csv(record, insert); break;
    case RowFormat::lines: status = parse_parameters(record, insert); break;
  }
  return status.ok() ? drop_description(insert, table) : status;
}

Status RowParser::parse_csv(std::string_view record, Message& insert) {
  if (Status status = split_csv(record, insert.arena(), fields_); !status.ok()) return status;
  if (fields_.size() != columns_.size())
    return bad(fmt::format("found {} values, expected {} as in the header", fields_.size(), columns_.size()));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].kind != Value::Kind::text) continue;
    if (Status status = set(insert, columns_[i], fields_[i]); !status.ok()) return status;
  }
  return {};
}

Status RowParser::parse_parameters(std::string_view record, Message& insert) {
  // Its reader takes it for the end.
  if (record.find('\0') != std::string_view::npos) return bad("a line of name=value cannot have a NUL");
  if (Status status = protocol::parse_line_parameters(record, line_); !status.ok()) return status;
  for (Param const& param : line_.params()) {
    Value value = param.value;
    // The arena of line_ is used again for the next record.
    if (value.bytes.data() < record.data() || value.bytes.data() > record.data() + record.size())
      value.bytes = insert.arena().copy(value.bytes);
    if (Status status = set(insert, param.name, value); !status.ok()) return status;
  }
  return {};
}

}  // namespace fastjournal::cli
