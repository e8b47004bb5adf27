// The test of the tests: the proofs fail with each fault in the store and pass without one; and every place that calls
// the disk was made to fail.
#include <boost/test/unit_test.hpp>

#include "tests/crash/call_sites.h"
#include "tests/crash/mutants.h"

namespace fastjournal::log::file::test {

namespace {

Plan small_plan() {
  Plan plan;
  plan.scope = 1;
  plan.effort = Effort::lean;
  plan.crashes = 20'000;
  plan.turn_lives = 40;
  plan.damages = 4'000;
  plan.byte_crashes = 0;
  plan.threads = 1;
  return plan;
}

Stopwatch no_stopwatch() {
  return [] { return 0.0; };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mutants)

BOOST_AUTO_TEST_CASE(each_fault_put_into_the_store_is_seen) {
  for (std::size_t number = 1; number < kMutantNames.size(); ++number) {
    Caught const caught = try_mutant(static_cast<Mutant>(number), small_plan(), no_stopwatch());
    BOOST_TEST(caught.caught, kMutantNames[number] << " was not seen in " << caught.tries << " tries");
    BOOST_TEST_MESSAGE(kMutantNames[number] << ": " << caught.by << ", " << caught.tries << " tries");
  }
}

BOOST_AUTO_TEST_CASE(the_store_without_a_fault_passes_in_this_build_too) {
  Plan plan = small_plan();
  plan.scope = 0;
  plan.crashes = 1000;
  plan.damages = 1000;
  Caught const caught = try_mutant(Mutant::none, plan, no_stopwatch());
  BOOST_TEST(!caught.caught, caught.what);
}

BOOST_AUTO_TEST_CASE(every_place_that_calls_the_disk_was_made_to_fail) {
  Tally tally;
  std::set<void const*> addresses;
  auto const failure = fail_every_call({tally, {}}, addresses);
  BOOST_REQUIRE_MESSAGE(!failure, failure->what);
  std::set<std::string> const lines = lines_of(addresses);
  BOOST_REQUIRE_MESSAGE(!lines.empty(), "addr2line (package binutils) is needed to name the calls");
  auto const sites = call_sites_in_source(FJ_SOURCE_DIR "/src/log/file", FJ_SOURCE_DIR "/src/env/disk.h");
  BOOST_TEST(sites.size() >= 25U);
  for (CallSite const& site : not_reached(sites, lines))
    BOOST_ERROR("src/log/file/" << site.file << ":" << site.line << ": " << site.text << " was never made to fail");
  BOOST_TEST_MESSAGE(sites.size() << " places, " << tally.failed_calls << " failed calls");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
