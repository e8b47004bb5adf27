// Byte files: a table's life with them (tests/unit/storage/life.h) on the simulated disk. At each changing call of the
// disk the life is copied, and each copy is cut, started and compared; every call is made to fail; and long lives have
// cuts, kills, failing calls, full disks and starts that are cut as well.
#include <array>

#include "tests/crash/proofs.h"
#include "tests/unit/storage/life.h"

namespace fastjournal::log::file::test {

namespace {

using storage::test::Life;

constexpr int kShortSteps = 120;
constexpr int kStepsAfter = 20;
constexpr std::uint64_t kNestedEvery = 16;
constexpr int kRounds = 12;
constexpr int kStepsOfARound = 150;
constexpr std::uint64_t kNoCut = 1U << 30U;
constexpr std::uint64_t kSmallDisk = 1200U << 10U;
constexpr std::uint64_t kLargeDisk = std::uint64_t{1} << 40U;
// Values that are kept when space is looked at, each in whole blocks. What is used beside them in each file: its
// header, and space that was asked for ahead.
constexpr std::size_t kKept = 3;
constexpr std::uint64_t kBlock = 4096;

// A start that must succeed, after which everything named is there.
std::string start(Life& life) {
  Status const status = life.start();
  return status.ok() ? life.check() : status.text();
}

std::string live(Life& life, int steps) {
  for (int i = 0; i < steps; ++i)
    if (std::string wrong = life.step(); !wrong.empty()) return wrong;
  return {};
}

// What ended, and what crashes left, is given back by the next start.
std::string look_at_space(Life& life) {
  life.free_all(kKept);
  life.sync_log();
  life.kill();
  if (std::string wrong = start(life); !wrong.empty()) return wrong;
  if (std::string wrong = life.settle(); !wrong.empty()) return wrong;
  std::uint64_t const most =
      life.named_bytes() + kKept * kBlock + life.files().figures().files * (2 * kBlock + life.options().reserve_bytes);
  if (life.disk().used_bytes() <= most) return {};
  return fmt::format("{} bytes are used for {} that are named", life.disk().used_bytes(), life.named_bytes());
}

class CutLife {
 public:
  CutLife(Proof const& proof, std::uint64_t seed) : proof_(proof), seed_(seed) {}

  std::string run() {
    ++proof_.tally.histories;
    Life life{seed_};
    life.disk().before_change([&] { cut(life); });
    std::string wrong = start(life);
    for (int i = 0; i < kShortSteps && wrong.empty() && wrong_.empty() && !proof_.is_over(); ++i) wrong = life.step();
    life.disk().before_change({});
    return wrong_.empty() ? wrong : wrong_;
  }

 private:
  // All that is kept, nothing, and some of it.
  [[nodiscard]] std::array<sim::Chooser, 4> ways() const {
    return {sim::keep_none(), sim::keep_all(), sim::keep_some(seed_ * 7 + call_), sim::keep_some(~(seed_ * 7 + call_))};
  }

  void cut(Life const& moment) {
    ++call_;
    std::size_t way = 0;
    for (sim::Chooser const& survives : ways()) {
      ++way;
      if (!wrong_.empty() || proof_.is_over()) return;
      std::string wrong = come_back(moment, survives);
      if (!wrong.empty()) wrong_ = fmt::format("cut before call {}, way {}: {}", call_, way, wrong);
    }
  }

  std::string come_back(Life const& moment, sim::Chooser const& survives) {
    Life life{seed_ + ++tries_};
    life.copy_state(moment);
    life.power_cut(survives);
    ++proof_.tally.crashes;
    std::string nested;
    if (tries_ % kNestedEvery == 0)
      life.disk().before_change([&] {
        if (nested.empty()) nested = cut_start(life);
      });
    std::string wrong = start(life);
    life.disk().before_change({});
    if (!nested.empty()) return "the start cut as well: " + nested;
    if (!wrong.empty()) return wrong;
    if (wrong = live(life, kStepsAfter); !wrong.empty()) return "after the start: " + wrong;
    life.power_cut(sim::keep_none());
    ++proof_.tally.crashes;
    wrong = start(life);
    return wrong.empty() ? wrong : "at the second start: " + wrong;
  }

  std::string cut_start(Life const& moment) {
    for (sim::Chooser const& survives : ways()) {
      Life life{seed_};
      life.copy_state(moment);
      life.power_cut(survives);
      ++proof_.tally.crashes;
      ++proof_.tally.nested;
      if (std::string wrong = start(life); !wrong.empty()) return wrong;
    }
    return {};
  }

  Proof const& proof_;
  std::uint64_t seed_;
  std::uint64_t call_{0};
  std::uint64_t tries_{0};
  std::string wrong_;
};

// -- failing calls ------------------------------------------------------------

struct FailingCall {
  sim::Call call;
  std::uint64_t nth;
  sim::Failure how;
};

// `met` is false if the life makes fewer calls of this kind.
std::string fail_one(Proof const& proof, std::uint64_t seed, FailingCall const& plan, bool& met) {
  Life life{seed};
  life.disk().fail_call(plan.call, plan.nth, plan.how);
  Status const started = life.start();
  met = !life.disk().failed_callers().empty();
  if (!started.ok() && !met) return "a start without a failure: " + started.text();
  bool has_failed = false;
  for (int i = 0; i < kShortSteps && started.ok() && !has_failed; ++i) {
    std::string const wrong = life.step();
    has_failed = !life.files().failure().ok();
    if (!wrong.empty() && !has_failed) return wrong;
  }
  met = !life.disk().failed_callers().empty();
  if (has_failed && !met) return "it ended without a failure";
  if (!met) return {};
  ++proof.tally.failed_calls;
  // Only what may have cost bytes that were promised ends the daemon.
  if (has_failed && plan.call != sim::Call::sync && plan.call != sim::Call::write) return "it ended";
  if (started.ok() && !has_failed && plan.call == sim::Call::sync && life.refused() == 0) {
    // What was to be stored is refused when its job ends.
    static_cast<void>(life.settle());
    if (life.files().failure().ok() && life.refused() == 0) return "it was passed over";
    has_failed = !life.files().failure().ok();
  }
  if (started.ok() && !has_failed)
    if (std::string wrong = life.check(); !wrong.empty() && life.files().failure().ok()) return wrong;
  life.kill();
  if (std::string wrong = start(life); !wrong.empty()) return "after kill -9: " + wrong;
  if (std::string wrong = live(life, kStepsAfter); !wrong.empty()) return "after kill -9: " + wrong;
  ++proof.tally.crashes;
  life.power_cut(plan.nth % 2 == 0 ? sim::keep_none() : sim::keep_some(plan.nth));
  if (std::string wrong = start(life); !wrong.empty()) return "after a power cut: " + wrong;
  return look_at_space(life);
}

// -- long lives ---------------------------------------------------------------

class LongByteLife {
 public:
  LongByteLife(Proof const& proof, std::uint64_t seed)
      : proof_(proof), random_(seed), is_small_(seed % 4 == 0), life_(seed, is_small_ ? kSmallDisk : kLargeDisk) {}

  std::string run() {
    ++proof_.tally.histories;
    for (int round = 0; round < kRounds && !proof_.is_over(); ++round) {
      std::string wrong = come_back();
      if (wrong.empty()) wrong = live_on();
      if (wrong.empty()) wrong = end();
      if (!wrong.empty()) return fmt::format("round {}: {}", round, wrong);
    }
    if (std::string wrong = come_back(); !wrong.empty()) return wrong;
    if (std::string wrong = life_.settle(); !wrong.empty()) return wrong;
    // A file of an older log in which nothing is named stays, as it may be somebody else's.
    return has_other_log_ ? std::string{} : look_at_space(life_);
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  sim::SimDisk& disk() { return life_.disk(); }

  // The start is cut, sometimes twice.
  std::string come_back() {
    for (std::uint64_t again = draw(3); again > 0; --again) {
      disk().stop_after(draw(20));
      static_cast<void>(life_.start());
      if (!disk().is_stopped()) {
        life_.kill();
        break;
      }
      ++proof_.tally.nested;
      cut();
    }
    disk().stop_after(kNoCut);
    Status const status = life_.start();
    if (status.ok()) return life_.check();
    if (!is_small_ || status.code() != Code::no_space) return status.text();
    // A power cut gave back what was asked for ahead, and took what was given back: somebody frees space.
    life_.kill();
    disk().set_capacity(kLargeDisk);
    std::string wrong = start(life_);
    if (wrong.empty()) wrong = life_.settle();
    disk().set_capacity(kSmallDisk);
    return wrong;
  }

  // Until the power is cut, or a failing call ends it.
  std::string live_on() {
    if (draw(2) == 0) disk().stop_after(1 + draw(100));
    bool const may_fail = draw(4) == 0;
    if (may_fail) {
      constexpr sim::Call kCalls[] = {sim::Call::write, sim::Call::sync,        sim::Call::read,   sim::Call::open,
                                      sim::Call::punch, sim::Call::sync_folder, sim::Call::remove, sim::Call::reserve};
      disk().fail_call(kCalls[draw(std::size(kCalls))], 1 + draw(30),
                       draw(2) == 0 ? sim::Failure::io_error : sim::Failure::no_space);
      ++proof_.tally.failed_calls;
    }
    for (int i = 0; i < kStepsOfARound; ++i) {
      std::string const wrong = life_.step();
      if (disk().is_stopped()) return {};
      if (wrong.empty()) continue;
      bool const has_met = !disk().failed_callers().empty();
      // A file that found no space, and could not be removed: its number is passed over.
      if (has_met && wrong.starts_with("in_use: ")) continue;
      bool const is_by_plan = has_met && !life_.files().failure().ok();
      return is_by_plan ? std::string{} : wrong;
    }
    disk().forget_failures();
    return {};
  }

  std::string end() {
    bool const is_stopped = disk().is_stopped();
    if (!is_stopped && draw(3) == 0) {
      disk().forget_failures();
      life_.kill();
      return {};
    }
    // The log is written anew: another store, whose files are the same.
    bool const is_sound = !is_stopped && life_.files().failure().ok();
    if (is_sound && draw(8) == 0) {
      disk().stop_after(kNoCut);
      if (std::string wrong = life_.settle(); !wrong.empty()) return wrong;
      ++life_.options().store_id;
      has_other_log_ = true;
    }
    cut();
    return {};
  }

  void cut() {
    ++proof_.tally.crashes;
    life_.power_cut(sim::keep_some(random_()));
  }

  Proof const& proof_;
  std::mt19937_64 random_;
  bool is_small_;
  bool has_other_log_{false};
  Life life_;
};

std::optional<Failure> failure_of(char const* what, char const* option, std::uint64_t seed, std::string const& wrong) {
  if (wrong.empty()) return {};
  return Failure{fmt::format("byte files, {} of seed {}: {}", what, seed, wrong), fmt::format("{} {}", option, seed)};
}

}  // namespace

std::optional<Failure> cut_byte_life(Proof const& proof, std::uint64_t seed) {
  return failure_of("short life", "--byte-cuts", seed, CutLife(proof, seed).run());
}

std::optional<Failure> long_byte_life(Proof const& proof, std::uint64_t seed) {
  return failure_of("long life", "--byte-life", seed, LongByteLife(proof, seed).run());
}

std::optional<Failure> fail_byte_calls(Proof const& proof, std::uint64_t seed) {
  ++proof.tally.histories;
  for (std::size_t kind = 0; kind < sim::kCallKinds; ++kind)
    for (sim::Failure const how : {sim::Failure::io_error, sim::Failure::no_space, sim::Failure::short_write}) {
      FailingCall plan{static_cast<sim::Call>(kind), 1, how};
      if (how == sim::Failure::short_write && plan.call != sim::Call::write) continue;
      for (bool met = true; met && !proof.is_over(); ++plan.nth)
        if (std::string const wrong = fail_one(proof, seed, plan, met); !wrong.empty())
          return failure_of(
              "failing calls", "--byte-calls", seed,
              fmt::format("call kind {} number {}, failure {}: {}", kind, plan.nth, static_cast<int>(how), wrong));
    }
  return {};
}

}  // namespace fastjournal::log::file::test
