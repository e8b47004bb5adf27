// Service files of a communicatord are installed where it reads them, in share/communicator/services only; and the units
// of systemd wait for the disks that they need.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

BOOST_AUTO_TEST_SUITE(services_of_a_communicatord)

BOOST_AUTO_TEST_CASE(each_service_file_is_installed_where_they_are_read) {
  std::string const root = FJ_SOURCE_DIR;
  std::ostringstream text;
  text << std::ifstream{root + "/src/daemon/CMakeLists.txt"}.rdbuf();
  std::string const rules = text.str();
  std::string const where = "DESTINATION ${CMAKE_INSTALL_DATADIR}/communicator/services)";
  std::size_t const end = rules.find(where);
  BOOST_REQUIRE(end != std::string::npos);
  std::string const rule = rules.substr(rules.rfind("install(FILES", end), end - rules.rfind("install(FILES", end));
  std::size_t seen = 0;
  for (auto const& entry : std::filesystem::directory_iterator{root + "/conf"}) {
    if (entry.path().extension() != ".service") continue;
    ++seen;
    BOOST_TEST(rule.find("/conf/" + entry.path().filename().string()) != std::string::npos, entry.path());
  }
  BOOST_TEST(seen >= 2U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(units_of_systemd)

// An unmounted disk is an empty folder: what would be written there is a new journal.
BOOST_AUTO_TEST_CASE(the_daemon_is_started_when_the_disk_of_its_data_is_mounted) {
  std::ostringstream text;
  text << std::ifstream{std::string{FJ_SOURCE_DIR} + "/conf/systemd/fastjournal.service.in"}.rdbuf();
  std::string const unit = text.str().substr(0, text.str().find("\n[Service]\n"));
  BOOST_TEST(unit.find("\nRequiresMountsFor=@FJ_DATA_FOLDER_FULL@\n") != std::string::npos, unit);
}

BOOST_AUTO_TEST_SUITE_END()
