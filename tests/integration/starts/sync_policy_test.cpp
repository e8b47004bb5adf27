// How often the real daemon syncs its log under each sync policy, counted from outside: the layer beneath it
// (fault_layer.cpp) writes a byte into a pipe for each sync. The test waits for these bytes, never for a time; how long
// they may take at most is bounded, how short they may be follows from the interval.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kPace{3};  // between two commands

class Syncs {
 public:
  explicit Syncs(std::filesystem::path const& fifo) {
    BOOST_REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    // For writing too: otherwise it is at its end before the daemon has opened it.
    fd_ = ::open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    BOOST_REQUIRE(fd_ >= 0);
  }
  ~Syncs() { ::close(fd_); }
  Syncs(Syncs const&) = delete;
  Syncs& operator=(Syncs const&) = delete;

  // Those since the last call.
  std::size_t take() {
    std::size_t count = 0;
    char bytes[4096];
    for (ssize_t got = 0; (got = ::read(fd_, bytes, sizeof bytes)) > 0;) count += static_cast<std::size_t>(got);
    return count;
  }
  // False: none came within the limit.
  bool wait_for_one(milliseconds limit = kPatience) {
    pollfd one{.fd = fd_, .events = POLLIN, .revents = 0};
    char byte = 0;
    return ::poll(&one, 1, static_cast<int>(limit.count())) == 1 && ::read(fd_, &byte, 1) == 1;
  }

 private:
  int fd_{-1};
};

struct Daemon {
  explicit Daemon(std::string const& attributes) : syncs(daemon.folder() / "syncs") {
    daemon.write("fastjournal.xml", "<fastjournal><log name=\"shared\" " + attributes + "/></fastjournal>\n");
    daemon.environment = beneath("FJ_SYNCS=" + (daemon.folder() / "syncs").string());
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    client.emplace(daemon.tcp());
  }
  void insert() {
    std::string const answer = client->ask("INSERT table=jobs;name=n" + std::to_string(next_++ % 50));
    BOOST_REQUIRE_MESSAGE(answer.starts_with("INSERTED "), answer);
  }
  void stop() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
  }

  RealDaemon daemon{""};
  Syncs syncs;
  std::optional<LineClient> client;

 private:
  int next_{0};
};

constexpr char const* kPlaces[] = {"sync-place=\"inline\" sync-method=\"fdatasync\"",
                                   "sync-place=\"thread\" sync-method=\"fdatasync\"", "sync-method=\"auto\""};

}  // namespace

BOOST_AUTO_TEST_SUITE(syncs_of_the_real_daemon)

BOOST_AUTO_TEST_CASE(always_syncs_before_each_answer) {
  for (char const* const place : kPlaces) BOOST_TEST_CONTEXT(place) {
      Daemon daemon{std::string{"sync=\"always\" "} + place};
      daemon.syncs.take();
      for (int i = 0; i < 100; ++i) {
        daemon.insert();
        BOOST_TEST_REQUIRE(daemon.syncs.take() >= 1U);
      }
      daemon.stop();
    }
}

// Under load, and once nobody does anything any more.
BOOST_AUTO_TEST_CASE(an_interval_is_synced_when_it_is_over_and_not_before) {
  struct Case {
    milliseconds interval;
    std::size_t syncs;
  };
  for (Case const one : {Case{milliseconds{10}, 40}, Case{milliseconds{100}, 10}, Case{milliseconds{1'000}, 2}})
    for (char const* const place : kPlaces) BOOST_TEST_CONTEXT(one.interval.count() << " ms, " << place) {
        Daemon daemon{"sync=\"interval\" sync-interval=\"" + std::to_string(one.interval.count()) + "ms\" " + place};
        daemon.insert();
        daemon.syncs.take();
        auto const begin = Clock::now();
        std::size_t count = 0;
        std::size_t inserts = 0;
        for (; count < one.syncs && Clock::now() - begin < kPatience; ++inserts) {
          daemon.insert();
          // Few enough that they stay in one segment: the next one's header is synced too.
          count += daemon.syncs.wait_for_one(kPace) ? 1 : 0;
        }
        auto const took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
        BOOST_TEST(count >= one.syncs, count << " syncs in " << took.count() << " ms, for " << inserts << " inserts");
        // At most one in an interval; and a durable marker in each that this test spent waiting for the processor.
        BOOST_TEST(count <= 2 * (static_cast<std::size_t>(took / one.interval) + 1),
                   count << " syncs in " << took.count() << " ms");
        BOOST_TEST_MESSAGE(one.interval.count() << " ms, " << place << ": " << count << " syncs in " << took.count()
                                                << " ms, for " << inserts << " inserts");
        daemon.insert();
        daemon.syncs.take();
        auto const idle = Clock::now();
        daemon.insert();
        BOOST_TEST(daemon.syncs.wait_for_one());
        BOOST_TEST((Clock::now() - idle < one.interval + kPatience / 4));
        daemon.stop();
      }
}

BOOST_AUTO_TEST_CASE(an_interval_that_is_not_over_costs_no_sync_until_a_stop) {
  Daemon daemon{R"(sync="interval" sync-interval="1h")"};
  daemon.insert();
  daemon.syncs.take();
  for (int i = 0; i < 1'000; ++i) daemon.insert();
  BOOST_TEST(daemon.syncs.take() == 0U);
  daemon.stop();
  BOOST_TEST(daemon.syncs.take() >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()
