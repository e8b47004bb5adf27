// Which output is sent at the end of a turn, with two logs whose syncs end when the test says so. Random lives:
// tests/world/logs_test.cpp, syncs_test.cpp.
#include "server/logs/commit_pipeline.h"

#include <boost/test/unit_test.hpp>

#include <utility>

#include "tests/sim/sim_log.h"
#include "tests/unit/server/parts.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::server;
using namespace fastjournal::server::test;

// Keeps the jobs of logs until the test lets them run.
struct Host final : LogHost {
  void run_job(log::LogStore& store, log::Lane lane, std::unique_ptr<log::LogJob> job) override {
    jobs.push_back({&store, lane, std::move(job)});
  }
  void wait_for_sync(log::LogStore&) override {}
  void collect_work() override {}
  void fatal(Status const& status) override { why = status; }
  std::string folder_of(log::LogStore const& log) const override { return "/data/" + log.name(); }

  void let_go(log::LogStore const& store) {
    for (Job& job : jobs) {
      if (job.store != &store || job.job == nullptr) continue;
      job.job->run();
      job.store->finish_job(job.lane, std::move(job.job));
    }
  }

  struct Job {
    log::LogStore* store;
    log::Lane lane;
    std::unique_ptr<log::LogJob> job;
  };
  std::vector<Job> jobs;
  Status why;
};

struct Alerts final : AlertReceiver {
  void tell_alert(log::AlertNotice const&) override {}
};

struct CommitPipelineFixture : Parts {
  CommitPipelineFixture() {
    pipeline.add(a);
    pipeline.add(b);
  }
  // A command of this session changes a table of this log.
  void change(sim::SimLog& store, Session& session, std::string_view answer) {
    BOOST_REQUIRE(store.reserve(64, false));
    static_cast<void>(store.append(TableId{1}, 1, 1, ObjectId{1}, 8));
    store.end_group(Durability::synced);
    read(store, session, answer);
  }
  // A command of this session only reads a table of this log.
  void read(sim::SimLog& store, Session& session, std::string_view answer) {
    CommitPipeline::rest_on(session, store);
    say(session, answer);
  }
  void say(Session& session, std::string_view answer) {
    sessions.mark_dirty(session);
    session.out.bytes.append(answer);
  }
  void end_turn() {
    BOOST_TEST(pipeline.commit_turn());
    pipeline.leave();
  }

  sim::SimLog a{"a", 1};
  sim::SimLog b{"b", 2};
  Host host;
  Alerts receiver;
  TurnClock turn_clock{clock, engine, alerts, notes};
  ServedLogs logs{engine, host, notes, alerts, network, turn_clock};
  CommitPipeline pipeline{logs, sessions, output, engine, receiver, network};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(commit_pipeline, CommitPipelineFixture)

BOOST_AUTO_TEST_CASE(a_slow_log_delays_only_sessions_that_used_it) {
  change(a, come(1), "A");
  change(b, come(2), "B");
  end_turn();
  BOOST_TEST(sent(1).empty());
  BOOST_TEST(sent(2).empty());
  host.let_go(b);
  end_turn();
  BOOST_TEST(sent(1).empty());
  BOOST_TEST(sent(2) == "B");
  host.let_go(a);
  end_turn();
  BOOST_TEST(sent(1) == "A");
}

BOOST_AUTO_TEST_CASE(a_reader_waits_for_what_it_may_have_seen) {
  change(a, come(1), "changed");
  read(a, come(2), "seen");
  end_turn();
  BOOST_TEST(sent(2).empty());
  host.let_go(a);
  end_turn();
  BOOST_TEST(sent(2) == "seen");
}

BOOST_AUTO_TEST_CASE(answers_keep_their_order_whatever_they_rest_on) {
  Session& session = come(1);
  say(session, "1");
  change(a, session, "2");
  say(session, "3");
  end_turn();
  BOOST_TEST(sent(1) == "1");
  say(session, "4");
  change(b, session, "5");
  end_turn();
  host.let_go(b);
  end_turn();
  BOOST_TEST(sent(1) == "1");
  host.let_go(a);
  end_turn();
  BOOST_TEST(sent(1) == "12345");
}

BOOST_AUTO_TEST_CASE(an_answer_about_all_tables_rests_on_every_log_that_serves) {
  b.set_state(log::State::unavailable, "away");
  end_turn();
  change(a, come(1), "A");
  Session& asking = come(2);
  pipeline.rest_on(asking, engine::Basis{.all = true});
  BOOST_TEST(asking.out.marks.size() == 1U);
  say(asking, "all");
  end_turn();
  BOOST_TEST(sent(2).empty());
  host.let_go(a);
  end_turn();
  BOOST_TEST(sent(2) == "all");
}

BOOST_AUTO_TEST_CASE(sessions_that_wait_for_a_fenced_log_are_closed) {
  change(a, come(1), "A");
  change(b, come(2), "B");
  end_turn();
  a.set_state(log::State::fenced, "another took over");
  end_turn();
  BOOST_TEST((end.ended == std::vector{ConnectionId{1}}));
  BOOST_TEST(sent(1).empty());
  BOOST_TEST(notes.warnings.size() == 1U);
  BOOST_TEST((logs.check_serving().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_failed_log_ends_the_daemon_and_nothing_leaves) {
  change(a, come(1), "A");
  a.set_state(log::State::failed, "the disk is gone");
  BOOST_TEST(!pipeline.commit_turn());
  BOOST_TEST(logs.is_dead());
  BOOST_TEST(!host.why.ok());
  BOOST_TEST(sent(1).empty());
}

BOOST_AUTO_TEST_SUITE_END()
