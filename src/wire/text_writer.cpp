// append_line: writes as the eventdispatcher library does, plus the final ";",
// without which a reader trims the last value's trailing blanks away.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "base/base64.h"
#include "wire/parts.h"
#include "wire/text.h"

namespace fastjournal::wire {

namespace {

// What a value asks for, found in one pass.
struct Needs {
  bool escapes{false};
  bool quotes{false};
  bool unwritable{false};
};

// True if one of the eight bytes may be a backslash, a semicolon or below 16. False is certain.
bool may_need_care(std::uint64_t eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHighs = 0x8080808080808080ULL;
  auto const has_zero = [](std::uint64_t v) { return (v - kOnes) & ~v & kHighs; };
  std::uint64_t const low = (eight - kOnes * 16) & ~eight & kHighs;
  return (has_zero(eight ^ (kOnes * '\\')) | has_zero(eight ^ (kOnes * ';')) | low) != 0;
}

Needs needs_of(std::string_view value) {
  Needs needs;
  needs.quotes = !value.empty() && value.front() == '"';
  std::size_t at = 0;
  for (; at + 8 <= value.size(); at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, value.data() + at, 8);
    if (may_need_care(eight)) break;
  }
  for (; at < value.size(); ++at) {
    char const c = value[at];
    if (c == ';') needs.quotes = true;
    if (is(c, kEscaped)) needs.escapes = true;
    if (is(c, kUnwritable)) needs.unwritable = true;
  }
  return needs;
}

void append_escaped(std::string_view value, bool quoted, std::string& out) {
  for (char const c : value) {
    switch (c) {
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '"':
        if (quoted) out += '\\';
        out += c;
        break;
      default: out += c;
    }
  }
}

template <typename T>
void append_number(T value, std::string& out) {
  char digits[32];
  auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

// False, with the reason in `status`, for what cannot be written. Not a returned Status: this is once for
// each parameter, and moving one costs more than most values.
bool append_text(std::string_view name, std::string_view value, std::string& out, Status& status) {
  Needs const needs = needs_of(value);
  if (needs.unwritable) {
    status = {Code::invalid, "the value of " + std::string{name} +
                                 " holds a NUL, which ends a text message; send it as binary or as msgpack"};
    return false;
  }
  if (!needs.escapes && !needs.quotes) {
    out.append(value);
    return true;
  }
  if (needs.quotes && value.back() == '\\') {
    status = {Code::invalid,
              "the value of " + std::string{name} +
                  " needs quotes and ends in a backslash, which no reader of text can tell from an escaped quote; "
                  "send it as binary or as msgpack"};
    return false;
  }
  if (needs.quotes) out += '"';
  append_escaped(value, needs.quotes, out);
  if (needs.quotes) out += '"';
  return true;
}

bool append_value(Param const& param, std::string& out, Status& status) {
  Value const& value = param.value;
  switch (value.kind) {
    case Value::Kind::text: return append_text(param.name, value.bytes, out, status);
    case Value::Kind::binary: append_base64(value.bytes, out); break;
    case Value::Kind::integer: append_number(value.integer, out); break;
    case Value::Kind::unsigned_integer: append_number(value.unsigned_integer, out); break;
    case Value::Kind::real: append_number(value.real, out); break;
    case Value::Kind::boolean: out += value.boolean ? '1' : '0'; break;
  }
  return true;
}

using Order = std::array<std::uint16_t, Message::kParamsMax>;

// The order of the names, which are not empty. Few and often sorted already: insertion beats anything clever.
void sort_by_name(std::span<Param const> params, Order& order) {
  constexpr std::size_t kFew = 32;
  auto const less = [&params](std::uint16_t a, std::uint16_t b) {
    std::string_view const x = params[a].name;
    std::string_view const y = params[b].name;
    return x.front() != y.front() ? x.front() < y.front() : x < y;  // most differ in their first byte
  };
  auto const count = static_cast<std::uint16_t>(params.size());
  for (std::uint16_t i = 0; i < count; ++i) order[i] = i;
  if (count > kFew) return std::sort(order.begin(), order.begin() + count, less);
  for (std::size_t i = 1; i < count; ++i) {
    std::uint16_t const moved = order[i];
    std::size_t place = i;
    for (; place > 0 && less(moved, order[place - 1]); --place) order[place] = order[place - 1];
    order[place] = moved;
  }
}

Status append_params(std::span<Param const> params, std::string& out) {
  if (params.empty()) return {};
  if (params.size() > Message::kParamsMax) return too_many_parameters();
  for (Param const& param : params)
    if (!is_parameter_name(param.name))
      return {Code::invalid, excerpt(param.name) + " is no parameter name a reader accepts"};
  Order order;  // only the first params.size() are written and read
  sort_by_name(params, order);
  std::string_view former;
  Status status;
  char before = ' ';
  for (std::size_t i = 0; i < params.size(); ++i) {
    Param const& param = params[order[i]];
    if (param.name == former) return {Code::invalid, "the parameter " + excerpt(param.name) + " is there twice"};
    former = param.name;
    out += before;
    out.append(param.name);
    out += '=';
    if (!append_value(param, out, status)) return status;
    before = ';';
  }
  out += ';';
  return status;
}

// Sender, receiver and command.
Status append_head(Outgoing const& message, std::string& out) {
  bool const has_sender = !message.from_server.empty() || !message.from_service.empty();
  if (has_any(message.from_server, kHeadEnd) || has_any(message.from_service, kHeadEnd))
    return {Code::invalid, "the sender's server or service holds a blank, ':' or a NUL"};
  bool const has_server = !message.service.empty() && !message.server.empty();  // it is not written alone
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
  Status status = append_head(message, out);
  if (status.ok()) status = append_params(message.params, out);
  if (status.ok())
    out += '\n';
  else
    out.resize(before);
  return status;
}

}  // namespace fastjournal::wire
