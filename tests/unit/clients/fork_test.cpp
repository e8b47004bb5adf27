// What the library does in a child of fork() with a connection of its parent: every call is refused, nothing is sent, and
// the parent goes on with it. TLS is in tls_test.cpp.
#include <unistd.h>

#include "clients/cpp/blob_stream.h"
#include "clients/cpp/client.h"
#include "clients/cpp/fj_connection.h"
#include "clients/cpp/key_value_cache.h"
#include "tests/support/in_child.h"
#include "tests/unit/clients/fake_server.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

constexpr rlim_t kForkCpuSecondsMax = 60;

std::string outcome_of(Status const& status) {
  if (status.code() == Code::not_supported && status.message().find("fork()") == std::string::npos)
    return status.text();
  return std::string{row_of(status.code()).wire_name} + " ";
}

// What the body says in a child.
std::string fork_says(std::function<std::string()> const& body) {
  std::string said;
  BOOST_TEST(test::run_in_child(body, kForkCpuSecondsMax, said) == 0);
  return said;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(client_fork)

BOOST_AUTO_TEST_CASE(a_child_is_refused_and_the_parent_goes_on) {
  FakeServer server([](FakeServer::Peer& peer) {
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    Message const late = peer.expect("ALIVE");
    Message const asked = peer.expect("PEEK");  // nothing came from the child
    peer.push("LISTEN", {text("table", "pages"), number("ready", 1)});
    peer.answer(late, "ABSOLUTELY");
    peer.answer(asked, "ROW", {number("row", 1)});
    peer.wait_for_end();
  });
  std::unique_ptr<Connection> connection = value_of(Connection::open({.server = server.address()}));
  Result<Ticket> const answered = connection->send(Message{"ALIVE"});
  BOOST_REQUIRE(answered.ok() && connection->wait_answer(answered.value(), Milliseconds{kScriptLimitMs}));
  Ticket const in_flight = value_of(connection->send(Message{"ALIVE"}));
  for (int i = 0; i < 2; ++i) {
    std::string const said = fork_says([&] {
      std::string out = outcome_of(connection->call("INSERT", {text("table", "pages")}).status());
      out += connection->wait_answer(in_flight, kForever) ? "" : "waited ";
      out += outcome_of(connection->receive(in_flight).status());
      out += outcome_of(connection->receive(answered.value()).status());
      out += outcome_of(connection->flush());
      out += outcome_of(connection->listen("pages"));
      out += outcome_of(connection->wait_push(Milliseconds{0}).status());
      out += connection->is_connected() ? "connected" : "";
      connection.reset();
      return out;
    });
    BOOST_TEST(said == "not_supported not_supported not_supported not_supported not_supported not_supported ");
  }
  BOOST_TEST(connection->receive(answered.value()).ok());
  BOOST_TEST(connection->call("PEEK", {text("table", "pages"), number("row", 1)}).ok());
  BOOST_TEST(connection->receive(in_flight).ok());
  BOOST_TEST(connection->wait_push(Milliseconds{kScriptLimitMs}).ok());
  BOOST_TEST(connection->connects() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cache_answers_nothing_from_the_memory_of_its_parent) {
  FakeServer server([](FakeServer::Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "values"), text("prefix", "")});
    peer.answer(peer.expect("GET"), "PAIR",
                {text("table", "values"), text("key", "a"), text("type", "string"), text("value", "one"),
                 number("timestamp", 1), number("found", 1)});
    peer.wait_for_end();
  });
  auto opened = value_of(Connection::open({.server = server.address()}));
  KeyValueCache cache(std::move(opened), "values", {.silence_max = kForever});
  BOOST_TEST(cache.get("a").ok());
  BOOST_TEST(cache.get("a").ok());  // from memory
  BOOST_TEST(fork_says([&] { return outcome_of(cache.get("a").status()); }) == "not_supported ");
  BOOST_TEST(cache.get("a").ok());
  BOOST_TEST(cache.figures().misses == 1U);
}

BOOST_AUTO_TEST_CASE(connections_of_other_protocols_are_refused_as_well) {
  FakeServer pairs([](FakeServer::Peer& peer) { peer.wait_for_end(); });
  auto frames = value_of(FjConnection::open({.server = pairs.address()}));
  std::string said = fork_says([&] {
    std::string out = outcome_of(frames->call({.key = "a"}).status());
    return out + outcome_of(frames->wait_notice(Milliseconds{0}).status());
  });
  BOOST_TEST(said == "not_supported not_supported ");
  FakeServer blobs([](FakeServer::Peer& peer) { peer.wait_for_end(); });
  auto stream = value_of(BlobStream::open({.server = blobs.address(), .version = 1}));
  BOOST_REQUIRE(stream->send({.op = bcdb::Op::query}).ok());
  said = fork_says([&] {
    std::string out = outcome_of(stream->send({.op = bcdb::Op::query}));
    return out + outcome_of(stream->receive().status());
  });
  BOOST_TEST(said == "not_supported not_supported ");
}

BOOST_AUTO_TEST_SUITE_END()
