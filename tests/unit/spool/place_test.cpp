// Names of files, and the periods that cut them.
#include <boost/test/unit_test.hpp>

#include <string>

#include "clients/spool/core/place.h"

namespace fastjournal::spool {
namespace {

BOOST_AUTO_TEST_SUITE(spool_place)

BOOST_AUTO_TEST_CASE(a_name_and_back) {
  Place const place{1'795'399'200, 12};
  BOOST_TEST(name_of(place) == "20261123T020000Z-12.rows");
  BOOST_TEST((place_of("20261123T020000Z-12.rows") == place));
  BOOST_TEST(name_of({0, 0}) == "19700101T000000Z-0.rows");
}

BOOST_AUTO_TEST_CASE(names_of_other_files) {
  for (char const* const name :
       {"", ".rows", "20261123T020000Z-.rows", "20261123T020000Z-1.row", "20261123T020000Z-01.rows",
        "20261123T020000Z--1.rows", "20261323T020000Z-1.rows", "20261131T020000Z-1.rows", "20261123T250000Z-1.rows",
        "20261123T240000Z-1.rows", "20261123 020000Z-1.rows", "20261123T020000Z-99999999999.rows",
        "x20261123T020000Z-1.rows", "+0261123T020000Z-1.rows"})
    BOOST_TEST(!place_of(name).has_value(), "\"" << name << "\"");
}

BOOST_AUTO_TEST_CASE(all_processes_cut_at_the_same_moments) {
  BOOST_TEST(begin_of_period(7199, 3600) == 3600);
  BOOST_TEST(begin_of_period(7200, 3600) == 7200);
  BOOST_TEST(begin_of_period(7201, 1) == 7201);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool
