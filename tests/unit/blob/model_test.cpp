// Random lives of a table are as the map says (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include "tests/support/play_lives.h"
#include "tests/unit/blob/life.h"

namespace fastjournal::blob::test {

BOOST_AUTO_TEST_SUITE(blob_model)

BOOST_AUTO_TEST_CASE(random_lives_are_as_the_map_says) {
  auto counts = fastjournal::test::play_lives(20261124, 40, [](std::uint64_t seed) { return live(seed, 3'000); });
  std::uint64_t const lives = counts["steps"] / 3'000;
  // Otherwise they show nothing.
  for (char const* const what : {"kills", "exchanges of files", "refused offline"})
    BOOST_TEST(counts[what] >= lives, what);
  for (char const* const what : {"given up", "in a newer file", "refused"}) BOOST_TEST(counts[what] >= lives / 4, what);
  BOOST_TEST(counts["answers to readers by name"] >= 10 * lives);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
