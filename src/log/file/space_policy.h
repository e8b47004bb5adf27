// How many segments a log has: the reserve that additions leave alone, the spare ones that are prepared ahead, and
// what is allowed altogether. Numbers only; making and removing them is in log_space.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/file/log_options.h"

namespace fastjournal::log::file {

// Owned by LogSpace. Invariant: what is removed or compacted finds room when nothing can be added any more.
class SpacePolicy {
 public:
  // The reserve that additions cannot use: one segment for removals, one to compact into (keep_for_compaction).
  static constexpr std::uint32_t kKeptBack = 2;
  // And one more for every twelve with records, the first from five on: a copied object is a little larger than its
  // first record.
  static constexpr std::uint32_t kCopiesGrowPart = 12;
  // And one more, so that the next is there before it is needed.
  // Allowed beside twice the live bytes, unless initial-containers is larger.
  static constexpr std::uint32_t kSegmentsAllowed = 4;

  // The space that must remain.
  struct Kept {
    std::uint32_t segments{0};
    std::uint64_t bytes{0};
  };

  SpacePolicy(std::uint32_t initial_segments, WhenEmpty when_empty, std::uint64_t segment_bytes)
      : initial_segments_(initial_segments),
        when_empty_(when_empty),
        segment_bytes_(segment_bytes),
        kept_for_compaction_(segment_bytes) {}

  // The bytes that removals leave for compaction.
  void keep_for_compaction(std::uint64_t bytes) { kept_for_compaction_ = bytes; }
  // The log is empty: few segments are kept until something is added.
  void rest() { resting_ = true; }
  void wake() { resting_ = false; }

  // `used`: segments with records.
  [[nodiscard]] Kept beside_additions(std::size_t used) const {
    return {kept_back(used), kept_for_compaction_ + held_};
  }
  [[nodiscard]] Kept beside_removals() const { return {0, kept_for_compaction_ + held_}; }
  // Room for records that are decided, and appended later.
  void hold(std::uint64_t bytes) { held_ += bytes; }
  void free(std::uint64_t bytes) { held_ -= bytes; }
  // Segments are prepared one earlier than they are needed, so that nothing waits for them.
  [[nodiscard]] std::uint32_t kept_back(std::size_t used) const {
    return kKeptBack + (static_cast<std::uint32_t>(used) + 7) / kCopiesGrowPart;
  }
  [[nodiscard]] std::uint32_t spares_most(std::size_t used) const {
    return kKeptBack + 1 + (static_cast<std::uint32_t>(used) + 8) / kCopiesGrowPart;
  }
  // `filled`: of the current segment, of `payload`.
  [[nodiscard]] std::uint32_t spares_wanted(std::size_t used, std::uint64_t filled, std::uint64_t payload) const {
    if (resting_) return std::min(spares_most(used), allowed() - 1);
    // The last one only once three quarters of the current segment are full, and still later if compaction is
    // about to free an older one.
    bool const copying = kept_for_compaction_ < segment_bytes_;
    bool const nearly_full = filled > payload / 16 * (copying ? 15 : 12);
    return nearly_full || used == 1 ? spares_most(used) : kept_back(used);
  }
  // More spare ones than this are removed,
  [[nodiscard]] std::uint32_t spares_kept(std::size_t used, std::uint64_t filled, std::uint64_t payload) const {
    return resting_ ? spares_wanted(used, filled, payload) : spares_most(used);
  }
  // but not so many that fewer remain altogether.
  [[nodiscard]] std::uint32_t allowed() const {
    if (resting_ && when_empty_ == WhenEmpty::remove) return 1;
    if (resting_ && when_empty_ == WhenEmpty::truncate) return 1 + kKeptBack;
    return allowed_in_use();
  }
  [[nodiscard]] std::uint32_t allowed_in_use() const { return std::max(initial_segments_, kSegmentsAllowed); }

 private:
  std::uint32_t initial_segments_;
  WhenEmpty when_empty_;
  std::uint64_t segment_bytes_;
  std::uint64_t kept_for_compaction_;
  std::uint64_t held_{0};
  bool resting_{false};
};

}  // namespace fastjournal::log::file
