// The files of a list system: lines found between LF, and what becomes of them.
#include "clients/spool/core/lines.h"

#include <boost/test/unit_test.hpp>

#include "clients/spool/core/place.h"
#include "wire/msgpack.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::spool;

constexpr std::string_view kLine{"priority=20;key_start_date=1540000010000000;uri=http://example.com/page"};

}  // namespace

BOOST_AUTO_TEST_SUITE(lines_of_a_list_system)

BOOST_AUTO_TEST_CASE(a_line_ends_with_a_line_feed_and_settled_ones_are_line_feeds) {
  std::string const bytes = std::string(70, '\n') + std::string{kLine} + "\n" + std::string(3, '\0') + "uri=b\nuri=c";
  Found const first = find_line(bytes, 0, false);
  BOOST_TEST((first.kind == Found::Kind::record));
  BOOST_TEST(first.body == kLine);
  BOOST_TEST(first.begin == 70U);
  BOOST_TEST(first.end == 70U + kLine.size() + 1);
  Found const second = find_line(bytes, first.end, false);
  BOOST_TEST(second.body == "uri=b");
  Found const open = find_line(bytes, second.end, false);
  BOOST_TEST((open.kind == Found::Kind::unfinished));
  BOOST_TEST(bytes.substr(open.begin) == "uri=c");
  Found const torn = find_line(bytes, second.end, true);
  BOOST_TEST((torn.kind == Found::Kind::nothing));
  BOOST_TEST(torn.damaged_bytes == 5U);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_damage_and_the_next_one_is_found) {
  std::string const bytes = std::string(kLineBytesMax + 1, 'x') + "\nuri=b\n";
  Found const found = find_line(bytes, 0, false);
  BOOST_TEST(found.body == "uri=b");
  BOOST_TEST(found.damaged_bytes == kLineBytesMax + 1);
  BOOST_TEST((find_line(std::string(kLineBytesMax, 'x'), 0, false).kind == Found::Kind::unfinished));
  BOOST_TEST((find_line(std::string(kLineBytesMax + 1, 'x'), 0, false).kind == Found::Kind::nothing));
}

BOOST_AUTO_TEST_CASE(it_is_the_parameters_of_a_message) {
  Message row;
  std::string frame;
  BOOST_REQUIRE(read_line(kLine, "LISTDATA", row, frame).ok());
  BOOST_TEST(row.command == "LISTDATA");
  BOOST_TEST(row.text("uri") == "http://example.com/page");
  Message again;
  BOOST_REQUIRE(protocol::parse_frame(frame, again).ok());
  BOOST_TEST(again.command == "LISTDATA");
  BOOST_TEST(again.integer("priority").value_or(0) == 20);
  for (std::string_view const bad :
       {"", "nothing", "=1", "uri=a;client=me", "uri=a;sequence=1", "uri=a;request=1", "a/b uri=c", "\x01uri=a"})
    BOOST_TEST(!read_line(bad, "LISTDATA", row, frame).ok(), bad);
}

BOOST_AUTO_TEST_CASE(its_hour_is_the_last_one_that_has_begun) {
  std::int64_t const seven = 1'795'417'200;  // 2026-11-23 07:00:00 UTC
  BOOST_TEST(place_of_hour("7.msg", seven).value().begin_s == seven);
  BOOST_TEST(place_of_hour("7.msg", seven + 3599).value().begin_s == seven);
  BOOST_TEST(place_of_hour("7.msg", seven - 1).value().begin_s == seven - 86'400);
  BOOST_TEST(place_of_hour("0.msg", seven).value().begin_s == seven - 7 * 3600);
  BOOST_TEST(place_of_hour("23.msg", seven).value().begin_s == seven - 8 * 3600);
  for (std::string_view const bad : {"24.msg", "07.msg", "-1.msg", ".msg", "7.rows", "7.msg.new"})
    BOOST_TEST(!place_of_hour(bad, seven).has_value(), bad);
  Place const place{seven, 3, Kind::lines};
  BOOST_TEST(name_of(place) == "20261123T070000Z-3.msg");
  BOOST_TEST((place_of(name_of(place)) == place));
}

BOOST_AUTO_TEST_SUITE_END()
