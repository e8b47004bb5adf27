// The job over three real daemons that share a log on three real etcd members: producers add rows, workers take and finish
// them, and meanwhile members and daemons are killed, stopped and ended. In the end nothing that was acknowledged is
// missing, and nothing was done twice. The times without an answer are told.
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <chrono>

#include "clients/cpp/journal.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"
#include "tests/etcd/dropping_proxy.h"

BOOST_AUTO_TEST_SUITE(three_daemons)

using namespace fastjournal;
using namespace fastjournal::test;
using std::chrono::seconds;

// The etcd member that leads, by its answer.
std::size_t leader(EtcdNodes& etcd) {
  for (int round = 0; round < 100; ++round) {
    std::string const status = etcd.control({"endpoint", "status", "-w", "fields"});
    // "MemberID" and "Leader" of each, in this order.
    std::size_t begin = 0;
    for (std::size_t node = 0; node < etcd.endpoints().size(); ++node) {
      std::size_t const member = status.find("\"MemberID\" : ", begin);
      std::size_t const leads = status.find("\"Leader\" : ", begin);
      if (member == std::string::npos || leads == std::string::npos) break;
      std::string const id = status.substr(member + 13, status.find('\n', member) - member - 13);
      std::string const of = status.substr(leads + 11, status.find('\n', leads) - leads - 11);
      if (id == of) return node;
      begin = leads + 11;
    }
  }
  throw std::runtime_error("etcd has no leader");
}

struct Trio {
  Trio() { daemons.wait_for_owner(); }
  // What happens, while the job goes on. The longest time without an acknowledgement.
  template <typename Happens>
  std::int64_t gap_of(Job& job, Happens const& happens) {
    BOOST_TEST(job.wait_for(200));
    job.forget_gaps();
    happens();
    BOOST_TEST(job.wait_for(200));
    return job.longest_gap_ms();
  }
  EtcdNodes etcd{3, {}};
  ClusterDaemons daemons{etcd, 3};
};

BOOST_AUTO_TEST_CASE(the_job_loses_nothing_when_leader_and_owner_are_killed) {
  Trio trio;
  Job job(trio.daemons.addresses());
  std::int64_t const by_owner = trio.gap_of(job, [&] {
    std::size_t const owner = trio.daemons.wait_for_owner();
    trio.daemons.kill(owner);
    BOOST_TEST(job.wait_for(1));
    trio.daemons.start(owner);
  });
  BOOST_TEST_MESSAGE("the owner is killed: " << by_owner << " ms without an acknowledgement");
  std::int64_t const by_leader = trio.gap_of(job, [&] {
    std::size_t const node = leader(trio.etcd);
    trio.etcd.kill(node);
    BOOST_TEST(job.wait_for(200));
    trio.etcd.start(node);
  });
  BOOST_TEST_MESSAGE("etcd's leader is killed: " << by_leader << " ms");
  std::int64_t const by_both = trio.gap_of(job, [&] {
    std::size_t const node = leader(trio.etcd);
    std::size_t const owner = trio.daemons.wait_for_owner();
    trio.etcd.kill(node);
    trio.daemons.kill(owner);
    BOOST_TEST(job.wait_for(1));
    trio.etcd.start(node);
    trio.daemons.start(owner);
  });
  BOOST_TEST_MESSAGE("both at once: " << by_both << " ms");
  std::int64_t const by_end = trio.gap_of(job, [&] {
    std::size_t const owner = trio.daemons.wait_for_owner();
    BOOST_TEST(trio.daemons.end(owner) == 0);
    trio.daemons.start(owner);
  });
  BOOST_TEST_MESSAGE("the owner is told to end: " << by_end << " ms");
  job.end();
  job.check();
  // Far above what is aimed at: a busy machine.
  BOOST_TEST(by_owner < 15'000);
  BOOST_TEST(by_leader < 15'000);
  BOOST_TEST(by_both < 20'000);
  BOOST_TEST(by_end < 10'000);
}

BOOST_AUTO_TEST_CASE(an_owner_that_was_stopped_finds_that_it_is_none_and_acknowledges_nothing) {
  Trio trio;
  Job job(trio.daemons.addresses());
  for (int round = 0; round < 2; ++round) {
    BOOST_TEST(job.wait_for(100));
    std::size_t const owner = trio.daemons.wait_for_owner();
    trio.daemons.signal(owner, SIGSTOP);
    // By another one: its lease was over.
    BOOST_TEST(job.wait_for(100));
    trio.daemons.signal(owner, SIGCONT);
    std::string const told = "alert log-fenced";
    BOOST_TEST(job.wait(seconds{20}, [&] { return trio.daemons.output(owner).find(told) != std::string::npos; }));
  }
  job.end();
  job.check();
}

BOOST_AUTO_TEST_CASE(without_most_of_etcd_nothing_is_acknowledged_and_tables_with_files_go_on) {
  Trio trio;
  Job job(trio.daemons.addresses());
  BOOST_TEST(job.wait_for(100));
  auto const local = connect(trio.daemons.address(trio.daemons.wait_for_owner()));
  client::Journal own(*local, "own");
  trio.etcd.kill(0);
  trio.etcd.kill(1);
  // Answers that were on their way.
  BOOST_TEST(!job.wait_for(1'000'000, seconds{3}));
  std::uint64_t const before = job.added();
  for (int row = 0; row < 500; ++row)
    BOOST_REQUIRE(own.put({{"name", Value::of_text("row" + std::to_string(row))}}).ok());
  BOOST_TEST(job.added() == before);
  trio.etcd.start(0);
  trio.etcd.start(1);
  BOOST_TEST(job.wait_for(100));
  job.end();
  job.check();
}

// Each daemon has a cable of its own to etcd, which is cut at the owner; what was on its way is lost.
BOOST_AUTO_TEST_CASE(an_owner_that_is_cut_off_from_etcd_is_followed_by_another_one) {
  using Mode = DroppingProxy::Mode;
  EtcdNodes etcd{3, {}};
  DroppingProxy cables[] = {DroppingProxy{etcd.endpoints()}, DroppingProxy{etcd.endpoints()},
                            DroppingProxy{etcd.endpoints()}};
  ClusterDaemons daemons{{cables[0].addresses(), cables[1].addresses(), cables[2].addresses()}};
  daemons.wait_for_owner();
  Job job(daemons.addresses());
  for (Mode const mode : {Mode::holds_all, Mode::holds_answers, Mode::holds_all, Mode::holds_answers}) {
    BOOST_TEST(job.wait_for(100));
    std::size_t const owner = daemons.wait_for_owner();
    job.forget_gaps();
    cables[owner].set(mode);
    std::size_t const others = (owner + 1) % daemons.size();
    BOOST_TEST(job.wait(seconds{20}, [&] {
      std::size_t const now = daemons.owner(others);
      return now != ClusterDaemons::kNone && now != owner;
    }));
    BOOST_TEST(job.wait_for(100));
    BOOST_TEST_MESSAGE((mode == Mode::holds_all ? "the owner is cut off: " : "its answers are lost: ")
                       << job.longest_gap_ms() << " ms without an acknowledgement");
    cables[owner].set(Mode::passes);
    // It follows again.
    BOOST_TEST(job.wait(seconds{20}, [&] {
      std::size_t const known = daemons.owner(owner);
      return known != ClusterDaemons::kNone && known == daemons.owner(others);
    }));
  }
  job.end();
  job.check();
}

BOOST_AUTO_TEST_SUITE_END()
