// Queues, exchanges and bindings: made, changed, removed, and where they route.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/queue/harness.h"

namespace fastjournal::queue::test {

BOOST_AUTO_TEST_SUITE(queue_declarations)

BOOST_AUTO_TEST_CASE(exchanges_route_by_their_kind) {
  Harness table;
  for (std::string const name : {"a", "b", "c"}) table.make(name);
  table.exchange("direct", "direct");
  table.exchange("fanout", "fanout");
  table.exchange("topic", "topic");
  table.bind("direct", "a", "red");
  table.bind("direct", "b", "red");
  table.bind("direct", "b", "blue");
  for (std::string const name : {"a", "b", "c"}) table.bind("fanout", name);
  table.bind("topic", "a", "orders.*");
  table.bind("topic", "b", "orders.#");
  table.bind("topic", "b", "#.new");
  BOOST_TEST(table.publish("direct", "red", "1").get("queues") == "2");
  BOOST_TEST(table.publish("direct", "blue", "2").get("queues") == "1");
  BOOST_TEST(table.publish("direct", "green", "3").error() == "not_found");
  BOOST_TEST(table.publish("direct", "green", "3", {{"mandatory", "0"}}).get("queues") == "0");
  BOOST_TEST(table.publish("fanout", "", "4").get("queues") == "3");
  BOOST_TEST(table.publish("topic", "orders.new", "5").get("queues") == "2");
  BOOST_TEST(table.publish("topic", "orders.new.big", "6").get("queues") == "1");
  BOOST_TEST(table.publish("topic", "orders", "7").get("queues") == "1");
  BOOST_TEST(table.publish("topic", "news", "8").get("queues") == "0");
  BOOST_TEST(table.publish("topic", "news", "8", {{"mandatory", "1"}}).error() == "not_found");
  BOOST_TEST(table.publish("none", "", "9").error() == "not_found");
  BOOST_TEST(table.bodies("a") == "1 4 5 ");
  BOOST_TEST(table.bodies("b") == "1 2 4 5 6 7 ");
  BOOST_TEST(table.bodies("c") == "4 ");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_message_on_several_queues_lives_as_long_as_one_has_it) {
  Harness table;
  table.make("a");
  table.make("b");
  table.exchange("e", "fanout");
  table.bind("e", "a");
  table.bind("e", "b");
  table.publish("e", "", "shared", {{"properties", R"({"k":"v"})"}});
  BOOST_TEST(table.table->shared().shared_bodies.size() == 1U);
  Reply const of_a = table.take("a");
  BOOST_TEST(of_a.get("body") == "shared");
  BOOST_TEST(of_a.get("properties") == R"({"k":"v"})");
  table.end("ACCEPT", of_a);
  BOOST_TEST(table.table->shared().shared_bodies.size() == 1U);
  BOOST_TEST(table.replays());
  // Compacted in whatever order: the letter behind its row, and without the row that was accepted.
  table.log.skip(2 * kOldestLsnGrain);
  table.compact(table.log.end());
  table.restart();
  Reply const of_b = table.take("b");
  BOOST_TEST(of_b.get("body") == "shared");
  BOOST_TEST(of_b.get("origin") == of_a.get("origin"));
  table.end("ACCEPT", of_b);
  BOOST_TEST(table.table->shared().shared_bodies.size() == 0U);
  BOOST_TEST(table.table->live_bytes() == 2 * kObjectRecordBytes + 3 * kObjectRecordBytes);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_removed_queue_takes_its_messages_and_bindings_along) {
  Harness table;
  table.make("a");
  table.make("b");
  table.exchange("e", "fanout");
  table.bind("e", "a");
  table.bind("e", "b");
  for (int i = 0; i < 100; ++i) table.publish("e", "", std::to_string(i));
  table.take("a");
  table.end("REJECT", table.take("a"));
  table.send("a", "later", {{"process_date", "+1000000"}});
  BOOST_TEST(table.run("REMOVE", {{"queue", "a"}, {"if_empty", "1"}}).error() == "wrong_state");
  Reply const removed = table.run("REMOVE", {{"queue", "a"}});
  BOOST_TEST(removed.get("messages") == "101");
  BOOST_TEST(removed.get("bindings") == "1");
  // Not at once; and nobody can use its name until then.
  BOOST_TEST(table.of_queue("a", "leaving") == "1");
  BOOST_TEST(table.make("a").error() == "wrong_state");
  BOOST_TEST(table.send("a", "x").error() == "wrong_state");
  BOOST_TEST(table.take("a").error() == "wrong_state");
  // A crash comes between.
  table.restart();
  BOOST_TEST(table.of_queue("a", "messages") == "-");
  BOOST_TEST(table.make("a").get("result") == "made");
  BOOST_TEST(table.of_queue("a", "messages") == "0");
  BOOST_TEST(table.of_queue("b", "messages") == "100");
  BOOST_TEST(table.publish("e", "", "x").get("queues") == "1");
  BOOST_TEST(table.run("BINDINGS", {}).messages.size() == 1U);
  BOOST_TEST(table.alerts.raised.empty());
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(bindings_and_exchanges_end) {
  Harness table;
  table.make("a");
  table.exchange("e", "direct");
  BOOST_TEST(table.bind("e", "a", "k").get("result") == "made");
  BOOST_TEST(table.bind("e", "a", "k").get("result") == "unchanged");
  BOOST_TEST(table.bind("e", "none", "k").error() == "not_found");
  BOOST_TEST(table.bind("none", "a", "k").error() == "not_found");
  BOOST_TEST(table.run("UNBIND", {{"exchange", "e"}, {"queue", "a"}, {"routing_key", "z"}}).error() == "not_found");
  BOOST_TEST(table.run("UNBIND", {{"exchange", "e"}, {"queue", "a"}, {"routing_key", "k"}}).name() == "UNBOUND");
  BOOST_TEST(table.publish("e", "k", "x").error() == "not_found");
  table.bind("e", "a", "k");
  BOOST_TEST(table.exchange("e", "topic").error() == "wrong_state");
  BOOST_TEST(table.exchange("e", "round").error() == "bad_parameter");
  BOOST_TEST(table.run("REMOVE", {{"exchange", "e"}}).get("bindings") == "1");
  BOOST_TEST(table.exchange("e", "topic").get("result") == "made");
  BOOST_TEST(table.run("BINDINGS", {}).name() == "NOTHING");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(temporary_queues_end_with_their_connection_and_at_a_start) {
  Harness table;
  table.exchange("e", "fanout");
  table.make("mine", {{"temporary", "1"}}, 5);
  BOOST_TEST(table.make("mine", {}, 6).error() == "in_use");
  BOOST_TEST(table.run("REMOVE", {{"queue", "mine"}}, 6).error() == "in_use");
  table.run("BIND", {{"exchange", "e"}, {"queue", "yours"}, {"temporary", "1"}}, 6);
  table.run("BIND", {{"exchange", "e"}, {"queue", "lasting"}, {"declare", "1"}}, 6);
  BOOST_TEST(table.publish("e", "", "x").get("queues") == "2");
  table.close(5);
  BOOST_TEST(table.of_queue("mine", "messages") == "-");
  BOOST_TEST(table.of_queue("yours", "temporary") == "1");
  table.restart();
  BOOST_TEST(table.of_queue("yours", "messages") == "-");
  BOOST_TEST(table.of_queue("lasting", "messages") == "1");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(queues_of_the_file_are_there_and_stay) {
  Harness table{{{"queues", "b a\n  b"}}};
  table.pass(0);
  BOOST_TEST(table.of_queue("a", "declared") == "1");
  BOOST_TEST(table.send("b", "x").name() == "SENT");
  BOOST_TEST(table.run("REMOVE", {{"queue", "a"}}).error() == "wrong_state");
  BOOST_TEST(table.make("a", {{"max_messages", "3"}}).get("result") == "changed");
  BOOST_TEST(table.of_queue("a", "max_messages") == "3");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(queues_are_made_by_their_first_use) {
  Harness table{{{"create-queues", "true"}, {"queues-max", "2"}}};
  BOOST_TEST(table.take("in").name() == "NOTHING");
  BOOST_TEST(table.send("out", "x").name() == "SENT");
  BOOST_TEST(table.send("more", "x").error() == "over_limit");
  BOOST_TEST(table.take("out").get("body") == "x");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(temporary_queues_of_one_client_leave_places_to_others) {
  Harness table{{{"queues-max", "100"}}};
  int next = 0;
  auto const make_all = [&](std::string const& origin, std::uint64_t connection) {
    table.origin = origin;
    int made = 0;
    while (made < 101 &&
           table.make("t" + std::to_string(next++), {{"temporary", "1"}}, connection).name() == "DECLARED")
      ++made;
    return made;
  };
  // One connection, one origin, all of them.
  BOOST_TEST(make_all("ip:127.0.0.2", 1) == 25);
  BOOST_TEST(make_all("ip:127.0.0.2", 2) == 25);
  BOOST_TEST(make_all("ip:127.0.0.2", 3) == 0);
  BOOST_TEST(table.make("more", {{"temporary", "1"}}, 3).status.message().find("ip:127.0.0.2 has 50 temporary") !=
             std::string::npos);
  BOOST_TEST(make_all("ip:127.0.0.1", 4) == 25);
  BOOST_TEST(make_all("ip:127.0.0.3", 5) == 0);
  for (int i = 0; i < 25; ++i) BOOST_TEST(table.make("lasting" + std::to_string(i)).name() == "DECLARED");
  BOOST_TEST(table.make("more").error() == "over_limit");
  // Their places come back with the end of the connection.
  table.close(2);
  BOOST_TEST(make_all("ip:127.0.0.2", 3) == 25);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(queues_made_by_their_first_use_leave_places_to_those_who_manage) {
  Harness table{{{"create-queues", "true"}, {"queues-max", "16"}}};
  for (int i = 0; i < 14; ++i) BOOST_TEST(table.send("q" + std::to_string(i), "x").name() == "SENT");
  BOOST_TEST(table.send("more", "x").error() == "over_limit");
  BOOST_TEST(table.take("more").error() == "not_found");
  table.may_manage = true;
  BOOST_TEST(table.send("more", "x").name() == "SENT");
  BOOST_TEST(table.make("last").name() == "DECLARED");
  BOOST_TEST(table.send("beyond", "x").error() == "over_limit");
}

BOOST_AUTO_TEST_CASE(purge_and_move_go_by_pages) {
  Harness table;
  table.make("a");
  table.make("b");
  for (int i = 0; i < 5; ++i) {
    table.send("a", std::to_string(i));
    table.pass(1);
  }
  table.take("a");
  BOOST_TEST(table.run("PURGE", {{"queue", "a"}, {"dry_run", "1"}}).get("count") == "4");
  Reply const page = table.run("MOVE", {{"queue", "a"}, {"to", "b"}, {"count", "3"}});
  BOOST_TEST(page.get("count") == "3");
  BOOST_TEST(page.get("more") == "1");
  BOOST_TEST(table.bodies("b") == "1 2 3 ");
  BOOST_TEST(table.run("PURGE", {{"queue", "a"}}).get("count") == "1");
  BOOST_TEST(table.of_queue("a", "messages") == "1");
  BOOST_TEST(table.run("MOVE", {{"queue", "a"}, {"to", "a"}, {"status", "waiting"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("PURGE", {{"queue", "b"}}).get("count") == "3");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(lists_go_by_pages) {
  Harness table;
  for (std::string const name : {"c", "a", "b"}) table.make(name);
  Reply const page = table.run("QUEUES", {{"count", "2"}});
  BOOST_TEST(page.get("queue", 0) == "a");
  BOOST_TEST(page.get("after", 1) == "b");
  BOOST_TEST(table.run("QUEUES", {{"after", "b"}}).get("queue") == "c");
  BOOST_TEST(table.run("QUEUES", {{"after", "c"}}).name() == "NOTHING");
  table.exchange("e", "topic");
  BOOST_TEST(table.run("EXCHANGES", {}).get("kind") == "topic");
}

// Patterns and bindings take memory, which is counted and limited; what ends gives it back.
BOOST_AUTO_TEST_CASE(what_bindings_take_is_counted_and_limited) {
  std::string const base = std::to_string(Harness{}.table->memory_bytes() + 200'000);
  Harness table{{{"memory-max", base}, {"create-queues", "true"}}};
  table.exchange("e", "topic");
  table.make("q");
  std::uint64_t const before = table.table->memory_bytes();
  std::string pattern = "*";
  for (int i = 0; i < 100; ++i) pattern += ".#";
  Reply reply;
  std::size_t made = 0;
  for (; made < 1'000 && reply.status.ok(); ++made)
    reply = table.bind("e", "q", pattern + "." + std::to_string(made) + pattern.substr(1, 40));
  BOOST_TEST(reply.error() == "over_limit");
  BOOST_TEST(reply.status.message().find("memory-max") != std::string::npos);
  BOOST_TEST(made > 20U);
  BOOST_TEST(made < 100U);
  // Whatever takes memory, and nothing of it is done.
  BOOST_TEST(table.make("r").error() == "over_limit");
  BOOST_TEST(table.exchange("f", "topic").error() == "over_limit");
  BOOST_TEST(table.bind("e", "r", "k", {{"declare", "1"}}).error() == "over_limit");
  BOOST_TEST(table.send("r", "x").error() == "over_limit");
  BOOST_TEST(table.take("r").error() == "not_found");
  BOOST_TEST(table.run("QUEUES", {}).messages.size() == 1U);
  // What is there may be said again.
  BOOST_TEST(table.make("q").get("result") == "unchanged");
  BOOST_TEST(table.bind("e", "q", pattern + ".0" + pattern.substr(1, 40)).get("result") == "unchanged");
  for (std::size_t i = 0; i + 1 < made; ++i)
    BOOST_TEST_REQUIRE(table
                           .run("UNBIND", {{"exchange", "e"},
                                           {"queue", "q"},
                                           {"routing_key", pattern + "." + std::to_string(i) + pattern.substr(1, 40)}})
                           .name() == "UNBOUND");
  BOOST_TEST(table.table->memory_bytes() == before);
  BOOST_TEST(table.table->shared().queues.routed_size() == 0U);
  BOOST_TEST(table.bind("e", "q", pattern).get("result") == "made");
  BOOST_TEST(table.run("REMOVE", {{"exchange", "e"}}).name() == "REMOVED");
  BOOST_TEST(table.run("REMOVE", {{"queue", "q"}}).name() == "REMOVED");
  BOOST_TEST(table.table->memory_bytes() == Harness{}.table->memory_bytes());
}

// Of all exchanges, and of one.
BOOST_AUTO_TEST_CASE(words_of_patterns_are_limited) {
  Harness table{{{"queues-max", "10"}}};
  table.exchange("e", "topic");
  table.exchange("f", "direct");
  table.make("q");
  std::string const pattern = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x";
  std::string error;
  std::size_t made = 0;
  for (; error.empty(); ++made) error = table.bind("e", "q", std::to_string(made) + "." + pattern).error();
  BOOST_TEST(error == "over_limit");
  BOOST_TEST(made == 39U);  // 38 of 26 words and looks
  BOOST_TEST(table.bind("f", "q", "k").get("result") == "made");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::test
