// Producers, forwarder and daemon, each killed by SIGKILL at moments drawn by seed (FJ_SEED) for some seconds
// (FJ_SPOOL_SECONDS, 6). Then each row is counted by its id, with a column that sums up how often it arrived:
//   - a row whose save was acknowledged is there, once;
//   - any other row, whose producer died in the middle of it, is there once at most.
#include <sys/socket.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "tests/integration/daemon.h"
#include "tests/support/seed.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using namespace std::chrono_literals;

constexpr std::uint64_t kIdsOfStart = 1'000'000;
// What is under way is bounded: the daemon keeps all rows in memory.
constexpr std::size_t kRowsMax = 1'500'000;

// A process of spool_producer, started again after each end.
class Producer {
 public:
  Producer(std::string folder, std::uint64_t number, std::set<std::uint64_t>& saved)
      : folder_(std::move(folder)), next_(number * 1'000 * kIdsOfStart), saved_(saved) {}
  ~Producer() { end(); }
  Producer(Producer const&) = delete;
  Producer& operator=(Producer const&) = delete;

  void start(std::uint64_t seed) {
    std::array<int, 2> ends{};
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    credits_ = ends[0];
    ChildOptions options;
    options.descriptors = {ends[1]};
    child_ =
        std::make_unique<ChildProcess>(std::vector<std::string>{FJ_BINARY_DIR "/bin/spool_producer", folder_, "jobs",
                                                                std::to_string(next_), std::to_string(seed)},
                                       options);
    ::close(ends[1]);
    next_ += kIdsOfStart;
  }
  void give_credit() const { static_cast<void>(::send(credits_, "c", 1, MSG_NOSIGNAL | MSG_DONTWAIT)); }
  // What it says within this time, or, with kPatience, up to its end.
  void hear(std::chrono::milliseconds patience) {
    auto const until = std::chrono::steady_clock::now() + patience;
    while (true) {
      auto const left = patience == kPatience
                            ? patience
                            : std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      if (left < 0ms) return;
      std::optional<std::string> const line = child_->read_line(left);
      if (!line) return;
      BOOST_REQUIRE_MESSAGE(line->find_first_not_of("0123456789") == std::string::npos, *line);
      saved_.insert(std::stoull(*line));
    }
  }
  void kill() {
    child_->kill(SIGKILL);
    hear(kPatience);  // to the end of what it said
    BOOST_REQUIRE(child_->wait().has_value());
    end();
  }
  void end() {
    if (credits_ >= 0) ::close(std::exchange(credits_, -1));
  }
  void finish() {
    end();
    hear(kPatience);
    BOOST_TEST(child_->wait().value_or(-1) == 0);
  }

 private:
  std::string const folder_;
  std::uint64_t next_;
  std::set<std::uint64_t>& saved_;
  int credits_{-1};
  std::unique_ptr<ChildProcess> child_;
};

// name -> times, of all rows.
std::map<std::uint64_t, std::int64_t> count_rows(std::string const& address) {
  std::map<std::uint64_t, std::int64_t> out;
  LineClient client{address};
  std::string after;
  while (true) {
    BOOST_REQUIRE(client.send("LIST table=jobs;count=1000" + (after.empty() ? "" : ";after=" + after) + "\n"));
    after.clear();
    for (bool more = true; more;) {
      std::optional<std::string> const line = client.read_line();
      BOOST_REQUIRE(line.has_value());
      Message message;
      BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
      BOOST_REQUIRE_MESSAGE(message.command == "ROW" || message.command == "NOTHING", *line);
      after = message.text("after");
      if (message.command == "NOTHING") break;
      out[std::stoull(std::string{message.text("name")})] = message.integer("times").value_or(0);
      more = message.text("left") != "0";
    }
    if (after.empty()) return out;
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(producers_forwarder_and_daemon_killed)

BOOST_AUTO_TEST_CASE(each_saved_row_counts_once) {
  std::uint64_t const seed = seed_or(std::random_device{}());
  std::chrono::seconds const length{number_from("FJ_SPOOL_SECONDS", 6)};
  auto const end = std::chrono::steady_clock::now() + length;
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 random{seed};
    RealDaemon daemon{""};
    daemon.write("tables/jobs.xml",
                 "<table name=\"jobs\" model=\"journal\" row-key=\"name\">\n<schema>\n"
                 "<column name=\"name\" type=\"string\" required=\"true\"/>\n"
                 "<column name=\"payload\" type=\"string\" max-length=\"100000\" merge=\"keep\"/>\n"
                 "<column name=\"times\" type=\"uint64\" merge=\"sum\"/>\n</schema>\n</table>\n");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    std::string const spool = daemon.folder() / "spool";
    std::string const server = "unix:" + (daemon.folder() / "socket").string();
    std::unique_ptr<ChildProcess> forwarder;
    auto const forward = [&](bool once) {
      std::vector<std::string> words{
          FJ_BINARY_DIR "/bin/fastjournal-client", spool, "--server", server, "--file-size", "256KiB"};
      if (once) words.emplace_back("--once");
      forwarder = std::make_unique<ChildProcess>(words);
    };
    std::set<std::uint64_t> saved;
    std::array<Producer, 2> producers{Producer{spool, 1, saved}, Producer{spool, 2, saved}};
    for (Producer& producer : producers) producer.start(random());
    forward(false);
    std::array<std::uint64_t, 3> kills{};
    bool is_daemon_up = true;
    while (std::chrono::steady_clock::now() < end && saved.size() < kRowsMax) {
      for (Producer& producer : producers) {
        for (std::uint64_t most = random() % 8; most > 0; --most) producer.give_credit();
        producer.hear(std::chrono::milliseconds{random() % 10});
      }
      std::uint64_t const what = random() % 64;
      if (what < 2) {
        producers[what].kill();
        producers[what].start(random());
        ++kills[0];
      } else if (what < 5) {
        forwarder->kill(SIGKILL);
        BOOST_REQUIRE(forwarder->wait().has_value());
        forward(false);
        ++kills[1];
      } else if (what == 5 && is_daemon_up) {
        // It stays away for some rounds.
        daemon.kill(SIGKILL);
        BOOST_REQUIRE(daemon.wait().has_value());
        is_daemon_up = false;
        ++kills[2];
      } else if (what > 48 && !is_daemon_up) {
        BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
        is_daemon_up = true;
      }
    }
    for (Producer& producer : producers) producer.finish();
    if (!is_daemon_up) BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    forwarder->kill(SIGKILL);
    BOOST_REQUIRE(forwarder->wait().has_value());
    forward(true);
    // What a long run has left is brought over by programs for debugging, beside other tests.
    bool const is_drained = forwarder->wait(120s + 3 * length).value_or(-1) == 0;
    BOOST_TEST(is_drained, forwarder->output() << std::ifstream{spool + "/forwarder/status.json"}.rdbuf());
    std::map<std::uint64_t, std::int64_t> const rows = count_rows(daemon.local());
    std::uint64_t lost = 0;
    std::uint64_t twice = 0;
    for (std::uint64_t const id : saved)
      if (!rows.contains(id)) ++lost;
    for (auto const& [id, times] : rows)
      if (times != 1) ++twice;
    BOOST_TEST_MESSAGE("seed " << seed << ": " << saved.size() << " saved, " << rows.size() << " arrived, " << lost
                               << " lost, " << twice << " not once; killed: " << kills[0] << " producers, " << kills[1]
                               << " forwarders, " << kills[2] << " daemons");
    BOOST_TEST(lost == 0);
    BOOST_TEST(twice == 0);
    BOOST_TEST(saved.size() > 100);
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
