// The forwarder of a spool beside three real daemons that share a log: rows of a table that another node decides for are
// brought there, while owners are killed and ended, and each counts once. Rows of a table with files go on.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "clients/cpp/journal.h"
#include "clients/spool/core/spool.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(forwarder_of_three_daemons)

using namespace fastjournal;
using namespace fastjournal::test;
using client::Milliseconds;
using Clock = std::chrono::steady_clock;

struct Bringing {
  Bringing() {
    daemons.wait_for_owner();
    connection = connect(daemons.addresses());
    auto made = spool::Spool::open({.folder = folder / "spool"});
    BOOST_REQUIRE(made.ok());
    producer = std::move(made).value();
  }
  void save(std::string const& table, int rows) {
    for (int row = 0; row < rows; ++row) {
      std::string const name = table + std::to_string(saved++);
      Message message = spool::Spool::row_of(table);
      message.set("name", std::string_view{name});
      BOOST_REQUIRE(producer->save(message).ok());
      if (table == "work") names.insert(name);
    }
  }
  // Takes rows and finishes them until all that were saved are done.
  bool finish_all() {
    client::Journal work(*connection, "work");
    auto const end = Clock::now() + std::chrono::seconds{60};
    while (done.size() + unsure.size() < names.size() && Clock::now() < end) {
      auto const taken = work.next({.count = 100, .wait = DurationMs{200}});
      if (!taken.ok()) continue;
      for (client::Row const& row : taken->rows) {
        std::string const& name = row.columns.at("name");
        Status const said = work.done(row);
        if (said.ok())
          ++done[name];
        else if (said.code() == Code::closed || said.code() == Code::timed_out || said.code() == Code::unavailable)
          unsure.insert(name);
      }
    }
    return done.size() + unsure.size() >= names.size();
  }

  EtcdNodes etcd{3, {}};
  ClusterDaemons daemons{etcd, 3};
  TemporaryFolder folder;
  ChildProcess forwarder{{FJ_BINARY_DIR "/bin/fastjournal-client", folder / "spool", "--server", daemons.addresses()}};
  std::unique_ptr<client::Connection> connection;
  std::unique_ptr<spool::Spool> producer;
  int saved{0};
  std::set<std::string> names;
  std::map<std::string, int> done;
  std::set<std::string> unsure;
};

BOOST_AUTO_TEST_CASE(each_row_counts_once_whoever_decides) {
  Bringing all;
  all.save("own", 100);
  all.save("work", 500);
  BOOST_TEST(all.finish_all());
  for (bool const is_killed : {true, false, true}) {
    all.save("work", 500);
    std::size_t const owner = all.daemons.wait_for_owner();
    if (is_killed)
      all.daemons.kill(owner);
    else
      all.daemons.end(owner);
    all.save("work", 500);
    BOOST_TEST(all.finish_all());
    all.daemons.start(owner);
  }
  std::size_t doubled = 0;
  std::size_t lost = 0;
  for (auto const& [name, times] : all.done) doubled += times > 1 ? 1 : 0;
  for (std::string const& name : all.names) lost += all.done.contains(name) || all.unsure.contains(name) ? 0 : 1;
  BOOST_TEST_MESSAGE(all.names.size() << " rows, " << all.unsure.size() << " perhaps done, lost " << lost << ", double "
                                      << doubled);
  BOOST_TEST(lost == 0U);
  BOOST_TEST(doubled == 0U);
  // The first daemon has them, whoever decides for the shared log.
  auto const first = client::Connection::open(patient(all.daemons.address(0)));
  BOOST_REQUIRE(first.ok());
  client::Journal own(*first.value(), "own");
  std::size_t there = 0;
  for (int round = 0; round < 100 && there < 100; ++round) {
    auto const taken = own.next({.count = 100, .wait = DurationMs{200}});
    BOOST_REQUIRE(taken.ok());
    there += taken->rows.size();
  }
  BOOST_TEST(there == 100U);
}

BOOST_AUTO_TEST_SUITE_END()
