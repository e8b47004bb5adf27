// Subscriptions: what SUBSCRIBE and UNSUBSCRIBE become, how messages come, and what their acknowledgements become.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/queue_stomp/harness.h"

namespace fastjournal::queue::stomp {
namespace {

using namespace std::string_view_literals;

std::string subscribe(std::string_view id, std::string_view destination, std::string_view more = "") {
  return frame("SUBSCRIBE\nid:" + std::string{id} + "\ndestination:" + std::string{destination} + "\n" +
               std::string{more} + "\n");
}

Strings commands_of(std::string_view frames, std::string_view version = "1.2") {
  Client client = Client::connected(version);
  client.send(frames);
  return client.seen;
}

std::string ack(std::string_view id, std::string_view more = "") {
  return frame("ACK\nid:" + std::string{id} + "\n" + std::string{more} + "\n");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stomp_subscriptions)

BOOST_AUTO_TEST_CASE(a_queue_is_listened_to) {
  BOOST_TEST(commands_of(subscribe("s", "/queue/a")) == Strings{"LISTEN queue=a mode=deliver credit=100 accept=1"},
             boost::test_tools::per_element());
  BOOST_TEST(commands_of(subscribe("s", "/queue/a", "ack:client-individual\nprefetch-count:5\n")) ==
                 Strings{"LISTEN queue=a mode=deliver credit=5"},
             boost::test_tools::per_element());
  BOOST_TEST(commands_of(subscribe("s", "/queue/a", "ack:client\nactivemq.prefetchSize:7\nfj-lease:9000\n")) ==
                 Strings{"LISTEN queue=a mode=deliver credit=7 lease=9000"},
             boost::test_tools::per_element());
  BOOST_TEST(commands_of(subscribe("s", "/queue/a", "ack:client\nprefetch-count:0\n")).front() ==
             "LISTEN queue=a mode=deliver credit=1024");
  BOOST_TEST(commands_of(subscribe("s", "/queue/a", "ack:client\nprefetch-count:5000\n")).front() ==
             "LISTEN queue=a mode=deliver credit=1024");
  BOOST_TEST(commands_of(subscribe("s", "/temp-queue/a")) ==
                 (Strings{"DECLARE queue=stomp.7.temp.a temporary=1",
                          "LISTEN queue=stomp.7.temp.a mode=deliver credit=100 accept=1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_other_brokers_do_for_a_subscription_and_this_one_does_not_is_refused) {
  for (std::string const header : {"selector:colour = 'red'", "browser:true", "no-local:true", "exclusive:true",
                                   "activemq.exclusive:true", "activemq.retroactive:true", "x-queue-type:quorum"}) {
    Strings const seen = commands_of(subscribe("s", "/queue/a", header + "\n"));
    BOOST_TEST(seen.back().starts_with("bad not_supported: header " + header.substr(0, header.find(':'))), seen.back());
  }
  for (std::string const header :
       {"selector:", "browser:false", "no-local:false", "activemq.exclusive:false", "activemq.dispatchAsync:true"})
    BOOST_TEST(commands_of(subscribe("s", "/queue/a", header + "\n")).back() ==
               "LISTEN queue=a mode=deliver credit=100 accept=1");
}

BOOST_AUTO_TEST_CASE(a_subscription_lasts_however_a_broker_calls_it) {
  for (std::string const header : {"durable:true", "persistent:true", "activemq.subscriptionName:s",
                                   "durable-subscription-name:s", "durable-subscriber-name:s"})
    BOOST_TEST(commands_of(subscribe("s", "/exchange/e", header + "\n")).back() ==
                   "LISTEN queue=subscription.s mode=deliver credit=100 accept=1",
               header);
}

BOOST_AUTO_TEST_CASE(topics_and_exchanges_have_a_queue_for_each_subscription) {
  BOOST_TEST(
      commands_of(subscribe("s", "/topic/a.*") + subscribe("t", "/topic/b.>") +
                  subscribe("u", "/exchange/e", "receipt:1\n")) ==
          (Strings{
              "DECLARE exchange=topic kind=topic", "BIND queue=stomp.7.1 exchange=topic routing_key=a.* temporary=1",
              "LISTEN queue=stomp.7.1 mode=deliver credit=100 accept=1",
              "BIND queue=stomp.7.2 exchange=topic routing_key=b.# temporary=1",
              "LISTEN queue=stomp.7.2 mode=deliver credit=100 accept=1", "BIND queue=stomp.7.3 exchange=e temporary=1",
              "LISTEN queue=stomp.7.3 mode=deliver credit=100 accept=1"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(durable_subscriptions_have_names) {
  BOOST_TEST(commands_of(subscribe("news", "/exchange/e/k", "durable:true\nack:client\n")) ==
                 (Strings{"BIND queue=subscription.news exchange=e routing_key=k declare=1",
                          "LISTEN queue=subscription.news mode=deliver credit=100"}),
             boost::test_tools::per_element());
  Client client;
  client.send(frame("CONNECT\naccept-version:1.1\nclient-id:desk\n\n") +
              subscribe("1", "/exchange/e/k", "activemq.subscriptionName:news\nack:client\n"));
  BOOST_TEST(client.seen.at(1) == "BIND queue=subscription.desk.news exchange=e routing_key=k declare=1");
  // It is left by UNSUBSCRIBE, and removed by one that says so; also when it is not subscribed.
  client.take_seen();
  client.send(frame("UNSUBSCRIBE\nid:1\n\n"));
  BOOST_TEST(client.take_seen() == Strings{"UNLISTEN queue=subscription.desk.news"}, boost::test_tools::per_element());
  client.send(subscribe("1", "/exchange/e/k", "activemq.subscriptionName:news\nack:client\n"));
  client.take_seen();
  client.send(frame("UNSUBSCRIBE\nid:1\nactivemq.subscriptionName:news\n\n"));
  BOOST_TEST(
      client.take_seen() == (Strings{"UNLISTEN queue=subscription.desk.news", "REMOVE queue=subscription.desk.news"}),
      boost::test_tools::per_element());
  client.send(frame("UNSUBSCRIBE\nid:other\ndurable:true\nreceipt:r\n\n"));
  BOOST_TEST(client.take_seen() == Strings{"REMOVE queue=subscription.desk.other"}, boost::test_tools::per_element());
  BOOST_TEST(client.take().ends_with("RECEIPT\nreceipt-id:r\n\n@"));
}

BOOST_AUTO_TEST_CASE(unsubscribe_removes_no_queue_but_its_own) {
  Client client = Client::connected();
  client.send(subscribe("q", "/queue/a", "durable:true\n") + subscribe("t", "/exchange/e") +
              subscribe("p", "/temp-queue/x"));
  client.take_seen();
  client.send(frame("UNSUBSCRIBE\nid:q\ndurable:true\nreceipt:1\n\n"));
  BOOST_TEST(client.take_seen() == Strings{"UNLISTEN queue=a"}, boost::test_tools::per_element());
  BOOST_TEST(client.take().ends_with("RECEIPT\nreceipt-id:1\n\n@"));
  client.send(frame("UNSUBSCRIBE\nid:t\nreceipt:2\n\n"));
  BOOST_TEST(client.take_seen() == (Strings{"UNLISTEN queue=stomp.7.2", "REMOVE queue=stomp.7.2"}),
             boost::test_tools::per_element());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:2\n\n@");
  client.send(frame("UNSUBSCRIBE\nid:p\n\n"));
  BOOST_TEST(client.take_seen() == (Strings{"UNLISTEN queue=stomp.7.temp.x", "REMOVE queue=stomp.7.temp.x"}),
             boost::test_tools::per_element());
  // Its id is free again.
  client.send(subscribe("q", "/queue/a"));
  BOOST_TEST(client.take_seen().size() == 1U);
  client.send(frame("UNSUBSCRIBE\nid:p\n\n"));
  BOOST_TEST(client.seen == Strings{"bad not_found: this connection has no subscription with this id"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(in_1_0_the_destination_is_the_id) {
  Client client = Client::connected("1.0");
  client.send(frame("SUBSCRIBE\ndestination:/queue/a\nack:client\n\n"));
  client.deliver(5, 9, "a", "x");
  BOOST_TEST(client.take().starts_with("MESSAGE\nsubscription:/queue/a\nmessage-id:5-9-1\n"));
  client.take_seen();
  client.send(frame("ACK\nmessage-id:5-9-1\n\n") + frame("UNSUBSCRIBE\ndestination:/queue/a\n\n"));
  BOOST_TEST(client.take_seen() == (Strings{"ACCEPT message=5 epoch=9", "UNLISTEN queue=a"}),
             boost::test_tools::per_element());
  client.send(frame("NACK\nmessage-id:5-9-1\n\n"));
  BOOST_TEST(client.ended);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_subscribed_is_refused) {
  auto const last_of = [](std::string_view frames) { return commands_of(frames).back(); };
  BOOST_TEST(last_of(frame("SUBSCRIBE\ndestination:/queue/a\n\n")) ==
             "bad bad_parameter: header id is missing; expected a name");
  BOOST_TEST(last_of(subscribe(std::string(201, 'x'), "/queue/a")) ==
             "bad bad_parameter: header id has 201 bytes; expected at most 200");
  BOOST_TEST(last_of(subscribe("s", "/queue/a", "ack:always\n"))
                 .starts_with("bad bad_parameter: header ack is none of STOMP"));
  BOOST_TEST(last_of(subscribe("s", "/queue/a", "prefetch-count:-1\n"))
                 .starts_with("bad bad_parameter: header prefetch-count"));
  BOOST_TEST(last_of(subscribe("s", "/queue/a") + subscribe("s", "/queue/b")) ==
             "bad wrong_state: this connection has a subscription with this id already");
  BOOST_TEST(
      last_of(subscribe("s", "/queue/a") + subscribe("t", "/queue/a")) ==
      "bad wrong_state: this connection has a subscription of this queue already, with id s; expected one of each "
      "queue a connection");
  std::string many;
  for (std::size_t i = 0; i <= kSubscriptionsMax; ++i)
    many += subscribe("s" + std::to_string(i), "/queue/q" + std::to_string(i));
  BOOST_TEST(last_of(many) == "bad over_limit: this connection has 256 subscriptions already");
  // A command on the way that is refused ends it, with the receipt of the frame.
  Client client = Client::connected();
  client.serve = [](Client& c, Message const&) {
    c.error("not_allowed", "no right");
    return true;
  };
  client.send(subscribe("s", "/exchange/e", "receipt:4\n"));
  BOOST_TEST(client.take_seen().size() == 1U);
  BOOST_TEST(client.take().starts_with(
      "ERROR\nmessage:SUBSCRIBE\\c not_allowed\\c no right\ncode:not_allowed\nreceipt-id:4\n"));
}

BOOST_AUTO_TEST_CASE(messages_come_with_all_that_is_known_of_them) {
  Client client = Client::connected();
  client.send(subscribe("s", "/queue/a", "ack:client-individual\n") + subscribe("auto", "/queue/b"));
  client.deliver(
      5, 9, "a", "hi\0!"sv,
      {{"priority", Value::of_integer(0)},
       {"sent_date", Value::of_integer(1000)},
       {"expiration_date", Value::of_integer(2000)},
       {"redelivered", Value::of_integer(1)},
       {"deliveries", Value::of_integer(2)},
       {"dead_of", Value::of_text("work")},
       {"error", Value::of_text("no: good")},
       {"properties", Value::of_text(R"({"content-type":"text/plain","n":3,"b":true,"f":1.5,"o":{"x":[1]},"l":[2],
                                                  "z":null,"message-id":"mine","ack":"mine","content-length":"9","a:b":"c\nd"})")}});
  BOOST_TEST(client.take() ==
             "MESSAGE\nsubscription:s\nmessage-id:5\nack:5-9\ndestination:/queue/a\nredelivered:true\npersistent:true\n"
             "priority:9\ntimestamp:1000\nexpires:2000\ndelivery-count:2\ndead-of:work\nfj-error:no\\c good\n"
             "content-type:text/plain\nn:3\nb:true\nf:1.5\na\\cb:c\\nd\ncontent-length:4\n\nhi@!@");
  client.deliver(6, 0, "b", "", {{"properties", Value::of_text("{broken")}});
  BOOST_TEST(client.take() ==
             "MESSAGE\nsubscription:auto\nmessage-id:6\ndestination:/queue/b\nredelivered:false\npersistent:true\n"
             "content-length:0\n\n@");
  // Of no subscription any more.
  client.deliver(7, 1, "c", "x");
  BOOST_TEST(client.take().empty());
  BOOST_TEST(!client.ended);
}

BOOST_AUTO_TEST_CASE(properties_have_a_limit) {
  Client client = Client::connected();
  client.send(subscribe("s", "/queue/a"));
  std::string many{"{"};
  for (int i = 0; i < 200; ++i) many += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":1";
  client.deliver(6, 0, "a", "", {{"properties", Value::of_text(many + "}")}});
  std::string const out = client.take();
  BOOST_TEST(out.find("\np63:1\n") != std::string::npos);
  BOOST_TEST(out.find("\np64:1\n") == std::string::npos);
  // As deep as the table lets anybody send.
  std::string const deep = R"({"a":)" + std::string(30'000, '[') + std::string(30'000, ']') + R"(,"b":"c"})";
  client.deliver(7, 0, "a", "", {{"properties", Value::of_text(deep)}});
  BOOST_TEST(client.take().find("\nb:c\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_destination_is_that_to_which_it_was_sent) {
  Client client = Client::connected();
  client.send(subscribe("s", "/topic/#"));
  client.take_seen();
  client.deliver(1, 0, "stomp.7.1", "x",
                 {{"exchange", Value::of_text("topic")}, {"routing_key", Value::of_text("a.b")}});
  BOOST_TEST(client.take().find("\ndestination:/topic/a.b\n") != std::string::npos);
  client.deliver(1, 0, "stomp.7.1", "x", {{"exchange", Value::of_text("e")}, {"routing_key", Value::of_text("a.b")}});
  BOOST_TEST(client.take().find("\ndestination:/exchange/e/a.b\n") != std::string::npos);
  client.deliver(1, 0, "stomp.7.1", "x", {{"exchange", Value::of_text("e")}});
  BOOST_TEST(client.take().find("\ndestination:/exchange/e\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(priorities_map_back) {
  for (std::int64_t i = 0; i <= 9; ++i) BOOST_TEST(stomp_priority_of(priority_of(i)) == i);
  BOOST_TEST(stomp_priority_of(255) == 0);
  BOOST_TEST(stomp_priority_of(100) == 4);
  for (std::int64_t i = 1; i <= 255; ++i) BOOST_TEST(stomp_priority_of(i) <= stomp_priority_of(i - 1));
}

BOOST_AUTO_TEST_CASE(an_individual_acknowledgement_is_for_one_message) {
  Client client = Client::connected();
  client.send(subscribe("s", "/queue/a", "ack:client-individual\n"));
  client.deliver(1, 11, "a", "x");
  client.deliver(2, 12, "a", "y");
  client.take_seen();
  client.take();
  client.send(ack("2-12", "receipt:r\n"));
  BOOST_TEST(client.take_seen() == Strings{"ACCEPT message=2 epoch=12"}, boost::test_tools::per_element());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:r\n\n@");
  client.send(frame("NACK\nid:1-11\n\n") + frame("NACK\nid:1-12\nrequeue:false\nfj-error:bad\n\n") +
              frame("NACK\nid:1-13\nfj-error:later\n\n") +
              frame("NACK\nid:1-14\nfj-error:later\nfj-error-trace:at send\\c\\n line 7\n\n") +
              frame("NACK\nid:1-15\nrequeue:false\nfj-error-trace:line 8\n\n"));
  BOOST_TEST(
      client.take_seen() == (Strings{"RELEASE message=1 epoch=11 failed=1", "REJECT message=1 epoch=12 error=bad",
                                     "RELEASE message=1 epoch=13 failed=1 error=later",
                                     "RELEASE message=1 epoch=14 failed=1 error=later error_trace=at send:\n line 7",
                                     "REJECT message=1 epoch=15 error_trace=line 8"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_client_acknowledgement_is_for_all_before_it_on_its_subscription) {
  Client client = Client::connected();
  client.send(subscribe("s", "/queue/a", "ack:client\n") + subscribe("t", "/queue/b", "ack:client\n"));
  for (std::uint64_t i = 1; i <= 4; ++i) client.deliver(i, 10 + i, "a", "x");
  client.deliver(9, 19, "b", "x");
  BOOST_TEST(client.take().find("\nack:4-14-1\n") != std::string::npos);
  client.take_seen();
  client.send(ack("3-13-1", "receipt:r\n"));
  BOOST_TEST(client.take_seen() ==
                 (Strings{"ACCEPT message=1 epoch=11", "ACCEPT message=2 epoch=12", "ACCEPT message=3 epoch=13"}),
             boost::test_tools::per_element());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:r\n\n@");
  // Once only; then the table says what became of it.
  client.send(ack("3-13-1"));
  BOOST_TEST(client.take_seen() == Strings{"ACCEPT message=3 epoch=13"}, boost::test_tools::per_element());
  client.deliver(5, 15, "a", "x");
  client.send(frame("NACK\nid:5-15-1\n\n"));
  BOOST_TEST(
      client.take_seen() == (Strings{"RELEASE message=4 epoch=14 failed=1", "RELEASE message=5 epoch=15 failed=1"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(leases_that_ended_are_forgotten) {
  Client client = Client::connected();
  client.send(subscribe("s", "/queue/a", "ack:client\nprefetch-count:2\n"));
  client.take_seen();
  // Of the first one the lease is over, as there is a third.
  for (std::uint64_t i = 1; i <= 3; ++i) client.deliver(i, 10 + i, "a", "x");
  client.send(ack("3-13-1"));
  BOOST_TEST(client.take_seen() == (Strings{"ACCEPT message=2 epoch=12", "ACCEPT message=3 epoch=13"}),
             boost::test_tools::per_element());
  // It came again.
  client.deliver(4, 14, "a", "x");
  client.deliver(4, 15, "a", "x", {{"redelivered", Value::of_integer(1)}});
  client.send(ack("4-15-1"));
  BOOST_TEST(client.take_seen() == Strings{"ACCEPT message=4 epoch=15"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(acknowledgements_name_a_delivery) {
  for (std::string_view const wrong :
       {"", "5", "5-", "a-b", "1-2-3-4", "1--2", "-1-2", "1-2-99999999999", "99999999999999999999-1"}) {
    Client client = Client::connected();
    client.send(ack(wrong));
    BOOST_TEST(
        client.seen == Strings{"bad bad_parameter: header id is not that of a MESSAGE that is to be acknowledged"},
        boost::test_tools::per_element());
  }
  BOOST_TEST(commands_of(frame("ACK\nmessage-id:1-2\n\n")).back() ==
             "bad missing_parameter: header id is missing; expected the value of header ack of the MESSAGE");
  BOOST_TEST(commands_of(frame("ACK\nmessage-id:1-2\nsubscription:s\n\n"), "1.1").back() == "ACCEPT message=1 epoch=2");
}

BOOST_AUTO_TEST_CASE(an_ended_listener_ends_the_connection) {
  Client client = Client::connected();
  client.send(subscribe("s", "/queue/a", "fj-lease:0\n"));
  client.take();
  client.push("UNLISTENED", {{"table", Value::of_text("mail")},
                             {"queue", Value::of_text("a")},
                             {"code", Value::of_text("bad_parameter")},
                             {"message", Value::of_text("lease is 0")}});
  BOOST_TEST(client.take().starts_with("ERROR\nmessage:closed\\c the subscription of queue a is over\\c lease is 0\n"));
  BOOST_TEST(client.ended);
}

BOOST_AUTO_TEST_CASE(memory_is_told_and_given_back) {
  Client client = Client::connected();
  std::size_t const before = client.protocol.kept_bytes();
  client.send(subscribe("s", "/queue/a", "ack:client\nprefetch-count:1024\n"));
  BOOST_TEST(client.protocol.kept_bytes() >= before + 1024 * 24);
  client.send(frame("UNSUBSCRIBE\nid:s\n\n"));
  BOOST_TEST(client.protocol.kept_bytes() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::stomp
