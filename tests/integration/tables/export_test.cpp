// A real daemon that mirrors its queue tables in SQLite, asked by the program sqlite3, and in a real PostgreSQL, asked by
// psql: as their users would. Databases that are locked or away are alerts, delay nobody, and no stop waits for them.
#include <boost/test/unit_test.hpp>

#include <sqlite3.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "tests/integration/shell.h"
#include "tests/support/documents.h"
#include "tests/support/postgresql_server.h"

namespace {

using namespace fastjournal::test;

struct Exporting : ShellFixture {
  void declare(std::string const& connect, std::string const& more = "") {
    daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\">\n<queues>orders</queues>\n<connect>" +
                                        connect + "</connect>\n" + more + "</table>\n");
  }
  void start() {
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  std::string say(std::string const& line) { return LineClient{daemon.local()}.ask(line); }
  // Asks until the answer is this one. Each time a program is started, so that the daemon gets on meanwhile.
  template <typename Ask>
  static std::string becomes(std::string const& expected, Ask&& ask) {
    std::string last;
    auto const end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end)
      if (last = ask(); last == expected) break;
    return last;
  }
  std::string sqlite(std::string const& query, std::string const& file = "data/queues.db") {
    return run_in_shell(daemon, "sqlite3 -readonly -cmd '.timeout 5000' " + file + " \"" + query + "\"").output;
  }
  bool is_alerted(bool expected) {
    auto const ask = [&] {
      return run_in_shell(daemon, "fastjournal alerts post").output.find("export-failed") != std::string::npos ? "yes"
                                                                                                               : "no";
    };
    return becomes(expected ? "yes" : "no", ask) == "yes";
  }
  // Of the last stop.
  std::chrono::milliseconds stop() {
    auto const began = std::chrono::steady_clock::now();
    daemon.kill(SIGTERM);
    BOOST_TEST((daemon.wait() == 0));
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  }
};

// Of doc/queue.md.
std::string document_sql(std::string const& which) {
  std::string out;
  for (Example const& example : examples_of(FJ_SOURCE_DIR, "doc/queue.md"))
    if (example.language == "sql" && example.words == std::vector<std::string>{which})
      for (std::string const& line : example.lines) out += line + "\n";
  BOOST_REQUIRE_MESSAGE(!out.empty(), "doc/queue.md has no block `sql " << which << "`");
  return out;
}

struct OnPostgresql : Exporting {
  OnPostgresql() {
    server.start();
    declare("postgresql://owner@/postgres?host=" + server.host(), "<catalog>mirror</catalog>\n");
  }
  std::string psql(std::string const& query) {
    ChildProcess child{{server.program("psql"), "-X", "-q", "-A", "-t", "-h", server.host(), "-U", "owner", "-d",
                        "postgres", "-c", query}};
    static_cast<void>(child.wait());
    return child.output();
  }
  std::string queues() { return psql("SELECT queue FROM mirror.queues WHERE table_name = 'post' ORDER BY 1"); }

  PostgresqlServer server{"owner"};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(export_to_sql)

BOOST_FIXTURE_TEST_CASE(an_sqlite_file_in_the_data_folder_follows_the_table, Exporting) {
  declare("queues.db");
  start();
  auto const queues = [&] { return sqlite("SELECT queue, declared, temporary FROM queues ORDER BY 1"); };
  BOOST_TEST(becomes("orders|1|0\n", queues) == "orders|1|0\n");
  // A queue whose name SQL must not take for its own, an exchange and a binding.
  BOOST_TEST(say("DECLARE table=post;queue=it's\"'--;max_messages=9;when_full=drop").starts_with("DECLARED"));
  BOOST_TEST(say("DECLARE table=post;exchange=news;kind=topic").starts_with("DECLARED"));
  BOOST_TEST(say("BIND table=post;exchange=news;queue=orders;routing_key=a.#").starts_with("BOUND"));
  auto const all = [&] {
    return sqlite(
        "SELECT queue, max_messages, when_full FROM queues WHERE NOT declared; SELECT exchange, kind FROM "
        "exchanges; SELECT exchange, queue, routing_key FROM bindings; SELECT table_name, type, format, "
        "exported_at > 1700000000000 FROM exports");
  };
  std::string const expected = "it's\"'--|9|drop\nnews|topic\nnews|orders|a.#\npost|queue|1|1\n";
  BOOST_TEST(becomes(expected, all) == expected);
  // A temporary queue is there as long as its connection.
  auto const temporary = [&] { return sqlite("SELECT queue FROM queues WHERE temporary"); };
  {
    LineClient mine{daemon.local()};
    BOOST_TEST(mine.ask("DECLARE table=post;queue=mine;temporary=1").starts_with("DECLARED"));
    BOOST_TEST(becomes("mine\n", temporary) == "mine\n");
  }
  BOOST_TEST(becomes("", temporary) == "");
  // The file is no reason to refuse a start, also with a log that is new.
  BOOST_TEST((stop() < std::chrono::seconds{10}));
  daemon.write("fastjournal.xml", "<fastjournal><log name=\"shared\"/><log name=\"second\"/></fastjournal>\n");
  start();
  BOOST_TEST(becomes(expected, all) == expected);
}

BOOST_FIXTURE_TEST_CASE(what_kill_leaves_is_exported_by_the_next_start, Exporting) {
  declare("queues.db");
  start();
  BOOST_TEST(say("DECLARE table=post;queue=first").starts_with("DECLARED"));
  BOOST_TEST(say("DECLARE table=post;queue=second").starts_with("DECLARED"));
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  start();
  auto const queues = [&] { return sqlite("SELECT queue FROM queues ORDER BY 1"); };
  BOOST_TEST(becomes("first\norders\nsecond\n", queues) == "first\norders\nsecond\n");
}

BOOST_FIXTURE_TEST_CASE(a_locked_file_is_an_alert_until_it_is_free_and_no_stop_waits_for_it, Exporting) {
  declare("queues.db");
  start();
  auto const queues = [&] { return sqlite("SELECT queue FROM queues ORDER BY 1"); };
  BOOST_TEST(becomes("orders\n", queues) == "orders\n");
  sqlite3* holder = nullptr;
  BOOST_REQUIRE(sqlite3_open((daemon.folder() / "data/queues.db").c_str(), &holder) == SQLITE_OK);
  BOOST_TEST(sqlite3_exec(holder, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  BOOST_TEST(say("DECLARE table=post;queue=mails").starts_with("DECLARED"));
  BOOST_TEST(is_alerted(true));
  BOOST_TEST(say("SEND table=post;queue=mails;body=1").starts_with("SENT"));
  BOOST_TEST((stop() < std::chrono::seconds{4}));
  start();
  BOOST_TEST(is_alerted(true));
  BOOST_TEST(sqlite3_close(holder) == SQLITE_OK);
  BOOST_TEST(becomes("mails\norders\n", queues) == "mails\norders\n");
  BOOST_TEST(!is_alerted(false));
}

BOOST_FIXTURE_TEST_CASE(mistakes_are_found_without_a_daemon, Exporting) {
  declare("postgresql://fj:hunter2@db/shop");
  Ran const bad = run_in_shell(daemon, "fastjournal check --plugins " FJ_BINARY_DIR "/plugins tables/post.xml");
  BOOST_TEST(bad.code != 0);
  BOOST_TEST(bad.output.find("post.xml:3: element <connect> has a password") != std::string::npos, bad.output);
  BOOST_TEST(bad.output.find("hunter2") == std::string::npos);
  BOOST_TEST(!daemon.start());
  BOOST_TEST(daemon.output().find("hunter2") == std::string::npos);
  declare("queues.db");
  start();
  // Nor does a reload take it, or tell it.
  declare("postgresql://db/shop?password=hunter2");
  Ran const reload = run_in_shell(daemon, "fastjournal reload");
  BOOST_TEST(reload.code != 0);
  BOOST_TEST(reload.output.find("has a password") != std::string::npos, reload.output);
  BOOST_TEST(reload.output.find("hunter2") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_postgresql_schema_follows_the_table, OnPostgresql) {
  start();
  auto const all = [&] { return queues(); };
  BOOST_TEST(becomes("orders\n", all) == "orders\n");
  BOOST_TEST(say("DECLARE table=post;queue=it's\"$1;max_bytes=7").starts_with("DECLARED"));
  BOOST_TEST(becomes("it's\"$1\norders\n", all) == "it's\"$1\norders\n");
  BOOST_TEST(psql("SELECT max_bytes, temporary, declared, leaving FROM mirror.queues WHERE queue <> 'orders'") ==
             "7|f|f|f\n");
  BOOST_TEST(psql("SELECT table_name, type, format FROM mirror.exports") == "post|queue|1\n");
}

BOOST_FIXTURE_TEST_CASE(the_tables_are_those_of_the_document_and_its_query_runs, OnPostgresql) {
  start();
  auto const all = [&] { return queues(); };
  BOOST_TEST(becomes("orders\n", all) == "orders\n");
  BOOST_TEST(psql("CREATE SCHEMA shown; SET search_path = shown; " + document_sql("tables")) == "");
  auto const columns = [&](std::string const& schema) {
    return psql(
        "SELECT c.table_name, c.column_name, c.ordinal_position, c.data_type, c.is_nullable, "
        "k.ordinal_position FROM information_schema.columns c LEFT JOIN information_schema.key_column_usage k "
        "USING (table_schema, table_name, column_name) WHERE c.table_schema = '" +
        schema + "' ORDER BY 1, 3");
  };
  BOOST_TEST(columns("mirror") == columns("shown"));
  BOOST_TEST(columns("mirror").find("queues|expires_ms|11|bigint|YES|\n") != std::string::npos);
  BOOST_TEST(say("DECLARE table=post;exchange=news;kind=topic").starts_with("DECLARED"));
  for (std::string const queue : {"rome", "all"})
    BOOST_TEST(say("BIND table=post;exchange=news;queue=" + queue + ";routing_key=#;declare=1").starts_with("BOUND"));
  auto const query = [&] { return psql("SET search_path = mirror; " + document_sql("query")); };
  BOOST_TEST(becomes("all\nrome\n", query) == "all\nrome\n");
  stop();
  declare("queues.db");
  start();
  auto const in_sqlite = [&] { return sqlite(document_sql("query")); };
  BOOST_TEST(becomes("all\nrome\n", in_sqlite) == "all\nrome\n");
}

BOOST_FIXTURE_TEST_CASE(a_server_that_goes_away_is_an_alert_until_it_is_back, OnPostgresql) {
  start();
  auto const all = [&] { return queues(); };
  BOOST_TEST(becomes("orders\n", all) == "orders\n");
  server.end(SIGQUIT);
  BOOST_TEST(say("DECLARE table=post;queue=mails").starts_with("DECLARED"));
  BOOST_TEST(is_alerted(true));
  server.start();
  BOOST_TEST(becomes("mails\norders\n", all) == "mails\norders\n");
  BOOST_TEST(!is_alerted(false));
}

// It does not answer any more, in the middle of an export or before: it is stopped, not ended.
BOOST_FIXTURE_TEST_CASE(no_stop_waits_for_a_server_that_hangs, OnPostgresql) {
  start();
  auto const all = [&] { return queues(); };
  BOOST_TEST(becomes("orders\n", all) == "orders\n");
  server.child().kill(SIGSTOP);
  BOOST_TEST(say("DECLARE table=post;queue=mails").starts_with("DECLARED"));
  BOOST_TEST(say("SEND table=post;queue=mails;body=1").starts_with("SENT"));
  std::chrono::milliseconds const took = stop();
  server.child().kill(SIGCONT);
  BOOST_TEST((took < std::chrono::seconds{4}));
  start();
  BOOST_TEST(becomes("mails\norders\n", all) == "mails\norders\n");
}

BOOST_AUTO_TEST_SUITE_END()
