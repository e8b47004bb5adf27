// Clocks that are set under the real daemon, and a computer that sleeps, both by a layer between daemon and kernel
// (clock_layer.cpp), as tests may not set this computer's clock. The consequences are tested in the simulator
// (tests/transcripts/clock*.txt); here the daemon must notice the change, even when nothing else happens.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/integration/daemon.h"
#include "tests/support/line_client.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

struct Client {
  explicit Client(std::string const& address) : line(address) {}
  std::string read() { return line.read_line().value_or("(nothing)"); }
  std::string ask(std::string const& text) {
    BOOST_TEST(line.send(text + "\n"));
    return read();
  }
  LineClient line;
};

struct Clocks {
  Clocks() {
    set(0, 0);
    daemon.environment = {"LD_PRELOAD=" FJ_BINARY_DIR "/lib/libfj_clock_layer.so",
                          "ASAN_OPTIONS=verify_asan_link_order=0", "FJ_CLOCK=" + (daemon.folder() / "clock").string()};
  }
  void set(std::int64_t wall_ms, std::int64_t slept_ms) const {
    daemon.write("clock", std::to_string(wall_ms) + " " + std::to_string(slept_ms) + "\n");
  }
  RealDaemon daemon{"<processing-timeout>60s</processing-timeout>"};
};

constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kDay = 24 * kHour;

}  // namespace

BOOST_AUTO_TEST_SUITE(clocks)

BOOST_FIXTURE_TEST_CASE(an_idle_daemon_notices_a_clock_that_is_set_forward_at_once, Clocks) {
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  Client client{daemon.tcp()};
  BOOST_TEST(client.ask("INSERT table=jobs;name=held").starts_with("INSERTED "));
  BOOST_TEST(client.ask("NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(client.ask("INSERT table=jobs;name=k;process_date=+28800000").starts_with("INSERTED "));
  BOOST_TEST(client.ask("LISTEN table=jobs").starts_with("LISTENING "));
  set(8 * kHour, 0);
  BOOST_TEST(client.read().starts_with("LISTEN "));
  BOOST_TEST(client.ask("NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(has(client.ask("PEEK table=jobs;name=held"), "status=processing"));
  daemon.kill(SIGTERM);
  daemon.wait();
  // As measured by the daemon: on a slow machine it may be some milliseconds less.
  BOOST_TEST((has(daemon.output(), "the wall clock was set forward by 8 h") ||
              has(daemon.output(), "the wall clock was set forward by 7 h 59 min")),
             daemon.output());
}

BOOST_FIXTURE_TEST_CASE(an_idle_daemon_reaches_its_dates_also_after_the_computer_slept, Clocks) {
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  Client client{daemon.tcp()};
  BOOST_TEST(client.ask("INSERT table=jobs;name=held").starts_with("INSERTED "));
  BOOST_TEST(client.ask("NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(client.ask("INSERT table=jobs;name=k;process_date=+7200000").starts_with("INSERTED "));
  BOOST_TEST(client.ask("LISTEN table=jobs").starts_with("LISTENING "));
  // The wall clock advanced as well.
  set(3 * kHour, 3 * kHour);
  BOOST_TEST(client.read().starts_with("LISTEN "));
  BOOST_TEST(has(client.ask("PEEK table=jobs;name=held"), "status=processing"));
  daemon.kill(SIGTERM);
  daemon.wait();
  // As above, it may be some milliseconds less.
  BOOST_TEST(
      (has(daemon.output(), "the computer slept for 3 h") || has(daemon.output(), "the computer slept for 2 h 59 min")),
      daemon.output());
}

BOOST_FIXTURE_TEST_CASE(a_start_with_a_clock_that_is_behind_is_refused_until_it_is_accepted, Clocks) {
  set(3650 * kDay, 0);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  {
    Client client{daemon.tcp()};
    BOOST_TEST(client.ask("INSERT table=jobs;name=k;process_date=+60000").starts_with("INSERTED "));
  }
  daemon.kill(SIGKILL);
  daemon.wait();
  auto const segments = [this] {
    auto const all = std::filesystem::directory_iterator{daemon.folder() / "data" / "shared"};
    return std::distance(begin(all), end(all));
  };
  auto const before = segments();
  set(0, 0);
  // However often it is tried: a computer may be restarted again and again before its clock is set.
  for (int i = 0; i < 5; ++i) BOOST_TEST(!daemon.start());
  BOOST_TEST(has(daemon.output(), " behind; max-clock-behind is 1h"), daemon.output());
  BOOST_TEST(has(daemon.output(), "start once with --accept-clock"), daemon.output());
  BOOST_TEST(segments() == before);
  BOOST_REQUIRE_MESSAGE(daemon.start({"--accept-clock"}), daemon.output());
  BOOST_TEST(has(daemon.output(), "clock      accepted: "), daemon.output());
  daemon.kill(SIGKILL);
  daemon.wait();
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  Client client{daemon.tcp()};
  BOOST_TEST(client.ask("PEEK table=jobs;name=k").starts_with("ROW "));
  daemon.kill(SIGTERM);
  daemon.wait();
}

BOOST_FIXTURE_TEST_CASE(how_far_a_clock_may_be_behind_is_an_option, Clocks) {
  daemon.write("fastjournal.xml", "<fastjournal><start max-clock-behind=\"3h\"/></fastjournal>\n");
  set(2 * kHour, 0);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  daemon.kill(SIGTERM);
  daemon.wait();
  set(0, 0);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(has(daemon.output(), "behind the log's last date"), daemon.output());
  daemon.kill(SIGTERM);
  daemon.wait();
}

BOOST_AUTO_TEST_SUITE_END()
