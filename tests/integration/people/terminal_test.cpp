// What `fastjournal` does otherwise where somebody sits at a terminal: dates are in the zone of who looks, and many rows are
// not deleted without asking.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "tests/integration/on_terminal.h"
#include "tests/integration/shell.h"

namespace {

using namespace fastjournal::test;

struct AtTerminal : ShellFixture {
  AtTerminal() {
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
    run("for i in 1 2 3; do fastjournal put jobs name=row-$i --at 2099-11-21T12:00Z; done");
  }
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> const& more) const {
    std::vector<std::string> out{FJ_BINARY_DIR "/bin/fastjournal", "--server", daemon.local()};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  // All that it shows, and its exit status.
  std::pair<std::string, int> shown(std::vector<std::string> const& more) {
    OnTerminal terminal{words(more), {"TZ=East-05:30"}};
    int status = -1;
    static_cast<void>(terminal.end(status));
    return {terminal.seen(), WEXITSTATUS(status)};
  }
  std::size_t rows() {
    std::string const list = run("fastjournal ls jobs --json");
    return static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n'));
  }
};

bool shows(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(at_a_terminal, AtTerminal)

BOOST_AUTO_TEST_CASE(dates_are_local_there_and_in_utc_elsewhere) {
  for (std::vector<std::string> const& command :
       {std::vector<std::string>{"ls", "jobs"}, {"peek", "jobs", "name=row-1"}, {"why", "jobs", "name=row-1"}}) {
    std::string const here = shown(command).first;
    BOOST_TEST(shows(here, "2099-11-21T17:30:00"), here);
    BOOST_TEST(shows(here, "+05:30"), here);
    BOOST_TEST(!shows(here, "2099-11-21T12:00:00"), here);
    std::vector<std::string> utc = command;
    utc.emplace_back("--utc");
    std::string const there = shown(utc).first;
    BOOST_TEST(shows(there, "2099-11-21T12:00:00.000Z"), there);
    BOOST_TEST(!shows(there, "+05:30"), there);
    std::string piped = "TZ=East-05:30 fastjournal";
    for (std::string const& word : command) piped += " " + word;
    std::string const written = run(piped);
    BOOST_TEST(shows(written, "2099-11-21T12:00:00.000Z"), written);
  }
  // What is shown is read back, with the colon and without.
  run("fastjournal put jobs name=back --at 2099-11-21T17:30:00.000+05:30 && "
      "fastjournal put jobs name=again --at 2099-11-21T17:30:00+0530");
  for (std::string const name : {"back", "again"})
    BOOST_TEST(shows(run("fastjournal peek jobs name=" + name), "2099-11-21T12:00:00.000Z"));
}

BOOST_AUTO_TEST_CASE(many_rows_are_not_deleted_without_asking) {
  std::vector<std::string> const command{"delete", "jobs", "--prefix", "row-"};
  for (std::string const answer : {"n\n", "\n", "\4", "no way\n"}) {
    OnTerminal terminal{words(command)};
    BOOST_REQUIRE_MESSAGE(terminal.shows("[y/N]"), terminal.seen());
    BOOST_TEST(shows(terminal.seen(), "3 rows would be deleted"), terminal.seen());
    terminal.type(answer);
    int status = -1;
    static_cast<void>(terminal.end(status));
    BOOST_TEST(WEXITSTATUS(status) == 4);
    BOOST_TEST(shows(terminal.seen(), "nothing was deleted"), terminal.seen());
  }
  BOOST_TEST(rows() == 3U);
  // One that is named is meant.
  BOOST_TEST(shown({"delete", "jobs", "name=row-3"}).second == 0);
  BOOST_TEST(rows() == 2U);
  OnTerminal terminal{words(command)};
  BOOST_REQUIRE_MESSAGE(terminal.shows("[y/N]"), terminal.seen());
  terminal.type("y\n");
  int status = -1;
  static_cast<void>(terminal.end(status));
  BOOST_TEST(WEXITSTATUS(status) == 0);
  BOOST_TEST(rows() == 0U);
  // Nobody is asked with --yes, nor where nobody could answer.
  for (std::string const how : {" --yes", ""}) {
    run("fastjournal put jobs name=row-4");
    if (how.empty()) {
      run("fastjournal delete jobs --prefix row-");
    } else {
      std::vector<std::string> sure = command;
      sure.emplace_back("--yes");
      BOOST_TEST(shown(sure).second == 0);
    }
    BOOST_TEST(rows() == 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
