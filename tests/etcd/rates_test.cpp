// How fast three daemons on three members of etcd are, on this computer: rows acknowledged a second, how far a standby is
// behind, and what a log with files does while etcd is gone. Told, and held against bounds that only a fault would miss.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "clients/cpp/client.h"
#include "tests/etcd/cluster_daemons.h"

BOOST_AUTO_TEST_SUITE(rates)

using namespace fastjournal;
using namespace fastjournal::test;
using client::Milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kDepth = 1'000;

// Rows a second that so many connections have acknowledged in a table, at `most` a second together; 0: as many as they can.
class Load {
 public:
  Load(std::string const& server, std::string table, std::size_t connections, double most = 0)
      : table_(std::move(table)), most_(most) {
    for (std::size_t at = 0; at < connections; ++at)
      threads_.emplace_back([this, server, connections] { add(server, connections); });
  }
  double run_for(std::chrono::milliseconds span) {
    Clock::time_point const begin = Clock::now();
    end_ = begin + span;
    go_ = true;
    go_.notify_all();
    for (std::thread& one : threads_) one.join();
    double const seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    BOOST_TEST(failed_ == 0U);
    return static_cast<double>(acknowledged_) / seconds;
  }

 private:
  void add(std::string const& server, std::size_t connections) {
    auto opened = client::Connection::open({.server = server, .back_off = {Milliseconds{50}}});
    go_.wait(false);
    if (!opened.ok()) {
      ++failed_;
      return;
    }
    client::Pipeline pipeline(*opened.value(), kDepth, [this](std::uint64_t, Result<client::Reply> reply) {
      if (reply.ok())
        ++acknowledged_;
      else
        ++failed_;
    });
    static std::atomic<int> serial{0};
    std::string const prefix = std::to_string(++serial) + "-";
    Clock::time_point const begin = Clock::now();
    for (std::uint64_t row = 0; Clock::now() < end_; ++row) {
      std::string const name = prefix + std::to_string(row);
      Message insert("INSERT");
      insert.set("table", table_);
      insert.set("name", name);
      insert.set("payload", "forty bytes of payload, more or less....");
      static_cast<void>(pipeline.send(insert));
      if (most_ <= 0) continue;
      // What comes too early waits for the answers of those before.
      double const due = static_cast<double>(row) / (most_ / static_cast<double>(connections));
      if (std::chrono::duration<double>(Clock::now() - begin).count() < due) pipeline.finish();
    }
    pipeline.finish();
  }

  std::string table_;
  double most_;
  std::vector<std::thread> threads_;
  Clock::time_point end_{};
  std::atomic<bool> go_{false};
  std::atomic<std::uint64_t> acknowledged_{0};
  std::atomic<std::uint64_t> failed_{0};
};

// -1: it is not there.
double value_of(std::string const& metrics, std::string const& name) {
  std::size_t const at = metrics.find("\n" + name + "{");
  if (at == std::string::npos) return -1;
  std::size_t const end = metrics.find('\n', at + 1);
  std::string const line = metrics.substr(at + 1, end - at - 1);
  return std::stod(line.substr(line.rfind(' ')));
}

std::string metrics_of(std::string const& server) {
  auto const opened = client::Connection::open({.server = server});
  BOOST_REQUIRE(opened.ok());
  Result<client::Reply> const reply = opened.value()->call("METRICS");
  BOOST_REQUIRE(reply.ok());
  std::string out;
  for (Message const& one : reply->messages) out += one.text("text");
  return out;
}

BOOST_AUTO_TEST_CASE(rows_a_second_and_how_far_a_standby_is_behind) {
  EtcdNodes etcd{3, {}};
  ClusterDaemons daemons{etcd, 3};
  std::size_t const owner = daemons.wait_for_owner();
  std::size_t const standby = (owner + 1) % daemons.size();
  double const full = Load{daemons.address(owner), "work", 4}.run_for(std::chrono::seconds{4});
  BOOST_TEST_MESSAGE("acknowledged: " << static_cast<std::uint64_t>(full) << " rows/s, 4 connections, " << kDepth
                                      << " under way each");
  BOOST_TEST(daemons.owner(standby) == owner);
  // The other one has been told of nothing but the load at its full rate so far.
  daemons.kill(standby);
  daemons.start(standby);
  auto const is_there = [&] { return daemons.owner(standby) == owner; };
  for (int round = 0; round < 100 && !is_there(); ++round) continue;
  double const half = Load{daemons.address(owner), "work", 4, full / 2}.run_for(std::chrono::seconds{4});
  double const lag = value_of(metrics_of(daemons.address(standby)), "fastjournal_log_lag_p99_seconds") * 1000;
  BOOST_TEST_MESSAGE("at " << static_cast<std::uint64_t>(half) << " rows/s a standby is behind by at most " << lag
                           << " ms, 99 of 100 times");
  BOOST_TEST(full > 1'000);
  BOOST_TEST(lag >= 0);
  BOOST_TEST(lag < 5'000);
}

BOOST_AUTO_TEST_CASE(a_log_with_files_beside_a_dead_etcd) {
  EtcdNodes etcd{3, {}};
  ClusterDaemons daemons{etcd, 3};
  std::size_t const owner = daemons.wait_for_owner();
  double const before = Load{daemons.address(owner), "own", 2}.run_for(std::chrono::seconds{3});
  for (std::size_t node = 0; node < 3; ++node) etcd.kill(node);
  double const after = Load{daemons.address(owner), "own", 2}.run_for(std::chrono::seconds{3});
  BOOST_TEST_MESSAGE("a log with files: " << static_cast<std::uint64_t>(before) << " rows/s beside etcd, "
                                          << static_cast<std::uint64_t>(after) << " without it");
  BOOST_TEST(after > before / 4);
}

BOOST_AUTO_TEST_SUITE_END()
