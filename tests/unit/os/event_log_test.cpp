// The entries of the journal of systemd. What reaches a real one: debian/tests and scripts/try_packages.sh.
#include "os/event_log.h"

#include <boost/test/unit_test.hpp>

using namespace fastjournal;

BOOST_AUTO_TEST_SUITE(event_log)

BOOST_AUTO_TEST_CASE(an_entry_has_its_text_on_one_line_its_priority_its_program_and_the_fields_as_they_are) {
  std::vector<std::string> const entry =
      os::journal_entry("fastjournald", 4, "alert a\nof\x1b[31m \u202eb",
                        {{"FASTJOURNAL_ALERT", "row-failed"}, {"FASTJOURNAL_TABLE", ""}, {"FASTJOURNAL_TAGS", "a\nb"}});
  std::vector<std::string> const wanted{
      "MESSAGE=alert a\\nof\\x1b[31m ?b", "PRIORITY=4",         "SYSLOG_IDENTIFIER=fastjournald",
      "FASTJOURNAL_ALERT=row-failed",     "FASTJOURNAL_TABLE=", "FASTJOURNAL_TAGS=a\nb"};
  BOOST_TEST(entry == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
