// The subsets of unsynced things that survive a power cut: all subsets of a few, and of many a selection that found
// faults elsewhere.
#pragma once

#include <vector>

#include "tests/sim/sim_disk.h"

namespace fastjournal::log::file::test {

// All subsets of up to `bits` things. Of more: all, none, four random ones, and for each of at most 2 x bits things
// only this one, all but this one, and those before it.
[[nodiscard]] inline std::vector<sim::Chooser> subsets(std::size_t things, std::size_t bits) {
  std::vector<sim::Chooser> out;
  if (things <= bits) {
    for (std::uint64_t mask = 0; mask < (1ULL << things); ++mask) out.push_back(sim::keep_mask(mask));
    return out;
  }
  out.push_back(sim::keep_all());
  out.push_back(sim::keep_none());
  std::size_t const step = (things + 2 * bits - 1) / (2 * bits);
  for (std::size_t one = 0; one < things; one += step) {
    out.emplace_back([one](std::size_t thing) { return thing == one; });
    out.emplace_back([one](std::size_t thing) { return thing != one; });
    if (one > 1) out.emplace_back([one](std::size_t thing) { return thing < one; });
  }
  for (std::uint64_t seed = 0; seed < 4; ++seed) out.push_back(sim::keep_some(seed));
  return out;
}

}  // namespace fastjournal::log::file::test
