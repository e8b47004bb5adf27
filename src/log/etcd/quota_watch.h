// How full etcd is. Beyond its quota etcd rejects all writes until an operator acts; so additions end before.
// The quota is not told by etcd: the configuration says what was given to it.
#pragma once

#include <cstdint>
#include <string>

#include "log/etcd/client/cluster.h"

namespace fastjournal::log::etcd {

namespace api = fastjournal::etcd;

class QuotaWatch {
 public:
  static constexpr std::int64_t kEveryUs = 2'000'000;
  // While it rejects writes: an operator makes room, and all nodes wait.
  static constexpr std::int64_t kEveryOfAlarmUs = 200'000;
  // Of the quota: from here on there are no additions, and from there on there are again.
  static constexpr std::uint64_t kShortPercent = 70;
  static constexpr std::uint64_t kEasyPercent = 65;

  QuotaWatch(api::Cluster& cluster, std::uint64_t quota_bytes, std::int64_t timeout_us)
      : cluster_(cluster), quota_bytes_(quota_bytes), timeout_us_(timeout_us) {}

  void tick(std::int64_t now_us);
  // False: it is none of its requests.
  [[nodiscard]] bool take(api::Answer const& answer);
  [[nodiscard]] std::int64_t next_us() const { return asking_ != 0 ? INT64_MAX : next_us_; }
  // No additions.
  [[nodiscard]] bool is_short() const { return is_short_; }
  // Not even removals, until an operator acts.
  [[nodiscard]] bool has_alarm() const { return has_alarm_; }
  // Why, and what to do.
  [[nodiscard]] std::string why() const;

 private:
  api::Cluster& cluster_;
  std::uint64_t quota_bytes_;
  std::int64_t timeout_us_;
  std::int64_t next_us_{0};
  api::RequestId asking_{0};
  std::uint64_t used_bytes_{0};
  bool has_alarm_{false};
  bool is_short_{false};
};

}  // namespace fastjournal::log::etcd
