// All members of etcd are lost, and begin again with a snapshot: the daemons serve what it has. Those that ran meanwhile know
// more than etcd does, and their tokens, numbers and revisions are those of a history that is no more. They must acknowledge
// nothing until they were started anew, whether etcd has a new cluster id or the one that it had.
#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clients/cpp/journal.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(a_lost_cluster)

using namespace fastjournal;
using namespace fastjournal::test;
using Clock = std::chrono::steady_clock;

struct Trio {
  Trio() { daemons.wait_for_owner(); }

  // Acknowledged rows, by their names; of one client, whose sequences go on.
  std::size_t put(std::string const& prefix, std::size_t count) {
    auto const connection = connect(daemons.addresses());
    client::Journal work(*connection, "work");
    std::size_t out = 0;
    for (std::size_t at = 0; at < count; ++at)
      out += work.put({{"name", Value::of_text(prefix + std::to_string(at))}}, {.client = "c", .sequence = ++sequence})
                     .ok()
                 ? 1
                 : 0;
    return out;
  }
  std::size_t there(std::string const& prefix, std::size_t count) {
    auto const connection = connect(daemons.addresses());
    std::size_t out = 0;
    for (std::size_t at = 0; at < count; ++at) {
      client::Params const params{{"table", Value::of_text("work")},
                                  {"name", Value::of_text(prefix + std::to_string(at))}};
      out += connection->call("PEEK", params).ok() ? 1 : 0;
    }
    return out;
  }
  // The lease outlives the connection (the table's `grace`).
  client::Row take() {
    auto const connection = connect(daemons.addresses());
    Result<client::Work> const taken =
        client::Journal(*connection, "work").next({.count = 1, .wait = DurationMs{10'000}});
    BOOST_REQUIRE(taken.ok());
    BOOST_REQUIRE(taken->rows.size() == 1U);
    return taken->rows.front();
  }
  // The file.
  std::string save() {
    std::string file = folder / "snapshot.db";
    etcd.save(file);
    return file;
  }
  // Each daemon is asked again and again, for so long. The rows that it acknowledged.
  std::map<std::size_t, std::set<std::string>> ask_all(std::chrono::milliseconds span) {
    std::map<std::size_t, std::set<std::string>> out;
    Clock::time_point const end = Clock::now() + span;
    for (std::size_t serial = 0; Clock::now() < end; ++serial)
      for (std::size_t at = 0; at < daemons.size(); ++at) {
        client::Options options = patient(daemons.address(at));
        options.time_limit = std::chrono::milliseconds{300};
        auto const opened = client::Connection::open(options);
        if (!opened.ok()) continue;
        std::string const name = "late" + std::to_string(at) + "-" + std::to_string(serial);
        if (client::Journal(*opened.value(), "work").put({{"name", Value::of_text(name)}}).ok()) out[at].insert(name);
      }
    return out;
  }
  void restart(std::size_t at) {
    if (daemons.is_running(at)) BOOST_TEST(daemons.end(at) == 0);
    daemons.start(at);
  }

  TemporaryFolder folder;
  EtcdNodes etcd{3};
  ClusterDaemons daemons{etcd, 3};
  std::uint64_t sequence{0};
};

// The owner and a follower run on; the third daemon is started anew, and may serve.
void some_run_on(Trio& trio, std::string const& token) {
  BOOST_TEST(trio.put("before", 50) == 50U);
  std::string const snapshot = trio.save();
  BOOST_TEST(trio.put("lost", 50) == 50U);
  std::size_t const owner = trio.daemons.wait_for_owner();
  std::size_t const anew = (owner + 1) % trio.daemons.size();
  BOOST_TEST(trio.daemons.end(anew) == 0);
  trio.etcd.restore(snapshot, token);
  auto const early = trio.ask_all(std::chrono::seconds{4});
  for (auto const& [at, names] : early) BOOST_TEST(names.empty(), "daemon " << at << " acknowledged " << names.size());
  {
    auto const connection = connect(trio.daemons.address(owner));
    Result<client::Reply> const told = connection->call("CLUSTER");
    std::string const why{told.ok() ? told->first().text("why") : told.status().message()};
    BOOST_TEST(why.find("start this daemon anew") != std::string::npos, why);
  }
  trio.daemons.start(anew);
  auto const late = trio.ask_all(std::chrono::seconds{6});
  for (auto const& [at, names] : late)
    BOOST_TEST_MESSAGE("daemon " << at << " acknowledged " << names.size() << " rows");
  for (std::size_t at = 0; at < trio.daemons.size(); ++at)
    if (at != anew) trio.restart(at);
  trio.daemons.wait_for_owner();
  auto const connection = connect(trio.daemons.addresses());
  std::size_t acknowledged = 0;
  std::size_t lost = 0;
  for (auto const& told : std::array{early, late})
    for (auto const& [at, names] : told)
      for (std::string const& name : names) {
        ++acknowledged;
        client::Params const params{{"table", Value::of_text("work")}, {"name", Value::of_text(name)}};
        lost += connection->call("PEEK", params).ok() ? 0 : 1;
      }
  BOOST_TEST_MESSAGE(acknowledged << " rows acknowledged after the restore, lost " << lost);
  BOOST_TEST(lost == 0U);
  BOOST_TEST(trio.there("before", 50) == 50U);
  BOOST_TEST(trio.there("lost", 50) == 0U);
  BOOST_TEST(trio.put("after", 50) == 50U);
}

BOOST_FIXTURE_TEST_CASE(daemons_that_are_started_after_a_restore_serve_what_the_snapshot_has, Trio) {
  BOOST_TEST(put("before", 50) == 50U);
  std::string const snapshot = save();
  BOOST_TEST(put("lost", 50) == 50U);
  for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(daemons.end(at) == 0);
  etcd.restore(snapshot, "restored");
  for (std::size_t at = 0; at < daemons.size(); ++at) daemons.start(at);
  daemons.wait_for_owner();
  BOOST_TEST(there("before", 50) == 50U);
  BOOST_TEST(there("lost", 50) == 0U);
  BOOST_TEST(put("after", 50) == 50U);
  for (std::size_t at = 0; at < daemons.size(); ++at) restart(at);
  daemons.wait_for_owner();
  BOOST_TEST(there("after", 50) == 50U);
}

// It gives its data away without the others; or its file does, where users would have to log in.
BOOST_FIXTURE_TEST_CASE(the_member_that_is_left_of_three_has_a_snapshot, Trio) {
  BOOST_TEST(put("before", 50) == 50U);
  // It has all of it: who answers this has what most have.
  ChildProcess asked{{"etcdctl", "--endpoints", etcd.endpoints()[0], "get", "any"}, {.environment = {"ETCDCTL_API=3"}}};
  BOOST_TEST(asked.wait().value_or(-1) == 0, asked.output());
  for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(daemons.end(at) == 0);
  etcd.kill(1);
  etcd.kill(2);
  std::string const snapshot = save();
  etcd.kill(0);
  std::string const file = folder / "db";
  std::filesystem::copy_file(etcd.file(etcd.name_of(0) + "/member/snap/db"), file);
  for (bool const from_file : {false, true}) {
    if (from_file)
      etcd.restore(file, "from-file", {"--skip-hash-check"});
    else
      etcd.restore(snapshot, "from-snapshot");
    for (std::size_t at = 0; at < daemons.size(); ++at) daemons.start(at);
    daemons.wait_for_owner();
    BOOST_TEST(there("before", 50) == 50U);
    for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(daemons.end(at) == 0);
  }
}

BOOST_FIXTURE_TEST_CASE(daemons_that_ran_on_acknowledge_nothing_when_the_cluster_is_another_one, Trio) {
  some_run_on(*this, "restored");
}

BOOST_FIXTURE_TEST_CASE(daemons_that_ran_on_acknowledge_nothing_when_the_cluster_seems_to_be_the_same, Trio) {
  some_run_on(*this, etcd.token());
}

// Clients know an owner by its token, and follow no older one. Tokens go back with the snapshot.
BOOST_FIXTURE_TEST_CASE(clients_that_live_over_a_restore_find_the_owner, Trio) {
  std::string const snapshot = save();
  BOOST_TEST(put("row", 200) == 200U);
  // With each node as its home, and with each node alone; they have seen every owner.
  std::vector<std::unique_ptr<client::Connection>> clients;
  for (std::size_t home = 0; home < daemons.size(); ++home) {
    std::string servers = daemons.address(home);
    clients.push_back(connect(servers));
    for (std::size_t next = 1; next < daemons.size(); ++next)
      servers += "," + daemons.address((home + next) % daemons.size());
    clients.push_back(connect(servers));
  }
  std::size_t serial = 0;
  auto const all_put = [&] {
    std::size_t out = 0;
    for (auto const& one : clients) {
      std::string const name = "client" + std::to_string(++serial);
      // With a client and a sequence it is sent again when a connection is lost.
      Result<client::Put> const put =
          client::Journal(*one, "work").put({{"name", Value::of_text(name)}}, {.client = name, .sequence = 1});
      BOOST_TEST(put.ok(), name << ": " << put.status().text());
      out += put.ok() ? 1 : 0;
    }
    return out;
  };
  for (std::size_t change = 0; change < 4; ++change) {
    BOOST_TEST(all_put() == clients.size());
    restart(daemons.wait_for_owner());
    daemons.wait_for_owner();
  }
  BOOST_TEST(all_put() == clients.size());
  for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(daemons.end(at) == 0);
  etcd.restore(snapshot, "restored");
  for (std::size_t at = 0; at < daemons.size(); ++at) daemons.start(at);
  daemons.wait_for_owner();
  BOOST_TEST(all_put() == clients.size());
  restart(daemons.wait_for_owner());
  BOOST_TEST(all_put() == clients.size());
}

// A worker that had a row when everything was lost. The number of the owner is part of a lease, and the snapshot has an
// older one than there was: it is raised by hand, or the same lease would be given again.
BOOST_FIXTURE_TEST_CASE(leases_that_were_lost_are_not_given_again_once_the_number_of_owners_is_raised, Trio) {
  BOOST_TEST(put("row", 1) == 1U);
  std::string const snapshot = save();
  // Another owner, whose number the snapshot does not have.
  std::size_t const before = daemons.wait_for_owner();
  BOOST_TEST(daemons.end(before) == 0);
  daemons.start(before);
  daemons.wait_for_owner();
  client::Row const lost = take();
  for (std::size_t at = 0; at < daemons.size(); ++at) BOOST_TEST(daemons.end(at) == 0);
  etcd.restore(snapshot, "restored");
  std::string const key = "/fastjournal/common/start";
  etcd.control({"put", key, std::to_string(std::stoi(etcd.control({"get", "--print-value-only", key})) + 1'000)});
  for (std::size_t at = 0; at < daemons.size(); ++at) daemons.start(at);
  daemons.wait_for_owner();
  client::Row const row = take();
  BOOST_TEST(row.row == lost.row);
  auto const connection = connect(daemons.addresses());
  client::Journal work(*connection, "work");
  Status const late = work.done(lost);
  BOOST_TEST((late.code() == Code::stale_epoch), late.text());
  BOOST_TEST(work.done(row).ok());
}

BOOST_AUTO_TEST_SUITE_END()
