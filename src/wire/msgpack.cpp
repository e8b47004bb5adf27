#include "wire/msgpack.h"

#include <bit>

#include <msgpack.hpp>

#include "base/check.h"
#include "wire/framer.h"
#include "wire/parts.h"

namespace fastjournal::protocol {

namespace {

// Builds one message from the parser's events. Strings are views into the body.
class MsgpackBuilder : public msgpack::null_visitor {
 public:
  explicit MsgpackBuilder(Message& into) : into_(into) {}

  bool visit_nil() { return ignored() || refuse("nil is no value of a message"); }
  bool visit_boolean(bool v) { return value(Value::of_boolean(v)); }
  bool visit_positive_integer(std::uint64_t v) {
    return value(v > static_cast<std::uint64_t>(INT64_MAX) ? Value::of_unsigned(v)
                                                           : Value::of_integer(static_cast<std::int64_t>(v)));
  }
  bool visit_negative_integer(std::int64_t v) { return value(Value::of_integer(v)); }
  bool visit_float32(float v) { return value(Value::of_real(static_cast<double>(v))); }
  bool visit_float64(double v) { return value(Value::of_real(v)); }
  bool visit_ext(char const*, std::uint32_t) {
    return ignored() || refuse("an extension type is no value of a message");
  }

  bool visit_str(char const* at, std::uint32_t size) {
    std::string_view const text{at, size};
    if (ignored_depth_ > 0) return true;
    if (in_key_) return take_key(text);
    if (place_ != Place::top || part_ == nullptr) return value(Value::of_verbatim(text));
    *part_ = text;
    return true;
  }
  bool visit_bin(char const* at, std::uint32_t size) { return value(Value::of_binary({at, size})); }

  bool start_map(std::uint32_t) {
    if (in_key_ && ignored_depth_ == 0) return refuse("a key must be a string");
    if (ignored()) return deeper();
    if (place_ == Place::parameters || (place_ == Place::top && !at_parameters_))
      return refuse("a map is no value of a message");
    place_ = place_ == Place::outside ? Place::top : Place::parameters;
    return true;
  }
  bool end_map() {
    if (ignored_depth_ > 0) return shallower();
    if (place_ == Place::parameters) at_parameters_ = false;
    place_ = place_ == Place::parameters ? Place::top : Place::outside;
    return true;
  }
  bool start_array(std::uint32_t) {
    if (in_key_ && ignored_depth_ == 0) return refuse("a key must be a string");
    return ignored() ? deeper() : refuse("an array is no value of a message");
  }
  bool end_array() { return shallower(); }

  bool start_map_key() {
    if (ignored_depth_ == 0) in_key_ = true;
    return true;
  }
  bool end_map_key() {
    in_key_ = false;
    return true;
  }

  void parse_error(std::size_t, std::size_t) { refuse("a byte that msgpack does not use"); }
  void insufficient_bytes(std::size_t, std::size_t) { refuse("it ends in the middle of a value"); }

  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  enum class Place : std::uint8_t { outside, top, parameters };
  static constexpr unsigned kDepthMax = 16;

  bool refuse(std::string_view why) {
    status_ = {Code::invalid, std::string{why}};
    if (place_ == Place::parameters && !in_key_)
      status_ = {Code::invalid, "parameter " + excerpt(name_) + ": " + std::string{why}};
    return false;
  }

  bool take_key(std::string_view key) {
    if (place_ == Place::parameters) {
      name_ = key;
      return true;
    }
    part_ = part_of(key);
    at_parameters_ = key == "parameters";
    return true;
  }

  std::string_view* part_of(std::string_view key) {
    if (key == "command") return &into_.command;
    if (key == "service") return &into_.service;
    if (key == "server") return &into_.server;
    if (key == "sent-from-service") return &into_.from_service;
    if (key == "sent-from-server") return &into_.from_server;
    return nullptr;
  }

  // The value, or its contents, of a key that messages do not have.
  [[nodiscard]] bool ignored() const {
    return ignored_depth_ > 0 || (place_ == Place::top && !in_key_ && part_ == nullptr && !at_parameters_);
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
    if (in_key_) return refuse("a key must be a string");
    if (place_ != Place::parameters)
      return refuse(place_ == Place::outside ? "a message is a map"
                                             : "\"parameters\" must be a map, the other values strings");
    return set_parameter(into_, name_, v, status_);
  }

  Message& into_;
  Status status_;
  Place place_{Place::outside};
  bool in_key_{false};
  bool at_parameters_{false};        // the value being read is that of "parameters"
  std::string_view* part_{nullptr};  // the value being read, if it is a string of the head
  std::string_view name_;            // the parameter being read
  unsigned ignored_depth_{0};
};

// What parse_answer_head looks for.
class HeadReader : public msgpack::null_visitor {
 public:
  explicit HeadReader(AnswerHead& into) : into_(into) {}

  bool visit_positive_integer(std::uint64_t v) {
    if (depth_ == 2 && at_parameters_ && at_request_ && !in_key_) {
      into_.request = v;
      has_request_ = true;
    }
    return true;
  }
  bool visit_str(char const* at, std::uint32_t size) {
    std::string_view const text{at, size};
    if (in_key_) {
      at_request_ = depth_ == 2 && text == "request";
      if (depth_ != 1) return true;
      at_command_ = text == "command";
      at_parameters_ = text == "parameters";
    } else if (depth_ == 1 && at_command_) {
      into_.command = text;
    }
    return true;
  }
  bool start_map(std::uint32_t) { return ++depth_ <= 2 && !in_key_; }
  bool end_map() {
    --depth_;
    return true;
  }
  bool start_array(std::uint32_t) { return false; }
  bool start_map_key() { return in_key_ = true; }
  bool end_map_key() {
    in_key_ = false;
    return true;
  }
  void parse_error(std::size_t, std::size_t) {}
  void insufficient_bytes(std::size_t, std::size_t) {}
  [[nodiscard]] bool has_request() const { return has_request_; }

 private:
  AnswerHead& into_;
  unsigned depth_{0};
  bool in_key_{false};
  bool at_request_{false};
  bool at_command_{false};
  bool at_parameters_{false};
  bool has_request_{false};
};

// The output of msgpack::packer.
struct Sink {
  std::string& out;
  void write(char const* bytes, std::size_t size) { out.append(bytes, size); }
};

void append_big(std::uint64_t value, std::size_t bytes, std::string& out) {
  for (std::size_t i = bytes; i > 0; --i) out += static_cast<char>(value >> (8 * (i - 1)) & 0xFFU);
}

class Writer {
 public:
  explicit Writer(std::string& out) : sink_{out}, packer_(sink_) {}

  void map(std::size_t entries) { packer_.pack_map(static_cast<std::uint32_t>(entries)); }

  void text(std::string_view bytes) {
    packer_.pack_str(length_of(bytes));
    packer_.pack_str_body(bytes.data(), length_of(bytes));
  }

  void value(Value const& value) {
    switch (value.kind) {
      case Value::Kind::text: return text(value.bytes);
      case Value::Kind::binary: return binary(value.bytes);
      case Value::Kind::integer: packer_.pack_int64(value.integer); return;
      case Value::Kind::unsigned_integer: packer_.pack_uint64(value.unsigned_integer); return;
      case Value::Kind::real: return real(value.real);
      case Value::Kind::boolean: value.boolean ? packer_.pack_true() : packer_.pack_false(); return;
    }
  }

 private:
  static std::uint32_t length_of(std::string_view bytes) {
    FJ_CHECK(bytes.size() <= UINT32_MAX, "a value of a message is below 4 GiB");
    return static_cast<std::uint32_t>(bytes.size());
  }

  void binary(std::string_view bytes) {
    packer_.pack_bin(length_of(bytes));
    packer_.pack_bin_body(bytes.data(), length_of(bytes));
  }

  // The packer would encode 5.0 as an integer; a real must stay one.
  void real(double v) {
    sink_.out += '\xcb';
    append_big(std::bit_cast<std::uint64_t>(v), sizeof v, sink_.out);
  }

  Sink sink_;
  msgpack::packer<Sink> packer_;
};

void write_body(Outgoing const& message, Writer& writer) {
  struct Part {
    std::string_view key;
    std::string_view text;
  };
  Part const head[] = {{"sent-from-server", message.from_server},
                       {"sent-from-service", message.from_service},
                       {"server", message.server},
                       {"service", message.service},
                       {"command", message.command}};
  std::size_t entries = message.params.empty() ? 0 : 1;
  for (Part const& part : head) entries += part.text.empty() ? 0 : 1;
  writer.map(entries);
  for (Part const& part : head) {
    if (part.text.empty()) continue;
    writer.text(part.key);
    writer.text(part.text);
  }
  if (message.params.empty()) return;
  writer.text("parameters");
  writer.map(message.params.size());
  for (Param const& param : message.params) {
    writer.text(param.name);
    writer.value(param.value);
  }
}

// The length, once the body is there.
void finish_frame(std::size_t begin, std::string& out) {
  std::size_t const length = out.size() - begin - kFrameHeaderBytes;
  FJ_CHECK(length <= UINT32_MAX, "a frame's body is below 4 GiB");
  for (std::size_t i = 0; i < 4; ++i) out[begin + 4 + i] = static_cast<char>(length >> (24 - 8 * i) & 0xFFU);
}

}  // namespace

Status parse_frame(std::string_view body, Message& into) {
  into.clear();
  MsgpackBuilder builder{into};
  std::size_t offset = 0;
  bool const whole = msgpack::parse(body.data(), body.size(), offset, builder);
  if (Status status = builder.take_status(); !status.ok() || !whole)
    return {status.ok() ? Code::invalid : status.code(),
            "in the frame's body, at byte " + std::to_string(offset) + ": " + status.message()};
  if (offset != body.size())
    return {Code::invalid, std::to_string(body.size() - offset) +
                               " bytes follow the message in the frame's body, at byte " + std::to_string(offset)};
  return check_head(into);
}

void append_frame(Outgoing const& message, std::string& out) {
  std::size_t const begin = out.size();
  out.append(kFrameMagic);
  append_big(0, 4, out);
  Writer writer{out};
  write_body(message, writer);
  finish_frame(begin, out);
}

bool append_frame_with(std::string_view body, std::span<Param const> more, std::string& out) {
  // A map of two: the command, and the parameters, whose number follows.
  constexpr std::string_view kCommand{
      "\x82\xa7"
      "command"};
  constexpr std::string_view kParameters{
      "\xaa"
      "parameters"};
  if (!body.starts_with(kCommand) || body.size() < kCommand.size() + 1) return false;
  auto const size_byte = static_cast<unsigned char>(body[kCommand.size()]);
  if ((size_byte & 0xE0U) != 0xA0U) return false;  // a text of at most 31 bytes
  std::size_t at = kCommand.size() + 1 + (size_byte & 0x1FU);
  if (at > body.size() || !body.substr(at).starts_with(kParameters)) return false;
  at += kParameters.size();
  std::string_view const rest = body.substr(at);
  if (rest.empty()) return false;
  auto const first = static_cast<unsigned char>(rest.front());
  std::size_t count = 0;
  std::size_t header = 1;
  if ((first & 0xF0U) == 0x80U) {
    count = first & 0x0FU;
  } else if (first == 0xDEU && rest.size() >= 3) {
    count = static_cast<std::size_t>(static_cast<unsigned char>(rest[1])) << 8U | static_cast<unsigned char>(rest[2]);
    header = 3;
  } else {
    return false;
  }
  if (count + more.size() > Message::kParamsMax) return false;
  std::size_t const begin = out.size();
  out.append(kFrameMagic);
  append_big(0, 4, out);
  out.append(body.substr(0, at));
  Writer writer{out};
  writer.map(count + more.size());
  out.append(rest.substr(header));
  for (Param const& param : more) {
    writer.text(param.name);
    writer.value(param.value);
  }
  finish_frame(begin, out);
  return true;
}

bool parse_answer_head(std::string_view body, AnswerHead& into) {
  HeadReader reader{into};
  std::size_t offset = 0;
  return msgpack::parse(body.data(), body.size(), offset, reader) && offset == body.size() && reader.has_request();
}

}  // namespace fastjournal::protocol
