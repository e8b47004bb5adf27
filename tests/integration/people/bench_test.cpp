// `fastjournal bench` measures with a daemon of its own, and leaves neither a process nor a file, also if it is
// interrupted.
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/integration/shell.h"

using namespace fastjournal::test;

namespace {

namespace fs = std::filesystem;

// The processes that a process has started; the kernel lists them.
std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"};
  return {std::istream_iterator<pid_t>{file}, {}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bench)

BOOST_AUTO_TEST_CASE(it_prints_rates_and_leaves_nothing) {
  TemporaryFolder folder;
  // Not the daemon of this address: there is none.
  ChildOptions options;
  options.environment = {"FASTJOURNAL_SERVER=127.0.0.1:1"};
  ChildProcess child{
      {FJ_BINARY_DIR "/bin/fastjournal", "bench", "--folder", folder.path(), "--time", "1200ms", "--json"}, options};
  BOOST_TEST(child.wait().value_or(-1) == 0, child.output());
  std::istringstream lines{child.output()};
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    auto const row = nlohmann::json::parse(line, nullptr, false);
    BOOST_REQUIRE_MESSAGE(row.is_object(), child.output());
    names.push_back(row.at("name"));
    BOOST_TEST(row.at("count").get<std::uint64_t>() > 0U, line);
    BOOST_TEST((row.contains("per_second") || row.contains("ms_p50")), line);
    BOOST_TEST(!row.at("word").get<std::string>().empty(), line);
  }
  std::vector<std::string> const expected{
      "syncs of 4 KiB",     "inserts, one by one",     "lease and done, one by one",
      "wake of a listener", "inserts, 1024 in flight", "lease and done, 256 at once"};
  BOOST_TEST(names == expected, child.output());
  BOOST_TEST(fs::is_empty(folder.path()));
}

BOOST_AUTO_TEST_CASE(interrupted_it_takes_everything_away) {
  TemporaryFolder folder;
  ChildProcess child{{FJ_BINARY_DIR "/bin/fastjournal", "bench", "--folder", folder.path(), "--time", "10m"}};
  auto const until = std::chrono::steady_clock::now() + kPatience;
  std::vector<pid_t> daemons;
  while (daemons.empty() && std::chrono::steady_clock::now() < until) daemons = children_of(child.pid());
  BOOST_TEST_REQUIRE(daemons.size() == 1U);
  BOOST_TEST(!fs::is_empty(folder.path()));
  child.kill(SIGINT);
  BOOST_TEST(child.wait().value_or(-1) == 128 + SIGINT, child.output());
  BOOST_TEST(child.output() == "fastjournal bench: stopped; its daemon and its folder are gone\n");
  BOOST_TEST(fs::is_empty(folder.path()));
  BOOST_TEST(::kill(daemons[0], 0) != 0);
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_used_is_told) {
  ChildProcess child{{FJ_BINARY_DIR "/bin/fastjournal", "bench", "--folder", "/no/such"}};
  BOOST_TEST(child.wait().value_or(-1) == 2, child.output());
  BOOST_TEST(child.output() == "fastjournal bench: /no/such: expected a folder on the disk to measure\n");
}

BOOST_AUTO_TEST_SUITE_END()
