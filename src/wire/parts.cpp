#include "wire/parts.h"

#include <cstring>

namespace fastjournal::protocol {

namespace {

constexpr std::size_t kExcerptBytesMax = 40;

char unescaped(char c, bool quoted) {
  switch (c) {
    case '\\': return '\\';
    case 'n': return '\n';
    case 'r': return '\r';
    case '"': return quoted ? '"' : '\0';
    default: return '\0';
  }
}

Status bad_part(std::string_view what, std::string_view part) {
  return {Code::invalid, std::string{what} + " " + excerpt(part) + " holds a blank, ':', '/' or a NUL"};
}

}  // namespace

std::string excerpt(std::string_view bytes) {
  std::string out = "\"";
  for (char const c : bytes.substr(0, kExcerptBytesMax)) out += c >= ' ' && c <= '~' ? c : '?';
  out += bytes.size() > kExcerptBytesMax ? "...\"" : "\"";
  return out;
}

Status too_many_parameters() {
  return {Code::too_large, "more than " + std::to_string(Message::kParamsMax) + " parameters"};
}

bool set_parameter(Message& message, std::string_view name, Value const& value, Status& status) {
  if (!is_parameter_name(name)) {
    status = {Code::invalid,
              "a parameter's name is letters, digits and '_' and begins with no digit; this is " + excerpt(name)};
    return false;
  }
  if (!has_room_for(message, name)) {
    status = too_many_parameters();
    return false;
  }
  message.set(name, value);
  return true;
}

Status check_head(Message const& message) {
  if (message.command.empty()) return {Code::invalid, "there is no command"};
  if (has_any(message.from_server, kHeadEnd)) return bad_part("the sender's server", message.from_server);
  if (has_any(message.from_service, kHeadEnd)) return bad_part("the sender's service", message.from_service);
  if (has_any(message.server, kHeadEnd | kSlash)) return bad_part("the server", message.server);
  if (has_any(message.service, kHeadEnd | kSlash)) return bad_part("the service", message.service);
  if (has_any(message.command, kHeadEnd | kSlash)) return bad_part("the command", message.command);
  return {};
}

std::string_view unescape(std::string_view value, bool quoted, Arena& arena) {
  if (value.empty()) return value;
  void const* first = std::memchr(value.data(), '\\', value.size());
  if (first == nullptr) return value;
  char* const out = arena.take(value.size());
  auto const plain = static_cast<std::size_t>(static_cast<char const*>(first) - value.data());
  std::memcpy(out, value.data(), plain);
  char* to = out + plain;
  for (std::size_t at = plain; at < value.size(); ++at) {
    char const meant = value[at] == '\\' && at + 1 < value.size() ? unescaped(value[at + 1], quoted) : '\0';
    *to++ = meant != '\0' ? meant : value[at];
    if (meant != '\0') ++at;
  }
  return {out, static_cast<std::size_t>(to - out)};
}

}  // namespace fastjournal::protocol
