#include "wire/first_line.h"

#include <algorithm>
#include <string>

#include "base/greeting.h"
#include "fastjournal/limits.h"
#include "wire/parts.h"

namespace fastjournal::protocol {
namespace {

bool is_version_digit(char c) { return c >= '0' && c <= '9'; }

// Ends in " HTTP/1.1", with any digits.
bool is_http_request(std::string_view line) {
  constexpr std::string_view kVersion{" HTTP/"};
  while (!line.empty() && is(line.back(), kBlank)) line.remove_suffix(1);
  if (line.size() < kVersion.size() + 3) return false;
  std::string_view const number = line.substr(line.size() - 3);
  return line.substr(0, line.size() - 3).ends_with(kVersion) && is_version_digit(number[0]) && number[1] == '.' &&
         is_version_digit(number[2]);
}

bool is_printable(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Status check_first_line(std::string_view line, Message const& message) {
  if (is_http_request(line)) return {Code::invalid, "this is a request of HTTP, which is not spoken here"};
  if (!std::all_of(message.command.begin(), message.command.end(), is_printable))
    return {Code::invalid, "the command has bytes that no command has: is this TLS, which is not spoken here?"};
  if (message.command.size() > kCommandBytesMax)
    return {Code::invalid, "the command's name has " + std::to_string(message.command.size()) +
                               " bytes, and no command has more than " + std::to_string(kCommandBytesMax)};
  return {};
}

Status check_first_bytes(std::string_view unread) {
  constexpr std::string_view kFjFrame{"FJ\0", 3};
  Greeting const came = greeting_of(unread);
  if (came == Greeting::tls || came == Greeting::http || came == Greeting::blob || came == Greeting::stomp)
    return {Code::invalid, wrong_port("messages of text, JSON and msgpack", came)};
  if (!unread.starts_with(kFjFrame)) return {};
  return {Code::invalid,
          "these are frames of the FJ protocol, which is not spoken here: a table of key/value pairs has a listener of "
          "its own for them (<listen protocol=\"fj\">)"};
}

}  // namespace fastjournal::protocol
