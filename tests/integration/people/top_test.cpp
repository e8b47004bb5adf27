// `fastjournal top` on a terminal, with a daemon that stops answering: it says so, still reacts to keys at once, and
// continues when the daemon is back.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "tests/integration/daemon.h"
#include "tests/integration/on_terminal.h"

namespace {

using namespace fastjournal::test;

// Far less than the 30 s of a call without an answer, far more than a busy machine needs.
constexpr std::chrono::seconds kAtOnce{10};

struct Watched {
  Watched() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  ~Watched() {
    daemon.kill(SIGCONT);
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  std::vector<std::string> words() const {
    return {FJ_BINARY_DIR "/bin/fastjournal", "--server", daemon.local(), "top", "--interval", "100ms"};
  }
  RealDaemon daemon{""};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(top_beside_a_daemon_in_trouble)

BOOST_FIXTURE_TEST_CASE(q_ends_it_at_once_while_the_daemon_says_nothing, Watched) {
  OnTerminal top{words()};
  BOOST_REQUIRE_MESSAGE(top.shows("open   jobs"), top.seen());
  daemon.kill(SIGSTOP);
  BOOST_TEST(top.shows("no answer since 2"), top.seen());
  top.type("q");
  int status = -1;
  BOOST_TEST((top.end(status) < kAtOnce));
  BOOST_TEST(status == 0);
}

BOOST_FIXTURE_TEST_CASE(it_goes_on_with_a_daemon_that_was_killed_and_is_back, Watched) {
  OnTerminal top{words()};
  BOOST_REQUIRE_MESSAGE(top.shows("open   jobs"), top.seen());
  daemon.kill(SIGKILL);
  BOOST_TEST(daemon.wait().has_value());
  BOOST_TEST(top.shows("no answer since 2"), top.seen());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(top.shows("connections 1"), top.seen());
  daemon.kill(SIGKILL);
  BOOST_TEST(daemon.wait().has_value());
  BOOST_TEST(top.shows("no answer since 2"), top.seen());
  top.type("q");
  int status = -1;
  BOOST_TEST((top.end(status) < kAtOnce));
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_SUITE_END()
