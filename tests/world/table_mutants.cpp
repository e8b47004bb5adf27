#include "tests/world/table_mutants.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/support/in_child.h"
#include "tests/world/transcript.h"

namespace fastjournal::sim {
namespace {

std::vector<std::string> transcripts(std::string const& prefix) {
  std::vector<std::string> out;
  for (auto const& entry : std::filesystem::directory_iterator{FJ_SOURCE_DIR "/tests/transcripts"})
    if (entry.path().filename().string().starts_with(prefix) && entry.path().extension() == ".txt")
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Of the word before the colon.
std::string said_by(TableProofs const& proofs, std::uint64_t seed, std::uint64_t lives_max) {
  for (std::string const& file : transcripts(proofs.transcripts))
    if (std::string const wrong = run_transcript(file, seed); !wrong.empty())
      return "transcripts:" + std::filesystem::path{wrong}.filename().string();
  for (std::uint64_t life = 0; life < lives_max; ++life) {
    std::string const at = std::to_string(seed + life) + ", ";
    if (std::string const wrong = proofs.alone(seed + life); !wrong.empty()) return "table lives:seed " + at + wrong;
    if (std::string const wrong = proofs.in_daemon(seed + life); !wrong.empty())
      return "daemon lives:seed " + at + wrong;
  }
  return {};
}

}  // namespace

test::Seen try_fault(std::function<void()> const& plant, TableProofs const& proofs, std::uint64_t seed,
                     std::uint64_t lives_max) {
  std::string said;
  int const code = test::run_in_child(
      [&] {
        plant();
        return said_by(proofs, seed, lives_max);
      },
      60 + lives_max, said);
  if (code != 0) return {"its end", said.empty() ? "it never came to an end, or a signal ended it" : said};
  if (said.empty()) return {};
  std::size_t const colon = said.find(':');
  return {said.substr(0, colon), said.substr(colon + 1)};
}

}  // namespace fastjournal::sim
