// Each known fault of the log on etcd (log/etcd/mutants.h) is seen by its lives (life.h), and without one nothing is.
#include <boost/test/unit_test.hpp>

#include <string>

#include "log/etcd/mutants.h"
#include "tests/support/seed.h"
#include "tests/unit/log/etcd/life.h"

namespace fastjournal::log::etcd::test {
namespace {

constexpr std::uint64_t kLivesMax = 2'000;
constexpr std::uint64_t kSteps = 4'000;

// The first life that shows it; empty: none does.
std::string seen(std::uint64_t lives) {
  for (std::uint64_t seed = 1; seed <= lives; ++seed)
    if (LifeResult const one = live(seed, kSteps); !one.wrong.empty())
      return "life " + std::to_string(seed) + ": " + one.wrong;
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(etcd_log_mutants)

BOOST_AUTO_TEST_CASE(lives_see_each_known_fault) {
  active_mutant = Mutant::none;
  BOOST_TEST(seen(fastjournal::test::number_from("FJ_LIVES", 100)) == "");
  for (std::size_t number = 1; number < kMutantNames.size(); ++number) {
    active_mutant = static_cast<Mutant>(number);
    std::string const how = seen(kLivesMax);
    BOOST_TEST_MESSAGE(kMutantNames[number] << ": " << (how.empty() ? "NOT SEEN" : how));
    BOOST_TEST(!how.empty(), kMutantNames[number] << " was not seen");
  }
  active_mutant = Mutant::none;
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::etcd::test
