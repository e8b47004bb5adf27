// How fast this disk makes 4 KiB durable now: the measure of every other rate. For `fastjournal doctor` and
// `fastjournal bench`, and for the benches, whose figures are compared with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::os {

struct SyncProbe {
  std::chrono::milliseconds limit{1'000};  // ends after this time ...
  std::size_t count_max{SIZE_MAX};         // ... or after so many syncs
  std::size_t blocks{4096};                // of 4 KiB: the size of the file
  std::function<bool()> stop{};            // asked before each sync
};

struct SyncTimes {
  std::vector<std::uint32_t> us;  // one for each sync, ascending; never empty
  double seconds{0};              // all of them, one after the other

  [[nodiscard]] double per_second() const { return static_cast<double>(us.size()) / seconds; }
  // `share`: 0.5 is the median.
  [[nodiscard]] std::uint32_t us_at(double share) const;
};

// pwrite and fdatasync of 4 KiB into a file of zeros in `folder`. The file has no name, or loses it at once. Not ok:
// the call that failed, with the folder; timed_out: stopped before the first sync.
[[nodiscard]] Result<SyncTimes> probe_syncs(std::filesystem::path const& folder, SyncProbe const& probe);

}  // namespace fastjournal::os
