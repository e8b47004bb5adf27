// Every place of the log store that calls the disk was made to fail.
#include <boost/test/unit_test.hpp>

#include "tests/crash/call_sites.h"
#include "tests/crash/proofs.h"

namespace fastjournal::log::file::test {

BOOST_AUTO_TEST_SUITE(call_sites)

BOOST_AUTO_TEST_CASE(every_place_that_calls_the_disk_was_made_to_fail) {
  Tally tally;
  std::set<void const*> addresses;
  auto const failure = fail_every_call({tally, {}}, addresses);
  BOOST_REQUIRE_MESSAGE(!failure, failure->what);
  std::set<std::string> const lines = lines_of(addresses);
  BOOST_REQUIRE_MESSAGE(!lines.empty(), "addr2line (package binutils) is needed to name the calls");
  auto const sites = call_sites_in_source(FJ_SOURCE_DIR "/src/log/file", FJ_SOURCE_DIR "/src/base/env/disk.h");
  BOOST_TEST(sites.size() >= 25U);
  for (CallSite const& site : not_reached(sites, lines))
    BOOST_ERROR("src/log/file/" << site.file << ":" << site.line << ": " << site.text << " was never made to fail");
  BOOST_TEST_MESSAGE(sites.size() << " places, " << tally.failed_calls << " failed calls");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
