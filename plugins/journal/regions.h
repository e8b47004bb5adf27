// How many objects have their latest whole record in each 256 KiB of the log:
// the oldest LSN that the table still needs, at a lookup for each change.
#pragma once

#include <cstdint>

#include <absl/container/btree_map.h>
#include "base/check.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::journal {

class Regions {
 public:
  [[nodiscard]] static std::uint32_t of(Lsn lsn) { return static_cast<std::uint32_t>(lsn.value >> kBits); }
  // The first LSN in it (0 would mean none).
  [[nodiscard]] static Lsn start(std::uint32_t region) {
    return Lsn{region == 0 ? kLsnAlign : std::uint64_t{region} << kBits};
  }

  void add(std::uint32_t region) { ++counts_[region]; }
  void remove(std::uint32_t region) {
    auto const found = counts_.find(region);
    FJ_CHECK(found != counts_.end(), "an object leaves a region that it was not in");
    if (--found->second == 0) counts_.erase(found);
  }

  [[nodiscard]] Lsn oldest() const { return counts_.empty() ? kNoLsn : start(counts_.begin()->first); }
  // Objects that begin in regions which begin below.
  [[nodiscard]] std::uint64_t count_below(Lsn below) const {
    std::uint64_t count = 0;
    for (auto const& [region, objects] : counts_) {
      if (start(region) >= below) break;
      count += objects;
    }
    return count;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return counts_.size() * 12; }

 private:
  static constexpr unsigned kBits = 18;
  static_assert(1U << kBits <= kOldestLsnGrain);
  absl::btree_map<std::uint32_t, std::uint32_t> counts_;
};

}  // namespace fastjournal::journal
