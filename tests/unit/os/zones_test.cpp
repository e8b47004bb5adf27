// The zones of this computer: their spans, also behind the tables of their files, and names that are none.
#include "platform/os/zones.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace fastjournal::os::zones_test {

BOOST_AUTO_TEST_SUITE(zones, *boost::unit_test::precondition([](boost::unit_test::test_unit_id) {
                        return std::filesystem::is_directory("/usr/share/zoneinfo/Europe");
                      }))

BOOST_AUTO_TEST_CASE(spans_are_those_of_the_rules_at_any_date) {
  SystemZones const zones;
  Zone const* const berlin = zones.find("Europe/Berlin");
  BOOST_REQUIRE(berlin != nullptr);
  BOOST_TEST(zones.find("Europe/Berlin") == berlin);
  ZoneSpan const summer = berlin->at(1'784'000'000);  // July 2026
  BOOST_TEST(summer.offset_s == 7200);
  BOOST_TEST(summer.begin_s == 1'774'746'000);
  BOOST_TEST(summer.end_s == 1'792'890'000);
  BOOST_TEST(berlin->at(summer.begin_s).begin_s == summer.begin_s);
  BOOST_TEST(berlin->at(summer.begin_s - 1).end_s == summer.begin_s);
  BOOST_TEST(berlin->at(summer.begin_s - 1).offset_s == 3600);
  BOOST_TEST(berlin->at(summer.end_s).begin_s == summer.end_s);
  BOOST_TEST(berlin->at(2'225'000'000).offset_s == 7200);  // July 2040: by the rule at the end of the file
  BOOST_TEST(zones.find("Asia/Kathmandu")->at(1'784'000'000).offset_s == 20'700);
  // The day that Apia left out.
  BOOST_TEST(zones.find("Pacific/Apia")->at(1'325'239'200).offset_s -
                 zones.find("Pacific/Apia")->at(1'325'239'199).offset_s ==
             86'400);
}

BOOST_AUTO_TEST_CASE(a_name_is_never_a_path) {
  SystemZones const zones;
  for (std::string_view name :
       {"", "/etc/passwd", "../../../etc/passwd", "Europe/../Europe/Berlin", "Europe//Berlin", "Europe/", "Europe", "/",
        "file:/etc/passwd", "localtime", "right/Europe/Berlin", "posix/Europe/Berlin", "Fixed/UTC+01:00:00",
        "Europe/Berlin\n", "Europe/Atlantis", "zone.tab", "leap-seconds.list", "tzdata.zi"})
    BOOST_TEST(zones.find(name) == nullptr, name);
  BOOST_TEST(zones.find(std::string_view{"Europe/Berlin\0", 14}) == nullptr);
  Result<Zone const*> const unknown = find_zone(&zones, "Europe/Atlantis");
  BOOST_TEST(unknown.status().message().find("'Europe/Atlantis' is unknown; expected UTC or a name like") !=
             std::string::npos);
  BOOST_TEST(find_zone(&zones, std::string(200, 'a')).status().message().size() < 300);
}

BOOST_AUTO_TEST_CASE(a_computer_without_zones_says_so) {
  SystemZones const zones{"/nowhere/zoneinfo"};
  BOOST_TEST(zones.find("Europe/Berlin") == nullptr);
  BOOST_TEST(find_zone(&zones, "UTC").ok());
  BOOST_TEST(find_zone(&zones, "Europe/Berlin").status().message().find("/nowhere/zoneinfo is missing, install the") !=
             std::string::npos);
  BOOST_TEST(find_zone(nullptr, "Europe/Berlin").status().message().find("only UTC is known") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os::zones_test
