#include "wire/http_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "wire/parts.h"

namespace fastjournal::protocol {
namespace {

using Object = nlohmann::ordered_json;

// The one parameter that may be an array.
constexpr std::string_view kNested = "commands";
constexpr std::size_t kDepthMax = 8;

// The text of a nested value, from the parser's events.
class NestedText {
 public:
  [[nodiscard]] bool is_open() const { return !ends_.empty(); }
  [[nodiscard]] bool is_full() const { return ends_.size() >= kDepthMax; }
  [[nodiscard]] std::string const& text() const { return text_; }

  void begin(char begin, char end) {
    if (!is_open()) text_.clear();
    separate();
    text_ += begin;
    ends_ += end;
    is_first_ = true;
  }
  void end() {
    text_ += ends_.back();
    ends_.pop_back();
    is_first_ = false;
  }
  void key(std::string const& name) {
    add(Object(name));
    text_ += ':';
    is_first_ = true;
  }
  void add(Object const& value) {
    separate();
    text_ += value.dump(-1, ' ', false, Object::error_handler_t::replace);
  }

 private:
  void separate() {
    if (is_open() && !is_first_) text_ += ',';
    is_first_ = false;
  }

  std::string text_;
  std::string ends_;  // of the arrays and objects that are open
  bool is_first_{true};
};

// Sets the parameters from the parser's events. It builds no tree, and ends at the first value that is nested, but for
// that one parameter.
class ParametersReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ParametersReader(Message& into) : into_(&into) {}

  bool null() override {
    return nested_.is_open() ? nest(nullptr) : refuse("null is no value: leave the parameter out");
  }
  bool boolean(bool v) override { return nested_.is_open() ? nest(v) : value(Value::of_boolean(v)); }
  bool number_integer(number_integer_t v) override { return nested_.is_open() ? nest(v) : value(Value::of_integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    if (nested_.is_open()) return nest(v);
    return value(v > static_cast<number_unsigned_t>(INT64_MAX) ? Value::of_unsigned(v)
                                                               : Value::of_integer(static_cast<std::int64_t>(v)));
  }
  bool number_float(number_float_t v, string_t const& text) override {
    // The library makes a real of an integer that it cannot hold.
    if (text.find_first_of(".eE") == std::string::npos) return refuse("an integer beyond 64 bits");
    if (nested_.is_open()) return nest(v);
    return value(Value::of_real(v));
  }
  bool string(string_t& v) override {
    if (!is_inside_) return refuse("");
    if (nested_.is_open()) return nest(v);
    return value(Value::of_text(into_->arena().copy(v)));
  }
  bool binary(binary_t&) override { return refuse("binary is no part of JSON"); }
  bool key(string_t& name) override {
    if (nested_.is_open()) {
      nested_.key(name);
      return true;
    }
    name_ = into_->arena().copy(name);
    return !into_->has(name_) || refuse("it is given twice");
  }
  bool start_object(std::size_t) override {
    if (nested_.is_open()) return begin_nested('{', '}');
    if (is_inside_) return refuse("an object is no value of a parameter");
    is_inside_ = true;
    return true;
  }
  bool end_object() override { return !nested_.is_open() || end_nested(); }
  bool start_array(std::size_t) override {
    if (is_inside_ && (nested_.is_open() || name_ == kNested)) return begin_nested('[', ']');
    return refuse("an array is no value of a parameter");
  }
  bool end_array() override { return end_nested(); }

  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const&) override {
    status_ = {Code::invalid, std::string{text_name()} + " is no JSON: see its byte " + std::to_string(position)};
    return false;
  }

  [[nodiscard]] Status take_status() { return std::move(status_); }

 protected:
  [[nodiscard]] virtual std::string_view text_name() const { return "the body"; }
  [[nodiscard]] virtual std::string_view what() const {
    return "the body is no JSON object with the command's parameters";
  }
  bool refuse(std::string_view why) {
    if (!is_inside_)
      status_ = {Code::invalid, std::string{what()}};
    else
      status_ = Status{Code::invalid, "parameter " + excerpt(name_) + ": " + std::string{why}};
    return false;
  }
  bool value(Value const& v) {
    if (!is_inside_) return refuse("");
    return set_parameter(*into_, name_, v, status_);
  }
  bool nest(Object const& v) {
    nested_.add(v);
    return true;
  }
  bool begin_nested(char begin, char end) {
    if (nested_.is_full()) return refuse("it is nested too deep");
    nested_.begin(begin, end);
    return true;
  }
  bool end_nested() {
    nested_.end();
    return nested_.is_open() || value(Value::of_text(into_->arena().copy(nested_.text())));
  }

  Message* into_;
  Status status_;
  bool is_inside_{false};  // of the object with the parameters
  std::string_view name_;
  NestedText nested_;
};

// Several of them, in an array, with their commands.
class CommandsReader final : public ParametersReader {
 public:
  CommandsReader(std::size_t most, std::vector<Message>& into)
      : ParametersReader(none_), most_(most), messages_(into) {}

  bool string(string_t& v) override {
    if (!is_inside_ || name_ != "command") return ParametersReader::string(v);
    into_->command = into_->arena().copy(v);
    return true;
  }
  bool start_object(std::size_t size) override {
    if (!is_begun_) return refuse("");
    if (is_inside_) return ParametersReader::start_object(size);
    if (messages_.size() == most_) {
      status_ = {Code::over_limit, "a transaction has at most " + std::to_string(most_) + " commands"};
      return false;
    }
    into_ = &messages_.emplace_back();
    is_inside_ = true;
    return true;
  }
  bool end_object() override {
    is_inside_ = false;
    return !into_->command.empty() || refuse("");
  }
  bool start_array(std::size_t size) override {
    if (is_begun_) return refuse("an array is no value of a parameter");
    static_cast<void>(size);
    is_begun_ = true;
    return true;
  }
  bool end_array() override { return true; }

 protected:
  [[nodiscard]] std::string_view text_name() const override { return "commands"; }
  [[nodiscard]] std::string_view what() const override {
    return "commands is no JSON array of objects, each with its \"command\" and the parameters of that";
  }

 private:
  std::size_t most_;
  std::vector<Message>& messages_;
  Message none_;
  bool is_begun_{false};
};

Object body_value(Value const& value) {
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
  object[is_taken ? "parameter-" + std::string{param.name} : std::string{param.name}] = body_value(param.value);
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

Status parse_commands(std::string_view array, std::size_t most, std::vector<Message>& into) {
  into.clear();
  CommandsReader reader{most, into};
  if (!nlohmann::json::sax_parse(array.begin(), array.end(), &reader)) {
    Status status = reader.take_status();
    return into.empty() ? std::move(status) : std::move(status).with("op", std::to_string(into.size()));
  }
  return into.empty() ? Status{Code::bad_parameter, "commands is an empty array, expected a command"} : Status{};
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
