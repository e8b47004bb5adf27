#include "config/access/tries.h"

#include <algorithm>
#include <array>

namespace fastjournal::access {
namespace {

constexpr std::string_view kInternet = "ip:";
constexpr std::size_t kNetworkGroups = 4;  // 64 bits
constexpr std::size_t kGroups = 8;

// The group without leading zeros, so that each network has one text.
std::string_view shortest(std::string_view group) {
  group.remove_prefix(std::min(group.find_first_not_of('0'), group.size()));
  return group.empty() ? "0" : group;
}

}  // namespace

std::string origin_of_tries(std::string_view origin) {
  std::string_view const address = origin.substr(std::min(kInternet.size(), origin.size()));
  // An IPv4 address within IPv6 stays whole: all of them are in one network.
  bool const is_ipv6 = origin.starts_with(kInternet) && address.find(':') != std::string_view::npos &&
                       address.find('.') == std::string_view::npos;
  if (!is_ipv6) return std::string{origin};
  std::size_t const gap = address.find("::");
  std::array<std::string_view, kGroups> groups{};
  std::size_t count = 0;
  std::string_view head = address.substr(0, gap);
  for (; !head.empty() && count < kGroups; ++count) {
    std::size_t const end = std::min(head.find(':'), head.size());
    groups[count] = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  // Behind the gap: where fewer than four groups are left for the second half, some are of the first.
  if (gap != std::string_view::npos) {
    std::string_view const tail = address.substr(gap + 2);
    std::size_t const after =
        tail.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(tail.begin(), tail.end(), ':'));
    std::size_t at = kGroups - std::min(after, kGroups);
    for (std::string_view rest = tail; !rest.empty() && at < kGroups; ++at) {
      std::size_t const end = std::min(rest.find(':'), rest.size());
      groups[at] = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::string out{kInternet};
  for (std::size_t i = 0; i < kNetworkGroups; ++i) out.append(shortest(groups[i])).push_back(':');
  return out + ":/64";
}

std::int64_t Tries::wait_us(std::string_view origin, std::int64_t now_us) const {
  return std::max<std::int64_t>(0, used_until(origin_of_tries(origin)) - (kAtOnce - 1) * kStepUs - now_us);
}

void Tries::failed(std::string_view from, std::int64_t now_us) {
  std::string const origin = origin_of_tries(from);
  auto found = used_until_.find(origin);
  if (found == used_until_.end() && used_until_.size() >= kOriginsMax) forget_old(now_us);
  if (found == used_until_.end() && used_until_.size() < kOriginsMax) found = used_until_.emplace(origin, now_us).first;
  std::int64_t& until = found == used_until_.end() ? others_until_ : found->second;
  until = std::max(until, now_us) + kStepUs;
}

std::int64_t Tries::used_until(std::string_view origin) const {
  auto const found = used_until_.find(origin);
  if (found != used_until_.end()) return found->second;
  return used_until_.size() < kOriginsMax ? 0 : others_until_;
}

// Once a second at most: it goes through all of them.
void Tries::forget_old(std::int64_t now_us) {
  if (now_us < look_again_us_) return;
  look_again_us_ = now_us + kStepUs;
  std::erase_if(used_until_, [now_us](auto const& one) { return one.second <= now_us; });
}

}  // namespace fastjournal::access
