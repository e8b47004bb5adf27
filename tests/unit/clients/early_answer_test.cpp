// Answers that come before their command was sent whole.
#include <string>

#include "clients/cpp/client.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/fake_server.h"

using namespace fastjournal;
using namespace fastjournal::client;

BOOST_AUTO_TEST_SUITE(client_early_answers)

// A frame that is too large is refused by its first bytes. A sender that waited for an answer when the last bytes were
// sent waited in vain: this one had come. Which of both is first is chance; some of these times it was the answer.
BOOST_AUTO_TEST_CASE(an_answer_may_come_before_its_command_was_sent_whole) {
  constexpr int kTimes = 400;
  test::TemporaryFolder const folder;
  FakeServer server(
      [](FakeServer::Peer& peer) {
        for (int i = 0; i < kTimes; ++i) {
          peer.wait_for_bytes();
          peer.push("INVALID", {text("code", "too_large"), text("message", "longer than 33554432 bytes")});
          static_cast<void>(peer.expect("INSERT"));
        }
        peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
      },
      folder / "daemon.sock");
  Options options;
  options.server = server.address();
  options.time_limit = Milliseconds{kScriptLimitMs};
  auto const connection = value_of(Connection::open(options));
  Message insert("INSERT");
  std::string const large(std::size_t{8} << 20U, 'x');
  insert.set("data", large);
  for (int i = 0; i < kTimes; ++i) BOOST_REQUIRE((connection->call(insert).status().code() == Code::too_large));
  BOOST_TEST(connection->call("ALIVE").ok());  // sends what was left of the last one
}

BOOST_AUTO_TEST_SUITE_END()
