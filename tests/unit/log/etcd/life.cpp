#include "tests/unit/log/etcd/life.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "log/etcd/etcd_log.h"
#include "tests/sim/sim_etcd.h"

namespace fastjournal::log::etcd::test {
namespace {

using sim::EtcdCluster;
using sim::EtcdSession;

constexpr std::size_t kDaemons = 3;

void expect(bool holds, std::string const& what) {
  if (!holds) throw std::runtime_error(what);
}

// A record's body is the number of its group, its place in it, and how many there are; then bytes that fill it.
struct Body {
  std::uint64_t group{0};
  std::uint32_t place{0};
  std::uint32_t count{0};
  bool operator==(Body const&) const = default;
};
constexpr std::size_t kBodyBytes = 16;
// A place of a record that compacts a group that lives on, as compaction does.
constexpr std::uint32_t kCopy = 0x8000'0000;
// Every so many groups one lives for good.
constexpr std::uint64_t kLivesOn = 16;

Body body_of(RecordView const& record) {
  expect(record.body.size() >= kBodyBytes, "a record is shorter than any that was appended");
  return {load_little<std::uint64_t>(record.body.data()), load_little<std::uint32_t>(record.body.data() + 8),
          load_little<std::uint32_t>(record.body.data() + 12)};
}

// What all daemons together know.
struct World {
  std::map<std::uint64_t, Body> read;              // by place: whatever somebody has read there
  std::map<std::uint64_t, std::uint64_t> durable;  // places of groups, by their number
  std::map<std::uint64_t, std::uint64_t> unknown;  // the same of those whose owner ended before
  std::uint64_t base{0};                           // groups below may be gone
};

// What a daemon makes of the log.
class Machine final : public Following {
 public:
  explicit Machine(World& world) : world_(world) {}

  void on_reset(std::uint64_t, Lsn base) override {
    groups_.clear();
    copies_.clear();
    base_ = base;
    in_group_ = 0;
  }
  Status on_record(RecordView const& record) override {
    Body const body = body_of(record);
    auto const [known, is_new] = world_.read.emplace(record.lsn.value, body);
    expect(is_new || known->second == body, fmt::format("two daemons read different records at {}", record.lsn.value));
    if (body.place == kCopy) {
      copies_.insert(body.group);
      return {};
    }
    expect(body.place == in_group_, fmt::format("group {} is torn at {}", body.group, record.lsn.value));
    if (body.place == 0) expect(groups_.emplace(body.group, record.lsn.value).second, "a group is there twice");
    in_group_ = body.place + 1 == body.count ? 0 : in_group_ + 1;
    return {};
  }
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> const& groups() const { return groups_; }
  void note_own(std::uint64_t group, std::uint64_t place) { groups_.emplace(group, place); }
  // Groups that live on whose first records are below.
  [[nodiscard]] std::set<std::uint64_t> living_below(std::uint64_t base) const {
    std::set<std::uint64_t> out = copies_;
    for (auto const& [group, place] : groups_)
      if (group % kLivesOn == 0 && place < base) out.insert(group);
    return out;
  }
  // All that was durable, from the base on, is here.
  void check_complete(std::string const& who) const {
    for (auto const& [group, place] : world_.durable) {
      bool const is_copied = group % kLivesOn == 0 && copies_.contains(group);
      if (is_copied || (place < world_.base && group % kLivesOn != 0)) continue;
      auto const found = groups_.find(group);
      expect(found != groups_.end(), fmt::format("{}: group {}, durable at {}, is not there", who, group, place));
      expect(found->second == place,
             fmt::format("{}: group {}, durable at {}, is at {}", who, group, place, found->second));
    }
  }

 private:
  World& world_;
  std::map<std::uint64_t, std::uint64_t> groups_;
  std::set<std::uint64_t> copies_;
  Lsn base_{};
  std::uint32_t in_group_{0};
};

class Life {
 public:
  Life(std::uint64_t seed, LifeOptions const& options) : random_(seed), options_(options) {
    sim::EtcdOptions etcd{.seed = seed};
    if (options.has_faults) {
      etcd.faults = sim::EtcdFaults::all();
      // Some of them, more or less of each.
      auto const some = [&](std::uint32_t& weight) {
        weight = draw(3) == 0 ? 0 : static_cast<std::uint32_t>(draw(2 * weight + 1));
      };
      for (std::uint32_t* const weight :
           {&etcd.faults.request_lost, &etcd.faults.request_late, &etcd.faults.request_refused,
            &etcd.faults.answer_lost, &etcd.faults.reset, &etcd.faults.watch_slow, &etcd.faults.member_killed,
            &etcd.faults.members_cut, &etcd.faults.session_cut, &etcd.faults.handed_over})
        some(*weight);
    }
    faults_ = etcd.faults;
    cluster_ = std::make_unique<EtcdCluster>(etcd);
    for (std::size_t at = 0; at < kDaemons; ++at) begin(at);
  }

  void live(std::uint64_t steps) {
    for (std::uint64_t step = 0; step < steps; ++step) {
      cluster_->advance(static_cast<std::int64_t>(draw(draw(10) == 0 ? 200'000 : 6'000)));
      std::uint64_t const dice = draw(1'000);
      std::size_t const at = draw(kDaemons);
      if (dice < 4) {
        kill(at);
      } else if (dice < 8) {
        stop_or_resume(at);
      } else {
        turn(at);
      }
      check_one_answers();
    }
    finish();
  }
  [[nodiscard]] LifeResult const& result() const { return result_; }

 private:
  struct Daemon {
    std::unique_ptr<EtcdSession> session;
    std::unique_ptr<Machine> machine;
    std::unique_ptr<EtcdLog> log;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> appended;  // group: its place, and its end
    bool owned{false};
    std::int64_t back_at_us{0};
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void begin(std::size_t at) {
    Daemon& daemon = daemons_[at];
    daemon.session = cluster_->connect();
    daemon.machine = std::make_unique<Machine>(world_);
    EtcdLogOptions options;
    options.name = "shared";
    options.prefix = "/fastjournal/shared/";
    options.node = "node" + std::to_string(at);
    options.address = "192.0.2." + std::to_string(at + 1) + ":4050";
    options.new_store_id = 4711 + at;
    options.segment_bytes = 16U << 10U;
    options.append.entry_bytes = 512 + draw(2'048);
    options.append.window = 1 + draw(4);
    options.compact_every_us = 2'000'000;
    daemon.log = std::make_unique<EtcdLog>(*daemon.session, options, *daemon.machine);
    daemon.owned = false;
  }

  void end(Daemon& daemon) {
    for (auto const& [group, place] : daemon.appended) {
      world_.unknown.emplace(group, place.first);
      ++result_.unknown;
    }
    daemon.appended.clear();
  }

  void kill(std::size_t at) {
    Daemon& daemon = daemons_[at];
    if (daemon.log == nullptr) return;
    // Another one must be there to take over.
    killed_owner_at_ = -1;
    if (daemon.owned && std::ranges::any_of(daemons_, [](Daemon const& other) {
          return other.log != nullptr && other.log->phase() == EtcdLog::Phase::following;
        }))
      killed_owner_at_ = cluster_->now_us();
    end(daemon);
    daemon.log.reset();
    daemon.machine.reset();
    daemon.session.reset();
    daemon.owned = false;
    daemon.back_at_us = cluster_->now_us() + static_cast<std::int64_t>(draw(6'000'000));
    ++result_.kills;
  }

  void stop_or_resume(std::size_t at) {
    Daemon& daemon = daemons_[at];
    if (daemon.log == nullptr || !options_.has_faults) return;
    if (daemon.session->is_stopped())
      daemon.session->resume();
    else
      daemon.session->stop();
  }

  // Of one daemon, as the server does it: what has come, what is decided, what becomes durable.
  void turn(std::size_t at) {
    Daemon& daemon = daemons_[at];
    std::int64_t const now_us = cluster_->now_us();
    if (daemon.log == nullptr) {
      if (now_us >= daemon.back_at_us) begin(at);
      return;
    }
    if (daemon.session->is_stopped()) {
      if (draw(100) == 0) daemon.session->resume();
      return;
    }
    EtcdLog& log = *daemon.log;
    static_cast<void>(log.end_turn(now_us));
    note_durable(daemon);
    // Without a lease that is surely valid it may be behind, and answers nobody.
    bool const owns = log.phase() == EtcdLog::Phase::owning && (daemon.owned || log.state() == State::serving);
    if (owns && !daemon.owned) {
      daemon.machine->check_complete("the new owner");
      ++result_.owners;
      if (killed_owner_at_ >= 0 && !options_.has_faults)
        result_.without_us = std::max(result_.without_us, now_us - killed_owner_at_);
      killed_owner_at_ = -1;
    }
    daemon.owned = owns;
    if (log.phase() == EtcdLog::Phase::fenced) {
      ++result_.fenced;
      end(daemon);
      log.follow_again(now_us);
      return;
    }
    if (log.state() != State::serving) return;
    for (std::uint64_t groups = draw(4); groups > 0; --groups) append(daemon);
    if (draw(40) == 0) move_base(daemon);
    static_cast<void>(log.end_turn(now_us));
    if (draw(2'000) == 0) log.step_down(0);
  }

  void append(Daemon& daemon) {
    EtcdLog& log = *daemon.log;
    auto const count = static_cast<std::uint32_t>(1 + draw(3));
    std::uint64_t const group = ++groups_;
    std::uint64_t place = 0;
    for (std::uint32_t at = 0; at < count; ++at) {
      std::size_t const bytes = kBodyBytes + draw(draw(8) == 0 ? 4'000 : 100);
      if (!log.reserve(bytes + 64, false)) {
        expect(at == 0 || log.phase() != EtcdLog::Phase::owning, "");
        return;
      }
      Records::Place const to = log.append(TableId{7}, 3, 1, {}, bytes);
      std::ranges::fill(to.body, std::byte{1});
      store_little(to.body.data(), group);
      store_little(to.body.data() + 8, at);
      store_little(to.body.data() + 12, count);
      if (at == 0) place = to.lsn.value;
    }
    log.end_group(Durability::synced);
    daemon.appended[group] = {place, log.end_lsn().value};
    daemon.machine->note_own(group, place);
  }

  void note_durable(Daemon& daemon) {
    if (daemon.log->phase() != EtcdLog::Phase::owning) return;
    std::uint64_t const durable = daemon.log->durable_lsn().value;
    for (auto at = daemon.appended.begin(); at != daemon.appended.end();) {
      if (at->second.second > durable) break;
      world_.durable.emplace(at->first, at->second.first);
      ++result_.groups;
      at = daemon.appended.erase(at);
    }
  }

  // About the last third is needed.
  void move_base(Daemon& daemon) {
    std::uint64_t const end = daemon.log->end_lsn().value;
    std::uint64_t const wish = end - std::min<std::uint64_t>(end, 20'000 + draw(20'000));
    auto const first = std::ranges::find_if(world_.durable, [&](auto const& one) { return one.second >= wish; });
    if (first == world_.durable.end()) return;
    std::uint64_t const base = std::max(world_.base, first->second);
    // What lives on and is below is compacted first, also if it was before.
    for (std::uint64_t const group : daemon.machine->living_below(base)) {
      if (!daemon.log->reserve(kBodyBytes + 64, true)) return;
      Records::Place const to = daemon.log->append(TableId{7}, 3, 1, {}, kBodyBytes);
      store_little(to.body.data(), group);
      store_little(to.body.data() + 8, kCopy);
      store_little(to.body.data() + 12, std::uint32_t{1});
      daemon.log->end_group(Durability::synced);
    }
    world_.base = base;
    daemon.log->set_base(Lsn{world_.base}, Lsn{world_.base});
    result_.truncated = daemon.log->base_lsn().value;
  }

  void check_one_answers() {
    std::int64_t const now_us = cluster_->now_us();
    std::size_t answering = 0;
    for (Daemon const& daemon : daemons_)
      if (daemon.log != nullptr && daemon.log->phase() == EtcdLog::Phase::owning &&
          now_us < daemon.log->valid_until_us())
        ++answering;
    expect(answering <= 1, "two daemons answer");
  }

  void finish() {
    cluster_->calm();
    for (std::size_t at = 0; at < kDaemons; ++at) {
      if (daemons_[at].log == nullptr)
        begin(at);
      else if (daemons_[at].session->is_stopped())
        daemons_[at].session->resume();
    }
    std::optional<std::size_t> owner;
    for (int round = 0; round < 60'000 && !owner; ++round) {
      cluster_->advance(1'000);
      for (std::size_t at = 0; at < kDaemons; ++at) {
        turn(at);
        if (daemons_[at].log->state() == State::serving) owner = at;
      }
    }
    std::string whys;
    for (Daemon const& daemon : daemons_)
      whys += fmt::format("; phase {}: {}", static_cast<int>(daemon.log->phase()), daemon.log->why().text());
    expect(owner.has_value(), "nobody owns the log" + whys);
    // Those who follow come to the same.
    while (daemons_[*owner].appended.empty()) append(daemons_[*owner]);
    Lsn const goal = daemons_[*owner].log->end_lsn();
    for (int round = 0; round < 20'000; ++round) {
      cluster_->advance(1'000);
      for (Daemon& daemon : daemons_) {
        static_cast<void>(daemon.log->end_turn(cluster_->now_us()));
        note_durable(daemon);
        if (daemon.log->phase() == EtcdLog::Phase::fenced) {
          end(daemon);
          daemon.log->follow_again(cluster_->now_us());
        }
        static_cast<void>(daemon.log->end_turn(cluster_->now_us()));
      }
      if (std::ranges::all_of(daemons_, [&](Daemon const& daemon) {
            return daemon.log->phase() == EtcdLog::Phase::owning ? daemon.log->durable_lsn() >= goal
                                                                 : daemon.log->applied() >= goal;
          }))
        break;
    }
    for (std::size_t at = 0; at < kDaemons; ++at) {
      if (at == *owner) continue;
      expect(daemons_[at].log->applied() >= goal,
             fmt::format("node{} does not come to the end of the log at {}: it is in phase {} at {}: {}", at,
                         goal.value, static_cast<int>(daemons_[at].log->phase()), daemons_[at].log->applied().value,
                         daemons_[at].log->why().text()));
      daemons_[at].machine->check_complete(fmt::format("node{}", at));
    }
    std::size_t const follower = *owner == 0 ? 1 : 0;
    for (auto const& [group, place] : world_.unknown)
      if (daemons_[follower].machine->groups().contains(group)) ++result_.came;
  }

  std::mt19937_64 random_;
  LifeOptions options_;
  sim::EtcdFaults faults_;
  World world_;
  std::unique_ptr<EtcdCluster> cluster_;
  std::array<Daemon, kDaemons> daemons_;
  std::uint64_t groups_{0};
  std::int64_t killed_owner_at_{-1};
  LifeResult result_;
};

}  // namespace

LifeResult live(std::uint64_t seed, std::uint64_t steps, LifeOptions const& options) {
  Life life{seed, options};
  LifeResult out;
  try {
    life.live(steps);
    out = life.result();
  } catch (std::exception const& error) {
    out = life.result();
    out.wrong = error.what();
  }
  return out;
}

}  // namespace fastjournal::log::etcd::test
