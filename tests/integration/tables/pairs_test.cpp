// Key/value tables from the outside, beside a real daemon: what `fastjournal kv` prints, locks that end with their
// connection, watches that outlive the daemon, and a counter that is exact over kills.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>

#include "clients/cpp/key_value.h"
#include "tests/integration/shell.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::Connection;
using client::KeyValue;
using client::Milliseconds;
using client::TypedValue;

struct PairsFixture : ShellFixture {
  PairsFixture() {
    daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }

  // With its exit code.
  std::string said(std::string const& command) {
    Ran const ran = run_in_shell(daemon, "fastjournal kv " + command);
    return ran.output + std::to_string(ran.code);
  }
  [[nodiscard]] ChildProcess start(std::string const& command) const {
    ChildOptions options;
    options.environment = shell_variables(daemon);
    return ChildProcess{shell_words(daemon, "exec fastjournal kv " + command), options};
  }
  void restart() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  [[nodiscard]] std::unique_ptr<Connection> connect(client::Framing framing = client::Framing::msgpack) const {
    auto opened = Connection::open({.server = daemon.local(), .framing = framing, .back_off = {Milliseconds{1}}});
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pairs_beside_a_daemon)

BOOST_FIXTURE_TEST_CASE(values_are_set_read_and_changed, PairsFixture) {
  for (std::string const framing : {"", "--text "}) {
    BOOST_TEST(said(framing + "set values k hello") == "stored k\n0");
    BOOST_TEST(said(framing + "get values k") == "hello\n0");
    BOOST_TEST(said(framing + "set values k x --if-absent") == "k has a value already: nothing was changed\n4");
    BOOST_TEST(said(framing + "set values k x --if-value other") ==
               "k has another value than was expected: nothing was changed\n4");
    BOOST_TEST(said(framing + "set values k x --if-value hello") == "stored k\n0");
    BOOST_TEST(said(framing + "add values n -5") == "-5\n0");
    BOOST_TEST(said(framing + "add values f 2.0") == "2.0\n0");
    BOOST_TEST(said(framing + "set values b true --type boolean") == "stored b\n0");
    BOOST_TEST(said(framing + "not values b") == "false\n0");
    BOOST_TEST(said(framing + "truncate values k 0") == "k has 0 bytes now\n0");
    BOOST_TEST(said(framing + "rename values k n") == "n has a value already: nothing was changed\n4");
    BOOST_TEST(said(framing + "alias values k other") == "k is other, too\n0");
    BOOST_TEST(said(framing + "set values bytes base64:AP8= --type buffer") == "stored bytes\n0");
    BOOST_TEST(run("fastjournal kv " + framing + "get values bytes | od -An -tx1") == " 00 ff\n");
    BOOST_TEST(said(framing + "scan values --keys-only") == "b\nbytes\nf\nk\nn\nother\n0");
    BOOST_TEST(
        said(framing + "get values n --json")
            .starts_with("{\"table\":\"values\",\"key\":\"n\",\"type\":\"integer\",\"value\":-5,\"timestamp\":"));
    BOOST_TEST(said(framing + "del values b bytes f k n none") ==
               "deleted b\ndeleted bytes\ndeleted f\ndeleted k\ndeleted n\nno value under none\n4");
  }
}

BOOST_FIXTURE_TEST_CASE(types_and_keys_come_back_in_both_framings, PairsFixture) {
  std::string const bytes{"\x00\xff\n;", 4};
  std::vector<TypedValue> const all{TypedValue{},
                                    client::Buffer{bytes},
                                    client::Buffer{},
                                    "gr\xc3\xbc\xc3\x9f;\n",
                                    std::int64_t{-5},
                                    std::int64_t{INT64_MIN},
                                    2.0,
                                    -0.1,
                                    true,
                                    false,
                                    ""};
  std::vector<std::string> const keys{"k", bytes, "a;b\n\"c\"="};
  for (client::Framing const framing : {client::Framing::msgpack, client::Framing::text}) {
    auto const connection = connect(framing);
    KeyValue values(*connection, "values");
    for (std::string const& key : keys)
      for (TypedValue const& one : all) {
        auto const set = values.set(key, one);
        BOOST_REQUIRE_MESSAGE(set.ok(), set.status().text());
        auto const got = values.get(key);
        BOOST_REQUIRE_MESSAGE(got.ok(), got.status().text());
        BOOST_TEST((got->has_value() && got->value().key == key && got->value().value == one));
        auto const same = values.set(key, one, {.if_value = one});
        BOOST_TEST((same.ok() && same->result == client::SetResult::stored));
      }
    client::Scan scan = values.scan({.page = 1});
    std::size_t seen = 0;
    for (auto next = scan.next(); next.ok() && next->has_value(); next = scan.next()) ++seen;
    BOOST_TEST(seen == keys.size());
  }
}

BOOST_FIXTURE_TEST_CASE(a_counter_is_exact_over_kills, PairsFixture) {
  auto const connection = connect();
  KeyValue values(*connection, "values");
  constexpr int kAdds = 600;
  std::vector<client::Ticket> tickets;
  for (int i = 0; i < kAdds; ++i) {
    Message add = values.add_of("n", std::int64_t{1});
    connection->number(add);
    auto const ticket = connection->send(add);
    BOOST_REQUIRE_MESSAGE(ticket.ok(), ticket.status().text());
    tickets.push_back(ticket.value());
    if (i % 100 != 50) continue;
    // Some of them are on their way.
    BOOST_TEST(connection->flush().ok());
    restart();
  }
  for (client::Ticket const ticket : tickets) {
    auto const reply = connection->receive(ticket);
    BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
    BOOST_TEST(KeyValue::stored_of(reply.value()).ok());
  }
  BOOST_TEST((values.get("n")->value().value == TypedValue{std::int64_t{kAdds}}));
  BOOST_TEST(connection->connects() > 1U);
}

BOOST_FIXTURE_TEST_CASE(many_pairs_are_set_and_many_keys_read_at_once, PairsFixture) {
  for (std::string const framing : {"", "--text "}) {
    BOOST_TEST(said(framing + "set values site:1=open site:2=closed other=") == "stored 3 pairs\n0");
    BOOST_TEST(said(framing + "get values site:2 none site:1") ==
               "key     value\nsite:2  closed\nsite:1  open\nno value under none\n4");
    BOOST_TEST(said(framing + "set values new=1 site:1=2 --if-absent") ==
               "site:1 has a value already: nothing was changed\n4");
    BOOST_TEST(said(framing + "get values new") == "no value under new\n4");
    BOOST_TEST(said(framing + "set values a=1 b=2 --type float --ttl 1h") == "stored 2 pairs\n0");
    BOOST_TEST(said(framing + "get values a") == "1.0\n0");
    BOOST_TEST(said(framing + "scan values --regex '^site:[0-9]$' --keys-only") == "site:1\nsite:2\n0");
    BOOST_TEST(said(framing + "scan values --regex '['").find("bad_parameter") != std::string::npos);
    BOOST_TEST(said(framing + "del values a b other site:1 site:2") ==
               "deleted a\ndeleted b\ndeleted other\ndeleted site:1\ndeleted site:2\n0");
  }
}

// More than one GET may ask for, and more than a page of values; a regex that fits nothing for many pages.
BOOST_FIXTURE_TEST_CASE(many_keys_are_read_whatever_their_number_and_size, PairsFixture) {
  auto const connection = connect();
  KeyValue values(*connection, "values");
  constexpr std::size_t kKeys = 2500;
  std::vector<std::string> keys;
  client::Pipeline pipeline(*connection, 256, [](std::uint64_t, Result<client::Reply> const& reply) {
    BOOST_TEST(reply.ok(), reply.status().text());
  });
  for (std::size_t i = 0; i < kKeys; ++i) {
    keys.push_back("k" + std::to_string(10'000 + i));
    TypedValue const value{std::string(i % 500 == 0 ? 600'000 : 10, 'x')};
    if (i % 2 == 0) BOOST_REQUIRE(pipeline.send(values.set_of(keys.back(), value)).ok());
  }
  pipeline.finish();
  auto const found = values.get_many(keys);
  BOOST_REQUIRE_MESSAGE(found.ok(), found.status().text());
  for (std::size_t i = 0; i < kKeys; ++i) {
    std::optional<client::Pair> const& one = found.value()[i];
    BOOST_TEST(one.has_value() == (i % 2 == 0));
    if (one) BOOST_TEST(std::get<std::string>(one->value).size() == (i % 500 == 0 ? 600'000U : 10U));
  }
  client::Scan scan = values.scan({.regex = "8$", .page = 7, .data = false});
  std::size_t seen = 0;
  for (auto next = scan.next(); next.ok() && next->has_value(); next = scan.next()) ++seen;
  BOOST_TEST(seen == kKeys / 10);
  client::Scan none = values.scan({.regex = "^nothing"});
  BOOST_TEST(none.next_page()->empty());
}

BOOST_FIXTURE_TEST_CASE(changes_are_watched_also_over_a_restart, PairsFixture) {
  run("fastjournal kv set values p:0 first");
  ChildProcess watcher = start("watch values --prefix p: --initial");
  BOOST_REQUIRE(watcher.wait_for_line("p:0 = first").has_value());
  run("fastjournal kv set values other x && fastjournal kv set values p:1 5 --type integer");
  BOOST_REQUIRE_MESSAGE(watcher.wait_for_line("p:1 = 5").has_value(), watcher.output());
  run("fastjournal kv rename values p:1 p:2");
  BOOST_REQUIRE_MESSAGE(watcher.wait_for_line("p:2 = 5").has_value(), watcher.output());
  run("fastjournal kv del values p:0");
  BOOST_REQUIRE_MESSAGE(watcher.wait_for_line("p:0 is gone").has_value(), watcher.output());
  BOOST_TEST(watcher.output().find("p:1 is gone") != std::string::npos, watcher.output());
  BOOST_TEST(watcher.output().find("other") == std::string::npos, watcher.output());
  restart();
  BOOST_REQUIRE_MESSAGE(watcher.wait_for_line("changes were missed").has_value(), watcher.output());
  BOOST_REQUIRE_MESSAGE(watcher.wait_for_line("p:2 = 5").has_value(), watcher.output());
  run("fastjournal kv set values p:3 last");
  BOOST_REQUIRE_MESSAGE(watcher.wait_for_line("p:3 = last").has_value(), watcher.output());
  watcher.kill(SIGTERM);
  static_cast<void>(watcher.wait());
}

BOOST_FIXTURE_TEST_CASE(a_read_and_a_write_may_begin_a_watch, PairsFixture) {
  for (client::Framing const framing : {client::Framing::msgpack, client::Framing::text}) {
    auto const connection = connect(framing);
    auto const other = connect();
    KeyValue values(*connection, "values");
    KeyValue others(*other, "values");
    std::string const binary{"\xff\x00", 2};
    BOOST_TEST(values.get("a", {.watch = true}).ok());
    BOOST_TEST(values.set("b", "x", {.watch = true}).ok());
    BOOST_TEST(values.watch(binary).ok());
    BOOST_TEST(values.watch("c").ok());
    BOOST_TEST(values.unwatch("c").ok());
    std::set<std::string> seen;
    auto const collect = [&](client::Change::Kind kind, std::size_t many) {
      seen.clear();
      while (seen.size() < many) {
        auto const change = client::wait_change(*connection, kPatience);
        BOOST_REQUIRE_MESSAGE(change.ok(), change.status().text());
        if (change->kind == kind) seen.insert(change->key);
      }
    };
    for (std::string const& key : {std::string{"c"}, std::string{"a"}, std::string{"b"}, binary})
      BOOST_TEST(others.set(key, "changed").ok());
    collect(client::Change::Kind::stored, 3);
    BOOST_TEST((seen == std::set<std::string>{"a", "b", binary}));
    restart();
    collect(client::Change::Kind::missed, 3);
    BOOST_TEST((seen == std::set<std::string>{"a", "b", binary}));
    for (std::string const& key : {std::string{"c"}, std::string{"a"}, std::string{"b"}, binary})
      BOOST_TEST(others.erase(key).ok());
    collect(client::Change::Kind::absent, 3);
    BOOST_TEST((seen == std::set<std::string>{"a", "b", binary}));
  }
}

BOOST_FIXTURE_TEST_CASE(a_lock_keeps_others_out_until_its_command_ends, PairsFixture) {
  BOOST_TEST(said("lock values k -- true").starts_with("fastjournal kv lock values: not_found: "));
  Ran const ran = run_in_shell(daemon,
                               "fastjournal kv lock values k --create -- sh -c '"
                               "fastjournal kv set values k mine; echo $?;"
                               "fastjournal kv lock values k -- echo never; echo $?; exit 7'");
  BOOST_TEST(ran.code == 7);
  BOOST_TEST(ran.output.find("in_use") != std::string::npos, ran.output);
  BOOST_TEST(ran.output.find("never") == std::string::npos, ran.output);
  BOOST_TEST(said("set values k free") == "stored k\n0");
  ChildProcess holder = start("lock values k --lock 300ms -- sh -c 'echo begun; read line'");
  // Its input is empty: it would end at once if it were not ours.
  BOOST_TEST(holder.wait().value_or(-1) == 1);
  BOOST_TEST(holder.output() == "begun\n");
  ChildProcess longer = start("lock values k --lock 300ms -- sh -c 'echo begun; sleep 1; echo over'");
  BOOST_REQUIRE(longer.wait_for_line("begun").has_value());
  BOOST_TEST(said("lock values k --wait 1m -- echo mine") == "mine\n0");
  BOOST_TEST(longer.wait().value_or(-1) == 0);
  BOOST_TEST(longer.output() == "begun\nover\n");
  // A signal ends the command, and the lock with it.
  ChildProcess stopped = start("lock values k -- sh -c 'echo begun; exec sleep 1000'");
  BOOST_REQUIRE(stopped.wait_for_line("begun").has_value());
  stopped.kill(SIGTERM);
  BOOST_TEST(stopped.wait().value_or(-1) == 128 + SIGTERM);
  BOOST_TEST(said("set values k free") == "stored k\n0");
}

BOOST_FIXTURE_TEST_CASE(a_lock_that_is_lost_ends_its_command, PairsFixture) {
  ChildProcess holder = start("lock values k --create -- sh -c 'echo begun; exec sleep 1000'");
  BOOST_REQUIRE(holder.wait_for_line("begun").has_value());
  restart();
  BOOST_TEST(holder.wait().value_or(-1) == 1);
  BOOST_TEST(holder.output().find("the lock is lost: the connection") != std::string::npos, holder.output());
  BOOST_TEST(said("set values k free") == "stored k\n0");
}

BOOST_AUTO_TEST_SUITE_END()
