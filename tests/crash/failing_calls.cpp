// Each call to the disk fails once, in histories that make all calls. After a failed write or sync nothing more is
// acknowledged, and everything acknowledged before is there when the disk works again.
#include <array>

#include "log/file/data_folder.h"
#include "tests/crash/proofs.h"

namespace fastjournal::log::file::test {

namespace {

// The first makes every kind of step; the second frees segments and leaves unfinished ones behind.
constexpr std::array<std::string_view, 2> kHistories{"pblhgwmbbcjbmcsvqpbwpcmckp", "bbbbbbbbbbdccckwplsvawteq"};
constexpr std::array<sim::Failure, 3> kFailures{sim::Failure::io_error, sim::Failure::no_space,
                                                sim::Failure::short_write};

// Causes calls that are made only after an earlier mishap, or with an option.
enum class Before : std::uint8_t { nothing, half_made_segment, failing_rename, wipe_wanted };
constexpr std::array<Before, 4> kBefores{Before::nothing, Before::half_made_segment, Before::failing_rename,
                                         Before::wipe_wanted};
// The first three renames are of `newest` and of the segments of a new log.
constexpr std::uint64_t kRenameLater = 4;

struct Plan {
  std::string_view history;
  Before before;
  sim::Call call;
  std::uint64_t nth;
  sim::Failure how;
  SyncMethod method;
};

// A log whose write or sync failed accepts nothing more and gives the reason.
std::optional<std::string> stays_ended(FileLog& log) {
  Status const error = log.why();
  if (error.ok()) return {};
  if (log.reserve(8, true)) return "room is given after a failure: " + error.text();
  if (log.writer().last_refusal().message() != error.message()) return "the refusal hides the failure: " + error.text();
  if (log.commit().ok() || log.committer().sync().ok() || log.shut_down().ok())
    return "a commit is ok after a failure: " + error.text();
  if (error.message().find("data/log") == std::string::npos) return "the failure names no file: " + error.text();
  return {};
}

// The power is cut while the third segment is made, and leaves a part of it.
bool leave_half_made(Scenario& scenario) {
  if (!scenario.open()) return false;
  scenario.world.disk.stop_after(3);
  scenario.world.log->run_chores();
  scenario.world.crash(sim::keep_all());
  return true;
}

// `met` is false if the history makes fewer calls of this kind.
std::optional<std::string> fail_one(Proof const& proof, Plan const& plan, std::set<void const*>& sites, bool& met) {
  Scenario scenario;
  scenario.world.options = small_options(512, 6);
  scenario.world.options.wipe = plan.before == Before::wipe_wanted;
  scenario.world.options.sync_method = plan.method;
  if (plan.before == Before::half_made_segment && !leave_half_made(scenario)) return scenario.trouble();
  if (plan.before == Before::failing_rename)
    scenario.world.disk.fail_call(sim::Call::rename, kRenameLater, sim::Failure::io_error);
  scenario.world.disk.fail_call(plan.call, plan.nth, plan.how);
  bool running = false;
  {
    auto const data = DataFolder::open(scenario.world.disk, {.folder = "data", .logs = {"data/log"}, .create = true});
    running = data.ok() && scenario.open();
  }
  for (char const letter : plan.history) {
    if (!scenario.complaint.empty()) return scenario.complaint;
    if (!running) break;
    running = scenario.step(letter);
    // Not every failure ends the log: if only a segment could not be made, it goes on.
    if (!running && scenario.world.log != nullptr && scenario.world.log->why().ok()) running = true;
  }
  auto const& callers = scenario.world.disk.failed_callers();
  met = callers.size() == (plan.before == Before::failing_rename ? 2U : 1U);
  if (!met) return {};
  ++proof.tally.failed_calls;
  sites.insert(callers.begin(), callers.end());
  if (scenario.world.log != nullptr)
    if (auto wrong = stays_ended(*scenario.world.log)) return wrong;
  scenario.world.log.reset();
  scenario.world.disk.kill();
  if (!scenario.open()) return "after kill -9: " + scenario.trouble();
  ++proof.tally.crashes;
  scenario.world.crash(sim::keep_some(plan.nth));
  if (!scenario.open()) return "after a power cut: " + scenario.trouble();
  return {};
}

// Lets the first call of this kind fail, then the second, and so on to the last.
std::optional<Failure> fail_each(Proof const& proof, Plan plan, std::set<void const*>& sites) {
  for (bool met = true; met && !proof.is_over(); ++plan.nth)
    if (auto wrong = fail_one(proof, plan, sites, met))
      return Failure{fmt::format("history {}, before {}, call kind {} number {}, failure {}, method {}: {}",
                                 plan.history, static_cast<int>(plan.before), static_cast<int>(plan.call), plan.nth,
                                 static_cast<int>(plan.how), static_cast<int>(plan.method), *wrong),
                     "--failing-calls"};
  return {};
}

}  // namespace

std::optional<Failure> fail_every_call(Proof const& proof, std::set<void const*>& sites) {
  for (std::string_view const history : kHistories)
    for (Before const before : kBefores)
      for (std::size_t kind = 0; kind < sim::kCallKinds; ++kind)
        for (sim::Failure const how : kFailures) {
          auto const call = static_cast<sim::Call>(kind);
          if (how == sim::Failure::short_write && call != sim::Call::write) continue;
          for (SyncMethod const method : {SyncMethod::fdatasync, SyncMethod::direct})
            if (auto failure = fail_each(proof, {history, before, call, 1, how, method}, sites)) return failure;
        }
  return {};
}

}  // namespace fastjournal::log::file::test
