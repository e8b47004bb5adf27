// The entries of the journal of systemd. What reaches a real one: debian/tests and scripts/try_packages.sh.
#include "platform/os/event_log.h"

#include <boost/test/unit_test.hpp>

using namespace fastjournal;

BOOST_AUTO_TEST_SUITE(event_log)

BOOST_AUTO_TEST_CASE(an_entry_has_its_text_on_one_line_its_priority_its_program_and_the_fields_as_they_are) {
  std::string const entry =
      os::journal_entry("fastjournald", 4, "alert a\nof\x1b[31m \u202eb",
                        {{"FASTJOURNAL_ALERT", "row-failed"}, {"FASTJOURNAL_TABLE", ""}, {"FASTJOURNAL_TAGS", "a\nb"}});
  using namespace std::string_literals;
  BOOST_TEST(entry ==
             "MESSAGE=alert a\\nof\\x1b[31m ?b\nPRIORITY=4\nSYSLOG_IDENTIFIER=fastjournald\n"
             "FASTJOURNAL_ALERT\n\x0a\0\0\0\0\0\0\0row-failed\n"
             "FASTJOURNAL_TABLE\n\0\0\0\0\0\0\0\0\nFASTJOURNAL_TAGS\n\x03\0\0\0\0\0\0\0a\nb\n"s);
}

BOOST_AUTO_TEST_SUITE_END()
