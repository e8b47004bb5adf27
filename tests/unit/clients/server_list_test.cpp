// Options::server with several addresses: which of them is home, and when the next one takes its place.
#include <atomic>

#include "tests/unit/clients/nodes.h"

using namespace fastjournal;
using namespace fastjournal::client;

BOOST_AUTO_TEST_SUITE(client_server_list)

BOOST_AUTO_TEST_CASE(the_first_address_that_answers_is_home) {
  FakeServer home([](Peer& peer) { peer.answer(peer.expect("ALIVE"), "ABSOLUTELY"); });
  auto connection = connected_to("unix:/nowhere/1.sock, /nowhere/2.sock," + home.address() + ",/nowhere/3.sock");
  BOOST_TEST(connection->call("ALIVE").ok());
}

BOOST_AUTO_TEST_CASE(if_none_answers_all_are_named) {
  Status const status = Connection::open({.server = "unix:/nowhere/1.sock,/nowhere/2.sock"}).status();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message() ==
             "cannot connect to unix:/nowhere/1.sock: No such file or directory; cannot connect to /nowhere/2.sock: "
             "No such file or directory");
  // A mistake is not found only when it is needed.
  FakeServer home([](Peer&) {});
  home.abandon();
  for (std::string const& list : {home.address() + ",", home.address() + ",,b:1", home.address() + ",b"})
    BOOST_TEST((Connection::open({.server = list}).status().code() == Code::bad_parameter));
}

BOOST_AUTO_TEST_CASE(after_a_loss_the_next_address_is_home_at_once) {
  FakeServer node([](Peer& peer) { take_inserts(peer, {1, 4}); });
  FakeServer second([&](Peer& peer) {
    take_inserts(peer, {41});
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
  });
  FakeServer first([&](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", moved_to(node.address(), 7));
    static_cast<void>(peer.expect("INSERT"));
    static_cast<void>(peer.expect("INSERT"));
  });
  Params own = numbered(41);
  own[0] = text("table", "own");
  // No pause ends within the test.
  auto connection = connected({.server = first.address() + ",/nowhere/at/all.sock," + second.address(),
                               .time_limit = kLimit,
                               .back_off = {Milliseconds{3'600'000}}});
  want_inserted(connection->call("INSERT", insert(1)), 1);
  Ticket const plain = sent(*connection, "INSERT", insert(2, "own"));
  Ticket const with_number = sent(*connection, "INSERT", own);
  Result<Reply> const again = connection->receive(with_number);
  want_inserted(again, 41);
  BOOST_TEST(again->resent);
  BOOST_TEST((connection->receive(plain).status().code() == Code::closed));
  // The move of the table, too.
  BOOST_TEST(connection->connects() == 3U);
  // The route of the moved table has stayed.
  want_inserted(connection->call("INSERT", insert(4)), 4);
  BOOST_TEST(connection->call("ALIVE").ok());
}

BOOST_AUTO_TEST_CASE(each_address_is_tried_once_before_a_pause) {
  std::atomic<int> accepted{0};
  auto const cut = [&](Peer& peer) {
    for (++accepted; accepted < 10'000; ++accepted) peer.accept();
  };
  FakeServer first(cut);
  FakeServer second(cut);
  auto connection = connected({.server = first.address() + "," + second.address(),
                               .time_limit = Milliseconds{200},
                               .back_off = {Milliseconds{3'600'000}}});
  for (int i = 0; i < 50; ++i) static_cast<void>(connection->wait_push(Milliseconds{1}));
  BOOST_TEST(accepted <= 2);
  first.abandon();
  second.abandon();
}

BOOST_AUTO_TEST_SUITE_END()
