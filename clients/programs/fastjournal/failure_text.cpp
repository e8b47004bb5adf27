#include "clients/programs/fastjournal/failure_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace fastjournal::cli {

namespace {

constexpr std::string_view kCut = "...";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Replaces each byte that is not UTF-8 by '?', and removes control characters except line ends and tabs.
std::string readable(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t size = 1;
    while (static_cast<unsigned char>(bytes[at]) >= 0xC0 && size < 4 && at + size < bytes.size() &&
           is_continuation(bytes[at + size]))
      ++size;
    std::string_view const character = bytes.substr(at, size);
    auto const first = static_cast<unsigned char>(character.front());
    bool const steers = size == 1 && first != '\n' && first != '\t' && (first < 0x20 || first == 0x7F);
    bool const steers_too = size == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
    if (!is_utf8(character)) {
      out += '?';
      size = 1;
    } else if (!steers && !steers_too) {
      out += character;
    }
    at += size;
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  // Without a backslash at the end, which a text message cannot always carry.
  constexpr std::string_view kBlanks = " \t\n\\";
  std::size_t const begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  std::size_t const last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos || last < begin ? std::string_view{} : text.substr(begin, last + 1 - begin);
}

// From the beginning of a line, if most of the text remains.
std::string end_within(std::string_view said, std::size_t room) {
  if (said.size() <= room) return std::string{said};
  said = said.substr(said.size() - (room - kCut.size()));
  while (!said.empty() && is_continuation(said.front())) said.remove_prefix(1);
  std::size_t const line_end = said.find('\n');
  if (line_end < said.size() / 2) said.remove_prefix(line_end + 1);
  return std::string{kCut}.append(said);
}

}  // namespace

void Tail::add(std::string_view bytes) {
  if (bytes.size() > kBytesMax) bytes.remove_prefix(bytes.size() - kBytesMax);
  if (kept_.size() + bytes.size() > kBytesMax) kept_.erase(0, kept_.size() + bytes.size() - kBytesMax);
  kept_ += bytes;
}

std::string failure_text(std::string_view command, std::string_view end, std::string_view standard_error) {
  constexpr std::size_t kCommandBytesMax = 200;
  std::string out = readable(command.substr(0, kCommandBytesMax));
  out.append(": ").append(end);
  std::string const all = readable(standard_error);
  std::string_view const said = trimmed(all);
  if (said.empty()) return out;
  out += ": ";
  return out + end_within(said, kErrorBytesMax - out.size());
}

std::string failure_end(std::string_view standard_error) {
  std::string const all = readable(standard_error);
  return end_within(trimmed(all), kErrorBytesMax);
}

std::string failure_trace(std::string_view standard_error, std::string_view error) {
  std::string const all = readable(standard_error);
  std::string_view const said = trimmed(all);
  return error.ends_with(said) ? std::string{} : end_within(said, kTraceBytesMax);
}

}  // namespace fastjournal::cli
