// A table goes from the shared log to files and back while producers and workers go on, and from there to another node.
#include <boost/test/unit_test.hpp>

#include <chrono>

#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(moves)

using namespace fastjournal;
using namespace fastjournal::test;
using std::chrono::seconds;

// What CLUSTER tells of a move at its end.
Message moved(client::Connection& administrator, Job& job) {
  Message out;
  bool const is_over = job.wait(seconds{60}, [&] {
    Result<client::Reply> reply = administrator.call("CLUSTER");
    if (!reply.ok()) return false;
    for (Message& one : reply.value().messages)
      if (one.command == "MOVE_STATUS") out = std::move(one);
    return out.text("step") == "moved" || out.text("step") == "stayed";
  });
  BOOST_TEST(is_over);
  return out;
}

void move(ClusterDaemons const& daemons, std::size_t at, std::string const& log, Job& job) {
  daemons.declare(at, "work", log);
  std::unique_ptr<client::Connection> const administrator = connect(daemons.socket(at));
  Result<client::Reply> const read = administrator->call("RELOAD");
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  job.forget_gaps();
  Result<client::Reply> const begun = administrator->call("MOVE_TABLE", {{"table", Value::of_text("work")}});
  BOOST_REQUIRE_MESSAGE(begun.ok(), begun.status().text());
  Message const end = moved(*administrator, job);
  BOOST_TEST(end.text("step") == "moved", end.text("why"));
  BOOST_TEST(job.wait_for(100));
  BOOST_TEST_MESSAGE("to log " << log << ": " << end.integer("copied").value_or(0) << " bytes copied, refused for "
                               << end.integer("pause").value_or(0) << " ms; longest time without an acknowledgement "
                               << job.longest_gap_ms() << " ms");
}

BOOST_AUTO_TEST_CASE(a_table_goes_to_files_and_back_while_it_is_used) {
  EtcdNodes etcd{3};
  ClusterDaemons daemons{etcd, 3};
  std::size_t const owner = daemons.wait_for_owner();
  BOOST_REQUIRE(owner != ClusterDaemons::kNone);
  Job job{daemons.addresses()};
  BOOST_REQUIRE(job.wait_for(300));
  for (int round = 0; round < 2; ++round) {
    move(daemons, owner, "shared", job);
    move(daemons, owner, "common", job);
  }
  BOOST_TEST(daemons.owner() == owner);
  // Another node goes on with it.
  job.forget_gaps();
  daemons.kill(owner);
  BOOST_TEST(job.wait_for(300));
  BOOST_TEST_MESSAGE("its owner killed: " << job.longest_gap_ms() << " ms without an acknowledgement");
  daemons.start(owner);
  BOOST_TEST(job.wait_for(100));
  job.end();
  job.check();
}

BOOST_AUTO_TEST_SUITE_END()
