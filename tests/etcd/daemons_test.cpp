// The job over three real daemons that share a log on three real etcd members: producers add rows, workers take and finish
// them, and meanwhile members and daemons are killed, stopped and ended. In the end nothing that was acknowledged is
// missing, and nothing was done twice. The times without an answer are told.
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "clients/lib/journal.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/dropping_proxy.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::Milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

client::Options options_for(std::string const& server) {
  client::Options out;
  out.server = server;
  out.time_limit = Milliseconds{20'000};
  out.connect_limit = Milliseconds{1'000};
  out.back_off = {Milliseconds{50}};
  return out;
}

std::unique_ptr<client::Connection> connect(std::string const& server) {
  auto opened = client::Connection::open(options_for(server));
  BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
  return std::move(opened).value();
}

// Who adds and who works, each on a thread of its own, until it is told to end.
class Job {
 public:
  explicit Job(std::string servers) : servers_(std::move(servers)) {
    for (std::size_t at = 0; at < kProducers; ++at) threads_.emplace_back([this, at] { produce(at); });
    for (std::size_t at = 0; at < kWorkers; ++at) threads_.emplace_back([this, at] { work(at); });
  }
  ~Job() { end(); }
  Job(Job const&) = delete;
  Job& operator=(Job const&) = delete;

  // Producers end at once, workers when there is nothing left.
  void end() {
    stop_ = true;
    for (std::thread& one : threads_) one.join();
    threads_.clear();
  }
  // Until this holds, at most so long; looked at whenever something was acknowledged, and now and then.
  template <typename Holds>
  bool wait(std::chrono::milliseconds limit, Holds const& holds) {
    Clock::time_point const end = Clock::now() + limit;
    std::unique_lock held{lock_};
    for (;;) {
      held.unlock();
      bool const is_so = holds();
      held.lock();
      if (is_so || Clock::now() >= end) return is_so;
      acknowledged_.wait_until(held, std::min(end, Clock::now() + Milliseconds{50}));
    }
  }
  // So many more are acknowledged.
  bool wait_for(std::uint64_t more, std::chrono::milliseconds limit = seconds{20}) {
    std::uint64_t const wanted = added() + more;
    return wait(limit, [&] { return added() >= wanted; });
  }
  [[nodiscard]] std::int64_t longest_gap_ms() {
    std::lock_guard const held{lock_};
    return longest_gap_ms_;
  }
  void forget_gaps() {
    std::lock_guard const held{lock_};
    longest_gap_ms_ = 0;
  }
  [[nodiscard]] std::uint64_t added() {
    std::lock_guard const held{lock_};
    return added_.size();
  }
  void check() {
    std::lock_guard const held{lock_};
    std::size_t lost = 0;
    std::size_t doubled = 0;
    for (std::string const& name : added_) lost += done_.contains(name) || may_be_done_.contains(name) ? 0 : 1;
    for (auto const& [name, times] : done_) doubled += times > 1 ? 1 : 0;
    BOOST_TEST_MESSAGE(added_.size() << " rows acknowledged, " << done_.size() << " done, lost " << lost << ", double "
                                     << doubled);
    for (auto const& [text, times] : failures_) BOOST_TEST_MESSAGE("  " << times << " times: " << text);
    BOOST_TEST(added_.size() > 100U);
    BOOST_TEST(lost == 0U);
    BOOST_TEST(doubled == 0U);
    for (std::string const& one : wrong_) BOOST_ERROR(one);
  }

 private:
  static constexpr std::size_t kProducers = 3;
  static constexpr std::size_t kWorkers = 2;

  void answered() {
    Clock::time_point const now = Clock::now();
    longest_gap_ms_ =
        std::max(longest_gap_ms_,
                 static_cast<std::int64_t>(std::chrono::duration_cast<Milliseconds>(now - last_answer_).count()));
    last_answer_ = now;
    acknowledged_.notify_all();
  }
  void produce(std::size_t at) {
    auto const connection = connect(servers_);
    client::Journal work(*connection, "work");
    std::uint64_t sequence = 0;
    while (!stop_) {
      std::string const name = "p" + std::to_string(at) + "-" + std::to_string(++sequence);
      Result<client::Put> const put =
          work.put({{"name", Value::of_text(name)}}, {.client = "p" + std::to_string(at), .sequence = sequence});
      std::lock_guard const held{lock_};
      if (put.ok()) {
        added_.insert(name);
        answered();
      } else {
        ++failures_[put.status().text()];
        // It stays the same row until it is known to be there.
        if (put.status().code() != Code::over_limit) --sequence;
      }
    }
  }
  // Rows that somebody has leased and not heard of come back when their leases end.
  static bool is_empty(client::Connection& connection) {
    Result<client::Reply> const reply = connection.call("STATS", {{"table", Value::of_text("work")}});
    return reply.ok() && reply->first().integer("rows").value_or(1) == 0;
  }
  void work(std::size_t at) {
    auto const connection = connect(servers_);
    client::Journal work(*connection, "work");
    Clock::time_point end = Clock::time_point::max();
    while (Clock::now() < end) {
      if (stop_ && end == Clock::time_point::max()) end = Clock::now() + seconds{120};
      Result<client::Work> const taken = work.next({.count = 8, .wait = DurationMs{200}});
      if (!taken.ok()) {
        std::lock_guard const held{lock_};
        ++failures_[taken.status().text()];
        continue;
      }
      if (taken->rows.empty() && stop_ && is_empty(*connection)) return;
      for (client::Row const& row : taken->rows) {
        Status const said = work.done(row);
        std::lock_guard const held{lock_};
        std::string const& name = row.columns.at("name");
        if (said.ok())
          ++done_[name];
        else if (said.code() == Code::closed || said.code() == Code::timed_out || said.code() == Code::unavailable)
          may_be_done_.insert(name);
        else if (said.code() != Code::stale_epoch && said.code() != Code::not_leased &&
                 said.code() != Code::unknown_row)
          wrong_.push_back("worker " + std::to_string(at) + ", " + name + ": " + said.text());
      }
    }
  }

  std::string servers_;
  std::atomic<bool> stop_{false};
  std::mutex lock_;
  std::condition_variable acknowledged_;
  std::set<std::string> added_;
  std::map<std::string, int> done_;
  std::set<std::string> may_be_done_;
  std::vector<std::string> wrong_;
  std::map<std::string, int> failures_;  // by their texts
  Clock::time_point last_answer_{Clock::now()};
  std::int64_t longest_gap_ms_{0};
  std::vector<std::thread> threads_;
};

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

}  // namespace

BOOST_AUTO_TEST_SUITE(three_daemons)

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
