#include "tests/world/keyvalue_mutants.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/in_child.h"
#include "tests/unit/keyvalue/life.h"
#include "tests/world/keyvalue_life.h"
#include "tests/world/transcript.h"

namespace fastjournal::sim {
namespace {

std::vector<std::string> transcripts() {
  std::vector<std::string> out;
  for (auto const& entry : std::filesystem::directory_iterator{FJ_SOURCE_DIR "/tests/transcripts"})
    if (entry.path().filename().string().starts_with("keyvalue") && entry.path().extension() == ".txt")
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Of the word before the colon.
std::string proofs(std::uint64_t seed, std::uint64_t lives_max) {
  constexpr std::uint64_t kSteps = 1'500;
  constexpr std::uint64_t kStepsInDaemon = 300;
  for (std::string const& file : transcripts())
    if (std::string const wrong = run_transcript(file, seed); !wrong.empty())
      return "transcripts:" + std::filesystem::path{wrong}.filename().string();
  for (std::uint64_t life = 0; life < lives_max; ++life) {
    std::string const at = std::to_string(seed + life) + ", ";
    if (std::string const wrong = keyvalue::test::live(seed + life, kSteps).wrong; !wrong.empty())
      return "table lives:seed " + at + wrong;
    if (std::string const wrong = live_with_values(seed + life, kStepsInDaemon).wrong; !wrong.empty())
      return "daemon lives:seed " + at + wrong;
  }
  return {};
}

}  // namespace

test::Seen try_mutant(keyvalue::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max) {
  std::string said;
  int const code = test::run_in_child(
      [&] {
        keyvalue::active_mutant = mutant;
        return proofs(seed, lives_max);
      },
      60 + lives_max, said);
  if (code != 0) return {"its end", said.empty() ? "it never came to an end, or a signal ended it" : said};
  if (said.empty()) return {};
  std::size_t const colon = said.find(':');
  return {said.substr(0, colon), said.substr(colon + 1)};
}

}  // namespace fastjournal::sim
