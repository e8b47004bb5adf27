// How many containers a log has: the reserve that additions leave alone, the spare ones that are prepared ahead, and
// what is allowed altogether. Numbers only; making and removing them is in log_space.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/file/log_options.h"

namespace fastjournal::log::file {

// Owned by LogSpace. What must hold: what is removed or copied forward finds room when nothing can be added any more.
class SpacePolicy {
 public:
  // The reserve that additions cannot use: one container for removals, one to copy forward into (keep_for_copy).
  static constexpr std::uint32_t kKeptBack = 2;
  // And one more for every twelve with records, the first from five on: a copied object is a little larger than its
  // first record.
  static constexpr std::uint32_t kCopiesGrowPart = 12;
  // And one more, so that the next is there before it is needed.
  // Allowed beside twice the live bytes, unless initial-containers is larger.
  static constexpr std::uint32_t kContainersAllowed = 4;

  // What must remain.
  struct Kept {
    std::uint32_t containers{0};
    std::uint64_t bytes{0};
  };

  SpacePolicy(std::uint32_t initial_containers, WhenEmpty when_empty, std::uint64_t container_bytes)
      : initial_containers_(initial_containers),
        when_empty_(when_empty),
        container_bytes_(container_bytes),
        kept_for_copy_(container_bytes) {}

  // The bytes that removals leave for copying forward.
  void keep_for_copy(std::uint64_t bytes) { kept_for_copy_ = bytes; }
  // The log is empty: few containers are kept until something is added.
  void rest() { resting_ = true; }
  void wake() { resting_ = false; }

  // `used`: containers with records.
  [[nodiscard]] Kept beside_additions(std::size_t used) const { return {kept_back(used), kept_for_copy_ + held_}; }
  [[nodiscard]] Kept beside_removals() const { return {0, kept_for_copy_ + held_}; }
  // Room for records that are decided, and appended later.
  void hold(std::uint64_t bytes) { held_ += bytes; }
  void free(std::uint64_t bytes) { held_ -= bytes; }
  // Containers are prepared one earlier than they are needed, so that nothing waits for them.
  [[nodiscard]] std::uint32_t kept_back(std::size_t used) const {
    return kKeptBack + (static_cast<std::uint32_t>(used) + 7) / kCopiesGrowPart;
  }
  [[nodiscard]] std::uint32_t spares_most(std::size_t used) const {
    return kKeptBack + 1 + (static_cast<std::uint32_t>(used) + 8) / kCopiesGrowPart;
  }
  // `filled`: of the current container, of `payload`.
  [[nodiscard]] std::uint32_t spares_wanted(std::size_t used, std::uint64_t filled, std::uint64_t payload) const {
    if (resting_) return std::min(spares_most(used), allowed() - 1);
    // The last one only once three quarters of the current container are full, and still later if copying forward is
    // about to free an older one.
    bool const copying = kept_for_copy_ < container_bytes_;
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
  [[nodiscard]] std::uint32_t allowed_in_use() const { return std::max(initial_containers_, kContainersAllowed); }

 private:
  std::uint32_t initial_containers_;
  WhenEmpty when_empty_;
  std::uint64_t container_bytes_;
  std::uint64_t kept_for_copy_;
  std::uint64_t held_{0};
  bool resting_{false};
};

}  // namespace fastjournal::log::file
