// The corpus of a fuzzer, run once in the ordinary build, whole, cut anywhere and with bytes changed: what a fuzzer found
// stays found where nobody runs it, and a change that breaks a reader is seen without clang. The program's name says
// whose corpus it is: replay_http runs that of http.cpp.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

// Of one seed: so many cuts, and so many inputs with changed bytes.
constexpr std::size_t kVariantsMax = 2048;

void run(std::string const& bytes) {
  // A copy of its own, so that reading behind the end is seen by valgrind and sanitizers.
  std::vector<std::uint8_t> const input(bytes.begin(), bytes.end());
  static_cast<void>(LLVMFuzzerTestOneInput(input.data(), input.size()));
}

std::vector<fs::path> seeds() {
  std::string const program = fs::path{boost::unit_test::framework::master_test_suite().argv[0]}.filename().string();
  std::vector<fs::path> out;
  for (fs::directory_entry const& one :
       fs::directory_iterator{FJ_SOURCE_DIR "/tests/fuzz/corpus/" + program.substr(program.find('_') + 1)})
    out.push_back(one.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(corpus)

BOOST_AUTO_TEST_CASE(every_seed_is_read_whole_cut_and_changed) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261127U);
  BOOST_TEST_MESSAGE("FJ_SEED=" << seed);
  std::mt19937_64 random{seed};
  std::vector<fs::path> const all = seeds();
  BOOST_REQUIRE(!all.empty());
  for (fs::path const& path : all) {
    std::ifstream file{path, std::ios::binary};
    std::string const whole{std::istreambuf_iterator<char>{file}, {}};
    BOOST_TEST_CONTEXT(path) {
      run(whole);
      std::size_t const cuts = std::min(whole.size(), kVariantsMax);
      for (std::size_t at = 0; at < cuts; ++at) run(whole.substr(0, at * whole.size() / cuts));
      for (std::size_t at = 0; at < kVariantsMax && !whole.empty(); ++at) {
        std::string changed = whole;
        for (std::uint64_t left = 1 + random() % 3; left > 0; --left)
          changed[random() % changed.size()] = static_cast<char>(random());
        run(changed);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
