#include "protocol/http_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "protocol/parts.h"

namespace fastjournal::protocol {
namespace {

using Object = nlohmann::ordered_json;

// Sets the parameters from the parser's events. It builds no tree, and ends at the first value that is nested.
class ParametersReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ParametersReader(Message& into) : into_(into) {}

  bool null() override { return refuse("null is no value: leave the parameter out"); }
  bool boolean(bool v) override { return value(Value::of_boolean(v)); }
  bool number_integer(number_integer_t v) override { return value(Value::of_integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    return value(v > static_cast<number_unsigned_t>(INT64_MAX) ? Value::of_unsigned(v)
                                                               : Value::of_integer(static_cast<std::int64_t>(v)));
  }
  bool number_float(number_float_t v, string_t const& text) override {
    // The library makes a real of an integer that it cannot hold.
    if (text.find_first_of(".eE") == std::string::npos) return refuse("an integer beyond 64 bits");
    return value(Value::of_real(v));
  }
  bool string(string_t& v) override {
    if (!is_inside_) return refuse("");
    return value(Value::of_text(into_.arena().copy(v)));
  }
  bool binary(binary_t&) override { return refuse("binary is no part of JSON"); }
  bool key(string_t& name) override {
    name_ = into_.arena().copy(name);
    return !into_.has(name_) || refuse("it is given twice");
  }
  bool start_object(std::size_t) override {
    if (is_inside_) return refuse("an object is no value of a parameter");
    is_inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return refuse("an array is no value of a parameter"); }
  bool end_array() override { return true; }

  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const&) override {
    status_ = {Code::invalid, "the body is no JSON: see its byte " + std::to_string(position)};
    return false;
  }

  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  bool refuse(std::string_view why) {
    if (!is_inside_)
      status_ = {Code::invalid, "the body is no JSON object with the command's parameters"};
    else
      status_ = Status{Code::invalid, "parameter " + excerpt(name_) + ": " + std::string{why}};
    return false;
  }
  bool value(Value const& v) {
    if (!is_inside_) return refuse("");
    return set_parameter(into_, name_, v, status_);
  }

  Message& into_;
  Status status_;
  bool is_inside_{false};
  std::string_view name_;
};

Object json_of(Value const& value) {
  switch (value.kind) {
    case Value::Kind::text: return std::string{value.bytes};
    case Value::Kind::binary: {
      std::string text;
      append_base64(value.bytes, text);
      return text;
    }
    case Value::Kind::integer: return value.integer;
    case Value::Kind::unsigned_integer: return value.unsigned_integer;
    case Value::Kind::real: return value.real;
    case Value::Kind::boolean: return value.boolean;
  }
  return nullptr;
}

void add(Object& object, Param const& param, bool is_taken) {
  object[is_taken ? "parameter-" + std::string{param.name} : std::string{param.name}] = json_of(param.value);
}

void append(Object const& object, std::string& out) {
  out += object.dump(-1, ' ', false, Object::error_handler_t::replace);
}

}  // namespace

Status parse_parameters(std::string_view body, Message& into) {
  ParametersReader reader{into};
  if (nlohmann::json::sax_parse(body.begin(), body.end(), &reader)) return {};
  return reader.take_status();
}

void append_object(Outgoing const& message, std::string& out) {
  Object object;
  object["command"] = std::string{message.command};
  for (Param const& param : message.params) add(object, param, param.name == "command");
  append(object, out);
}

void append_problem(HttpProblem const& problem, std::string& out) {
  static constexpr std::array<std::string_view, 7> kOwn{"type",     "title", "status", "detail",
                                                        "instance", "code",  "command"};
  static constexpr std::array<std::string_view, 4> kSaid{"code", "command", "message", "left"};
  CodeRow const& row = row_of(problem.code);
  Object object;
  object["type"] = "urn:fastjournal:error:" + std::string{row.wire_name};
  object["title"] = std::string{row.text};
  object["status"] = problem.status;
  object["detail"] = std::string{problem.detail};
  object["code"] = std::string{row.wire_name};
  if (!problem.command.empty()) object["command"] = std::string{problem.command};
  for (Param const& fact : problem.facts) {
    if (std::find(kSaid.begin(), kSaid.end(), fact.name) != kSaid.end()) continue;
    add(object, fact, std::find(kOwn.begin(), kOwn.end(), fact.name) != kOwn.end());
  }
  append(object, out);
  out += '\n';
}

}  // namespace fastjournal::protocol
