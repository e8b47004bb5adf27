// The commands `queue ...`: what they send, print and end with.
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

BOOST_AUTO_TEST_SUITE(cli_queues)

BOOST_AUTO_TEST_CASE(a_message_is_sent_from_the_command_line_and_from_standard_input) {
  auto const script = [](std::string const& body) {
    return [body](Peer& peer) {
      Message const message = peer.expect("SEND");
      want(message.text("table") == "post" && message.text("queue") == "orders", "to the queue");
      want(message.text("body") == body, "with its body");
      peer.answer(message, "SENT", {text("table", "post"), number("message", 8), number("queues", 1)});
    };
  };
  BOOST_TEST(talk(script("hello"), {"queue", "send", "post", "orders", "hello"}).out == "sent message 8\n");
  BOOST_TEST(talk(script("from a pipe"), {"queue", "send", "post", "orders"}, "from a pipe").out == "sent message 8\n");
  auto const routed = [](Peer& peer) {
    Message const message = peer.expect("SEND");
    want(message.text("exchange") == "news" && message.text("routing_key") == "sport", "by the exchange");
    want(!message.has("queue"), "to no queue");
    peer.answer(message, "SENT", {text("table", "post"), number("queues", 0)});
  };
  BOOST_TEST(
      says(talk(routed, {"queue", "send", "post", "--exchange", "news", "--key", "sport", "x"}).out, "no queue"));
  BOOST_TEST((talk([](Peer&) {}, {"queue", "send", "post"}).code == ExitCode::usage));
}

BOOST_AUTO_TEST_CASE(a_message_is_printed_and_accepted_then) {
  auto const script = [](Peer& peer) {
    Message const asked = peer.expect("ACQUIRE");
    want(asked.text("queue") == "orders" && asked.integer("count") == 1, "of the queue");
    peer.answer(
        asked, "MESSAGE",
        {text("table", "post"), number("message", 8), number("epoch", 5), text("body", "hello"), number("left", 0)});
    Message const accepted = peer.expect("ACCEPT");
    want(accepted.integer("message") == 8 && accepted.integer("epoch") == 5, "the same message");
    peer.answer(accepted, "ACCEPTED", {text("table", "post"), number("message", 8)});
  };
  BOOST_TEST(talk(script, {"queue", "take", "post", "orders"}).out == "hello\n");
  auto const nothing = [](Peer& peer) { peer.answer(peer.expect("ACQUIRE"), "NOTHING", {text("table", "post")}); };
  BOOST_TEST((talk(nothing, {"queue", "take", "post", "orders"}).code == ExitCode::nothing));
}

BOOST_AUTO_TEST_CASE(several_queues_are_asked_as_one) {
  auto const script = [](Peer& peer) {
    Message const asked = peer.expect("ACQUIRE");
    want(asked.text("queues") == "express orders" && !asked.has("queue"), "of both, in this order");
    peer.answer(asked, "NOTHING", {text("table", "post")});
  };
  BOOST_TEST((talk(script, {"queue", "take", "post", "express", "orders"}).code == ExitCode::nothing));
}

// Whoever has no lease takes the message first.
BOOST_AUTO_TEST_CASE(a_message_that_nobody_has_is_taken_and_parked) {
  auto const park = [](Peer& peer, std::int64_t epoch, std::string const& answer) {
    Message const message = peer.expect("PARK");
    want(message.integer("message") == 8 && message.integer("epoch") == epoch, "with its epoch");
    peer.answer(message, answer, {text("table", "post"), number("message", 8)});
  };
  auto const taken = [&](Peer& peer) {
    Message const message = peer.expect("ACQUIRE");
    want(message.integer("message") == 8 && !message.has("queue"), "this message");
    peer.answer(message, "MESSAGE", {text("table", "post"), number("message", 8), number("epoch", 5)});
    park(peer, 5, "PARKED");
  };
  BOOST_TEST(says(talk(taken, {"queue", "park", "post", "8"}).out, "message 8 is parked"));
  auto const held = [&](Peer& peer) { park(peer, 6, "DELETED"); };
  BOOST_TEST(talk(held, {"queue", "park", "post", "8", "6"}).out == "message 8 had expired, and is dropped\n");
}

BOOST_AUTO_TEST_CASE(those_of_a_queue_are_kicked_page_by_page) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("KICK");
    want(first.text("queue") == "orders" && first.integer("count") == 1000 && !first.has("message"), "a page of it");
    peer.answer(first, "KICKED", {text("table", "post"), number("count", 1000), number("more", 1)});
    Message const second = peer.expect("KICK");
    want(second.integer("count") == 500, "the rest");
    peer.answer(second, "KICKED", {text("table", "post"), number("count", 500), number("more", 1)});
  };
  BOOST_TEST(talk(script, {"queue", "kick", "post", "--queue", "orders", "--count", "1500"}).out ==
             "kicked 1500 messages\n");
}

BOOST_AUTO_TEST_CASE(what_somebody_has_is_taken_back) {
  auto const script = [](std::string const& answer) {
    return [answer](Peer& peer) {
      Message const message = peer.expect("KICK");
      want(message.text("table") == "post" && message.integer("message") == 8, "the message");
      peer.answer(message, answer, {text("table", "post"), number("message", 8)});
    };
  };
  BOOST_TEST(talk(script("KICKED"), {"queue", "kick", "post", "8"}).out ==
             "message 8 is back at work, and waits in its queue\n");
  BOOST_TEST(talk(script("DELETED"), {"queue", "kick", "post", "8"}).out == "message 8 had expired, and is dropped\n");
  auto const refused = [](Peer& peer) {
    peer.answer(peer.expect("KICK"), "ERROR", {text("code", "wrong_state"), text("message", "it is due")});
  };
  Said const said = talk(refused, {"queue", "kick", "post", "8"});
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(says(said.err, "it is due"));
  auto const document = [](Peer& peer) {
    Message const message = peer.expect("KICK");
    want(message.text("document") == "9" && message.text("destination") == "index", "the document");
    peer.answer(message, "KICKED",
                {text("table", "docs"), number("document", 9), number("count", 2), number("in_doubt", 1)});
  };
  BOOST_TEST(talk(document, {"pipeline", "kick", "docs", "9", "--destination", "index"}).out ==
             "2 leases taken back, 1 in doubt: `pipeline resolve`\n");
}

BOOST_AUTO_TEST_CASE(messages_are_moved_page_by_page) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("MOVE");
    want(first.text("queue") == "dead" && first.text("to") == "orders", "from and to");
    peer.answer(first, "MOVED", {text("table", "post"), number("count", 1000), number("more", 1)});
    peer.answer(peer.expect("MOVE"), "MOVED", {text("table", "post"), number("count", 7)});
  };
  BOOST_TEST(talk(script, {"queue", "move", "post", "dead", "orders"}).out == "moved 1007 messages\n");
  // Back to where each died: also a page without any says where to go on.
  auto const back = [](Peer& peer) {
    Message const first = peer.expect("MOVE");
    want(first.text("queue") == "dead" && !first.has("to") && !first.has("after"), "to where they died");
    peer.answer(first, "MOVED", {number("count", 0), number("more", 1), number("after", 9)});
    Message const second = peer.expect("MOVE");
    want(second.integer("after") == 9, "behind those that were looked at");
    peer.answer(second, "MOVED", {number("count", 3)});
  };
  BOOST_TEST(talk(back, {"queue", "move", "post", "dead"}).out == "moved 3 messages\n");
  BOOST_TEST(talk(back, {"queue", "move", "post", "dead", "--dry-run"}).out == "would have moved 3 messages\n");
  auto const dry = [](Peer& peer) {
    Message const message = peer.expect("PURGE");
    want(message.integer("dry_run") == 1, "to count only");
    peer.answer(message, "PURGED", {text("table", "post"), number("count", 1), number("dry_run", 1)});
  };
  BOOST_TEST(talk(dry, {"queue", "purge", "post", "dead", "--dry-run"}).out == "would have dropped 1 message\n");
}

BOOST_AUTO_TEST_CASE(queues_exchanges_and_bindings_are_declared_and_listed) {
  auto const make = [](Peer& peer) {
    Message const message = peer.expect("DECLARE");
    want(message.text("queue") == "orders" && message.text("dead_letters") == "dead", "the queue");
    want(message.integer("max_deliveries") == 5 && message.integer("expires") == 90'000, "its options");
    want(message.integer("delay") == 5'000 && message.integer("lease") == 60'000, "its times");
    want(message.integer("max_message_bytes") == 4096 && message.text("properties") == "{}", "and what else it has");
    peer.answer(message, "DECLARED", {text("table", "post"), text("queue", "orders"), text("result", "made")});
  };
  BOOST_TEST(
      talk(make, {"queue", "make", "post", "orders", "--dead-letters", "dead", "--max-deliveries", "5", "--expires",
                  "90s", "--delay", "5s", "--lease", "1m", "--max-message-bytes", "4KiB", "--properties", "{}"})
          .out == "orders: made\n");
  auto const bind = [](Peer& peer) {
    Message const message = peer.expect("BIND");
    want(message.text("routing_key") == "sport.*" && message.integer("declare") == 1, "the binding");
    peer.answer(message, "BOUND", {text("table", "post"), text("exchange", "news"), text("queue", "anna")});
  };
  BOOST_TEST(says(talk(bind, {"queue", "bind", "post", "news", "anna", "sport.*", "--make"}).out, "BOUND"));
  auto const list = [](Peer& peer) {
    Message const first = peer.expect("QUEUES");
    peer.answer(first, "QUEUE",
                {text("table", "post"), text("queue", "orders"), number("messages", 3), text("after", "orders"),
                 number("left", 0)});
    Message const second = peer.expect("QUEUES");
    want(second.text("after") == "orders", "behind it");
    peer.answer(second, "NOTHING", {text("table", "post")});
  };
  BOOST_TEST(says(talk(list, {"queue", "ls", "post"}).out, "orders"));
  BOOST_TEST((talk([](Peer&) {}, {"queue", "remove", "post"}).code == ExitCode::usage));
}

BOOST_AUTO_TEST_SUITE_END()
