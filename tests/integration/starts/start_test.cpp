// Signals to the real daemon while it reads its log. The layer below it (fault_layer.cpp) sends them at each of its
// reads in turn, so that no test depends on time.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal::test;

constexpr int kRows = 2000;

bool start_has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// A journal of some MiB; its daemon is stopped.
struct Stopped {
  Stopped() : daemon{""} {
    // Files small enough to compare, and without scrubbing no reads while it serves.
    daemon.write("fastjournal.xml",
                 "<fastjournal><log name=\"shared\" container-size=\"2MiB\" scrub=\"0\"/></fastjournal>\n");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    LineClient client{daemon.tcp()};
    std::string const payload(3000, 'p');
    std::string lines;
    for (int i = 0; i < kRows; ++i)
      lines += "INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + payload + "\n";
    BOOST_REQUIRE(client.send(lines));
    for (int i = 0; i < kRows; ++i) BOOST_REQUIRE(start_has(client.read_line().value_or(""), "INSERTED "));
    stop();
  }
  void stop() {
    daemon.kill(SIGTERM);
    BOOST_REQUIRE(daemon.wait().value_or(-1) == 0);
  }
  // Starts the daemon; the signal comes with its `nth` read.
  bool start(int nth, int number) {
    daemon.environment = beneath("FJ_SIGNAL=" + std::to_string(nth) + ":" + std::to_string(number));
    bool const ready = daemon.start();
    daemon.environment.clear();
    return ready;
  }
  // All files except the lock, which names its last holder.
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (auto const& entry : std::filesystem::recursive_directory_iterator{daemon.folder() / "data"}) {
      if (!entry.is_regular_file() || entry.path().filename() == "lock") continue;
      std::ifstream file{entry.path(), std::ios::binary};
      out[entry.path().string()].assign(std::istreambuf_iterator<char>{file}, {});
    }
    return out;
  }
  RealDaemon daemon;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(signals_during_a_start)

BOOST_FIXTURE_TEST_CASE(term_and_int_end_it_and_nothing_is_changed, Stopped) {
  auto const before = files();
  int unchanged = 0;
  int starts = 0;
  for (int nth = 1;; nth += 1 + nth / 4) {
    BOOST_REQUIRE(nth < 1000);
    int const number = starts++ % 2 == 0 ? SIGTERM : SIGINT;
    bool const ready = start(nth, number);
    std::string const read = "read number " + std::to_string(nth) + " sends a signal";
    // The start had fewer reads than that.
    if (ready && !start_has(daemon.output(), read)) break;
    BOOST_TEST(daemon.wait().value_or(-1) == 0, daemon.output());
    BOOST_TEST(start_has(daemon.output(), read));
    // In the last MiB the log may be open already, and is closed again.
    if (ready) continue;
    BOOST_TEST(start_has(daemon.output(), "ended during the start"), daemon.output());
    if (files() == before) ++unchanged;
  }
  BOOST_TEST(unchanged > 5);
  BOOST_TEST_MESSAGE(unchanged << " starts ended");
  LineClient client{daemon.tcp()};
  BOOST_REQUIRE(client.send("STATS table=jobs\n"));
  BOOST_TEST(start_has(client.read_line().value_or(""), ";rows=" + std::to_string(kRows) + ";"));
  stop();
}

BOOST_FIXTURE_TEST_CASE(hup_and_usr1_wait_until_it_serves, Stopped) {
  for (int const number : {SIGHUP, SIGUSR1}) {
    BOOST_TEST(start(1, number), daemon.output());
    if (number == SIGHUP) BOOST_TEST(daemon.child().wait_for_line("reload: nothing to change").has_value());
    LineClient client{daemon.tcp()};
    BOOST_REQUIRE(client.send("PING\n"));
    BOOST_TEST(!client.read_line().value_or("").empty());
    stop();
  }
}

BOOST_AUTO_TEST_SUITE_END()
