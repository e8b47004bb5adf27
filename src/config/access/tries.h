// How many logins of one origin (env::Peer) may fail: five at once, then one a second. IPv6 addresses of one network of
// 64 bits are one origin here, as a computer can take any of them. A login that succeeds costs nothing. Bounded: when too many origins fail at the same time, those that come then share one measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace fastjournal::access {

// The network of an IPv6 address: "ip:2001:db8:0:1::/64" of "ip:2001:db8:0:1::9"; other origins as they are.
[[nodiscard]] std::string origin_of_tries(std::string_view origin);

class Tries {
 public:
  static constexpr std::int64_t kAtOnce = 5;
  static constexpr std::int64_t kStepUs = 1'000'000;
  static constexpr std::size_t kOriginsMax = 4096;

  // How long this origin must wait before it may try again; 0: it may.
  [[nodiscard]] std::int64_t wait_us(std::string_view origin, std::int64_t now_us) const;
  void failed(std::string_view from, std::int64_t now_us);
  [[nodiscard]] std::size_t origins() const { return used_until_.size(); }

 private:
  // Of what origin_of_tries says.
  [[nodiscard]] std::int64_t used_until(std::string_view origin) const;
  void forget_old(std::int64_t now_us);

  // All failures of an origin, a step each, are used up by then.
  std::map<std::string, std::int64_t, std::less<>> used_until_;
  std::int64_t others_until_{0};  // of the origins that have no place
  std::int64_t look_again_us_{0};
};

}  // namespace fastjournal::access
