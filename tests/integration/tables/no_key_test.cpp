// The command line on a table without row-key: put, also with --from, ls, peek by the row's number, ls --all into
// another such table, and completion. Equal rows are separate rows.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "tests/integration/log_tools.h"
#include "tests/integration/shell.h"

namespace {

using namespace fastjournal::test;

std::string table_text(std::string const& name, std::string const& attributes = "") {
  return "<table name=\"" + name + "\" model=\"journal\" " + attributes +
         ">\n<schema>\n<column name=\"what\" type=\"string\" required=\"true\"/>\n"
         "<column name=\"size\" type=\"uint32\"/>\n</schema>\n</table>\n";
}

struct NoKeyFixture {
  NoKeyFixture() {
    daemon.write("tables/events.xml", table_text("events"));
    daemon.write("tables/copies.xml", table_text("copies"));
    daemon.write("tables/cache.xml", "<table name=\"cache\" model=\"keyvalue\"/>\n");
    daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\"/>\n");
    daemon.write("tables/visits.xml", table_text("visits", "row-key=\"what\""));
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  ~NoKeyFixture() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  Ran sh(std::string const& command) { return run_in_shell(daemon, command); }
  // The words that bash offers after `fastjournal VERB TABLE`.
  std::string offered(std::string const& verb, std::string const& table) {
    return sh("bash --norc -c '. <(fastjournal completion bash); COMP_WORDS=(fastjournal " + verb + " " + table +
              " \"\"); COMP_CWORD=3; _fastjournal; echo \"${COMPREPLY[@]}\"'")
        .output;
  }
  RealDaemon daemon{""};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(no_key)

BOOST_FIXTURE_TEST_CASE(the_command_line_puts_lists_and_names_rows_of_a_table_without_key, NoKeyFixture) {
  BOOST_TEST(contains(daemon.output(), "events (journal), no key"));
  // Of what has no columns it is not said.
  BOOST_TEST(contains(daemon.output(), "cache (keyvalue)\n"));
  BOOST_TEST(contains(daemon.output(), "post (queue)\n"));
  Ran const put = sh("fastjournal put events what=click size=1");
  BOOST_TEST(put.code == 0, put.output);
  BOOST_TEST(sh("fastjournal put events what=click size=1").code == 0);
  Ran const lines = sh("printf '{\"what\":\"view\"}\\n{\"what\":\"view\"}\\n' | fastjournal put events --from -");
  BOOST_TEST(lines.code == 0, lines.output);
  Ran const tables = sh("fastjournal --json tables");
  BOOST_TEST(contains(tables.output, "\"key\":\"\""), tables.output);

  Ran const listed = sh("fastjournal ls events");
  BOOST_TEST(listed.code == 0, listed.output);
  BOOST_TEST(contains(listed.output, "click"), listed.output);
  Ran const row = sh("fastjournal --json ls events --count 1 | grep -o '\"row\":[0-9]*' | grep -o '[0-9]*'");
  std::string const number = row.output.substr(0, row.output.find('\n'));
  Ran const peeked = sh("fastjournal peek events " + number);
  BOOST_TEST(peeked.code == 0, peeked.output);
  BOOST_TEST(contains(peeked.output, "click"), peeked.output);
  BOOST_TEST(contains(sh("fastjournal why events " + number).output, "It is due"));
  Ran const by_column = sh("fastjournal peek events what=click");
  BOOST_TEST(by_column.code != 0);
  BOOST_TEST(contains(by_column.output, "table events has no row-key"), by_column.output);
  Ran const prefix = sh("fastjournal ls events --prefix c");
  BOOST_TEST(prefix.code != 0);
  BOOST_TEST(contains(prefix.output, "table events has no row-key"), prefix.output);

  Ran const copied = sh("fastjournal ls events --all --json | fastjournal put copies --from -");
  BOOST_TEST(copied.code == 0, copied.output);
  BOOST_TEST(sh("fastjournal --json ls copies | grep -c '\"what\"'").output == "4\n");
  BOOST_TEST(sh("fastjournal delete events " + number).code == 0);
  BOOST_TEST(sh("fastjournal --json ls events | grep -c '\"what\"'").output == "3\n");
}

BOOST_FIXTURE_TEST_CASE(completion_offers_all_columns_for_put_and_those_of_the_key_to_name_a_row, NoKeyFixture) {
  for (char const* const verb : {"peek", "why", "delete", "kick"}) {
    BOOST_TEST(offered(verb, "visits") == "what=\n", verb);
    BOOST_TEST(offered(verb, "events") == "\n", verb);
  }
  for (char const* const any : {"visits", "events"}) BOOST_TEST(offered("put", any) == "what= size=\n", any);
}

BOOST_AUTO_TEST_SUITE_END()
