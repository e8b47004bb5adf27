#include "tests/world/transaction_mutants.h"

#include <filesystem>
#include <string>

#include "tests/support/in_child.h"
#include "tests/world/transactions_life.h"
#include "tests/world/transactions_model.h"
#include "tests/world/transcript.h"

namespace fastjournal::sim {
namespace {

// Of the word before the colon.
std::string proofs(std::uint64_t seed, std::uint64_t lives_max) {
  constexpr std::uint64_t kSteps = 400;
  constexpr std::uint64_t kCuts = 100;
  for (char const* const name :
       {"transactions", "transactions_ended", "transaction_rows", "transaction_pairs", "transaction_whole",
        "transaction_logs", "transaction_blobs", "xa", "xa_decided", "xa_blobs"})
    if (std::string const wrong =
            run_transcript(std::string{FJ_SOURCE_DIR "/tests/transcripts/"} + name + ".txt", seed);
        !wrong.empty())
      return "transcripts:" + std::filesystem::path{wrong}.filename().string();
  if (std::string const wrong = lose_homes(seed, 4); !wrong.empty()) return "a lost home:" + wrong;
  for (std::uint64_t life = 0; life < lives_max; ++life) {
    std::string const at = std::to_string(seed + life) + ", ";
    if (std::string const wrong = cut_commits(seed + life, kCuts).wrong; !wrong.empty())
      return "cuts of commits:seed " + at + wrong;
    if (std::string const wrong = model_transactions(seed + life, kSteps).wrong; !wrong.empty())
      return "the reference:seed " + at + wrong;
    if (std::string const wrong = live_with_transactions(seed + life, kSteps).wrong; !wrong.empty())
      return "lives:seed " + at + wrong;
  }
  return {};
}

}  // namespace

test::Seen try_mutant(transaction::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max) {
  std::string said;
  int const code = test::run_in_child(
      [&] {
        transaction::active_mutant = mutant;
        return proofs(seed, lives_max);
      },
      60 + lives_max, said);
  if (code != 0) return {"its end", said.empty() ? "it never came to an end, or a signal ended it" : said};
  if (said.empty()) return {};
  std::size_t const colon = said.find(':');
  return {said.substr(0, colon), said.substr(colon + 1)};
}

}  // namespace fastjournal::sim
