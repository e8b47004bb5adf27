// Backends that misbehave against the real daemon: killed at work, stopped for longer than their lease, not reading.
// Their rows are returned, and other backends are not affected.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "tests/integration/daemon.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

struct ListenRunning {
  ListenRunning() {
    daemon.write("fastjournal.xml", "<fastjournal><limits output-bytes=\"1MiB\"/></fastjournal>\n");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    main = std::make_unique<LineClient>(daemon.local());
  }
  ~ListenRunning() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  std::string ask(std::string const& line) { return main->ask(line); }
  static std::string value(std::string const& line, std::string_view name) {
    Message message;
    BOOST_REQUIRE_MESSAGE(protocol::parse_line(line, message).ok(), line);
    return std::string{message.text(name)};
  }
  std::vector<std::string> command_line(std::vector<std::string> const& more) const {
    std::vector<std::string> words{FJ_BINARY_DIR "/bin/fastjournal", "--server", daemon.local()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // With a back-off of 1 ms a returned row is handed out soon.
  RealDaemon daemon{
      "<processing-timeout>700ms</processing-timeout><grace>200ms</grace><back-off-first>1ms</back-off-first>"
      "<max-timeouts>100</max-timeouts>"};
  std::unique_ptr<LineClient> main;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(backends_that_misbehave)

BOOST_FIXTURE_TEST_CASE(rows_delivered_to_a_killed_backend_come_back_after_the_grace, ListenRunning) {
  BOOST_REQUIRE(ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  ChildProcess backend{command_line({"--json", "listen", "jobs", "--mode", "deliver", "--credit", "4"})};
  BOOST_REQUIRE_MESSAGE(backend.wait_for_line("\"epoch\"").has_value(), backend.output());
  backend.kill(SIGKILL);
  BOOST_REQUIRE(backend.wait().has_value());
  std::string const row = ask("NEXT table=jobs;wait=15000;request=1;worker=heir");
  BOOST_REQUIRE_MESSAGE(row.starts_with("ROW "), row);
  BOOST_TEST(value(row, "timeouts") == "1");
  BOOST_TEST(
      ask("DONE table=jobs;row=" + value(row, "row") + ";epoch=" + value(row, "epoch")).starts_with("COMPLETED "));
}

BOOST_FIXTURE_TEST_CASE(a_backend_stopped_for_longer_than_its_lease_is_refused_and_told_who_has_the_row,
                        ListenRunning) {
  BOOST_REQUIRE(ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  ChildProcess backend{
      command_line({"work", "jobs", "--once", "--lease", "500ms", "--", "/bin/sh", "-c", "echo started; sleep 1"})};
  BOOST_REQUIRE_MESSAGE(backend.wait_for_line("started").has_value(), backend.output());
  backend.kill(SIGSTOP);
  std::string const row = ask("NEXT table=jobs;wait=15000;request=1;worker=heir;lease=60000");
  BOOST_REQUIRE_MESSAGE(row.starts_with("ROW "), row);
  backend.kill(SIGCONT);
  static_cast<void>(backend.wait());
  // Who has no right to manage the table is told no epoch but his own.
  BOOST_TEST(backend.output().find("leased to heir under another epoch") != std::string::npos, backend.output());
  BOOST_TEST(
      ask("DONE table=jobs;row=" + value(row, "row") + ";epoch=" + value(row, "epoch")).starts_with("COMPLETED "));
}

BOOST_FIXTURE_TEST_CASE(a_stopped_listener_costs_the_others_nothing_and_hears_how_many_it_missed, ListenRunning) {
  ChildProcess listener{command_line({"--json", "listen", "jobs", "--mode", "row"})};
  LineClient quick{daemon.tcp()};
  BOOST_REQUIRE(quick.send("LISTEN table=jobs;mode=row\n"));
  BOOST_REQUIRE(quick.read_line().value_or("").starts_with("LISTENING "));
  for (int i = 0; value(ask("STATS table=jobs"), "listeners") != "2"; ++i) BOOST_REQUIRE(i < 100'000);
  listener.kill(SIGSTOP);
  std::string const tail(1000, '_');
  constexpr int kRows = 8'000;
  constexpr int kBatch = 500;
  for (int nr = 0; nr < kRows; nr += kBatch) {
    std::string batch;
    for (int i = nr; i < nr + kBatch; ++i) batch += "INSERT table=jobs;name=n" + std::to_string(i) + tail + "\n";
    BOOST_REQUIRE(main->send(batch));
    for (int i = 0; i < kBatch; ++i) BOOST_REQUIRE(main->read_line().value_or("").starts_with("INSERTED "));
    for (int i = 0; i < kBatch; ++i) BOOST_REQUIRE(quick.read_line().value_or("").starts_with("LISTEN "));
  }
  std::uint64_t const missed = std::stoull(value(ask("STATS table=jobs"), "announcements_missed"));
  BOOST_TEST(missed > 0U);
  BOOST_TEST(missed < std::uint64_t{kRows});
  listener.kill(SIGCONT);
  std::string const told = listener.wait_for_line("\"missed\"").value_or("(nothing)");
  BOOST_TEST(told.find(std::to_string(missed)) != std::string::npos, told.substr(0, 200));
}

BOOST_AUTO_TEST_SUITE_END()
