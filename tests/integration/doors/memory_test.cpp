// The real daemon when the system gives it no more memory, although its own limits are not reached: the step under way
// is finished, additions are refused, acknowledged rows are there, and it continues as before once there is memory
// again.
#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <set>

#include "tests/integration/daemon.h"
#include "wire/text.h"

#ifndef FJ_SANITIZED

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

constexpr std::size_t kMiB = std::size_t{1} << 20U;

struct MemoryRunning {
  MemoryRunning() {
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    main = std::make_unique<LineClient>(daemon.local());
  }
  ~MemoryRunning() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  std::string ask(std::string const& line) {
    BOOST_REQUIRE(main->send(line + "\n"));
    std::string const answer = main->read_line().value_or("(no answer)");
    BOOST_REQUIRE_MESSAGE(answer != "(no answer)", daemon.output());
    return answer;
  }
  // Limits the daemon to its present memory and `more` bytes.
  void limit_memory(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream{"/proc/" + std::to_string(daemon.child().pid()) + "/statm"} >> pages;
    BOOST_REQUIRE(pages > 0U);
    rlimit const limit{pages * 4096 + more, RLIM_INFINITY};
    BOOST_REQUIRE(::prlimit(daemon.child().pid(), RLIMIT_AS, &limit, nullptr) == 0);
  }
  // Inserts until one is refused; returns the refusal.
  std::string fill() {
    std::string const payload(200'000, 'p');
    for (int i = 0; i < 3000; ++i) {
      std::string const key = "k" + std::to_string(++last);
      std::string const answer = ask("INSERT table=jobs;name=" + key + ";payload=" + payload);
      if (!answer.starts_with("INSERTED ")) return answer;
      acknowledged.insert(key);
    }
    return "(never refused)";
  }
  RealDaemon daemon{""};
  std::unique_ptr<LineClient> main;
  std::set<std::string> acknowledged;
  int last{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_that_ends)

BOOST_FIXTURE_TEST_CASE(what_adds_is_refused_and_all_else_goes_on_until_there_is_memory_again, MemoryRunning) {
  limit_memory(160 * kMiB);
  std::string const refusal = fill();
  BOOST_TEST(refusal.find("code=no_space") != std::string::npos, refusal);
  BOOST_TEST(refusal.find("no more memory") != std::string::npos, refusal);
  BOOST_TEST(acknowledged.size() > 100U);
  BOOST_TEST(ask("ALERTS").find("name=memory-ended") != std::string::npos);
  // Reads and removals still work.
  std::string const first = *acknowledged.begin();
  BOOST_TEST(ask("PEEK table=jobs;name=" + first).starts_with("ROW "));
  BOOST_TEST(ask("DELETE table=jobs;name=" + first).starts_with("DELETED "));
  acknowledged.erase(first);
  while (acknowledged.size() > 100) {
    std::string const one = *acknowledged.begin();
    BOOST_REQUIRE(ask("DELETE table=jobs;name=" + one).starts_with("DELETED "));
    acknowledged.erase(one);
  }
  BOOST_TEST(ask("INSERT table=jobs;name=again").starts_with("INSERTED "));
  acknowledged.insert("again");
  // All of it is on the disk.
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  main = std::make_unique<LineClient>(daemon.local());
  for (std::string const& key : acknowledged) BOOST_REQUIRE(ask("PEEK table=jobs;name=" + key).starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(a_row_that_is_larger_than_what_is_left_is_refused_and_costs_nothing, MemoryRunning) {
  limit_memory(48 * kMiB);
  std::string const frame_head = "FJM\x01";
  std::string const large(20 * kMiB, 'x');
  LineClient other{daemon.local()};
  std::uint32_t const size = 20 * kMiB;
  std::string head = frame_head;
  for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(size >> static_cast<unsigned>(shift));
  static_cast<void>(other.send(head));
  static_cast<void>(other.send(large));
  BOOST_TEST(ask("INSERT table=jobs;name=small").starts_with("INSERTED "));
  BOOST_TEST(ask("PEEK table=jobs;name=small").starts_with("ROW "));
}

BOOST_AUTO_TEST_SUITE_END()

#endif
