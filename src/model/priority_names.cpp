#include "model/priority_names.h"

#include <algorithm>
#include <charconv>

#include "model/value.h"

namespace fastjournal::model {
namespace {

char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_letter(char c) { return capital(c) >= 'A' && capital(c) <= 'Z'; }

bool is_word(std::string_view word) {
  return !word.empty() && word.size() <= PriorityNames::kWordBytesMax && is_letter(word[0]) &&
         std::ranges::all_of(word,
                             [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

bool are_equal(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return capital(x) == capital(y); });
}

// Calls for each WORD=NUMBER, as long as it returns true.
template <typename Each>
void each_pair(std::string_view rest, Each const& each) {
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    std::string_view const pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    std::size_t const mark = std::min(pair.find('='), pair.size());
    std::string_view const number = pair.substr(std::min(mark + 1, pair.size()));
    std::uint8_t priority = 0;
    auto const [stopped, error] = std::from_chars(number.data(), number.data() + number.size(), priority);
    bool const is_whole = error == std::errc{} && stopped == number.data() + number.size() && !number.empty();
    if (!each(pair.substr(0, mark), is_whole ? std::optional{priority} : std::nullopt)) return;
  }
}

}  // namespace

Status PriorityNames::check(std::string_view text) {
  Status out;
  PriorityNames before;
  std::string known;
  each_pair(text, [&](std::string_view word, std::optional<std::uint8_t> priority) {
    if (!is_word(word) || !priority)
      out = {Code::bad_parameter, "found " + shown(word) +
                                      ", expected WORD=NUMBER between blanks, as NOW=0: numbers of "
                                      "0 to 255, words of letters, digits, _ and -, a letter first"};
    else if (before.take(known); !known.empty() && before.find(word))
      out = {Code::bad_parameter, "found " + shown(word) + " twice, expected each word once"};
    known += std::string{word} + "=0 ";
    return out.ok();
  });
  return out;
}

std::optional<std::uint8_t> PriorityNames::find(std::string_view word) const {
  std::optional<std::uint8_t> out;
  each_pair(text(), [&](std::string_view known, std::optional<std::uint8_t> priority) {
    if (are_equal(known, word)) out = priority;
    return !out;
  });
  return out;
}

std::optional<std::uint8_t> named_priority(Param const& param, PriorityNames const& names, Status& why) {
  std::optional<std::uint8_t> const found = names.find(param.value.bytes);
  if (found || !why.ok()) return found;
  std::string words;
  each_pair(names.text(), [&](std::string_view word, std::optional<std::uint8_t> priority) {
    words += (words.empty() ? "" : ", ") + std::string{word} + " (" + std::to_string(priority.value_or(0)) + ")";
    return true;
  });
  why = refused(Code::bad_parameter, param.name,
                std::string{param.name} + " is " + shown(param.value.bytes) +
                    ": expected a whole number from 0 to 255, or one of " + words);
  return std::nullopt;
}

}  // namespace fastjournal::model
