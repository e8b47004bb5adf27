#include "clients/programs/forwarder/alerts.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/hash.h"

namespace fastjournal::forwarder {
namespace {

constexpr std::int64_t kAgainMs = 60'000;
constexpr std::size_t kUnitBytesMax = 100;

}  // namespace

std::string unit_of(std::string_view folder) {
  std::string out{"fastjournal-client-"};
  bool is_unique = true;
  for (char const c : folder) {
    auto const byte = static_cast<unsigned char>(c);
    bool const is_plain = byte < 0x80 && (std::isdigit(byte) != 0 || std::islower(byte) != 0);
    if (is_plain)
      out += c;
    else if (!out.ends_with('-'))
      out += '-';
    is_unique = is_unique && (is_plain || c == '/');
  }
  while (out.ends_with('-')) out.pop_back();
  if (is_unique && out.size() <= kUnitBytesMax) return out;
  out.resize(std::min(out.size(), kUnitBytesMax));
  while (out.ends_with('-')) out.pop_back();
  return fmt::format("{}-x{:08x}", out, static_cast<std::uint32_t>(hash64(folder, 0)));
}

std::optional<Cause> cause_of_skipped(std::string_view folder, std::vector<Status> const& skipped) {
  if (skipped.empty()) return std::nullopt;
  std::string const more =
      skipped.size() == 1 ? "" : fmt::format("; {} more files are skipped as well", skipped.size() - 1);
  return Cause{std::string{kForwarderSection}, "file-skipped", 60,
               fmt::format("rows of {} are not brought over: {}{}", folder, skipped.front().message(), more)};
}

std::optional<Cause> cause_of_doubtful(std::vector<Status> const& doubtful) {
  if (doubtful.empty()) return std::nullopt;
  std::string const more = doubtful.size() == 1 ? "" : fmt::format("; so are {} more files", doubtful.size() - 1);
  return Cause{std::string{kForwarderSection}, "file-doubtful", 60, doubtful.front().message() + more};
}

std::vector<log::AlertNotice> AlertDesk::look(std::vector<Cause> const& causes, TimeMs now) {
  std::vector<log::AlertNotice> out;
  std::set<std::pair<std::string, std::string>> there;
  for (Cause const& cause : causes) {
    std::pair<std::string, std::string> const key{cause.table, cause.name};
    if (!there.insert(key).second) continue;
    auto const [place, is_new] = standing_.try_emplace(key);
    log::Alert& alert = place->second;
    std::string const message = cause.message.substr(0, log::kAlertMessageBytesMax);
    if (!is_new && (alert.message == message || now.value < alert.last.value + kAgainMs)) continue;
    if (is_new) {
      alert.table = cause.table;
      alert.name = cause.name;
      alert.priority = cause.priority;
      alert.tags = "fastjournal,spool";
      alert.first = now;
    }
    alert.message = message;
    alert.last = now;
    ++alert.count;
    out.push_back({.up = true, .alert = alert});
  }
  std::erase_if(standing_, [&](auto const& entry) {
    if (there.contains(entry.first)) return false;
    out.push_back({.up = false, .alert = entry.second});
    return true;
  });
  return out;
}

}  // namespace fastjournal::forwarder
