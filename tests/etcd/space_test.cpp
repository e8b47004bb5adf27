// The quota of etcd is used up while the job runs, by keys that are not fastjournal's. From then on etcd takes nothing:
// nothing is acknowledged on shared tables, tables with files go on, and nothing that was acknowledged is lost
// or done twice. An operator makes room as doc/cluster.md says, and everything goes on.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "clients/cpp/journal.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(space)

using namespace fastjournal;
using namespace fastjournal::test;
using std::chrono::seconds;

struct Trio {
  Trio() { daemons.wait_for_owner(); }

  // Keys of 1 MB, until etcd refuses one. How many.
  int fill() {
    std::string const value = folder / "value";
    std::ofstream{value} << std::string(1'000'000, 'x');
    for (int key = 0; key < 64; ++key) {
      ChildProcess put{
          {"sh", "-c", "exec etcdctl --endpoints " + etcd.urls() + " put foreign/$0 <$1", std::to_string(key), value},
          {.environment = {"ETCDCTL_API=3"}}};
      if (put.wait() == 0) continue;
      BOOST_TEST(put.output().find("database space exceeded") != std::string::npos, put.output());
      return key;
    }
    BOOST_FAIL("64 MB did not use the quota up");
    return 0;
  }
  void make_room() {
    etcd.control({"del", "--prefix", "foreign/"});
    etcd.control({"compact", "--physical", std::to_string(etcd.revision())});
    // One of them has removed it by then, the others a little later.
    int rounds = 0;
    while (largest_bytes() > 8'000'000 && ++rounds < 100) etcd.control({"defrag"});
    BOOST_TEST(rounds < 100);
    etcd.control({"alarm", "disarm"});
  }
  // Of the files of the members.
  std::int64_t largest_bytes() {
    std::istringstream lines{etcd.control({"endpoint", "status", "-w", "fields"})};
    std::int64_t out = -1;
    std::string const name = "\"DBSize\" : ";
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name)) out = std::max<std::int64_t>(out, std::stoll(line.substr(name.size())));
    BOOST_REQUIRE(out > 0);
    return out;
  }
  // Of a row in the shared table, from a client that does not wait long.
  Status put_shared() {
    client::Options options = patient(daemons.addresses());
    options.time_limit = client::Milliseconds{3'000};
    auto const opened = client::Connection::open(options);
    if (!opened.ok()) return opened.status();
    return client::Journal(*opened.value(), "work").put({{"name", Value::of_text("refused")}}).status();
  }
  std::size_t put_local(std::size_t at) {
    auto const connection = connect(daemons.address(at));
    std::size_t out = 0;
    for (int row = 0; row < 200; ++row)
      out +=
          client::Journal(*connection, "own").put({{"name", Value::of_text("row" + std::to_string(row))}}).ok() ? 1 : 0;
    return out;
  }

  TemporaryFolder folder;
  EtcdNodes etcd{3, {"--unsafe-no-fsync", "--quota-backend-bytes", "33554432"}};
  ClusterDaemons daemons{etcd, 3};
};

// Twice, as what an operator does to make room must leave nothing behind.
BOOST_FIXTURE_TEST_CASE(without_it_nothing_is_acknowledged_and_nothing_is_lost, Trio) {
  Job job(daemons.addresses());
  for (int round = 0; round < 2; ++round) {
    BOOST_TEST(job.wait_for(200));
    int const keys = fill();
    std::uint64_t const at_once = job.added();
    // Answers that were on their way.
    BOOST_TEST(!job.wait_for(1'000'000, seconds{2}));
    std::uint64_t const before = job.added();
    BOOST_TEST_MESSAGE("full after " << keys << " foreign MB; " << before << " rows acknowledged, " << before - at_once
                                     << " of them since");
    Status const refused = put_shared();
    BOOST_TEST_MESSAGE("  a row is not taken: " << refused.text());
    BOOST_TEST(refused.text().find("alarm NOSPACE") != std::string::npos);
    // Whoever asks what is wrong has an answer.
    for (std::size_t at = 0; at < daemons.size(); ++at)
      for (std::string const question : {"ALERTS", "STATS", "TABLES"})
        BOOST_TEST(connect(daemons.socket(at))->call(question).ok());
    for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(put_local(at) == 200U);
    BOOST_TEST(job.added() == before);
    job.forget_gaps();
    make_room();
    BOOST_TEST(job.wait_for(200));
    BOOST_TEST_MESSAGE("  it goes on; " << job.longest_gap_ms() << " ms without an acknowledgement");
  }
  job.end();
  job.check();
  for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(daemons.owner(at) != ClusterDaemons::kNone);
}

BOOST_AUTO_TEST_SUITE_END()
