// The proofs of pipeline tables notice each fault in them, and pass without one.
#include <boost/test/unit_test.hpp>

#include "tests/world/pipeline_mutants.h"

namespace fastjournal::sim {

BOOST_AUTO_TEST_SUITE(pipeline_mutants)

BOOST_AUTO_TEST_CASE(each_fault_put_into_pipeline_tables_is_seen) {
  for (std::size_t number = 1; number < pipeline::kMutantNames.size(); ++number) {
    test::Seen const seen = try_mutant(static_cast<pipeline::Mutant>(number), 1, 100);
    BOOST_TEST(!seen.by.empty(), pipeline::kMutantNames[number] << " was not seen");
    BOOST_TEST_MESSAGE(pipeline::kMutantNames[number] << ": " << seen.by << ", " << seen.what);
  }
}

BOOST_AUTO_TEST_CASE(tables_without_a_fault_pass_in_this_build_too) {
  test::Seen const seen = try_mutant(pipeline::Mutant::none, 1, 3);
  BOOST_TEST(seen.by == "", seen.what);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
