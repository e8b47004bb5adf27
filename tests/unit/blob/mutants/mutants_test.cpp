// Each known fault of blob tables (plugins/blob/mutants.h) is seen by random lives (life.h), and without one they see
// nothing.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

#include "plugins/blob/mutants.h"
#include "tests/unit/blob/life.h"

namespace fastjournal::blob::test {
namespace {

constexpr std::uint64_t kSeed = 1'000;
constexpr std::uint64_t kLivesMax = 120;
constexpr std::uint64_t kSteps = 3'000;

// The first life that shows it; empty: none does.
std::string seen(std::uint64_t lives) {
  for (std::uint64_t life = 0; life < lives; ++life) {
    LifeResult const result = live(kSeed + life, kSteps);
    if (!result.wrong.empty()) return "life " + std::to_string(life) + ", " + result.wrong;
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_mutants)

BOOST_AUTO_TEST_CASE(random_lives_see_each_known_fault) {
  active_mutant = Mutant::none;
  BOOST_TEST(seen(20) == "");
  for (std::size_t number = 1; number < kMutantNames.size(); ++number) {
    active_mutant = static_cast<Mutant>(number);
    std::string const how = seen(kLivesMax);
    BOOST_TEST_MESSAGE(kMutantNames[number] << ": " << (how.empty() ? "NOT SEEN" : how));
    BOOST_TEST(!how.empty(), kMutantNames[number] << " was not seen");
  }
  active_mutant = Mutant::none;
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
