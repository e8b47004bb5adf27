// How the library numbers single changes: by table, under the name of the connection; without one where there is no room.
#include <boost/test/unit_test.hpp>

#include "clients/cpp/journal.h"
#include "clients/cpp/key_value.h"
#include "tests/unit/clients/talk.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

void require_of_peer(bool condition, char const* what) {
  if (!condition) throw std::runtime_error(what);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(client_numbers)

BOOST_AUTO_TEST_CASE(single_changes_are_numbered_by_table_under_the_name_of_the_connection) {
  Talk talk([](Peer& peer) {
    for (std::int64_t const sequence : {1, 2}) {
      Message const put = peer.expect("INSERT");
      require_of_peer(put.text("client") == "producer-7" && put.integer("sequence") == sequence, "its number");
      peer.answer(put, "INSERTED", {number("row", sequence), text("result", "inserted")});
    }
    Message const add = peer.expect("ADD");
    require_of_peer(add.text("client") == "producer-7" && add.integer("sequence") == 1, "of another table");
    peer.answer(add, "STORED", {text("result", "stored"), text("type", "integer"), number("value", 5)});
    Message const own = peer.expect("INSERT");
    require_of_peer(own.text("client") == "mine" && own.integer("sequence") == 9, "its own");
    peer.answer(own, "INSERTED", {number("row", 3), text("result", "inserted")});
    // Nothing of a transaction is sent twice.
    peer.answer(peer.expect("BEGIN"), "BEGUN");
    Message const within = peer.expect("INSERT");
    require_of_peer(!within.has("client") && !within.has("sequence"), "no number");
    peer.answer(within, "INSERTED", {number("row", 4), text("result", "inserted")});
    peer.answer(peer.expect("COMMIT"), "COMMITTED");
  });
  // Two objects of one table share its numbers.
  for (int i = 0; i < 2; ++i) BOOST_TEST(Journal(*talk.connection, "pages").put({text("uri", "a")}).ok());
  BOOST_TEST(KeyValue(*talk.connection, "values").add("n").ok());
  Journal pages(*talk.connection, "pages");
  BOOST_TEST(pages.put({text("uri", "a")}, {.client = "mine", .sequence = 9}).ok());
  BOOST_TEST(talk.connection->call("BEGIN").ok());
  BOOST_TEST(pages.put({text("uri", "b")}).ok());
  BOOST_TEST(talk.connection->call("COMMIT").ok());
}

BOOST_AUTO_TEST_CASE(without_room_for_a_name_changes_are_sent_without_for_a_while) {
  Talk talk([](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "ERROR", {text("code", "over_limit"), text("parameter", "client")});
    for (std::int64_t row = 1; row <= 2; ++row) {
      Message const put = peer.expect("INSERT");
      require_of_peer(!put.has("client") && !put.has("sequence") && put.text("uri") == "a", "without a name");
      peer.answer(put, "INSERTED", {number("row", row), text("result", "inserted")});
    }
    Message const elsewhere = peer.expect("INSERT");
    require_of_peer(elsewhere.text("client") == "producer-7", "another table has room");
    // A limit that is not about names is the caller's matter.
    peer.answer(elsewhere, "ERROR", {text("code", "over_limit"), text("parameter", "uri")});
  });
  Journal pages(*talk.connection, "pages");
  for (int i = 0; i < 2; ++i) BOOST_TEST(pages.put({text("uri", "a")}).ok());
  BOOST_TEST((Journal(*talk.connection, "mails").put({text("uri", "a")}).status().code() == Code::over_limit));
}

BOOST_AUTO_TEST_CASE(a_drawn_name_that_is_of_another_address_now_is_drawn_again) {
  FakeServer server([](Peer& peer) {
    Message const first = peer.expect("INSERT");
    std::string const name{first.text("client")};
    require_of_peer(name.starts_with("client-"), "drawn");
    peer.answer(first, "ERROR", {text("code", "not_allowed"), text("parameter", "client")});
    Message const next = peer.expect("INSERT");
    require_of_peer(next.text("client") != name && next.integer("sequence") == 1, "drawn again");
    peer.answer(next, "INSERTED", {number("row", 1), text("result", "inserted")});
  });
  auto opened = value_of(Connection::open({.server = server.address()}));
  Journal pages(*opened, "pages");
  // Whether it was carried out from the former address is not known.
  BOOST_TEST((pages.put({text("uri", "a")}).status().code() == Code::not_allowed));
  BOOST_TEST(pages.put({text("uri", "b")}).ok());
}

BOOST_AUTO_TEST_SUITE_END()
