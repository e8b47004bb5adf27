// The proofs of transactions notice each fault in them, and pass without one.
#include <boost/test/unit_test.hpp>

#include "tests/world/transaction_mutants.h"

namespace fastjournal::sim {

BOOST_AUTO_TEST_SUITE(transaction_mutants)

BOOST_AUTO_TEST_CASE(each_fault_put_into_transactions_is_seen) {
  for (std::size_t number = 1; number < transaction::kMutantNames.size(); ++number) {
    test::Seen const seen = try_mutant(static_cast<transaction::Mutant>(number), 1, 20);
    BOOST_TEST(!seen.by.empty(), transaction::kMutantNames[number] << " was not seen");
    BOOST_TEST_MESSAGE(transaction::kMutantNames[number] << ": " << seen.by << ", " << seen.what);
  }
}

BOOST_AUTO_TEST_CASE(transactions_without_a_fault_pass_in_this_build_too) {
  test::Seen const seen = try_mutant(transaction::Mutant::none, 1, 3);
  BOOST_TEST(seen.by == "", seen.what);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
