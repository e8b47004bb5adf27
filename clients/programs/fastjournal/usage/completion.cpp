#include "clients/programs/fastjournal/usage/completion.h"

#include <algorithm>
#include <cctype>

namespace fastjournal::usage {

Kind kind_of(Option const& option) {
  if (!option.choices.empty()) return Kind::words;
  std::string const& value = option.value;
  if (value == "FILE") return Kind::files;
  if (value == "FOLDER" || value == "DIR") return Kind::folders;
  if (value == "TABLE") return Kind::tables;
  if (value == "COLUMNS") return Kind::columns;
  if (value == "WHICH") return Kind::keys;
  if (value == "KEY" || value == "KEYS" || value == "PAIRS") return Kind::pairs;
  if (value == "COMMAND") return Kind::commands;
  return Kind::text;
}

std::string in_short(std::string_view description) {
  std::size_t end = description.size();
  for (std::string_view const stop : {"; ", ". ", ": ", " ("}) end = std::min(end, description.find(stop));
  return std::string{description.substr(0, end)};
}

std::string as_identifier(std::string_view name) {
  std::string out{name};
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return out;
}

void replace_all(std::string& text, std::string_view name, std::string_view value) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

}  // namespace fastjournal::usage
