// Nodes that say nothing any more: stopped, or without power. No connection ends, so silence alone tells.
#include "tests/unit/clients/nodes.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

constexpr Milliseconds kSilence{50};

Options options_for(std::string const& servers) {
  return {.server = servers, .time_limit = kLimit, .silence_limit = kSilence, .back_off = {Milliseconds{1}}};
}

// More than the limit, without a call of the connection in question.
void spend_time_elsewhere() {
  FakeServer server([](Peer& peer) { peer.expect_nothing(2 * kSilence); });
  auto const connection = connected_to(server.address());
  server.finish();
}

// Nobody can connect to it, and nobody is refused: as a computer without power, to which a network still leads.
class Deaf {
 public:
  Deaf() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    BOOST_REQUIRE(::bind(listening_, address, size) == 0);
    BOOST_REQUIRE(::listen(listening_, 0) == 0);
    BOOST_REQUIRE(::getsockname(listening_, address, &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    // These are all that it takes.
    for (int const fd : filling_) static_cast<void>(::connect(fd, address, size));
  }
  ~Deaf() {
    for (int const fd : filling_) ::close(fd);
    ::close(listening_);
  }
  Deaf(Deaf const&) = delete;
  Deaf& operator=(Deaf const&) = delete;

  [[nodiscard]] std::string const& address() const { return address_; }

 private:
  static int made() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

  int listening_{made()};
  std::array<int, 3> filling_{made(), made(), made()};
  std::string address_;
};

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
}

BOOST_AUTO_TEST_CASE(a_command_that_waits_has_its_time_again_at_another_one) {
  static constexpr Milliseconds kWait{300};
  FakeServer other([](Peer& peer) {
    Message const next = peer.expect("NEXT");
    peer.expect_nothing(kWait);
    peer.answer(next, "ROW", {number("row", 3)});
    peer.wait_for_end();
  });
  FakeServer lost([](Peer& peer) {
    static_cast<void>(peer.expect("NEXT"));
    peer.expect_nothing(kWait);
  });
  Options options = options_for(lost.address() + "," + other.address());
  options.silence_limit = Milliseconds{200};
  auto connection = connected(options);
  Reply const reply = value_of(connection->call("NEXT", {text("table", "pages"), number("wait", kWait.count())}));
  BOOST_TEST(reply.messages.front().integer("row").value_or(0) == 3);
}

BOOST_AUTO_TEST_CASE(what_is_sent_behind_a_command_that_waits_has_its_own_time) {
  constexpr Milliseconds kLong{500};
  FakeServer home([&](Peer& peer) {
    static_cast<void>(peer.expect("NEXT"));
    Message const one = peer.expect("INSERT");
    peer.expect_nothing(kLong * 7 / 10);
    peer.answer(one, "INSERTED", {number("row", 1)});
    peer.wait_for_end();
  });
  Options options = options_for(home.address() + ",127.0.0.1:1");
  options.silence_limit = kLong;
  auto connection = connected(options);
  static_cast<void>(sent(*connection, "NEXT", {text("table", "pages"), number("wait", 10'000)}));
  // Half of the limit after one look, and before the next.
  BOOST_TEST(!connection->wait_push(kLong * 3 / 2).ok());
  want_inserted(connection->call("INSERT", insert(1)), 1);
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
  BOOST_TEST(pushed(*connection).command == "LISTEN");
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
}

// A connection may take far longer than the silence of a node.
BOOST_AUTO_TEST_CASE(a_node_that_does_not_accept_keeps_nobody_from_others) {
  Deaf deaf;
  FakeServer other([](Peer& peer) {
    take_inserts(peer, {1});
    peer.wait_for_end();
  });
  Options options = options_for(deaf.address() + "," + other.address());
  options.connect_limit = 2 * kLimit;
  auto connection = connected(options);
  want_inserted(connection->call("INSERT", insert(1)), 1);
}

// The others may still name it.
BOOST_AUTO_TEST_CASE(a_node_that_was_given_up_is_tried_for_a_moment) {
  Deaf deaf;
  FakeServer home([&deaf](Peer& peer) {
    for (int time = 0; time < 6; ++time) peer.answer(peer.expect("INSERT"), "ERROR", moved_to(deaf.address(), 1));
    take_inserts(peer, {1});
    peer.wait_for_end();
  });
  Options options = options_for(home.address() + ",127.0.0.1:1");
  options.connect_limit = 2 * kLimit;
  // Once, with a pause of the same length; what follows is shorter.
  options.silence_limit = Milliseconds{1'000};
  options.time_limit = Milliseconds{8'000};
  auto connection = connected(options);
  want_inserted(connection->call("INSERT", numbered(1)), 1);
}

// A program may compute for long between its calls.
BOOST_AUTO_TEST_CASE(a_node_that_rested_is_no_silent_one) {
  FakeServer home([](Peer& peer) {
    take_inserts(peer, {1, 2});
    peer.answer(peer.expect("INSERT"), "INSERTED", {number("row", 3)});
    peer.wait_for_end();
  });
  Options options = options_for(home.address() + ",127.0.0.1:1");
  auto connection = connected(options);
  want_inserted(connection->call("INSERT", insert(1)), 1);
  spend_time_elsewhere();
  want_inserted(connection->call("INSERT", insert(2)), 2);
  // What arrives meanwhile is no silence.
  Ticket const ticket = sent(*connection, "INSERT", insert(3));
  BOOST_REQUIRE(connection->flush().ok());
  spend_time_elsewhere();
  want_inserted(connection->receive(ticket), 3);
  BOOST_TEST(connection->connects() == 1U);
}

BOOST_AUTO_TEST_CASE(with_one_address_there_is_nobody_else_to_ask) {
  FakeServer slow([](Peer& peer) {
    Message const one = peer.expect("INSERT");
    peer.expect_nothing(Milliseconds{200});
    peer.answer(one, "INSERTED", {number("row", 1)});
  });
  auto connection = connected(options_for(slow.address()));
  want_inserted(connection->call("INSERT", insert(1)), 1);
}

BOOST_AUTO_TEST_SUITE_END()
