// Clocks of nodes that differ, as doc/cluster.md has it ("Clocks of nodes"): one of three daemons has a wall clock that is
// ahead or behind (tests/integration/clock_layer.cpp), and owners are killed while the job runs. A new owner that is behind
// the log's last date waits, or follows it, or refuses. Nothing is lost, nothing done twice, no lease given twice, and no row
// is given out earlier than by the difference of the clocks.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "clients/cpp/journal.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(clocks_of_nodes)

using namespace fastjournal;
using namespace fastjournal::test;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::int64_t kMinute = 60'000;
constexpr char kFollows[] = "the wall clock was set forward by ";
constexpr char kRefuses[] = "max-clock-behind is 1h: set the clocks of all nodes";

struct Trio {
  // That of the first daemon.
  explicit Trio(std::int64_t ahead_ms) : daemons(etcd, 3, 2, {ahead_ms, 0, 0}) {}

  [[nodiscard]] bool says(std::size_t at, char const* text) const {
    return daemons.output(at).find(text) != std::string::npos;
  }
  // It gets the log, from one after the other; who does not serve yet, or knows of no other node, refuses to give it.
  void give_to(std::size_t wanted) const {
    std::string said;
    for (Clock::time_point const end = Clock::now() + seconds{20}; Clock::now() < end;) {
      std::size_t const at = daemons.wait_for_owner();
      if (at == wanted) return;
      client::Params const params{{"log", Value::of_text("common")}, {"for", Value::of_integer(3'000)}};
      said = connect(daemons.socket(at))->call("STEP_DOWN", params).status().text();
    }
    BOOST_FAIL("daemon " << wanted << " does not become the owner; the last one said: " << said);
  }
  // The milliseconds until it goes on with another one.
  std::int64_t kill(std::size_t at, Job& job) {
    BOOST_TEST(job.wait_for(200));
    job.forget_gaps();
    daemons.kill(at);
    BOOST_TEST(job.wait_for(200));
    return job.longest_gap_ms();
  }

  EtcdNodes etcd{3};
  ClusterDaemons daemons;
};

// The odd one decides, is killed, comes back, takes over, and is killed again.
void take_over(std::int64_t ahead_ms) {
  Trio trio{ahead_ms};
  trio.give_to(0);
  // Of a lease that the odd clock gave.
  auto const holder = connect(trio.daemons.addresses());
  client::Journal held(*holder, "work");
  BOOST_REQUIRE(held.put({{"name", Value::of_text("held")}}).ok());
  Result<client::Work> const lease = held.next({.count = 1, .lease = DurationMs{15'000}, .wait = DurationMs{5'000}});
  BOOST_REQUIRE((lease.ok() && lease->rows.size() == 1));
  Clock::time_point const leased = Clock::now();
  Job job{trio.daemons.addresses(), std::max<std::int64_t>(ahead_ms, 0) + 1'000};
  std::vector<std::int64_t> gaps_ms{trio.kill(0, job)};
  std::size_t const next = trio.daemons.wait_for_owner();
  Status const done = held.done(lease->rows.front());
  bool const is_in_time = Clock::now() < leased + seconds{14};
  trio.daemons.start(0);
  // By the death of the others, so that none of them can be quicker.
  std::size_t const other = 3 - next;
  BOOST_TEST(trio.daemons.end(other) == 0);
  gaps_ms.push_back(trio.kill(next, job));
  BOOST_TEST(trio.daemons.wait_for_owner() == 0U);
  trio.daemons.start(next);
  trio.daemons.start(other);
  gaps_ms.push_back(trio.kill(0, job));
  job.end();
  std::ostringstream told;
  for (std::int64_t const one : gaps_ms) told << " " << one;
  BOOST_TEST_MESSAGE("one clock " << std::abs(ahead_ms) << " ms " << (ahead_ms > 0 ? "ahead" : "behind") << ":"
                                  << told.str() << " ms without an acknowledgement; rows at most " << job.early_ms()
                                  << " ms early; the lease over the first take-over: " << done.text());
  job.check();
  for (std::int64_t const one : gaps_ms) BOOST_TEST(one < 6'000);
  BOOST_TEST(job.early_ms() <= std::max<std::int64_t>(ahead_ms, 0));
  if (done.ok()) BOOST_TEST(job.done("held") == 0);
  // Time that is skipped by a clock that follows the log extends leases.
  if (is_in_time && ahead_ms > -15'000) BOOST_TEST(done.ok(), done.text());
  // Who is behind: the next owner, or the odd one.
  bool const is_far = std::abs(ahead_ms) > 1'000;
  BOOST_TEST(trio.says(next, kFollows) == (is_far && ahead_ms > 0), trio.daemons.output(next));
  BOOST_TEST(trio.says(0, kFollows) == (is_far && ahead_ms < 0), trio.daemons.output(0));
  for (std::size_t at = 0; at < trio.daemons.size(); ++at) BOOST_TEST(!trio.says(at, "cannot-take-over"));
}

BOOST_AUTO_TEST_CASE(less_than_a_second_is_waited_for) {
  take_over(300);
  take_over(-300);
}

BOOST_AUTO_TEST_CASE(beyond_a_second_time_follows_that_of_the_log) {
  take_over(5'000);
  take_over(-5'000);
}

BOOST_AUTO_TEST_CASE(an_hour_is_followed_too) {
  take_over(59 * kMinute);
  take_over(-59 * kMinute);
}

BOOST_AUTO_TEST_CASE(a_node_that_is_behind_by_more_than_allowed_refuses_and_another_one_takes_the_log) {
  Trio trio{-61 * kMinute};
  trio.give_to(1);
  Job job{trio.daemons.addresses(), 1'000};
  BOOST_TEST(job.wait_for(200));
  BOOST_TEST(trio.daemons.end(2) == 0);
  trio.daemons.kill(1);
  BOOST_REQUIRE(job.wait(seconds{20}, [&] { return trio.says(0, kRefuses); }));
  BOOST_TEST(trio.says(0, "cannot-take-over"));
  BOOST_TEST(trio.daemons.owner() == ClusterDaemons::kNone);
  std::uint64_t const before = job.added();
  trio.daemons.start(2);
  BOOST_TEST(job.wait_for(200));
  BOOST_TEST(trio.daemons.wait_for_owner() == 2U);
  trio.daemons.start(1);
  job.end();
  BOOST_TEST_MESSAGE("refused after " << before << " rows, and the third node went on; rows at most " << job.early_ms()
                                      << " ms early");
  BOOST_TEST(job.early_ms() == 0);
  job.check();
}

BOOST_AUTO_TEST_CASE(a_clock_that_was_ahead_by_more_than_allowed_leaves_the_log_to_its_node_alone) {
  Trio trio{61 * kMinute};
  trio.give_to(0);
  Job job{trio.daemons.addresses(), 61 * kMinute + 1'000};
  BOOST_TEST(job.wait_for(200));
  trio.daemons.kill(0);
  BOOST_REQUIRE(job.wait(seconds{30}, [&] { return trio.says(1, kRefuses) && trio.says(2, kRefuses); }));
  BOOST_TEST(trio.daemons.owner() == ClusterDaemons::kNone);
  trio.daemons.start(0);
  BOOST_TEST(job.wait_for(200, seconds{30}));
  BOOST_TEST(trio.daemons.wait_for_owner() == 0U);
  job.end();
  BOOST_TEST_MESSAGE("rows at most " << job.early_ms() << " ms early");
  BOOST_TEST(job.early_ms() <= 61 * kMinute);
  job.check();
}

BOOST_AUTO_TEST_SUITE_END()
