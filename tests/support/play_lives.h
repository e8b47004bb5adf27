// How a test plays many random lives (life.h).
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

#include "tests/support/life.h"
#include "tests/support/seed.h"

namespace fastjournal::test {

// Each of `lives` lives, of seeds from `seed` on, must keep its promises; FJ_SEED and FJ_LIVES say others. Returns what
// happened in all of them.
template <typename Live>
Counts play_lives(std::uint64_t seed, std::uint64_t lives, Live live) {
  Counts sum;
  seed = seed_or(seed);
  for (std::uint64_t const last = seed + number_from("FJ_LIVES", lives); seed < last; ++seed) {
    LifeResult const result = live(seed);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed << " FJ_LIVES=1: " << result.wrong);
    add(sum, result.counts);
  }
  for (auto const& [what, count] : sum) BOOST_TEST_MESSAGE(count << " " << what);
  return sum;
}

}  // namespace fastjournal::test
