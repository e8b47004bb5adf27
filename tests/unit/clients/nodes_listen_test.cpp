// Listeners whose tables move from daemon to daemon, scripted ones. Each case is a promise of client.h about listen(),
// watch() and wait_push().
#include "tests/unit/clients/nodes.h"

using namespace fastjournal;
using namespace fastjournal::client;

BOOST_AUTO_TEST_SUITE(client_nodes_listen)

BOOST_AUTO_TEST_CASE(a_listener_moves_with_its_table) {
  for (std::string const code : {"moved", "unavailable"}) {
    FakeServer node([](Peer& peer) {
      peer.answer(peer.expect("LISTEN"), "ERROR", nobody(1));
      Message const listen = peer.expect("LISTEN");
      want(listen.text("mode") == "wake" && listen.text("table") == "pages", "another subscription");
      peer.answer(listen, "LISTENING", {text("table", "pages")});
      peer.push("LISTEN", {text("table", "pages"), number("ready", 1)});
    });
    FakeServer home([&](Peer& peer) {
      peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "own")});
      peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
      if (code == "moved") {
        peer.push("UNLISTENED", moved_to(node.address(), 7));
      } else {
        peer.push("UNLISTENED", {text("table", "pages"), text("code", code), text("message", "nobody decides")});
        peer.answer(peer.expect("LISTEN"), "ERROR", moved_to(node.address(), 7));
      }
      peer.wait_for_end();
    });
    auto connection = connected_to(home.address());
    BOOST_REQUIRE(connection->listen("own").ok());
    BOOST_REQUIRE(connection->listen("pages", {text("mode", "wake")}).ok());
    BOOST_TEST(pushed(*connection).command == "LISTEN");
    BOOST_TEST(connection->is_connected());
  }
}

BOOST_AUTO_TEST_CASE(a_move_right_behind_the_answer_is_followed) {
  FakeServer node([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
    peer.push("LISTEN", {text("table", "pages")});
    peer.wait_for_end();
  });
  FakeServer home([&](Peer& peer) {
    // Each time in one packet.
    Message const first = peer.expect("LISTEN");
    peer.send(peer.bytes("LISTENING", {text("table", "pages")}, &first) +
              peer.bytes("UNLISTENED", {text("table", "pages"), text("code", "unavailable")}));
    Message const second = peer.expect("LISTEN");
    peer.send(peer.bytes("LISTENING", {text("table", "pages")}, &second) +
              peer.bytes("UNLISTENED", moved_to(node.address(), 7)));
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  BOOST_REQUIRE(connection->listen("pages").ok());
  BOOST_TEST(pushed(*connection).command == "LISTEN");
}

BOOST_AUTO_TEST_CASE(a_watch_of_keys_that_moved_may_have_missed_changes) {
  FakeServer node([](Peer& peer) {
    Message const listen = peer.expect("LISTEN");
    peer.answer(listen, "LISTENING", {text("table", "values"), text("prefix", listen.text("prefix"))});
    peer.push("CHANGED", {text("table", "values"), text("key", "a1")});
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "values"), text("prefix", "a")});
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "values"), text("prefix", "b")});
    peer.answer(peer.expect("UNLISTEN"), "UNLISTENED", {text("table", "values"), text("prefix", "b")});
    std::vector<Param> moved = moved_to(node.address(), 7, "values");
    moved.push_back(text("prefix", "a"));
    peer.push("UNLISTENED", moved);
    // That is not of this library's listeners, and neither is it because of a move.
    peer.push("UNLISTENED", {text("table", "values"), text("prefix", "a"), text("code", "over_limit")});
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  BOOST_REQUIRE(connection->listen("values", {text("prefix", "a")}).ok());
  BOOST_REQUIRE(connection->listen("values", {text("prefix", "b")}).ok());
  BOOST_REQUIRE(connection->unlisten("values", {text("prefix", "b")}).ok());
  BOOST_TEST(pushed(*connection).text("code") == "over_limit");
  Message const missed = pushed(*connection);
  BOOST_TEST(missed.integer("missed").value_or(0) == 1);
  BOOST_TEST(missed.text("prefix") == "a");
  BOOST_TEST(pushed(*connection).text("key") == "a1");
}

BOOST_AUTO_TEST_CASE(pushes_of_all_nodes_come_by_one_wait_and_leases_are_answered_where_they_are) {
  FakeServer node([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
    peer.push("ROW", {text("table", "pages"), number("row", 1), number("epoch", 5)});
    Message const done = peer.expect("DONE");
    want(done.integer("row") == 1, "another row");
    peer.answer(done, "COMPLETED");
    peer.wait_for_end();
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "own")});
    peer.push("ROW", {text("table", "own"), number("row", 2), number("epoch", 6)});
    Message const done = peer.expect("DONE");
    want(done.integer("row") == 2, "another row");
    peer.answer(done, "COMPLETED");
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  BOOST_REQUIRE(connection->listen("pages").ok());
  BOOST_REQUIRE(connection->listen("own").ok());
  for (int i = 0; i < 2; ++i) {
    Message const row = pushed(*connection);
    BOOST_TEST(row.command == "ROW");
    BOOST_TEST(
        connection
            ->call("DONE", {text("table", row.text("table")), {"row", *row.find("row")}, {"epoch", *row.find("epoch")}})
            .ok());
  }
}

BOOST_AUTO_TEST_CASE(a_listener_on_a_lost_node_goes_on_where_home_says) {
  FakeServer next([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
    peer.push("LISTEN", {text("table", "pages")});
    peer.wait_for_end();
  });
  FakeServer node([](Peer& peer) { peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")}); });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("LISTEN"), "ERROR", moved_to(next.address(), 8));
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  BOOST_REQUIRE(connection->listen("pages").ok());
  BOOST_TEST(pushed(*connection).command == "LISTEN");
}

BOOST_AUTO_TEST_CASE(a_watch_of_a_table_moves_and_its_end_is_sent_where_it_is) {
  FakeServer node([](Peer& peer) {
    peer.answer(peer.expect("WATCH"), "WATCHING");
    peer.push("FIGURES", {number("now", 1)});
    peer.answer(peer.expect("UNWATCH"), "UNWATCHED");
    peer.answer(peer.expect("WATCH"), "WATCHING");
    // A WATCH of home takes its place.
    static_cast<void>(peer.expect("UNWATCH"));
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("WATCH"), "WATCHING");
    peer.push("UNWATCHED", moved_to(node.address(), 7));
    peer.answer(peer.expect("WATCH"), "WATCHING");
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  BOOST_REQUIRE(connection->watch({text("table", "pages")}).ok());
  BOOST_TEST(pushed(*connection).command == "FIGURES");
  BOOST_TEST(connection->call("UNWATCH").ok());
  BOOST_TEST(connection->watch({text("table", "pages")}).ok());
  BOOST_TEST(connection->watch().ok());
  BOOST_TEST(connection->call("ALIVE").ok());
}

BOOST_AUTO_TEST_SUITE_END()
