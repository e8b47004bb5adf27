// The order of the proofs. Threads share a proof by taking the next number.
#include "tests/crash/campaign.h"

#include <mutex>
#include <sstream>
#include <thread>

namespace fastjournal::log::file::test {

namespace {

constexpr std::uint64_t kCrashesOfALongHistory = 40;
constexpr std::uint64_t kDamagesOfALog = 200;
// At least one crash in this many is in a long history.
constexpr std::uint64_t kLongPart = 10;
constexpr std::size_t kLongWord = 3;
constexpr std::uint64_t kFirstLong = 8;
// Lives of byte files whose calls fail, for so many crashes; and one crash in so many is in a long life.
constexpr std::uint64_t kByteCrashesPerFailing = 10'000;
constexpr std::uint64_t kLongBytePart = 10;

class Campaign {
 public:
  Campaign(Plan const& plan, Stopwatch const& stopwatch, Progress const& progress)
      : plan_(plan), stopwatch_(stopwatch), progress_(progress) {}

  Outcome run() {
    if (plan_.log) log();
    if (plan_.byte_crashes > 0) bytes();
    return std::move(outcome_);
  }

 private:
  using Work = std::function<std::optional<Failure>(std::uint64_t)>;

  void log() {
    phase("failing calls", 1, [this](std::uint64_t) { return fail_every_call(proof_, sites_); });
    std::uint64_t const logs = (plan_.damages + kDamagesOfALog - 1) / kDamagesOfALog;
    // More logs than that, as a damage that changes nothing is not counted.
    phase("damaged sectors", 4 * logs + 16, [this](std::uint64_t number) -> std::optional<Failure> {
      if (tally_.damages >= plan_.damages) return {};
      return damaged_sectors(proof_, plan_.seed * 1'000'003 + number, kDamagesOfALog);
    });
    // These find some faults soon that other proofs find late or not at all.
    phase("first long histories", kFirstLong, [this](std::uint64_t number) {
      return long_history(proof_, {plan_.seed * 1'000'003 + number, kCrashesOfALongHistory, {}, false});
    });
    phase("lives of turns", plan_.turn_lives,
          [this](std::uint64_t number) { return turn_life(proof_, plan_.seed * 1'000'003 + number); });
    words("chosen histories", chosen_words(), plan_.effort);
    for (std::size_t length = 1; length <= plan_.scope; ++length) all_words(length);
    phase("long histories", UINT64_MAX, [this](std::uint64_t number) -> std::optional<Failure> {
      is_enough_ = is_enough_ || (tally_.crashes >= plan_.crashes / kLongPart && outcome_crashes() >= plan_.crashes);
      if (is_enough_) return {};
      return long_history(proof_, {plan_.seed * 1'000'003 + number, kCrashesOfALongHistory, {}, false});
    });
  }

  void bytes() {
    phase("byte files, calls", 1 + plan_.byte_crashes / kByteCrashesPerFailing,
          [this](std::uint64_t number) { return fail_byte_calls(proof_, plan_.seed * 1'000'003 + number); });
    byte_lives("byte files, long", plan_.byte_crashes / kLongBytePart, long_byte_life);
    byte_lives("byte files, cuts", plan_.byte_crashes - plan_.byte_crashes / kLongBytePart, cut_byte_life);
  }

  template <typename Proved>
  void byte_lives(std::string const& name, std::uint64_t crashes, Proved const& proved) {
    phase(name, UINT64_MAX, [&](std::uint64_t number) -> std::optional<Failure> {
      is_enough_ = is_enough_ || tally_.crashes >= crashes;
      if (is_enough_) return {};
      return proved(proof_, plan_.seed * 1'000'003 + number);
    });
  }

  [[nodiscard]] std::uint64_t outcome_crashes() const { return outcome_.sum.crashes + tally_.crashes; }

  // There are many long words, so each is tried with one of kSizes only; another seed tries another one.
  void all_words(std::size_t length) {
    auto const words_of_length = short_words(length);
    std::string const name = fmt::format("all histories of {}", length);
    if (length < kLongWord) return words(name, words_of_length, length == 1 ? plan_.effort : Effort::lean);
    phase(name, words_of_length.size(), [&](std::uint64_t number) {
      return short_history(proof_, words_of_length[number], (number + plan_.seed) % std::size(kSizes), Effort::lean);
    });
  }

  void words(std::string const& name, std::vector<std::string> const& words, Effort effort) {
    phase(name, words.size() * std::size(kSizes), [&](std::uint64_t number) {
      return short_history(proof_, words[number / std::size(kSizes)], number % std::size(kSizes), effort);
    });
  }

  // Calls work(0) ... work(count - 1), each once, until one fails or the plan is done.
  void phase(std::string const& name, std::uint64_t count, Work const& work) {
    if (outcome_.failure) return;
    std::atomic<std::uint64_t> next{0};
    double const begin = stopwatch_();
    is_enough_ = false;
    auto const toil = [&] {
      while (!failed_ && !is_enough_) {
        std::uint64_t const number = next++;
        if (number >= count) return;
        note(work(number));
        tell(name, begin);
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < plan_.threads; ++i) threads.emplace_back(toil);
    toil();
    for (std::thread& thread : threads) thread.join();
    end_phase(name, begin);
  }

  void note(std::optional<Failure> failure) {
    if (!failure) return;
    std::lock_guard const lock(mutex_);
    if (!outcome_.failure) outcome_.failure = std::move(failure);
    failed_ = true;
  }

  [[nodiscard]] Phase so_far(std::string const& name, double begin) const {
    return {name,           tally_.histories,    tally_.crashes,      tally_.nested,
            tally_.damages, tally_.failed_calls, stopwatch_() - begin};
  }

  void tell(std::string const& name, double begin) {
    if (!progress_) return;
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) progress_(so_far(name, begin));
  }

  void end_phase(std::string const& name, double begin) {
    Phase const phase = so_far(name, begin);
    outcome_.phases.push_back(phase);
    outcome_.sum.histories += phase.histories;
    outcome_.sum.crashes += phase.crashes;
    outcome_.sum.nested += phase.nested;
    outcome_.sum.damages += phase.damages;
    outcome_.sum.failed_calls += phase.failed_calls;
    outcome_.sum.seconds += phase.seconds;
    tally_.histories = tally_.crashes = tally_.nested = tally_.damages = tally_.failed_calls = 0;
  }

  Plan const& plan_;
  Stopwatch const& stopwatch_;
  Progress const& progress_;
  Tally tally_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> is_enough_{false};
  Proof const proof_{tally_, [this] { return failed_.load(); }};
  std::set<void const*> sites_;
  std::mutex mutex_;
  Outcome outcome_;
};

}  // namespace

Outcome run_campaign(Plan const& plan, Stopwatch const& stopwatch, Progress const& progress) {
  return Campaign(plan, stopwatch, progress).run();
}

std::optional<Failure> run_again(std::string const& words, Tally& tally) {
  Proof const proof{tally, {}};
  std::istringstream in(words);
  std::map<std::string, std::string> given;
  for (std::string option, value; in >> option;) {
    if (option != "--failing-calls") in >> value;
    given[option] = value;
  }
  auto const number = [&](char const* option, std::uint64_t otherwise) {
    auto const found = given.find(option);
    return found == given.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
  };
  std::set<void const*> sites;
  if (given.contains("--word"))
    return short_history(proof, given["--word"], number("--sizes", 0) % std::size(kSizes),
                         given["--effort"] == "lean" ? Effort::lean : Effort::thorough);
  if (given.contains("--damage-seed"))
    return damaged_sectors(proof, number("--damage-seed", 1), number("--damage", kDamagesOfALog));
  if (given.contains("--seed"))
    return long_history(proof, {number("--seed", 1), number("--crashes", kCrashesOfALongHistory), {}, false});
  if (given.contains("--turns")) return turn_life(proof, number("--turns", 1));
  if (given.contains("--failing-calls")) return fail_every_call(proof, sites);
  if (given.contains("--byte-cuts")) return cut_byte_life(proof, number("--byte-cuts", 1));
  if (given.contains("--byte-calls")) return fail_byte_calls(proof, number("--byte-calls", 1));
  if (given.contains("--byte-life")) return long_byte_life(proof, number("--byte-life", 1));
  return Failure{
      "expected --word, --damage-seed, --seed, --turns, --failing-calls, --byte-cuts, --byte-calls or --byte-life: " +
          words,
      words};
}

}  // namespace fastjournal::log::file::test
