// Plays every file of tests/transcripts/; see transcript.h for the language. FJ_TRANSCRIPTS: only those whose names begin
// so.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/support/seed.h"
#include "tests/world/transcript.h"

namespace fastjournal::sim::transcripts_test {
namespace {

std::set<std::string> files_wanted() {
  std::set<std::string> files;
  char const* const wanted = std::getenv("FJ_TRANSCRIPTS");
  for (auto const& entry : std::filesystem::directory_iterator{FJ_SOURCE_DIR "/tests/transcripts"})
    if (entry.path().extension() == ".txt" &&
        entry.path().filename().string().starts_with(wanted == nullptr ? "" : wanted))
      files.insert(entry.path().string());
  return files;
}

std::uint64_t seed() { return test::seed_or(1); }

constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ULL;

}  // namespace

BOOST_AUTO_TEST_SUITE(transcripts)

BOOST_AUTO_TEST_CASE(each_goes_as_written) {
  std::set<std::string> const files = files_wanted();
  BOOST_REQUIRE(!files.empty());
  for (std::string const& file : files) {
    std::string const wrong = run_transcript(file, seed());
    BOOST_TEST(wrong.empty(), wrong << "\n  FJ_SEED=" << seed());
  }
}

// With syncs on a thread and another hash seed, clients must not notice any difference.
BOOST_AUTO_TEST_CASE(each_goes_as_written_with_syncs_on_a_thread_and_another_seed_of_hashes) {
  for (std::string const& file : files_wanted()) {
    std::string const wrong = run_transcript(file, seed(), log::SyncPlace::on_thread, kHashSeed);
    BOOST_TEST(wrong.empty(), wrong << "\n  FJ_SEED=" << seed());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::transcripts_test
