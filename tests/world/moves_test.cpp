// Tables of all types move from one log to another: what they are when they arrive, who is served meanwhile, and what is
// left after a crash at any turn.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

#include "engine/digest.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::moves_test {
namespace {

constexpr char kTables[] = FJ_SOURCE_DIR "/tests/transcripts/";
constexpr char kLetters[] = FJ_SOURCE_DIR "/tests/world/tables/letters.xml";

// A table, and how it is filled.
struct Case {
  std::string table;
  std::function<void(Asking&, int from, int to)> fill;
};

void must(Asking& asking, std::string const& line) {
  std::string const heard = asking.ask(line);
  BOOST_REQUIRE_MESSAGE(!heard.starts_with("ERROR") && heard != "(nothing)", line + ": " + heard);
  while (asking.world.take_line("main")) continue;
}

std::vector<Case> cases() {
  return {
      {"jobs",
       [](Asking& a, int from, int to) {
         for (int i = from; i < to; ++i)
           must(a, "INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + std::string(200, 'u') + ";client=c" +
                       std::to_string(i % 5) + ";sequence=" + std::to_string(i + 1));
         must(a, "NEXT table=jobs;worker=w" + std::to_string(from));
         must(a, "DELETE table=jobs;name=n" + std::to_string(from + 3));
       }},
      {"values",
       [](Asking& a, int from, int to) {
         for (int i = from; i < to; ++i)
           must(a, "SET table=values;key=k" + std::to_string(i) + ";value=" + std::string(150, 'v') + ";persist=1");
         must(a, "DELETE table=values;key=k" + std::to_string(from + 1));
         must(a, "LOCK table=values;key=k" + std::to_string(from + 2) + ";lock=60000");
       }},
      {"letters",
       [](Asking& a, int from, int to) {
         for (int i = from; i < to; ++i) must(a, "SEND table=letters;queue=orders;body=" + std::string(180, 'b'));
         must(a, "ACQUIRE table=letters;queue=orders");
       }},
      {"docs",
       [](Asking& a, int from, int to) {
         for (int i = from; i < to; ++i)
           must(a, "FOUND table=docs;source=pages;uri=/d" + std::to_string(i) + ";hash=h" + std::to_string(i));
         must(a, "NEXT table=docs;source=pages");
       }},
  };
}

struct Moves : Asking {
  explicit Moves(std::uint64_t seed = 5, log::SyncPlace syncs = log::SyncPlace::on_loop) : Asking(seed) {
    world.log_options.sync_place = syncs;
    world.more_logs = {"other"};
    for (std::string const table : {"jobs", "values", "docs", "post"})
      BOOST_REQUIRE(world.add_table(kTables + table + ".xml").ok());
    serve(kLetters);
  }
  void move(std::string const& table, std::string const& log) {
    world.set_log(table, log);
    while (world.take_line("admin")) continue;
    std::string const said = ask("admin", "RELOAD");
    BOOST_REQUIRE_MESSAGE(said.starts_with("RELOADED"), said);
    std::string const moving = ask("admin", "MOVE_TABLE table=" + table);
    BOOST_REQUIRE_MESSAGE(moving.starts_with("MOVING "), moving);
  }
  [[nodiscard]] std::uint64_t digest(std::string const& table) {
    return engine::digest_of(*world.engine().find_table(table)->table, table);
  }
  [[nodiscard]] std::string log_of(std::string const& table) { return world.engine().find_table(table)->log->name; }
  [[nodiscard]] std::string step() { return std::string{world.engine().moving().figures().step}; }
  [[nodiscard]] std::string why() { return world.engine().moving().figures().why.text(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(moves)

BOOST_FIXTURE_TEST_CASE(a_table_of_any_type_arrives_as_it_was_and_stays_so_over_starts, Moves) {
  for (Case const& one : cases()) {
    BOOST_TEST_CONTEXT(one.table) {
      one.fill(*this, 0, 1'500);
      std::uint64_t const before = digest(one.table);
      move(one.table, "other");
      world.settle();
      world.advance(DurationMs{200});
      BOOST_TEST(step() == "moved", step() << ": " << why());
      BOOST_TEST(log_of(one.table) == "other");
      one.fill(*this, 1'500, 1'520);
      std::uint64_t const after = digest(one.table);
      BOOST_TEST(before != after);
      world.advance(DurationMs{500});
      BOOST_TEST(world.replayed_digest().value() == engine::digest_of(world.engine().logs()));
      world.power_cut();
      start();
      BOOST_TEST(log_of(one.table) == "other");
    }
  }
  // And back, all of them.
  for (Case const& one : cases()) {
    move(one.table, "shared");
    world.advance(DurationMs{300});
    BOOST_TEST(step() == "moved", one.table << ": " << why());
  }
  BOOST_TEST(world.replayed_digest().value() == engine::digest_of(world.engine().logs()));
  world.kill();
  start();
  for (Case const& one : cases()) BOOST_TEST(log_of(one.table) == "shared");
}

// Commands between turns: all of them are answered, but for the moment in which it goes from one log to the other.
BOOST_FIXTURE_TEST_CASE(it_serves_while_it_moves, Moves) {
  // The other log has so much that is older than all of this that it is not compacted.
  world.remove_table("values");
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  BOOST_REQUIRE(world.add_table(kTables + std::string{"values.xml"}).ok());
  world.set_log("values", "other");
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  for (int i = 0; i < 800; ++i)
    must(*this, "SET table=values;persist=1;key=k" + std::to_string(i) + ";value=" + std::string(4'000, 'v'));
  Lsn const old = world.engine().find_log("other")->log->end_lsn();
  cases()[0].fill(*this, 0, 3'000);
  BOOST_REQUIRE(ask("worker", "NEXT table=jobs;worker=w").starts_with("ROW "));
  BOOST_REQUIRE(ask("listener", "LISTEN table=jobs").starts_with("LISTENING"));
  while (world.take_line("listener")) continue;
  world.set_log("jobs", "other");
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  world.send("admin", "MOVE_TABLE table=jobs");
  int sent = 0;
  int inserted = 0;
  int refused = 0;
  std::vector<std::string> there;
  for (int turns = 0; step() != "moved"; ++turns) {
    BOOST_REQUIRE(turns < 100'000);
    world.send("main", "INSERT table=jobs;name=m" + std::to_string(sent++));
    // Of rows that come last.
    world.send("changes", "DELETE table=jobs;name=n" + std::to_string(2'999 - turns));
    if (!world.turn()) world.advance(DurationMs{1});
    while (std::optional<std::string> const heard = world.take_line("main")) {
      if (heard->starts_with("INSERTED ")) {
        ++inserted;
        continue;
      }
      ++refused;
      BOOST_TEST(heard->find("code=unavailable") != std::string::npos, *heard);
      BOOST_TEST(heard->find("retry=50") != std::string::npos, *heard);
    }
  }
  world.settle();
  while (std::optional<std::string> const heard = world.take_line("main")) inserted += heard->starts_with("INSERTED ");
  BOOST_TEST_MESSAGE(inserted << " inserted, " << refused << " refused, " << sent << " sent");
  BOOST_TEST(inserted + refused == sent);
  BOOST_TEST(inserted > 10);
  BOOST_TEST(refused < inserted);
  std::size_t found = 0;
  for (int i = 0; i < sent; ++i) found += ask("PEEK table=jobs;name=m" + std::to_string(i)).starts_with("ROW ");
  BOOST_TEST(found == static_cast<std::size_t>(inserted));
  world.advance(DurationMs{100});
  BOOST_TEST((world.engine().find_log("other")->log->base_lsn() < old));
  BOOST_TEST(world.replayed_digest().value() == engine::digest_of(world.engine().logs()));
  // Who listened still does.
  BOOST_TEST(world.engine().find_table("jobs")->subscriptions.listeners() == 1U);
  BOOST_TEST(ask("listener", "UNLISTEN table=jobs").starts_with("UNLISTENED"));
}

struct Threaded : Moves {
  Threaded() : Moves(5, log::SyncPlace::on_thread) {}
};

// The other log is never at rest by itself.
BOOST_FIXTURE_TEST_CASE(a_busy_log_takes_a_table_in, Threaded) {
  cases()[0].fill(*this, 0, 50);
  world.remove_table("values");
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  BOOST_REQUIRE(world.add_table(kTables + std::string{"values.xml"}).ok());
  world.set_log("values", "other");
  world.set_log("jobs", "other");
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  world.send("admin", "MOVE_TABLE table=jobs");
  int sent = 0;
  int stored = 0;
  int refused = 0;
  auto const hear = [&] {
    while (std::optional<std::string> const heard = world.take_line("main")) {
      stored += heard->starts_with("STORED ") ? 1 : 0;
      refused += heard->find("takes a table in") != std::string::npos ? 1 : 0;
    }
  };
  for (int turns = 0; step() != "moved"; ++turns) {
    BOOST_REQUIRE(turns < 20'000);
    world.send("main", "SET table=values;persist=1;value=v;key=k" + std::to_string(sent++ % 100));
    world.turn();
    world.send("main", "SET table=values;persist=1;value=v;key=k" + std::to_string(sent++ % 100));
    world.turn();
    world.clock().advance(1'000);
    hear();
  }
  world.advance(DurationMs{100});
  hear();
  BOOST_TEST_MESSAGE(stored << " stored, " << refused << " refused of " << sent);
  BOOST_TEST(stored + refused == sent);
  BOOST_TEST(refused > 0);
  BOOST_TEST(refused < sent / 4);
  // Its dates are met again.
  must(*this, "SET table=values;persist=1;value=v;key=short;ttl=1000");
  world.advance(DurationMs{5'000});
  BOOST_TEST(ask("GET table=values;key=short").starts_with("NOTHING "));
}

// Nothing is in the other catalogue before the table's own log says, synced, that it leaves.
BOOST_FIXTURE_TEST_CASE(it_leaves_before_it_arrives, Threaded) {
  cases()[0].fill(*this, 0, 50);
  auto const begin_to = [this](std::string const& log) {
    world.set_log("jobs", log);
    world.send("admin", "RELOAD");
    world.send("admin", "MOVE_TABLE table=jobs");
    for (int turns = 0; step() != "leaving"; ++turns) {
      BOOST_REQUIRE(turns < 100'000);
      if (!world.turn()) world.advance(DurationMs{1});
    }
  };
  begin_to("other");
  world.hold_syncs(world.log("shared"), true);
  world.advance(DurationMs{1'000});
  BOOST_TEST(step() == "leaving", step() << ": " << why());
  BOOST_TEST(world.engine().find_log("other")->catalogue.tables().empty());
  world.send("main", "PEEK table=jobs;name=n5");
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("").find("code=unavailable") != std::string::npos);
  world.hold_syncs(world.log("shared"), false);
  world.advance(DurationMs{100});
  BOOST_TEST(step() == "moved", step() << ": " << why());
  // The same with the other log: the table is not dropped before.
  begin_to("shared");
  world.hold_syncs(world.log("shared"), true);
  world.advance(DurationMs{1'000});
  BOOST_TEST(step() != "moved");
  BOOST_TEST(world.engine().find_log("other")->catalogue.tables().size() == 1U);
  world.power_cut();
  start();
  for (int i = 4; i < 50; ++i) BOOST_TEST(ask("PEEK table=jobs;name=n" + std::to_string(i)).starts_with("ROW "));
}

// After a crash at any turn the table is whole, in one of the two logs, and can go on.
BOOST_AUTO_TEST_CASE(after_a_crash_it_is_whole_in_one_of_them) {
  int crashes = 0;
  int arrived = 0;
  bool is_over = false;
  for (int turns = 0; !is_over; ++turns) {
    BOOST_REQUIRE(turns < 1'000);
    for (std::string const table : {"jobs", "values"}) {
      Moves one{static_cast<std::uint64_t>(turns) + 1};
      BOOST_TEST_CONTEXT(table << ", crash after " << turns << " turns") {
        bool const are_jobs = table == "jobs";
        std::string const add = are_jobs ? "INSERT table=jobs;name=" : "SET table=values;persist=1;value=v;key=";
        std::string const get = are_jobs ? "PEEK table=jobs;name=" : "GET table=values;key=";
        cases()[are_jobs ? 0 : 1].fill(one, 0, 30);
        one.world.set_log(table, "other");
        BOOST_REQUIRE(one.ask("admin", "RELOAD").starts_with("RELOADED"));
        one.world.send("admin", "MOVE_TABLE table=" + table);
        int acknowledged = 0;
        int sent = 0;
        std::vector<int> under_way;
        std::vector<int> there;
        for (int turn = 0; turn < turns; ++turn) {
          if (turn % 3 == 0) {
            under_way.push_back(sent);
            one.world.send("main", add + "m" + std::to_string(sent++));
          }
          if (!one.world.turn()) one.world.advance(DurationMs{1});
          while (std::optional<std::string> const heard = one.world.take_line("main")) {
            if (!heard->starts_with("ERROR ")) there.push_back(under_way.front());
            under_way.erase(under_way.begin());
            ++acknowledged;
          }
        }
        is_over = one.step() == "moved" && !are_jobs;
        if (turns % 2 == 0)
          one.world.power_cut();
        else
          one.world.kill();
        one.start();
        ++crashes;
        arrived += one.log_of(table) == "other" ? 1 : 0;
        for (int const i : there) BOOST_TEST(!one.ask(get + "m" + std::to_string(i)).starts_with("NOTHING"));
        for (int i = 4; i < 30; ++i) {
          std::string const heard = one.ask(get + (are_jobs ? "n" : "k") + std::to_string(i));
          BOOST_TEST((heard.starts_with("ROW ") || heard.starts_with("PAIR ")), heard);
        }
        // It is in one of them.
        int holders = 0;
        for (auto const& log : one.world.engine().logs())
          for (auto const& [id, entry] : log->catalogue.tables()) holders += entry.name == table ? 1 : 0;
        BOOST_TEST(holders == 1);
        one.world.advance(DurationMs{500});
        BOOST_TEST(one.world.replayed_digest().value() == engine::digest_of(one.world.engine().logs()));
        if (one.log_of(table) == "other") continue;
        one.world.send("admin", "MOVE_TABLE table=" + table);
        one.world.advance(DurationMs{200});
        BOOST_TEST(one.step() == "moved", one.why());
      }
    }
  }
  BOOST_TEST_MESSAGE(crashes << " crashes, " << arrived << " after it had arrived");
  BOOST_TEST(arrived > 0);
  BOOST_TEST(arrived < crashes);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_move_says_why, Moves) {
  auto const refused = [this](std::string const& table, std::string const& why) {
    std::string const heard = ask("admin", "MOVE_TABLE table=" + table);
    BOOST_TEST(heard.starts_with("ERROR "), heard);
    BOOST_TEST(heard.find(why) != std::string::npos, heard);
  };
  refused("jobs", "which its file names");
  refused("nowhere", "unknown_table");
  world.set_log("post", "other");
  BOOST_REQUIRE(ask("admin", "RELOAD").find("post: stays in log shared until MOVE_TABLE") != std::string::npos);
  refused("post", "memory-per-message");
  BOOST_TEST(ask("MOVE_TABLE table=post").find("not_allowed") != std::string::npos);
  // One at a time, and no other configuration meanwhile.
  cases()[0].fill(*this, 0, 2'000);
  world.set_log("jobs", "other");
  world.set_log("values", "other");
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  world.send("admin", "MOVE_TABLE table=jobs");
  while (step().empty()) world.turn();
  world.send("admin", "MOVE_TABLE table=values");
  world.send("admin", "RELOAD");
  world.send("admin", "CLUSTER");
  world.settle();
  BOOST_TEST(world.take_line("admin").value_or("").starts_with("MOVING "));
  BOOST_TEST(world.take_line("admin").value_or("").find("is being moved to log other") != std::string::npos);
  BOOST_TEST(world.take_line("admin").value_or("").find("is being moved to log other") != std::string::npos);
  std::string const told = world.take_line("admin").value_or("");
  BOOST_TEST(told.starts_with("MOVE_STATUS "), told);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::moves_test
