// Frames of one connection as commands, and answers as frames: connecting, SEND, receipts, errors.
#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

#include "tests/unit/queue_stomp/harness.h"

namespace fastjournal::queue::stomp {
namespace {

using namespace std::string_view_literals;

// The only command of a SEND to /queue/a with these headers.
std::string sent(std::string_view headers, std::string_view body = "x") {
  Client client = Client::connected();
  client.send("SEND\ndestination:/queue/a\n" + std::string{headers} + "content-length:" + std::to_string(body.size()) +
              "\n\n" + std::string{body} + '\0');
  BOOST_REQUIRE(client.seen.size() == 1U);
  return client.seen.front();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stomp_connection)

BOOST_AUTO_TEST_CASE(the_highest_version_of_both_is_spoken) {
  struct Case {
    std::string_view accepts;
    std::string_view version;
  };
  for (Case const& one :
       {Case{"1.0", "1.0"}, Case{"1.1,1.0", "1.1"}, Case{"1.0,1.1,1.2", "1.2"}, Case{"2.0, 1.1", "1.1"}}) {
    Client client;
    client.send(frame("CONNECT\naccept-version:" + std::string{one.accepts} + "\nhost:x\nheart-beat:5000,5000\n\n"));
    BOOST_TEST(client.take() == "CONNECTED\nversion:" + std::string{one.version} +
                                    "\nheart-beat:0,0\nsession:7\nserver:fastjournal\n\n@");
    BOOST_TEST(client.seen == Strings{"RIGHTS"}, boost::test_tools::per_element());
    BOOST_TEST(client.tokens == Strings{""}, boost::test_tools::per_element());
  }
  Client oldest;
  oldest.send(frame("CONNECT\nlogin: ann\n\n"));
  BOOST_TEST(oldest.take().starts_with("CONNECTED\nversion:1.0\n"));
  Client newer;
  newer.send(frame("STOMP\naccept-version:3.0\n\n"));
  BOOST_TEST(newer.take() ==
             "ERROR\nmessage:STOMP: not_supported: accept-version names no version that is known here; expected "
             "1.0,1.1,1.2\ncode:not_supported\nversion:1.0,1.1,1.2\ncontent-type:text/plain\ncontent-length:95\n\n"
             "STOMP: not_supported: accept-version names no version that is known here; expected 1.0,1.1,1.2\n@");
  BOOST_TEST(newer.ended);
}

BOOST_AUTO_TEST_CASE(the_passcode_is_the_token_of_each_command) {
  Client client;
  client.send(frame("CONNECT\naccept-version:1.2\nlogin:ann\npasscode:secret\n\n"));
  BOOST_TEST(client.take().starts_with("CONNECTED\n"));
  client.send(frame("SEND\ndestination:/queue/a\n\nx"));
  BOOST_TEST(client.tokens == (Strings{"secret", "secret"}), boost::test_tools::per_element());
  Client other;
  other.send(frame("CONNECT\naccept-version:1.2\nlogin:bob\npasscode:secret\n\n"));
  BOOST_TEST(other.take().starts_with(
      "ERROR\nmessage:CONNECT\\c not_allowed\\c the passcode is not that of the user in header login\n"));
  BOOST_TEST(other.ended);
  Client wrong;
  wrong.serve = [](Client& c, Message const&) {
    c.error("not_allowed", "no such token");
    return true;
  };
  wrong.send(frame("CONNECT\naccept-version:1.2\npasscode:guess\n\n") + frame("SEND\ndestination:/queue/a\n\nx"));
  BOOST_TEST(wrong.take().starts_with("ERROR\nmessage:CONNECT\\c not_allowed\\c no such token\ncode:not_allowed\n"));
  BOOST_TEST(wrong.seen == Strings{"RIGHTS"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_frame_connects_and_no_other_one) {
  Client client;
  client.send(frame("SEND\ndestination:/queue/a\n\nx"));
  BOOST_TEST(client.seen == Strings{"bad wrong_state: the first frame must be CONNECT or STOMP"},
             boost::test_tools::per_element());
  Client twice = Client::connected();
  twice.send(frame("CONNECT\n\n"));
  BOOST_TEST(twice.seen == Strings{"bad wrong_state: this connection is connected already"},
             boost::test_tools::per_element());
  Client stranger;
  stranger.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(1, '\0'));
  BOOST_TEST(stranger.seen.at(0).starts_with("bad invalid: this port speaks STOMP, and what came is a request of"));
  BOOST_TEST(stranger.ended);
  Client lower = Client::connected();
  lower.send(frame("send\n\n"));
  BOOST_TEST(lower.ended);
  Client body = Client::connected();
  body.send(frame("BEGIN\ntransaction:t\n\nbody"));
  BOOST_TEST(body.seen == Strings{"bad invalid: there is a body of 4 bytes; expected none: only SEND has one"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_depends_on_the_pieces_in_which_it_comes) {
  std::string const stream = frame("CONNECT\naccept-version:1.2\n\n") + "\n\n" +
                             frame("SUBSCRIBE\nid:s\ndestination:/topic/a.*\nack:client\nreceipt:r1\n\n") +
                             frame("BEGIN\ntransaction:t\n\n") +
                             frame("SEND\ndestination:/queue/a\ntransaction:t\nx:y\n\nbody") +
                             frame("COMMIT\ntransaction:t\nreceipt:r2\n\n") + frame("DISCONNECT\nreceipt:r3\n\n");
  Client whole;
  whole.send(stream);
  BOOST_TEST(whole.ended);
  BOOST_TEST(
      shown(whole.out).ends_with("RECEIPT\nreceipt-id:r1\n\n@RECEIPT\nreceipt-id:r2\n\n@RECEIPT\nreceipt-id:r3\n\n@"));
  for (std::size_t step = 1; step < 60; ++step) {
    Client pieces;
    pieces.send(stream, step);
    BOOST_TEST(pieces.out == whole.out);
    BOOST_TEST(pieces.seen == whole.seen, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(send_becomes_send) {
  BOOST_TEST(sent("") == "SEND queue=a body=x");
  BOOST_TEST(sent("", "") == "SEND queue=a body=");
  BOOST_TEST(sent("", "a\0b"sv) == "SEND queue=a body_binary=0xa@b");
  BOOST_TEST(sent("", "\xC3\xA4") == "SEND queue=a body=\xC3\xA4");
  BOOST_TEST(sent("", "\xFF") == "SEND queue=a body_binary=0x\xFF");
  BOOST_TEST(sent("priority:9\n") == "SEND queue=a body=x priority=0");
  BOOST_TEST(sent("priority:0\n") == "SEND queue=a body=x priority=180");
  BOOST_TEST(sent("priority:4\n") == "SEND queue=a body=x priority=100");
  BOOST_TEST(sent("priority:10\n") == "bad bad_parameter: header priority is no whole number from 0 to 9");
  BOOST_TEST(sent("expires:1795265539768\n") == "SEND queue=a body=x expiration_date=1795265539768 drop_expired=1");
  BOOST_TEST(sent("expires:0\n") == "SEND queue=a body=x");
  BOOST_TEST(sent("expiration:2000\n") == "SEND queue=a body=x expiration_date=+2000");
  BOOST_TEST(sent("AMQ_SCHEDULED_DELAY:60000\n") == "SEND queue=a body=x process_date=+60000");
  BOOST_TEST(sent("persistent:true\n") == "SEND queue=a body=x");
  BOOST_TEST(sent("persistent:false\n") == "SEND queue=a body=x");
  BOOST_TEST(sent("persistent:no\n") == "bad bad_parameter: header persistent is neither true nor false");
  BOOST_TEST(sent("mandatory:false\n") == "SEND queue=a body=x mandatory=0");
  BOOST_TEST(sent("mandatory:1\n") == "bad bad_parameter: header mandatory is neither true nor false");
  BOOST_TEST(sent("fj-client:p1\nfj-sequence:12\n") == "SEND queue=a body=x client=p1 sequence=12");
}

BOOST_AUTO_TEST_CASE(a_message_for_later_is_asked_for_as_in_several_brokers) {
  BOOST_TEST(sent("x-delay:500\n") == "SEND queue=a body=x process_date=+500");
  for (std::string const header : {"AMQ_SCHEDULED_TIME", "_AMQ_SCHED_DELIVERY"})
    BOOST_TEST(sent(header + ":1795265539768\n") == "SEND queue=a body=x process_date=1795265539768", header);
  BOOST_TEST(sent("x-delay:0\nAMQ_SCHEDULED_TIME:5000\n") == "SEND queue=a body=x process_date=5000");
  BOOST_TEST(sent("_HQ_SCHED_DELIVERY:5000\n") == "SEND queue=a body=x process_date=5000");
  BOOST_TEST(sent("AMQ_SCHEDULED_DELAY:5\nx-delay:5\n") ==
             "bad bad_parameter: header x-delay is given beside AMQ_SCHEDULED_DELAY; expected one of them");
  BOOST_TEST(sent("x-delay:soon\n").starts_with("bad bad_parameter: header x-delay is no whole number from 0 to "));
}

// Nobody gets a RECEIPT for what was not done.
BOOST_AUTO_TEST_CASE(what_other_brokers_do_for_a_message_and_this_one_does_not_is_refused) {
  for (std::string const header : {"AMQ_SCHEDULED_PERIOD:1000", "AMQ_SCHEDULED_REPEAT:3",
                                   "AMQ_SCHEDULED_CRON:0 * * * *", "AMQ_SCHEDULER_ACTION:REMOVEALL", "_AMQ_DUPL_ID:a",
                                   "_HQ_DUPL_ID:a", "x-deduplication-header:a", "_AMQ_GROUP_ID:a", "JMSXGroupID:a"})
    BOOST_TEST(
        sent(header + "\n")
            .starts_with("bad not_supported: header " + header.substr(0, header.find(':')) + " is not supported: "),
        sent(header + "\n"));
  BOOST_TEST(sent("AMQ_SCHEDULED_PERIOD:0\nAMQ_SCHEDULED_REPEAT:0\n").starts_with("SEND queue=a body=x"));
}

BOOST_AUTO_TEST_CASE(several_destinations_in_one_are_refused) {
  for (std::string const destination :
       {"/queue/a,/queue/b", "/queue/a,/topic/b", "/queue/a,queue://b", "/queue/a?consumer.prefetchSize=1"}) {
    for (std::string const command : {"SEND", "SUBSCRIBE"}) {
      Client client = Client::connected();
      client.send(frame(command + "\nid:1\ndestination:" + destination + "\n\n"));
      BOOST_TEST(client.seen.back().starts_with("bad not_supported: header destination "), client.seen.back());
    }
  }
}

// Some clients copy all headers of a MESSAGE into its ACK.
BOOST_AUTO_TEST_CASE(a_content_length_without_a_body_is_not_waited_for) {
  for (std::string const command : {"ACK", "NACK"}) {
    Client client = Client::connected();
    client.send(frame(command + "\nid:5-9\ncontent-length:400\nreceipt:r\n\n"));
    BOOST_TEST(client.seen.back().ends_with("message=5 epoch=9" + std::string{command == "ACK" ? "" : " failed=1"}));
    BOOST_TEST(shown(client.out).ends_with("RECEIPT\nreceipt-id:r\n\n@"));
  }
}

BOOST_AUTO_TEST_CASE(whoever_speaks_something_else_is_told_what_is_spoken_here) {
  auto const told = [](std::string_view bytes) {
    Client client;
    client.send(bytes);
    return client.seen.empty() ? std::string{} : client.seen.back();
  };
  BOOST_TEST(told("INSERT table=mail;name=a\n") ==
             "bad invalid: this port speaks STOMP, and what came is a message of text, JSON or msgpack, which is not "
             "spoken here");
  BOOST_TEST(told("GET /metrics HTTP/1.1\r\n").find("a request of HTTP") != std::string::npos);
  BOOST_TEST(told("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv).find("a handshake of TLS") != std::string::npos);
  BOOST_TEST(told("hello\n") == "bad invalid: this port speaks STOMP, and what came is nothing that is known");
  BOOST_TEST(told("CONN").empty());
  BOOST_TEST(told("\nCONNECT\n").empty());
}

// A sender that does not wait for a line's end, or for the rest of its greeting, is told at once.
BOOST_AUTO_TEST_CASE(a_wrong_port_is_told_alike_however_the_stream_is_cut) {
  constexpr std::string_view kTls = "a handshake of TLS";
  constexpr std::string_view kMessage = "a message of text, JSON or msgpack";
  constexpr std::string_view kNothing = "nothing that is known";
  constexpr std::string_view kFrame = "bad invalid: ";
  std::pair<std::string_view, std::string_view> const all[] = {
      {"\x16\x03\x01\x02\x00"sv, kTls},
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\n\x00more of it"sv, kTls},
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "a request of HTTP"},
      {"INSERT table=mail;name=a\n", kMessage},
      {"{\"command\":\"ALIVE\"}\n", kMessage},
      {"FJM\x01\x00\x00\x00\x01\x80"sv, kMessage},
      {"FJBLOB\r\n", "the hello of a blob client"},
      {"hello\n", kNothing},
      {"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", kNothing},
      {"seventeen letters and no end", kNothing},
      // A frame that is none.
      {"hello\0"sv, kFrame},
      {"\r\nhello\0"sv, kFrame}};
  for (auto const& [bytes, what] : all)
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
      Client client;
      client.send(bytes, step);
      BOOST_TEST_CONTEXT(shown(bytes) << " by " << step) {
        BOOST_REQUIRE(client.seen.size() == 1U);
        BOOST_TEST(client.seen.front().find(what) != std::string::npos, client.seen.front());
        BOOST_TEST(client.ended);
        BOOST_TEST(client.out.starts_with("ERROR\n"), shown(client.out));
      }
    }
}

BOOST_AUTO_TEST_CASE(other_headers_travel_as_properties) {
  BOOST_TEST(sent("content-type:text/plain\nx-a:1\\n2\nq\\c:\"\\\\\n") ==
             R"(SEND queue=a body=x properties={"content-type":"text/plain","x-a":"1\n2","q:":"\"\\"})");
  BOOST_TEST(sent("reply-to:/queue/b\n") == R"(SEND queue=a body=x properties={"reply-to":"/queue/b"})");
}

BOOST_AUTO_TEST_CASE(temporary_queues_are_there_while_they_are_subscribed) {
  Client client = Client::connected();
  client.send(frame("SUBSCRIBE\nid:1\ndestination:/temp-queue/mine\n\n"));
  client.take_seen();
  client.send(frame("SEND\ndestination:/queue/a\nreply-to:/temp-queue/mine\n\nx") +
              frame("SEND\ndestination:/temp-queue/mine\n\nx"));
  BOOST_TEST(client.take_seen() == (Strings{R"(SEND queue=a body=x properties={"reply-to":"/queue/stomp.7.temp.mine"})",
                                            "SEND queue=stomp.7.temp.mine body=x"}),
             boost::test_tools::per_element());
  std::string const refused{
      "bad wrong_state: this connection has no such temporary queue; expected a SUBSCRIBE of it before"};
  BOOST_TEST(sent("reply-to:/temp-queue/mine\n") == refused);
  client.send(frame("UNSUBSCRIBE\nid:1\n\n") + frame("SEND\ndestination:/temp-queue/mine\n\nx"));
  BOOST_TEST(client.seen.back() == refused);
}

BOOST_AUTO_TEST_CASE(destinations_are_queues_and_exchanges) {
  auto const to = [](std::string_view destination) {
    Client client = Client::connected();
    client.send(frame("SEND\ndestination:" + std::string{destination} + "\n\nx"));
    return client.seen;
  };
  BOOST_TEST(to("/queue/a/b c") == Strings{"SEND queue=a/b c body=x"}, boost::test_tools::per_element());
  BOOST_TEST(to("/amq/queue/a") == Strings{"SEND queue=a body=x"}, boost::test_tools::per_element());
  BOOST_TEST(to("/exchange/e") == Strings{"SEND exchange=e body=x"}, boost::test_tools::per_element());
  BOOST_TEST(to("/exchange/e/k.l/m") == Strings{"SEND exchange=e routing_key=k.l/m body=x"},
             boost::test_tools::per_element());
  BOOST_TEST(
      to("/topic/a.b") == (Strings{"DECLARE exchange=topic kind=topic", "SEND exchange=topic routing_key=a.b body=x"}),
      boost::test_tools::per_element());
  for (std::string_view const wrong : {"", "a", "/queue", "/queue/", "/exchange//k", "/Queue/a"}) {
    Strings const seen = to(wrong);
    BOOST_REQUIRE(seen.size() == 1U);
    BOOST_TEST(seen.front().starts_with(
        "bad bad_parameter: header destination is none that is known here; expected /queue/NAME"));
  }
}

BOOST_AUTO_TEST_CASE(the_exchange_of_topics_is_declared_once_a_connection) {
  Client client = Client::connected();
  client.send(frame("SEND\ndestination:/topic/a\n\nx") + frame("SEND\ndestination:/topic/b\n\ny"));
  BOOST_TEST(client.seen == (Strings{"DECLARE exchange=topic kind=topic", "SEND exchange=topic routing_key=a body=x",
                                     "SEND exchange=topic routing_key=b body=y"}),
             boost::test_tools::per_element());
  // Whoever may not declare uses the one that is there.
  Client other;
  other.rights = "read add work";
  other.send(frame("CONNECT\n\n") + frame("SEND\ndestination:/topic/a\nreceipt:1\n\nx"));
  BOOST_TEST(other.seen == (Strings{"RIGHTS", "SEND exchange=topic routing_key=a body=x"}),
             boost::test_tools::per_element());
  // What is refused ends the connection.
  Client refused = Client::connected();
  refused.serve = [](Client& c, Message const&) {
    c.error("wrong_state", "it is of kind direct");
    return true;
  };
  refused.send(frame("SEND\ndestination:/topic/a\nreceipt:1\n\nx"));
  BOOST_TEST(refused.take().starts_with("ERROR\nmessage:SEND\\c wrong_state\\c it is of kind direct\n"));
  BOOST_TEST(refused.seen.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_receipt_comes_with_the_answer) {
  Client client = Client::connected();
  client.serve = [](Client&, Message const&) { return false; };
  client.send(frame("SEND\ndestination:/queue/a\nreceipt:r\\c1\n\nx") + frame("SEND\ndestination:/queue/a\n\ny"));
  BOOST_TEST(client.take().empty());
  // One command at a time.
  BOOST_TEST(client.seen == Strings{"SEND queue=a body=x"}, boost::test_tools::per_element());
  client.answer("SENT");
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:r\\c1\n\n@");
  client.read();
  client.answer("SENT");
  BOOST_TEST(client.take().empty());
  BOOST_TEST(client.seen.back() == "SEND queue=a body=y");
}

BOOST_AUTO_TEST_CASE(which_node_decides_is_told) {
  Client client = Client::connected();
  client.serve = [](Client& c, Message const&) {
    c.error("moved", "node b at 10.0.0.2:4050 decides for log common",
            {{"address", Value::of_text("10.0.0.2:4050")}, {"node", Value::of_text("b")}});
    return true;
  };
  client.send(frame("SEND\ndestination:/queue/a\n\nx"));
  std::string const told = client.take();
  BOOST_TEST(told.starts_with(
                 "ERROR\nmessage:SEND\\c moved\\c node b at 10.0.0.2\\c4050 decides for log common\ncode:moved\n"),
             told);
  BOOST_TEST(client.ended);
}

BOOST_AUTO_TEST_CASE(what_is_refused_is_told_in_full_and_ends_the_connection) {
  Client client = Client::connected();
  client.serve = [](Client& c, Message const&) {
    c.error("over_limit", "the queue is full: 10 of 10 messages", {{"limit", Value::of_text("max_messages")}});
    return true;
  };
  client.send(frame("SEND\ndestination:/queue/a\nreceipt:77\n\nx") + frame("SEND\ndestination:/queue/b\n\ny"));
  BOOST_TEST(
      client.take() ==
      "ERROR\nmessage:SEND\\c over_limit\\c the queue is full\\c 10 of 10 messages\ncode:over_limit\nreceipt-id:77\n"
      "content-type:text/plain\ncontent-length:55\n\nSEND: over_limit: the queue is full: 10 of 10 messages\n@");
  BOOST_TEST(client.ended);
  BOOST_TEST(client.seen.size() == 1U);
  Client broken = Client::connected();
  broken.send("SEND\nno colon\n");
  BOOST_TEST(!broken.ended);
  broken.send("\n" + std::string(1, '\0'));
  BOOST_TEST(
      broken.take().starts_with("ERROR\nmessage:invalid\\c line 2 of the frame\\c \"no colon\" has no colon; expected "
                                "NAME\\cVALUE\ncode:invalid\n"));
  BOOST_TEST(broken.ended);
}

BOOST_AUTO_TEST_CASE(disconnect_ends_it_behind_its_receipt) {
  Client client = Client::connected();
  client.send(frame("SEND\ndestination:/queue/a\n\nx") + frame("DISCONNECT\nreceipt:bye\n\n") +
              frame("SEND\ndestination:/queue/a\n\ny"));
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:bye\n\n@");
  BOOST_TEST(client.seen == Strings{"SEND queue=a body=x"}, boost::test_tools::per_element());
  BOOST_TEST(client.ended);
}

BOOST_AUTO_TEST_CASE(a_connection_that_the_daemon_ends_is_told_why) {
  Client client = Client::connected();
  client.error("over_limit", "nothing was said for 60 s: closed");
  BOOST_TEST(client.take().starts_with("ERROR\nmessage:over_limit\\c nothing was said for 60 s\\c closed\n"));
  BOOST_TEST(client.ended);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::stomp
