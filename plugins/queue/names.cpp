#include "plugins/queue/names.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"
#include "fastjournal/limits.h"
#include "model/value.h"

namespace fastjournal::queue {
namespace {

static_assert(kNameBytesMax <= kDomainBytesMax, "a queue is the domain of its messages");

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

Status refused(std::string_view what, std::string const& text) {
  return Status{Code::bad_parameter, text}.with("parameter", std::string{what});
}

Status check(std::string_view what, std::string_view text) {
  if (text.size() > kNameBytesMax)
    return Status{Code::too_large, std::string{what} + " has " + std::to_string(text.size()) + " bytes, expected " +
                                       std::to_string(kNameBytesMax) + " at most"}
        .with("parameter", std::string{what});
  if (!text.empty() && (!is_utf8(text) || has_control(text)))
    return refused(
        what, std::string{what} + " is " + model::shown(text) + ", expected text in UTF-8 without control characters");
  return {};
}

}  // namespace

Status check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return refused(what, std::string{what} + " is empty, expected a name");
  if (name.find(' ') != std::string_view::npos)
    return refused(what, std::string{what} + " is " + model::shown(name) + ", expected a name without blanks");
  return check(what, name);
}

Status check_routing_key(std::string_view key) { return check("routing_key", key); }

Status check_group(std::string_view group) { return check("group", group); }

Status check_deduplication(std::string_view text) { return check("deduplication", text); }

std::vector<std::string_view> words_of(std::string_view text, std::string_view between) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find_first_of(between), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace fastjournal::queue
