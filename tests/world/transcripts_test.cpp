// Plays every file of tests/transcripts/; see transcript.h for the language.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/support/seed.h"
#include "tests/world/transcript.h"

namespace {

std::set<std::string> transcripts() {
  std::set<std::string> files;
  for (auto const& entry : std::filesystem::directory_iterator{FJ_SOURCE_DIR "/tests/transcripts"})
    if (entry.path().extension() == ".txt") files.insert(entry.path().string());
  return files;
}

std::uint64_t seed() { return fastjournal::test::seed_or(1); }

constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ULL;

}  // namespace

BOOST_AUTO_TEST_SUITE(transcripts_under_simulated_time)

BOOST_AUTO_TEST_CASE(each_goes_as_written) {
  std::set<std::string> const files = transcripts();
  BOOST_REQUIRE(!files.empty());
  for (std::string const& file : files) {
    std::string const wrong = fastjournal::sim::run_transcript(file, seed());
    BOOST_TEST(wrong.empty(), wrong << "\n  FJ_SEED=" << seed());
  }
}

// With syncs on a thread and another hash seed, clients must not notice any difference.
BOOST_AUTO_TEST_CASE(each_goes_as_written_with_syncs_on_a_thread_and_another_seed_of_hashes) {
  for (std::string const& file : transcripts()) {
    std::string const wrong =
        fastjournal::sim::run_transcript(file, seed(), fastjournal::log::SyncPlace::on_thread, kHashSeed);
    BOOST_TEST(wrong.empty(), wrong << "\n  FJ_SEED=" << seed());
  }
}

BOOST_AUTO_TEST_SUITE_END()
