// Nodes that say nothing any more: stopped, or without power. No connection ends, so silence alone tells.
#include "tests/unit/clients/nodes.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

using Peer = FakeServer::Peer;
constexpr Milliseconds kSilence{50};

Options options_for(std::string const& servers) {
  return {.server = servers, .time_limit = kLimit, .silence_limit = kSilence, .back_off = {Milliseconds{1}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(client_silent_nodes)

BOOST_AUTO_TEST_CASE(a_node_that_owes_an_answer_is_given_up_for_another_one) {
  FakeServer other([](Peer& peer) { peer.answer(peer.expect("INSERT"), "INSERTED", {number("row", 7)}); });
  FakeServer silent([](Peer& peer) {
    static_cast<void>(peer.expect("INSERT"));
    peer.wait_for_end();
  });
  auto connection = connected(options_for(silent.address() + "," + other.address()));
  Result<Reply> const reply = connection->call("INSERT", numbered(1));
  want_inserted(reply, 7);
  BOOST_TEST(reply->resent);
  silent.finish();
  other.finish();
}

BOOST_AUTO_TEST_CASE(what_must_not_be_sent_twice_is_closed) {
  FakeServer other([](Peer& peer) { peer.wait_for_end(); });
  FakeServer silent([](Peer& peer) {
    static_cast<void>(peer.expect("INSERT"));
    peer.wait_for_end();
  });
  auto connection = connected(options_for(silent.address() + "," + other.address()));
  Result<Reply> const reply = connection->call("INSERT", insert(1));
  BOOST_REQUIRE(!reply.ok());
  BOOST_TEST((reply.status().code() == Code::closed), reply.status().text());
  BOOST_TEST(reply.status().message().find("has said nothing for 50 ms") != std::string::npos, reply.status().text());
  silent.finish();
  BOOST_TEST(!connection->wait_push(Milliseconds{100}).ok());
  connection.reset();
  other.finish();
}

BOOST_AUTO_TEST_CASE(a_command_that_waits_has_its_time_first) {
  FakeServer slow([](Peer& peer) {
    Message const next = peer.expect("NEXT");
    // Longer than the limit, within its `wait`.
    peer.expect_nothing(Milliseconds{200});
    peer.answer(next, "ROW", {number("row", 3)});
    peer.wait_for_end();
  });
  auto connection = connected(options_for(slow.address() + ",127.0.0.1:1"));
  Result<Reply> const reply = connection->call("NEXT", {text("table", "pages"), number("wait", 10'000)});
  BOOST_TEST(reply.ok(), reply.status().text());
  connection.reset();
  slow.finish();
}

BOOST_AUTO_TEST_CASE(a_listener_asks_and_goes_to_another_one) {
  FakeServer other([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
    peer.push("LISTEN", {text("table", "pages"), number("ready", 1)});
    peer.wait_for_end();
  });
  FakeServer silent([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
    // It is well for a while.
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    static_cast<void>(peer.expect("ALIVE"));
    peer.wait_for_end();
  });
  auto connection = connected(options_for(silent.address() + "," + other.address()));
  BOOST_REQUIRE(connection->listen("pages").ok());
  Result<Message> const told = connection->wait_push(kLimit);
  BOOST_REQUIRE_MESSAGE(told.ok(), told.status().text());
  BOOST_TEST(told->command == "LISTEN");
  silent.finish();
  connection.reset();
  other.finish();
}

BOOST_AUTO_TEST_CASE(a_node_that_knows_nobody_is_left_for_another_one) {
  FakeServer other([](Peer& peer) {
    take_inserts(peer, {1});
    peer.wait_for_end();
  });
  FakeServer cut_off([](Peer& peer) {
    for (int time = 0; time < 4; ++time) peer.answer(peer.expect("INSERT"), "ERROR", nobody(1));
    // What is of no table stays at home.
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.wait_for_end();
  });
  auto connection = connected(options_for(cut_off.address() + "," + other.address()));
  // Nothing was done, so it does not have to be numbered.
  want_inserted(connection->call("INSERT", insert(1)), 1);
  BOOST_TEST(connection->call("ALIVE").ok());
  connection.reset();
  cut_off.finish();
  other.finish();
}

BOOST_AUTO_TEST_CASE(with_one_address_there_is_nobody_else_to_ask) {
  FakeServer slow([](Peer& peer) {
    Message const one = peer.expect("INSERT");
    peer.expect_nothing(Milliseconds{200});
    peer.answer(one, "INSERTED", {number("row", 1)});
  });
  auto connection = connected(options_for(slow.address()));
  want_inserted(connection->call("INSERT", insert(1)), 1);
  slow.finish();
}

BOOST_AUTO_TEST_SUITE_END()
