// `put --from` with kill -9 of the real daemon (FJ_LINES rows, FJ_LINE_KILLS kills): every line is inserted exactly
// once. A merge could hide a line that was put twice, so each row counts its inserts in a column with merge="sum".
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>

#include "tests/integration/shell.h"
#include "tests/support/seed.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

constexpr char kTable[] =
    "<table name=\"lines\" model=\"journal\" row-key=\"name\">\n<schema>\n"
    "<column name=\"name\" type=\"uint64\" required=\"true\"/>\n"
    "<column name=\"puts\" type=\"uint32\" merge=\"sum\"/>\n</schema>\n</table>\n";

struct PutFromFixture {
  PutFromFixture() {
    daemon.write("tables/lines.xml", kTable);
    std::string text;
    for (std::uint64_t i = 1; i <= lines; ++i) text += "{\"name\":" + std::to_string(i) + ",\"puts\":1}\n";
    daemon.write("input", text);
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  ~PutFromFixture() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }

  ChildProcess start(std::string const& options) {
    ChildOptions child;
    child.environment = shell_variables(daemon);
    return ChildProcess{shell_words(daemon, "exec fastjournal put lines --from input " + options), child};
  }
  std::uint64_t rows() {
    LineClient client{daemon.local()};
    BOOST_REQUIRE(client.send("STATS table=lines\n"));
    // The message has views into the line.
    std::string const line = client.read_line().value_or("");
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return static_cast<std::uint64_t>(message.integer("rows").value_or(0));
  }
  void wait_for_rows(std::uint64_t wanted) {
    auto const until = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (rows() < wanted) BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < until, "the lines do not come");
  }
  void kill_and_start() {
    daemon.kill(SIGKILL);
    BOOST_REQUIRE(daemon.wait().has_value());
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  // Takes all rows: each must come once and have been put once.
  void check_all() {
    LineClient client{daemon.local()};
    std::set<std::uint64_t> seen;
    std::uint64_t doubles = 0;
    for (bool more = true; more;) {
      BOOST_REQUIRE(client.send("NEXT table=lines;count=1024\n"));
      for (bool last = false; !last;) {
        std::optional<std::string> const line = client.read_line();
        BOOST_REQUIRE(line.has_value());
        Message message;
        BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
        more = message.command == "ROW";
        last = message.integer("left").value_or(0) == 0;
        if (!more) continue;
        if (message.integer("puts") != 1) ++doubles;
        seen.insert(static_cast<std::uint64_t>(message.integer("name").value_or(0)));
      }
    }
    BOOST_TEST(seen.size() == lines);
    BOOST_TEST(*seen.begin() == 1U);
    BOOST_TEST(*seen.rbegin() == lines);
    BOOST_TEST(doubles == 0U);
  }

  std::uint64_t const lines = number_from("FJ_LINES", 30'000);
  std::uint64_t const kills = number_from("FJ_LINE_KILLS", 2);
  RealDaemon daemon{""};
};

std::size_t count_of(std::string const& all, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++out;
  return out;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lines_through_kills, PutFromFixture)

BOOST_AUTO_TEST_CASE(of_the_daemon_nothing_is_lost_and_nothing_double) {
  ChildProcess put = start("");
  for (std::uint64_t i = 1; i <= kills; ++i) {
    wait_for_rows(lines * i / (kills + 2));
    kill_and_start();
  }
  BOOST_TEST(put.wait(std::chrono::minutes{5}).value_or(-1) == 0);
  std::string const& said = put.output();
  BOOST_TEST_MESSAGE(said);
  BOOST_TEST(said.find("\n" + std::to_string(lines) + " in (") != std::string::npos, said);
  BOOST_TEST(said.ends_with(" inserted), 0 refused\n"), said);
  BOOST_TEST(count_of(said, "trying again") == kills, said);
  BOOST_TEST(count_of(said, "connected again") == kills, said);
  check_all();
}

BOOST_AUTO_TEST_CASE(of_the_producer_too_where_it_goes_on_by_its_state) {
  // First before it has heard of any row, then in the middle.
  for (std::uint64_t const there : {std::uint64_t{1}, lines * 2 / 3}) {
    ChildProcess put = start("--resume state");
    wait_for_rows(there);
    put.kill(SIGKILL);
    BOOST_REQUIRE(put.wait().has_value());
    kill_and_start();
  }
  ChildProcess put = start("--resume state");
  BOOST_TEST(put.wait(std::chrono::minutes{5}).value_or(-1) == 0);
  std::string const& said = put.output();
  BOOST_TEST_MESSAGE(said);
  BOOST_TEST(said.find(std::to_string(lines) + " in (") != std::string::npos, said);
  check_all();
}

// The same command again would be refused again.
BOOST_AUTO_TEST_CASE(who_comes_with_numbers_of_long_ago_hears_what_to_do) {
  Ran const ran = run_in_shell(daemon,
                               "fastjournal put lines name=1 --client old --sequence 100000 && echo '{\"name\":2}' | "
                               "fastjournal put lines --from - --client old --sequence 1");
  BOOST_TEST(ran.code != 0);
  BOOST_TEST(ran.output.find("stale_sequence") != std::string::npos, ran.output);
  BOOST_TEST(ran.output.find("with another --client") != std::string::npos, ran.output);
  BOOST_TEST(ran.output.find("to go on without doubles") == std::string::npos, ran.output);
}

BOOST_AUTO_TEST_SUITE_END()
