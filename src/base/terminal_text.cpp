#include "base/terminal_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"

namespace fastjournal {
namespace {

void append_escaped(unsigned char byte, std::string& out) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  switch (byte) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: out.append({'\\', 'x', kHexDigits[byte >> 4U], kHexDigits[byte & 0xFU]});
  }
}

std::string_view take_line(std::string_view& text) {
  std::string_view const line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace

bool steers_terminal(char32_t character) {
  return (character >= 0x80 && character < 0xA0) || character == 0x61C || character == 0x200E || character == 0x200F ||
         (character >= 0x2028 && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string_view const before = text;
    std::optional<char32_t> const character = take_character(text);
    if (!character) text.remove_prefix(1);
    if (!character || *character < 0x20 || *character == 0x7F)
      append_escaped(static_cast<unsigned char>(before.front()), out);
    else if (steers_terminal(*character))
      out += '?';
    else
      out += before.substr(0, before.size() - text.size());
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    std::size_t const end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_help(std::string_view text) {
  std::string out;
  std::string carried;  // the rest of the line before
  bool is_example = false;
  while (!text.empty()) {
    std::string line{take_line(text)};
    bool const is_text = !line.empty() && line.front() != ' ' && line != "Example:" && !line.ends_with("ptions:");
    // Each of these is a paragraph.
    bool const begins = line.starts_with("Usage:") || line.starts_with("Signals:") || line.starts_with("Exit status:");
    if (!carried.empty() && is_text && !begins) {
      line.insert(0, carried + ' ');
    } else if (!carried.empty()) {
      out += carried + '\n';
    }
    carried.clear();
    is_example = line == "Example:" || (is_example && line.starts_with(' '));
    std::size_t const name = std::min(line.find_first_not_of(' '), line.size());
    std::size_t const gap = name == 0 ? std::string::npos : line.find("  ", name);
    std::size_t const column = gap == std::string::npos ? name : line.find_first_not_of(' ', gap);
    std::size_t const indent = std::min(column, kHelpWidthMax / 2);
    bool was_broken = false;
    while (line.size() > kHelpWidthMax && !is_example) {
      std::size_t at = kHelpWidthMax;
      while (at > indent && line[at] != ' ' && line[at - 1] != ',') --at;
      if (at <= indent) break;
      was_broken = true;
      out.append(line, 0, at) += '\n';
      line = std::string(indent, ' ') + line.substr(line[at] == ' ' ? at + 1 : at);
    }
    if (is_text && was_broken)
      carried = std::move(line);
    else
      out += line + '\n';
  }
  if (!carried.empty()) out += carried + '\n';
  return out;
}

}  // namespace fastjournal
