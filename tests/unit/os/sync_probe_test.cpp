// Syncs are measured on real files: nothing is left in the folder, limits hold, failures name the folder.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

#include "platform/os/sync_probe.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::os {

BOOST_AUTO_TEST_SUITE(sync_probe)

BOOST_AUTO_TEST_CASE(it_counts_sorted_times_and_leaves_nothing) {
  test::TemporaryFolder const folder;
  auto const times = probe_syncs(folder.path(), {.limit = std::chrono::minutes{1}, .count_max = 20, .blocks = 8});
  BOOST_REQUIRE_MESSAGE(times.ok(), times.status().text());
  BOOST_TEST(times->us.size() == 20U);
  BOOST_TEST(std::is_sorted(times->us.begin(), times->us.end()));
  BOOST_TEST(times->us_at(0) == times->us.front());
  BOOST_TEST(times->us_at(1) == times->us.back());
  BOOST_TEST(times->per_second() > 0);
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
}

BOOST_AUTO_TEST_CASE(it_stops_when_it_is_told) {
  test::TemporaryFolder const folder;
  std::size_t asked = 0;
  auto const times =
      probe_syncs(folder.path(), {.limit = std::chrono::minutes{1}, .blocks = 8, .stop = [&] { return ++asked > 3; }});
  BOOST_REQUIRE(times.ok());
  BOOST_TEST(times->us.size() == 3U);
  BOOST_TEST(
      (probe_syncs(folder.path(), {.blocks = 8, .stop = [] { return true; }}).status().code() == Code::timed_out));
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_is_named) {
  auto const times = probe_syncs("/no/such/folder", {});
  BOOST_TEST((times.status().code() == Code::io_error));
  BOOST_TEST(times.status().message() == "create a file in /no/such/folder: No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os
