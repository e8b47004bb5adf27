// Random numbers from the kernel.
#include "platform/os/random.h"

#include <boost/test/unit_test.hpp>

#include <set>

BOOST_AUTO_TEST_SUITE(random_bits)

BOOST_AUTO_TEST_CASE(no_two_of_a_thousand_are_equal) {
  std::set<std::uint64_t> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(fastjournal::os::random_bits());
  BOOST_TEST(drawn.size() == 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
