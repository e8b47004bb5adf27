#include "log/etcd/follower.h"

#include <optional>

namespace fastjournal::log::etcd {
namespace {

// Of entries behind a gap, as many as an owner may have under way.
constexpr std::size_t kAheadMax = 256;
// A gap that stays for so long while the log has an owner is none: servers before 3.4.31 may lose events of a slow
// watch, and then it reads anew.
constexpr std::int64_t kGapUs = 10'000'000;

}  // namespace

void Follower::begin(Head const& head) {
  store_id_ = head.store_id;
  ahead_.clear();
  ahead_since_us_ = INT64_MAX;
  seen_end_ = {};
  stream_.begin(head.base);
  following_.on_reset(head.store_id, head.base.lsn);
}

bool Follower::is_full() const { return ahead_.size() >= kAheadMax; }

std::int64_t Follower::gap_until_us() const { return ahead_.empty() ? INT64_MAX : ahead_since_us_ + kGapUs; }

Status Follower::add(std::uint64_t sequence, std::string_view value, std::int64_t now_us) {
  ahead_[sequence] = value;
  for (auto at = ahead_.find(stream_.next_sequence()); at != ahead_.end(); at = ahead_.find(stream_.next_sequence())) {
    std::optional<Entry> const entry = decode(at->second, store_id_);
    if (!entry) return {Code::damaged, names_.entry(at->first) + " is damaged, or of another log"};
    if (Status status = stream_.add(*entry, following_); !status.ok()) return status;
    truncation_.keep({entry->sequence, entry->lsn, entry->end(), entry->group});
    seen_end_ = std::max(seen_end_, entry->end());
    ahead_.erase(at);
    ahead_since_us_ = INT64_MAX;
  }
  if (!ahead_.empty() && ahead_since_us_ == INT64_MAX) ahead_since_us_ = now_us;
  for (auto const& [ahead, bytes] : ahead_)
    if (std::optional<Entry> const entry = decode(bytes, store_id_)) seen_end_ = std::max(seen_end_, entry->end());
  return {};
}

}  // namespace fastjournal::log::etcd
