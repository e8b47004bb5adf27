// The columns that characters take on a terminal.
#include <boost/test/unit_test.hpp>

#include "clients/programs/fastjournal/utf8.h"

using namespace fastjournal::cli;

BOOST_AUTO_TEST_SUITE(cli_utf8)

BOOST_AUTO_TEST_CASE(characters_take_two_columns_one_or_none) {
  BOOST_TEST(display_width("abc") == 3U);
  BOOST_TEST(display_width("\xc3\xa9") == 1U);
  // Two ideographs; e and a combining acute.
  BOOST_TEST(display_width("\xe6\x97\xa5\xe6\x9c\xac") == 4U);
  BOOST_TEST(display_width("e\xcc\x81") == 1U);
  BOOST_TEST(display_width("\xff"
                           "a\x1b") == 3U);
}

BOOST_AUTO_TEST_CASE(a_character_is_cut_off_whole) {
  BOOST_TEST(cut_to_width("\xe6\x97\xa5\xe6\x9c\xac", 3) == "\xe6\x97\xa5");
  BOOST_TEST(cut_to_width("e\xcc\x81"
                          "f",
                          1) == "e\xcc\x81");
  BOOST_TEST(cut_to_width("abc", 9) == "abc");
  BOOST_TEST(cut_to_width("abc", 0) == "");
}

BOOST_AUTO_TEST_SUITE_END()
