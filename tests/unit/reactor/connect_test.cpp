// Connections that the reactor opens: reported like any other when they are open, and as closed if they fail. And turns
// that another thread requests.
#include "tests/unit/reactor/fixture.h"

namespace fastjournal::reactor {

BOOST_AUTO_TEST_SUITE(connecting)

BOOST_AUTO_TEST_CASE(two_reactors_talk_over_tcp_and_unix_sockets) {
  TemporaryFolder const folder;
  for (std::string const& address : {kLoopback, "unix:" + (folder / "socket")}) {
    Server there;
    std::string const bound = there.listen(address);
    there.start();
    Server here;
    std::string echoed;
    here.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
      echoed.append(bytes);
      if (echoed != "hello") return;
      here.reactor->close(id);
      here.reactor->stop();
    };
    Result<ConnectionId> const made = here.reactor->connect({bound}, {});
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    here.handler.answer(made.value(), "hello");  // sent in the first turn that can send it
    here.start();
    here.join();
    there.finish();
    BOOST_TEST(echoed == "hello");
    BOOST_REQUIRE(here.handler.opened.size() == 1U);
    BOOST_TEST((here.handler.opened.front().first == made.value()));
    BOOST_TEST(there.handler.opened.size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(nobody_listening_is_told_once) {
  std::string address;
  {
    Server gone;
    address = gone.listen();
  }
  Server here;
  here.handler.closed_hook = [&](ConnectionId) { here.reactor->stop(); };
  Result<ConnectionId> const made = here.reactor->connect({address}, {});
  if (made.ok()) {
    here.start();
    here.join();
    BOOST_REQUIRE(here.handler.closed.size() == 1U);
    BOOST_TEST(here.handler.closed.front().second == "Connection refused");
    BOOST_TEST((here.handler.closed.front().first == made.value()));
    BOOST_TEST(here.handler.opened.empty());
  } else {
    BOOST_TEST(made.status().message().find("Connection refused") != std::string::npos);
  }
  BOOST_TEST(here.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(a_missing_socket_file_and_a_bad_address_fail_at_once) {
  TemporaryFolder const folder;
  Server here;
  BOOST_TEST(!here.reactor->connect({"unix:" + (folder / "none")}, {}).ok());
  BOOST_TEST(!here.reactor->connect({"nowhere"}, {}).ok());
  BOOST_TEST(here.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(another_thread_gets_a_turn_when_it_asks_for_one) {
  Server here;
  here.handler.turn_end_hook = [&] { here.reactor->stop(); };
  here.start();
  here.reactor->wake();
  here.join();
  BOOST_TEST(here.handler.turns == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
