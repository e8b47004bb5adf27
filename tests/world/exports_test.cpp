// The mirror of a queue table in an SQL database, in the simulator: nothing is exported that a power cut could take back,
// changes that come fast share an export, and a database that fails is an alert, tried again, and holds nobody up.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server/logs/exports.h"
#include "tests/support/seed.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::exports_test {
namespace {

constexpr std::int64_t kSecond = 1000;

std::set<std::string> queues_of(TableExport const& content) {
  std::set<std::string> out;
  ExportRelation const& queues = content.relations.front();
  for (std::size_t row = 0; row < queues.rows(); ++row) out.insert(std::string{queues.cell(row, 0).text});
  return out;
}

struct Mirrored : Asking {
  explicit Mirrored(std::uint64_t seed = 7) : Asking(seed) {
    add("post", "queues.db");
    world.database = [this](server::ExportJob const& job) {
      came.push_back(job.table);
      dates.push_back(world.clock().monotonic_us() / 1000);
      if (!outcome.ok()) return outcome;
      states[job.connect][job.table] = queues_of(job.content);
      return Status{};
    };
  }
  void add(std::string const& name, std::string const& connect, std::string const& log = "shared") {
    if (plain == nullptr) {
      BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/post.xml").ok());
      plain = world.declaration("post");
    }
    auto declared = std::make_shared<TableDeclaration>(*plain);
    declared->name = name;
    declared->log = log;
    for (OptionValue& option : declared->options)
      if (option.name == kConnectOption) option.text = connect;
    world.add_table(declared);
  }
  bool turn() { return world.network().turn(world.clock().monotonic_us()); }
  void pass(std::int64_t ms) { world.advance(DurationMs{ms}); }
  void declare(std::string const& queue) {
    BOOST_TEST(ask("DECLARE table=post;queue=" + queue).starts_with("DECLARED "));
  }
  [[nodiscard]] bool is_alerted() {
    bool const is_up = ask("ALERTS").find("name=export-failed") != std::string::npos;
    while (world.take_line("main")) continue;
    return is_up;
  }
  [[nodiscard]] std::string figure(std::string const& name) {
    std::string line = ask("STATS table=post");
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return message.has(name) ? std::to_string(*message.integer(name)) : "none";
  }
  [[nodiscard]] std::set<std::string> state() { return states["queues.db"]["post"]; }

  engine::Declaration plain;
  std::map<std::string, std::map<std::string, std::set<std::string>>> states;  // by database and table
  std::vector<std::string> came;
  std::vector<std::int64_t> dates;
  Status outcome;
};

using Names = std::set<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(exports)

BOOST_FIXTURE_TEST_CASE(a_table_is_exported_at_the_start_after_changes_and_after_a_reload, Mirrored) {
  start();
  pass(100);
  BOOST_TEST((state() == Names{"orders"}));
  pass(10 * kSecond);
  BOOST_TEST(came.size() == 1U);
  declare("mails");
  pass(0);
  BOOST_TEST((state() == Names{"mails", "orders"}));
  BOOST_TEST(came.size() == 2U);
  BOOST_TEST(figure("exports") == "2");
  BOOST_TEST(figure("export_failures") == "0");
  BOOST_TEST(figure("exported_date") == std::to_string(world.now().value));
  // Messages are no change.
  BOOST_TEST(ask("SEND table=post;queue=mails;body=1").starts_with("SENT "));
  pass(10 * kSecond);
  BOOST_TEST(came.size() == 2U);
  BOOST_TEST(ask("admin", "RELOAD").starts_with("RELOADED"));
  pass(2 * kSecond);
  BOOST_TEST(came.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(changes_that_come_fast_share_an_export, Mirrored) {
  start();
  pass(5 * kSecond);
  std::size_t const before = came.size();
  for (int i = 0; i < 100; ++i) {
    declare("q" + std::to_string(i));
    pass(25);
  }
  pass(2 * kSecond);
  BOOST_TEST(state().size() == 101U);
  BOOST_TEST(came.size() - before <= 4U);
  for (std::size_t i = before + 1; i < dates.size(); ++i) BOOST_TEST(dates[i] - dates[i - 1] >= kSecond);
}

// However long the database takes, one state is under way, and what came meanwhile is the next.
BOOST_FIXTURE_TEST_CASE(one_state_at_a_time_is_under_way, Mirrored) {
  start();
  pass(5 * kSecond);
  world.hold_exports(true);
  for (int i = 0; i < 20; ++i) {
    declare("q" + std::to_string(i));
    pass(kSecond);
    BOOST_TEST(world.exports_under_way() == 1U);
  }
  world.hold_exports(false);
  pass(0);
  BOOST_TEST(state().size() == 21U);
  BOOST_TEST(came.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(nothing_is_exported_before_it_is_durable, Mirrored) {
  world.log_options.sync_place = log::SyncPlace::on_thread;
  start();
  pass(5 * kSecond);
  std::size_t const before = came.size();
  world.hold_flushes(true);
  world.send("main", "DECLARE table=post;queue=mails");
  for (int i = 0; i < 100; ++i) turn();
  BOOST_TEST(!world.take_line("main").has_value());
  BOOST_TEST(world.exports_under_way() == 0U);
  BOOST_TEST(came.size() == before);
  world.hold_flushes(false);
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("").starts_with("DECLARED "));
  BOOST_TEST((state() == Names{"mails", "orders"}));
}

// An export rests on everything before it, leases too, which nobody promised to sync: it has them synced, once.
BOOST_FIXTURE_TEST_CASE(what_was_only_written_is_synced_for_an_export, Mirrored) {
  start();
  for (int i = 0; i < 50; ++i) BOOST_TEST(ask("SEND table=post;queue=orders;body=1").starts_with("SENT "));
  pass(5 * kSecond);
  declare("first");
  pass(0);
  declare("second");
  std::size_t const before = came.size();
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST(ask("ACQUIRE table=post;queue=orders").starts_with("MESSAGE "));
    pass(100);
  }
  BOOST_TEST(came.size() == before + 1);
  BOOST_TEST((state() == Names{"first", "orders", "second"}));
}

BOOST_FIXTURE_TEST_CASE(after_a_failed_sync_nothing_is_exported, Mirrored) {
  start();
  pass(5 * kSecond);
  std::size_t const before = came.size();
  world.disk().fail_call(Call::sync, 1, Failure::io_error);
  world.send("main", "DECLARE table=post;queue=mails");
  world.settle();
  BOOST_TEST(!world.fatal_error().ok());
  BOOST_TEST(world.exports_under_way() == 0U);
  BOOST_TEST(came.size() == before);
}

// Whatever was exported was there after each power cut, unless it was removed.
BOOST_AUTO_TEST_CASE(no_power_cut_takes_back_what_was_exported) {
  std::uint64_t const seed = test::seed_or(1);
  std::size_t exported = 0;
  for (std::uint64_t life = 0; life < 20; ++life) {
    Mirrored one{seed + life};
    one.world.log_options.sync_place = life % 2 == 0 ? log::SyncPlace::on_thread : log::SyncPlace::on_loop;
    std::mt19937_64 chance{seed + life};
    int made = 0;
    for (int cut = 0; cut < 6; ++cut) {
      one.start();
      for (std::uint64_t i = 0, steps = chance() % 40; i < steps; ++i) {
        one.world.send("main", "DECLARE table=post;queue=q" + std::to_string(made++));
        for (std::uint64_t turns = chance() % 3; turns > 0; --turns) one.turn();
        if (chance() % 10 == 0) one.pass(static_cast<std::int64_t>(chance() % 1500));
      }
      // The cut comes while a change waits for its sync, and an export may begin.
      one.pass(1500);
      one.world.hold_flushes(true);
      one.world.send("main", "DECLARE table=post;queue=q" + std::to_string(made++));
      for (std::uint64_t turns = 1 + chance() % 4; turns > 0; --turns) one.turn();
      one.world.hold_flushes(false);
      Names const before = one.state();
      one.world.power_cut();
      one.start();
      Names const there = [&] {
        Names out;
        std::string line = one.ask("QUEUES table=post;count=1000");
        for (std::optional<std::string> more = line; more; more = one.world.take_line("main")) {
          Message message;
          if (protocol::parse_line(*more, message).ok() && message.has("queue"))
            out.insert(std::string{message.text("queue")});
        }
        return out;
      }();
      for (std::string const& name : before)
        BOOST_TEST_REQUIRE(there.contains(name),
                           "FJ_SEED=" << seed + life << ": " << name << " was exported, and is gone");
      exported += before.size();
      BOOST_REQUIRE(one.world.stop().ok());
    }
  }
  BOOST_TEST(exported > 100U);
}

BOOST_FIXTURE_TEST_CASE(a_database_that_fails_is_an_alert_and_is_tried_again_with_longer_pauses, Mirrored) {
  outcome = {Code::io_error, "PostgreSQL: connect: nobody there"};
  start();
  pass(100);
  BOOST_TEST(is_alerted());
  BOOST_TEST(std::ranges::any_of(world.told(), [](log::AlertNotice const& notice) {
    return notice.up && notice.alert.table == "post" && notice.alert.name == server::kExportFailed &&
           notice.alert.message.find("PostgreSQL: connect: nobody there") != std::string::npos;
  }));
  // Nobody notices but the administrator.
  declare("mails");
  pass(600 * kSecond);
  BOOST_TEST(states.empty());
  std::vector<std::int64_t> pauses;
  for (std::size_t i = 1; i < dates.size(); ++i) pauses.push_back((dates[i] - dates[i - 1]) / kSecond);
  std::vector<std::int64_t> const expected{1, 2, 4, 8, 16, 32, 60, 60};
  BOOST_REQUIRE(pauses.size() >= expected.size());
  BOOST_TEST((std::vector<std::int64_t>{pauses.begin(), pauses.begin() + 8} == expected));
  BOOST_TEST(pauses.back() == 60);
  BOOST_TEST(figure("export_failures") == std::to_string(came.size()));
  outcome = {};
  pass(60 * kSecond);
  BOOST_TEST((state() == Names{"mails", "orders"}));
  BOOST_TEST(!is_alerted());
  BOOST_TEST(world.told().back().up == false);
  // From the beginning again.
  declare("later");
  pass(kSecond);
  BOOST_TEST(state().size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_reload_changes_the_place_and_ends_the_alert_with_the_export, Mirrored) {
  start();
  pass(5 * kSecond);
  world.hold_exports(true);
  declare("mails");
  BOOST_TEST(world.exports_under_way() == 1U);
  add("post", "postgresql://db/shop");
  BOOST_TEST(ask("admin", "RELOAD").find("connect queues.db -> postgresql://db/shop") != std::string::npos);
  pass(0);
  // The new place does not wait for the former one, whose outcome is nobody's any more.
  BOOST_TEST(world.exports_under_way() == 2U);
  outcome = {Code::io_error, "away"};
  world.hold_exports(false);
  pass(100);
  BOOST_TEST(figure("export_failures") == "1");
  BOOST_TEST(is_alerted());
  add("post", "");
  BOOST_TEST(ask("admin", "RELOAD").starts_with("RELOADED"));
  pass(kSecond);
  BOOST_TEST(!is_alerted());
  BOOST_TEST(figure("exports") == "none");
  std::size_t const before = came.size();
  declare("nowhere");
  pass(10 * kSecond);
  BOOST_TEST(came.size() == before);
}

// It was dropped while its state was under way: nothing is left of it.
BOOST_FIXTURE_TEST_CASE(a_table_that_was_dropped_is_forgotten, Mirrored) {
  add("other", "queues.db");
  for (std::string const name : {"post", "other"}) {
    auto declared = std::make_shared<TableDeclaration>(*world.declaration(name));
    for (OptionValue& option : declared->options)
      if (option.name == "queues") option.text = "";
    world.add_table(declared);
  }
  world.hold_exports(true);
  start();
  pass(5 * kSecond);
  BOOST_TEST(world.exports_under_way() == 2U);
  world.remove_table("other");
  BOOST_TEST(ask("admin", "RELOAD").starts_with("RELOADED"));
  world.hold_exports(false);
  pass(5 * kSecond);
  BOOST_TEST(came.size() >= 2U);
  BOOST_TEST(ask("DECLARE table=post;queue=mails").starts_with("DECLARED "));
  pass(2 * kSecond);
  BOOST_TEST((state() == Names{"mails"}));
}

// One table waits for its log, the other does not wait for it.
BOOST_FIXTURE_TEST_CASE(a_slow_log_delays_the_exports_of_its_own_tables, Mirrored) {
  SimLog& far = world.use_sim_log("far");
  add("own", "queues.db", "far");
  start();
  pass(5 * kSecond);
  world.hold_syncs(far, true);
  world.send("far", "DECLARE table=own;queue=distant");
  world.settle();
  declare("mails");
  pass(5 * kSecond);
  BOOST_TEST((state() == Names{"mails", "orders"}));
  BOOST_TEST((states["queues.db"]["own"] == Names{"orders"}));
  far.set_state(log::State::unavailable, "no way there");
  world.network().turn_again();
  pass(100 * kSecond);
  BOOST_TEST((states["queues.db"]["own"] == Names{"orders"}));
  far.set_state(log::State::serving, "");
  world.hold_syncs(far, false);
  pass(5 * kSecond);
  BOOST_TEST((states["queues.db"]["own"] == Names{"distant", "orders"}));
}

// Whatever is mirrored beside it: a turn looks at what has something to do.
BOOST_FIXTURE_TEST_CASE(a_change_of_one_table_looks_at_no_other, Mirrored) {
  for (int i = 0; i < 200; ++i) add("post_" + std::to_string(i), "queues.db");
  start();
  pass(5 * kSecond);
  BOOST_TEST(came.size() == 201U);
  std::uint64_t before = world.server().exports().looks();
  pass(60 * kSecond);
  BOOST_TEST(world.server().exports().looks() == before);
  for (int i = 0; i < 20; ++i) {
    declare("q" + std::to_string(i));
    pass(2 * kSecond);
  }
  BOOST_TEST(came.size() == 221U);
  BOOST_TEST(state().size() == 21U);
  BOOST_TEST(world.server().exports().looks() - before <= 100U);
  // Messages are no change of what is mirrored: each turn with one looks at its table.
  before = world.server().exports().looks();
  for (int i = 0; i < 20; ++i) BOOST_TEST(ask("SEND table=post;queue=q1;body=1").starts_with("SENT "));
  BOOST_TEST(world.server().exports().looks() - before <= 40U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::exports_test
