// TIMELINE of a table that is larger than a page, and of domains with few rows and many; transcripts show the rest.
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

#include "tests/unit/journal/harness.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::journal;
using namespace fastjournal::journal::test;

// Rows of all pages, and the number of pages.
std::uint64_t sum_of(Harness& table, Texts command, std::size_t& pages) {
  std::uint64_t sum = 0;
  std::string const now = std::to_string(table.now.value);
  for (pages = 1;; ++pages) {
    Reply const reply = table.run("TIMELINE", command);
    BOOST_REQUIRE(reply.status.ok());
    BOOST_REQUIRE(!reply.messages.empty());
    for (Texts const& message : reply.messages) {
      BOOST_TEST(message.at("now") == now);
      if (message.at("") == "DUE") sum += std::stoull(message.at("rows"));
    }
    if (!reply.messages.back().contains("after")) return sum;
    command["after"] = reply.messages.back().at("after");
    command["now"] = now;
    table.now = table.now + DurationMs{1};  // later pages have the begin of the first
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(overview)

BOOST_AUTO_TEST_CASE(pages_add_up_to_all_rows) {
  Harness table;
  constexpr std::uint32_t kRows = Overview::kRowsPerPage + 1000;
  for (std::uint32_t i = 0; i < kRows; ++i)
    table.run("INSERT", {{"k", std::to_string(i)}, {"process_date", "+" + std::to_string(10'000 + i % 7 * 60'000)}});
  table.run("INSERT", {{"k", "due"}});
  std::size_t pages = 0;
  BOOST_TEST(sum_of(table, {}, pages) == kRows + 1);
  BOOST_TEST(pages == 2U);
  // Beyond the last row: nothing, and no further page.
  Reply const beyond = table.run("TIMELINE", {{"after", std::to_string(kRows + 1)}});
  BOOST_TEST(beyond.name() == "NOTHING");
  BOOST_TEST(beyond.get("after") == "-");
}

BOOST_AUTO_TEST_CASE(a_small_domain_of_a_large_table_takes_one_page) {
  Harness table{{{"domain", "v"}}};
  constexpr std::uint32_t kRows = Overview::kRowsPerPage + 1000;
  for (std::uint32_t i = 0; i < kRows; ++i)
    table.run("INSERT",
              {{"k", std::to_string(i)}, {"v", i % 100'000 == 0 ? "small" : "large"}, {"process_date", "+10000"}});
  std::size_t pages = 0;
  BOOST_TEST(sum_of(table, {{"domain", "small"}}, pages) == 3U);
  BOOST_TEST(pages == 1U);
  BOOST_TEST(sum_of(table, {{"domain", "large"}}, pages) == kRows - 3);
  BOOST_TEST(pages == 2U);
  BOOST_TEST(sum_of(table, {{"domain", "none"}}, pages) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
