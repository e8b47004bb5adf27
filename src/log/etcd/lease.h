// This node's lease at etcd: its claim to the log and its key among the nodes are on it. It is asked for when it is wanted,
// renewed each third of its time, and revoked. It is valid for certain until valid_until_us(), counted from the moment
// before the last renewal was sent that was answered.
//
// Owned by Ownership; lives on its thread.
#pragma once

#include <cstdint>

#include "log/etcd/client/cluster.h"

namespace fastjournal::log::etcd {

namespace api = fastjournal::etcd;

class Lease {
 public:
  // A renewal that is late is tried again so soon.
  static constexpr std::int64_t kRetryUs = 100'000;

  Lease(api::Cluster& cluster, std::int64_t ttl_s, std::int64_t margin_us, std::int64_t timeout_us)
      : cluster_(cluster), ttl_s_(ttl_s), margin_us_(margin_us), timeout_us_(timeout_us) {}

  // 0: there is none.
  [[nodiscard]] std::int64_t id() const { return id_; }
  [[nodiscard]] std::int64_t valid_until_us() const { return valid_until_us_; }
  // When it is renewed; without one, when one is asked for.
  [[nodiscard]] std::int64_t renew_at_us() const { return renew_at_us_; }
  [[nodiscard]] bool is_asked_for() const { return granting_ != 0; }

  // `is_wanted`: one is asked for if there is none.
  void tick(std::int64_t now_us, bool is_wanted);
  void ask(std::int64_t now_us);
  enum class Taken : std::uint8_t {
    other,    // it is no answer to one of its requests
    asked,    // there is one now, or the request failed
    renewed,  // or that failed
    over,     // there is none any more
  };
  [[nodiscard]] Taken take(api::Answer const& answer, std::int64_t now_us);
  // The answer to a claim says that it is over.
  void forget() {
    id_ = 0;
    renewing_ = 0;
  }
  void revoke(std::int64_t now_us);

 private:
  void renew(std::int64_t now_us);
  [[nodiscard]] Taken take_grant(api::Answer const& answer, std::int64_t now_us);
  [[nodiscard]] Taken take_renewal(api::Answer const& answer, std::int64_t now_us);

  api::Cluster& cluster_;
  std::int64_t ttl_s_;
  std::int64_t margin_us_;
  std::int64_t timeout_us_;
  std::int64_t id_{0};
  std::int64_t valid_until_us_{INT64_MIN};
  std::int64_t sent_at_us_{0};  // the renewal that is under way
  std::int64_t renew_at_us_{0};
  api::RequestId granting_{0};
  api::RequestId renewing_{0};
};

}  // namespace fastjournal::log::etcd
