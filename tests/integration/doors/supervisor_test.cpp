// What the real daemon tells the supervisor that started it, and the journal. The test is the supervisor: it reads the
// socket that NOTIFY_SOCKET names. A log file that is a pipe holds the loop for as long as the test wants.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/integration/daemon.h"

namespace fastjournal::test {
namespace {

bool supervisor_has(std::string_view text, std::string_view part) { return text.find(part) != std::string::npos; }

// Receives the messages.
class NotifySocket {
 public:
  explicit NotifySocket(std::string path) : path_(std::move(path)), fd_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    BOOST_REQUIRE(path_.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path_.data(), path_.size());
    BOOST_REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~NotifySocket() { ::close(fd_); }
  NotifySocket(NotifySocket const&) = delete;
  NotifySocket& operator=(NotifySocket const&) = delete;

  [[nodiscard]] std::string variable() const { return "NOTIFY_SOCKET=" + path_; }
  // The next message; nothing after the limit.
  [[nodiscard]] std::optional<std::string> next(std::chrono::milliseconds limit = kPatience) const {
    pollfd wait{fd_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(limit.count())) != 1) return {};
    std::string out(8192, '\0');
    ssize_t const size = ::recv(fd_, out.data(), out.size(), 0);
    BOOST_REQUIRE(size >= 0);
    out.resize(static_cast<std::size_t>(size));
    return out;
  }
  // Skips messages up to one with `text`.
  [[nodiscard]] std::string wait_for(std::string_view text) const {
    std::string seen;
    for (int i = 0; i < 10'000; ++i) {
      auto const one = next();
      if (!one) break;
      if (supervisor_has(*one, text)) return *one;
      seen += *one + "\n--\n";
    }
    BOOST_FAIL("no message with " << text << " among\n" << seen);
    return {};
  }

 private:
  std::string path_;
  int fd_;
};

struct SupervisorSupervised {
  SupervisorSupervised() { daemon.environment = {told.variable()}; }
  void start() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  void end() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
  }

  RealDaemon daemon{""};
  NotifySocket told{(daemon.folder() / "notify").string()};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(supervisor, SupervisorSupervised)

BOOST_AUTO_TEST_CASE(it_is_told_when_the_daemon_serves_reloads_and_stops) {
  start();
  BOOST_TEST(told.next().value_or("(nothing)") == "READY=1\nSTATUS=tables 1, rows 0, connections 0, alerts 0");
  LineClient client{daemon.local()};
  BOOST_TEST(client.ask("INSERT table=jobs;name=a").starts_with("INSERTED "));

  daemon.kill(SIGHUP);
  std::string const reloading = told.next().value_or("(nothing)");
  BOOST_TEST(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="), reloading);
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  std::int64_t const told_us = std::stoll(reloading.substr(reloading.find("USEC=") + 5));
  std::int64_t const now_us = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  BOOST_TEST(told_us <= now_us);
  BOOST_TEST(told_us > now_us - 60'000'000);
  BOOST_TEST(told.next().value_or("(nothing)") == "READY=1\nSTATUS=tables 1, rows 1, connections 1, alerts 0");

  daemon.write("tables/jobs.xml", "<table/>\n");
  daemon.kill(SIGHUP);
  BOOST_TEST(told.next().value_or("(nothing)").starts_with("RELOADING=1\n"));
  std::string const refused = told.next().value_or("(nothing)");
  BOOST_TEST(refused.starts_with("READY=1\nSTATUS=reload refused, nothing was changed: "), refused);

  end();
  BOOST_TEST(told.next().value_or("(nothing)") == "STOPPING=1\nSTATUS=stopping: a signal");
}

// The loop sends the messages of the watchdog itself.
BOOST_AUTO_TEST_CASE(the_watchdog_hears_the_loop_and_nothing_while_it_hangs) {
  constexpr std::chrono::milliseconds kSilence{500};  // ten of their periods
  std::filesystem::path const log = daemon.folder() / "log";
  daemon.write("fastjournal.xml", "<fastjournal><logging file=\"log\"/></fastjournal>\n");
  daemon.environment.push_back("WATCHDOG_USEC=100000");
  start();
  for (int i = 0; i < 5; ++i) BOOST_TEST(supervisor_has(told.wait_for("WATCHDOG=1"), "STATUS=tables 1, rows 0"));
  // Opening a pipe waits for its reader.
  std::filesystem::remove(log);
  BOOST_REQUIRE(::mkfifo(log.c_str(), 0600) == 0);
  daemon.kill(SIGUSR1);
  int heard = 0;
  while (heard < 100 && told.next(kSilence)) ++heard;
  BOOST_TEST(heard < 100);
  int const reader = ::open(log.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  BOOST_TEST(reader >= 0);
  for (int i = 0; i < 5; ++i) BOOST_TEST(supervisor_has(told.wait_for("WATCHDOG=1"), "STATUS=tables 1, rows 0"));
  end();
  ::close(reader);
}

BOOST_AUTO_TEST_CASE(a_supervisor_that_does_not_read_holds_nobody_up) {
  daemon.environment.push_back("WATCHDOG_USEC=2000");
  start();
  // Until its queue has been full for a while.
  LineClient client{daemon.tcp()};
  for (int i = 0; i < 2000; ++i) BOOST_REQUIRE(supervisor_has(client.ask("INSERT table=jobs;name=a"), "INSERTED"));
  end();
}

BOOST_AUTO_TEST_CASE(without_a_watchdog_only_news_are_told) {
  start();
  static_cast<void>(told.wait_for("READY=1"));
  BOOST_TEST(LineClient{daemon.tcp()}.ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  end();
  BOOST_TEST(supervisor_has(told.next().value_or("(nothing)"), "STOPPING=1"));
}

BOOST_AUTO_TEST_CASE(a_start_that_reads_much_says_how_far_it_is_and_extends_its_limit) {
  start();
  {
    LineClient client{daemon.tcp()};
    std::string const payload(100'000, 'p');
    for (int i = 0; i < 60; ++i)
      BOOST_REQUIRE(supervisor_has(client.ask("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + payload),
                                   "INSERTED"));
  }
  end();
  static_cast<void>(told.wait_for("STOPPING=1"));
  start();
  std::string const reads = told.next().value_or("(nothing)");
  BOOST_TEST(reads.starts_with("EXTEND_TIMEOUT_USEC=120000000\nSTATUS=log shared: "), reads);
  BOOST_TEST(supervisor_has(told.wait_for("READY=1"), "rows 60"));
  end();
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_leaves_its_reason_and_is_never_ready) {
  daemon.write("tables/jobs.xml", "<table/>\n");
  BOOST_TEST(!daemon.start());
  BOOST_TEST(daemon.wait().value_or(-1) == 1);
  std::string const failed = told.next().value_or("(nothing)");
  BOOST_TEST(failed.starts_with("STATUS="), failed);
  BOOST_TEST(supervisor_has(failed, "jobs.xml:1: "), failed);
  BOOST_TEST(told.next(std::chrono::milliseconds{0}).value_or("(nothing)") == "(nothing)");
}

// Standard error of the daemon is the journal if JOURNAL_STREAM names it.
BOOST_AUTO_TEST_CASE(lines_in_the_journal_begin_with_their_priority) {
  daemon.wrapper = {"/bin/sh", "-c", "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec \"$@\"", "sh"};
  start();
  daemon.kill(SIGHUP);
  BOOST_TEST(daemon.child().wait_for_line("nothing to change").value_or("") == "<6>reload: nothing to change");
  daemon.write("tables/jobs.xml", "<table/>\n");
  daemon.kill(SIGHUP);
  BOOST_TEST(daemon.child().wait_for_line("reload refused").value_or("") == "<3>reload refused, nothing was changed:");
  end();
  BOOST_TEST(!daemon.start());
  BOOST_TEST(supervisor_has(daemon.output(), "\n<3>") != daemon.output().starts_with("<3>"), daemon.output());
}

BOOST_AUTO_TEST_CASE(lines_elsewhere_begin_with_the_program) {
  daemon.environment.push_back("JOURNAL_STREAM=1:1");
  start();
  daemon.kill(SIGHUP);
  BOOST_TEST(daemon.child().wait_for_line("nothing to change").value_or("") ==
             "fastjournald: info: reload: nothing to change");
  end();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
