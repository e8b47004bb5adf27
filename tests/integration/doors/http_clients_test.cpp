// HTTP and TLS as foreign programs speak them: curl, Python's urllib and Node's fetch with the examples of doc/http.md,
// and openssl's client. The numbers of the page stand for real ones.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/integration/shell.h"
#include "tests/support/certificates.h"
#include "tests/support/documents.h"
#include "tests/support/line_client.h"

namespace {

using namespace fastjournal::test;

bool http_clients_has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::string replaced(std::string text, std::string const& what, std::string const& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Row numbers, epochs and dates are another's each time: three digits and more become one letter.
std::string without_numbers(std::string const& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end - at >= 3)
      out += 'N';
    else
      out.append(text, at, std::max<std::size_t>(end - at, 1));
    at = std::max(end, at + 1);
  }
  return out;
}

struct Serving {
  Serving() : daemon{""} {
    std::filesystem::copy_file(std::string{FJ_SOURCE_DIR} + "/conf/tables.d/pages.xml",
                               daemon.folder() / "tables" / "pages.xml");
    daemon.write("tables/blobs.xml", "<table name=\"blobs\" model=\"blob\"/>\n");
    std::filesystem::copy_file(std::string{FJ_SOURCE_DIR} + "/LICENSE", daemon.folder() / "LICENSE");
    Certificate const own = authority.issue();
    daemon.write("server.pem", own.certificate);
    write_private((daemon.folder() / "server.key").string(), own.key);
    daemon.write("ca.pem", authority.certificate());
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<access users=\"users.xml\"/>\n<listen address=\"127.0.0.1:0\" protocol=\"http\"/>\n"
                 "<listen address=\"127.0.0.1:0\" protocol=\"http\" tls=\"true\"/>\n"
                 "<tls certificate=\"server.pem\" key=\"server.key\"/>\n<socket path=\"socket\" rights=\"all\"/>\n"
                 "</fastjournal>\n");
    daemon.listens_as_configured = true;
    Ran const added = run("fastjournal user add ops --rights manage --file users.xml > token");
    BOOST_REQUIRE_MESSAGE(added.code == 0, added.output);
    is_running = daemon.start();
    BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
    secure = daemon.addresses()[1].substr(4);
    // The lists of the page have two rows.
    for (char const* const uri : {"http://example.org/a", "http://example.org/b"})
      BOOST_TEST(http_clients_has(administer(std::string{"INSERT table=pages;uri="} + uri), "INSERTED"));
  }
  ~Serving() {
    if (!is_running) return;
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  Ran run(std::string const& command) const {
    return run_in_shell(daemon, "TOKEN=$(cat token 2> /dev/null || true); " + command);
  }
  std::string administer(std::string const& line) { return LineClient{daemon.local()}.ask(line); }
  // With the address of this daemon.
  std::string here(std::string const& text) const { return replaced(text, "127.0.0.1:4080", daemon.tcp()); }

  // `shown`: the lines of its answer. Events are read while they come, after something has happened.
  void check_command(std::string const& place, std::string const& command, std::vector<std::string> const& shown) {
    bool const is_stream = http_clients_has(command, "/v1/LISTEN");
    ChildOptions options;
    options.environment = shell_variables(daemon);
    ChildProcess child{shell_words(daemon, "TOKEN=$(cat token); exec " + command), options};
    for (std::string const& line : shown) {
      std::optional<std::string> said = child.read_line();
      // Headers are not shown, and a blank line ends an event.
      while (is_stream && said && said->empty() && !line.empty()) said = child.read_line();
      // Heads of HTTP.
      if (said && said->ends_with('\r')) said->pop_back();
      BOOST_TEST_REQUIRE(said.has_value(), place << ": expected \"" << line << "\", but there is no more output");
      BOOST_TEST(is_as_shown(without_numbers(*said), without_numbers(line)),
                 place << ": expected \"" << line << "\", got \"" << *said << "\"");
      if (is_stream && &line == &shown.front())
        BOOST_TEST(http_clients_has(administer("INSERT table=pages;uri=http://example.org/c"), "INSERTED"));
    }
    if (is_stream) return child.kill(SIGTERM);
    BOOST_TEST(child.wait().value_or(-1) == 0, place << ": " << command);
  }

  RealDaemon daemon;
  Authority authority;
  std::string secure;
  bool is_running{false};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(http_clients, Serving)

BOOST_AUTO_TEST_CASE(the_examples_of_the_page_work) {
  std::size_t commands = 0;
  std::size_t programs = 0;
  for (Example const& example : examples_of(FJ_SOURCE_DIR, "doc/http.md")) {
    std::string const place = example.document + ":" + std::to_string(example.line);
    std::string text;
    for (std::string const& line : example.lines) text += line + "\n";
    if (example.language == "http") {
      BOOST_TEST_REQUIRE(example.lines.front().starts_with("$ "), place);
      std::vector<std::string> shown(example.lines.begin() + 1, example.lines.end());
      check_command(place, here(example.lines.front().substr(2)), shown);
      ++commands;
    } else if (example.language == "python" || example.language == "javascript") {
      bool const is_python = example.language == "python";
      daemon.write(is_python ? "example.py" : "example.mjs", here(text));
      Ran const ran = run(is_python ? "python3 example.py" : "node example.mjs");
      BOOST_TEST(ran.code == 0, place << ": " << ran.output);
      BOOST_TEST(http_clients_has(ran.output, is_python ? "'command': 'COMPLETED'" : "command: 'STATS'"), ran.output);
      ++programs;
    }
    BOOST_TEST(!administer("RESUME table=pages").empty());
  }
  BOOST_TEST(commands == 9U);
  BOOST_TEST(programs == 2U);
}

BOOST_AUTO_TEST_CASE(curl_keeps_a_connection_and_speaks_tls) {
  std::string const url = "http://" + daemon.tcp() + "/health/live";
  Ran ran = run("curl -sS -v " + url + " " + url + " 2>&1");
  BOOST_TEST(http_clients_has(ran.output, "Re-using existing "), ran.output);
  ran = run("curl -sS --cacert ca.pem https://" + secure + "/health/live");
  BOOST_TEST(ran.code == 0, ran.output);
  BOOST_TEST(http_clients_has(ran.output, "\"HEALTHY\""), ran.output);
  ran = run("curl -sS https://" + secure + "/health/live");
  BOOST_TEST(ran.code == 60, ran.output);
  // A body in chunks, and one that is announced.
  std::string const post = " --cacert ca.pem -H 'Content-Type: application/json' https://" + secure + "/v1/PEEK";
  std::string const body = "printf '{\"table\":\"pages\",\"uri\":\"http://example.org/a\"}' | curl -sS -d @- ";
  ran = run(body + "-H 'Transfer-Encoding: chunked'" + post);
  BOOST_TEST(http_clients_has(ran.output, "\"ROW\""), ran.output);
  ran = run(body + "-H 'Expect: 100-continue'" + post);
  BOOST_TEST(http_clients_has(ran.output, "\"ROW\""), ran.output);
  ran = run("curl -sS --http2-prior-knowledge " + url);
  BOOST_TEST(ran.code != 0, ran.output);
}

BOOST_AUTO_TEST_CASE(openssls_client_agrees_or_is_refused) {
  std::string const get =
      "printf 'GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' | ";
  std::string const client = "openssl s_client -CAfile ca.pem -verify_return_error -connect " + secure + " ";
  for (std::string const version : {"-tls1_2", "-tls1_3"}) {
    Ran const ran = run(get + client + "-ign_eof -alpn http/1.1 " + version + " 2>&1");
    BOOST_TEST(http_clients_has(ran.output, "HTTP/1.1 200 OK"), ran.output);
    BOOST_TEST(http_clients_has(ran.output, "ALPN protocol: http/1.1"), ran.output);
    bool const is_renegotiable = http_clients_has(ran.output, "Secure Renegotiation IS supported");
    BOOST_TEST(is_renegotiable == (version == "-tls1_2"), ran.output);
  }
  Ran ran = run(client + "-alpn h2 < /dev/null 2>&1");
  BOOST_TEST(http_clients_has(ran.output, "no application protocol"), ran.output);
  ran = run(client + "-tls1_1 -cipher ALL:@SECLEVEL=0 < /dev/null 2>&1");
  BOOST_TEST(http_clients_has(ran.output, "protocol version"), ran.output);
  ran = run(client + "-tls1_2 -cipher AES128-SHA < /dev/null 2>&1");
  BOOST_TEST(http_clients_has(ran.output, "handshake failure"), ran.output);
  // It asks for another handshake when it reads a line with R alone.
  ran = run("(echo R; printf 'GET /health/live HTTP/1.1\\r\\n') | " + client + "-tls1_2 -ign_eof 2>&1");
  BOOST_TEST(!http_clients_has(ran.output, "HTTP/1.1 200 OK"), ran.output);
}

BOOST_AUTO_TEST_SUITE_END()
