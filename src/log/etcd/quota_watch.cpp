#include "log/etcd/quota_watch.h"

#include <fmt/format.h>

namespace fastjournal::log::etcd {

void QuotaWatch::tick(std::int64_t now_us) {
  if (asking_ != 0 || now_us < next_us_) return;
  next_us_ = now_us + (has_alarm_ ? kEveryOfAlarmUs : kEveryUs);
  asking_ = cluster_.send(api::Look{}, timeout_us_);
}

// Free pages of its file count as free: etcd uses them again.
bool QuotaWatch::take(api::Answer const& answer) {
  if (answer.id != asking_ || asking_ == 0) return false;
  asking_ = 0;
  if (answer.outcome != api::Outcome::done) return true;
  auto const& told = std::get<api::LookAnswer>(answer.body);
  used_bytes_ = static_cast<std::uint64_t>(told.db_bytes_in_use);
  has_alarm_ = told.has_no_space_alarm;
  std::uint64_t const limit = quota_bytes_ / 100 * (is_short_ ? kEasyPercent : kShortPercent);
  is_short_ = has_alarm_ || used_bytes_ >= limit;
  return true;
}

std::string QuotaWatch::why() const {
  constexpr std::string_view kRemedy =
      "see what else is in it, give it a larger one (--quota-backend-bytes, and `quota` of <cluster>), or compact it, "
      "and defragment each member (etcdctl)";
  if (has_alarm_)
    return fmt::format("etcd rejects writes: its quota is exhausted (alarm NOSPACE): {}, then disarm the alarm",
                       kRemedy);
  return fmt::format("etcd has {} of its quota of {} bytes in use, and from {} % on nothing is added: {}", used_bytes_,
                     quota_bytes_, kShortPercent, kRemedy);
}

}  // namespace fastjournal::log::etcd
