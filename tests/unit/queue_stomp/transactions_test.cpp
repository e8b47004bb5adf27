// Local transactions: frames with the header `transaction` are kept, several at a time, and are one TRANSACTION at COMMIT.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/queue_stomp/harness.h"

namespace fastjournal::queue::stomp {
namespace {

std::string in(std::string_view command, std::string_view transaction, std::string_view more = "") {
  return frame(std::string{command} + "\ntransaction:" + std::string{transaction} + "\n" + std::string{more} + "\n");
}
std::string send(std::string_view transaction, std::string_view body) {
  return frame("SEND\ndestination:/queue/a\ntransaction:" + std::string{transaction} + "\n\n" + std::string{body});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stomp_transactions)

BOOST_AUTO_TEST_CASE(nothing_is_done_before_the_commit_and_all_of_it_then) {
  Client client = Client::connected();
  client.send(
      in("BEGIN", "t", "receipt:1\n") + send("t", "one") + frame("SEND\ndestination:/queue/b\n\napart") +
      frame("SEND\ndestination:/queue/a\ntransaction:t\nreceipt:2\nx:y\ncontent-length:1\n\n" + std::string(1, '\0')));
  BOOST_TEST(client.take_seen() == Strings{"SEND queue=b body=apart"}, boost::test_tools::per_element());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:1\n\n@RECEIPT\nreceipt-id:2\n\n@");
  client.send(in("COMMIT", "t", "receipt:3\n"));
  BOOST_TEST(
      client.take_seen() ==
          Strings{R"(TRANSACTION commands=[SEND queue=a body=one][SEND queue=a body_binary=0x@ properties={"x":"y"}])"},
      boost::test_tools::per_element());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:3\n\n@");
  // The name is free again.
  client.send(in("BEGIN", "t"));
  BOOST_TEST(!client.ended);
}

BOOST_AUTO_TEST_CASE(several_are_open_at_once) {
  Client client = Client::connected();
  client.send(in("BEGIN", "a") + in("BEGIN", "b") + send("a", "1") + send("b", "2") + send("a", "3") +
              in("COMMIT", "b") + in("ABORT", "a", "receipt:r\n"));
  BOOST_TEST(client.take_seen() == Strings{"TRANSACTION commands=[SEND queue=a body=2]"},
             boost::test_tools::per_element());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:r\n\n@");
  client.send(in("COMMIT", "a"));
  BOOST_TEST(client.seen ==
                 Strings{"bad wrong_state: header transaction names none that is open; expected a BEGIN of it before"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_empty_one_needs_no_command) {
  Client client = Client::connected();
  client.send(in("BEGIN", "t") + in("COMMIT", "t", "receipt:1\n"));
  BOOST_TEST(client.seen.empty());
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:1\n\n@");
}

BOOST_AUTO_TEST_CASE(acknowledgements_take_part) {
  Client client = Client::connected();
  client.send(frame("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client\n\n") +
              frame("SUBSCRIBE\nid:i\ndestination:/queue/b\nack:client-individual\n\n"));
  for (std::uint64_t i = 1; i <= 3; ++i) client.deliver(i, 10 + i, "a", "x");
  client.deliver(8, 18, "b", "x");
  client.take_seen();
  client.send(in("BEGIN", "t") + in("ACK", "t", "id:2-12-1\n") + in("NACK", "t", "id:8-18\nrequeue:false\n") +
              frame("ACK\nid:3-13-1\n\n"));
  // The one outside of it leaves alone what is in it.
  BOOST_TEST(client.take_seen() == Strings{"ACCEPT message=3 epoch=13"}, boost::test_tools::per_element());
  client.send(in("COMMIT", "t"));
  BOOST_TEST(
      client.take_seen() ==
          Strings{
              "TRANSACTION commands=[ACCEPT message=1 epoch=11][ACCEPT message=2 epoch=12][REJECT message=8 epoch=18]"},
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_message_is_acknowledged_in_one_transaction) {
  Client client = Client::connected();
  client.send(frame("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client\n\n"));
  for (std::uint64_t i = 1; i <= 2; ++i) client.deliver(i, 10 + i, "a", "x");
  client.take_seen();
  client.send(in("BEGIN", "t") + in("BEGIN", "u") + in("ACK", "t", "id:1-11-1\n") + in("ACK", "u", "id:2-12-1\n") +
              in("COMMIT", "u"));
  BOOST_TEST(client.take_seen() == Strings{"TRANSACTION commands=[ACCEPT message=2 epoch=12]"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_abort_leaves_messages_to_be_acknowledged_again) {
  Client client = Client::connected();
  client.send(frame("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client\n\n"));
  for (std::uint64_t i = 1; i <= 2; ++i) client.deliver(i, 10 + i, "a", "x");
  client.take_seen();
  client.send(in("BEGIN", "t") + in("ACK", "t", "id:2-12-1\n") + in("ABORT", "t"));
  BOOST_TEST(client.take_seen().empty());
  client.send(in("BEGIN", "t") + in("ACK", "t", "id:2-12-1\n") + in("COMMIT", "t"));
  BOOST_TEST(
      client.take_seen() == Strings{"TRANSACTION commands=[ACCEPT message=1 epoch=11][ACCEPT message=2 epoch=12]"},
      boost::test_tools::per_element());
  client.send(in("BEGIN", "t") + in("ACK", "t", "id:2-12-1\n"));
  BOOST_TEST(client.seen.back() == "bad wrong_state: the message is acknowledged already, or its lease is over");
  Client twice = Client::connected();
  twice.send(frame("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client\n\n"));
  twice.deliver(1, 11, "a", "x");
  twice.send(in("BEGIN", "t") + in("ACK", "t", "id:1-11-1\n") + frame("ACK\nid:1-11-1\n\n"));
  BOOST_TEST(twice.seen.back() == "bad wrong_state: the message is acknowledged in a transaction that is open");
}

BOOST_AUTO_TEST_CASE(a_commit_that_is_refused_names_the_command) {
  Client client = Client::connected();
  client.serve = [](Client& c, Message const&) {
    c.error("over_limit", "the queue is full", {{"op", Value::of_text("2")}});
    return true;
  };
  client.send(in("BEGIN", "t") + send("t", "1") + send("t", "2") + in("COMMIT", "t", "receipt:9\n"));
  BOOST_TEST(
      client.take().starts_with("ERROR\nmessage:COMMIT\\c over_limit\\c command 2 of the transaction\\c the queue is "
                                "full\ncode:over_limit\nreceipt-id:9\n"));
  BOOST_TEST(client.ended);
}

BOOST_AUTO_TEST_CASE(the_answers_of_its_commands_are_one_receipt) {
  Client client = Client::connected();
  client.serve = [](Client&, Message const&) { return false; };
  client.send(in("BEGIN", "t") + send("t", "1") + in("COMMIT", "t", "receipt:9\n"));
  client.answer("COMMITTED", {}, false);
  BOOST_TEST(client.take().empty());
  BOOST_TEST(client.protocol.is_answering());
  client.answer("SENT");
  BOOST_TEST(client.take() == "RECEIPT\nreceipt-id:9\n\n@");
}

BOOST_AUTO_TEST_CASE(mistakes_with_transactions_are_named) {
  auto const last_of = [](std::string_view frames) {
    Client client = Client::connected();
    client.send(frames);
    return client.seen.empty() ? std::string{} : client.seen.back();
  };
  BOOST_TEST(last_of(frame("BEGIN\n\n")) == "bad bad_parameter: header transaction is missing; expected a name");
  BOOST_TEST(last_of(in("BEGIN", "t") + in("BEGIN", "t")) ==
             "bad wrong_state: a transaction of this name is open already");
  BOOST_TEST(last_of(send("t", "x")) ==
             "bad wrong_state: header transaction names none that is open; expected a BEGIN of it before");
  BOOST_TEST(last_of(frame("COMMIT\n\n")) == "bad missing_parameter: header transaction is missing; expected its name");
  BOOST_TEST(last_of(frame("ABORT\n\n")) == "bad missing_parameter: header transaction is missing; expected its name");
}

BOOST_AUTO_TEST_CASE(what_is_kept_has_limits) {
  auto const last_of = [](std::string_view frames) {
    Client client = Client::connected();
    client.send(frames);
    return client.seen.empty() ? std::string{} : client.seen.back();
  };
  std::string many;
  for (std::size_t i = 0; i < kTransactionsMax; ++i) many += in("BEGIN", "t" + std::to_string(i));
  BOOST_TEST(last_of(many).empty());
  BOOST_TEST(last_of(many + in("BEGIN", "more")) == "bad over_limit: this connection has 64 open transactions already");
  std::string sends = in("BEGIN", "t");
  for (std::size_t i = 0; i < kTransactionCommandsMax; ++i) sends += send("t", "x");
  BOOST_TEST(last_of(sends).empty());
  BOOST_TEST(last_of(sends + send("t", "x")) ==
             "bad over_limit: the transaction has 1000 commands already: a message sent or acknowledged is one");
  // Bytes of all of them.
  Client client = Client::connected();
  std::size_t const before = client.protocol.kept_bytes();
  std::string const large(4000, 'x');
  for (std::size_t i = 0; i < 6 && !client.ended; ++i) {
    client.send(in("BEGIN", std::to_string(i)));
    for (std::size_t k = 0; k < kTransactionCommandsMax && !client.ended; ++k)
      client.send(send(std::to_string(i), large));
  }
  BOOST_TEST(
      client.seen.back().starts_with("bad over_limit: the open transactions of this connection have more than "));
  Client back = Client::connected();
  back.send(in("BEGIN", "t") + send("t", large));
  BOOST_TEST(back.protocol.kept_bytes() >= before + large.size());
  back.send(in("COMMIT", "t"));
  BOOST_TEST(back.protocol.kept_bytes() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::stomp
