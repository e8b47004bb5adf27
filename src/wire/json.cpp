#include "wire/json.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "wire/parts.h"

namespace fastjournal::protocol {

namespace {

// Builds one message from the parser's events. It never builds a tree, so no input can make it deep or large.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonBuilder(Message& into) : into_(into) {}

  // An empty value, as in the eventdispatcher library; in the head, an absent part.
  bool null() override { return place_ == Place::top || value(Value::of_text({})); }
  bool boolean(bool v) override { return value(Value::of_boolean(v)); }
  bool number_integer(number_integer_t v) override { return value(Value::of_integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    return value(v > static_cast<number_unsigned_t>(INT64_MAX) ? Value::of_unsigned(v)
                                                               : Value::of_integer(static_cast<std::int64_t>(v)));
  }
  bool number_float(number_float_t v, string_t const&) override { return value(Value::of_real(v)); }
  bool binary(binary_t&) override { return refuse("binary is no part of JSON"); }

  bool string(string_t& v) override {
    if (ignored()) return true;
    std::string_view const text = into_.arena().copy(v);
    if (place_ != Place::top || part_ == nullptr) return value(Value::of_text(unescape(text, false, into_.arena())));
    *part_ = text;
    return true;
  }

  bool key(string_t& name) override {
    if (ignored_depth_ > 0) return true;
    if (place_ == Place::parameters) {
      name_ = into_.arena().copy(name);
      return true;
    }
    part_ = part_of(name);
    at_parameters_ = name == "parameters";
    return true;
  }

  bool start_object(std::size_t) override {
    if (ignored_depth_ > 0 || (place_ == Place::top && part_ == nullptr && !at_parameters_)) return deeper();
    if (place_ == Place::parameters || (place_ == Place::top && !at_parameters_))
      return refuse("an object is no value of a message");
    place_ = place_ == Place::outside ? Place::top : Place::parameters;
    return true;
  }
  bool end_object() override {
    if (ignored_depth_ > 0) return shallower();
    if (place_ == Place::parameters) at_parameters_ = false;
    place_ = place_ == Place::parameters ? Place::top : Place::outside;
    return true;
  }
  bool start_array(std::size_t) override {
    if (ignored_depth_ > 0 || (place_ == Place::top && part_ == nullptr && !at_parameters_)) return deeper();
    return refuse("an array is no value of a message");
  }
  bool end_array() override { return shallower(); }

  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const& error) override {
    // what() begins with the library's error number; the sentence for people follows it.
    std::string_view what = error.what();
    if (auto const end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    status_ = {Code::invalid,
               "this is no JSON, at column " + std::to_string(position) + ": " + excerpt_of_reason(what)};
    return false;
  }

  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  enum class Place : std::uint8_t { outside, top, parameters };
  static constexpr unsigned kDepthMax = 16;

  // The library's sentences quote the input: unprintable characters are removed.
  static std::string excerpt_of_reason(std::string_view what) {
    std::string out{what.substr(0, 200)};
    for (char& c : out)
      if (c < ' ' || c > '~') c = '?';
    return out;
  }

  bool refuse(std::string_view why) {
    status_ = {Code::invalid, std::string{why}};
    if (place_ == Place::parameters) status_ = {Code::invalid, "parameter " + excerpt(name_) + ": " + std::string{why}};
    return false;
  }

  std::string_view* part_of(std::string_view name) {
    if (name == "command") return &into_.command;
    if (name == "service") return &into_.service;
    if (name == "server") return &into_.server;
    if (name == "sent-from-service") return &into_.from_service;
    if (name == "sent-from-server") return &into_.from_server;
    return nullptr;
  }

  // A scalar, or the contents, of a member that messages do not have.
  [[nodiscard]] bool ignored() const {
    return ignored_depth_ > 0 || (place_ == Place::top && part_ == nullptr && !at_parameters_);
  }
  bool deeper() {
    if (++ignored_depth_ > kDepthMax) return refuse("nested more than " + std::to_string(kDepthMax) + " deep");
    return true;
  }
  bool shallower() {
    --ignored_depth_;
    return true;
  }

  bool value(Value const& v) {
    if (ignored()) return true;
    if (place_ != Place::parameters) return refuse("\"parameters\" must be an object, the other members strings");
    return set_parameter(into_, name_, v, status_);
  }

  Message& into_;
  Status status_;
  Place place_{Place::outside};
  bool at_parameters_{false};        // the member being read is "parameters"
  std::string_view* part_{nullptr};  // the member being read, if it is a string of the head
  std::string_view name_;            // the parameter being read
  unsigned ignored_depth_{0};
};

std::string base64_of(std::string_view bytes) {
  std::string out;
  append_base64(bytes, out);
  return out;
}

nlohmann::ordered_json json_of(Value const& value) {
  switch (value.kind) {
    case Value::Kind::text: return std::string{value.bytes};
    case Value::Kind::binary: return base64_of(value.bytes);
    case Value::Kind::integer: return value.integer;
    case Value::Kind::unsigned_integer: return value.unsigned_integer;
    case Value::Kind::real: return value.real;
    case Value::Kind::boolean: return value.boolean;
  }
  return nullptr;
}

}  // namespace

Status parse_json(std::string_view line, Message& into) {
  into.clear();
  JsonBuilder builder{into};
  if (!nlohmann::json::sax_parse(line.begin(), line.end(), &builder)) return builder.take_status();
  return check_head(into);
}

void append_json(Outgoing const& message, std::string& out) {
  nlohmann::ordered_json object;
  auto const add = [&object](char const* key, std::string_view part) {
    if (!part.empty()) object[key] = std::string{part};
  };
  add("sent-from-server", message.from_server);
  add("sent-from-service", message.from_service);
  add("server", message.server);
  add("service", message.service);
  add("command", message.command);
  for (Param const& param : message.params) object["parameters"][std::string{param.name}] = json_of(param.value);
  out += object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  out += '\n';
}

}  // namespace fastjournal::protocol
