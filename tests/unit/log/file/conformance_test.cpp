// What every log engine behind log::LogStore must do. One body of tests runs over the file engine with syncs on the
// loop, the file engine with syncs on a thread, the volatile engine, the simulated one, and etcd, which is simulated.
// What only one engine does is tested elsewhere.
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "log/etcd/etcd_log.h"
#include "log/volatile_log.h"
#include "tests/sim/sim_etcd.h"
#include "tests/sim/sim_log.h"
#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {
namespace {

using log::Lane;
using log::LogJob;
using log::LogStore;

struct Engine {
  std::string name;
  bool keeps{true};       // records become durable later than they are written
  bool copies{true};      // supports pin()
  bool elsewhere{true};   // syncs are jobs outside the loop
  bool syncs_all{false};  // also what nobody was promised
  std::function<LogStore&()> open;
};

namespace api = fastjournal::etcd;

// Time passes when somebody waits for an answer.
class Waiting final : public api::Cluster {
 public:
  api::RequestId send(api::Request request, std::int64_t timeout_us) override {
    ++pending_;
    return session_->send(std::move(request), timeout_us);
  }
  std::vector<api::Answer> take_answers() override {
    for (;;) {
      std::vector<api::Answer> answers = session_->take_answers();
      pending_ -= answers.size();
      if (!answers.empty() || pending_ == 0 || !cluster_.step()) return answers;
    }
  }
  api::WatchId watch(api::WatchWish wish) override { return session_->watch(std::move(wish)); }
  void unwatch(api::WatchId id) override { session_->unwatch(id); }
  std::vector<api::WatchNews> take_news() override {
    static_cast<void>(cluster_.step());
    return session_->take_news();
  }

 private:
  std::size_t pending_{0};
  sim::EtcdCluster cluster_{sim::EtcdOptions{}};
  std::unique_ptr<sim::EtcdSession> session_{cluster_.connect()};
};

struct Nobody final : Following {
  void on_reset(std::uint64_t, Lsn) override {}
  Status on_record(RecordView const&) override { return {}; }
};

// The engines under test; each test case gets new ones.
class Engines {
 public:
  Engines() {
    for (auto const& [name, place] : {std::pair{"files, syncs on the loop", SyncPlace::on_loop},
                                      std::pair{"files, syncs on a thread", SyncPlace::on_thread}}) {
      World& world = worlds_.emplace_back();
      world.options.sync_place = place;
      world.options.scrub_ms = 1000;
      all.push_back({.name = name, .elsewhere = place == SyncPlace::on_thread, .open = [&world]() -> LogStore& {
                       FJ_REQUIRE_OK(world.open());
                       return *world.log;
                     }});
    }
    all.push_back(
        {.name = "volatile", .keeps = false, .copies = false, .elsewhere = false, .open = [this]() -> LogStore& {
           volatile_.reserve_numbers(Lsn{log::VolatileLog::kNumbersReserved});
           return volatile_;
         }});
    all.push_back({.name = "simulated", .copies = false, .open = [this]() -> LogStore& {
                     simulated_.open();
                     return simulated_;
                   }});
    all.push_back(
        {.name = "etcd", .copies = false, .elsewhere = false, .syncs_all = true, .open = [this]() -> LogStore& {
           for (std::int64_t now_us = 1; now_us < 1'000 && etcd_.state() != log::State::serving; ++now_us)
             static_cast<void>(etcd_.end_turn(now_us * 1'000));
           return etcd_;
         }});
  }
  std::vector<Engine> all;

 private:
  static log::etcd::EtcdLogOptions etcd_options() {
    log::etcd::EtcdLogOptions out;
    out.name = "etcd";
    out.prefix = "/fastjournal/etcd/";
    out.node = "here";
    out.new_store_id = 4711;
    return out;
  }

  std::deque<World> worlds_;
  log::VolatileLog volatile_{1, 4711, Lsn{kLsnAlign}};
  sim::SimLog simulated_{"simulated", 4711};
  Waiting cluster_;
  Nobody nobody_;
  log::etcd::EtcdLog etcd_{cluster_, etcd_options(), nobody_};
};

Lsn put(LogStore& log, Durability durability = Durability::synced, std::size_t bytes = 100) {
  BOOST_REQUIRE(log.reserve(bytes, false));
  Records::Place const place = log.append(TableId{7}, 3, 1, {}, bytes);
  BOOST_REQUIRE(place.body.size() == bytes);
  std::fill(place.body.begin(), place.body.end(), std::byte{1});
  log.end_group(durability);
  return place.lsn;
}

// Ends turns, and runs each job at once, until nothing is left to be done at this time.
void drive(LogStore& log, std::int64_t& now_us) {
  for (bool again = true; again;) {
    again = log.end_turn(now_us);
    for (Lane const lane : log::kLanes) {
      std::unique_ptr<LogJob> job = log.take_job(lane, now_us);
      if (job == nullptr) continue;
      job->run();
      log.finish_job(lane, std::move(job));
      again = true;
    }
    BOOST_REQUIRE_MESSAGE(log.state() == log::State::serving, log.why().text());
  }
}

void for_each(std::function<void(Engine const&, LogStore&)> const& test) {
  Engines engines;
  for (Engine const& engine : engines.all) BOOST_TEST_CONTEXT(engine.name) {
      LogStore& log = engine.open();
      test(engine, log);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(every_engine)

BOOST_AUTO_TEST_CASE(serves_when_it_was_opened_and_says_who_it_is) {
  for_each([](Engine const&, LogStore& log) {
    BOOST_CHECK(log.state() == log::State::serving);
    BOOST_TEST(log.why().ok());
    BOOST_TEST(!log.name().empty());
    BOOST_TEST(!log.describe().durability.empty());
    BOOST_TEST(log.start() > 0U);
    BOOST_TEST(log.store_id() != 0U);
    BOOST_CHECK(log.durable_lsn() >= log.needed_lsn());
    BOOST_TEST(!log.is_full());
    BOOST_TEST(log.look().ok());
  });
}

BOOST_AUTO_TEST_CASE(gives_places_that_only_grow) {
  for_each([](Engine const&, LogStore& log) {
    std::int64_t now_us = 1;
    Lsn last;
    for (int i = 0; i < 200; ++i) {
      Lsn const lsn = put(log, i % 3 == 0 ? Durability::synced : Durability::written, static_cast<std::size_t>(i));
      BOOST_CHECK(lsn > last);
      BOOST_TEST(lsn.value % kLsnAlign == 0U);
      BOOST_CHECK(lsn < log.end_lsn());
      last = lsn;
      if (i % 7 == 0) drive(log, ++now_us);
    }
  });
}

BOOST_AUTO_TEST_CASE(makes_durable_what_was_promised_and_only_then_says_so) {
  for_each([](Engine const& engine, LogStore& log) {
    std::int64_t now_us = 1;
    for (int i = 0; i < 50; ++i) {
      Lsn const before = log.durable_lsn();
      Lsn const lsn = put(log);
      if (engine.keeps) BOOST_CHECK(log.durable_lsn() <= lsn);
      static_cast<void>(log.end_turn(++now_us));
      BOOST_CHECK(log.needed_lsn() > lsn);
      BOOST_CHECK(log.needed_lsn() <= log.end_lsn());
      if (engine.elsewhere) BOOST_CHECK(log.durable_lsn() <= lsn);
      drive(log, now_us);
      BOOST_CHECK(log.durable_lsn() >= log.needed_lsn());
      BOOST_CHECK(log.durable_lsn() >= before);
      BOOST_CHECK(log.written_lsn() >= log.needed_lsn());
    }
  });
}

BOOST_AUTO_TEST_CASE(skips_to_a_higher_place_when_everything_is_durable) {
  for_each([](Engine const& engine, LogStore& log) {
    std::int64_t now_us = 1;
    Lsn const before = put(log);
    Lsn const goal{before.value + (std::uint64_t{5} << 30U) + kLsnAlign};
    if (!engine.keeps) {
      BOOST_TEST(!log.skip_to(goal));
      return;
    }
    // Not durable so far.
    BOOST_TEST(!log.skip_to(goal));
    drive(log, ++now_us);
    std::uint64_t const used = log.usage().logical_bytes;
    BOOST_TEST(log.skip_to(goal));
    BOOST_CHECK(log.end_lsn() >= goal);
    BOOST_CHECK(log.durable_lsn() >= log.needed_lsn());
    // What is below is no reason to skip, and a gap takes no room.
    Lsn const end = log.end_lsn();
    BOOST_TEST(log.skip_to(before));
    BOOST_CHECK(log.end_lsn() == end);
    if (engine.name != "simulated") BOOST_TEST(log.usage().logical_bytes < used + (1U << 20U));
    for (int i = 0; i < 20; ++i) BOOST_CHECK(put(log) >= goal);
    drive(log, ++now_us);
    BOOST_CHECK(log.durable_lsn() >= log.needed_lsn());
  });
}

BOOST_AUTO_TEST_CASE(asks_nobody_to_wait_for_what_is_only_written) {
  for_each([](Engine const& engine, LogStore& log) {
    std::int64_t now_us = 1;
    put(log);
    drive(log, ++now_us);
    Lsn const needed = log.needed_lsn();
    Lsn const lsn = put(log, Durability::written);
    drive(log, ++now_us);
    if (engine.keeps && !engine.syncs_all) BOOST_CHECK(log.needed_lsn() == needed);
    // After want_sync() it is needed, and durable.
    log.want_sync();
    drive(log, ++now_us);
    BOOST_CHECK(log.needed_lsn() > lsn);
    BOOST_CHECK(log.durable_lsn() > lsn);
  });
}

BOOST_AUTO_TEST_CASE(gives_one_job_a_lane_and_goes_on_while_it_is_out) {
  for_each([](Engine const& engine, LogStore& log) {
    if (!engine.elsewhere) return;
    std::int64_t now_us = 1;
    Lsn const first = put(log);
    static_cast<void>(log.end_turn(now_us));
    std::unique_ptr<LogJob> job = log.take_job(Lane::sync, now_us);
    BOOST_REQUIRE(job != nullptr);
    BOOST_CHECK(log.take_job(Lane::sync, now_us) == nullptr);
    Lsn const second = put(log);
    static_cast<void>(log.end_turn(++now_us));
    BOOST_CHECK(log.take_job(Lane::sync, now_us) == nullptr);
    BOOST_CHECK(log.needed_lsn() > second);
    BOOST_CHECK(log.durable_lsn() <= first);
    job->run();
    BOOST_CHECK(log.durable_lsn() <= first);  // not before the job is given back
    log.finish_job(Lane::sync, std::move(job));
    BOOST_CHECK(log.durable_lsn() > first);
    BOOST_CHECK(log.durable_lsn() <= second);  // the sync began before it
    drive(log, ++now_us);
    BOOST_CHECK(log.durable_lsn() > second);
  });
}

BOOST_AUTO_TEST_CASE(comes_to_rest) {
  for_each([](Engine const&, LogStore& log) {
    std::int64_t now_us = 1;
    for (int i = 0; i < 5; ++i) put(log);
    drive(log, now_us);
    for (int i = 0; i < 1000 && log.next_us() < 60'000'000; ++i) {
      BOOST_REQUIRE(log.next_us() > now_us);
      now_us = log.next_us();
      drive(log, now_us);
    }
    BOOST_TEST(log.next_us() > now_us);
    BOOST_CHECK(log.durable_lsn() >= log.needed_lsn());
  });
}

BOOST_AUTO_TEST_CASE(moves_its_base_up_only) {
  for_each([](Engine const& engine, LogStore& log) {
    std::int64_t now_us = 1;
    put(log);
    Lsn const second = put(log);
    drive(log, now_us);
    log.set_base(second, second);
    Lsn const base = log.base_lsn();
    if (engine.keeps) BOOST_CHECK(base == second);
    log.set_base(Lsn{second.value - kLsnAlign}, second);
    BOOST_CHECK(log.base_lsn() == base);
  });
}

BOOST_AUTO_TEST_CASE(can_be_copied_or_says_that_it_cannot) {
  for_each([](Engine const& engine, LogStore& log) {
    std::int64_t now_us = 1;
    Lsn const lsn = put(log, Durability::written);
    drive(log, now_us);
    Result<log::LogSnapshot> const pinned = log.pin();
    BOOST_REQUIRE(pinned.ok() == engine.copies);
    if (!engine.copies) {
      BOOST_CHECK(pinned.status().code() == Code::not_supported);
      return;
    }
    BOOST_CHECK(pinned->end > lsn);
    BOOST_TEST(pinned->store_id == log.store_id());
    BOOST_TEST(!pinned->segments.empty());
    BOOST_CHECK(log.durable_lsn() >= pinned->end);  // none of it can be lost any more
    BOOST_TEST(log.unpin());
  });
}

BOOST_AUTO_TEST_CASE(ends_with_everything_durable) {
  for_each([](Engine const& engine, LogStore& log) {
    Lsn const lsn = put(log, Durability::written);
    // One that cannot wait for other computers in a call says so.
    std::int64_t now_us = 1;
    if (engine.syncs_all) {
      BOOST_CHECK(log.shut_down().code() == Code::unavailable);
      BOOST_CHECK(log.durable_lsn() <= lsn);
      drive(log, now_us);
    }
    BOOST_TEST(log.shut_down().ok());
    BOOST_CHECK(log.durable_lsn() > lsn);
  });
}

BOOST_AUTO_TEST_SUITE_END()

// What only an engine on other computers can go through.
BOOST_AUTO_TEST_SUITE(an_engine_that_is_not_local)

BOOST_AUTO_TEST_CASE(makes_nothing_durable_while_it_is_away_and_goes_on_when_it_is_back) {
  sim::SimLog log{"far", 4711};
  log.open();
  for (log::State const state : {log::State::unavailable, log::State::fenced}) {
    Lsn const lsn = put(log);
    static_cast<void>(log.end_turn(1));
    std::unique_ptr<LogJob> job = log.take_job(Lane::sync, 1);
    BOOST_REQUIRE(job != nullptr);
    log.set_state(state, "no way there");
    BOOST_TEST(log.why().message() == "no way there");
    job->run();
    log.finish_job(Lane::sync, std::move(job));
    BOOST_CHECK(log.durable_lsn() <= lsn);
    BOOST_CHECK(log.take_job(Lane::sync, 2) == nullptr);
    BOOST_TEST(!log.commit().ok());
    log.set_state(log::State::serving);
    std::int64_t now_us = 3;
    drive(log, now_us);
    BOOST_CHECK(log.durable_lsn() > lsn);
  }
}

BOOST_AUTO_TEST_CASE(loses_what_was_not_durable_and_gives_no_place_twice) {
  sim::SimLog log{"far", 4711};
  log.open();
  std::int64_t now_us = 1;
  put(log);
  drive(log, now_us);
  put(log);
  Lsn const end = log.end_lsn();
  BOOST_TEST(log.records().size() == 2U);
  log.lose();
  BOOST_TEST(log.records().size() == 1U);
  BOOST_CHECK(log.end_lsn() >= end);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
