// append_line: writes like the eventdispatcher library, plus the final ";", without which a reader trims trailing
// blanks of the last value. A line is measured first, then written into memory of that size: writing the answer was
// half the cost of a NEXT.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "base/base64.h"
#include "base/blocks.h"
#include "base/bytes.h"
#include "wire/parts.h"
#include "wire/text.h"

namespace fastjournal::protocol {

namespace {

// The requirements of one text. Without initialisers, as Parameters has room for many.
struct Needs {
  std::size_t more;  // bytes, beyond the text's own: quotes and escapes
  bool quotes;
  bool unwritable;
};

// NUL, LF and CR are below 16. An unmarked text needs neither quotes nor escapes.
Block suspects(Block block) { return Block((block == '\\') | (block == ';') | (block < 16)); }

Needs needs_of(std::string_view value) {
  Needs needs{0, value.starts_with('"'), false};
  if (!needs.quotes && !any_marked(value, suspects)) return needs;
  std::size_t inner_quotes = 0;
  for (char const c : value) {
    if (c == ';') needs.quotes = true;
    if (c == '"') ++inner_quotes;
    if (is(c, kEscaped)) ++needs.more;
    if (is(c, kUnwritable)) needs.unwritable = true;
  }
  if (needs.quotes) needs.more += inner_quotes + 2;
  return needs;
}

// ---------------------------------------------------------------------------
// Into memory of sufficient size; each returns the end of its output.

char* put(std::string_view bytes, char* to) {
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

// Names are short: two halves, which may overlap, instead of a call.
char* put_name(std::string_view name, char* to) {
  std::size_t const size = name.size();
  if (size > 16 || size < 4) return put(name, to);
  if (size >= 8) {
    store_little(to, load_little<std::uint64_t>(name.data()));
    store_little(to + size - 8, load_little<std::uint64_t>(name.data() + size - 8));
  } else {
    store_little(to, load_little<std::uint32_t>(name.data()));
    store_little(to + size - 4, load_little<std::uint32_t>(name.data() + size - 4));
  }
  return to + size;
}

char* put_escaped(std::string_view value, bool quoted, char* to) {
  for (char const c : value) {
    switch (c) {
      case '\\': to = put("\\\\", to); break;
      case '\n': to = put("\\n", to); break;
      case '\r': to = put("\\r", to); break;
      case '"':
        if (quoted) *to++ = '\\';
        *to++ = c;
        break;
      default: *to++ = c;
    }
  }
  return to;
}

// The longest number is a double's 24 bytes.
constexpr std::size_t kNumberBytesMax = 24;

template <typename T>
char* put_number(T value, char* to) {
  return std::to_chars(to, to + kNumberBytesMax, value).ptr;
}

// ---------------------------------------------------------------------------
// Parameters

// The name's first seven bytes in sortable form, and its index in the params.
static_assert(Message::kParamsMax == 256, "a place is one byte");
std::size_t place_of(std::uint64_t key) { return key & 0xFFU; }

std::uint64_t key_of(std::string_view name, std::size_t place) {
  std::uint64_t head = 0;
  std::size_t const size = name.size();
  if (size >= 8) {
    head = __builtin_bswap64(load_little<std::uint64_t>(name.data()));
  } else if (size >= 4) {
    // The two halves may overlap; the common bytes agree.
    std::uint64_t const last = __builtin_bswap32(load_little<std::uint32_t>(name.data() + size - 4));
    head = std::uint64_t{__builtin_bswap32(load_little<std::uint32_t>(name.data()))} << 32U | last << (64 - 8 * size);
  } else {
    for (std::size_t i = 0; i < size; ++i)
      head |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << (56 - 8 * i);
  }
  return (head & ~std::uint64_t{0xFF}) | place;
}

// One message written into a string: measured first, so that the string grows once.
class Parameters {
 public:
  explicit Parameters(std::span<Param const> params) : params_(params) {}

  // Sets `bytes` to the maximum length of the parameters. Not ok: they cannot be written.
  Status look(std::size_t& bytes) {
    if (params_.size() > Message::kParamsMax) return too_many_parameters();
    for (std::size_t i = 0; i < params_.size(); ++i) {
      std::string_view const name = params_[i].name;
      if (!is_parameter_name(name)) return {Code::invalid, excerpt(name) + " is no parameter name a reader accepts"};
      keys_[i] = key_of(name, i);
    }
    sort();
    for (std::size_t i = 0; i < params_.size(); ++i) {
      Param const& param = at(i);
      if (i > 0 && param.name == at(i - 1).name)
        return {Code::invalid, "the parameter " + excerpt(param.name) + " is there twice"};
      Status status = look_at(param, needs_[i], bytes);
      if (!status.ok()) return status;
    }
    return {};
  }

  [[nodiscard]] char* write(char* to) const {
    char before = ' ';
    for (std::size_t i = 0; i < params_.size(); ++i) {
      Param const& param = at(i);
      *to++ = before;
      to = put_name(param.name, to);
      *to++ = '=';
      to = write_value(param.value, needs_[i], to);
      before = ';';
    }
    if (!params_.empty()) *to++ = ';';
    return to;
  }

 private:
  [[nodiscard]] Param const& at(std::size_t i) const { return params_[place_of(keys_[i])]; }

  // Names that agree in seven bytes are compared in full.
  [[nodiscard]] bool less(std::uint64_t a, std::uint64_t b) const {
    return (a ^ b) > 0xFF ? a < b : params_[place_of(a)].name < params_[place_of(b)].name;
  }

  // Few and often already sorted: an insertion sort is fastest.
  void sort() {
    constexpr std::size_t kFew = 32;
    if (params_.size() > kFew) {
      std::sort(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(params_.size()),
                [this](std::uint64_t a, std::uint64_t b) { return less(a, b); });
      return;
    }
    for (std::size_t i = 1; i < params_.size(); ++i) {
      std::uint64_t const moved = keys_[i];
      std::size_t place = i;
      for (; place > 0 && less(moved, keys_[place - 1]); --place) keys_[place] = keys_[place - 1];
      keys_[place] = moved;
    }
  }

  static Status look_at(Param const& param, Needs& needs, std::size_t& bytes) {
    Value const& value = param.value;
    bytes += param.name.size() + 3;
    if (value.kind == Value::Kind::binary) {
      bytes += (value.bytes.size() + 2) / 3 * 4;
    } else if (value.kind == Value::Kind::text) {
      needs = needs_of(value.bytes);
      bytes += value.bytes.size() + needs.more;
      if (needs.unwritable)
        return {Code::invalid, "the value of " + std::string{param.name} +
                                   " holds a NUL, which ends a text message; send it as binary or as msgpack"};
      if (needs.quotes && value.bytes.back() == '\\')
        return {Code::invalid,
                "the value of " + std::string{param.name} +
                    " needs quotes and ends in a backslash, which no reader of text can tell from an escaped quote; "
                    "send it as binary or as msgpack"};
    } else {
      bytes += kNumberBytesMax;
    }
    return {};
  }

  static char* write_value(Value const& value, Needs const& needs, char* to) {
    switch (value.kind) {
      case Value::Kind::text: return write_text(value.bytes, needs, to);
      case Value::Kind::binary: return put_base64(value.bytes, to);
      case Value::Kind::integer: return put_number(value.integer, to);
      case Value::Kind::unsigned_integer: return put_number(value.unsigned_integer, to);
      case Value::Kind::real: return put_number(value.real, to);
      case Value::Kind::boolean: *to++ = value.boolean ? '1' : '0'; return to;
    }
    return to;
  }
  static char* write_text(std::string_view value, Needs const& needs, char* to) {
    if (needs.more == 0) return put(value, to);
    if (needs.quotes) *to++ = '"';
    to = put_escaped(value, needs.quotes, to);
    if (needs.quotes) *to++ = '"';
    return to;
  }

  std::span<Param const> params_;
  // Without initialisers: only the elements for the message's parameters are written and read.
  std::array<std::uint64_t, Message::kParamsMax> keys_;
  std::array<Needs, Message::kParamsMax> needs_;  // of texts, in the order of the keys
};

// Sender, receiver and command.
Status append_head(Outgoing const& message, std::string& out) {
  bool const has_sender = !message.from_server.empty() || !message.from_service.empty();
  if (has_any(message.from_server, kHeadEnd) || has_any(message.from_service, kHeadEnd))
    return {Code::invalid, "the sender's server or service holds a blank, ':' or a NUL"};
  bool const has_server = !message.service.empty() && !message.server.empty();  // not written alone
  if (has_any(message.service, kHeadEnd | kSlash) || (has_server && has_any(message.server, kHeadEnd | kSlash)))
    return {Code::invalid, "the server or service holds a blank, ':', '/' or a NUL"};
  if (message.command.empty() || has_any(message.command, kHeadEnd | kSlash))
    return {Code::invalid, "the command " + excerpt(message.command) + " is empty or holds a blank, ':', '/' or a NUL"};
  if (has_sender) {
    out += '<';
    out.append(message.from_server);
    out += ':';
    out.append(message.from_service);
    out += ' ';
  }
  std::size_t const begin = out.size();
  if (has_server) out.append(message.server) += ':';
  if (!message.service.empty()) out.append(message.service) += '/';
  out.append(message.command);
  if (!has_sender && (is(out[begin], kBlank) || out[begin] == '<' || out[begin] == '{'))
    return {Code::invalid, "a line that begins with " + excerpt(std::string_view{out}.substr(begin, 1)) +
                               " is read as something else"};
  if (message.params.empty() && is(out.back(), kBlank))
    return {Code::invalid, "the command " + excerpt(message.command) + " ends in a blank, which a reader trims"};
  return {};
}

}  // namespace

Status append_line(Outgoing const& message, std::string& out) {
  std::size_t const before = out.size();
  Parameters parameters{message.params};
  std::size_t bytes = 2;  // the last ';' and LF
  Status status = append_head(message, out);
  if (status.ok()) status = parameters.look(bytes);
  if (!status.ok()) {
    out.resize(before);
    return status;
  }
  std::size_t const head_end = out.size();
  out.resize(head_end + bytes);
  char* to = parameters.write(out.data() + head_end);
  *to++ = '\n';
  out.resize(static_cast<std::size_t>(to - out.data()));
  return status;
}

std::optional<std::size_t> line_bytes(Value const& value) {
  if (value.kind == Value::Kind::binary) return (value.bytes.size() + 2) / 3 * 4;
  if (value.kind != Value::Kind::text) return kNumberBytesMax;
  Needs const needs = needs_of(value.bytes);
  if (needs.unwritable || (needs.quotes && value.bytes.back() == '\\')) return std::nullopt;
  return value.bytes.size() + needs.more;
}

}  // namespace fastjournal::protocol
