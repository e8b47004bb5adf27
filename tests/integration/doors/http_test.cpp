// HTTP with the real daemon: commands, refusals, waiting, events, figures; what is leased stays leased without the
// connection. What a request may look like: tests/unit/protocol/http_*.cpp.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/integration/shell.h"
#include "tests/support/line_client.h"

namespace {

using namespace fastjournal::test;

bool http_has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::string post(std::string const& command, std::string const& body, std::string const& more = "") {
  return "POST /v1/" + command + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + more + "\r\n" + body;
}

struct HttpServing {
  HttpServing() : daemon{""} {
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<listen address=\"127.0.0.1:0\" protocol=\"http\"/>\n"
                 "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    daemon.listens_as_configured = true;
    is_running = daemon.start();
    BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  }
  ~HttpServing() {
    if (!is_running) return;
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  // Of lines; up to one that holds `last`, which comes with the response.
  static std::string read_to(LineClient& client, std::string const& last) {
    std::string text;
    while (std::optional<std::string> const line = client.read_line()) {
      text += *line + "\n";
      if (http_has(*line, last)) return text;
    }
    return text + "(no more)";
  }
  std::string ask(std::string const& request, std::string const& last) {
    LineClient client{daemon.tcp()};
    BOOST_TEST(client.send(request));
    return read_to(client, last);
  }
  std::string administer(std::string const& line) { return LineClient{daemon.local()}.ask(line); }

  RealDaemon daemon;
  bool is_running{false};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(http, HttpServing)

BOOST_AUTO_TEST_CASE(a_connection_carries_one_request_after_the_other_also_all_at_once) {
  LineClient client{daemon.tcp()};
  BOOST_TEST(
      client.send(post("INSERT", R"({"table":"jobs","name":"a"})") + post("PEEK", R"({"table":"jobs","name":"a"})") +
                  post("DELETE", R"({"table":"jobs","name":"a"})") + post("PEEK", R"({"table":"jobs","name":"a"})")));
  std::string const inserted = read_to(client, "INSERTED");
  BOOST_TEST(inserted.starts_with("HTTP/1.1 200 OK\r\n"), inserted);
  BOOST_TEST(http_has(read_to(client, "\"ROW\""), "\"name\":\"a\""));
  BOOST_TEST(!http_has(read_to(client, "DELETED"), "(no more)"));
  std::string const gone = read_to(client, "unknown_row");
  BOOST_TEST(http_has(gone, "HTTP/1.1 404 "), gone);
  BOOST_TEST(!client.closed());
}

// The second request is read when the answer to the first one is whole, which takes until there is a row.
BOOST_AUTO_TEST_CASE(a_request_that_waits_holds_back_those_behind_it_and_nobody_else) {
  LineClient waiting{daemon.tcp()};
  BOOST_TEST(waiting.send(post("NEXT", R"({"table":"jobs","wait":60000,"request":"w"})") +
                          post("PEEK", R"({"table":"jobs","name":"b"})")));
  std::string const before = ask(post("INSERT", R"({"table":"jobs","name":"b"})"), "INSERTED");
  BOOST_TEST(http_has(before, "200 OK"), before);
  std::string const leased = read_to(waiting, "\"ROW\"");
  BOOST_TEST(http_has(leased, "\"epoch\""), leased);
  std::string const peeked = read_to(waiting, "\"status\"");
  BOOST_TEST(http_has(peeked, "\"processing\""), peeked);
}

// With messages it would be given back after the table's grace; here the next request comes by another connection.
BOOST_AUTO_TEST_CASE(a_lease_outlives_the_connection) {
  BOOST_TEST(http_has(administer("INSERT table=jobs;name=c"), "INSERTED"));
  std::string const leased =
      ask(post("NEXT", R"({"table":"jobs","lease":600000})", "Connection: close\r\n"), "\"ROW\"");
  std::string const why = administer("WHY table=jobs;name=c");
  auto const number = [](std::string const& text, std::string const& name) {
    std::size_t const at = text.find(name) + name.size();
    return std::stoll(text.substr(at));
  };
  BOOST_REQUIRE(http_has(leased, "\"lease_end\":"));
  BOOST_TEST(http_has(why, "state=processing;"), why);
  // Asked of the daemon after the connection's end was noticed, since this is another turn of its loop.
  std::string const peeked = administer("PEEK table=jobs;name=c");
  BOOST_TEST(number(peeked, "lease_end=") == number(leased, "\"lease_end\":"), peeked);
}

BOOST_AUTO_TEST_CASE(events_come_while_their_connection_lasts) {
  LineClient listener{daemon.tcp()};
  BOOST_TEST(listener.send(post("LISTEN", R"({"table":"jobs"})", "Accept: text/event-stream\r\n")));
  std::string const begun = read_to(listener, "\"LISTENING\"");
  BOOST_TEST(http_has(begun, "Content-Type: text/event-stream\r\n"), begun);
  BOOST_TEST(http_has(administer("INSERT table=jobs;name=d"), "INSERTED"));
  BOOST_TEST(!http_has(read_to(listener, "\"ready\""), "(no more)"));
  listener.close();
  // The end is noticed although nothing is read from it.
  int left = 100;
  while (!http_has(administer("STATS table=jobs"), "listeners=0;") && left > 0) --left;
  BOOST_TEST(left > 0);
}

BOOST_AUTO_TEST_CASE(figures_come_as_events_at_intervals) {
  LineClient watcher{daemon.tcp()};
  BOOST_TEST(watcher.send(post("WATCH", R"({"table":"jobs","every":"250ms"})", "Accept: text/event-stream\r\n")));
  std::string const begun = read_to(watcher, "\"FIGURES\"");
  BOOST_TEST(http_has(begun, "Content-Type: text/event-stream\r\n"), begun);
  BOOST_TEST(http_has(begun, "event: WATCHING\n"), begun);
  BOOST_TEST(http_has(begun, "event: STATS\n"), begun);
  BOOST_TEST(http_has(begun, "\"unchanged\":0"), begun);
  BOOST_TEST(http_has(administer("INSERT table=jobs;name=watched;process_date=+100000"), "INSERTED"));
  BOOST_TEST(!http_has(read_to(watcher, "\"rows_future\":1"), "(no more)"));
  BOOST_TEST(http_has(administer("DELETE table=jobs;name=watched"), "DELETED"));
  watcher.close();
  int left = 100;
  while (!http_has(administer("STATS"), "watchers=0;") && left > 0) --left;
  BOOST_TEST(left > 0);
}

BOOST_AUTO_TEST_CASE(pages_of_others_and_whoever_lacks_a_right_are_refused) {
  std::string const body = R"({"table":"jobs","name":"e"})";
  BOOST_TEST(http_has(ask(post("INSERT", body, "Origin: http://evil.example\r\n"), "\"status\":"), "403"));
  BOOST_TEST(http_has(ask("POST /v1/INSERT HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n"
                          "Content-Length: 2\r\n\r\n{}",
                          "\"status\":"),
                      "421"));
  BOOST_TEST(http_has(ask(post("RELOAD", "{}"), "\"status\":"), "401"));
  BOOST_TEST(http_has(ask(post("READY", "{}"), "\"status\":"), "404"));
  BOOST_TEST(http_has(administer("PEEK table=jobs;name=e"), "code=unknown_row;"));
}

// As http.client and others do: all of the body is sent, then the answer is read.
BOOST_AUTO_TEST_CASE(refusals_of_large_bodies_arrive) {
  for (std::size_t const bytes : {std::size_t{2} << 20U, std::size_t{10} << 20U}) {
    std::string const request =
        "POST /v1/INSERT HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, ' ');
    for (int i = 0; i < 20; ++i) {
      LineClient client{daemon.tcp()};
      BOOST_REQUIRE(client.send(request));
      BOOST_REQUIRE_EQUAL(client.read_line().value_or("(nothing)"), "HTTP/1.1 413 Content Too Large\r");
    }
  }
}

BOOST_AUTO_TEST_CASE(whoever_speaks_something_else_is_told_what_is_spoken_here) {
  for (std::string const& bytes :
       {std::string{"INSERT table=jobs;name=a\n"}, std::string{"CONNECT\naccept-version:1.2\n\n"},
        std::string("FJ\0\1\0\3\0\7", 8), std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}) {
    std::string const told = ask(bytes, "spoken here\"");
    BOOST_TEST(told.starts_with("HTTP/1.1 400 "), told);
    BOOST_TEST(http_has(told, "this port speaks HTTP, and what came is a"), told);
  }
}

BOOST_AUTO_TEST_CASE(a_monitoring_system_finds_figures_and_health) {
  BOOST_TEST(http_has(ask("GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n", "HEALTHY"), "200 OK"));
  std::string const text =
      ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "fastjournal_table_refused_total{table=\"jobs\"}");
  BOOST_TEST(http_has(text, "Content-Type: text/plain; version=0.0.4"), text.substr(0, 300));
  BOOST_TEST(http_has(text, "\nfastjournal_table_rows{table=\"jobs\"} 0\n"));
  BOOST_TEST(http_has(text, "\n# TYPE fastjournal_log_sync_seconds histogram\n"));
  std::string const open =
      ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: application/openmetrics-text\r\n\r\n", "# EOF");
  BOOST_TEST(http_has(open, "Content-Type: application/openmetrics-text; version=1.0.0"), open.substr(0, 300));
  BOOST_TEST(http_has(ask("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", "\"openapi\""), "application/json"));
}

// The daemon's limit of open files leaves room for 30 connections.
BOOST_AUTO_TEST_CASE(a_connection_that_there_is_no_descriptor_for_is_refused_in_the_words_of_http) {
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  daemon.wrapper = {"/bin/sh", "-c", "ulimit -n 60; exec \"$@\"", "sh"};
  is_running = daemon.start();
  BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  std::vector<LineClient> crowd;
  std::string refused;
  for (int i = 0; i < 40 && refused.empty(); ++i) {
    crowd.emplace_back(daemon.tcp());
    BOOST_REQUIRE(crowd.back().send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    std::string const first = crowd.back().read_line().value_or("(nothing)");
    if (!first.starts_with("HTTP/1.1 200 ")) refused = first + "\n" + read_to(crowd.back(), "code");
  }
  BOOST_TEST(refused.starts_with("HTTP/1.1 503 "), refused);
  BOOST_TEST(http_has(refused, "Retry-After: "), refused);
  BOOST_TEST(http_has(refused, "Connection: close"), refused);
  BOOST_TEST(http_has(refused, "over_limit"), refused);
}

// What it does is shown in a browser (tests/page); that it is there, also where none can be installed.
BOOST_AUTO_TEST_CASE(the_page_is_part_of_the_program_with_all_its_files) {
  std::string const page = ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "</html>");
  BOOST_TEST(http_has(page, "Content-Type: text/html; charset=utf-8\r\n"), page.substr(0, 500));
  BOOST_TEST(http_has(page, "require-trusted-types-for 'script'"), page.substr(0, 800));
  std::string const folder = FJ_SOURCE_DIR "/src/server/page";
  int files = 0;
  for (std::filesystem::directory_entry const& entry : std::filesystem::directory_iterator{folder}) {
    std::string const name = entry.path().filename().string();
    if (name.ends_with(".cpp") || name.ends_with(".h")) continue;
    ++files;
    std::string const head = ask("HEAD /" + name + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "Cross-Origin");
    BOOST_TEST(head.starts_with("HTTP/1.1 200 OK\r\n"), name << ": " << head);
    BOOST_TEST(http_has(head, "Content-Length: " + std::to_string(entry.file_size()) + "\r\n"), name << ": " << head);
    BOOST_TEST(http_has(head, "Cache-Control: no-cache\r\n"), name << ": " << head);
  }
  BOOST_TEST(files > 20);
}

BOOST_AUTO_TEST_SUITE_END()
