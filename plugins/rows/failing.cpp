#include "plugins/rows/failing.h"

#include <algorithm>

namespace fastjournal::rows {
namespace {

constexpr std::string_view kAlert = "failing";
constexpr std::uint8_t kPriority = 65;
constexpr std::uint32_t kAttemptsMin = 20;
// Rows that failed rest, by default up to a day and a tenth of it: while none is tried, nothing is over.
constexpr std::int64_t kSilenceMs = 27 * 3'600'000;

}  // namespace

void Failing::turn(std::int64_t now) {
  if (ends_ == 0) {
    ends_ = look_ = now + kBucketMs;
    return;
  }
  std::int64_t const passed = (now - ends_) / kBucketMs + 1;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(passed, kBuckets); ++i) {
    at_ = static_cast<std::uint8_t>((at_ + 1) % kBuckets);
    ring_[at_] = {};
  }
  ends_ += passed * kBucketMs;
  // Something is tried again.
  if (look_ != INT64_MAX) look_ = std::min(look_, ends_);
}

Failing::Bucket Failing::sum() const {
  Bucket out;
  for (Bucket const& bucket : ring_) {
    out.ended += bucket.ended;
    out.failed += bucket.failed;
  }
  return out;
}

void Failing::failed(std::int64_t now, std::uint32_t count) {
  if (count == 0) return;
  if (now >= ends_) turn(now);
  ring_[at_].ended += count;
  ring_[at_].failed += count;
  failed_at_ = now;
  if (standing_ == Standing::up) return;
  Bucket const all = sum();
  if (all.ended < kAttemptsMin || all.failed * 2 <= all.ended) return;
  standing_ = Standing::up;
  has_news_ = true;
  look_ = ends_;
}

void Failing::look(std::int64_t now, TableObserver& observer) {
  if (now < look_) return;
  if (failed_at_ == 0) failed_at_ = now;
  if (ends_ != 0 && now >= ends_) turn(now);
  Bucket const all = sum();
  bool const is_over = all.ended == 0 ? now >= failed_at_ + kSilenceMs : all.failed * 2 <= all.ended;
  look_ = is_over ? INT64_MAX : all.ended == 0 ? failed_at_ + kSilenceMs : ends_;
  if (!is_over) return;
  standing_ = Standing::down;
  has_news_ = false;
  observer.lower_alert(kAlert);
}

void Failing::tell(std::string_view what, std::string const& table, std::string_view tags, TableObserver& observer) {
  has_news_ = false;
  Bucket const all = sum();
  observer.alert(kAlert, kPriority,
                 std::to_string(all.failed) + " of " + std::to_string(all.ended) + " " + std::string{what} +
                     " of table " + table + " failed or timed out in the last 5 minutes",
                 tags);
}

}  // namespace fastjournal::rows
