// The typed calls of a queue table: the messages that they send, and how they read the answers.
#include "clients/cpp/queues.h"

#include "clients/cpp/transaction.h"
#include "tests/unit/clients/talk.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

QueueMessage leased() { return {.table = "post", .message = 5, .epoch = 9}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(client_queues)

BOOST_AUTO_TEST_CASE(a_send_says_all_that_was_asked_and_learns_what_became_of_it) {
  Talk talk([](Peer& peer) {
    Message const full = peer.expect("SEND");
    want(full.text("table") == "post" && full.text("queue") == "orders", "table and queue");
    want(full.find("body_binary")->kind == Value::Kind::binary && !full.has("body"), "a body of bytes");
    want(full.text("properties") == "{}" && full.integer("priority") == 20, "properties and priority");
    want(full.text("process_date") == "+10000" && full.integer("expiration_date") == 0, "dates");
    want(full.text("client") == "c" && full.integer("sequence") == 9 && !full.has("mandatory"), "the rest");
    peer.answer(full, "SENT", {number("message", 812), number("queues", 1), text("result", "duplicate")});
    Message const bare = peer.expect("SEND");
    want(bare.text("exchange") == "news" && bare.text("routing_key") == "a.b" && bare.text("body") == "x", "routed");
    want(!bare.has("priority") && !bare.has("process_date"), "defaults are the daemon's");
    want(bare.integer("mandatory") == 0, "not mandatory");
    peer.answer(bare, "SENT", {number("queues", 0), text("result", "sent")});
    peer.answer(peer.expect("SEND"), "SENT", {text("result", "of a later version")});
  });
  Queues post(*talk.connection, "post");
  Sent const sent = value_of(post.send("orders", std::string_view{"\0\xff", 2},
                                       {.binary = true,
                                        .properties = "{}",
                                        .priority = 20,
                                        .process_date = Date::in(DurationMs{10'000}),
                                        .expiration_date = Date::never(),
                                        .client = "c",
                                        .sequence = 9}));
  BOOST_TEST(sent.message == 812U);
  BOOST_TEST((sent.result == SentResult::duplicate));
  Sent const routed = value_of(post.publish("news", "a.b", "x", {.mandatory = false}));
  BOOST_TEST(routed.queues == 0U);
  BOOST_TEST((post.send("orders", {}).status().code() == Code::invalid));
}

BOOST_AUTO_TEST_CASE(numbered_sends_and_accepts_survive_a_loss) {
  Talk talk([](Peer& peer) {
    peer.answer(peer.expect("SEND"), "SENT", {number("message", 1), text("result", "sent")});
    static_cast<void>(peer.expect("SEND"));
    peer.accept();
    Message const again = peer.expect("SEND");
    want(again.text("client") == "producer-7" && again.integer("sequence") == 2, "the same number");
    peer.answer(again, "SENT", {number("message", 2), text("result", "duplicate")});
    static_cast<void>(peer.expect("ACCEPT"));
    peer.accept();
    Message const gone = peer.expect("ACCEPT");
    want(gone.integer("message") == 5 && gone.integer("epoch") == 9, "its lease");
    peer.answer(gone, "ERROR", {text("code", "unknown_row"), number("left", 0)});
    static_cast<void>(peer.expect("MOVE"));
    peer.close();
  });
  Queues post(*talk.connection, "post");
  BOOST_TEST(post.send("orders", "a").ok());
  Sent const second = value_of(post.send("orders", "b"));
  BOOST_TEST((second.result == SentResult::duplicate));
  BOOST_TEST(post.accept(leased()).ok());
  BOOST_TEST((post.move("orders", "old").status().code() == Code::closed));
}

BOOST_AUTO_TEST_CASE(messages_bring_what_was_sent_with_them) {
  Talk talk([](Peer& peer) {
    Message const asked = peer.expect("ACQUIRE");
    want(asked.text("queue") == "orders" && asked.integer("count") == 2 && asked.integer("lease") == 5000, "asked");
    want(asked.integer("wait") == 100 && asked.integer("accept") == 1 && asked.text("worker") == "w", "and how");
    std::vector<Param> message{text("table", "post"),
                               number("message", 5),
                               {"epoch", Value::of_unsigned(1ULL << 40U | 3U)},
                               text("queue", "orders"),
                               text("body", "four pizzas"),
                               number("bytes", 11),
                               text("properties", R"({"table":7})"),
                               text("exchange", "news"),
                               text("routing_key", "a.b"),
                               number("priority", 4'000'000'000),
                               number("process_date", 11),
                               number("sent_date", 10),
                               number("expiration_date", 99),
                               number("lease_end", 50),
                               number("redelivered", 1),
                               number("deliveries", 3),
                               text("dead_of", "mails"),
                               number("origin", 4),
                               number("left", 1)};
    peer.answer(asked, "MESSAGE", message);
    peer.answer(
        asked, "MESSAGE",
        {number("message", 6), {"body_binary", Value::of_binary("\xff")}, number("bytes", 1), number("left", 0)});
    peer.answer(peer.expect("ACQUIRE"), "NOTHING", {number("next_date", 1234)});
    peer.answer(peer.expect("ACQUIRE"), "ROW");
  });
  Queues post(*talk.connection, "post");
  Acquired const acquired = value_of(post.acquire({.queue = "orders",
                                                   .count = 2,
                                                   .lease = DurationMs{5000},
                                                   .wait = DurationMs{100},
                                                   .accept = true,
                                                   .worker = "w"}));
  BOOST_REQUIRE(acquired.messages.size() == 2U);
  QueueMessage const& one = acquired.messages.front();
  BOOST_TEST(one.message == 5U);
  BOOST_TEST(one.epoch == (1ULL << 40U | 3U));
  BOOST_TEST(one.body == "four pizzas");
  BOOST_TEST(one.is_text);
  BOOST_TEST(one.properties == R"({"table":7})");
  BOOST_TEST(one.exchange + one.routing_key + one.queue + one.dead_of == "newsa.bordersmails");
  BOOST_TEST(one.priority == 4'000'000'000U);
  BOOST_TEST((one.process_date.value == 11 && one.sent_date.value == 10 && one.lease_end.value == 50));
  BOOST_TEST(one.expiration_date.value().value == 99);
  BOOST_TEST((one.redelivered && one.deliveries == 3 && one.origin == 4));
  BOOST_TEST(acquired.messages.back().body == "\xff");
  BOOST_TEST(!acquired.messages.back().is_text);
  Result<Acquired> const none = post.acquire();
  BOOST_TEST(none->messages.empty());
  BOOST_TEST(none->next_date.value().value == 1234);
  BOOST_TEST((post.acquire().status().code() == Code::invalid));
}

BOOST_AUTO_TEST_CASE(each_fate_of_a_message_is_told) {
  Talk talk([](Peer& peer) {
    Message const released = peer.expect("RELEASE");
    want(released.text("process_date") == "+500" && released.text("error") == "why" && released.integer("failed") == 0,
         "how it is released");
    peer.answer(released, "RELEASED", {number("process_date", 77)});
    peer.answer(peer.expect("RELEASE"), "DEAD", {text("queue", "failed")});
    Message const rejected = peer.expect("REJECT");
    want(rejected.text("error") == "never", "why it is rejected");
    peer.answer(rejected, "PARKED");
    peer.answer(peer.expect("REJECT"), "DELETED");
    peer.answer(peer.expect("REJECT"), "ACCEPTED");
    peer.answer(peer.expect("TOUCH"), "TOUCHED", {number("lease_end", 60)});
  });
  Queues post(*talk.connection, "post");
  using Fate = ReturnedMessage::Fate;
  Result<ReturnedMessage> const released =
      post.release(leased(), {.process_date = Date::in(DurationMs{500}), .error = "why", .failed = false});
  BOOST_TEST((released->fate == Fate::released && released->process_date.value().value == 77));
  Result<ReturnedMessage> const dead = post.release(leased());
  BOOST_TEST((dead->fate == Fate::dead && dead->queue == "failed"));
  BOOST_TEST((post.reject(leased(), "never")->fate == Fate::parked));
  BOOST_TEST((post.reject(leased())->fate == Fate::deleted));
  BOOST_TEST((post.reject(leased()).status().code() == Code::invalid));
  BOOST_TEST(post.touch(leased(), DurationMs{10})->value == 60);
}

BOOST_AUTO_TEST_CASE(a_lease_is_taken_back_by_the_number_of_its_message) {
  Talk talk([](Peer& peer) {
    Message const asked = peer.expect("KICK");
    want(asked.text("table") == "post" && asked.integer("message") == 5 && !asked.has("epoch"), "its number alone");
    peer.answer(asked, "KICKED", {number("message", 5)});
  });
  Queues post(*talk.connection, "post");
  BOOST_TEST(post.kick(5).ok());
}

BOOST_AUTO_TEST_CASE(pages_follow_one_another_also_behind_an_empty_one) {
  Talk talk([](Peer& peer) {
    Message const first = peer.expect("BROWSE");
    want(first.text("queue") == "q" && first.text("status") == "parked" && first.integer("body") == 1, "what");
    want(first.integer("count") == 2 && !first.has("after"), "from the front");
    peer.answer(first, "NOTHING", {number("after", 7)});
    Message const second = peer.expect("BROWSE");
    want(second.integer("after") == 7, "behind it");
    peer.answer(second, "MESSAGE", {number("message", 8), number("after", 8)});
    peer.answer(peer.expect("BROWSE"), "MESSAGE", {number("message", 9)});
    Message const queues = peer.expect("QUEUES");
    want(queues.integer("count") == 1000 && !queues.has("after"), "the first page");
    peer.answer(queues, "QUEUE", {text("queue", "a"), number("messages", 3), number("due", 1), text("after", "a")});
    Message const more = peer.expect("QUEUES");
    want(more.text("after") == "a", "the second page");
    peer.answer(more, "QUEUE", {text("queue", "b"), number("temporary", 1), text("when_full", "drop")});
    peer.answer(peer.expect("EXCHANGES"), "EXCHANGE", {text("exchange", "e"), text("kind", "topic")});
    peer.answer(peer.expect("BINDINGS"), "NOTHING");
    Message const purge = peer.expect("PURGE");
    want(purge.integer("count") == 1000 && purge.text("status") == "parked", "a page of them");
    peer.answer(purge, "PURGED", {number("count", 1000), number("more", 1)});
    Message const rest = peer.expect("PURGE");
    want(rest.integer("count") == 200, "what is left of the count");
    peer.answer(rest, "PURGED", {number("count", 200), number("more", 1)});
    peer.answer(peer.expect("MOVE"), "MOVED", {number("count", 4)});
    Message const kick = peer.expect("KICK");
    want(kick.text("queue") == "q" && kick.integer("count") == 3, "three at most");
    peer.answer(kick, "KICKED", {number("count", 3), number("more", 1)});
  });
  Queues post(*talk.connection, "post");
  Browse browse = post.browse({.queue = "q", .status = "parked", .body = true, .page = 2});
  BOOST_TEST(browse.next().value().value().message == 8U);
  BOOST_TEST(browse.next().value().value().message == 9U);
  BOOST_TEST(!browse.next().value().has_value());
  std::vector<Queue> const queues = value_of(post.queues());
  BOOST_REQUIRE(queues.size() == 2U);
  BOOST_TEST((queues.front().queue == "a" && queues.front().messages == 3 && queues.front().due == 1));
  BOOST_TEST((queues.back().temporary && queues.back().when_full == "drop" && !queues.back().leaving));
  BOOST_TEST((post.exchanges()->front().kind == ExchangeKind::topic));
  BOOST_TEST(post.bindings("e")->empty());
  BOOST_TEST(post.purge("q", {.status = "parked", .count = 1200}).value() == 1200U);
  BOOST_TEST(post.move("q", "r").value() == 4U);
  BOOST_TEST(post.kick_queue("q", {.count = 3}).value() == 3U);
}

BOOST_AUTO_TEST_CASE(queues_and_exchanges_are_declared_with_what_is_given_alone) {
  Talk talk([](Peer& peer) {
    Message const full = peer.expect("DECLARE");
    want(full.has("dead_letters") && full.text("dead_letters").empty() && full.integer("temporary") == 0, "given");
    want(full.integer("max_messages") == 5 && full.integer("expires") == 60'000, "limits");
    want(!full.has("max_bytes") && !full.has("when_full") && !full.has("max_deliveries"), "not given");
    peer.answer(full, "DECLARED", {text("result", "changed")});
    Message const exchange = peer.expect("DECLARE");
    want(exchange.text("kind") == "fanout" && !exchange.has("queue"), "an exchange");
    peer.answer(exchange, "DECLARED", {text("result", "made")});
    Message const bound = peer.expect("BIND");
    want(bound.text("routing_key") == "#" && bound.integer("declare") == 1 && !bound.has("temporary"), "a binding");
    peer.answer(bound, "BOUND", {text("result", "unchanged")});
    peer.answer(peer.expect("UNBIND"), "UNBOUND");
    Message const removed = peer.expect("REMOVE");
    want(removed.text("queue") == "q" && removed.integer("if_empty") == 1, "a queue");
    peer.answer(removed, "ERROR", {text("code", "wrong_state"), text("message", "it is not empty")});
    Message const last = peer.expect("REMOVE");
    want(last.text("exchange") == "e" && !last.has("queue"), "an exchange");
    peer.answer(last, "REMOVED");
  });
  Queues post(*talk.connection, "post");
  BOOST_TEST(
      (post.declare("q", {.temporary = false, .dead_letters = "", .max_messages = 5, .expires = DurationMs{60'000}})
           .value() == Declared::changed));
  BOOST_TEST((post.declare_exchange("e", ExchangeKind::fanout).value() == Declared::made));
  BOOST_TEST((post.bind("e", "q", {.routing_key = "#", .declare = true}).value() == Declared::unchanged));
  BOOST_TEST(post.unbind("e", "q", "#").ok());
  BOOST_TEST((post.remove("q", true).code() == Code::wrong_state));
  BOOST_TEST(post.remove_exchange("e").ok());
}

BOOST_AUTO_TEST_CASE(notices_are_of_their_queue) {
  Talk talk([](Peer& peer) {
    Message const listen = peer.expect("LISTEN");
    want(listen.text("mode") == "deliver" && listen.text("queue") == "a" && listen.integer("credit") == 4, "deliver");
    peer.answer(listen, "LISTENING");
    Message const other = peer.expect("LISTEN");
    want(other.text("queue") == "b" && other.text("mode") == "wake" && !other.has("credit"), "wake");
    peer.answer(other, "LISTENING");
    Message const end = peer.expect("UNLISTEN");
    want(end.text("queue") == "b", "which one");
    peer.answer(end, "UNLISTENED");
    peer.accept();
    want(peer.expect("LISTEN").text("queue") == "a", "only what was not ended is made again");
    peer.send("MESSAGE table=post;message=5;epoch=9;queue=a;body=x\n");
    peer.send("LISTEN table=post;queue=a;message=6;process_date=7\n");
    peer.send("LISTEN table=post;queue=a;ready=3;date=8\n");
    peer.send("LISTEN table=post;missed=4\n");
    peer.send("UNLISTENED table=post;queue=a;code=bad_parameter;message=lease is too long\n");
    peer.send("UNLISTENED table=post\n");
  });
  Queues post(*talk.connection, "post");
  BOOST_TEST(post.listen({.queue = "a", .credit = 4}).ok());
  BOOST_TEST(post.listen({.mode = ListenMode::wake, .queue = "b"}).ok());
  BOOST_TEST(post.unlisten("b").ok());
  auto const next = [&] { return wait_queue_notice(*talk.connection, Milliseconds{kScriptLimitMs}); };
  QueueNotice const delivered = value_of(next());
  using Kind = QueueNotice::Kind;
  BOOST_TEST((delivered.kind == Kind::delivered && delivered.queue == "a" && delivered.message.body == "x"));
  Result<QueueNotice> const due = next();
  BOOST_TEST((due->kind == Kind::due && due->message.message == 6 && due->message.process_date.value == 7));
  Result<QueueNotice> const work = next();
  BOOST_TEST((work->kind == Kind::work && work->ready == 3 && work->date.value == 8));
  BOOST_TEST((next()->kind == Kind::missed));
  Status const over = next().status();
  BOOST_TEST((over.code() == Code::bad_parameter && over.message() == "lease is too long"));
  BOOST_TEST((next().status().code() == Code::unknown_table));
}

BOOST_AUTO_TEST_CASE(commands_of_queues_join_a_transaction) {
  Talk talk([](Peer& peer) {
    Message const all = peer.expect("TRANSACTION");
    std::string_view const frames = all.text("commands");
    for (std::string_view const name : {"ACCEPT", "SEND", "RELEASE", "REJECT"})
      want(frames.find(name) != std::string_view::npos, "each command");
    peer.answer(all, "COMMITTED", {number("left", 1)});
    peer.answer(all, "SENT", {number("message", 3), text("result", "expired"), number("left", 0)});
  });
  Queues post(*talk.connection, "post");
  Transaction transaction(*talk.connection);
  transaction.add(post.accept_of(leased()));
  transaction.add(post.send_of("orders", "bill"));
  transaction.add(post.publish_of("news", "a", "b"));
  transaction.add(post.release_of(leased()));
  transaction.add(post.reject_of(leased(), "no"));
  std::vector<Message> const answers = value_of(transaction.commit());
  BOOST_TEST((Queues::sent_of(answers.front())->result == SentResult::expired));
}

BOOST_AUTO_TEST_SUITE_END()
