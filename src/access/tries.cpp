#include "access/tries.h"

#include <algorithm>

namespace fastjournal::access {

std::int64_t Tries::wait_us(std::string_view origin, std::int64_t now_us) const {
  return std::max<std::int64_t>(0, used_until(origin) - (kAtOnce - 1) * kStepUs - now_us);
}

void Tries::failed(std::string_view origin, std::int64_t now_us) {
  auto found = used_until_.find(origin);
  if (found == used_until_.end() && used_until_.size() >= kOriginsMax) forget_old(now_us);
  if (found == used_until_.end() && used_until_.size() < kOriginsMax)
    found = used_until_.emplace(std::string{origin}, now_us).first;
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
