// What TLS clients do that would cost others their turn: many handshakes of one origin, and new keys again and again.
#include "tests/unit/reactor/tls_fixture.h"

namespace fastjournal::reactor {

BOOST_FIXTURE_TEST_SUITE(abuse_of_tls, Secured)

// Their connections come from 127.0.0.1, this one from a unix socket.
BOOST_AUTO_TEST_CASE(one_origin_does_not_take_the_places_of_others) {
  Server server{{.handshakes_max = 4,
                 .handshakes_per_origin_max = 2,
                 .handshakes_waiting_max = 3,
                 .handshake_limit_us = 3'600'000'000}};
  Context const with = context();
  std::string const address = listen(server, with);
  TemporaryFolder folder;
  std::string const socket = "unix:" + (folder / "socket");
  auto const bound = server.reactor->listen({socket}, {.number = 2}, {with, kNoTls});
  BOOST_REQUIRE_MESSAGE(bound.ok(), bound.status().text());
  server.start();
  std::vector<std::unique_ptr<LineClient>> crowd;
  for (int i = 0; i < 5; ++i) crowd.push_back(std::make_unique<LineClient>(address));
  // There is no room for it to wait.
  LineClient refused{address};
  BOOST_TEST(refused.read_all().value_or("(open)") == "");
  // At once, though the crowd came before it and none of them is slow.
  TlsClient other{socket, trusting()};
  shake(other);
  BOOST_TEST(echo(other, "x") == "x");
  // Those who wait come when places get free: the third, fourth and fifth.
  crowd[0]->close();
  crowd[1]->close();
  crowd[2]->close();
  crowd[3]->close();
  TlsClient next{address, trusting()};
  shake(next);
  BOOST_TEST(echo(next, "y") == "y");
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 2U);
  BOOST_TEST(server.reactor->counters().handshakes_late == 1U);
  BOOST_TEST(server.reactor->counters().handshakes_failed == 4U);
}

BOOST_AUTO_TEST_CASE(a_crowd_that_is_slow_makes_room_for_its_own) {
  Server server{{.handshakes_per_origin_max = 2, .handshake_limit_us = 3'600'000'000}};
  std::string const address = listen(server);
  server.start();
  LineClient first{address};
  LineClient second{address};
  TlsClient third{address, trusting()};
  shake(third);
  BOOST_TEST(echo(third, "x") == "x");
  server.finish();
  BOOST_TEST(server.reactor->counters().handshakes_late == 1U);
}

// Each costs as much as a hundred messages: at once they would keep the loop for seconds.
BOOST_AUTO_TEST_CASE(new_keys_are_made_now_and_then_and_not_one_after_the_other) {
  Server server;
  std::string const address = listen(server);
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(client.ask_new_keys());
    BOOST_TEST(echo(client, "x") == "x");
  }
  // A few at once are taken too.
  TlsClient few{address, trusting()};
  shake(few);
  for (int i = 0; i < 8; ++i) BOOST_TEST(few.ask_new_keys());
  BOOST_TEST(echo(few, "y") == "y");
  for (int i = 0; i < 1000 && client.ask_new_keys(); ++i) continue;
  BOOST_TEST(!client.read_all().has_value());
  BOOST_TEST(echo(few, "z") == "z");
  server.finish();
  BOOST_REQUIRE(server.handler.closed.size() == 1U);
  BOOST_TEST(server.handler.closed[0].second == "the peer sends records without data, one after the other");
}

// New keys demand an answer, and the socket takes nothing: a record of an answer waits in OpenSSL, half sent.
BOOST_AUTO_TEST_CASE(new_keys_are_taken_while_an_answer_waits_for_room) {
  Server server;
  std::string const address = listen(server);
  std::string const plain = server.listen();
  std::string const large = numbered(16U << 20U) + "\n";
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    server.handler.answer(id, bytes == "much\n" ? std::string_view{large} : bytes);
  };
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  BOOST_TEST(client.send("much\n"));
  BOOST_TEST(client.wait_for_bytes());
  LineClient beside{plain};
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(beside.ask("y") == "y");
    BOOST_TEST(client.ask_new_keys());
  }
  BOOST_TEST(client.send("after\n"));
  BOOST_TEST(beside.ask("z") == "z");
  BOOST_TEST((client.read_bytes(large.size()) == large));
  BOOST_TEST(client.read_line().value_or("(no answer: " + client.error() + ")") == "after");
  BOOST_TEST(echo(client, "x") == "x");
  server.finish();
  BOOST_TEST(server.handler.short_sends > 0U);
  BOOST_TEST(server.handler.closed.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
