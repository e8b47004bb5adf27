// Commands on many rows: `ls` for people and for programs, and `kick` and `delete` by a filter, page by page.
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

BOOST_AUTO_TEST_SUITE(cli_rows)

BOOST_AUTO_TEST_CASE(kick_goes_on_until_all_that_fit_were_hit) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("KICK");
    want(first.text("table") == "pages" && first.text("error") == "disk full" && first.integer("count") == 1000 &&
             !first.has("after") && !first.has("dry_run") && !first.has("status"),
         "first page");
    peer.answer(first, "KICKED", {number("count", 1000), number("looked", 4000), number("after", 88)});
    Message const second = peer.expect("KICK");
    want(second.text("after") == "88" && second.text("error") == "disk full", "second page");
    peer.answer(second, "KICKED", {number("count", 7), number("looked", 9)});
  };
  Said const said = talk(script, {"kick", "pages", "--error", "disk full"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "1007 rows kicked\n");
  BOOST_TEST(said.err == "");
  BOOST_TEST(talk(script, {"--json", "kick", "pages", "--error", "disk full"}).out ==
             "{\"table\":\"pages\",\"count\":1007,\"looked\":4009}\n");
}

BOOST_AUTO_TEST_CASE(a_dry_run_and_a_count_are_handed_on) {
  Said const said = talk(
      [](Peer& peer) {
        Message const one = peer.expect("DELETE");
        want(one.integer("dry_run") == 1 && one.integer("count") == 5 && one.text("status") == "parked" &&
                 one.text("prefix") == "a" && one.has("domain") && one.text("domain").empty(),
             "DELETE");
        peer.answer(one, "DELETED",
                    {number("count", 5), number("looked", 6), number("after", 7), number("dry_run", 1)});
      },
      {"delete", "pages", "--status", "parked", "--prefix", "a", "--domain", "", "--count", "5", "--dry-run"});
  BOOST_TEST(said.out == "5 rows would be deleted\n");
  BOOST_TEST(says(said.err, "--after 7"));
}

BOOST_AUTO_TEST_CASE(somebody_at_a_terminal_is_asked_before_many_rows_go) {
  auto const count = [](Peer& peer) {
    Message const one = peer.expect("DELETE");
    want(one.integer("dry_run") == 1, "counted before");
    peer.answer(one, "DELETED", {number("count", 5), number("looked", 6), number("dry_run", 1)});
  };
  std::vector<std::string> const words{"delete", "pages", "--status", "parked"};
  Said const no = talk(count, words, "n\n", true);
  BOOST_TEST((no.code == ExitCode::nothing));
  BOOST_TEST(says(no.out, "5 rows would be deleted\n"));
  BOOST_TEST(says(no.err, "nothing was deleted"));
  auto const go = [](Peer& peer) {
    Message const one = peer.expect("DELETE");
    want(!one.has("dry_run"), "deleted");
    peer.answer(one, "DELETED", {number("count", 5), number("looked", 6)});
  };
  Said const yes = talk(
      [&](Peer& peer) {
        count(peer);
        go(peer);
      },
      words, "y\n", true);
  BOOST_TEST(says(yes.out, "5 rows deleted\n"));
  std::vector<std::string> told = words;
  told.emplace_back("--yes");
  BOOST_TEST((talk(go, told, "", true).code == ExitCode::ok));
  // A script is not asked, and a row that is named is meant.
  BOOST_TEST((talk(go, words).code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_loss_in_the_middle_says_how_far_it_was) {
  Said const said = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("DELETE"), "DELETED", {number("count", 3), number("looked", 6), number("after", 7)});
        peer.answer(peer.expect("DELETE"), "ERROR", {text("code", "no_space"), text("message", "full")});
      },
      {"delete", "pages", "--prefix", "a"});
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(says(said.err, "3 rows were deleted before that"));
}

BOOST_AUTO_TEST_CASE(all_rows_are_listed_page_by_page_as_they_come) {
  auto const row = [](Peer& peer, Message const& list, std::int64_t nr, std::int64_t left) {
    peer.answer(list, "ROW",
                {text("table", "pages"), number("row", nr), text("uri", "a" + std::to_string(nr)),
                 number("priority", 7), text("status", "parked"), number("left", left)});
  };
  Said const said = talk(
      [&](Peer& peer) {
        Message const first = peer.expect("LIST");
        want(first.integer("count") == 1000 && !first.has("after"), "first page");
        row(peer, first, 1, 1);
        peer.answer(first, "ROW", {text("table", "pages"), number("row", 2), number("after", 2), number("left", 0)});
        Message const second = peer.expect("LIST");
        want(second.text("after") == "2", "second page");
        row(peer, second, 3, 0);
      },
      {"ls", "pages", "--all", "--json"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out ==
             "{\"table\":\"pages\",\"row\":1,\"uri\":\"a1\",\"priority\":7,\"status\":\"parked\"}\n"
             "{\"table\":\"pages\",\"row\":2}\n"
             "{\"table\":\"pages\",\"row\":3,\"uri\":\"a3\",\"priority\":7,\"status\":\"parked\"}\n");
}

// As `put --from -` takes them.
BOOST_AUTO_TEST_CASE(columns_in_files_are_brought_to_programs) {
  auto const list = [](Peer& peer) {
    Message const command = peer.expect("LIST");
    peer.answer(command, "ROW",
                {number("row", 1), text("payload", "4096 70000 /data/x"), number("places", 1), number("left", 2)});
    peer.answer(command, "ROW", {number("row", 2), text("payload", "few"), number("left", 1)});
    peer.answer(command, "ROW",
                {number("row", 3), text("payload", "8192 70000 /data/x"), number("places", 1), number("left", 0)});
  };
  auto const script = [&](Peer& peer) {
    list(peer);
    Message const first = peer.expect("PEEK");
    want(first.integer("row") == 1, "row 1");
    peer.answer(first, "ROW", {number("row", 1), text("payload", "many bytes"), number("left", 0)});
    peer.answer(peer.expect("PEEK"), "ERROR", {text("code", "unknown_row"), text("message", "gone")});
  };
  BOOST_TEST(talk(script, {"ls", "jobs", "--all", "--json"}).out ==
             "{\"row\":1,\"payload\":\"many bytes\"}\n{\"row\":2,\"payload\":\"few\"}\n");
  BOOST_TEST(says(talk(list, {"ls", "jobs"}).out, "4096 70000 /data/x"));
}

BOOST_AUTO_TEST_CASE(a_list_of_nothing_says_so_to_people) {
  auto const nothing = [](Peer& peer) { peer.answer(peer.expect("LIST"), "NOTHING", {text("table", "pages")}); };
  Said const empty = talk(nothing, {"ls", "pages"});
  BOOST_TEST((empty.code == ExitCode::ok));
  BOOST_TEST(empty.out == "");
  BOOST_TEST(empty.err == "table pages has no rows\n");
  BOOST_TEST(talk(nothing, {"ls", "pages", "--status", "due"}).err == "no row of table pages fits\n");
  Said const json = talk(nothing, {"ls", "pages", "--json"});
  BOOST_TEST(json.out + json.err == "");
}

BOOST_AUTO_TEST_SUITE_END()
