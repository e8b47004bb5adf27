// The commands of administrators (why, pause, drain, resume, apply, reload, stop, check, top) against a scripted daemon
// and with files.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "clients/programs/fastjournal/top_screen.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

void write(std::string const& path, std::string const& content) { std::ofstream{path} << content; }

std::string table_file(std::string const& body) {
  return "<table name=\"t\" model=\"journal\" row-key=\"k\"><schema><column name=\"k\" type=\"string\"/></schema>" +
         body + "</table>\n";
}

Said check(std::vector<std::string> words) {
  words.insert(words.begin(), {"check", "--plugins", FJ_BINARY_DIR "/plugins"});
  return run_line("127.0.0.1:1", std::move(words));
}

Message stats(std::string_view table, std::initializer_list<Param> params) {
  Message out{"STATS"};
  if (!table.empty()) out.set("table", table);
  for (Param const& param : params) out.set(param.name, param.value);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_keeper)

BOOST_AUTO_TEST_CASE(why_prints_a_sentence_a_row) {
  auto const script = [](Peer& peer) {
    Message const why = peer.expect("WHY");
    want(why.text("uri") == "a", "key");
    peer.answer(why, "REASON", {number("row", 8), text("state", "due"), text("text", "It is due."), number("left", 1)});
    peer.answer(why, "REASON",
                {number("row", 9), text("state", "parked"), text("text", "It is \x1b[parked."), number("left", 0)});
  };
  BOOST_TEST(talk(script, {"why", "pages", "uri=a"}).out == "row 8: It is due.\nrow 9: It is \\x1b[parked.\n");
  BOOST_TEST(says(talk(script, {"why", "pages", "uri=a", "--json"}).out, "{\"row\":9,\"state\":\"parked\""));
  BOOST_TEST(talk(
                 [](Peer& peer) {
                   peer.answer(peer.expect("WHY"), "REASON", {text("state", "unknown"), text("text", "No such row.")});
                 },
                 {"why", "pages", "uri=b"})
                 .out == "No such row.\n");
}

BOOST_AUTO_TEST_CASE(pause_drain_and_resume_say_who_and_why) {
  Said const paused = talk(
      [](Peer& peer) {
        Message const pause = peer.expect("PAUSE");
        want(pause.text("worker").find('@') != std::string_view::npos, "user@host");
        want(pause.text("reason") == "upgrade", "reason");
        peer.answer(pause, "PAUSED", {text("table", "pages")});
      },
      {"pause", "pages", "--reason", "upgrade"});
  BOOST_TEST(paused.out == "table pages is paused: nothing is handed out until `resume`\n");
  Said const drains = talk(
      [](Peer& peer) {
        Message const drain = peer.expect("DRAIN");
        want(drain.text("worker") == "anna" && !drain.has("reason"), "DRAIN");
        peer.answer(drain, "DRAINING", {text("table", "pages")});
      },
      {"drain", "pages", "--worker", "anna"});
  BOOST_TEST(drains.out == "table pages drains: inserts are refused until `resume`\n");
  auto const resume = [](std::string_view was) {
    return talk([was](Peer& peer) { peer.answer(peer.expect("RESUME"), "RESUMED", {text("was", was)}); },
                {"resume", "pages"})
        .out;
  };
  BOOST_TEST(resume("paused") == "table pages is open again\n");
  BOOST_TEST(resume("open") == "table pages was open already\n");
}

BOOST_AUTO_TEST_CASE(apply_shows_asks_and_does) {
  auto const tell = [](Peer& peer, std::string_view changes) {
    Message const dry_run = peer.expect("RELOAD");
    want(dry_run.integer("dry_run") == 1 && dry_run.text("table") == "pages", "the first RELOAD changes nothing");
    peer.answer(dry_run, "RELOADED", {text("changes", changes), number("dry_run", 1)});
  };
  auto const both = [tell](Peer& peer) {
    tell(peer, "table pages: grace 10s -> 20s\ntable pages: rows-max 0 -> 5");
    Message const reload = peer.expect("RELOAD");
    want(!reload.has("dry_run"), "the second RELOAD does it");
    peer.answer(reload, "RELOADED", {text("changes", "table pages: grace 10s -> 20s\ntable pages: rows-max 0 -> 5")});
  };
  Said const yes = talk(both, {"apply", "pages"}, "y\n");
  BOOST_TEST((yes.code == ExitCode::ok));
  BOOST_TEST(yes.out == "table pages: grace 10s -> 20s\ntable pages: rows-max 0 -> 5\n");
  BOOST_TEST(yes.err == "table pages: grace 10s -> 20s\ntable pages: rows-max 0 -> 5\napply this? [y/N] ");
  for (char const* const answer : {"n\n", "\n", ""}) {
    Said const no = talk([&](Peer& peer) { tell(peer, "table pages: new"); }, {"apply", "pages"}, answer);
    BOOST_TEST((no.code == ExitCode::nothing));
    BOOST_TEST(says(no.err, "nothing was changed"));
  }
  BOOST_TEST(talk([&](Peer& peer) { tell(peer, ""); }, {"apply", "pages"}).out == "nothing would change\n");
  Said const at_once = talk(
      [](Peer& peer) {
        Message const reload = peer.expect("RELOAD");
        want(!reload.has("dry_run") && !reload.has("table"), "RELOAD");
        peer.answer(reload, "RELOADED", {text("changes", "")});
      },
      {"apply", "--yes"});
  BOOST_TEST(at_once.out == "nothing to change\n");
  Said const only_shown = talk([&](Peer& peer) { tell(peer, "table pages: new"); }, {"apply", "pages", "--dry-run"});
  BOOST_TEST((only_shown.code == ExitCode::ok));
  BOOST_TEST(only_shown.out == "table pages: new\n");
  BOOST_TEST(only_shown.err == "");
  auto const reload = [](Peer& peer) {
    Message const asked = peer.expect("RELOAD");
    want(!asked.has("dry_run") && asked.text("table") == "pages", "RELOAD");
    peer.answer(asked, "RELOADED", {text("changes", "table pages: new")});
  };
  BOOST_TEST(talk(reload, {"reload", "pages"}).out == "table pages: new\n");
}

BOOST_AUTO_TEST_CASE(stop_waits_until_the_daemon_has_ended) {
  Said const stopped = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("STOP"), "STOPPING");
        peer.close();
      },
      {"stop"});
  BOOST_TEST((stopped.code == ExitCode::ok));
  BOOST_TEST(stopped.out == "the daemon has stopped\n");
  Said const slow = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("STOP"), "STOPPING");
        peer.wait_for_end();
      },
      {"stop", "--timeout", "200ms"});
  BOOST_TEST((slow.code == ExitCode::unreachable));
  BOOST_TEST(says(slow.err, "has not ended yet"));
  Said const refused = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("STOP"), "ERROR", {text("code", "not_allowed"), text("message", "only there")});
      },
      {"stop"});
  BOOST_TEST((refused.code == ExitCode::refused));
}

BOOST_AUTO_TEST_CASE(check_finds_what_the_daemon_would_refuse) {
  test::TemporaryFolder const folder;
  std::string const file = folder / "t.xml";
  write(file, table_file(""));
  Said const good = check({file});
  BOOST_TEST((good.code == ExitCode::ok));
  BOOST_TEST(good.out == "1 file is good\n");

  // Mistakes that the loader finds, all of them, with their lines.
  write(file, table_file("\n<grace>soon</grace>\n<colour/>"));
  Said const bad = check({file});
  BOOST_TEST((bad.code == ExitCode::usage));
  BOOST_TEST(says(bad.err, file + ":2: element <grace>"));
  BOOST_TEST(says(bad.err, file + ":3: unknown element <colour>"));
  Said const json = check({file, "--json"});
  BOOST_TEST(says(json.out, "{\"file\":\"" + file + "\",\"line\":2,\"problem\":\"element <grace>"));

  // A mistake that only the code of the table type finds.
  write(file,
        table_file("<processing-timeout>5s</processing-timeout><processing-timeout-min>9s</processing-timeout-min>"));
  BOOST_TEST(says(check({file}).err, "processing-timeout-min"));
}

BOOST_AUTO_TEST_CASE(check_names_the_line_of_what_only_the_type_knows) {
  test::TemporaryFolder const folder;
  std::string const file = folder / "t.xml";
  auto const said_of = [&](std::string const& body) {
    write(file, table_file("\n<!-- -->\n" + body));
    return check({file}).err;
  };
  for (std::string const option : {"rate", "domain", "domain-weights", "rate-domain", "concurrency-domain"})
    BOOST_TEST(says(said_of("<" + option + ">1</" + option + ">"), file + ":3: element <" + option + ">"));
  BOOST_TEST(says(said_of("<one-at-a-time>false</one-at-a-time>"), file + ":3: element <one-at-a-time>"));
  BOOST_TEST(says(said_of("<processing-timeout-min>48h</processing-timeout-min>"), file + ":3: processing-timeout"));
  write(folder / "fastjournal.xml", "<fastjournal><tables folder=\".\"/></fastjournal>");
  BOOST_TEST(says(said_of("<log name=\"other\"/>"), file + ":3: no log \"other\" is declared"));
}

// Checking the daemon's file also checks all files that the daemon would load with it.
BOOST_AUTO_TEST_CASE(check_of_a_configuration_reads_its_tables_and_holds_all_against_each_other) {
  test::TemporaryFolder const folder;
  std::string const daemon = folder / "fastjournal.xml";
  std::filesystem::create_directories(folder.path() / "tables.d");
  write(daemon, "<fastjournal/>");
  write(folder / "tables.d/t.xml", table_file(""));
  BOOST_TEST(check({daemon}).out == "2 files are good\n");
  BOOST_TEST(check({folder.path().string()}).out == "2 files are good\n");
  BOOST_TEST(check({folder.path().string(), folder / "tables.d", daemon}).out == "2 files are good\n");
  write(folder / "tables.d/t.xml", table_file("\n<colour/>"));
  for (std::string const& asked : {daemon, folder.path().string()}) {
    Said const said = check({asked});
    BOOST_TEST((said.code == ExitCode::usage));
    BOOST_TEST(says(said.err, "tables.d/t.xml:2: unknown element <colour>"));
  }
  // Table files alone are checked against the daemon's file that loads them.
  write(folder / "tables.d/t.xml", table_file("\n<log name=\"other\"/>"));
  for (std::string const& asked : {daemon, folder / "tables.d", folder / "tables.d/t.xml"})
    BOOST_TEST(says(check({asked}).err, "t.xml:2: no log \"other\" is declared in "));
  write(daemon, "<fastjournal><log name=\"other\"/></fastjournal>");
  BOOST_TEST(check({folder / "tables.d"}).out == "1 file is good\n");
  // Without the daemon's file nothing is said about logs.
  std::filesystem::remove(daemon);
  Said const alone = check({folder.path().string()});
  BOOST_TEST((alone.code == ExitCode::ok));
  BOOST_TEST(says(alone.err, "t.xml:2: whether log \"other\" is declared was not looked at"));
  write(folder / "tables.d/t.xml", table_file("\n<colour/>"));
  BOOST_TEST(says(check({folder.path().string()}).err, "tables.d/t.xml:2: unknown element <colour>"));
  write(daemon, "<fastjournal><log/></fastjournal>");
  BOOST_TEST(says(check({folder.path().string()}).err, "fastjournal.xml:1: "));
}

BOOST_AUTO_TEST_CASE(check_finds_two_tables_with_one_alias_and_an_alias_with_a_command_s_name) {
  test::TemporaryFolder const folder;
  auto const alias = [](std::string const& command) {
    return "\n<aliases><alias command=\"" + command +
           "\" means=\"INSERT\" answer=\"YES\" refusal=\"NO\"><parameter name=\"k\"/></alias></aliases>";
  };
  auto const table = [&](std::string const& name, std::string const& body) {
    std::string text = table_file(body);
    text.replace(text.find("\"t\""), 3, "\"" + name + "\"");
    write(folder / (name + ".xml"), text);
  };
  table("a", alias("LISTDATA"));
  table("b", alias("LISTDATA"));
  BOOST_TEST(says(check({folder.path().string()}).err, "b.xml:2: the alias LISTDATA is one of table a already"));
  table("b", alias("STOP"));
  BOOST_TEST(says(check({folder.path().string()}).err, "b.xml:2: the alias STOP has the name of a command"));
  table("b", alias("OTHER"));
  BOOST_TEST(check({folder.path().string()}).out == "2 files are good\n");
}

BOOST_AUTO_TEST_CASE(check_says_what_it_cannot_read) {
  test::TemporaryFolder const folder;
  BOOST_TEST(says(check({folder / "none.xml"}).err, "none.xml: "));
  BOOST_TEST(says(check({folder.path().string()}).err, "no file *.xml"));
  write(folder / "t.xml", table_file(""));
  Said const said = run_line("127.0.0.1:1", {"check", "--plugins", folder.path().string(), folder / "t.xml"});
  BOOST_TEST((said.code == ExitCode::usage));
  BOOST_TEST(says(said.err, "no table type in this folder"));
  BOOST_TEST(check({FJ_SOURCE_DIR "/plugins/journal/journal.xml", FJ_SOURCE_DIR "/conf/fastjournal.xml",
                    FJ_SOURCE_DIR "/conf/tables.d"})
                 .err == "");
}

BOOST_AUTO_TEST_CASE(top_writes_a_line_a_look_without_a_terminal) {
  Said const said = talk(
      [](Peer& peer) {
        Message const asked = peer.expect("WATCH");
        want(asked.integer("every") == 250, "every");
        peer.answer(asked, "WATCHING", {number("every", 250)});
        peer.push("STATS", {number("now", 5000), number("connections", 3)});
        peer.push("STATS", {text("table", "pages"), number("rows", 7), number("done", 4)});
        peer.push("FIGURES", {number("now", 5000), number("tables", 1), number("unchanged", 0), number("alerts", 1)});
        peer.answer(peer.expect("ALERTS"), "ALERT",
                    {text("table", "pages"), text("name", "paused"), number("left", 0)});
        // Without alerts nobody asks for them. The table is as before.
        peer.push("STATS", {number("now", 7000), number("connections", 4)});
        peer.push("FIGURES", {number("now", 7000), number("tables", 1), number("unchanged", 1), number("alerts", 0)});
        peer.wait_for_end();
      },
      {"top", "--count", "2", "--interval", "1ms"});
  BOOST_TEST((said.code == ExitCode::ok));
  std::istringstream lines{said.out};
  std::string first;
  std::string second;
  std::getline(lines, first);
  std::getline(lines, second);
  BOOST_TEST(
      says(first,
           "\"daemon\":{\"now\":5000,\"connections\":3},\"tables\":[{\"table\":\"pages\",\"rows\":7,\"done\":4}],"
           "\"alerts\":[{\"table\":\"pages\",\"name\":\"paused\"}]}"));
  BOOST_TEST(says(second,
                  "\"connections\":4},\"tables\":[{\"table\":\"pages\",\"rows\":7,\"done\":4,\"done_per_s\":0.0}],"
                  "\"alerts\":[]}"));
}

BOOST_AUTO_TEST_CASE(rates_are_what_happened_a_second) {
  Snapshot before;
  before.seconds = 10;
  before.tables.push_back(stats("a", {number("inserted", 100), number("done", 50)}));
  before.tables.push_back(stats("b", {number("inserted", 100)}));
  Snapshot now;
  now.seconds = 12;
  now.tables.push_back(stats("b", {number("inserted", 6)}));
  now.tables.push_back(stats("c", {number("inserted", 6)}));
  now.tables.push_back(stats("a", {number("inserted", 150), number("done", 50)}));
  add_rates(before, now);
  BOOST_TEST(now.tables[2].find("inserted_per_s")->real == 25.0);
  BOOST_TEST(now.tables[2].find("done_per_s")->real == 0.0);
  // The counters start again after a restart of the daemon; a new table has no rates yet.
  BOOST_TEST(now.tables[0].find("inserted_per_s")->real == 3.0);
  BOOST_TEST(!now.tables[1].has("inserted_per_s"));
}

BOOST_AUTO_TEST_CASE(the_screen_fits_the_terminal_and_nothing_steers_it) {
  Snapshot now;
  now.daemon = stats("", {number("connections", 12), number("messages", 1'234'567), number("sync_us_p99", 850),
                          number("log_disk_bytes", 64 << 20)});
  now.tables.push_back(stats("pages", {number("rows", 10'000), number("rows_due", 42), number("paused", 1),
                                       number("lateness_ms_p99_minute", 12'345)}));
  now.tables.push_back(stats("jobs", {number("rows", 3)}));
  now.tables.push_back(stats("mail", {number("rows", 2)}));
  Message alert{"ALERT"};
  alert.set("table", "pages");
  alert.set("name", "paused");
  alert.set("message", "evil \x1b[2J text");
  now.alerts.push_back(std::move(alert));
  std::string const all = render_screen(now, "unix:/x", {.width = 200, .height = 24});
  BOOST_TEST(says(all, "\x1b[H\x1b[1mfastjournal unix:/x   tables 3   alerts 1"));
  BOOST_TEST(says(all, "connections 12  messages 1.2M  log 64.0 MiB  commits 0, p99 0.8 ms"));
  BOOST_TEST(says(all, "! pages paused: evil \\x1b[2J text (priority 0"));
  BOOST_TEST(says(all, "PAUSED pages             10.0k     42"));
  BOOST_TEST(says(all, "12.3s"));
  BOOST_TEST(says(all, "open   jobs "));
  BOOST_TEST(all.ends_with("\x1b[J"));
  std::string const small = render_screen(now, "unix:/x", {.width = 20, .height = 6, .first = 1});
  BOOST_TEST(std::count(small.begin(), small.end(), '\n') == 5);
  BOOST_TEST(!says(small, "pages   "));
  BOOST_TEST(says(small, "jobs"));
  BOOST_TEST(!says(small, "LEASE/s"));
}

BOOST_AUTO_TEST_CASE(tables_of_pairs_have_lines_and_figures_of_their_own) {
  Snapshot now;
  now.tables.push_back(
      stats("values", {number("rows", 7), number("value_bytes", 9), number("memory_bytes", 1'700'000)}));
  now.tables.push_back(stats("jobs", {number("rows", 3)}));
  std::string const all = render_plain(now, "date", {.width = 120});
  BOOST_TEST(says(all, "jobs                  3"));
  BOOST_TEST(says(all, "\n\nSTATE  TABLE             PAIRS  MEMORY"));
  BOOST_TEST(says(all, "open   values                7   1.6Mi"));
  // Scrolled beyond the first kind.
  std::string const rest = render_screen(now, "unix:/x", {.width = 80, .height = 10, .first = 1});
  BOOST_TEST(says(rest, "PAIRS"));
  BOOST_TEST(!says(rest, "LATE99"));
  now.tables.clear();
  BOOST_TEST(says(render_plain(now, "date", {.width = 120}), "DUE"));
}

BOOST_AUTO_TEST_CASE(tables_of_documents_have_lines_and_figures_of_their_own) {
  Snapshot now;
  now.tables.push_back(stats("docs", {number("rows", 44), number("documents_open", 6), number("in_doubt", 2)}));
  std::string const all = render_plain(now, "date", {.width = 120});
  BOOST_TEST(says(all, "STATE  TABLE              DOCS   OPEN    DUE   REST   WORK FAILED  DOUBT"));
  BOOST_TEST(says(all, "open   docs                 44      6      0      0      0      0      2"));
}

// Whatever kind of table it is, on a terminal as everybody has it.
BOOST_AUTO_TEST_CASE(how_often_attempts_fail_is_on_a_screen_of_80_columns) {
  std::pair<char const*, char const*> const kinds[] = {
      {"rows", "attempts_failed_per_s"}, {"exchanges", "attempts_failed_per_s"}, {"documents_open", "failures_per_s"}};
  for (auto const& [kind, rate] : kinds) {
    Snapshot now;
    now.tables.push_back(stats("hooks", {number(kind, 7), number(rate, 42), number("failing", 1)}));
    std::string const screen = render_screen(now, "unix:/x", {.width = 80, .height = 10});
    BOOST_TEST(says(screen, "FAILS  hooks"), kind);
    BOOST_TEST(says(screen, "FAIL/s"), kind);
    BOOST_TEST(says(screen, " 42"), kind);
  }
  // No row was leased in the last minute: none was late.
  Snapshot now;
  now.tables.push_back(stats("jobs", {number("rows", 7)}));
  BOOST_TEST(says(render_plain(now, "date", {.width = 120}), " - "));
  now.tables[0].set_integer("lateness_ms_p99_minute", 1'500);
  BOOST_TEST(says(render_plain(now, "date", {.width = 120}), "1.5s"));
}

// A terminal has 80 columns unless somebody made it larger.
BOOST_AUTO_TEST_CASE(a_narrow_screen_keeps_the_state_and_the_figures_that_matter) {
  Snapshot now;
  now.tables.push_back(stats("a_name_of_more_than_sixteen", {number("rows", 12'345), number("rows_parked", 7)}));
  now.tables[0].set_integer("paused", 1);
  auto const lines_of = [&](std::size_t width) {
    std::istringstream screen{render_screen(now, "127.0.0.1:4050", {.width = width, .height = 10})};
    std::vector<std::string> lines;
    for (std::string line; std::getline(screen, line);) lines.push_back(line);
    return lines;
  };
  std::vector<std::string> const narrow = lines_of(80);
  BOOST_TEST(narrow[3] ==
             "\x1b[1mSTATE  TABLE               ROWS    DUE   WAIT   WORK PARKED   IN/s DONE/s FAIL/s\x1b[0m\x1b[K\r");
  BOOST_TEST(narrow[4] ==
             "PAUSED a_name_of_more_t~  12.3k      0      0      0      7      0      0      0\x1b[K\x1b[J");
  BOOST_TEST(says(narrow[0], "fastjournal 127.0.0.1:4050   tables 1   alerts 0   q ends, arrows scroll\x1b[0m"));
  auto const title_of = [&](std::string const& server, std::size_t width) {
    std::string const screen = render_screen(now, server, {.width = width, .height = 10});
    return screen.substr(0, screen.find('\r'));
  };
  BOOST_TEST(says(title_of("unix:/run/fastjournal/a/path", 80), "a/path   tables 1   alerts 0   q ends\x1b[0m"));
  BOOST_TEST(says(title_of("unix:/run/" + std::string(90, 'x'), 80), "xxx~   tables 1   alerts 0\x1b[0m"));
  BOOST_TEST(says(title_of("127.0.0.1:4050", 40), "fastjournal 127.0.0~   tables 1   alerts"));
  std::vector<std::string> const wide = lines_of(130);
  BOOST_TEST(says(wide[3], "LATE99"));
  BOOST_TEST(says(wide[3], "LEASE/s"));
  BOOST_TEST(says(wide[4], "PAUSED a_name_of_more_than"));
  std::vector<std::string> const tiny = lines_of(40);
  BOOST_TEST(tiny[4] == "PAUSED a_name_of_more_tha~      0      7\x1b[K\x1b[J");
}

BOOST_AUTO_TEST_CASE(a_daemon_that_does_not_answer_is_named_first) {
  Snapshot now;
  now.tables.push_back(stats("pages", {number("rows", 3)}));
  std::string const screen = render_screen(now, "unix:/x", {.width = 80, .height = 10},
                                           Silence{.since_ms = 1'795'262'401'250, .for_ms = 12'900});
  BOOST_TEST(says(screen, "\x1b[H\x1b[7mno answer since 2026-11-21T12:00:01Z (12 s)   unix:/x   q ends\x1b[0m"));
  BOOST_TEST(says(screen, "what stands below is from then"));
  BOOST_TEST(says(screen, "\x1b[2mopen   pages"));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_understood_ends_the_script_at_once) {
  // The script waits for a connection that never comes, until the end of the server releases it.
  client::FakeServer server([](Peer& peer) { peer.expect("NEVER"); });
  BOOST_TEST(!parse_arguments({"dance"}).command);
  server.abandon();
}

BOOST_AUTO_TEST_SUITE_END()
