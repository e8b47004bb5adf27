// WATCH in the simulator: its rounds tell what STATS tells, to whom may know it, when it is durable; and neither many
// watchers nor slow ones cost the loop more than their share.
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

#include "server/answers/watches.h"
#include "tests/world/asking.h"
#include "wire/text.h"

namespace fastjournal::sim::watch_test {
namespace {

struct Watched : Asking {
  Watched() {
    world.limits.connections.per_peer = world.limits.connections.most;
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
  }
  // Copies of jobs.
  void add_tables(int count) {
    for (int i = 0; i < count; ++i) add_table("t" + std::to_string(i));
  }
  void add_table(std::string const& name) {
    auto copy = std::make_shared<TableDeclaration>(*world.declaration("jobs"));
    copy->name = name;
    world.add_table(std::move(copy));
  }
  // Clients w0, w1, ...
  void give_admin(int count) {
    for (int i = 0; i < count; ++i) world.give_rights("w" + std::to_string(i), {Right::read, Right::admin});
  }
  // The lines that it has, as they came.
  std::vector<std::string> lines(std::string const& client) {
    std::vector<std::string> out;
    while (std::optional<std::string> line = world.take_line(client)) out.push_back(*std::move(line));
    return out;
  }
  std::size_t rounds(std::string const& client) {
    std::size_t out = 0;
    for (std::string const& line : lines(client)) out += static_cast<std::size_t>(line.starts_with("FIGURES "));
    return out;
  }
  std::string last(std::string const& client) {
    std::vector<std::string> const all = lines(client);
    BOOST_REQUIRE(!all.empty());
    return all.back();
  }
  static std::vector<std::string> names(std::string const& line) {
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    std::vector<std::string> out;
    for (Param const& param : message.params())
      if (param.name != "left") out.emplace_back(param.name);
    return out;
  }
  static std::string value(std::string const& line, std::string_view name) {
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return std::string{message.text(name)};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(watch, Watched)

BOOST_AUTO_TEST_CASE(a_round_has_the_messages_of_stats) {
  add_tables(3);
  start();
  BOOST_TEST(ask("watcher", "WATCH") == "WATCHING every=1000;");
  std::vector<std::string> const told = lines("watcher");
  world.send("main", "STATS");
  world.settle();
  std::vector<std::string> const asked = lines("main");
  BOOST_REQUIRE(told.size() == asked.size() + 1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    BOOST_TEST(names(told[i]) == names(asked[i]), boost::test_tools::per_element());
    BOOST_TEST(value(told[i], "table") == value(asked[i], "table"));
    BOOST_TEST(value(told[i], "rows") == value(asked[i], "rows"));
  }
  BOOST_TEST(value(told.back(), "tables") == "4");
}

BOOST_AUTO_TEST_CASE(each_tenth_round_is_whole) {
  add_tables(3);
  start();
  BOOST_TEST(ask("watcher", "WATCH every=1s").starts_with("WATCHING "));
  std::vector<std::string> unchanged;
  for (int i = 0; i < 21; ++i) {
    if (i > 0) world.advance(DurationMs{1000});
    for (std::string const& line : lines("watcher"))
      if (line.starts_with("FIGURES ")) unchanged.push_back(value(line, "unchanged"));
  }
  BOOST_REQUIRE(unchanged.size() == 21U);
  for (std::size_t i = 0; i < unchanged.size(); ++i) BOOST_TEST(unchanged[i] == (i % 10 == 0 ? "0" : "4"), i);
}

BOOST_AUTO_TEST_CASE(a_watcher_that_does_not_read_is_kept_one_round) {
  start();
  BOOST_TEST(ask("slow", "WATCH every=250ms").starts_with("WATCHING "));
  BOOST_TEST(rounds("slow") == 1U);
  world.connection("slow").room = 100;
  world.advance(DurationMs{60'000});
  world.connection("slow").room = SIZE_MAX;
  world.server().on_writable(world.id_of("slow"));
  world.settle();
  BOOST_TEST(rounds("slow") == 1U);
  // And it goes on.
  world.advance(DurationMs{1'000});
  std::size_t const later = rounds("slow");
  BOOST_TEST(later >= 4U);
  BOOST_TEST(later <= 5U);
}

BOOST_AUTO_TEST_CASE(a_round_waits_until_what_it_tells_is_durable) {
  world.log_options.sync_place = log::SyncPlace::on_thread;
  start();
  world.advance(DurationMs{100});
  BOOST_TEST(ask("watcher", "WATCH").starts_with("WATCHING "));
  lines("watcher");
  world.hold_flushes(true);
  world.send("main", "INSERT table=jobs;name=a");
  for (int i = 0; i < 3; ++i) world.network().turn(world.clock().monotonic_us());
  world.clock().advance(1'000'000);
  for (int i = 0; i < 3; ++i) world.network().turn(world.clock().monotonic_us());
  BOOST_TEST(lines("watcher").empty());
  BOOST_TEST(lines("main").empty());
  world.hold_flushes(false);
  world.settle();
  std::vector<std::string> const told = lines("watcher");
  BOOST_REQUIRE(told.size() == 3U);
  BOOST_TEST(value(told[1], "rows") == "1");
}

BOOST_AUTO_TEST_CASE(sixty_four_may_watch) {
  give_admin(64);
  world.give_rights("late", {Right::read, Right::admin});
  start();
  for (int i = 0; i < 64; ++i) BOOST_TEST(ask("w" + std::to_string(i), "WATCH every=1m").starts_with("WATCHING "), i);
  BOOST_TEST(ask("late", "WATCH").find("code=over_limit;") != std::string::npos);
  lines("w5");
  BOOST_TEST(ask("w5", "WATCH every=30s").starts_with("WATCHING "));  // it has its place
  BOOST_TEST(stat("watchers") == 64);
  world.close("w7");
  world.settle();
  BOOST_TEST(ask("late", "WATCH").starts_with("WATCHING "));
  BOOST_TEST(stat("watchers") == 64);
}

BOOST_AUTO_TEST_CASE(nobody_keeps_an_administrator_or_all_others_from_watching) {
  // Of one origin up to 49, then each of its own.
  auto const name = [](int i) {
    std::string const own = "w" + std::to_string(i);
    return i < 50 ? own : own + "@192.0.2." + std::to_string(i);
  };
  for (int i = 0; i < 60; ++i) world.give_rights(name(i), {Right::read});
  world.give_rights("root", {Right::read, Right::admin});
  start();
  for (int i = 0; i < 48; ++i) BOOST_TEST(ask(name(i), "WATCH every=1m").starts_with("WATCHING "), i);
  std::string const refused = ask(name(48), "WATCH");
  BOOST_TEST(refused.find("code=over_limit;") != std::string::npos, refused);
  BOOST_TEST(refused.find("48 connections of ip:192.0.2.1 ") != std::string::npos, refused);
  for (int i = 50; i < 58; ++i) BOOST_TEST(ask(name(i), "WATCH every=1m").starts_with("WATCHING "), i);
  std::string const full = ask(name(58), "WATCH");
  BOOST_TEST(full.find("56 connections watch") != std::string::npos, full);
  BOOST_TEST(ask("root", "WATCH every=1m").starts_with("WATCHING "));
}

// 64 watchers of 101 tables, four times a second: 25,856 tables of STATS a second are wished for.
BOOST_AUTO_TEST_CASE(what_they_cost_is_bounded) {
  add_tables(100);
  give_admin(64);
  start();
  for (int i = 0; i < 64; ++i)
    BOOST_TEST(ask("w" + std::to_string(i), "WATCH every=250ms").starts_with("WATCHING "), i);
  world.advance(DurationMs{1000});
  for (int i = 0; i < 64; ++i) lines("w" + std::to_string(i));
  std::size_t sent = 0;
  std::size_t least = SIZE_MAX;
  world.advance(DurationMs{10'000});
  for (int i = 0; i < 64; ++i) {
    std::size_t const rounds_of_it = rounds("w" + std::to_string(i));
    sent += rounds_of_it;
    least = std::min(least, rounds_of_it);
  }
  BOOST_TEST(sent * 101 <= (10 * 1'000'000 + server::Watches::kAheadUs) / server::Watches::kUsPerTable + 101);
  BOOST_TEST(sent * 101 >= 9 * 1'000'000 / server::Watches::kUsPerTable);
  BOOST_TEST(least + 1 >= sent / 64);  // each has its turn
}

BOOST_AUTO_TEST_CASE(its_memory_is_counted_and_given_back) {
  add_tables(50);
  start();
  static_cast<void>(stat("client_memory"));  // the buffer of its answer is kept
  BOOST_TEST(ask("watcher", "WATCH every=1m").starts_with("WATCHING "));
  lines("watcher");
  std::int64_t const watching = stat("client_memory");
  BOOST_TEST(ask("watcher", "UNWATCH") == "UNWATCHED");
  std::int64_t const after = stat("client_memory");
  BOOST_TEST(watching - after >= 51 * 8);
  BOOST_TEST(watching - after <= 256 + 2 * 51 * 8);
}

BOOST_AUTO_TEST_CASE(a_table_that_is_dropped_ends_its_watch_and_leaves_the_others) {
  add_tables(1);
  start();
  BOOST_TEST(ask("one", "WATCH table=t0").starts_with("WATCHING "));
  BOOST_TEST(ask("all", "WATCH").starts_with("WATCHING "));
  lines("one");
  lines("all");
  world.remove_table("t0");
  BOOST_TEST(ask("admin", "RELOAD").starts_with("RELOADED "));
  world.advance(DurationMs{1'000});
  std::vector<std::string> const ended = lines("one");
  BOOST_REQUIRE(ended.size() == 1U);
  BOOST_TEST(ended[0] == "UNWATCHED table=t0;");
  std::vector<std::string> const told = lines("all");
  BOOST_REQUIRE(!told.empty());
  BOOST_TEST(value(told.back(), "tables") == "1");
  BOOST_TEST(stat("watchers") == 1);
}

BOOST_AUTO_TEST_CASE(a_log_that_does_not_serve_is_left_out) {
  SimLog& far = world.use_sim_log("own");
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/own.xml").ok());
  start();
  BOOST_TEST(ask("one", "WATCH table=own").starts_with("WATCHING "));
  BOOST_TEST(ask("all", "WATCH").starts_with("WATCHING "));
  BOOST_TEST(value(last("one"), "tables") == "1");
  BOOST_TEST(value(last("all"), "tables") == "2");
  far.set_state(log::State::unavailable, "no way there");
  world.advance(DurationMs{2'000});
  BOOST_TEST(value(last("one"), "tables") == "0");
  BOOST_TEST(value(last("all"), "tables") == "1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::watch_test
