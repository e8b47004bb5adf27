// Exhaustive: the disk is copied before each call of a history's last letter, and every copy is cut, recovered and
// compared in every way. Copies share their contents until these change, so one crash with its recovery and comparison
// takes about ten microseconds.
#include <array>
#include <memory>

#include "tests/crash/proofs.h"
#include "tests/crash/subsets.h"

namespace fastjournal::log::file::test {

namespace {

struct Bounds {
  std::size_t exhaustive_bits;
  std::uint64_t nested_every;  // one recovery in this many is cut before each of its calls
};
constexpr Bounds kThorough{6, 16};
constexpr Bounds kLean{4, 64};
constexpr std::size_t kNestedBits = 2;
constexpr std::uint64_t kWithoutNewestEvery = 4;
constexpr std::size_t kWithCatalogue = 2;

// What happens before the word: a few records; a log that went round its segments and was cut; a log whose first
// segment is almost full; a new log.
constexpr std::array<std::string_view, 4> kBeginnings{"pg", "bmbmxpw", "ppg", ""};

// Each found a fault once, or finds a planted one.
constexpr std::array<std::string_view, 34> kChosen{
    "hhjx",   "hhbbjbbx", "gmrbx",    "bbn",         "bnbnx",       "gggmrx",  "gmbbxp",     "bbmbb",    "wwwwwwp",
    "bdbdb",  "mcbcmcb",  "wbkbw",    "bbbmqbp",     "bbbbbbdc",    "bxwxbmc", "gggmccp",    "wbwbwbpx", "bbmfpfpmc",
    "wsmfpk", "bmfbcq",   "bmfcmfc",  "aaeaex",      "atbmate",     "amaemx",  "amtaebx",    "bbamate",  "arnaemq",
    "awmerx", "bawmebx",  "awtwmerq", "hbhbmbbcbjx", "bbhhbhmbkhb", "hhafajq", "jjbbjbbjbbx"};

using Moments = std::vector<std::unique_ptr<Scenario>>;

class ShortHistory {
 public:
  ShortHistory(Proof const& proof, std::size_t sizes, Effort effort)
      : proof_(proof), sizes_(kSizes[sizes]), bounds_(effort == Effort::thorough ? kThorough : kLean) {}

  std::optional<std::string> run(std::string_view beginning, std::string_view letters) {
    Scenario scenario(sim::SimDisk::Options{sizes_.sector, 1ULL << 40U});
    scenario.world.options = small_options(sizes_.block, 6);
    scenario.world.options.sync_method = sizes_.method;
    if (!scenario.open()) return "open: " + scenario.trouble();
    for (char const letter : beginning)
      if (!scenario.step(letter)) return "in the beginning: " + scenario.trouble();
    for (char const letter : letters.substr(0, letters.size() - 1))
      if (!scenario.step(letter)) return "before the last letter: " + scenario.trouble();
    Moments moments;
    watch(scenario, moments);
    bool const ok = letters.empty() || scenario.step(letters.back());
    scenario.world.disk.before_change({});
    if (!ok) return scenario.trouble();
    moments.push_back(copy_of(scenario));
    ++proof_.tally.histories;
    for (std::size_t moment = 0; moment < moments.size() && !proof_.is_over(); ++moment)
      if (auto wrong = cut(*moments[moment], bounds_.exhaustive_bits, true))
        return "cut before call " + std::to_string(moment + 1) + " of the last letter, " + *wrong;
    return {};
  }

 private:
  static std::unique_ptr<Scenario> copy_of(Scenario const& scenario) {
    auto copy = std::make_unique<Scenario>();
    copy->copy_state(scenario);
    return copy;
  }
  static void watch(Scenario& scenario, Moments& moments) {
    scenario.world.disk.before_change([&] { moments.push_back(copy_of(scenario)); });
  }

  // All ways in which a power cut can end at this moment.
  std::optional<std::string> cut(Scenario const& moment, std::size_t bits, bool may_nest) {
    auto const ways = subsets(moment.world.disk.unsynced_things(), bits);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      Scenario scenario;
      scenario.copy_state(moment);
      scenario.world.crash(ways[way]);
      bool const nest = may_nest && ++recoveries_ % bounds_.nested_every == 0;
      auto const wrong = nest ? recover_with_cuts(scenario) : recover(scenario);
      if (wrong) return "subset " + std::to_string(way) + " of " + std::to_string(ways.size()) + ": " + *wrong;
      if (++cuts_ % kWithoutNewestEvery != 0) continue;
      if (auto lost = recover_without_newest(moment, ways[way]))
        return "subset " + std::to_string(way) + ", and the newest segment is lost: " + *lost;
    }
    return {};
  }

  // A file may be removed at any moment. The start must refuse, unless nothing acknowledged was in the file.
  std::optional<std::string> recover_without_newest(Scenario const& moment, sim::Chooser const& survives) {
    Scenario scenario;
    scenario.copy_state(moment);
    scenario.world.crash(survives);
    auto reader = LogReader::open(scenario.world.disk, "data/log");
    if (!reader.ok()) return {};
    FoundSegment const* newest = nullptr;
    for (FoundSegment const& one : reader.value().segments())
      if (one.header.generation > (newest == nullptr ? 0 : newest->header.generation)) newest = &one;
    if (newest == nullptr) return {};
    scenario.world.disk.drop(newest->path);
    count();
    if (scenario.open() || (scenario.complaint.empty() && scenario.status.code() == Code::damaged)) return {};
    return scenario.trouble();
  }

  std::optional<std::string> recover(Scenario& scenario) {
    count();
    if (!scenario.open()) return scenario.trouble();
    // The log goes on: the next record survives the next power cut.
    if (!scenario.step('p')) return "after the recovery: " + scenario.trouble();
    scenario.world.crash(sim::keep_none());
    count();
    if (!scenario.open()) return "second recovery: " + scenario.trouble();
    return {};
  }

  std::optional<std::string> recover_with_cuts(Scenario& scenario) {
    Moments moments;
    watch(scenario, moments);
    auto wrong = recover(scenario);
    scenario.world.disk.before_change({});
    if (wrong) return wrong;
    is_nested_ = true;
    for (std::size_t moment = 0; moment < moments.size() && !wrong; ++moment) {
      wrong = cut(*moments[moment], kNestedBits, false);
      if (wrong) wrong = "recovery cut before its call " + std::to_string(moment + 1) + ", " + *wrong;
    }
    is_nested_ = false;
    return wrong;
  }
  void count() {
    ++proof_.tally.crashes;
    if (is_nested_) ++proof_.tally.nested;
  }

  Proof const& proof_;
  Sizes sizes_;
  Bounds bounds_;
  std::uint64_t recoveries_{0};
  std::uint64_t cuts_{0};
  bool is_nested_{false};
};

void each_word(std::string const& letters, std::size_t length, std::vector<std::string>& out) {
  if (letters.size() == length) {
    for (std::string_view const beginning : kBeginnings) out.push_back(std::string(beginning) + ":" + letters);
    return;
  }
  // The catalogue's letters do the same as others, with one more thing to check: in long words they would only take
  // time.
  std::string_view const alphabet = length <= kWithCatalogue ? Scenario::kSteps : Scenario::kStepsOfRows;
  for (char const letter : alphabet) each_word(letters + letter, length, out);
}

}  // namespace

std::vector<std::string> short_words(std::size_t length) {
  std::vector<std::string> out;
  each_word("", length, out);
  return out;
}

std::vector<std::string> chosen_words() {
  std::vector<std::string> out;
  // All prefixes too, as only the calls of the last letter are cut.
  for (std::string_view const word : kChosen)
    for (std::size_t length = 1; length <= word.size(); ++length)
      out.push_back("pg:" + std::string(word.substr(0, length)));
  return out;
}

std::optional<Failure> short_history(Proof const& proof, std::string const& word, std::size_t sizes, Effort effort) {
  std::size_t const colon = word.find(':');
  if (colon == std::string::npos) return Failure{"a word is `beginning:letters`", {}};
  ShortHistory history(proof, sizes, effort);
  auto const wrong = history.run(std::string_view(word).substr(0, colon), std::string_view(word).substr(colon + 1));
  if (!wrong) return {};
  return Failure{
      fmt::format("history {} (sectors of {}, blocks of {}): {}", word, kSizes[sizes].sector, kSizes[sizes].block,
                  *wrong),
      fmt::format("--word {} --sizes {} --effort {}", word, sizes, effort == Effort::thorough ? "thorough" : "lean")};
}

}  // namespace fastjournal::log::file::test
