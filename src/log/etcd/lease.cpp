#include "log/etcd/lease.h"

#include <utility>

namespace fastjournal::log::etcd {

void Lease::tick(std::int64_t now_us, bool is_wanted) {
  if (id_ != 0 && now_us >= renew_at_us_) renew(now_us);
  if (id_ == 0 && is_wanted && now_us >= renew_at_us_) ask(now_us);
}

void Lease::ask(std::int64_t now_us) {
  if (granting_ != 0) return;
  renew_at_us_ = INT64_MAX;
  sent_at_us_ = now_us;
  granting_ = cluster_.send(api::Grant{ttl_s_}, timeout_us_);
}

void Lease::renew(std::int64_t now_us) {
  renew_at_us_ = now_us + kRetryUs;
  if (renewing_ != 0) return;
  sent_at_us_ = now_us;
  renewing_ = cluster_.send(api::KeepAlive{id_}, timeout_us_);
}

void Lease::revoke(std::int64_t now_us) {
  if (id_ != 0) static_cast<void>(cluster_.send(api::Revoke{std::exchange(id_, 0)}, timeout_us_));
  renewing_ = 0;
  renew_at_us_ = now_us + kRetryUs;
  valid_until_us_ = INT64_MIN;
}

Lease::Taken Lease::take(api::Answer const& answer, std::int64_t now_us) {
  if (answer.id == granting_) return take_grant(answer, now_us);
  return answer.id == renewing_ ? take_renewal(answer, now_us) : Taken::other;
}

Lease::Taken Lease::take_grant(api::Answer const& answer, std::int64_t now_us) {
  granting_ = 0;
  renew_at_us_ = now_us + kRetryUs;
  if (answer.outcome == api::Outcome::done) {
    id_ = std::get<api::LeaseAnswer>(answer.body).lease;
    valid_until_us_ = sent_at_us_ + ttl_s_ * 1'000'000 - margin_us_;
    renew_at_us_ = sent_at_us_ + ttl_s_ * 1'000'000 / 3;
  }
  return Taken::asked;
}

Lease::Taken Lease::take_renewal(api::Answer const& answer, std::int64_t now_us) {
  renewing_ = 0;
  if (answer.outcome != api::Outcome::done) return Taken::renewed;
  if (std::get<api::LeaseAnswer>(answer.body).ttl_s > 0) {
    valid_until_us_ = sent_at_us_ + ttl_s_ * 1'000'000 - margin_us_;
    renew_at_us_ = sent_at_us_ + ttl_s_ * 1'000'000 / 3;
    return Taken::renewed;
  }
  id_ = 0;
  renew_at_us_ = now_us;
  return Taken::over;
}

}  // namespace fastjournal::log::etcd
