#include "plugins/queue/stomp_greeting.h"

#include <algorithm>
#include <cstddef>

#include "base/greeting.h"

namespace fastjournal::queue::stomp {
namespace {

constexpr std::size_t kFirstLineBytesMax = 16;

// Empty: it is STOMP; nothing: more must come.
std::optional<std::string> judged(std::string_view unread) {
  Greeting const came = greeting_of(unread);
  if (came == Greeting::stomp) return std::string{};
  std::size_t const end = unread.find('\n');
  bool const is_binary = unread.starts_with("FJ") || unread.starts_with("\x16\x03");
  if (!is_binary && unread.ends_with('\0')) return std::string{};  // the frame says what is wrong with it
  if (came == Greeting::unknown && end == std::string_view::npos && unread.size() <= kFirstLineBytesMax)
    return std::nullopt;
  std::string_view line = unread.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::ranges::find(kCommands, line) != kCommands.end() ? std::string{} : wrong_port("STOMP", came);
}

}  // namespace

std::optional<std::string> what_else_is_spoken(std::string_view unread) {
  unread.remove_prefix(std::min(unread.find_first_not_of("\r\n"), unread.size()));
  if (unread.empty()) return std::string{};
  for (std::size_t size = 1; size <= std::min(unread.size(), kFirstLineBytesMax + 1); ++size)
    if (std::optional<std::string> wrong = judged(unread.substr(0, size))) return wrong;
  return std::nullopt;
}

}  // namespace fastjournal::queue::stomp
