// Single changes of the command line whose answer is lost: they are sent again with the same number, and count once.
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

struct NumberedVerb {
  std::vector<std::string> words;
  std::string_view command;
  std::string_view answer;
  std::vector<Param> params;
};

std::vector<NumberedVerb> numbered_verbs() {
  std::vector<Param> const stored{text("table", "values"), text("key", "k"), text("result", "stored"),
                                  number("timestamp", 5)};
  std::vector<Param> const sum{text("result", "stored"), text("type", "integer"), number("value", 3),
                               number("timestamp", 5)};
  return {
      {{"put", "pages", "uri=a"}, "INSERT", "INSERTED", {number("row", 7), text("result", "duplicate")}},
      {{"kv", "set", "values", "k", "v"}, "SET", "STORED", stored},
      {{"kv", "del", "values", "k"}, "DELETE", "DELETED", {text("result", "deleted")}},
      {{"kv", "add", "values", "k", "3"}, "ADD", "STORED", sum},
      {{"kv", "not", "values", "k"}, "NOT", "STORED", stored},
      {{"kv", "truncate", "values", "k", "3"}, "TRUNCATE", "STORED", stored},
      {{"kv", "rename", "values", "k", "l", "--overwrite"}, "RENAME", "STORED", stored},
      {{"blob", "put", "images", "logo", "/dev/null"},
       "PUT",
       "STORED",
       {text("table", "images"), text("hash", "0123456789abcdef01234567"), text("result", "stored")}},
      {{"queue", "send", "post", "orders", "x"}, "SEND", "SENT", {number("message", 8), number("queues", 1)}},
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_numbered)

BOOST_AUTO_TEST_CASE(a_change_whose_answer_was_lost_is_sent_again_with_its_number) {
  for (NumberedVerb const& verb : numbered_verbs()) {
    Said const said = talk(
        [&](Peer& peer) {
          Message const first = peer.expect(verb.command);
          std::string const client{first.text("client")};
          want(client.size() > 20 && first.integer("sequence") == 1, "it has no number");
          peer.accept();
          Message const again = peer.expect(verb.command);
          want(again.text("client") == client && again.integer("sequence") == 1, "another number");
          peer.answer(again, verb.answer, verb.params);
        },
        verb.words);
    BOOST_TEST((said.code == ExitCode::ok), verb.command << ": " << said.err);
  }
}

BOOST_AUTO_TEST_CASE(one_s_own_number_is_kept) {
  Said const said = talk(
      [](Peer& peer) {
        Message const first = peer.expect("INSERT");
        want(first.text("client") == "me" && first.integer("sequence") == 4, "another number");
        peer.answer(first, "INSERTED", {number("row", 7), text("result", "inserted")});
      },
      {"put", "pages", "uri=a", "--client", "me", "--sequence", "4"});
  BOOST_TEST((said.code == ExitCode::ok), said.err);
}

BOOST_AUTO_TEST_CASE(where_there_is_no_room_for_a_name_it_is_sent_without) {
  for (NumberedVerb const& verb : numbered_verbs()) {
    Said const said = talk(
        [&](Peer& peer) {
          peer.answer(peer.expect(verb.command), "ERROR",
                      {text("code", "over_limit"), text("parameter", "client"), text("message", "full")});
          Message const again = peer.expect(verb.command);
          want(!again.has("client") && !again.has("sequence"), "it has a number");
          peer.answer(again, verb.answer, verb.params);
        },
        verb.words);
    BOOST_TEST((said.code == ExitCode::ok), verb.command << ": " << said.err);
  }
}

// A duplicate does not tell whether the condition held.
BOOST_AUTO_TEST_CASE(a_conditional_change_is_not_sent_again) {
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"kv", "set", "values", "k", "v", "--if-absent"},
        std::vector<std::string>{"kv", "rename", "values", "k", "l"}}) {
    Said const said = talk(
        [](Peer& peer) {
          want(!peer.next().has("client"), "it has a number");
          peer.close();
        },
        words);
    BOOST_TEST(says(said.err, "is not known"), said.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()
