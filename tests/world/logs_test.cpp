// Two logs of one daemon: one in files, and one that can be slow, unavailable, fenced and serving again
// (tests/sim/sim_log.h). Clients of that log wait or are refused, and no others are affected. No answer is sent before
// the changes that it shows are durable, whatever happens to the two logs.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>

#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::logs_test {
namespace {

// Table `jobs` is in the local log, `own` in the far one.
struct Two {
  explicit Two(std::uint64_t seed = 7) : world(seed), far(world.use_sim_log("own")) {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/own.xml").ok());
    start();
  }
  void start() {
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    world.advance(DurationMs{100});
  }
  void slow(bool is_slow) {
    world.hold_syncs(far, is_slow);
    world.settle();
  }
  void set_state(log::State state) {
    far.set_state(state, "no way there");
    world.network().turn_again();
    world.settle();
  }
  void say(std::string const& client, std::string const& line) {
    world.send(client, line);
    world.settle();
  }
  std::string hear(std::string const& client) { return world.take_line(client).value_or("(nothing)"); }
  std::string ask(std::string const& line, std::string const& client = "main") {
    say(client, line);
    return hear(client);
  }
  // Clients of the local log do not wait for the far one.
  void local_tables_go_on() {
    for (int i = 0; i < 20; ++i) {
      std::string const name = "local" + std::to_string(++serial);
      std::uint64_t const turns = world.clock().monotonic_us();
      BOOST_TEST(ask("INSERT table=jobs;name=" + name, "local").starts_with("INSERTED "));
      BOOST_TEST(ask("PEEK table=jobs;name=" + name, "local").starts_with("ROW "));
      BOOST_TEST(static_cast<std::uint64_t>(world.clock().monotonic_us()) == turns);
    }
  }
  World world;
  SimLog& far;
  int serial{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(logs)

BOOST_FIXTURE_TEST_CASE(a_slow_log_stalls_only_who_used_it, Two) {
  slow(true);
  say("one", "INSERT table=own;name=a");
  BOOST_TEST(hear("one") == "(nothing)");
  local_tables_go_on();
  BOOST_TEST(hear("one") == "(nothing)");
  slow(false);
  BOOST_TEST(hear("one").starts_with("INSERTED "));
}

BOOST_FIXTURE_TEST_CASE(answers_of_one_connection_keep_their_order, Two) {
  slow(true);
  say("one", "INSERT table=jobs;name=a\nINSERT table=own;name=b\nINSERT table=jobs;name=c\nHELP");
  BOOST_TEST(hear("one").starts_with("INSERTED "));
  BOOST_TEST(hear("one") == "(nothing)");
  say("one", "PEEK table=jobs;name=c");
  BOOST_TEST(hear("one") == "(nothing)");
  slow(false);
  BOOST_TEST(hear("one").starts_with("INSERTED "));
  BOOST_TEST(hear("one").starts_with("INSERTED "));
  BOOST_TEST(hear("one").starts_with("COMMANDS "));
  BOOST_TEST(hear("one").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(what_saw_a_row_of_the_slow_log_waits_for_it, Two) {
  BOOST_TEST(ask("LISTEN table=own", "listener").starts_with("LISTENING "));
  slow(true);
  say("one", "INSERT table=own;name=a");
  say("two", "PEEK table=own;name=a");
  say("three", "STATS table=own");
  say("four", "NEXT table=own");
  for (std::string const client : {"one", "two", "three", "four", "listener"}) BOOST_TEST(hear(client) == "(nothing)");
  // A power cut loses the row, and nobody was told that it was there.
  world.power_cut();
  world.hold_syncs(far, false);
  start();
  BOOST_TEST(ask("PEEK table=own;name=a").starts_with("ERROR "));
}

BOOST_FIXTURE_TEST_CASE(a_read_of_a_slow_log_in_which_everything_is_durable_is_answered, Two) {
  BOOST_TEST(ask("INSERT table=own;name=a").starts_with("INSERTED "));
  slow(true);
  BOOST_TEST(ask("PEEK table=own;name=a").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(commands_on_all_tables_rest_on_all_logs, Two) {
  slow(true);
  say("one", "INSERT table=own;name=a");
  for (std::string const command : {"STATS", "METRICS", "TABLES", "ALERTS", "DIGEST"}) {
    std::string const client = command == "DIGEST" ? "admin" : command;
    say(client, command);
    BOOST_TEST(hear(client) == "(nothing)", command);
  }
  BOOST_TEST(ask("STATS table=jobs", "two").starts_with("STATS "));
  BOOST_TEST(ask("HELP", "three").starts_with("COMMANDS "));
  slow(false);
  for (std::string const client : {"STATS", "METRICS", "TABLES", "ALERTS", "admin"})
    BOOST_TEST(hear(client) != "(nothing)");
}

BOOST_FIXTURE_TEST_CASE(commands_on_tables_of_a_log_that_is_away_are_refused, Two) {
  slow(true);
  say("one", "INSERT table=own;name=a");
  set_state(log::State::unavailable);
  for (std::string const command :
       {"INSERT table=own;name=b", "PEEK table=own;name=a", "NEXT table=own", "LISTEN table=own", "STATS table=own"}) {
    std::string const heard = ask(command);
    BOOST_TEST(heard.find("code=unavailable") != std::string::npos, command << ": " << heard);
    BOOST_TEST(heard.find("no way there") != std::string::npos, heard);
  }
  BOOST_TEST(ask("RELOAD", "admin").starts_with("ERROR "));
  local_tables_go_on();
  std::string const health = ask("HEALTH");
  BOOST_TEST(health.find("ERROR code=unavailable;command=HEALTH;message=log own is unavailable") != std::string::npos,
             health);
  BOOST_TEST(ask("HEALTH what=live").starts_with("HEALTHY"));
  // Questions about the state are answered, without the tables of the far log.
  BOOST_TEST(ask("STATS", "two").starts_with("STATS "));
  BOOST_TEST(hear("one") == "(nothing)");
  slow(false);
  BOOST_TEST(hear("one") == "(nothing)");
  set_state(log::State::serving);
  BOOST_TEST(hear("one").starts_with("INSERTED "));
  BOOST_TEST(ask("PEEK table=own;name=a").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(dates_of_a_log_that_is_away_are_met_when_it_is_back, Two) {
  BOOST_TEST(ask("LISTEN table=own", "listener").starts_with("LISTENING "));
  BOOST_TEST(ask("LISTEN table=jobs", "local").starts_with("LISTENING "));
  BOOST_TEST(ask("INSERT table=own;name=a;process_date=+1000").starts_with("INSERTED "));
  BOOST_TEST(ask("INSERT table=jobs;name=a;process_date=+1000").starts_with("INSERTED "));
  set_state(log::State::unavailable);
  world.advance(DurationMs{5000});
  BOOST_TEST(hear("local").starts_with("LISTEN "));
  BOOST_TEST(hear("listener") == "(nothing)");
  set_state(log::State::serving);
  world.advance(DurationMs{1});
  BOOST_TEST(hear("listener").starts_with("LISTEN "));
  BOOST_TEST(ask("NEXT table=own").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(whoever_waits_for_a_log_that_is_fenced_loses_its_connection, Two) {
  BOOST_TEST(ask("INSERT table=own;name=a", "idle").starts_with("INSERTED "));
  slow(true);
  say("one", "INSERT table=own;name=b");
  set_state(log::State::fenced);
  BOOST_TEST(world.is_closed("one"));
  BOOST_TEST(!world.is_closed("idle"));
  BOOST_TEST(hear("one") == "(nothing)");
  BOOST_TEST(ask("INSERT table=own;name=c").find("code=unavailable") != std::string::npos);
  local_tables_go_on();
  slow(false);
  set_state(log::State::serving);
  BOOST_TEST(ask("INSERT table=own;name=c").starts_with("INSERTED "));
}

// The far log is first by name, but the daemon's own alerts are in the local one.
BOOST_FIXTURE_TEST_CASE(the_daemons_own_alerts_need_no_log_but_the_local_one, Two) {
  slow(true);
  say("one", "INSERT table=own;name=a");
  set_state(log::State::unavailable);
  world.server().alerts().raise("test-alert", 50, "something", "test");
  world.settle();
  auto const is_it = [](log::AlertNotice const& notice) { return notice.alert.name == "test-alert"; };
  BOOST_TEST(std::count_if(world.told().begin(), world.told().end(), is_it) == 1);
  BOOST_TEST(ask("ALERTS", "two").find("name=test-alert") != std::string::npos);
}

// Both logs go through all states, the process is killed in some turn: every answer that was sent must still hold.
BOOST_AUTO_TEST_CASE(no_answer_is_taken_back_whatever_the_logs_go_through) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937_64 random{seed};
      Two here{seed};
      World& world = here.world;
      world.network().hear_one_a_turn(true);
      std::set<std::string> there;  // rows whose insert was acknowledged, or that were shown
      std::size_t told = 0;
      std::size_t refused = 0;
      int serial = 0;
      for (int life = 0; life < 12; ++life) {
        std::map<std::string, std::string> asked;
        for (int left = static_cast<int>(random() % 60); left > 0; --left) {
          if (random() % 10 == 0) world.hold_syncs(here.far, random() % 2 == 0);
          if (random() % 20 == 0)
            here.far.set_state(random() % 3 == 0   ? log::State::unavailable
                               : random() % 5 == 0 ? log::State::fenced
                                                   : log::State::serving,
                               "no way there");
          std::string const client = "c" + std::to_string(random() % 4);
          std::string const request = std::to_string(++serial);
          std::string row = std::string{random() % 2 == 0 ? "own" : "jobs"} + ";name=n" + request;
          bool const reads = random() % 3 == 0 && !asked.empty();
          // A row that another client may just have inserted.
          if (reads) row = std::next(asked.begin(), static_cast<std::ptrdiff_t>(random() % asked.size()))->second;
          asked[request] = row;
          world.send(client, (reads ? "PEEK table=" : "INSERT table=") + row + ";request=" + request);
          if (random() % 2 == 0) world.network().turn(world.clock().monotonic_us());
        }
        for (int turns = static_cast<int>(random() % 30); turns > 0; --turns)
          world.network().turn(world.clock().monotonic_us());
        for (int client = 0; client < 4; ++client)
          while (auto const line = world.take_line("c" + std::to_string(client))) {
            Message answer;
            BOOST_REQUIRE(protocol::parse_line(*line, answer).ok());
            if (answer.command == "ERROR") {
              ++refused;
              continue;
            }
            there.insert(asked.at(std::string{answer.text("request")}));
            ++told;
          }
        if (random() % 4 == 0)
          world.kill();
        else
          world.power_cut();
        world.hold_syncs(here.far, false);
        here.start();
        for (std::string const& row : there) BOOST_TEST(here.ask("PEEK table=" + row).starts_with("ROW "), row);
      }
      BOOST_TEST(told > 50U);
      BOOST_TEST(refused > 5U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::logs_test
