// Tables that live on several daemons: scripted ones send commands from one to the other. Each case is a promise of
// client.h about `moved`, `retry` and lost nodes.
#include <algorithm>
#include <atomic>

#include "clients/cpp/routes.h"
#include "tests/unit/clients/nodes.h"

using namespace fastjournal;
using namespace fastjournal::client;

BOOST_AUTO_TEST_SUITE(client_nodes)

BOOST_AUTO_TEST_CASE(a_moved_table_is_followed_and_others_stay_at_home) {
  for (std::int64_t const token : {0, 7}) {
    FakeServer node([](Peer& peer) {
      take_inserts(peer, {1, 2});
      peer.answer(peer.expect("PEEK"), "ROW", {number("row", 2)});
      peer.wait_for_end();
    });
    FakeServer home([&](Peer& peer) {
      // It may not be sent twice, but nothing was done.
      peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), token));
      take_inserts(peer, {10});
      peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
      peer.wait_for_end();
    });
    auto connection = connected_to(home.address());
    Result<Reply> const first = connection->call("INSERT", insert(1));
    want_inserted(first, 1);
    BOOST_TEST(!first->resent);
    want_inserted(connection->call("INSERT", insert(10, "own")), 10);
    want_inserted(connection->call("INSERT", insert(2)), 2);
    BOOST_TEST(connection->call("ALIVE").ok());
    BOOST_TEST(connection->call("PEEK", {text("table", "pages")}).ok());
    // Locks and leases of the table, if any, were of another connection.
    BOOST_TEST(connection->connects() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(the_commands_of_a_table_keep_their_order) {
  FakeServer node([](Peer& peer) { take_inserts(peer, {0, 1, 2, 3}); });
  FakeServer home([&](Peer& peer) {
    std::vector<Message> moved;
    for (int i = 0; i < 3; ++i) moved.push_back(peer.expect("INSERT"));
    take_inserts(peer, {10});
    Message const alive = peer.expect("ALIVE");
    peer.answer(moved[0], "ERROR", moved_to(node.address(), 7));
    peer.answer(alive, "ABSOLUTELY");
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    // By now the client has sent 0 to the node, and its caller has sent 3: it must wait for 1 and 2.
    Message const again = peer.expect("ALIVE");
    peer.answer(moved[1], "ERROR", moved_to(node.address(), 7));
    peer.answer(moved[2], "ERROR", moved_to(node.address(), 7));
    peer.answer(again, "ABSOLUTELY");
  });
  auto connection = connected_to(home.address());
  std::vector<Ticket> tickets;
  for (std::int64_t n = 0; n < 3; ++n) tickets.push_back(sent(*connection, "INSERT", insert(n)));
  Ticket const own = sent(*connection, "INSERT", insert(10, "own"));
  for (int i = 0; i < 2; ++i) BOOST_TEST(connection->call("ALIVE").ok());
  tickets.push_back(sent(*connection, "INSERT", insert(3)));
  BOOST_TEST(connection->call("ALIVE").ok());
  for (std::size_t n = tickets.size(); n-- > 0;)
    want_inserted(connection->receive(tickets[n]), static_cast<std::int64_t>(n));
  want_inserted(connection->receive(own), 10);
}

BOOST_AUTO_TEST_CASE(a_next_that_waits_keeps_nobody_back) {
  FakeServer node([](Peer& peer) {
    take_inserts(peer, {1, 2});
    peer.answer(peer.expect("NEXT"), "NOTHING");
  });
  FakeServer home([&](Peer& peer) {
    Message const next = peer.expect("NEXT");
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.answer(next, "ERROR", moved_to(node.address(), 7));
  });
  auto connection = connected_to(home.address());
  Ticket const next = sent(*connection, "NEXT", {text("table", "pages"), number("wait", 1000)});
  want_inserted(connection->call("INSERT", insert(1)), 1);
  want_inserted(connection->call("INSERT", insert(2)), 2);
  BOOST_TEST(connection->call("ALIVE").ok());
  BOOST_TEST(connection->receive(next)->first().command == "NOTHING");
}

BOOST_AUTO_TEST_CASE(nodes_that_point_at_each_other_are_asked_slowly_until_the_time_limit) {
  for (std::int64_t const token : {0, 7}) {
    std::atomic<int> asked{0};
    std::string first_address;
    FakeServer second([&](Peer& peer) {
      for (; asked < 10'000; ++asked) peer.answer(peer.expect("INSERT"), "ERROR", moved_to(first_address, token));
    });
    FakeServer first([&](Peer& peer) {
      for (; asked < 10'000; ++asked) peer.answer(peer.expect("INSERT"), "ERROR", moved_to(second.address(), token));
    });
    first_address = first.address();
    auto connection = connected_to(first_address, Milliseconds{300});
    Status const status = connection->call("INSERT", insert(1)).status();
    // On its way to one of them in the last moment, it may also have no answer.
    bool const is_moved = status.code() == Code::moved && fact_of(status, "table") == "pages";
    BOOST_TEST((is_moved || status.code() == Code::timed_out));
    BOOST_TEST(asked >= 2);
    BOOST_TEST(asked <= 20);
    first.abandon();
    second.abandon();
  }
}

BOOST_AUTO_TEST_CASE(an_older_token_is_not_followed) {
  FakeServer older([](Peer&) {});
  older.abandon();
  FakeServer node([&](Peer& peer) {
    // It owns the table, but does not know it yet.
    Message const early = peer.expect("INSERT");
    peer.answer(early, "ERROR", moved_to(older.address(), 6));
    take_inserts(peer, {1, 2});
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.push("UNLISTENED", moved_to(older.address(), 5));
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
  });
  auto connection = connected_to(home.address());
  want_inserted(connection->call("INSERT", insert(1)), 1);
  BOOST_TEST(connection->call("ALIVE").ok());
  BOOST_TEST(connection->call("ALIVE").ok());
  want_inserted(connection->call("INSERT", insert(2)), 2);
}

BOOST_AUTO_TEST_CASE(a_newer_token_is_followed_from_node_to_node) {
  FakeServer last([](Peer& peer) { take_inserts(peer, {1, 2}); });
  FakeServer middle([&](Peer& peer) { peer.answer(peer.expect("INSERT"), "ERROR", moved_to(last.address(), 8)); });
  FakeServer home([&](Peer& peer) { peer.answer(peer.expect("INSERT"), "ERROR", moved_to(middle.address(), 7)); });
  auto connection = connected_to(home.address());
  want_inserted(connection->call("INSERT", insert(1)), 1);
  want_inserted(connection->call("INSERT", insert(2)), 2);
}

BOOST_AUTO_TEST_CASE(a_table_may_move_back_home) {
  std::string home_address;
  FakeServer node([&](Peer& peer) {
    take_inserts(peer, {1});
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(home_address, 8));
    peer.wait_for_end();
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    take_inserts(peer, {2, 3});
  });
  home_address = home.address();
  auto connection = connected_to(home_address);
  for (std::int64_t n = 1; n <= 3; ++n) want_inserted(connection->call("INSERT", insert(n)), n);
}

// The nodes were ended and their log was restored from a backup: tokens begin anew.
BOOST_AUTO_TEST_CASE(tokens_do_not_outlive_the_connections_by_which_they_were_told) {
  std::string home_address;
  FakeServer node([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(home_address, 8));
    peer.accept();
    take_inserts(peer, {2});
    peer.wait_for_end();
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    take_inserts(peer, {1});
    peer.accept();
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 3));
    peer.wait_for_end();
  });
  home_address = home.address();
  auto connection = connected_to(home_address, Milliseconds{5'000});
  for (std::int64_t n = 1; n <= 2; ++n) want_inserted(connection->call("INSERT", numbered(n)), n);
}

BOOST_AUTO_TEST_CASE(a_daemon_that_does_not_know_the_owner_is_asked_again) {
  FakeServer node([](Peer& peer) { take_inserts(peer, {1}); });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to("", 0));
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
  });
  auto connection = connected_to(home.address());
  want_inserted(connection->call("INSERT", insert(1)), 1);
}

BOOST_AUTO_TEST_CASE(if_a_node_does_not_know_the_owner_home_is_asked) {
  FakeServer node([](Peer& peer) {
    take_inserts(peer, {1});
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to("", 0));
    peer.wait_for_end();
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    take_inserts(peer, {2});
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  for (std::int64_t n = 1; n <= 2; ++n) want_inserted(connection->call("INSERT", insert(n)), n);
}

BOOST_AUTO_TEST_CASE(what_nobody_decides_is_sent_again_after_the_pause_and_in_order) {
  FakeServer home([](Peer& peer) {
    Message const first = peer.expect("INSERT");
    Message const second = peer.expect("INSERT");
    peer.answer(first, "ERROR", nobody(1));
    peer.answer(second, "ERROR", nobody(0));
    take_inserts(peer, {1, 2});
    Message const transaction = peer.expect("TRANSACTION");
    peer.answer(transaction, "ERROR", nobody(1));
    peer.answer(peer.expect("TRANSACTION"), "COMMITTED");
    // Without `retry` it is an error like any other.
    peer.answer(peer.expect("INSERT"), "ERROR", {text("code", "unavailable"), text("message", "not now")});
  });
  auto connection = connected_to(home.address());
  Ticket const first = sent(*connection, "INSERT", insert(1));
  Ticket const second = sent(*connection, "INSERT", insert(2));
  want_inserted(connection->receive(second), 2);
  want_inserted(connection->receive(first), 1);
  BOOST_TEST(connection->call("TRANSACTION").ok());
  Status const refused = connection->call("INSERT", insert(3)).status();
  BOOST_TEST((refused.code() == Code::unavailable));
  BOOST_TEST(refused.message() == "not now");
}

BOOST_AUTO_TEST_CASE(what_nobody_decides_until_the_time_limit_is_unavailable) {
  FakeServer home([](Peer& peer) {
    for (int i = 0; i < 2; ++i) peer.answer(peer.expect("INSERT"), "ERROR", nobody(i == 0 ? 1 : 60'000));
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
  });
  auto connection = connected_to(home.address(), Milliseconds{200});
  Status const status = connection->call("INSERT", insert(1)).status();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message() == "nobody decides");
  BOOST_TEST(fact_of(status, "retry") == "60000");
  BOOST_TEST(connection->call("ALIVE").ok());
}

BOOST_AUTO_TEST_CASE(what_was_in_flight_on_a_lost_node_goes_on_through_home) {
  FakeServer next([](Peer& peer) {
    Message const again = peer.expect("INSERT");
    want(again.integer("sequence") == 41, "another sequence");
    peer.answer(again, "INSERTED", {text("result", "duplicate"), number("row", 41)});
    take_inserts(peer, {3});
  });
  FakeServer node([](Peer& peer) {
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    static_cast<void>(peer.expect("INSERT"));
    static_cast<void>(peer.expect("INSERT"));
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("ALIVE"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(next.address(), 8));
    peer.wait_for_end();
  });
  std::vector<Status> told;
  auto connection = connected({.server = home.address(),
                               .time_limit = kLimit,
                               .back_off = {Milliseconds{1}},
                               .on_connection = [&](Status const& how) { told.push_back(how); }});
  BOOST_REQUIRE(connection->call("ALIVE", {text("table", "pages")}).ok());
  Ticket const plain = sent(*connection, "INSERT", insert(1));
  Ticket const with_number = sent(*connection, "INSERT", numbered(41));
  Result<Reply> const put = connection->receive(with_number);
  want_inserted(put, 41);
  BOOST_TEST(put->resent);
  Status const lost = connection->receive(plain).status();
  BOOST_TEST((lost.code() == Code::closed));
  BOOST_TEST(lost.message().find("not known") != std::string::npos);
  BOOST_TEST(lost.message().find(node.address()) != std::string::npos);
  want_inserted(connection->call("INSERT", insert(3)), 3);
  BOOST_TEST(connection->connects() == 4U);
  BOOST_REQUIRE(told.size() == 4U);
  BOOST_TEST((told[0].ok() && told[0].message() == "connected to " + node.address()));
  BOOST_TEST((told[1].code() == Code::closed));
  BOOST_TEST((told[2].ok() && told[2].message().find(home.address()) != std::string::npos));
  BOOST_TEST((told[3].ok() && told[3].message() == "connected to " + next.address()));
}

BOOST_AUTO_TEST_CASE(a_node_that_cannot_be_reached_is_asked_for_at_home_again) {
  FakeServer home([](Peer& peer) {
    for (int i = 0; i < 2; ++i) peer.answer(peer.expect("INSERT"), "ERROR", moved_to("/nowhere/at/all.sock", 7));
    take_inserts(peer, {1, 2});
  });
  auto connection = connected_to(home.address());
  Ticket const first = sent(*connection, "INSERT", insert(1));
  Ticket const second = sent(*connection, "INSERT", insert(2));
  want_inserted(connection->receive(second), 2);
  want_inserted(connection->receive(first), 1);
}

BOOST_AUTO_TEST_CASE(a_node_that_cannot_be_reached_until_the_time_limit_is_named) {
  std::atomic<int> asked{0};
  FakeServer home([&](Peer& peer) {
    for (; asked < 10'000; ++asked) peer.answer(peer.expect("PEEK"), "ERROR", moved_to("/nowhere/at/all.sock", 9));
  });
  auto connection = connected_to(home.address(), Milliseconds{300});
  Status const status = connection->call("PEEK", {text("table", "pages")}).status();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message() == "cannot connect to /nowhere/at/all.sock: No such file or directory");
  BOOST_TEST(asked <= 20);
  home.abandon();
}

BOOST_AUTO_TEST_CASE(after_a_missing_answer_home_is_asked_where_the_table_is) {
  FakeServer next([](Peer& peer) { take_inserts(peer, {2}); });
  FakeServer node([](Peer& peer) {
    static_cast<void>(peer.expect("INSERT"));
    peer.wait_for_end();
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(next.address(), 8));
  });
  auto connection = connected_to(home.address(), Milliseconds{500});
  Status const status = connection->call("INSERT", insert(1)).status();
  BOOST_TEST((status.code() == Code::timed_out));
  BOOST_TEST(status.message().find(node.address()) != std::string::npos);
  want_inserted(connection->call("INSERT", insert(2)), 2);
}

// An answer that nobody waits for any more keeps others back no longer.
BOOST_AUTO_TEST_CASE(a_command_whose_time_is_over_keeps_nobody_back) {
  FakeServer home([](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", nobody(60'000));
    take_inserts(peer, {2});
  });
  auto connection = connected_to(home.address(), Milliseconds{500});
  Ticket const first = sent(*connection, "INSERT", insert(1));
  BOOST_REQUIRE(connection->wait_answer(first, kLimit));
  want_inserted(connection->call("INSERT", insert(2)), 2);
  BOOST_TEST((connection->receive(first).status().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(neither_does_one_that_has_no_answer_where_the_table_was) {
  FakeServer node([](Peer& peer) { take_inserts(peer, {2}); });
  FakeServer home([&](Peer& peer) {
    static_cast<void>(peer.expect("INSERT"));
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address(), Milliseconds{500});
  Ticket const first = sent(*connection, "INSERT", insert(1));
  BOOST_REQUIRE(connection->wait_answer(first, kLimit));
  want_inserted(connection->call("INSERT", insert(2)), 2);
  BOOST_TEST((connection->receive(first).status().code() == Code::timed_out));
}

BOOST_AUTO_TEST_CASE(the_token_of_a_user_is_shown_to_each_node) {
  FakeServer node([](Peer& peer) {
    Message const auth = peer.expect("AUTH");
    want(auth.text("token") == "fj_x", "another token");
    peer.answer(auth, "AUTHENTICATED");
    take_inserts(peer, {1});
    peer.wait_for_end();
  });
  FakeServer stranger([](Peer& peer) {
    peer.answer(peer.expect("AUTH"), "ERROR", {text("code", "not_allowed"), text("message", "no such user")});
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("AUTH"), "AUTHENTICATED");
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("PEEK"), "ERROR", moved_to(stranger.address(), 7, "other"));
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.wait_for_end();
  });
  auto connection =
      connected({.server = home.address(), .token = "fj_x", .time_limit = kLimit, .back_off = {Milliseconds{1}}});
  want_inserted(connection->call("INSERT", insert(1)), 1);
  Status const refused = connection->call("PEEK", {text("table", "other")}).status();
  BOOST_TEST((refused.code() == Code::not_allowed));
  BOOST_TEST(refused.message().find(stranger.address()) != std::string::npos);
  Result<Reply> const alive = connection->call("ALIVE");
  BOOST_TEST(alive.ok(), alive.status().text());
}

BOOST_AUTO_TEST_CASE(without_back_off_the_loss_of_a_node_is_the_loss_of_all) {
  FakeServer node([](Peer& peer) { static_cast<void>(peer.expect("INSERT")); });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.wait_for_end();
  });
  auto connection = connected({.server = home.address(), .time_limit = kLimit, .back_off = {}});
  BOOST_TEST((connection->call("INSERT", insert(1)).status().code() == Code::closed));
  BOOST_TEST((connection->wait_push(kForever).status().code() == Code::closed));
}

// ---- transactions

BOOST_AUTO_TEST_CASE(a_transaction_is_of_home_and_its_sender_hears_of_moved_tables) {
  FakeServer node([](Peer& peer) { take_inserts(peer, {1, 4}); });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("BEGIN"), "BEGUN", {number("transaction", 1)});
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("INSERT"), "ERROR", nobody(1));
    peer.answer(peer.expect("COMMIT"), "ERROR", {text("code", "rolled_back"), text("cause", "moved")});
    peer.answer(peer.expect("TRANSACTION"), "ERROR", moved_to(node.address(), 7));
    peer.wait_for_end();
  });
  auto connection = connected_to(home.address());
  want_inserted(connection->call("INSERT", insert(1)), 1);
  BOOST_TEST(connection->call("BEGIN").ok());
  Status const moved = connection->call("INSERT", insert(2)).status();
  BOOST_TEST((moved.code() == Code::moved));
  BOOST_TEST(fact_of(moved, "address") == node.address());
  BOOST_TEST(fact_of(moved, "token") == "7");
  BOOST_TEST((connection->call("INSERT", insert(3)).status().code() == Code::unavailable));
  BOOST_TEST((connection->call("COMMIT").status().code() == Code::rolled_back));
  Status const whole = connection->call("TRANSACTION").status();
  BOOST_TEST((whole.code() == Code::moved));
  BOOST_TEST(fact_of(whole, "address") == node.address());
  want_inserted(connection->call("INSERT", insert(4)), 4);
}

BOOST_AUTO_TEST_CASE(the_owner_of_a_table_is_asked_for) {
  FakeServer node([](Peer& peer) {
    Message const stats = peer.expect("STATS");
    want(stats.text("table") == "pages", "another table");
    peer.answer(stats, "STATS", {number("left", 0)});
    peer.accept();
    peer.answer(peer.expect("BEGIN"), "BEGUN", {number("transaction", 1)});
  });
  FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("STATS"), "ERROR", moved_to(node.address(), 7));
    peer.answer(peer.expect("STATS"), "STATS", {number("left", 0)});
    peer.answer(peer.expect("STATS"), "ERROR", {text("code", "unknown_table"), text("message", "no such table")});
  });
  auto connection = connected_to(home.address());
  std::string const owner = value_of(connection->owner_of("pages"));
  BOOST_TEST(owner == node.address());
  BOOST_TEST(connection->owner_of("own").value() == home.address());
  BOOST_TEST((connection->owner_of("none").status().code() == Code::unknown_table));
  BOOST_TEST(connected_to(owner)->call("BEGIN").ok());
}

// ---- apart from sockets

BOOST_AUTO_TEST_CASE(a_node_is_dialed_as_the_daemon_that_named_it) {
  auto const dialed = [](std::string_view told, std::string_view told_by) {
    Message moved("ERROR");
    moved.set("address", told);
    return moved_of(moved, told_by).address;
  };
  BOOST_TEST(dialed("b:2", "a:1") == "b:2");
  BOOST_TEST(dialed("b:2", "tls:a:1") == "tls:b:2");
  BOOST_TEST(dialed("tls:b:2", "tls:a:1") == "tls:b:2");
  BOOST_TEST(dialed("unix:/b", "tls:a:1") == "unix:/b");
  BOOST_TEST(dialed("/b", "tls:a:1") == "/b");
  BOOST_TEST(dialed("", "tls:a:1") == "");
}

BOOST_AUTO_TEST_SUITE_END()
