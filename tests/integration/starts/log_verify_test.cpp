// `fastjournal log verify` on folders of the real daemon: the same digest as the daemon's, no change on the disk, and a
// report of every mistake.
#include "tests/integration/log_tools.h"

using namespace fastjournal::test;

BOOST_AUTO_TEST_SUITE(log_verify)

BOOST_AUTO_TEST_CASE(verify_finds_what_the_daemon_held_and_touches_nothing) {
  Filled filled;
  std::string const digest = filled.digest();
  BOOST_TEST(digest.size() == 16U);
  filled.stop();
  Picture const before = picture_of(filled.log());
  ToolRan const verified = run_tool({"log", "verify", filled.log(), "--json"});
  BOOST_TEST(verified.code == 0, verified.output);
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
  BOOST_TEST(contains(verified.output, "\"stopped_cleanly\":\"yes\""), verified.output);
  BOOST_TEST(contains(verified.output, "\"table\":\"jobs\",\"type\":\"journal\",\"number\":2,\"rows\":19"),
             verified.output);
  BOOST_TEST(contains(verified.output, "\"table\":\"empty\""), verified.output);
  BOOST_CHECK(picture_of(filled.log()) == before);
  // In the form for people, with the folder from the configuration.
  ToolRan const shown = run_tool({"log", "verify", "--config", filled.path("fastjournal.xml")});
  BOOST_TEST(shown.code == 0, shown.output);
  BOOST_TEST(contains(shown.output, "digest"), shown.output);
  BOOST_TEST(contains(shown.output, digest), shown.output);
  BOOST_CHECK(picture_of(filled.log()) == before);
}

BOOST_AUTO_TEST_CASE(what_a_killed_daemon_left_is_verified_as_the_next_start_finds_it) {
  Filled filled;
  std::string const digest = filled.digest();
  filled.daemon.kill(SIGKILL);
  static_cast<void>(filled.daemon.wait());
  ToolRan const verified = run_tool({"log", "verify", filled.log(), "--json"});
  BOOST_TEST(verified.code == 0, verified.output);
  BOOST_TEST(value_behind(verified.output, "digest") == digest, verified.output);
  BOOST_TEST(contains(verified.output, "\"stopped_cleanly\":\"no\""), verified.output);
}

BOOST_AUTO_TEST_CASE(mistakes_are_said_with_an_exit_code_each) {
  Filled filled;
  ToolRan const used = run_tool({"log", "verify", filled.log()});
  BOOST_TEST(used.code == 6, used.output);
  BOOST_TEST(contains(used.output, "held by process " + std::to_string(filled.daemon.child().pid())), used.output);
  filled.stop();

  BOOST_TEST(run_tool({"log", "verify"}).code == 2);
  BOOST_TEST(run_tool({"log"}).code == 2);
  BOOST_TEST(run_tool({"log", "mend", filled.log()}).code == 2);
  BOOST_TEST(run_tool({"log", "verify", filled.path("nowhere")}).code == 2);
  ToolRan const no_log = run_tool({"log", "verify", filled.path("tables")});
  BOOST_TEST(no_log.code == 2, no_log.output);
  BOOST_TEST(contains(no_log.output, "no log here"), no_log.output);
  std::filesystem::create_directories(filled.path("plugins"));
  BOOST_TEST(run_tool({"log", "verify", filled.log(), "--plugins", filled.path("plugins")}).code == 2);

  // A bit in the middle of acknowledged data.
  std::string const segment = filled.log() + "/container-000001";
  std::string const bytes = bytes_of(segment);
  std::size_t const at = bytes.find("xxxxxxxx");
  BOOST_REQUIRE(at != std::string::npos);
  {
    std::fstream file{segment, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(static_cast<std::streamoff>(at));
    file.put('y');
  }
  ToolRan const damaged = run_tool({"log", "verify", filled.log()});
  BOOST_TEST(damaged.code == 7, damaged.output);
  BOOST_TEST(contains(damaged.output, "container-000001 offset "), damaged.output);
}

BOOST_AUTO_TEST_CASE(the_digest_counts_from_the_administrators_socket_only) {
  Filled filled;
  LineClient client{filled.daemon.tcp()};
  BOOST_TEST(contains(client.ask("DIGEST"), "code=not_allowed"));
}

BOOST_AUTO_TEST_SUITE_END()
