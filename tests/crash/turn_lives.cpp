// Random lives of a log by seed as its owner drives it: turns at simulated times, one for commands and one whenever the
// log wants one, syncs on the loop or on a thread that takes its time, backups, stops, kills and power cuts. After a cut
// nothing is lost that was promised, nor, under `interval`, what was acknowledged longer ago than the interval and the
// syncs that were under way. And what a sync made needless is free at once.
#include <deque>
#include <random>

#include "tests/crash/proofs.h"

namespace fastjournal::log::file::test {

namespace {

constexpr std::uint64_t kStepsMax = 120;
constexpr std::uint64_t kCrashes = 10;
constexpr std::int64_t kMs = 1000;

class TurnLife {
 public:
  TurnLife(Proof const& proof, std::uint64_t seed) : proof_(proof), random_(seed) {
    LogOptions& options = scenario_.world.options;
    options = small_options(512, 6 + draw(8));
    if (draw(4) != 0) {
      options.sync = SyncPolicy::interval;
      options.sync_interval_ms = static_cast<std::uint32_t>(1 + draw(200));
      interval_us_ = options.sync_interval_ms * kMs;
    }
    bool const on_thread = draw(2) == 0;
    options.sync_place = on_thread ? SyncPlace::on_thread : SyncPlace::on_loop;
    if (on_thread) flush_us_max_ = static_cast<std::int64_t>(draw(3)) * 20 * kMs;
  }

  // Returns what went wrong, or nothing.
  std::optional<std::string> run() {
    if (!scenario_.open()) return scenario_.trouble();
    ++proof_.tally.histories;
    for (std::uint64_t crash = 0; crash < kCrashes && !proof_.is_over(); ++crash) {
      auto wrong = live();
      if (!wrong) wrong = come_back();
      if (wrong) return "crash " + std::to_string(crash) + ": " + *wrong;
    }
    return {};
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  World& world() { return scenario_.world; }
  FileLog& log() { return *scenario_.world.log; }
  bool is_cut() { return world().disk.is_stopped(); }

  std::optional<std::string> live() {
    // What a start writes, before the first turn.
    if (draw(2) == 0 && !(put() && log().commit().ok())) return "without a cause: " + scenario_.trouble();
    if (draw(2) == 0) world().disk.stop_after(1 + draw(200));
    // Of two kinds: busier than the interval, and with pauses.
    std::int64_t const pause_us_max = draw(2) == 0 ? 4 * kMs : 2 * interval_us_ + 50 * kMs;
    for (std::uint64_t left = kStepsMax; left > 0 && !is_cut(); --left) {
      std::int64_t const next_us = now_us_ + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(pause_us_max)));
      if (auto wrong = wait_until(next_us)) return wrong;
      if (is_cut()) break;
      if (!command() && !is_cut()) return "without a cause: " + scenario_.trouble();
      if (auto wrong = turn()) return wrong;
    }
    return {};
  }

  // Turns at the times at which there is something to do.
  std::optional<std::string> wait_until(std::int64_t until_us) {
    for (int turns = 0; turns < 1'000; ++turns) {
      std::int64_t const next_us =
          std::max(now_us_, flush_ == nullptr ? log().next_us() : std::min(flush_over_us_, log().next_us()));
      if (is_cut()) return {};
      if (next_us > until_us) {
        now_us_ = until_us;
        return {};
      }
      now_us_ = next_us;
      if (auto wrong = turn()) return wrong;
    }
    return "the log wants one turn after the other at one moment";
  }

  bool command() {
    std::uint64_t const what = draw(100);
    if (what < 60) return put();
    // Whatever it found, the base passes segments that were written since the last sync.
    if (what < 90) {
      if (!scenario_.reference.is_empty()) scenario_.move_base(scenario_.reference.last_lsn());
      return true;
    }
    // As a backup does, and a start.
    if (what < 92) return finish_flush() && log().pin().ok() && log().unpin();
    if (what < 94) return put() && finish_flush() && log().commit().ok();
    if (what < 95) log().want_sync();
    return true;
  }

  bool put() {
    bool const synced = draw(4) != 0;
    for (std::uint64_t groups = 1 + draw(3); groups > 0; --groups) {
      if (!scenario_.append(draw(10) == 0 ? 2'000 : draw(300), 1, synced ? Durability::synced : Durability::written))
        return false;
      said_.push_back({scenario_.reference.last_lsn(), synced, now_us_});
    }
    return true;
  }

  std::optional<std::string> turn() {
    if (flush_ != nullptr && now_us_ >= flush_over_us_ && !finish_flush()) return {};
    static_cast<void>(log().end_turn(now_us_));
    if (auto job = log().take_job(log::Lane::sync, now_us_)) {
      flush_ = std::move(job);
      flush_over_us_ = now_us_ + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(flush_us_max_) + 1));
      flush_ran_ = draw(2) == 0;
      if (flush_ran_) flush_->run();
    }
    if (!log().why().ok()) return is_cut() ? std::nullopt : std::optional{"without a cause: " + scenario_.trouble()};
    log().run_chores();
    told();
    return look_at_space();
  }

  bool finish_flush() {
    if (flush_ == nullptr) return true;
    if (!flush_ran_) flush_->run();
    log().finish_job(log::Lane::sync, std::move(flush_));
    return log().why().ok();
  }

  // Clients hear of what needs no sync any more.
  void told() {
    scenario_.reference.acknowledge(log().durable_lsn());
    while (!said_.empty() && log().durable_lsn() >= log().needed_lsn()) {
      told_.push_back(said_.front());
      said_.pop_front();
    }
    while (!told_.empty() && told_.front().lsn < log().durable_lsn()) told_.pop_front();
  }

  std::optional<std::string> look_at_space() {
    LogWriter const& writer = log().writer();
    Chain const& chain = writer.space().chain();
    if (chain.size() > 1 && chain.oldest().live_until <= writer.base().in_effect().lsn)
      return fmt::format("a segment that ends at LSN {} is kept, though everything below {} is needless",
                         chain.oldest().live_until.value, writer.base().in_effect().lsn.value);
    return {};
  }

  // A stop, a kill, or most often a power cut.
  std::optional<std::string> come_back() {
    ++proof_.tally.crashes;
    bool const killed = !is_cut() && draw(4) == 0;
    if (killed) {
      if (draw(2) == 0 && !(finish_flush() && log().shut_down().ok())) return "without a cause: " + scenario_.trouble();
      flush_.reset();
      world().log.reset();
      world().disk.kill();
    } else {
      flush_.reset();
      world().crash(sim::keep_some(random_()));
    }
    said_.clear();
    if (!scenario_.open()) return scenario_.trouble();
    Lsn const found = world().found.entries.empty() ? Lsn{} : world().found.entries.back().lsn;
    bool const by_interval = interval_us_ != 0;
    std::int64_t const us_max = interval_us_ + 2 * flush_us_max_;
    for (Said const& one : told_) {
      if (one.lsn <= found) continue;
      std::int64_t const age_us = now_us_ - one.at_us;
      if (killed || (one.synced && (!by_interval || age_us > us_max)))
        return fmt::format(
            "the record at LSN {} is lost, {} us after its acknowledgement; at most {} us may be, with syncs of up to "
            "{} us",
            one.lsn.value, age_us, by_interval ? us_max : 0, flush_us_max_);
    }
    told_.clear();
    return {};
  }

  struct Said {
    Lsn lsn;
    bool synced;
    std::int64_t at_us;
  };

  Proof const& proof_;
  std::mt19937_64 random_;
  Scenario scenario_;
  std::int64_t interval_us_{0};   // 0: policy `always`
  std::int64_t flush_us_max_{0};  // of a sync on a thread
  std::int64_t now_us_{1'000'000};
  std::unique_ptr<log::LogJob> flush_;
  bool flush_ran_{false};
  std::int64_t flush_over_us_{0};
  std::deque<Said> said_;  // decided
  std::deque<Said> told_;  // acknowledged, and not known to be durable
};

}  // namespace

std::optional<Failure> turn_life(Proof const& proof, std::uint64_t seed) {
  auto const wrong = TurnLife(proof, seed).run();
  if (!wrong) return {};
  return Failure{fmt::format("turns, seed {}: {}", seed, *wrong), fmt::format("--turns {}", seed)};
}

}  // namespace fastjournal::log::file::test
