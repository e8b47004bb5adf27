// Syncs on a thread while turns continue: which answers are sent when, and what is left after a power cut in any of
// these turns.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>

#include "log/file/flush.h"
#include "tests/world/asking.h"
#include "wire/text.h"

namespace fastjournal::sim::syncs_test {
namespace {

// The test decides when a sync ends.
struct Threaded : Asking {
  explicit Threaded(std::uint64_t seed = 7) : Asking(seed) {
    world.log_options.sync_place = log::SyncPlace::on_thread;
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/own.xml").ok());  // in a log of its own
    start();
  }
  void start() {
    Asking::start();
    world.advance(DurationMs{100});
  }
  bool turn() { return world.network().turn(world.clock().monotonic_us()); }
  bool heard(std::string const& client) { return world.take_line(client).has_value(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(syncs)

BOOST_FIXTURE_TEST_CASE(turns_go_on_meanwhile_and_share_the_next_sync, Threaded) {
  world.hold_flushes(true);
  world.send("one", "INSERT table=jobs;name=a");
  turn();
  std::uint64_t const before = world.disk().calls(Call::sync);
  std::uint64_t const writes = world.disk().calls(Call::write);
  for (int i = 0; i < 50; ++i) {
    world.send("two", "INSERT table=jobs;name=b" + std::to_string(i));
    turn();
  }
  BOOST_TEST(!heard("one"));
  BOOST_TEST(!heard("two"));
  BOOST_TEST(world.disk().calls(Call::write) == writes);  // all of them in one batch, later
  world.hold_flushes(false);
  world.settle();
  BOOST_TEST(heard("one"));
  for (int i = 0; i < 50; ++i) BOOST_TEST(heard("two"));
  BOOST_TEST(world.disk().calls(Call::sync) - before <= 2U);  // the sync under way may have ended before
}

// A client that was told of a row must find it after a power cut. So no output of a turn is sent before what it may
// have seen is durable.
BOOST_FIXTURE_TEST_CASE(what_saw_a_row_waits_for_its_sync_as_well, Threaded) {
  world.hold_flushes(true);
  world.send("one", "INSERT table=jobs;name=a");
  turn();
  world.send("two", "NEXT table=jobs");
  world.send("three", "PEEK table=jobs;name=a");
  for (int i = 0; i < 10; ++i) turn();
  BOOST_TEST(!heard("two"));
  BOOST_TEST(!heard("three"));
  // An answer about a table of another log does not wait for this one.
  world.send("four", "PEEK table=own;name=a");
  turn();
  BOOST_TEST(heard("four"));
  world.hold_flushes(false);
  world.settle();
  BOOST_TEST(heard("two"));
  BOOST_TEST(heard("three"));
}

// That a branch is not known says that it ended.
BOOST_FIXTURE_TEST_CASE(who_asks_for_a_branch_that_ended_waits_for_its_end, Threaded) {
  for (char const* const line :
       {"XA_START xid=1:aa:", "INSERT table=jobs;name=a", "XA_END xid=1:aa:", "XA_PREPARE xid=1:aa:"})
    BOOST_TEST(!ask("one", line).starts_with("ERROR"), line);
  world.hold_flushes(true);
  world.send("one", "XA_ROLLBACK xid=1:aa:");
  turn();
  world.send("two", "XA_ROLLBACK xid=1:aa:");
  world.send("three", "XA_RECOVER");
  for (int i = 0; i < 10; ++i) turn();
  for (char const* const client : {"one", "two", "three"}) BOOST_TEST(!heard(client), client);
  world.hold_flushes(false);
  world.settle();
  BOOST_TEST(heard("one"));
  BOOST_TEST(heard("three"));
  BOOST_TEST(world.take_line("two").value_or("").find("xa=XAER_NOTA;") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(dates_are_met_while_a_sync_takes_its_time, Threaded) {
  ask("INSERT table=jobs;name=a;process_date=+50");
  world.send("worker", "LISTEN table=jobs");
  world.settle();
  BOOST_TEST(heard("worker"));
  world.hold_flushes(true);
  world.send("one", "INSERT table=jobs;name=b;process_date=+100000");
  turn();
  world.clock().advance(60'000);
  for (int i = 0; i < 5; ++i) turn();
  // The row becomes due in time, but telling of it waits until the changes of earlier turns are durable.
  BOOST_TEST(ask("STATS table=jobs") == "(nothing)");
  BOOST_TEST(!heard("worker"));
  world.hold_flushes(false);
  world.settle();
  BOOST_TEST(heard("worker"));
}

BOOST_FIXTURE_TEST_CASE(a_sync_that_fails_there_ends_everything_before_an_answer_leaves, Threaded) {
  BOOST_TEST(ask("INSERT table=jobs;name=kept").starts_with("INSERTED "));
  world.disk().fail_call(Call::sync, 1, Failure::io_error);
  BOOST_TEST(ask("INSERT table=jobs;name=unheard") == "(nothing)");
  BOOST_TEST(!world.fatal_error().ok());
  world.power_cut();
  BOOST_REQUIRE(world.start().ok());
  BOOST_TEST(ask("PEEK table=jobs;name=kept").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(what_waits_is_bounded_by_max_write_buffers, Threaded) {
  static_cast<void>(world.stop());
  world.log_options.write_buffer_bytes = 100'000;
  start();
  world.hold_flushes(true);
  std::string const payload(10'000, 'p');
  std::uint64_t most = 0;
  for (int i = 0; i < 50; ++i) {
    world.send("main", "INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + payload);
    turn();
    most = std::max(most, world.log().end_lsn().value - world.log().durable_lsn().value);
  }
  BOOST_TEST(most < 100'000U + 2 * 12'288);
  BOOST_TEST(heard("main"));  // the loop waited for syncs, more than once
  world.hold_flushes(false);
  world.settle();
  for (int i = 1; i < 50; ++i) BOOST_TEST(heard("main"));
}

BOOST_FIXTURE_TEST_CASE(a_clean_end_answers_those_who_wait, Threaded) {
  world.hold_flushes(true);
  world.send("main", "INSERT table=jobs;name=a");
  turn();
  BOOST_TEST(!heard("main"));
  BOOST_TEST(world.server().finish().ok());
  BOOST_TEST(heard("main"));
  world.kill();
  world.hold_flushes(false);
  BOOST_REQUIRE(world.start().ok());
  BOOST_TEST(ask("PEEK table=jobs;name=a").starts_with("ROW "));
}

// Several clients at once, one in each turn, with a power cut in some turn: every answer that was sent must hold.
BOOST_AUTO_TEST_CASE(no_answer_is_taken_back_by_a_power_cut_in_any_turn) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937_64 random{seed};
      Threaded here{seed};
      World& world = here.world;
      world.network().hear_one_a_turn(true);
      std::set<std::string> there;  // rows whose INSERT was answered
      std::set<std::string> gone;   // rows whose DELETE was answered
      int serial = 0;
      for (int cut = 0; cut < 15; ++cut) {
        std::map<std::string, std::string> asked;  // in this life: request -> row; with "-" before it for a DELETE
        for (int left = static_cast<int>(random() % 40); left > 0; --left) {
          std::string const client = "c" + std::to_string(random() % 4);
          std::string const request = std::to_string(++serial);
          if (there.empty() || random() % 3 != 0) {
            std::string const row = std::string{random() % 3 == 0 ? "own" : "jobs"} + ";name=n" + request;
            asked[request] = row;
            world.send(client, "INSERT table=" + row + ";request=" + request);
          } else {
            std::string const name = *there.begin();
            there.erase(there.begin());  // from here on it may be there or not
            asked[request] = "-" + name;
            world.send(client, "DELETE table=" + name + ";request=" + request);
          }
          if (random() % 2 == 0) here.turn();
        }
        for (int turns = static_cast<int>(random() % 30); turns > 0; --turns) here.turn();
        for (int client = 0; client < 4; ++client)
          while (auto const line = world.take_line("c" + std::to_string(client))) {
            Message answer;
            BOOST_REQUIRE(protocol::parse_line(*line, answer).ok());
            BOOST_REQUIRE_MESSAGE(answer.command != "ERROR", *line);
            std::string const& what = asked.at(std::string{answer.text("request")});
            if (what.front() == '-')
              gone.insert(what.substr(1));
            else
              there.insert(what);
          }
        if (random() % 4 == 0)
          world.kill();
        else
          world.power_cut();
        here.start();
        for (std::string const& name : there) BOOST_TEST(here.ask("PEEK table=" + name).starts_with("ROW "), name);
        for (std::string const& name : gone) BOOST_TEST(here.ask("PEEK table=" + name).starts_with("ERROR "), name);
        gone.clear();
      }
      BOOST_TEST(world.replayed_digest().value() == world.engine().digest());
    }
  }
}

// What a power cut would take back: from the write to the sync that covers it, wherever that is done. (While a sync does
// not end, no figures leave either.)
BOOST_AUTO_TEST_CASE(the_age_of_what_is_acknowledged_and_not_synced_is_told) {
  for (log::SyncPlace const place : {log::SyncPlace::on_loop, log::SyncPlace::on_thread}) {
    Asking here;
    here.world.log_options.sync_place = place;
    here.world.log_options.sync = log::file::SyncPolicy::interval;
    here.world.log_options.sync_interval_ms = 1'000;
    here.serve();
    here.world.advance(DurationMs{5'000});
    BOOST_TEST(here.stat("unsynced_ms") == 0);
    BOOST_TEST(here.ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
    here.world.advance(DurationMs{400});
    BOOST_TEST(here.ask("INSERT table=jobs;name=b").starts_with("INSERTED "));  // of the oldest
    here.world.advance(DurationMs{400});
    BOOST_TEST(here.stat("unsynced_ms") >= 800);
    BOOST_TEST(here.stat("unsynced_ms") < 1'000);
    here.world.advance(DurationMs{400});
    BOOST_TEST(here.stat("unsynced_ms") == 0);
  }
}

BOOST_AUTO_TEST_CASE(one_slow_sync_in_a_hundred_is_too_many_for_the_loop) {
  log::file::SyncTimes times;
  for (int i = 0; i < 300; ++i) times.add(80);
  BOOST_TEST(!times.are_slow());
  times.add(5'000);
  times.add(log::file::SyncTimes::kSlowUs);
  BOOST_TEST(!times.are_slow());
  times.add(900);
  BOOST_TEST(times.are_slow());
  for (int i = 0; i < 255; ++i) times.add(80);
  BOOST_TEST(times.are_slow());
  times.add(80);
  BOOST_TEST(!times.are_slow());
  BOOST_TEST(times.all().max() == 5'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::syncs_test
