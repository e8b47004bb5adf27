// Words for priorities, of the table or the usual ones.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

BOOST_AUTO_TEST_SUITE(journal_priority_names)

BOOST_AUTO_TEST_CASE(a_priority_may_be_one_of_the_words_of_the_table) {
  Harness h;
  auto const priority_of = [&](std::string const& given) {
    h.run("INSERT", {{"k", given}, {"priority", given}});
    return h.run("PEEK", {{"k", given}}).get("priority");
  };
  std::pair<char const*, char const*> const usual[] = {
      {"NOW", "0"},    {"IMPORTANT", "10"}, {"NEW_PAGE", "20"},     {"RESET", "50"}, {"UPDATES", "180"},
      {"SLOW", "200"}, {"REVIEW", "230"},   {"TIME_ALLOWS", "255"}, {"7", "7"},      {"new_page", "20"}};
  for (auto const& [word, number] : usual) BOOST_TEST(priority_of(word) == number);
  Reply const refused = h.run("INSERT", {{"k", "a"}, {"priority", "FAST"}});
  BOOST_TEST(refused.error() == "bad_parameter");
  BOOST_TEST(refused.status.message() ==
             "priority is \"FAST\": expected a whole number from 0 to 255, or one of NOW (0), IMPORTANT (10), "
             "NEW_PAGE (20), RESET (50), UPDATES (180), SLOW (200), REVIEW (230), TIME_ALLOWS (255)");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"priority", "256"}}).error() == "bad_parameter");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"priority", ""}}).error() == "bad_parameter");
  h.change({{"priority-words", "high=1\n low-est=255"}});
  BOOST_TEST(priority_of("LOW-EST") == "255");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"priority", "NOW"}}).status.message() ==
             "priority is \"NOW\": expected a whole number from 0 to 255, or one of high (1), low-est (255)");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(words_that_cannot_be_given_are_refused) {
  for (std::string const bad : {"NOW", "NOW=", "NOW=256", "NOW=-1", "1=1", "=1", "NOW=1 now=2", "A B=1", "\xC3\xA4=1"})
    BOOST_TEST(!journal::Journal::check(*declare({{"priority-words", bad}})).ok());
  for (std::string const good : {"", "A=1", " A=1  b_2-c=255\n"})
    BOOST_TEST(journal::Journal::check(*declare({{"priority-words", good}})).ok());
}

BOOST_AUTO_TEST_SUITE_END()
