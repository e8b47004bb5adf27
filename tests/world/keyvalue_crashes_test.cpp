// Key/value tables keep their promises through kills and power cuts (keyvalue_life.h). FJ_SEED chooses the first life,
// FJ_PLAYS how many.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/keyvalue_life.h"

namespace fastjournal::sim::keyvalue_crashes_test {

BOOST_AUTO_TEST_SUITE(keyvalue_crashes)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_is_there) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t writes = 0;
  std::uint64_t ends = 0;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 60); ++life) {
    KeyValueLifeResult const result = live_with_values(seed + life, 600);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    writes += result.writes;
    ends += result.crashes;
  }
  BOOST_TEST_MESSAGE(writes << " values written, " << ends << " ends");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::keyvalue_crashes_test
