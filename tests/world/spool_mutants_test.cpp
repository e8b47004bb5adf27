// The random lives of the spool notice each fault in the forwarder, and pass without one.
#include <boost/test/unit_test.hpp>

#include "tests/world/spool_mutants.h"

namespace fastjournal::sim {

BOOST_AUTO_TEST_SUITE(spool_mutants)

BOOST_AUTO_TEST_CASE(each_fault_put_into_the_forwarder_is_seen) {
  for (std::size_t number = 1; number < spool::kMutantNames.size(); ++number) {
    CaughtInSpool const caught = try_mutant(static_cast<spool::Mutant>(number), 1, 500);
    BOOST_TEST(!caught.what.empty(), spool::kMutantNames[number] << " was not seen in " << caught.lives << " lives");
    BOOST_TEST_MESSAGE(spool::kMutantNames[number] << ": seed " << caught.seed << ", " << caught.what);
  }
}

BOOST_AUTO_TEST_CASE(the_forwarder_without_a_fault_passes_in_this_build_too) {
  CaughtInSpool const caught = try_mutant(spool::Mutant::none, 1, 20);
  BOOST_TEST(caught.what == "", "seed " << caught.seed);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
