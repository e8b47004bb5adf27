// Messages: sent, handed out, ended, and what becomes of those that fail.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/queue/harness.h"
#include "tests/unit/queue/life.h"

namespace fastjournal::queue::test {

BOOST_AUTO_TEST_SUITE(queue_messages)

BOOST_AUTO_TEST_CASE(a_message_is_sent_acquired_and_accepted) {
  Harness table;
  BOOST_TEST(table.send("orders", "x").error() == "not_found");
  BOOST_TEST(table.make("orders").get("result") == "made");
  BOOST_TEST(table.make("orders").get("result") == "unchanged");
  Reply const sent = table.send("orders", "hello", {{"properties", R"({"colour":"red"})"}});
  BOOST_TEST(sent.name() == "SENT");
  BOOST_TEST(sent.get("queues") == "1");
  BOOST_TEST((sent.durability == Durability::synced));
  Reply const message = table.take("orders");
  BOOST_TEST(message.name() == "MESSAGE");
  BOOST_TEST(message.get("body") == "hello");
  BOOST_TEST(message.get("properties") == R"({"colour":"red"})");
  BOOST_TEST(message.get("message") == sent.get("message"));
  BOOST_TEST(message.get("redelivered") == "-");
  BOOST_TEST((message.durability == Durability::written));
  BOOST_TEST(table.take("orders").name() == "NOTHING");
  BOOST_TEST(table.of_queue("orders", "acquired") == "1");
  BOOST_TEST(table.end("ACCEPT", message).name() == "ACCEPTED");
  BOOST_TEST(table.end("ACCEPT", message).error() == "unknown_row");
  BOOST_TEST(table.of_queue("orders", "messages") == "0");
  BOOST_TEST(table.of_queue("orders", "bytes") == "0");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(who_has_no_lease_ends_nothing) {
  Harness table;
  table.make("q");
  table.send("q", "a");
  Reply const message = table.take("q");
  BOOST_TEST(table.run("ACCEPT", {{"message", message.get("message")}, {"epoch", "5"}}).error() == "stale_epoch");
  BOOST_TEST(table.run("ACCEPT", {{"message", "4096"}, {"epoch", "5"}}).error() == "unknown_row");
  table.end("RELEASE", message);
  for (std::string const command : {"ACCEPT", "RELEASE", "REJECT", "TOUCH"})
    BOOST_TEST(table.end(command, message).error() == "not_leased");
}

BOOST_AUTO_TEST_CASE(a_released_message_goes_back_to_its_place) {
  Harness table;
  table.make("q");
  for (std::string const body : {"a", "b", "c"}) {
    table.send("q", body);
    table.pass(10);
  }
  Reply const first = table.take("q");
  table.pass(50);
  BOOST_TEST(table.end("RELEASE", first).name() == "RELEASED");
  Reply const again = table.take("q");
  BOOST_TEST(again.get("body") == "a");
  BOOST_TEST(again.get("redelivered") == "1");
  BOOST_TEST(again.get("deliveries") == "0");
  BOOST_TEST(table.take("q").get("body") == "b");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_message_is_taken_back_from_its_consumer) {
  Harness table;
  table.make("q");
  table.send("q", "a");
  table.send("q", "b");
  Reply const first = table.take("q", {}, 7);
  Texts const its{{"message", first.get("message")}};
  BOOST_TEST(table.run("KICK", its).name() == "KICKED");
  BOOST_TEST(table.replays());
  // Its former consumer is fenced, before and after another one has it.
  BOOST_TEST(table.end("ACCEPT", first).error() == "not_leased");
  Reply const second = table.take("q", {}, 8);
  BOOST_TEST(second.get("body") == "a");
  BOOST_TEST(second.get("redelivered") == "1");
  BOOST_TEST(second.get("deliveries") == "0");
  for (std::string const command : {"ACCEPT", "RELEASE", "REJECT", "TOUCH"})
    BOOST_TEST(table.end(command, first).error() == "stale_epoch");
  BOOST_TEST(table.end("ACCEPT", second).name() == "ACCEPTED");
  BOOST_TEST(table.run("KICK", its).error() == "unknown_row");
  // What nobody has: the refusal says how it is.
  Reply const waits = table.run("BROWSE", {{"queue", "q"}});
  Texts const other{{"message", waits.get("message")}};
  BOOST_TEST(table.run("KICK", other).error() == "wrong_state");
  BOOST_TEST(table.run("KICK", other).status.message().find(" is due, expected") != std::string::npos);
  BOOST_TEST(table.end("REJECT", table.take("q")).name() == "PARKED");
  Texts const leased{{"message", waits.get("message")}, {"status", "acquired"}};
  BOOST_TEST(table.run("KICK", leased).status.message().find(" is parked, expected acquired") != std::string::npos);
  BOOST_TEST(table.run("KICK", other).name() == "KICKED");
}

BOOST_AUTO_TEST_CASE(the_epoch_is_told_to_its_holder_and_to_those_who_may_manage) {
  Harness table;
  table.make("q");
  Reply const taken = (table.send("q", "a"), table.take("q", {}, 7));
  Texts const its{{"message", taken.get("message")}};
  for (std::string const command : {"READ", "BROWSE"}) {
    Texts const with = command == "READ" ? its : Texts{};
    BOOST_TEST(table.run(command, with, 8).get("epoch") == "-", command);
    BOOST_TEST(table.run(command, with, 7).get("epoch") == taken.get("epoch"), command);
    table.may_manage = true;
    BOOST_TEST(table.run(command, with, 8).get("epoch") == taken.get("epoch"), command);
    table.may_manage = false;
  }
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_gives_its_messages_back) {
  Harness table;
  table.make("q");
  table.send("q", "a");
  table.take("q", {}, 7);
  BOOST_TEST(table.take("q", {}, 8).name() == "NOTHING");
  table.close(7);
  table.pass(0);
  Reply const again = table.take("q", {}, 8);
  BOOST_TEST(again.get("body") == "a");
  BOOST_TEST(again.get("deliveries") == "1");
}

BOOST_AUTO_TEST_CASE(messages_that_fail_too_often_are_dead) {
  Harness table;
  table.make("dead");
  table.make("q", {{"dead_letters", "dead"}, {"max_deliveries", "2"}});
  Reply const sent = table.send("q", "poison", {{"properties", R"({"a":1})"}});
  BOOST_TEST(table.end("RELEASE", table.take("q"), {{"error", "one"}}).name() == "RELEASED");
  Reply const dead = table.end("RELEASE", table.take("q"), {{"error", "two"}, {"error_trace", "at line 2"}});
  BOOST_TEST(dead.name() == "DEAD");
  BOOST_TEST(dead.get("queue") == "dead");
  BOOST_TEST(table.of_queue("q", "messages") == "0");
  BOOST_TEST(table.of_queue("dead", "messages") == "1");
  Reply const shown = table.run("BROWSE", {{"queue", "dead"}, {"body", "1"}});
  BOOST_TEST(shown.get("message") == sent.get("message"));
  BOOST_TEST(shown.get("dead_of") == "q");
  BOOST_TEST(shown.get("error") == "two");
  BOOST_TEST(shown.get("error_trace") == "-");
  BOOST_TEST(table.run("READ", {{"message", sent.get("message")}}).get("error_trace") == "at line 2");
  BOOST_TEST(table.run("WHY", {{"message", sent.get("message")}}).get("error_trace") == "at line 2");
  BOOST_TEST(shown.get("body") == "poison");
  BOOST_TEST(shown.get("properties") == R"({"a":1})");
  BOOST_TEST(shown.get("deliveries") == "0");
  BOOST_TEST(table.replays());
  // And back to work.
  BOOST_TEST(table.run("MOVE", {{"queue", "dead"}, {"to", "q"}}).get("count") == "1");
  Reply const back = table.take("q");
  BOOST_TEST(back.get("body") == "poison");
  BOOST_TEST(back.get("dead_of") == "-");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_rejected_message_is_dead_at_once_or_parked) {
  Harness table;
  table.make("dead");
  table.make("q", {{"dead_letters", "dead"}});
  table.make("alone");
  table.send("q", "a");
  table.send("alone", "b");
  BOOST_TEST(table.end("REJECT", table.take("q"), {{"error", "no"}}).name() == "DEAD");
  BOOST_TEST(table.end("REJECT", table.take("alone"), {{"error", "no"}, {"error_trace", "at line 3"}}).name() ==
             "PARKED");
  BOOST_TEST(table.alerts.raised.contains("message-failed"));
  BOOST_TEST(table.take("alone").name() == "NOTHING");
  BOOST_TEST(table.of_queue("alone", "parked") == "1");
  BOOST_TEST(table.run("WHY", {{"message", table.run("BROWSE", {{"queue", "alone"}}).get("message")}}).get("state") ==
             "parked");
  BOOST_TEST(
      table.run("READ", {{"message", table.run("BROWSE", {{"queue", "alone"}}).get("message")}}).get("error_trace") ==
      "at line 3");
  BOOST_TEST(table.run("MOVE", {{"queue", "alone"}, {"to", "alone"}}).get("count") == "1");
  BOOST_TEST(table.alerts.raised.empty());
  BOOST_TEST(table.take("alone").get("body") == "b");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(at_most_once_without_a_lease) {
  Harness table;
  table.make("q");
  table.send("q", "a");
  table.send("q", "b");
  Reply const taken = table.take("q", {{"accept", "1"}, {"count", "5"}});
  BOOST_TEST(taken.messages.size() == 2U);
  BOOST_TEST(taken.get("epoch") == "-");
  BOOST_TEST(taken.get("body", 1) == "b");
  BOOST_TEST((taken.durability == Durability::synced));
  BOOST_TEST(table.of_queue("q", "messages") == "0");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(priorities_dates_and_expiry) {
  Harness table;
  table.make("q", {{"expires", "5000"}});
  table.send("q", "late", {{"priority", "200"}});
  table.send("q", "first", {{"priority", "1"}});
  table.send("q", "later", {{"process_date", "+1000"}});
  BOOST_TEST(table.take("q").get("body") == "first");
  BOOST_TEST(table.take("q").get("body") == "late");
  BOOST_TEST(table.take("q").name() == "NOTHING");
  table.pass(1000);
  BOOST_TEST(table.take("q").get("body") == "later");
  table.send("q", "short", {{"expiration_date", "+10"}});
  table.send("q", "of the queue");
  table.pass(10);
  BOOST_TEST(table.take("q").get("body") == "of the queue");
  BOOST_TEST(table.send("q", "x", {{"expiration_date", "+0"}}).error() == "expired");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(limits_of_a_queue) {
  Harness table;
  table.make("dead");
  table.make("refuses", {{"max_messages", "2"}});
  table.make("drops", {{"max_bytes", "10"}, {"when_full", "drop"}});
  table.make("kept", {{"max_messages", "1"}, {"when_full", "drop"}, {"dead_letters", "dead"}});
  table.send("refuses", "a");
  table.send("refuses", "b");
  BOOST_TEST(table.send("refuses", "c").error() == "over_limit");
  for (std::string const body : {"aaaa", "bbbb", "cc", "ddddddd"}) {
    BOOST_TEST(table.send("drops", body).name() == "SENT");
    table.pass(1);
  }
  BOOST_TEST(table.bodies("drops") == "cc ddddddd ");
  table.send("kept", "1");
  table.pass(1);
  table.send("kept", "2");
  BOOST_TEST(table.bodies("kept") == "2 ");
  BOOST_TEST(table.bodies("dead") == "1 ");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_body_is_read_in_parts) {
  Harness table;
  table.make("q");
  std::string body;
  for (int i = 0; i < 40'000; ++i) body += static_cast<char>('a' + i % 26);
  std::string const id = table.send("q", body).get("message");
  BOOST_TEST(table.run("READ", {{"message", id}}).get("body") == body);
  for (auto const& [offset, length] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {65, 100}, {39'999, 10}, {40'000, 1}, {50'000, 3}}) {
    Reply const part =
        table.run("READ", {{"message", id}, {"offset", std::to_string(offset)}, {"length", std::to_string(length)}});
    BOOST_TEST(part.get("body_binary") == (offset >= body.size() ? "" : body.substr(offset, length)));
    BOOST_TEST(part.get("bytes") == "40000");
  }
}

BOOST_AUTO_TEST_CASE(numbered_messages_are_there_once) {
  Harness table;
  table.make("q");
  Texts const numbered{{"client", "c"}, {"sequence", "1"}};
  Reply const first = table.send("q", "a", numbered);
  Reply const again = table.send("q", "a", numbered);
  BOOST_TEST(again.get("result") == "duplicate");
  BOOST_TEST(again.get("message") == first.get("message"));
  BOOST_TEST(table.of_queue("q", "messages") == "1");
}

BOOST_AUTO_TEST_CASE(bad_messages_are_refused_with_their_reason) {
  Harness table;
  table.make("q");
  BOOST_TEST(table.run("SEND", {{"body", "x"}}).error() == "missing_parameter");
  BOOST_TEST(table.send("q", "x", {{"exchange", "e"}}).error() == "bad_parameter");
  BOOST_TEST(table.send("q", "x", {{"body_binary", "eA=="}}).error() == "bad_parameter");
  BOOST_TEST(table.send("q", "x", {{"properties", "red"}}).error() == "bad_parameter");
  BOOST_TEST(table.send("q", "x", {{"properties", "[1]"}}).error() == "bad_parameter");
  BOOST_TEST(table.send("q", "x", {{"routing_key", std::string(256, 'k')}}).error() == "too_large");
  BOOST_TEST(table.take("none").error() == "not_found");
  BOOST_TEST(table.take("q", {{"wait", "5"}}).error() == "missing_parameter");
  BOOST_TEST(table.make(std::string(256, 'q')).error() == "too_large");
  BOOST_TEST(table.make("a b").error() == "bad_parameter");
  BOOST_TEST(table.make("a\nb").error() == "bad_parameter");
  BOOST_TEST(table.run("BROWSE", {{"status", "new"}}).error() == "bad_parameter");
}

BOOST_AUTO_TEST_CASE(a_shared_body_outlives_a_start_while_it_is_compacted) { BOOST_TEST(start_amid_copies() == ""); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::test
