// Figures of doc/cluster.md, "Sizing": how long an acknowledgement takes, and how much memory a node needs that begins to
// follow. Told; held against bounds that only a fault would miss.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "clients/cpp/client.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(figures)

using namespace fastjournal;
using namespace fastjournal::test;
using Clock = std::chrono::steady_clock;

Message insert(std::string const& name, std::string const& payload) {
  Message out("INSERT");
  out.set("table", std::string{"work"});
  out.set("name", name);
  out.set("payload", payload);
  return out;
}

// Milliseconds of so many rows, one after the other; sorted.
std::vector<double> one_by_one(std::string const& server, std::string const& prefix, std::size_t rows) {
  auto const connection = connect(server);
  std::vector<double> out;
  for (std::size_t at = 0; at < rows; ++at) {
    Clock::time_point const begin = Clock::now();
    client::Params const params{{"table", Value::of_text("work")},
                                {"name", Value::of_text(prefix + std::to_string(at))},
                                // Sent again if the answer is lost.
                                {"client", Value::of_text(prefix)},
                                {"sequence", Value::of_integer(static_cast<std::int64_t>(at) + 1)}};
    Result<client::Reply> const reply = connection->call("INSERT", params);
    BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
    out.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::ranges::sort(out);
  return out;
}

void tell(std::string const& what, std::vector<double> const& sorted) {
  BOOST_TEST_MESSAGE(what << ": p50 " << sorted[sorted.size() / 2] << " ms, p99 " << sorted[sorted.size() * 99 / 100]
                          << " ms, of " << sorted.size());
}

// As the kernel counts: "VmHWM", "VmRSS".
std::uint64_t memory_mb(ClusterDaemons const& daemons, std::size_t at, std::string const& name) {
  std::ifstream in{"/proc/" + std::to_string(daemons.pid(at)) + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) / 1024;
  return 0;
}

BOOST_AUTO_TEST_CASE(the_time_of_an_acknowledgement) {
  EtcdNodes etcd{3, {}};
  ClusterDaemons daemons{etcd, 3};
  std::string const server = daemons.address(daemons.wait_for_owner());
  std::vector<double> const idle = one_by_one(server, "idle", 1'000);
  tell("one command under way, nothing else", idle);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> acknowledged{0};
  std::vector<std::thread> load;
  for (int thread = 0; thread < 2; ++thread)
    load.emplace_back([&, thread] {
      auto const connection = connect(server);
      client::Pipeline pipeline(*connection, 100, [&](std::uint64_t, Result<client::Reply> reply) {
        if (reply.ok()) ++acknowledged;
      });
      for (std::size_t row = 0; !stop; ++row)
        static_cast<void>(pipeline.send(insert("load" + std::to_string(thread) + "-" + std::to_string(row), "x")));
      pipeline.finish();
    });
  Clock::time_point const begin = Clock::now();
  std::vector<double> const busy = one_by_one(server, "busy", 1'000);
  double const seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  stop = true;
  for (std::thread& one : load) one.join();
  tell("beside " + std::to_string(static_cast<std::uint64_t>(static_cast<double>(acknowledged) / seconds)) +
           " rows/s of two connections with 100 under way each",
       busy);
  BOOST_TEST(idle[idle.size() / 2] < 1'000);
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_node_that_begins_to_follow) {
  // About 100 MB of the log.
  struct Shape {
    std::size_t rows;
    std::size_t payload_bytes;
  };
  for (Shape const shape : {Shape{25'000, 4'000}, Shape{650'000, 40}}) {
    EtcdNodes etcd{3, {"--unsafe-no-fsync", "--quota-backend-bytes", "4294967296"}};
    ClusterDaemons daemons{etcd, 3};
    std::size_t const owner = daemons.wait_for_owner();
    std::size_t const follower = (owner + 1) % daemons.size();
    std::string const payload(shape.payload_bytes, 'x');
    std::size_t added = 0;
    auto const connection = connect(daemons.address(owner));
    client::Pipeline pipeline(*connection, 1'000,
                              [&](std::uint64_t, Result<client::Reply> reply) { added += reply.ok() ? 1 : 0; });
    for (std::size_t row = 0; row < shape.rows; ++row)
      static_cast<void>(pipeline.send(insert(std::to_string(row), payload)));
    pipeline.finish();
    BOOST_TEST(added == shape.rows);
    BOOST_TEST(daemons.becomes_behind(owner, follower, 0));
    Result<client::Reply> const told = connect(daemons.address(owner))->call("CLUSTER");
    BOOST_TEST_MESSAGE(shape.rows << " rows with " << shape.payload_bytes << " bytes, "
                                  << told->first().integer("bytes").value_or(0) / 1'000'000 << " MB of the log");
    BOOST_TEST_MESSAGE("  owner: " << memory_mb(daemons, owner, "VmRSS") << " MiB, at most "
                                   << memory_mb(daemons, owner, "VmHWM"));
    BOOST_TEST_MESSAGE("  a node that followed all the time: " << memory_mb(daemons, follower, "VmRSS")
                                                               << " MiB, at most "
                                                               << memory_mb(daemons, follower, "VmHWM"));
    BOOST_TEST(daemons.end(follower) == 0);
    // What it said is there until its lease ends.
    BOOST_TEST(daemons.becomes_behind(owner, follower, -1));
    Clock::time_point const begin = Clock::now();
    daemons.start(follower);
    BOOST_TEST(daemons.becomes_behind(owner, follower, 0));
    double const seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    BOOST_TEST_MESSAGE("  one that begins to follow: " << memory_mb(daemons, follower, "VmRSS") << " MiB, at most "
                                                       << memory_mb(daemons, follower, "VmHWM") << "; after " << seconds
                                                       << " s");
    BOOST_TEST(memory_mb(daemons, follower, "VmHWM") < 2'000U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
