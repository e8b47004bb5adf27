// All computers lose their power at one moment: the three members of etcd with whatever their disks had not been given
// (disks.h), and the three daemons. That happens again and again while the job runs. What was acknowledged was synced by two
// members: in the end nothing is missing, and nothing was done twice.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/etcd/cluster_daemons.h"
#include "tests/etcd/cluster_job.h"
#include "tests/etcd/disks.h"
#include "tests/support/seed.h"

BOOST_AUTO_TEST_SUITE(power)

using namespace fastjournal;
using namespace fastjournal::test;

constexpr int kCuts = 6;

void write(std::string const& path, bool is_synced) {
  int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  BOOST_REQUIRE(fd >= 0);
  BOOST_REQUIRE(::write(fd, "text", 4) == 4);
  if (is_synced) BOOST_REQUIRE(::fsync(fd) == 0);
  ::close(fd);
}

std::string read(std::string const& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// Three members of etcd, each with a disk, and three daemons.
struct Computers {
  Computers() {
    for (std::size_t at = 0; at < etcd.endpoints().size(); ++at) etcd.start(at);
    for (std::size_t at = 0; at < daemons.size(); ++at) daemons.start(at);
    daemons.wait_for_owner();
  }
  // Everything that runs is gone.
  void lose_power() {
    disks.lose_power();
    for (std::size_t at = 0; at < etcd.endpoints().size(); ++at) etcd.signal(at, SIGKILL);
    for (std::size_t at = 0; at < daemons.size(); ++at) daemons.signal(at, SIGKILL);
    for (std::size_t at = 0; at < etcd.endpoints().size(); ++at) etcd.kill(at);
    for (std::size_t at = 0; at < daemons.size(); ++at) daemons.kill(at);
  }
  void come_back() {
    disks.come_back();
    for (std::size_t at = 0; at < etcd.endpoints().size(); ++at) etcd.start(at);
    for (std::size_t at = 0; at < daemons.size(); ++at) daemons.start(at);
    daemons.wait_for_owner();
  }
  // They begin anew, on their disks.
  std::vector<std::string> stop_and_clear() {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < daemons.size(); ++at) daemons.kill(at);
    for (std::size_t at = 0; at < etcd.endpoints().size(); ++at) {
      etcd.kill(at);
      out.push_back(etcd.file(etcd.name_of(at)));
    }
    return out;
  }

  EtcdNodes etcd{3, {}};
  ClusterDaemons daemons{etcd, 3};
  Disks disks{stop_and_clear()};
};

bool is_missing() {
  std::string const missing = has_etcd() ? Disks::missing() : "etcd is not installed: etcd-server, etcd-client";
  if (!missing.empty()) BOOST_TEST_MESSAGE("skipped: " << missing);
  return !missing.empty();
}

BOOST_AUTO_TEST_CASE(a_disk_that_lost_its_power_has_what_was_synced_and_nothing_else) {
  if (is_missing()) return;
  TemporaryFolder folder;
  Disks disks{{folder.path().string()}};
  write(folder / "synced", true);
  write(folder / "written", false);
  BOOST_TEST(read(folder / "written") == "text");
  disks.lose_power();
  disks.come_back();
  BOOST_TEST(read(folder / "synced") == "text");
  BOOST_TEST(read(folder / "written") == "");
}

BOOST_AUTO_TEST_CASE(all_computers_lose_it_at_once_and_what_was_acknowledged_is_there) {
  if (is_missing()) return;
  std::uint64_t const seed = seed_or(1);
  BOOST_TEST_MESSAGE("FJ_SEED=" << seed);
  std::mt19937_64 chance{seed};
  Computers computers;
  Job job(computers.daemons.addresses());
  for (int cut = 0; cut < kCuts; ++cut) {
    BOOST_TEST(job.wait_for(100 + chance() % 1'000, std::chrono::seconds{60}));
    std::uint64_t const before = job.added();
    job.forget_gaps();
    computers.lose_power();
    computers.come_back();
    BOOST_TEST(job.wait_for(100));
    BOOST_TEST_MESSAGE("cut " << cut + 1 << ": " << before << " rows acknowledged until then; " << job.longest_gap_ms()
                              << " ms without an acknowledgement");
  }
  job.end();
  job.check();
}

BOOST_AUTO_TEST_SUITE_END()
