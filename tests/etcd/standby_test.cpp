// A node that follows and stands still for long: what it was to read next was removed from the log meanwhile, and compacted
// away in etcd. It reads the log anew, and can take over.
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <chrono>
#include <string>
#include <vector>

#include "clients/cpp/journal.h"
#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"

BOOST_AUTO_TEST_SUITE(standby)

using namespace fastjournal;
using namespace fastjournal::test;
using std::chrono::seconds;

// More than a connection holds for a client that reads nothing.
constexpr std::size_t kRows = 800;
constexpr std::size_t kRowBytes = 40'000;

std::string name_of(std::size_t row) { return "large" + std::to_string(row); }

// Rows that were acknowledged.
std::size_t put_large(std::string const& server) {
  auto const connection = connect(server);
  client::Journal work(*connection, "work");
  std::string const payload(kRowBytes, 'x');
  std::size_t out = 0;
  for (std::size_t row = 0; row < kRows; ++row)
    out += work.put({{"name", Value::of_text(name_of(row))}, {"payload", Value::of_text(payload)}},
                    {.client = "large", .sequence = row + 1})
                   .ok()
               ? 1
               : 0;
  return out;
}

BOOST_AUTO_TEST_CASE(one_that_stood_still_reads_the_log_anew_and_takes_over) {
  EtcdNodes etcd{3};
  ClusterDaemons daemons{etcd, 3};
  std::size_t const owner = daemons.wait_for_owner();
  std::size_t const slow = (owner + 1) % daemons.size();
  std::size_t const third = (owner + 2) % daemons.size();
  Job job(daemons.addresses());
  BOOST_TEST(job.wait_for(100));
  daemons.signal(slow, SIGSTOP);
  BOOST_TEST(put_large(daemons.addresses()) == kRows);
  for (std::size_t row = 0; row < kRows; ++row) job.expect(name_of(row));
  BOOST_TEST(job.wait(seconds{60}, [&] { return job.done(name_of(kRows - 1)) > 0; }));
  etcd.control({"compact", "--physical", std::to_string(etcd.revision())});
  std::size_t const told = daemons.output(slow).size();
  daemons.signal(slow, SIGCONT);
  // The job goes on, and a node tells once a second how far it is.
  BOOST_TEST(job.wait(seconds{30}, [&] {
    std::int64_t const behind = daemons.behind(owner, slow);
    return behind >= 0 && behind < 1'000'000;
  }));
  BOOST_TEST(daemons.output(slow).find("log common is being read", told) != std::string::npos);
  // Nobody else is left.
  daemons.kill(third);
  daemons.kill(owner);
  BOOST_TEST(job.wait_for(200));
  BOOST_TEST(daemons.wait_for_owner() == slow);
  BOOST_TEST_MESSAGE(job.longest_gap_ms() << " ms without an acknowledgement");
  daemons.start(owner);
  daemons.start(third);
  job.end();
  job.check();
}

BOOST_AUTO_TEST_SUITE_END()
