// The engine on a log in memory, with a table type made for tests (tally.h): decisions are logged and applied at once,
// a command is one group, waiting commands are served, and a replay gives the same state.
#include "engine/engine.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/memory_log.h"
#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::engine;
using namespace fastjournal::engine::test;

struct Post final : work::ReplySink {
  void answer(ConnectionId connection, Message const&, Answer& answer, Outcome const& outcome) override {
    std::string text = std::to_string(static_cast<std::uint64_t>(connection)) + ":";
    for (Answer::Head const& head : answer.heads()) text.append(head.command);
    if (!outcome.ok()) text += outcome.status.text();
    letters.push_back(text);
  }
  void push(log::Log const&, ConnectionId connection, Answer& message, TimeMs due, work::ListenMode) override {
    letters.push_back(std::to_string(static_cast<std::uint64_t>(connection)) + ":" +
                      std::string{message.heads().front().command} + "@" + std::to_string(due.value));
  }
  bool is_full(ConnectionId connection) override { return connection == full; }
  std::vector<std::string> letters;
  ConnectionId full{};
};

struct World {
  explicit World(Declarations declarations = {tally_table("counts")}) {
    types.emplace("tally", std::make_unique<TableType>(tally_plugin(), tally_type()));
    engine = std::make_unique<Engine>(types, post);
    engine->declare(std::move(declarations));
    hosted = &engine->add_log("shared");
    BOOST_REQUIRE(engine->recovery().attach(*hosted, log).ok());
  }
  // A second world, which replays the records that the first one logged.
  World(World const& first, Declarations declarations, Declarations forget = {}) {
    types.emplace("tally", std::make_unique<TableType>(tally_plugin(), tally_type()));
    engine = std::make_unique<Engine>(types, post);
    engine->declare(std::move(declarations), std::move(forget));
    hosted = &engine->add_log("shared");
    for (bool const catalogue : {true, false})
      for (fastjournal::test::KeptRecord const& record : first.log.records()) {
        if (record.lsn < first.log.base_lsn() || !replayed.ok()) continue;
        if (!catalogue) replayed = engine->recovery().replay(*hosted, record.view(), first.log.base_lsn());
        if (catalogue && record.table == TableId::catalogue)
          replayed = engine->recovery().replay_catalogue(*hosted, record.view());
      }
    log.start_number = 2;
    if (replayed.ok()) replayed = engine->recovery().attach(*hosted, log);
  }

  std::string run(std::string command, std::vector<std::pair<std::string, std::string>> params = {},
                  std::uint64_t connection = 1) {
    HostedTable* const table = engine->find_table("counts");
    Message message{command};
    for (auto const& [name, value] : params) message.set(name, value);
    Answer answer;
    Command const asked{static_cast<std::uint16_t>(table->type->find_command(command)), &message,
                        ConnectionId{connection}, "w"};
    Outcome const outcome = engine->serving().execute(*table, asked, now, answer);
    if (outcome.is_later) return "later";
    if (!outcome.ok()) return std::string{row_of(outcome.status.code()).wire_name};
    std::string text;
    for (std::size_t i = 0; i < answer.heads().size(); ++i) {
      if (i > 0) text += ' ';
      text.append(answer.heads()[i].command);
      for (std::size_t p = answer.heads()[i].first; p < answer.params_end(i); ++p) {
        Value const& value = answer.params()[p].value;
        text += "," + (value.kind == Value::Kind::text ? std::string{value.bytes} : std::to_string(value.integer));
      }
    }
    return text;
  }
  void turn() {
    for (int i = 0; i < 100; ++i) {
      bool again = engine->next_due() <= now && engine->run_timers(now);
      again = engine->end_of_turn(now) || again;
      BOOST_REQUIRE(log.commit().ok());
      again = engine->committed(now) || again;
      if (!again) return;
    }
    BOOST_FAIL("the engine never comes to rest");
  }

  TableTypes types;
  Post post;
  MemoryLog log;
  std::unique_ptr<Engine> engine;
  HostedLog* hosted{nullptr};
  Status replayed;
  TimeMs now{1'000'000};
};

struct Started : World {
  Started() {
    BOOST_REQUIRE(engine->finish_recovery(now).ok());
    turn();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(engine)

BOOST_FIXTURE_TEST_CASE(what_is_decided_is_state_at_once_and_one_group, Started) {
  std::uint64_t const groups = log.groups;
  BOOST_TEST(run("PUT", {{"name", "a"}}) == "PUT,a,1");
  BOOST_TEST(run("PUT", {{"name", "a"}}) == "PUT,a,2");
  BOOST_TEST(log.groups == groups + 2);
  BOOST_TEST(run("SHOW") == "SHOWN,a,2");
  BOOST_TEST(log.groups == groups + 2);
}

BOOST_FIXTURE_TEST_CASE(a_refused_command_logs_nothing, Started) {
  std::size_t const before = log.records().size();
  BOOST_TEST(run("PUT", {{"name", "bad"}}) == "bad_parameter");
  BOOST_TEST(log.records().size() == before);
}

BOOST_FIXTURE_TEST_CASE(steps_of_one_command_see_one_another_and_make_one_group, Started) {
  for (char const* name : {"a", "b", "c"}) run("PUT", {{"name", name}});
  std::uint64_t const groups = log.groups;
  BOOST_TEST(run("DROP") == "DROPPED,3");
  BOOST_TEST(log.groups == groups + 1);
  BOOST_TEST(run("SHOW").empty());
}

BOOST_FIXTURE_TEST_CASE(when_space_is_short_only_what_adds_is_refused, Started) {
  run("PUT", {{"name", "a"}});
  log.room = false;
  BOOST_TEST(run("PUT", {{"name", "b"}}) == "no_space");
  BOOST_TEST(run("SHOW") == "SHOWN,a,1");
  BOOST_TEST(run("TAKE") == "TAKEN,a");
  log.room_to_remove = false;
  BOOST_TEST(run("DROP") == "no_space");
}

BOOST_FIXTURE_TEST_CASE(when_memory_is_short_only_what_adds_is_refused, Started) {
  engine->memory().limit(150);
  for (char const* name : {"a", "b"}) BOOST_TEST(run("PUT", {{"name", name}}) != "no_space");
  BOOST_TEST(run("PUT", {{"name", "c"}}) == "no_space");
  BOOST_TEST(run("TAKE") == "TAKEN,a");
  BOOST_TEST(run("PUT", {{"name", "c"}}) == "PUT,c,1");
}

BOOST_FIXTURE_TEST_CASE(a_waiting_command_is_answered_when_work_falls_due, Started) {
  BOOST_TEST(run("TAKE", {{"wait", "10000"}, {"request", "1"}}, 7) == "later");
  run("PUT", {{"name", "a"}, {"at", "1000500"}});
  turn();
  BOOST_TEST(post.letters.empty());
  BOOST_TEST(engine->next_due().value == 1'000'500);
  now = TimeMs{1'000'500};
  turn();
  BOOST_REQUIRE(post.letters.size() == 1);
  BOOST_TEST(post.letters[0] == "7:TAKEN");
  BOOST_TEST(run("SHOW").empty());
}

// The engine caches the date when a table is due next, so that it need not ask the table at each command.
BOOST_FIXTURE_TEST_CASE(a_command_finds_what_fell_due_before_it_also_where_no_timer_ran_so_far, Started) {
  for (int i = 0; i < 2; ++i) {
    run("PUT", {{"name", "a"}, {"at", std::to_string(now.value + 500)}});
    BOOST_TEST(run("TAKE") == "NOTHING");
    now = now + DurationMs{500};
    BOOST_TEST(run("TAKE") == "TAKEN,a");
    turn();
  }
  // The same where timers found no room in the log.
  run("PUT", {{"name", "b"}, {"at", std::to_string(now.value + 500)}});
  now = now + DurationMs{500};
  log.room = log.room_to_remove = false;
  static_cast<void>(engine->run_timers(now));
  now = now + DurationMs{1};
  log.room = log.room_to_remove = true;
  BOOST_TEST(run("TAKE") == "TAKEN,b");
}

BOOST_FIXTURE_TEST_CASE(a_wait_that_is_over_is_answered_with_nothing, Started) {
  BOOST_TEST(run("TAKE", {{"wait", "2000"}, {"request", "1"}}, 7) == "later");
  BOOST_TEST(engine->next_due().value == now.value + 2000);
  now = TimeMs{now.value + 2000};
  turn();
  BOOST_REQUIRE(post.letters.size() == 1);
  BOOST_TEST(post.letters[0] == "7:NOTHING");
}

BOOST_FIXTURE_TEST_CASE(waiting_commands_are_served_in_order_of_arrival_one_row_each, Started) {
  for (std::uint64_t connection : {5, 6, 7}) run("TAKE", {{"wait", "10000"}, {"request", "1"}}, connection);
  post.full = ConnectionId{5};  // nothing can be sent to it: its rows go to the others
  run("PUT", {{"name", "a"}});
  turn();
  BOOST_REQUIRE(post.letters.size() == 1);
  post.full = ConnectionId{};
  engine->writable(ConnectionId{5});
  run("PUT", {{"name", "b"}});
  turn();
  run("PUT", {{"name", "c"}});
  turn();
  BOOST_REQUIRE(post.letters.size() == 3);
  BOOST_TEST(post.letters[0] == "6:TAKEN");
  BOOST_TEST(post.letters[1] == "5:TAKEN");  // it kept its place in the line
  BOOST_TEST(post.letters[2] == "7:TAKEN");
}

BOOST_FIXTURE_TEST_CASE(a_row_wakes_one_idle_listener_and_a_nothing_arms_it_again, Started) {
  HostedTable& table = *engine->find_table("counts");
  BOOST_REQUIRE(engine->serving().listen(table, ConnectionId{1}, work::ListenRequest{}).ok());
  BOOST_REQUIRE(engine->serving().listen(table, ConnectionId{2}, work::ListenRequest{}).ok());
  run("PUT", {{"name", "a"}, {"at", "1000100"}});
  turn();
  BOOST_TEST(post.letters.empty());
  now = TimeMs{1'000'100};
  turn();
  BOOST_REQUIRE(post.letters.size() == 1);
  BOOST_TEST(post.letters[0].substr(1) == ":LISTEN@1000100");
  std::uint64_t const woken = post.letters[0][0] == '1' ? 1 : 2;
  BOOST_TEST(run("TAKE", {}, woken) == "TAKEN,a");
  run("PUT", {{"name", "b"}});  // the listener that works is left alone: the other one is woken
  turn();
  BOOST_REQUIRE(post.letters.size() == 2);
  BOOST_TEST(post.letters[1].substr(0, 1) == std::to_string(3 - woken));
  BOOST_TEST(run("TAKE", {}, 3 - woken) == "TAKEN,b");
  run("PUT", {{"name", "c"}});
  turn();
  BOOST_TEST(post.letters.size() == 2);  // both are busy
  run("TAKE", {}, woken);
  BOOST_TEST(run("TAKE", {}, woken) == "NOTHING");
  run("PUT", {{"name", "d"}});
  turn();
  BOOST_REQUIRE(post.letters.size() == 3);
  BOOST_TEST(post.letters[2].substr(0, 1) == std::to_string(woken));
}

BOOST_FIXTURE_TEST_CASE(a_listener_that_takes_nothing_in_time_is_passed_over, Started) {
  HostedTable& table = *engine->find_table("counts");
  BOOST_REQUIRE(engine->serving().listen(table, ConnectionId{1}, work::ListenRequest{}).ok());
  BOOST_REQUIRE(engine->serving().listen(table, ConnectionId{2}, work::ListenRequest{}).ok());
  run("PUT", {{"name", "a"}});
  turn();
  BOOST_REQUIRE(post.letters.size() == 1);
  now = now + DurationMs{5000};
  turn();
  BOOST_REQUIRE(post.letters.size() == 2);
  BOOST_TEST(post.letters[0][0] != post.letters[1][0]);
  engine->connection_closed(ConnectionId{static_cast<std::uint64_t>(post.letters[1][0] - '0')}, now);
  turn();
  BOOST_TEST(post.letters.size() == 3);  // it closed without taking: the other one is told again
}

BOOST_FIXTURE_TEST_CASE(a_listener_that_comes_late_hears_of_what_is_due_already, Started) {
  run("PUT", {{"name", "a"}});
  turn();
  BOOST_REQUIRE(engine->serving().listen(*engine->find_table("counts"), ConnectionId{4}, work::ListenRequest{}).ok());
  turn();
  BOOST_REQUIRE(post.letters.size() == 1);
  BOOST_TEST(post.letters[0].substr(0, 8) == "4:LISTEN");
  BOOST_TEST(!engine->serving().unlisten(*engine->find_table("counts"), ConnectionId{5}, {}).ok());
  BOOST_TEST(engine->serving().unlisten(*engine->find_table("counts"), ConnectionId{4}, {}).ok());
}

BOOST_FIXTURE_TEST_CASE(who_waits_for_a_table_that_is_dropped_hears_so, Started) {
  HostedTable& table = *engine->find_table("counts");
  BOOST_TEST(run("TAKE", {{"wait", "10000"}, {"request", "1"}}, 7) == "later");
  BOOST_TEST(run("TAKE", {{"wait", "10000"}, {"request", "1"}}, 8) == "later");
  BOOST_REQUIRE(
      engine->serving().listen(table, ConnectionId{9}, work::ListenRequest{.mode = work::ListenMode::row}).ok());
  turn();
  post.full = ConnectionId{8};
  run("PUT", {{"name", "a"}});
  run("PUT", {{"name", "b"}});
  turn();  // 8 cannot be answered
  run("DROP");
  turn();
  post.letters.clear();
  BOOST_REQUIRE(
      engine->serving().listen(table, ConnectionId{9}, work::ListenRequest{}).ok());  // in the turn of the drop
  BOOST_REQUIRE(engine->reloading().run({tally_table("more")}, now).ok());
  turn();
  BOOST_REQUIRE(post.letters.size() == 2U);
  BOOST_TEST(post.letters[0].starts_with("8:"));
  BOOST_TEST(post.letters[0].find("dropped") != std::string::npos);
  BOOST_TEST(post.letters[1] == "9:UNLISTENED@0");
  engine->connection_closed(ConnectionId{8}, now);
  engine->writable(ConnectionId{9});
  turn();
}

BOOST_FIXTURE_TEST_CASE(a_replay_gives_the_same_digest, Started) {
  for (char const* name : {"a", "b", "c", "a"}) run("PUT", {{"name", name}});
  run("TAKE");
  turn();
  World second{*this, {tally_table("counts")}};
  BOOST_TEST(second.replayed.ok(), second.replayed.text());
  BOOST_TEST(second.engine->digest() == engine->digest());
  BOOST_TEST((second.engine->time_corrections().last_now() == now));
}

BOOST_FIXTURE_TEST_CASE(an_old_row_is_compacted_and_the_base_moves_past_it, Started) {
  run("PUT", {{"name", "immortal"}, {"at", "9000000"}});
  for (int i = 0; i < 200'000; ++i) {
    run("PUT", {{"name", "x"}});
    run("TAKE");
    if (i % 1000 == 0) turn();
  }
  turn();
  BOOST_TEST(log.usage().logical_bytes <= 4 * log.segment_bytes);
  World second{*this, {tally_table("counts")}};
  BOOST_TEST(second.replayed.ok(), second.replayed.text());
  BOOST_TEST(second.engine->digest() == engine->digest());
  BOOST_TEST(second.run("SHOW") == "SHOWN,immortal,1");
}

BOOST_FIXTURE_TEST_CASE(a_log_without_rows_is_reset_at_once_but_not_all_the_time, Started) {
  run("PUT", {{"name", "a"}});
  turn();
  BOOST_TEST(log.fresh_begins == 0U);
  run("TAKE");
  turn();
  // The removal is written but not synced: a power cut could bring the row back.
  BOOST_TEST(log.fresh_begins == 0U);
  run("PUT", {{"name", "b"}});
  run("DROP");
  turn();
  BOOST_TEST(log.fresh_begins == 1U);
  Lsn const base = log.base_lsn();
  turn();
  BOOST_TEST((log.base_lsn() >= base && engine->next_due() == TimeMs::max()));
  run("PUT", {{"name", "c"}});
  run("DROP");
  turn();
  BOOST_TEST(log.fresh_begins == 1U);
  BOOST_TEST((engine->next_due() <= now + DurationMs{1000}));
  now = engine->next_due();
  turn();
  BOOST_TEST(log.fresh_begins == 2U);
  World second{*this, {tally_table("counts")}};
  BOOST_TEST(second.replayed.ok(), second.replayed.text());
  BOOST_TEST(second.engine->digest() == engine->digest());
}

BOOST_AUTO_TEST_CASE(a_table_in_the_log_but_not_in_conf_stops_the_start_unless_it_is_to_be_forgotten) {
  World first;
  BOOST_REQUIRE(first.engine->finish_recovery(first.now).ok());
  first.run("PUT", {{"name", "a"}});
  first.turn();
  World second{first, {}};
  BOOST_TEST(!second.replayed.ok());
  BOOST_TEST(second.replayed.message().find("counts.xml") != std::string::npos);
  BOOST_TEST(second.replayed.message().find("--forget counts") != std::string::npos);
  World third{first, {}, Declarations{tally_table("counts")}};
  BOOST_REQUIRE(third.replayed.ok());
  BOOST_REQUIRE(third.engine->finish_recovery(third.now).ok());
  BOOST_TEST(third.hosted->catalogue.tables().empty());
  BOOST_REQUIRE(third.engine->recovery().forgotten().size() == 1);
  BOOST_TEST(third.engine->recovery().forgotten()[0].rows.has_value());
  // A name that no log knows has no effect.
  World fourth{first, {tally_table("counts")}, Declarations{tally_table("count")}};
  BOOST_REQUIRE(fourth.replayed.ok());
  Status const refused = fourth.engine->finish_recovery(fourth.now);
  BOOST_TEST((refused.code() == Code::unknown_table));
  BOOST_TEST(fourth.hosted->catalogue.tables().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_missing_plugin_stops_the_start_with_its_name) {
  World first;
  BOOST_REQUIRE(first.engine->finish_recovery(first.now).ok());
  first.turn();
  TableTypes const none;
  Post post;
  Engine second{none, post};
  second.declare({tally_table("counts")});
  HostedLog& hosted = second.add_log("shared");
  Status status;
  for (fastjournal::test::KeptRecord const& record : first.log.records())
    if (record.table == TableId::catalogue && status.ok())
      status = second.recovery().replay_catalogue(hosted, record.view());
  MemoryLog log;
  if (status.ok()) status = second.recovery().attach(hosted, log);
  BOOST_TEST(!status.ok());
  BOOST_TEST(status.message().find("tally.so") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_reload_changes_all_or_nothing_and_says_what, Started) {
  run("PUT", {{"name", "a"}});
  Declarations const refused{tally_table("counts", "refuse"), tally_table("more")};
  BOOST_TEST(!engine->reloading().check(refused).ok());
  Declarations const gone{tally_table("more")};
  BOOST_TEST(engine->reloading().check(gone).message().find("still has rows (1)") != std::string::npos);

  auto wider = tally_table("counts");
  wider->schema.columns.push_back(column_named("colour"));
  Declarations const good{wider, tally_table("more")};
  BOOST_REQUIRE(engine->reloading().check(good).ok());
  std::uint64_t const before = engine->digest();
  std::vector<std::string> const preview = engine->reloading().preview(good);
  BOOST_TEST(engine->digest() == before);
  BOOST_TEST(preview == (std::vector<std::string>{"table counts: schema version 2 for new rows: column colour added",
                                                  "table more: new"}),
             boost::test_tools::per_element());
  Result<std::vector<std::string>> const changes = engine->reloading().run(good, now);
  BOOST_REQUIRE(changes.ok());
  BOOST_TEST(changes.value() == preview, boost::test_tools::per_element());
  BOOST_TEST(engine->reloading().preview(good).empty());
  BOOST_TEST(engine->find_table("more") != nullptr);
  BOOST_TEST(engine->find_table("counts")->declaration->schema.version == 2);
  turn();
  World second{*this, good};
  BOOST_TEST(second.replayed.ok(), second.replayed.text());
  BOOST_TEST(second.engine->digest() == engine->digest());
  BOOST_REQUIRE(second.engine->finish_recovery(now).ok());
  BOOST_TEST(second.engine->find_table("counts")->declaration->schema.version == 2);

  run("DROP");
  BOOST_REQUIRE(engine->reloading().check(gone).ok());
  BOOST_REQUIRE(engine->reloading().run(gone, now).ok());
  BOOST_TEST(engine->find_table("counts") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(due_heap)

BOOST_AUTO_TEST_CASE(the_first_is_always_the_one_with_the_smallest_date) {
  DueHeap heap;
  std::vector<TimeMs> dates;
  for (int i = 0; i < 50; ++i) {
    heap.add();
    dates.push_back(TimeMs::max());
  }
  std::uint64_t random = 42;
  for (int i = 0; i < 5000; ++i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    auto const member = static_cast<std::uint32_t>((random >> 33U) % 50);
    TimeMs const date{static_cast<std::int64_t>((random >> 40U) % 1000)};
    dates[member] = date;
    heap.set(member, date);
    BOOST_REQUIRE(heap.first_date() == *std::min_element(dates.begin(), dates.end()));
    BOOST_REQUIRE(dates[heap.first()] == heap.first_date());
  }
}

BOOST_AUTO_TEST_SUITE_END()
