// KICK and DELETE of many rows: their pages, and the limits of what one command may cost.
#include <boost/test/unit_test.hpp>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

struct BulkFixture : Harness {
  void fill(std::string const& prefix, std::uint64_t rows) {
    for (std::uint64_t i = 0; i < rows; ++i) run("INSERT", {{"k", prefix + std::to_string(i)}});
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_bulk)

BOOST_FIXTURE_TEST_CASE(pages_lead_through_all_rows_and_a_dry_run_counts_the_same, BulkFixture) {
  fill("a", 1200);
  fill("b", 300);
  fill("a_", 1100);
  for (std::string const dry_run : {"1", "0"}) {
    std::vector<std::uint64_t> pages;
    std::string after = "0";
    while (after != "-") {
      Reply const page = run("DELETE", {{"prefix", "a"}, {"after", after}, {"dry_run", dry_run}});
      BOOST_REQUIRE(page.name() == "DELETED");
      BOOST_REQUIRE(page.messages.size() == 1U);
      pages.push_back(std::stoull(page.get("count")));
      after = page.get("after");
    }
    BOOST_TEST(pages == (std::vector<std::uint64_t>{1000, 1000, 300}), boost::test_tools::per_element());
  }
  BOOST_TEST(run("DELETE", {{"prefix", "a"}}).get("count") == "0");
  BOOST_TEST(run("DELETE", {{"status", "due"}}).get("count") == "300");
  BOOST_TEST(replays());
}

// A filter that matches nothing must not delay the other clients.
BOOST_FIXTURE_TEST_CASE(one_command_looks_at_ten_thousand_rows, BulkFixture) {
  fill("a", 10'001);
  Reply const page = run("KICK", {{"error", "x"}});
  BOOST_TEST(page.get("count") == "0");
  BOOST_TEST(page.get("looked") == "10000");
  Reply const rest = run("KICK", {{"error", "x"}, {"after", page.get("after")}});
  BOOST_TEST(rest.get("looked") == "1");
  BOOST_TEST(rest.get("after") == "-");
}

// Each step stays within its reservation, also where parked rows fold into a waiting one.
BOOST_FIXTURE_TEST_CASE(parked_rows_of_one_key_fold_one_after_the_other, BulkFixture) {
  for (int i = 0; i < 40; ++i) {
    run("INSERT", {{"k", "a"}, {"v", std::string(1000, 'x')}});
    Reply const lease = run("NEXT", {});
    run("FAIL", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", std::string(1024, 'e')}});
  }
  run("INSERT", {{"k", "a"}, {"v", "new"}});
  BOOST_TEST(run("KICK", {{"error", "ee"}}).get("count") == "40");
  Reply const left = run("PEEK", {{"k", "a"}});
  BOOST_TEST(left.messages.size() == 1U);
  BOOST_TEST(left.get("v") == "new");
  BOOST_TEST(left.get("merges") == "40");
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_SUITE_END()
