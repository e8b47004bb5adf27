// The ballast, in child processes with limited memory: the step under way uses it and is finished, allocations that may
// fail do not use it, it is filled again, and without it the process ends after a last line that says so.
#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/may_fail.h"
#include "platform/os/ballast.h"
#include "tests/support/in_child.h"
#include "tests/support/temporary_folder.h"

// A sanitizer takes memory of its own, without limit.
#ifndef FJ_SANITIZED

namespace {

using fastjournal::MayFail;
using fastjournal::os::Ballast;

constexpr std::size_t kMiB = std::size_t{1} << 20U;
using Blocks = std::vector<std::unique_ptr<char[]>>;

// Limits this process to its present memory and `more` bytes.
void limit_memory(std::size_t more) {
  std::size_t pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  rlimit const limit{pages * 4096 + more, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(90);
}

void take(Blocks& blocks) { blocks.push_back(std::make_unique_for_overwrite<char[]>(kMiB)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(ballast)

BOOST_AUTO_TEST_CASE(the_step_under_way_goes_on_when_memory_ends_and_the_ballast_comes_back) {
  int const code = fastjournal::test::run_in_child([] {
    Ballast ballast{Ballast::kBytes, {}};
    if (ballast.is_gone()) return 1;
    limit_memory(100 * kMiB);
    Blocks blocks;
    blocks.reserve(1000);
    while (!ballast.is_gone() && blocks.size() < 1000) take(blocks);
    if (blocks.size() == 1000) return 2;
    // The ballast has room for what must not fail.
    for (int i = 0; i < 20; ++i) take(blocks);
    if (ballast.restore()) return 3;
    blocks.resize(20);
    if (!ballast.restore() || ballast.is_gone()) return 4;
    // The same a second time.
    while (!ballast.is_gone() && blocks.size() < 1000) take(blocks);
    return blocks.size() == 1000 ? 5 : 0;
  });
  BOOST_TEST(code == 0);
}

BOOST_AUTO_TEST_CASE(what_may_fail_fails_and_leaves_the_ballast_alone) {
  int const code = fastjournal::test::run_in_child([] {
    Ballast const ballast{Ballast::kBytes, {}};
    limit_memory(100 * kMiB);
    if (fastjournal::is_memory_there(500 * kMiB) || !fastjournal::is_memory_there(50 * kMiB)) return 1;
    bool failed = false;
    try {
      MayFail const may_fail{};
      std::string buffer;
      buffer.reserve(500 * kMiB);
    } catch (std::bad_alloc const&) {
      failed = true;
    }
    return failed && !ballast.is_gone() && !MayFail::is_on_here() ? 0 : 2;
  });
  BOOST_TEST(code == 0);
}

BOOST_AUTO_TEST_CASE(without_a_ballast_the_process_ends_with_a_last_line) {
  fastjournal::test::TemporaryFolder const folder;
  std::string const log = folder / "log";
  std::ofstream{log} << "before\n";
  std::string const errors = folder / "errors";
  int const code = fastjournal::test::run_in_child([&] {
    if (std::freopen(errors.c_str(), "w", stderr) == nullptr) return 90;
    Ballast const ballast{Ballast::kBytes, log};
    limit_memory(100 * kMiB);
    Blocks blocks;
    blocks.reserve(1000);
    for (int i = 0; i < 1000; ++i) take(blocks);
    return 0;
  });
  BOOST_TEST(code == 1);
  for (std::string const& file : {log, errors}) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    BOOST_TEST(text.str().find("memory has ended") != std::string::npos, file);
    BOOST_TEST(text.str().find("What was acknowledged is in the log") != std::string::npos, file);
  }
}

BOOST_AUTO_TEST_SUITE_END()

#endif
