// `schedule`: what a crontab becomes, and what is said without a daemon. With one: doc/schedules.md.
#include "clients/programs/fastjournal/imports/crontab.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::test;

BOOST_AUTO_TEST_SUITE(cli_schedules)

BOOST_AUTO_TEST_CASE(a_crontab_becomes_schedules_and_each_line_that_does_not_is_told) {
  imports::Crontab const read = imports::read_crontab(
      "# of anna\n"
      "\n"
      "PATH = /usr/bin\n"
      "30 2 * * *  /usr/bin/backup --all  # nightly\n"
      "CRON_TZ=\"Europe/Berlin\"\n"
      "  @daily\techo 100\\%\r\n"
      "0 9 */2 * 1 meet\n"
      "0 9 1 * */2 meet\n"
      "0 9 1,15 * 1 meet\n"
      "TZ=\n"
      "0 9 * * 1 x=1 run\n"
      "@reboot start\n"
      "0 25 * * * run\n"
      "0 1 * * * mail anna%hello\n"
      "0 1 * * *\n"
      "0 1 * * * echo {date}\n"
      "30 2 * * *  /usr/bin/backup --all  # nightly",
      "Asia/Kathmandu", false);
  BOOST_REQUIRE(read.lines.size() == 6U);
  BOOST_TEST(read.lines[0].line == 4U);
  BOOST_TEST(read.lines[0].cron == "30 2 * * *");
  BOOST_TEST(read.lines[0].zone == "Asia/Kathmandu");
  BOOST_TEST(read.lines[0].command == "/usr/bin/backup --all  # nightly");
  BOOST_TEST(read.lines[0].name.starts_with("backup-"));
  BOOST_TEST(read.lines[0].name.size() == 15U);
  BOOST_TEST(read.lines[1].cron == "@daily");
  BOOST_TEST(read.lines[1].zone == "Europe/Berlin");
  BOOST_TEST(read.lines[1].command == "echo 100%");
  // cron takes both days if one of them begins with *.
  BOOST_TEST(read.lines[2].cron == "0 9 */2 * +1");
  BOOST_TEST(read.lines[3].cron == "0 9 1 * +*/2");
  BOOST_TEST(read.lines[4].cron == "0 9 1,15 * 1");
  BOOST_TEST(read.lines[5].cron == "0 9 * * 1");
  BOOST_TEST(read.lines[5].zone == "Asia/Kathmandu");
  BOOST_TEST(read.lines[5].command == "x=1 run");
  BOOST_TEST(read.lines[2].name != read.lines[3].name);
  BOOST_REQUIRE(read.notes.size() == 1U);
  BOOST_TEST(read.notes[0].line == 3U);
  BOOST_REQUIRE(read.problems.size() == 6U);
  constexpr std::pair<std::uint64_t, std::string_view> kTold[] = {{12, "it has no date"},
                                                                  {13, "field 2 (hour)"},
                                                                  {14, "a % that is not"},
                                                                  {15, "no command"},
                                                                  {16, "{schedule} or {date} in it"},
                                                                  {17, "the same as line 4"}};
  for (std::size_t i = 0; i < read.problems.size(); ++i) {
    BOOST_TEST(read.problems[i].line == kTold[i].first);
    BOOST_TEST(says(read.problems[i].text, kTold[i].second), read.problems[i].text);
  }
}

BOOST_AUTO_TEST_CASE(a_systems_crontab_has_users) {
  imports::Crontab const read =
      imports::read_crontab("17 * * * * root cd / && run-parts /etc/cron.hourly\n@weekly anna\n", "UTC", true);
  BOOST_REQUIRE(read.lines.size() == 1U);
  BOOST_TEST(read.lines[0].user == "root");
  BOOST_TEST(read.lines[0].command == "cd / && run-parts /etc/cron.hourly");
  BOOST_TEST(says(read.problems.at(0).text, "the user"));
}

BOOST_AUTO_TEST_CASE(options_are_checked_before_anything_is_asked) {
  BOOST_TEST(says(refused({"schedule", "dates", "5 24 * * *"}), "field 2 (hour)"));
  BOOST_TEST(
      says(refused({"schedule", "dates", "@daily", "--zone", "Europe/Atlantis"}), "'Europe/Atlantis' is unknown"));
  BOOST_TEST(says(refused({"schedule", "import", "jobs", "crontab"}), "--column"));
  BOOST_TEST(says(refused({"schedule", "import", "jobs", "x", "--column", "c", "--user-column", "u"}), "--system"));
  BOOST_TEST(says(refused({"schedule", "add", "jobs", "s", "--cron", "@daily", "--every", "1h"}), "--every"));
}

BOOST_AUTO_TEST_SUITE_END()
