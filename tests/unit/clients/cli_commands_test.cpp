// The commands from the typed line to the printed answer and the exit code, against a scripted daemon.
#include <chrono>
#include <filesystem>

#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

BOOST_AUTO_TEST_SUITE(cli_commands)

BOOST_AUTO_TEST_CASE(buffers_go_out_as_bytes_and_the_daemon_is_asked_only_where_it_matters) {
  auto const inserted = [](Peer& peer, Message const& insert) {
    peer.answer(insert, "INSERTED", {number("row", 8), text("result", "inserted"), number("merges", 0)});
  };
  Said const plain = talk(
      [&](Peer& peer) {
        Message const insert = peer.expect("INSERT");
        want(insert.text("data") == "test" && insert.find("data")->verbatim, "a str");
        inserted(peer, insert);
      },
      {"put", "pages", "uri=a", "data=test"});
  BOOST_TEST((plain.code == ExitCode::ok));
  Said const asked = talk(
      [&](Peer& peer) {
        Message const about = peer.expect("TABLES");
        peer.answer(about, "TABLE",
                    {text("name", "other"), text("columns", "uri"), text("types", "buffer"), number("left", 1)});
        peer.answer(
            about, "TABLE",
            {text("name", "pages"), text("columns", "uri data"), text("types", "string buffer"), number("left", 0)});
        Message const insert = peer.expect("INSERT");
        want(insert.text("uri") == "base64:YQ==" && insert.text("data") == "\xff", "decoded");
        want(insert.find("data")->kind == Value::Kind::binary, "binary");
        inserted(peer, insert);
      },
      {"put", "pages", "uri=base64:YQ==", "data=base64:/w=="});
  BOOST_TEST((asked.code == ExitCode::ok));
}

// The name becomes a folder of the backup, so a path out of that folder must be refused.
BOOST_AUTO_TEST_CASE(a_backup_takes_no_path_for_a_name_from_whoever_says_to_be_the_daemon) {
  for (char const* const name : {"../escaped", "/tmp/escaped", "a/b", "..", "", "Shared", "1st", "a b", "a\nb"}) {
    BOOST_TEST_CONTEXT("log " << name) {
      fastjournal::test::TemporaryFolder const folder;
      std::string const target = folder / "inner/backup";
      std::filesystem::create_directories(folder.path() / "inner");
      Said const said = talk(
          [&](Peer& peer) {
            peer.answer(peer.expect("BACKUP"), "BACKUP",
                        {text("log", name), text("folder", folder.path().string()), number("store", 1),
                         number("base", 8), number("end", 8), text("containers", ""), number("left", 0)});
            peer.answer(peer.expect("BACKUP_DONE"), "BACKUP_DONE");
          },
          {"backup", target});
      BOOST_TEST((said.code != ExitCode::ok));
      BOOST_TEST(says(said.err, "expected a letter a-z, then a-z, 0-9, _ or -"), said.err);
      BOOST_TEST(!std::filesystem::exists(target));
      auto const made = std::filesystem::directory_iterator{folder.path()};
      BOOST_TEST(std::distance(begin(made), end(made)) == 1);
      BOOST_TEST(std::filesystem::is_empty(target + ".partial"));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_status_of_a_cluster_says_why_a_log_does_not_serve) {
  auto const script = [](Peer& peer) {
    Message const asked = peer.expect("CLUSTER");
    peer.answer(asked, "SHARED_LOG",
                {text("log", "common"), text("standing", "unavailable"), text("this", "n1"), text("why", "no password"),
                 number("left", 1)});
    peer.answer(asked, "SHARED_LOG",
                {text("log", "other"), text("standing", "following"), text("this", "n1"), text("owner", "n2"),
                 text("address", "192.0.2.2:4050"), text("why", "it is owned by n2"), number("left", 1)});
    peer.answer(
        asked, "NODE",
        {text("log", "other"), text("node", "n2"), text("role", "owner"), number("behind", 0), number("left", 0)});
  };
  Said const said = talk(script, {"cluster", "status"});
  BOOST_TEST((said.code == ExitCode::alerts));
  BOOST_TEST(said.out ==
             "log common: no owner; this node, n1, is unavailable\n"
             "no password\n"
             "log other: owner n2 at 192.0.2.2:4050; this node, n1, is following\n"
             "node  role   behind\n"
             "n2    owner       0\n");
}

BOOST_AUTO_TEST_CASE(a_move_is_watched_to_its_end) {
  auto const status = [](Peer& peer, std::string const& step, std::string const& why) {
    Message const asked = peer.expect("CLUSTER");
    peer.answer(asked, "SHARED_LOG", {text("log", "common"), text("this", "n1"), number("left", 1)});
    std::vector<Param> facts{text("table", "jobs"), text("from", "shared"), text("to", "common"), text("step", step),
                             number("copied", 700), number("bytes", 900),   number("pause", 12),  number("left", 0)};
    if (!why.empty()) facts.push_back(text("why", why));
    peer.answer(asked, "MOVE_STATUS", facts);
  };
  auto const script = [&](std::string const& end, std::string const& why) {
    return [&, end, why](Peer& peer) {
      Message const move = peer.expect("MOVE_TABLE");
      want(move.text("table") == "jobs", "the table");
      peer.answer(move, "MOVING", {text("table", "jobs"), text("from", "shared"), text("to", "common")});
      status(peer, "copying", "");
      status(peer, end, why);
    };
  };
  Said const moved = talk(script("moved", ""), {"cluster", "move", "jobs"});
  BOOST_TEST((moved.code == ExitCode::ok));
  BOOST_TEST(moved.out ==
             "table jobs, from log shared to log common: moved, 700 bytes copied, 12 ms without an answer\n");
  Said const stayed = talk(script("stayed", "no room"), {"cluster", "move", "jobs"});
  BOOST_TEST((stayed.code == ExitCode::refused));
  BOOST_TEST(says(stayed.err, "it stays: no room"), stayed.err);
  Said const lost = talk(
      [&](Peer& peer) {
        Message const move = peer.expect("MOVE_TABLE");
        peer.answer(move, "MOVING", {text("table", "jobs"), text("from", "shared"), text("to", "common")});
        peer.answer(peer.expect("CLUSTER"), "SHARED_LOG",
                    {text("log", "common"), text("this", "n1"), number("left", 0)});
      },
      {"cluster", "move", "jobs"});
  BOOST_TEST((lost.code == ExitCode::refused));
  BOOST_TEST(says(lost.err, "was started anew"), lost.err);
  Said const kept = talk(
      [&](Peer& peer) {
        peer.answer(peer.expect("MOVE_TABLE"), "KEPT", {text("table", "jobs"), text("log", "shared")});
      },
      {"cluster", "move", "jobs"});
  BOOST_TEST((kept.code == ExitCode::ok));
  BOOST_TEST(kept.out == "table jobs stays in log shared, and is not in doubt any more\n");
}

BOOST_AUTO_TEST_CASE(alerts_show_all_facts_and_are_lowered) {
  auto const script = [](Peer& peer) {
    Message const asked = peer.expect("ALERTS");
    want(!asked.has("table"), "of all tables");
    peer.answer(asked, "ALERT",
                {text("table", "pages"), text("name", "row-failed"), number("priority", 60), text("message", "row 8"),
                 text("tags", "journal"), number("count", 2), number("first", 1000), number("last", 2000),
                 number("manual_down", 0), number("left", 0)});
  };
  Said const plain = talk(script, {"alerts"});
  BOOST_TEST((plain.code == ExitCode::alerts));
  for (char const* part :
       {"pages", "row-failed", "60", "row 8", "1970-01-01T00:00:01.000Z", "1970-01-01T00:00:02.000Z"})
    BOOST_TEST(says(plain.out, part), part << " in " << plain.out);
  BOOST_TEST(says(talk(script, {"alerts", "--json"}).out, "\"first\":1000,\"last\":2000,\"manual_down\":0"));
  auto const none = [](Peer& peer) { peer.answer(peer.expect("ALERTS"), "ALERTS", {number("count", 0)}); };
  Said const quiet = talk(none, {"alerts", "pages"});
  BOOST_TEST((quiet.code == ExitCode::ok));
  BOOST_TEST(quiet.out == "");
  BOOST_TEST(quiet.err == "no alert is up\n");
  auto const lower = [](Peer& peer) {
    Message const asked = peer.expect("LOWER");
    want(asked.text("table") == "pages" && asked.text("name") == "row-failed", "LOWER");
    peer.answer(asked, "LOWERED", {text("table", "pages"), text("name", "row-failed")});
  };
  BOOST_TEST((talk(lower, {"alerts", "pages", "--lower", "row-failed"}).code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_refusal_is_explained_on_standard_error) {
  Said const said = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("DONE"), "ERROR",
                    {text("command", "DONE"), text("code", "stale_epoch"), text("message", "row 8 is leased"),
                     text("holder", "w2")});
      },
      {"done", "pages", "8", "9"});
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(said.out == "");
  BOOST_TEST(said.err ==
             "fastjournal done pages: stale_epoch: row 8 is leased (holder=w2)\nthe lease ended and the row was handed "
             "out again; take it again\n");
}

BOOST_AUTO_TEST_CASE(a_table_that_has_moved_is_found_by_any_of_the_servers) {
  client::FakeServer node([](Peer& peer) {
    peer.answer(peer.expect("DONE"), "COMPLETED", {text("table", "pages"), number("row", 8)});
  });
  client::FakeServer home([&](Peer& peer) {
    peer.answer(peer.expect("DONE"), "ERROR",
                {text("code", "moved"), text("table", "pages"), text("address", node.address()), number("token", 7)});
  });
  Said const said = run_line("/nowhere/at/all.sock," + home.address(), {"done", "pages", "8", "9"});
  BOOST_TEST((said.code == ExitCode::ok), said.err);
}

BOOST_AUTO_TEST_CASE(a_node_that_is_not_found_is_explained) {
  // A command that names no table is not sent to another node.
  Said const moved = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("TRANSACTION"), "ERROR",
                    {text("code", "moved"), text("table", "pages"), text("address", "b:4050"), text("op", "1")});
      },
      {"call", "TRANSACTION", "commands=x"});
  BOOST_TEST((moved.code == ExitCode::unreachable));
  BOOST_TEST((says(moved.err, "address=b:4050") && says(moved.err, "to that address")), moved.err);
  Said const nobody = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("BEGIN"), "ERROR",
                    {text("code", "unavailable"), text("message", "nobody decides"), number("retry", 60'000)});
      },
      {"call", "BEGIN"});
  BOOST_TEST((nobody.code == ExitCode::unreachable));
  BOOST_TEST((says(nobody.err, "nobody decides") && !says(nobody.err, "is fastjournald running")), nobody.err);
}

// Standard output has only results, so that a program can read it without checks.
BOOST_AUTO_TEST_CASE(with_json_errors_are_json_on_standard_error) {
  auto const refuse = [](Peer& peer) {
    peer.answer(peer.expect("WHY"), "ERROR",
                {text("command", "WHY"), text("code", "unknown_table"), text("message", "no table \"pages\""),
                 text("near", "page")});
  };
  Said const said = talk(refuse, {"--json", "why", "pages", "uri=a"});
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(said.out == "");
  BOOST_TEST(
      said.err ==
      "{\"error\":\"unknown_table\",\"message\":\"no table \\\"pages\\\"\",\"command\":\"why\",\"table\":\"pages\","
      "\"facts\":{\"near\":\"page\"},\"advice\":\"`fastjournal tables` shows which there are\"}\n");
  Said const typed = talk([](Peer& peer) { peer.wait_for_end(); }, {"--json", "call", "WHY", "table"});
  BOOST_TEST((typed.code == ExitCode::usage));
  BOOST_TEST(says(typed.err, "{\"error\":\"usage\",\"message\":\"'table' is no column"));
  BOOST_TEST(says(run_line("unix:/nowhere/at/all", {"--json", "ping"}).err, "{\"error\":\"unavailable\","));
}

BOOST_AUTO_TEST_CASE(nobody_there_and_no_address_have_their_codes) {
  Said const absent = run_line("unix:/nowhere/at/all", {"ping"});
  BOOST_TEST((absent.code == ExitCode::unreachable));
  BOOST_TEST(says(absent.err, "is fastjournald running there?"));
  BOOST_TEST((run_line("nonsense", {"ping"}).code == ExitCode::usage));
  BOOST_TEST((run_line("unix:/nowhere/at/all", {"work", "pages", "--", "true"}).code == ExitCode::unreachable));
}

BOOST_AUTO_TEST_CASE(take_shows_rows_or_says_when_there_will_be_some) {
  Said const some = talk(
      [](Peer& peer) {
        Message const next = peer.expect("NEXT");
        want(next.integer("count") == 2 && next.integer("lease") == 5000 && next.integer("wait") == 10 &&
                 next.text("worker") == "me",
             "NEXT");
        peer.answer(
            next, "ROW",
            {text("table", "pages"), number("row", 8), number("epoch", 3), text("uri", "a"), number("left", 0)});
        peer.answer(peer.expect("STATS"), "STATS", {text("table", "pages")});
      },
      {"take", "pages", "--count", "2", "--lease", "5s", "--wait", "10ms", "--worker", "me"});
  BOOST_TEST((some.code == ExitCode::ok));
  BOOST_TEST(some.out == "row  epoch  uri\n  8      3  a\n");
  Said const none = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("NEXT"), "NOTHING", {text("table", "pages"), number("next_date", 1000)});
      },
      {"take", "pages"});
  BOOST_TEST((none.code == ExitCode::nothing));
  BOOST_TEST(none.out == "");
  BOOST_TEST(none.err == "nothing is due; the next row is at 1970-01-01T00:00:01.000Z\n");
}

BOOST_AUTO_TEST_CASE(take_shows_when_the_lease_really_ends) {
  auto const now_ms = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  constexpr std::int64_t kHour = 3'600'000;
  auto const script = [&](Peer& peer, bool held) {
    Message const next = peer.expect("NEXT");
    peer.answer(next, "ROW", {number("row", 8), number("lease_end", now_ms() + kHour), number("left", 1)});
    peer.answer(next, "ROW", {number("row", 9), number("lease_end", 1000), number("left", 0)});
    if (!held) peer.answer(peer.expect("STATS"), "STATS", {number("grace_ms", 10'000), number("left", 0)});
  };
  auto const lease_end = [](std::string const& line) {
    return std::stoll(line.substr(line.find("\"lease_end\":") + 12));
  };
  Said const taken = talk([&](Peer& peer) { script(peer, false); }, {"take", "pages", "--json"});
  BOOST_TEST(lease_end(taken.out) <= now_ms() + 10'000);
  BOOST_TEST(lease_end(taken.out) > now_ms());
  // A lease that ends before is not extended.
  BOOST_TEST(says(taken.out, "\"row\":9,\"lease_end\":1000}"), taken.out);
  Said const held = talk([&](Peer& peer) { script(peer, true); }, {"take", "pages", "--json", "--hold"});
  BOOST_TEST(lease_end(held.out) > now_ms() + kHour / 2);
}

BOOST_AUTO_TEST_CASE(release_and_fail_tell_what_became_of_the_row) {
  auto const said = [](char const* verb, char const* command, char const* answer, std::vector<Param> params) {
    return talk([&](Peer& peer) { peer.answer(peer.expect(command), answer, std::move(params)); },
                {verb, "pages", "8", "9", "--error", "no"})
        .out;
  };
  BOOST_TEST(said("release", "RELEASE", "RELEASED", {number("process_date", 1000)}) ==
             "row 8 is released, due 1970-01-01T00:00:01.000Z\n");
  BOOST_TEST(said("release", "RELEASE", "PARKED", {}) == "row 8 is parked; `fastjournal kick` puts it back\n");
  BOOST_TEST(said("fail", "FAIL", "PARKED", {}) == "row 8 is parked; `fastjournal kick` puts it back\n");
  BOOST_TEST(said("fail", "FAIL", "DELETED", {}) == "row 8 is deleted: it was given up, or has expired\n");
}

BOOST_AUTO_TEST_CASE(ls_asks_page_by_page_until_it_has_enough) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("LIST");
    want(first.integer("count") == 3 && first.text("status") == "due" && !first.has("after"), "first page");
    peer.answer(first, "ROW", {text("table", "pages"), number("row", 1), number("left", 1)});
    peer.answer(first, "ROW", {text("table", "pages"), number("row", 2), text("after", "cursor"), number("left", 0)});
    Message const second = peer.expect("LIST");
    want(second.integer("count") == 1 && second.text("after") == "cursor", "second page");
    peer.answer(second, "ROW", {text("table", "pages"), number("row", 3), text("after", "cursor2"), number("left", 0)});
  };
  Said const said = talk(script, {"ls", "pages", "--count", "3", "--status", "due"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "row\n  1\n  2\n  3\n");
  BOOST_TEST(says(said.err, "--after cursor2"));
  BOOST_TEST(talk(script, {"ls", "pages", "--count", "3", "--status", "due", "--json"}).out ==
             "{\"table\":\"pages\",\"row\":1}\n{\"table\":\"pages\",\"row\":2}\n{\"table\":\"pages\",\"row\":3}\n");
}

BOOST_AUTO_TEST_CASE(one_row_is_named_by_number_or_key) {
  Said const by_number = talk(
      [](Peer& peer) {
        Message const peek = peer.expect("PEEK");
        want(peek.integer("row") == 8, "row");
        peer.answer(peek, "ROW", {number("row", 8), text("uri", "a")});
      },
      {"peek", "pages", "8"});
  BOOST_TEST(by_number.out == "row  8\nuri  a\n");
  Said const by_key = talk(
      [](Peer& peer) {
        Message const kick = peer.expect("KICK");
        want(kick.text("uri") == "a" && !kick.has("row"), "key");
        peer.answer(kick, "KICKED", {number("row", 8)});
      },
      {"kick", "pages", "uri=a"});
  BOOST_TEST(by_key.out == "row 8 is back at work\n");
}

BOOST_AUTO_TEST_CASE(tables_help_and_any_command_are_printed) {
  auto const tables = [](Peer& peer) {
    peer.answer(peer.expect("TABLES"), "TABLE",
                {text("name", "pages"), text("type", "journal"), number("rows", 3), text("columns", "uri data"),
                 number("left", 0)});
  };
  BOOST_TEST(talk(tables, {"tables"}).out == "name   type     rows  columns\npages  journal     3  uri data\n");
  BOOST_TEST(talk(tables, {"tables", "--names"}).out == "pages\n");
  BOOST_TEST(talk(tables, {"tables", "--columns", "pages"}).out == "uri\ndata\n");
  BOOST_TEST((talk(tables, {"tables", "--columns", "other"}).code == ExitCode::refused));
  auto const keys = [](Peer& peer) {
    Message const asked = peer.expect("TABLES");
    peer.answer(
        asked, "TABLE",
        {text("name", "pages"), text("key", "host path"), text("columns", "host path data"), number("left", 1)});
    peer.answer(asked, "TABLE", {text("name", "events"), text("key", ""), text("columns", "what"), number("left", 0)});
  };
  BOOST_TEST(talk(keys, {"tables", "--key", "pages"}).out == "host\npath\n");
  Said const no_key = talk(keys, {"tables", "--key", "events"});
  BOOST_TEST(no_key.out == "");
  BOOST_TEST((no_key.code == ExitCode::ok));
  BOOST_TEST(
      talk([](Peer& peer) { peer.answer(peer.expect("HELP"), "COMMANDS", {text("list", "ALIVE,NEXT")}); }, {"commands"})
          .out == "ALIVE\nNEXT\n");
  Said const call = talk(
      [](Peer& peer) {
        Message const pause = peer.expect("PAUSE");
        want(pause.text("reason") == "upgrade", "reason");
        peer.answer(pause, "PAUSED", {text("table", "pages")});
      },
      {"call", "PAUSE", "table=pages", "reason=upgrade"});
  BOOST_TEST(call.out == "PAUSED table=pages\n");
  BOOST_TEST(
      says(talk([](Peer& peer) { peer.answer(peer.expect("ALIVE"), "ABSOLUTELY"); }, {"ping"}).out, " answers in "));
}

BOOST_AUTO_TEST_CASE(listen_prints_what_comes_and_ends_as_told) {
  auto const script = [](Peer& peer) {
    Message const listen = peer.expect("LISTEN");
    peer.answer(listen, "LISTENING", {text("table", "pages")});
    for (int i = 0; i < 2; ++i) peer.push("LISTEN", {text("table", "pages"), number("date", 1000)});
    peer.wait_for_end();
  };
  Said const two = talk(script, {"listen", "pages", "--count", "2"});
  BOOST_TEST((two.code == ExitCode::ok));
  BOOST_TEST(two.out ==
             "LISTEN table=pages date=1970-01-01T00:00:01.000Z\nLISTEN table=pages date=1970-01-01T00:00:01.000Z\n");
  Said const none = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("LISTEN"), "LISTENING");
        peer.wait_for_end();
      },
      {"listen", "pages", "--wait", "1ms"});
  BOOST_TEST((none.code == ExitCode::nothing));
}

BOOST_AUTO_TEST_SUITE_END()
