#include "clients/programs/fastjournal/json_line.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "base/utf8.h"

namespace fastjournal::cli {

std::string json_line(nlohmann::ordered_json const& json) {
  std::string const text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  // Beyond ASCII there is nothing but in strings.
  for (std::string_view left = text; !left.empty();) {
    std::string_view const before = left;
    std::optional<char32_t> const character = take_character(left);
    if (character && steers_terminal(*character))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(*character));
    else
      out += before.substr(0, before.size() - left.size());
  }
  return out + '\n';
}

}  // namespace fastjournal::cli
