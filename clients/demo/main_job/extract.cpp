#include "clients/demo/main_job/extract.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "clients/demo/main_job/documents.h"

namespace fastjournal::main_job {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = from; at + word.size() <= text.size(); ++at)
    if (starts_with_word(text.substr(at), word)) return at;
  return std::string_view::npos;
}

void append_character(std::string& out, char32_t code) {
  char bytes[4];
  out.append(bytes, store_utf8(code, bytes));
}

struct Entity {
  std::uint32_t code;
  std::size_t length;  // including & and ;
};

std::optional<Entity> entity_at(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 8> kNamed{{{"&lt;", '<'},
                                                                                     {"&gt;", '>'},
                                                                                     {"&amp;", '&'},
                                                                                     {"&quot;", '"'},
                                                                                     {"&apos;", '\''},
                                                                                     {"&nbsp;", ' '},
                                                                                     {"&copy;", 0xa9},
                                                                                     {"&mdash;", 0x2014}}};
  for (auto const& [name, code] : kNamed)
    if (text.starts_with(name)) return Entity{code, name.size()};
  if (!text.starts_with("&#")) return std::nullopt;
  bool const hex = text.size() > 2 && lower(text[2]) == 'x';
  char const* const begin = text.data() + (hex ? 3 : 2);
  char const* const end = text.data() + text.size();
  if (begin >= end) return std::nullopt;
  std::uint32_t code = 0;
  auto const [stop, error] = std::from_chars(begin, end, code, hex ? 16 : 10);
  bool const character = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (error != std::errc{} || stop == end || *stop != ';' || !character) return std::nullopt;
  return Entity{code, static_cast<std::size_t>(stop - text.data()) + 1};
}

// The end of the markup whose '<' is at `at`.
std::size_t end_of_markup(std::string_view html, std::size_t at) {
  std::string_view const rest = html.substr(at);
  std::string_view closing = ">";
  if (rest.starts_with("<!--")) closing = "-->";
  if (starts_with_word(rest, "<script")) closing = "</script>";
  if (starts_with_word(rest, "<style")) closing = "</style>";
  std::size_t const end = find_word(html, closing, at + 1);
  return end == std::string_view::npos ? html.size() : end + closing.size();
}

bool opens_markup(std::string_view rest) {
  return rest.size() > 1 && (is_letter(rest[1]) || rest[1] == '/' || rest[1] == '!' || rest[1] == '?');
}

std::string_view trimmed(std::string_view line) {
  auto const frames = [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !(c >= '0' && c <= '9') && c != '(' && c != ')';
  };
  while (!line.empty() && frames(line.front())) line.remove_prefix(1);
  while (!line.empty() && frames(line.back())) line.remove_suffix(1);
  return line;
}

bool has_word(std::string_view line) {
  int run = 0;
  for (char const c : line) {
    run = is_letter(c) || static_cast<unsigned char>(c) >= 0x80 ? run + 1 : 0;
    if (run == 3) return true;
  }
  return false;
}

std::string cut_between_characters(std::string_view line, std::size_t bytes_max) {
  if (line.size() <= bytes_max) return std::string{line};
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;
  return std::string{line.substr(0, end)};
}

}  // namespace

std::string clean_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    std::string_view const before = bytes;
    std::optional<char32_t> const character = take_character(bytes);
    if (!character) {
      append_character(out, static_cast<unsigned char>(before.front()));  // as of Latin-1
      bytes.remove_prefix(1);
    } else if ((*character < 0x20 && *character != '\n' && *character != '\t') || *character == 0x7f) {
      out += ' ';
    } else {
      out.append(before.substr(0, before.size() - bytes.size()));
    }
  }
  return out;
}

std::string without_markup(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<' && opens_markup(html.substr(at))) {
      at = end_of_markup(html, at);
      out += ' ';
    } else if (auto const entity = html[at] == '&' ? entity_at(html.substr(at)) : std::nullopt) {
      append_character(out, entity->code);
      at += entity->length;
    } else {
      out += html[at++];
    }
  }
  return out;
}

std::string html_title(std::string_view html) {
  // Titles are near the beginning; the rest of a page without one is not searched.
  std::string_view const head = html.substr(0, 8192);
  std::size_t const open = find_word(head, "<title", 0);
  if (open == std::string_view::npos) return {};
  std::size_t const begin = head.find('>', open);
  std::size_t const end = find_word(head, "</title", open);
  if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) return {};
  std::string text = without_markup(head.substr(begin + 1, end - begin - 1));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return first_title(text);
}

std::string first_title(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, 4 * kTitleBytesMax);
    for (std::string_view const word : {"=head1", "=head2", "=pod", "=encoding"})
      if (line.starts_with(word)) line.remove_prefix(word.size());
    line = trimmed(line);
    if (has_word(line)) return cut_between_characters(line, kTitleBytesMax);
  }
  return {};
}

}  // namespace fastjournal::main_job
