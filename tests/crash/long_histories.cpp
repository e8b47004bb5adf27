// Random lives of a log by seed: operations, power cuts after any call, kills, failing calls, recoveries that are cut
// as well, and the limit of disk use.
#include <random>

#include "tests/crash/proofs.h"

namespace fastjournal::log::file::test {

namespace {

constexpr std::uint64_t kLargeBytes = 6000;
constexpr std::uint64_t kOperationsMax = 100;
constexpr std::uint64_t kNever = 1U << 30U;

class LongLife {
 public:
  LongLife(Proof const& proof, LongHistory const& history)
      : proof_(proof),
        random_(history.seed),
        sizes_(history.sizes.value_or(kSizes[history.seed % std::size(kSizes)])),
        crashes_(history.crashes),
        scenario_(sim::SimDisk::Options{sizes_.sector, 1ULL << 40U}) {
    scenario_.world.options = small_options(sizes_.block, 6 + draw(20));
    scenario_.world.options.sync_method = sizes_.method;
    scenario_.world.options.wipe = draw(2) == 0;
    scenario_.world.disk.ignore_syncs(history.lying_syncs);
  }

  // Returns what went wrong, or nothing.
  std::optional<std::string> run() {
    if (!scenario_.open()) return scenario_.trouble();
    ++proof_.tally.histories;
    for (std::uint64_t crash = 0; crash < crashes_ && !proof_.is_over(); ++crash) {
      auto wrong = live();
      if (!wrong) wrong = come_back();
      if (!wrong) wrong = look_at_space();
      if (wrong) return "crash " + std::to_string(crash) + ": " + *wrong;
    }
    return {};
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  sim::SimDisk& disk() { return scenario_.world.disk; }

  // Operates until the power is cut or a call fails.
  std::optional<std::string> live() {
    disk().stop_after(1 + draw(60));
    if (draw(16) == 0) disk().fail_call(draw(2) == 0 ? sim::Call::write : sim::Call::sync, 1 + draw(30), failure());
    // A power cut by letter x cancels the planned one.
    for (std::uint64_t left = kOperationsMax; left > 0 && !disk().is_stopped(); --left) {
      bool const ok = operation();
      if (!scenario_.complaint.empty()) return scenario_.complaint;
      if (ok) {
        if (scenario_.world.log != nullptr && draw(3) == 0) scenario_.world.log->run_chores();
        continue;
      }
      if (disk().is_stopped() || !disk().failed_callers().empty()) break;
      return "without a cause: " + scenario_.trouble();
    }
    return {};
  }

  sim::Failure failure() {
    constexpr sim::Failure kFailedCalls[] = {sim::Failure::io_error, sim::Failure::no_space, sim::Failure::short_write};
    return kFailedCalls[draw(std::size(kFailedCalls))];
  }

  bool operation() {
    std::uint64_t const what = draw(100);
    if (what < 50)
      return scenario_.put(draw(draw(20) == 0 ? kLargeBytes : 500), 1 + static_cast<int>(draw(4)),
                           draw(4) == 0 ? Durability::written : Durability::synced);
    if (what < 80 && scenario_.reference.size() > 4) {
      // Compacts the catalogue, as it would hold the base otherwise.
      if (draw(4) == 0) return scenario_.step('h');
      scenario_.move_base(scenario_.reference.lsn_of(scenario_.reference.size() - 1 - draw(4)));
      return true;
    }
    return scenario_.step(Scenario::kSteps[draw(Scenario::kSteps.size())]);
  }

  std::optional<std::string> come_back() {
    crash();
    // The next start must make `newest`, and may be cut as well.
    if (draw(8) == 0) become_old(disk(), sizes_.block);
    // The recovery is cut as well, sometimes twice.
    for (std::uint64_t again = draw(3); again > 0; --again) {
      disk().stop_after(draw(20));
      if (scenario_.open()) break;
      if (!scenario_.complaint.empty()) return scenario_.complaint;
      ++proof_.tally.nested;
      crash();
    }
    if (scenario_.world.log == nullptr && !scenario_.open()) return scenario_.trouble();
    return {};
  }

  void crash() {
    ++proof_.tally.crashes;
    scenario_.world.crash(sim::keep_some(random_()));
  }

  // Allowed are the spares and what lies between base and end; a start may leave a segment half full.
  std::optional<std::string> look_at_space() {
    disk().stop_after(kNever);
    if (!scenario_.step('h') || !scenario_.step('h')) return scenario_.trouble();
    if (!scenario_.reference.is_empty()) scenario_.move_base(scenario_.reference.last_lsn());
    scenario_.world.log->run_chores();
    log::LogUsage const usage = scenario_.world.log->usage();
    std::uint32_t const used = usage.segments - usage.segments_free;
    std::uint64_t const payload = scenario_.world.options.segment_bytes - 2 * sizes_.block;
    if (usage.segments_free > SpacePolicy::kKeptBack + 2 + used / SpacePolicy::kCopiesGrowPart)
      return fmt::format("{} spare segments", usage.segments_free);
    if (used > 3 + (4 * kLargeBytes) / payload + 1) return fmt::format("{} segments for one record", used);
    if (disk().used_bytes() != usage.disk_bytes + kNewestFileBytes)
      return "files are there that the log does not count";
    return {};
  }

  Proof const& proof_;
  std::mt19937_64 random_;
  Sizes sizes_;
  std::uint64_t crashes_;
  Scenario scenario_;
};

}  // namespace

std::optional<Failure> long_history(Proof const& proof, LongHistory const& history) {
  auto const wrong = LongLife(proof, history).run();
  if (!wrong) return {};
  return Failure{fmt::format("seed {}: {}", history.seed, *wrong), fmt::format("--seed {}", history.seed)};
}

}  // namespace fastjournal::log::file::test
