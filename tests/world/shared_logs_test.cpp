// Three daemons with one log (cluster_of_worlds.h), step by step: who decides, who follows, what clients are told.
#include <boost/test/unit_test.hpp>

#include <fstream>

#include "engine/digest.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/world/cluster_of_worlds.h"
#include "wire/text.h"

namespace fastjournal::sim::shared_logs_test {
namespace {

struct Three {
  Three() : cluster(EtcdOptions{}) {
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at) BOOST_REQUIRE(cluster.start(at).ok());
    owner = cluster.wait_for_owner();
    BOOST_REQUIRE(owner != ClusterOfWorlds::kNone);
    cluster.pass(1'500);
    other = (owner + 1) % ClusterOfWorlds::kWorlds;
    third = (owner + 2) % ClusterOfWorlds::kWorlds;
  }
  void say(std::size_t at, std::string const& client, std::string const& line) {
    cluster.world(at).send(client, line);
    cluster.pass(30);
  }
  std::string hear(std::size_t at, std::string const& client) {
    return cluster.world(at).take_line(client).value_or("(nothing)");
  }
  std::string ask(std::size_t at, std::string const& line, std::string const& client = "main") {
    say(at, client, line);
    return hear(at, client);
  }
  [[nodiscard]] bool all_know_the_same() {
    cluster.pass(500);
    std::uint64_t const digest = engine::digest_of(cluster.hosted(cluster.owner()));
    for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at)
      if (cluster.is_up(at) && engine::digest_of(cluster.hosted(at)) != digest) return false;
    return true;
  }
  // In the files of this node, until its RELOAD.
  template <typename Change>
  void change_own(std::size_t at, Change const& change) {
    auto changed = std::make_shared<TableDeclaration>(*cluster.world(at).declaration("own"));
    change(*changed);
    cluster.world(at).add_table(std::move(changed));
  }
  // That cannot be while there are rows.
  void change_key(std::size_t at) {
    change_own(at, [](TableDeclaration& declaration) {
      Column column = declaration.schema.columns.front();
      column.name = "part";
      declaration.schema.columns.push_back(column);
      declaration.schema.key.push_back(1);
    });
  }
  // Whether the alert is up there; its message.
  [[nodiscard]] std::string alert(std::size_t at, std::string const& name) {
    say(at, "admin", "ALERTS");
    std::string out;
    for (std::string line = hear(at, "admin"); line != "(nothing)"; line = hear(at, "admin"))
      if (has(line, "name=" + name + ";")) out = line;
    return out;
  }
  // The lines about nodes of CLUSTER.
  [[nodiscard]] std::string nodes(std::size_t at) {
    say(at, "admin", "CLUSTER");
    std::string out;
    for (std::string line = hear(at, "admin"); line != "(nothing)"; line = hear(at, "admin"))
      if (line.starts_with("NODE ")) out += line + "\n";
    return out;
  }
  [[nodiscard]] static bool has(std::string const& line, std::string const& part) {
    return line.find(part) != std::string::npos;
  }

  ClusterOfWorlds cluster;
  std::size_t owner{0};
  std::size_t other{0};
  std::size_t third{0};
};

bool has(std::string const& line, std::string const& part) { return line.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_logs)

// Of the other figures tests/integration/people/monitoring_test.cpp.
BOOST_FIXTURE_TEST_CASE(promtool_has_no_remark_on_the_figures_of_a_shared_log, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  cluster.pass(500);
  test::TemporaryFolder const folder;
  for (std::size_t const at : {owner, other}) {
    std::string const line = ask(at, "METRICS");
    Message answer;
    BOOST_REQUIRE(protocol::parse_line(line, answer).ok());
    std::string const text{answer.text("text")};
    BOOST_TEST(has(text, "fastjournal_log_owner{"), text);
    BOOST_TEST((at == owner || has(text, "fastjournal_log_lag_seconds_bucket{")), text);
    std::string const file = folder / "metrics.prom";
    std::ofstream{file} << text;
    test::ChildProcess child{{"/bin/sh", "-c", "exec promtool check metrics < " + file}};
    BOOST_TEST(child.wait().value_or(-1) == 0, child.output());
    BOOST_TEST(child.output() == "");
  }
}

BOOST_FIXTURE_TEST_CASE(one_decides_and_the_others_name_it, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a;request=1").starts_with("INSERTED "));
  for (std::string const command :
       {"INSERT table=own;name=b", "PEEK table=own;name=a", "NEXT table=own", "LISTEN table=own", "STATS table=own"}) {
    std::string const heard = ask(other, command);
    BOOST_TEST(has(heard, "ERROR "), heard);
    BOOST_TEST(has(heard, "code=moved"), heard);
    BOOST_TEST(has(heard, "address=" + ClusterOfWorlds::address(owner)), heard);
    BOOST_TEST(has(heard, "table=own"), heard);
    BOOST_TEST(has(heard, "token="), heard);
  }
  // Tables of its own are its own.
  BOOST_TEST(ask(other, "INSERT table=jobs;name=b").starts_with("INSERTED "));
  BOOST_TEST(ask(other, "HEALTH").starts_with("HEALTHY"));
  BOOST_TEST(all_know_the_same());
}

BOOST_FIXTURE_TEST_CASE(another_one_goes_on_when_the_owner_is_killed, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a;client=p;sequence=1;request=1").starts_with("INSERTED "));
  BOOST_TEST(ask(owner, "NEXT table=own").starts_with("ROW "));
  BOOST_TEST(ask(owner, "INSERT table=own;name=b").starts_with("INSERTED "));
  cluster.kill(owner, false);
  std::size_t const next = cluster.wait_for_owner(3'000);
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  std::string const leased = ask(next, "PEEK table=own;name=a");
  BOOST_TEST(has(leased, "status=processing"), leased);
  BOOST_TEST(ask(next, "PEEK table=own;name=b").starts_with("ROW "));
  // Asked again by who has heard no answer: it is not done twice.
  std::string const again = ask(next, "INSERT table=own;name=a;client=p;sequence=1;request=1");
  BOOST_TEST(again.starts_with("INSERTED "), again);
  std::string const taken = ask(next, "NEXT table=own");
  BOOST_TEST(has(taken, "name=b"), taken);
  BOOST_TEST(all_know_the_same());
}

BOOST_FIXTURE_TEST_CASE(who_listens_is_told_where_to_go, Three) {
  BOOST_TEST(ask(owner, "LISTEN table=own", "listener").starts_with("LISTENING "));
  say(owner, "taker", "NEXT table=own;wait=60000;request=5");
  BOOST_TEST(hear(owner, "taker") == "(nothing)");
  cluster.log(owner).step_down(cluster.world(owner).clock().monotonic_us() + 10'000'000);
  cluster.pass(10);
  std::string const told = hear(owner, "listener");
  BOOST_TEST(told.starts_with("UNLISTENED "), told);
  BOOST_TEST(has(told, "code=unavailable"), told);
  BOOST_TEST(has(told, "retry="), told);
  std::string const ended = hear(owner, "taker");
  BOOST_TEST(has(ended, "code=unavailable"), ended);
  BOOST_TEST(has(ended, "request=5"), ended);
  std::size_t const next = cluster.wait_for_owner(3'000);
  BOOST_TEST(next != owner);
  cluster.pass(500);
  std::string const moved = ask(owner, "LISTEN table=own", "listener");
  BOOST_TEST(has(moved, "address=" + ClusterOfWorlds::address(next)), moved);
}

BOOST_FIXTURE_TEST_CASE(who_was_stopped_for_too_long_acknowledges_nothing, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  cluster.world(owner).send("late", "INSERT table=own;name=late");
  cluster.stop(owner);
  cluster.pass(4'000);
  std::size_t const next = cluster.owner();
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  BOOST_TEST(ask(next, "DELETE table=own;name=a").starts_with("DELETED "));
  cluster.resume(owner);
  cluster.pass(2'000);
  std::string const late = hear(owner, "late");
  BOOST_TEST(!late.starts_with("INSERTED "), late);
  BOOST_TEST(has(ask(owner, "PEEK table=own;name=a"), "code=moved"));
  BOOST_TEST(all_know_the_same());
}

BOOST_FIXTURE_TEST_CASE(without_most_of_etcd_only_its_own_tables_wait, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  cluster.etcd().kill(0);
  cluster.etcd().kill(1);
  cluster.pass(100);
  say(owner, "waits", "INSERT table=own;name=b");
  BOOST_TEST(hear(owner, "waits") == "(nothing)");
  cluster.pass(3'000);
  std::string const refused = ask(owner, "INSERT table=own;name=c", "later");
  BOOST_TEST(has(refused, "code=unavailable"), refused);
  BOOST_TEST(ask(owner, "INSERT table=jobs;name=b", "local").starts_with("INSERTED "));
  BOOST_TEST(ask(other, "INSERT table=jobs;name=b", "local").starts_with("INSERTED "));
  cluster.etcd().start(0);
  cluster.etcd().start(1);
  BOOST_REQUIRE(cluster.wait_for_owner() != ClusterOfWorlds::kNone);
  BOOST_TEST(ask(cluster.owner(), "PEEK table=own;name=a").starts_with("ROW "));
  BOOST_TEST(all_know_the_same());
}

// Nothing is written, so nothing but the lease tells that another one may decide.
BOOST_FIXTURE_TEST_CASE(an_owner_that_is_cut_off_answers_reads_as_long_as_nobody_else_can_be_the_owner, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  cluster.pass(500);
  for (std::size_t member = 0; member < 3; ++member) cluster.etcd().cut_off(cluster.session(owner), member);
  int answered = 0;
  int round = 0;
  auto const is_read = [&] { return ask(owner, "PEEK table=own;name=a", "reader").starts_with("ROW "); };
  for (; round < 300 && is_read(); ++round) ++answered;
  // Rounds of 30 ms, of a lease of 2 s.
  BOOST_TEST(answered > 30);
  BOOST_TEST(answered < 70);
  BOOST_TEST(cluster.owner() == ClusterOfWorlds::kNone);
  for (; round < 300 && cluster.owner() == ClusterOfWorlds::kNone; ++round) BOOST_TEST(!is_read());
  BOOST_TEST(cluster.owner() != owner);
  BOOST_TEST(ask(cluster.owner(), "DELETE table=own;name=a").starts_with("DELETED "));
  BOOST_TEST(!is_read());
}

BOOST_FIXTURE_TEST_CASE(a_table_that_a_node_does_not_declare_is_followed_when_it_does, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  cluster.kill(other, false);
  engine::Declaration const declared = cluster.world(other).declaration("own");
  cluster.world(other).remove_table("own");
  engine::Declaration const elsewhere = [&] {
    auto copy = std::make_shared<TableDeclaration>(*declared);
    copy->name = "second";
    return copy;
  }();
  // So that the log is there at all.
  cluster.world(other).add_table(elsewhere);
  BOOST_REQUIRE(cluster.start(other).ok());
  cluster.pass(1'000);
  bool is_told = false;
  for (log::AlertNotice const& notice : cluster.world(other).told())
    is_told = is_told || notice.alert.name == "cannot-take-over";
  BOOST_TEST(is_told);
  // It does not take the log.
  cluster.kill(owner, false);
  cluster.pass(4'000);
  BOOST_TEST(cluster.owner() == third);
  cluster.world(other).add_table(declared);
  cluster.world(other).remove_table("second");
  BOOST_TEST(ask(other, "RELOAD", "admin").starts_with("RELOADED "));
  cluster.pass(1'000);
  BOOST_TEST(all_know_the_same());
  cluster.kill(third, true);
  BOOST_TEST(cluster.wait_for_owner(4'000) == other);
  BOOST_TEST(ask(other, "PEEK table=own;name=a").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(nodes_whose_files_differ_say_so, Three) {
  BOOST_TEST(!has(nodes(owner), "differs="));
  // A description is for people.
  change_own(third, [](TableDeclaration& declaration) { declaration.description = "another one"; });
  change_own(other, [](TableDeclaration& declaration) {
    for (OptionValue& option : declaration.options)
      if (option.name == "max-attempts") option = {.name = option.name, .text = "7", .integer = 7, .given = true};
  });
  for (std::size_t const at : {other, third}) BOOST_TEST(ask(at, "RELOAD", "admin").starts_with("RELOADED "));
  cluster.pass(3'500);
  std::string const seen = nodes(owner);
  BOOST_TEST(has(seen, "differs=own"), seen);
  BOOST_TEST(seen.find("differs=") == seen.rfind("differs="), seen);
  std::string const from_there = nodes(other);
  BOOST_TEST(from_there.find("differs=") != from_there.rfind("differs="), from_there);
  // One node is changed after the other.
  BOOST_TEST(alert(owner, "declaration-differs") == "");
  cluster.pass(61'000);
  std::string const up = alert(owner, "declaration-differs");
  BOOST_TEST(has(up, "log own, node n" + std::to_string(other) + ": own"), up);
  BOOST_TEST(alert(third, "declaration-differs") != "");
  // A table that only one of them declares.
  auto second = std::make_shared<TableDeclaration>(*cluster.world(other).declaration("own"));
  second->name = "second";
  cluster.world(other).add_table(second);
  BOOST_TEST(ask(other, "RELOAD", "admin").starts_with("RELOADED "));
  cluster.pass(4'000);
  BOOST_TEST(has(nodes(owner), "differs=own, second"), nodes(owner));
  BOOST_TEST(has(alert(owner, "declaration-differs"), "own, second"));
  cluster.world(other).remove_table("second");
  cluster.world(other).add_table(cluster.world(owner).declaration("own"));
  BOOST_TEST(ask(other, "RELOAD", "admin").starts_with("RELOADED "));
  cluster.pass(4'000);
  for (std::size_t const at : {owner, other, third}) {
    BOOST_TEST(!has(nodes(at), "differs="), nodes(at));
    BOOST_TEST(alert(at, "declaration-differs") == "");
  }
}

BOOST_FIXTURE_TEST_CASE(who_could_not_take_over_what_is_there_says_so_before_it_is_asked, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  engine::Declaration const declared = cluster.world(other).declaration("own");
  cluster.kill(other, false);
  change_key(other);
  BOOST_REQUIRE(cluster.start(other).ok());
  cluster.pass(1'000);
  std::string const up = alert(other, "cannot-take-over");
  BOOST_TEST(has(up, "the key of table own cannot change"), up);
  BOOST_TEST(has(ask(other, "PEEK table=own;name=a;stale=1"), "name=a"));
  cluster.kill(owner, false);
  cluster.pass(4'000);
  BOOST_TEST(cluster.owner() == third);
  // Without rows it fits.
  BOOST_TEST(ask(third, "DELETE table=own;name=a").starts_with("DELETED "));
  cluster.pass(11'000);
  BOOST_TEST(alert(other, "cannot-take-over") == "");
  BOOST_TEST(ask(third, "INSERT table=own;name=b").starts_with("INSERTED "));
  cluster.pass(11'000);
  BOOST_TEST(alert(other, "cannot-take-over") != "");
  cluster.world(other).add_table(declared);
  BOOST_TEST(ask(other, "RELOAD", "admin").starts_with("RELOADED "));
  cluster.pass(1'000);
  BOOST_TEST(alert(other, "cannot-take-over") == "");
  cluster.kill(third, true);
  BOOST_TEST(cluster.wait_for_owner(4'000) == other);
  BOOST_TEST(ask(other, "PEEK table=own;name=b").starts_with("ROW "));
}

// What one node accepted the next one may refuse: what is there stays, and its rows are worked on.
BOOST_FIXTURE_TEST_CASE(who_gives_a_log_to_a_node_with_other_limits_loses_no_row, Three) {
  change_own(other, [](TableDeclaration& declaration) { declaration.schema.columns.front().length_max = 4; });
  BOOST_TEST(ask(other, "RELOAD", "admin").starts_with("RELOADED "));
  for (char const* const name : {"abc", "abcdefgh"})
    BOOST_TEST(ask(owner, std::string{"INSERT table=own;name="} + name).starts_with("INSERTED "));
  cluster.kill(third, false);
  cluster.pass(65'000);
  for (std::size_t const at : {owner, other}) {
    std::string const up = alert(at, "declaration-differs");
    BOOST_TEST(has(up, "own"), up);
  }
  BOOST_TEST(ask(owner, "STEP_DOWN log=own;for=3600000", "admin").starts_with("STEPPED_DOWN "));
  BOOST_REQUIRE(cluster.wait_for_owner(10'000) == other);
  BOOST_TEST(has(ask(owner, "INSERT table=own;name=abcd"), "code=moved;"));
  BOOST_TEST(has(ask(other, "INSERT table=own;name=abcdefgh"), "parameter=name;"));
  BOOST_TEST(has(ask(other, "NEXT table=own;count=2"), "name=abc;"));
  BOOST_TEST(has(hear(other, "main"), "name=abcdefgh;"));
}

// Nobody else can have it: it comes back once its own pause is over, and meanwhile nobody is told anything wrong.
BOOST_FIXTURE_TEST_CASE(a_log_that_no_other_node_can_take_comes_back_to_who_gave_it_away, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  for (std::size_t const at : {third, other}) cluster.kill(at, false);
  change_key(other);
  BOOST_REQUIRE(cluster.start(other).ok());
  cluster.pass(1'000);
  BOOST_TEST(ask(owner, "STEP_DOWN log=own;for=5000", "admin").starts_with("STEPPED_DOWN "));
  cluster.pass(2'000);
  BOOST_TEST(cluster.owner() == ClusterOfWorlds::kNone);
  BOOST_TEST(has(alert(other, "cannot-take-over"), "the key of table own cannot change"));
  for (std::size_t const at : {owner, other}) {
    std::string const told = ask(at, "INSERT table=own;name=b");
    BOOST_TEST((has(told, "code=unavailable;") && has(told, "retry=")), told);
    BOOST_TEST(has(ask(at, "PEEK table=own;name=a;stale=1"), "name=a"));
  }
  BOOST_TEST(cluster.wait_for_owner(20'000) == owner);
  BOOST_TEST(ask(owner, "PEEK table=own;name=a").starts_with("ROW "));
  BOOST_TEST(ask(owner, "INSERT table=own;name=b").starts_with("INSERTED "));
}

BOOST_FIXTURE_TEST_CASE(tables_that_the_owner_makes_and_changes_are_made_and_changed_by_its_followers, Three) {
  for (std::size_t at = 0; at < ClusterOfWorlds::kWorlds; ++at) {
    auto copy = std::make_shared<TableDeclaration>(*cluster.world(at).declaration("own"));
    copy->name = "second";
    cluster.world(at).add_table(copy);
    auto wider = std::make_shared<TableDeclaration>(*cluster.world(at).declaration("own"));
    auto column = wider->schema.columns.front();
    column.name = "more";
    column.required = false;
    wider->schema.columns.push_back(column);
    cluster.world(at).add_table(wider);
  }
  // The followers first: they wait for the owner.
  for (std::size_t const at : {other, third, owner}) BOOST_TEST(ask(at, "RELOAD", "admin").starts_with("RELOADED "));
  BOOST_TEST(ask(owner, "INSERT table=own;name=a;more=x").starts_with("INSERTED "));
  BOOST_TEST(ask(owner, "INSERT table=second;name=b").starts_with("INSERTED "));
  BOOST_TEST(all_know_the_same());
  cluster.kill(owner, false);
  std::size_t const next = cluster.wait_for_owner(4'000);
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  BOOST_TEST(has(ask(next, "PEEK table=own;name=a"), "more=x"));
  BOOST_TEST(ask(next, "PEEK table=second;name=b").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(a_transaction_is_of_one_shared_log_alone, Three) {
  BOOST_TEST(ask(owner, "BEGIN", "t").starts_with("BEGUN "));
  BOOST_TEST(ask(owner, "INSERT table=own;name=a", "t").starts_with("PROMISED "));
  std::string const refused = ask(owner, "INSERT table=jobs;name=a", "t");
  BOOST_TEST(has(refused, "code=not_supported"), refused);
  BOOST_TEST(has(refused, "shared with other nodes"), refused);
  static_cast<void>(ask(owner, "ROLLBACK", "t"));
  BOOST_TEST(ask(owner, "XA_START xid=1:aa:bb", "x").find("ERROR") == std::string::npos);
  BOOST_TEST(ask(owner, "INSERT table=own;name=x", "x").starts_with("PROMISED "));
  BOOST_TEST(ask(owner, "XA_END xid=1:aa:bb", "x").find("ERROR") == std::string::npos);
  BOOST_TEST(ask(owner, "XA_PREPARE xid=1:aa:bb", "x").find("ERROR") == std::string::npos);
  // What is prepared is the next owner's.
  cluster.kill(owner, true);
  std::size_t const next = cluster.wait_for_owner(4'000);
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  BOOST_TEST(has(ask(next, "PEEK table=own;name=x"), "ERROR "));
  std::string const committed = ask(next, "XA_COMMIT xid=1:aa:bb", "admin");
  BOOST_TEST(committed.find("ERROR") == std::string::npos, committed);
  BOOST_TEST(ask(next, "PEEK table=own;name=x").starts_with("ROW "));
  BOOST_TEST(all_know_the_same());
}

BOOST_FIXTURE_TEST_CASE(old_entries_are_removed_and_followers_go_on, Three) {
  for (int round = 0; round < 40; ++round) {
    std::string lines;
    for (int i = 0; i < 50; ++i) {
      std::string const name = std::to_string(round) + "-" + std::to_string(i) + std::string(100, 'x');
      lines += "INSERT table=own;name=" + name + "\nDELETE table=own;name=" + name + "\n";
    }
    lines.pop_back();
    say(owner, "many", lines);
    while (cluster.world(owner).take_line("many")) continue;
  }
  BOOST_TEST(ask(owner, "INSERT table=own;name=last").starts_with("INSERTED "));
  BOOST_TEST((cluster.log(owner).base_lsn() > Lsn{200'000U}));
  BOOST_TEST(all_know_the_same());
  // One that was away begins at the base.
  cluster.kill(third, false);
  BOOST_REQUIRE(cluster.start(third).ok());
  BOOST_TEST(all_know_the_same());
  BOOST_TEST(cluster.owner() == owner);
}

// Whoever works on a row could not say so while nobody owned the log.
BOOST_FIXTURE_TEST_CASE(leases_have_their_grace_after_a_take_over, Three) {
  BOOST_REQUIRE(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  BOOST_REQUIRE(ask(owner, "NEXT table=own;lease=1000;worker=w").starts_with("ROW "));
  cluster.kill(owner, false);
  std::size_t const next = cluster.wait_for_owner();
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  BOOST_TEST(ask(next, "NEXT table=own").starts_with("NOTHING "));
  cluster.pass(9'000);
  BOOST_TEST(ask(next, "NEXT table=own").starts_with("NOTHING "));
  cluster.pass(1'500);
  std::string const heard = ask(next, "NEXT table=own");
  BOOST_TEST(!heard.starts_with("ERROR"), heard);
  BOOST_TEST(has(ask(next, "PEEK table=own;name=a"), "timeouts=1"));
}

BOOST_FIXTURE_TEST_CASE(time_does_not_go_back_with_an_owner_whose_clock_is_behind, Three) {
  cluster.pass(6'000);
  for (std::size_t const at : {other, third}) {
    cluster.kill(at, false);
    cluster.world(at).set_clock(DurationMs{-5'000});
    BOOST_REQUIRE(cluster.start(at).ok());
  }
  cluster.pass(1'500);
  BOOST_REQUIRE(cluster.owner() == owner);
  BOOST_CHECK(cluster.world(other).now() < cluster.world(owner).now());
  BOOST_REQUIRE(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  TimeMs const last = cluster.hosted(owner).catalogue.last_now();
  cluster.kill(owner, false);
  std::size_t const next = cluster.wait_for_owner();
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  BOOST_REQUIRE(ask(next, "INSERT table=own;name=b").starts_with("INSERTED "));
  BOOST_CHECK(cluster.world(next).now() >= last);
}

// What is prepared goes with its log: who owns it no more knows nothing of it.
BOOST_FIXTURE_TEST_CASE(a_prepared_transaction_is_ended_where_its_log_is, Three) {
  for (std::string const command :
       {"XA_START xid=1:aa:01", "INSERT table=own;name=a", "XA_END xid=1:aa:01", "XA_PREPARE xid=1:aa:01"}) {
    std::string const heard = ask(owner, command);
    BOOST_REQUIRE_MESSAGE(!heard.starts_with("ERROR"), command << ": " << heard);
  }
  cluster.log(owner).step_down(cluster.world(owner).clock().monotonic_us() + 2'000'000);
  cluster.pass(100);
  BOOST_TEST(!has(ask(owner, "XA_RECOVER", "manager"), "1:aa:01"));
  std::size_t const next = cluster.wait_for_owner();
  BOOST_REQUIRE((next != owner && next != ClusterOfWorlds::kNone));
  cluster.pass(200);
  BOOST_TEST(has(ask(next, "XA_RECOVER", "manager"), "1:aa:01"));
  BOOST_TEST(ask(next, "XA_COMMIT xid=1:aa:01", "manager").starts_with("COMMITTED"));
  while (cluster.world(next).take_line("manager")) continue;
  BOOST_TEST(ask(next, "PEEK table=own;name=a").starts_with("ROW "));
  // Back where it was prepared it is over.
  cluster.kill(next, false);
  cluster.kill(3 - owner - next, false);
  cluster.pass(8'000);
  BOOST_REQUIRE(cluster.owner() == owner);
  BOOST_TEST(!has(ask(owner, "XA_RECOVER", "manager2"), "1:aa:01"));
  BOOST_TEST(has(ask(owner, "XA_COMMIT xid=1:aa:01", "manager2"), "XAER_NOTA"));
  BOOST_TEST(ask(owner, "PEEK table=own;name=a", "reader").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(who_wants_it_reads_what_a_follower_knows, Three) {
  BOOST_TEST(ask(owner, "INSERT table=own;name=a").starts_with("INSERTED "));
  BOOST_TEST(ask(owner, "SET table=values;key=k;value=v;persist=1").starts_with("STORED "));
  cluster.pass(100);
  BOOST_TEST(ask(other, "PEEK table=own;name=a;stale=1").starts_with("ROW "));
  BOOST_TEST(has(ask(other, "GET table=values;key=k;stale=1"), "value=v"));
  BOOST_TEST(ask(owner, "PEEK table=own;name=a;stale=1").starts_with("ROW "));
  BOOST_TEST(has(ask(other, "PEEK table=own;name=a;stale=0"), "code=moved"));
  BOOST_TEST(has(ask(other, "INSERT table=own;name=b;stale=1"), "code=moved"));
  BOOST_TEST(has(ask(other, "NEXT table=own;stale=1"), "code=moved"));
  // At the same place, the same digest.
  BOOST_TEST(has(ask(other, "DIGEST table=own", "admin"), "code=moved"));
  std::string const digest = ask(owner, "DIGEST table=own", "admin");
  BOOST_TEST((digest.starts_with("DIGEST ") && has(digest, "lsn=") && has(digest, "table=own")), digest);
  BOOST_TEST(ask(other, "DIGEST table=own;stale=1", "admin") == digest);
  auto const of_logs = [&](std::size_t at, std::string const& command) {
    std::string out;
    for (std::string line = ask(at, command, "admin"); line != "(nothing)"; line = hear(at, "admin"))
      if (has(line, "log=own")) out += line.substr(0, line.find(";left="));
    return out;
  };
  BOOST_TEST(of_logs(other, "DIGEST") == "");
  BOOST_TEST(of_logs(other, "DIGEST stale=1") != "");
  BOOST_TEST(of_logs(other, "DIGEST stale=1") == of_logs(owner, "DIGEST"));
  // Without an owner, too.
  cluster.kill(owner, false);
  cluster.pass(50);
  BOOST_TEST(ask(other, "PEEK table=own;name=a;stale=1").starts_with("ROW "));
  // What it tells changes nothing.
  BOOST_REQUIRE(cluster.wait_for_owner() != ClusterOfWorlds::kNone);
  BOOST_TEST(all_know_the_same());
}

// ---------------------------------------------------------------------------
// A table that goes from files to the shared log

namespace {

constexpr char kPatient[] = FJ_SOURCE_DIR "/tests/transcripts/patient.xml";

struct Mover : Three {
  // The owner has a table of its own, in files.
  Mover() {
    BOOST_REQUIRE(world(owner).add_table(kPatient).ok());
    reload(owner);
    for (int i = 0; i < kRows; ++i)
      BOOST_REQUIRE(ask(owner, "INSERT table=patient;name=n" + std::to_string(i)).starts_with("INSERTED"));
  }
  World& world(std::size_t at) { return cluster.world(at); }
  void reload(std::size_t at) {
    while (world(at).take_line("admin")) continue;
    std::string const said = ask(at, "RELOAD", "admin");
    BOOST_REQUIRE_MESSAGE(said.starts_with("RELOADED"), said);
  }
  void declare(std::size_t at, std::string const& log) {
    if (world(at).declaration("patient") == nullptr) BOOST_REQUIRE(world(at).add_table(kPatient).ok());
    world(at).set_log("patient", log);
  }
  void move(std::size_t at, std::string const& log) {
    declare(at, log);
    reload(at);
    world(at).send("admin", "MOVE_TABLE table=patient");
  }
  [[nodiscard]] std::string step(std::size_t at) { return std::string{world(at).engine().moving().figures().step}; }
  [[nodiscard]] std::string why(std::size_t at) { return world(at).engine().moving().figures().why.text(); }
  [[nodiscard]] std::string log_of(std::size_t at) {
    engine::HostedTable const* const table = world(at).engine().find_table("patient");
    return table == nullptr ? "nowhere" : table->log->name;
  }
  [[nodiscard]] int rows(std::size_t at) {
    int count = 0;
    for (int i = 0; i < kRows; ++i)
      count += ask(at, "PEEK table=patient;name=n" + std::to_string(i)).starts_with("ROW");
    return count;
  }
  static constexpr int kRows = 40;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_table_goes_to_the_shared_log_and_back_to_files, Mover) {
  declare(other, "own");
  reload(other);
  declare(third, "own");
  reload(third);
  move(owner, "own");
  cluster.pass(1'000);
  BOOST_TEST(step(owner) == "moved", step(owner) << ": " << why(owner));
  BOOST_TEST(log_of(owner) == "own");
  BOOST_TEST(rows(owner) == kRows);
  BOOST_TEST(all_know_the_same());
  BOOST_TEST(has(ask(other, "PEEK table=patient;name=n0"), "code=moved"));
  // Another node goes on with it.
  cluster.kill(owner, true);
  std::size_t const next = cluster.wait_for_owner();
  BOOST_REQUIRE(next != ClusterOfWorlds::kNone);
  BOOST_TEST(rows(next) == kRows);
  BOOST_REQUIRE(cluster.start(owner).ok());
  cluster.pass(2'000);
  BOOST_TEST(log_of(owner) == "own");
  BOOST_TEST(all_know_the_same());
  // And from there to its files.
  move(next, "shared");
  cluster.pass(1'000);
  BOOST_TEST(step(next) == "moved", step(next) << ": " << why(next));
  BOOST_TEST(log_of(next) == "shared");
  BOOST_TEST(rows(next) == kRows);
  BOOST_TEST(log_of(owner) == "nowhere");
  BOOST_TEST(all_know_the_same());
}

BOOST_FIXTURE_TEST_CASE(only_the_owner_of_the_log_takes_a_table_in, Mover) {
  declare(other, "shared");
  reload(other);
  BOOST_TEST(ask(other, "INSERT table=patient;name=n0").starts_with("INSERTED"));
  declare(other, "own");
  reload(other);
  while (world(other).take_line("admin")) continue;
  std::string const said = ask(other, "MOVE_TABLE table=patient", "admin");
  BOOST_TEST(has(said, "code=wrong_state"), said);
  BOOST_TEST(has(said, "must own log own. node n" + std::to_string(owner) + " at "), said);
}

// The shared log never comes back: an operator decides.
BOOST_AUTO_TEST_CASE(a_table_in_doubt_is_kept_where_it_was_when_a_person_says_so) {
  int doubts = 0;
  for (std::int64_t ms = 0; ms < 20; ms += 2) {
    BOOST_TEST_CONTEXT("killed after " << ms << " ms") {
      Mover one;
      std::size_t const owner = one.owner;
      one.move(owner, "own");
      one.cluster.pass(ms);
      one.cluster.kill(owner, true);
      for (std::size_t member = 0; member < 3; ++member) one.cluster.etcd().kill(member);
      BOOST_REQUIRE(one.cluster.start(owner).ok());
      one.cluster.pass(3'000);
      engine::HostedTable const* const table = one.world(owner).engine().find_table("patient");
      if (table == nullptr || !table->is_leaving) continue;
      ++doubts;
      BOOST_TEST(has(one.ask(owner, "PEEK table=patient;name=n0"), "code=unavailable"));
      // Its file still names the other one.
      BOOST_TEST(has(one.ask(owner, "MOVE_TABLE table=patient", "admin"), "code=unavailable"));
      one.declare(owner, "shared");
      one.reload(owner);
      std::string const kept = one.ask(owner, "MOVE_TABLE table=patient", "admin");
      BOOST_TEST(kept.starts_with("KEPT "), kept);
      BOOST_TEST(has(kept, "log=shared"), kept);
      BOOST_TEST(one.rows(owner) == Mover::kRows);
      std::string const again = one.ask(owner, "MOVE_TABLE table=patient", "admin");
      BOOST_TEST(has(again, "code=wrong_state"), again);
      one.cluster.kill(owner, true);
      BOOST_REQUIRE(one.cluster.start(owner).ok());
      BOOST_TEST(one.rows(owner) == Mover::kRows);
    }
  }
  BOOST_TEST(doubts > 0);
}

// The log is lost at any moment of a move: the table is in one place, with all its rows.
BOOST_AUTO_TEST_CASE(a_move_that_is_cut_off_ends_in_one_of_the_two_logs) {
  int arrived = 0;
  int stayed = 0;
  for (std::int64_t ms = 0; ms < 60; ms += 2) {
    for (bool const dies : {true, false}) {
      BOOST_TEST_CONTEXT((dies ? "killed after " : "stepped down after ") << ms << " ms") {
        Mover one;
        std::size_t const owner = one.owner;
        // Whoever takes over makes this one, maybe with the number that the table was to have.
        auto const add_bare = [&one](std::size_t at) {
          BOOST_REQUIRE(one.world(at).add_table(FJ_SOURCE_DIR "/tests/transcripts/bare.xml").ok());
          one.world(at).set_log("bare", "own");
        };
        for (std::size_t const at : {one.other, one.third}) {
          add_bare(at);
          one.reload(at);
        }
        one.declare(owner, "own");
        one.reload(owner);
        one.world(owner).send("admin", "MOVE_TABLE table=patient");
        one.cluster.pass(ms);
        if (dies)
          one.cluster.kill(owner, ms % 4 == 0);
        else
          one.cluster.log(owner).step_down(one.world(owner).clock().monotonic_us() + 3'000'000);
        one.cluster.pass(3'000);
        add_bare(owner);
        if (dies)
          BOOST_REQUIRE(one.cluster.start(owner).ok());
        else
          one.reload(owner);
        one.cluster.pass(8'000);
        // The others do not know the table, so this node decides for the log again if the table is there.
        std::string const where = one.log_of(owner);
        BOOST_TEST((where == "own" || where == "shared"), where << ", " << one.step(owner));
        (where == "own" ? arrived : stayed) += 1;
        BOOST_TEST(one.rows(owner) == Mover::kRows);
        bool is_there = false;
        for (auto const& [id, entry] : one.cluster.hosted(owner).catalogue.tables())
          is_there = is_there || entry.name == "patient";
        BOOST_TEST(is_there == (where == "own"));
        BOOST_TEST(one.ask(owner, "INSERT table=patient;name=more").starts_with("INSERTED"));
      }
    }
  }
  BOOST_TEST_MESSAGE(arrived << " arrived, " << stayed << " stayed");
  BOOST_TEST(arrived > 0);
  BOOST_TEST(stayed > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::shared_logs_test
