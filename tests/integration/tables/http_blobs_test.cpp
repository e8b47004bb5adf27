// Blobs over HTTP with the real daemon: stored and fetched whole and in parts, by sockets and over TLS, and a large one by
// a slow reader beside a fast one, while the daemon's memory stays as it is. The rules: tests/unit/protocol/http_blobs.cpp.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <string>

#include "tests/integration/shell.h"
#include "tests/support/certificates.h"
#include "tests/support/line_client.h"

namespace {

using namespace fastjournal::test;

constexpr std::size_t kLarge = 64U << 20U;

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::string head_of(std::string const& method, std::string const& key, std::string const& fields = "") {
  return method + " /v1/blobs/pages/" + key + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

struct Serving {
  Serving() : daemon{""} {
    Certificate const own = authority.issue();
    daemon.write("server.pem", own.certificate);
    write_private((daemon.folder() / "server.key").string(), own.key);
    daemon.write("ca.pem", authority.certificate());
    daemon.write("tables/pages.xml", "<table name=\"pages\" model=\"blob\"/>\n");
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<access users=\"users.xml\"/>\n"
                 "<listen address=\"127.0.0.1:0\" protocol=\"http\" rights=\"read\"/>\n"
                 "<listen address=\"127.0.0.1:0\" protocol=\"http\" tls=\"true\" rights=\"read\"/>\n"
                 "<tls certificate=\"server.pem\" key=\"server.key\"/>\n"
                 "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    daemon.listens_as_configured = true;
    Ran const added = run("fastjournal user add writer --rights add --file users.xml > token");
    BOOST_REQUIRE_MESSAGE(added.code == 0, added.output);
    std::ifstream{daemon.folder() / "token"} >> token;
    start();
    std::mt19937_64 chance{1};
    large.resize(kLarge);
    for (std::size_t at = 0; at < large.size(); at += 8) {
      std::uint64_t const bits = chance();
      large.replace(at, 8, reinterpret_cast<char const*>(&bits), 8);
    }
  }
  ~Serving() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  void start() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  Ran run(std::string const& command) const { return run_in_shell(daemon, command); }

  // The status line and the fields.
  static std::string read_head(LineClient& client) {
    std::string text;
    while (std::optional<std::string> const line = client.read_line()) {
      if (*line == "\r" || line->empty()) return text;
      text += *line + "\n";
    }
    return text + "(no more)";
  }
  void put(std::string const& key, std::string const& bytes) {
    LineClient client{daemon.tcp()};
    BOOST_TEST(client.send(
        head_of("PUT", key,
                "Authorization: Bearer " + token + "\r\nContent-Length: " + std::to_string(bytes.size()) + "\r\n")));
    BOOST_TEST(client.send(bytes));
    std::string const said = read_head(client);
    BOOST_TEST(has(said, "HTTP/1.1 201 Created"), said);
  }
  [[nodiscard]] std::size_t resident_bytes() {
    std::ifstream file{"/proc/" + std::to_string(daemon.child().pid()) + "/statm"};
    std::size_t pages = 0;
    std::size_t resident = 0;
    file >> pages >> resident;
    return resident * 4096;
  }

  RealDaemon daemon;
  Authority authority;
  std::string token;
  std::string large;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(http_blobs, Serving)

BOOST_AUTO_TEST_CASE(blobs_are_stored_and_fetched_over_one_connection) {
  put("a%2Fb%00", "hello world");
  LineClient client{daemon.tcp()};
  BOOST_TEST(client.send(head_of("GET", "a/b%00") + head_of("GET", "a/b%00", "Range: bytes=-5\r\n") +
                         head_of("HEAD", "a/b%00") + head_of("GET", "none") + head_of("GET", "a/b%00")));
  std::string said = read_head(client);
  BOOST_TEST(has(said, "HTTP/1.1 200 OK"), said);
  BOOST_TEST(client.read_bytes(11).value_or("") == "hello world");
  std::size_t const tag = said.find("ETag: ") + 6;
  std::string const etag = said.substr(tag, said.find('\r', tag) - tag);
  said = read_head(client);
  BOOST_TEST(has(said, "HTTP/1.1 206 Partial Content"), said);
  BOOST_TEST(has(said, "Content-Range: bytes 6-10/11"), said);
  BOOST_TEST(client.read_bytes(5).value_or("") == "world");
  said = read_head(client);
  BOOST_TEST(has(said, "Content-Length: 11"), said);
  said = read_head(client);
  BOOST_TEST(has(said, "HTTP/1.1 404 Not Found"), said);
  BOOST_TEST(has(client.read_line().value_or(""), "\"not_found\""));
  said = read_head(client);
  BOOST_TEST(client.read_bytes(11).value_or("") == "hello world");
  BOOST_TEST(client.send(head_of("GET", "a/b%00", "If-None-Match: " + etag + "\r\n")));
  said = read_head(client);
  BOOST_TEST(has(said, "HTTP/1.1 304 Not Modified"), said);
  // What was answered is there after a kill.
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  start();
  LineClient again{daemon.tcp()};
  BOOST_TEST(again.send(head_of("GET", "a/b%00", "Connection: close\r\n")));
  static_cast<void>(read_head(again));
  BOOST_TEST(again.read_all().value_or("") == "hello world");
}

BOOST_AUTO_TEST_CASE(who_has_no_right_stores_nothing) {
  for (std::string const& fields : {std::string{}, std::string{"Authorization: Bearer nobody\r\n"}}) {
    LineClient client{daemon.tcp()};
    BOOST_TEST(client.send(head_of("PUT", "x", fields + "Content-Length: 5\r\n") + "hello"));
    std::string const said = read_head(client);
    BOOST_TEST(has(said, "HTTP/1.1 401 Unauthorized"), said);
  }
  // One that is broken off, too.
  {
    LineClient client{daemon.tcp()};
    BOOST_TEST(client.send(head_of("PUT", "x", "Authorization: Bearer " + token + "\r\nContent-Length: 500000\r\n") +
                           "hello"));
  }
  LineClient client{daemon.tcp()};
  BOOST_TEST(client.send(head_of("GET", "x")));
  std::string const said = read_head(client);
  BOOST_TEST(has(said, "HTTP/1.1 404 Not Found"), said);
}

BOOST_AUTO_TEST_CASE(a_slow_reader_takes_no_memory_and_holds_back_nobody) {
  put("large", large);
  std::size_t const before = resident_bytes();
  std::size_t most = before;
  LineClient slow{daemon.tcp()};
  BOOST_TEST(slow.send(head_of("GET", "large")));
  std::string const said = read_head(slow);
  BOOST_TEST(has(said, "Content-Length: 67108864"), said);
  std::string got = slow.read_bytes(100'000).value_or("");
  for (int reader = 0; reader < 2; ++reader) {
    LineClient fast{daemon.tcp()};
    BOOST_TEST(fast.send(head_of("GET", "large")));
    static_cast<void>(read_head(fast));
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < large.size(); at += kLarge / 64) {
      std::string const bytes = fast.read_bytes(kLarge / 64).value_or("");
      BOOST_TEST_REQUIRE((bytes == large.substr(at, kLarge / 64)));
      most = std::max(most, resident_bytes());
    }
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    BOOST_TEST_MESSAGE("64 MiB in " << took.count() << " s, beside a slow reader");
  }
  got += slow.read_bytes(large.size() - got.size()).value_or("");
  BOOST_TEST((got == large));
  most = std::max(most, resident_bytes());
  BOOST_TEST_MESSAGE("resident: " << (before >> 20U) << " MiB before, at most " << (most >> 20U) << " MiB");
  BOOST_TEST(most < before + (16U << 20U));
}

BOOST_AUTO_TEST_CASE(curl_stores_and_fetches_also_over_tls) {
  daemon.write("large", large);
  std::string const url = "http://" + daemon.tcp() + "/v1/blobs/pages/";
  Ran ran = run("curl -sS -w ' %{http_code}' -H \"Authorization: Bearer $(cat token)\" -T large " + url + "large");
  BOOST_TEST(ran.output.ends_with(" 201"), ran.output);
  // In chunks.
  ran = run("cat large | curl -sS -w ' %{http_code}' -H \"Authorization: Bearer $(cat token)\" -T - " + url + "large");
  BOOST_TEST(ran.output.ends_with(" 200"), ran.output);
  std::size_t const before = resident_bytes();
  ran = run("curl -sS -w '%{speed_download}' -o got " + url + "large && cmp large got");
  BOOST_TEST(ran.code == 0, ran.output);
  BOOST_TEST_MESSAGE("bytes/s by curl: " << ran.output);
  ran = run("curl -sS -w '%{speed_download}' --cacert ca.pem -o got https://" + daemon.addresses()[1].substr(4) +
            "/v1/blobs/pages/large && cmp large got");
  BOOST_TEST(ran.code == 0, ran.output);
  BOOST_TEST_MESSAGE("bytes/s by curl with TLS: " << ran.output);
  ran = run("curl -sS -r 1000000- -o got " + url + "large && tail -c +1000001 large | cmp - got");
  BOOST_TEST(ran.code == 0, ran.output);
  ran = run("head -c 5000000 large > got && curl -sS -C - -o got " + url + "large && cmp large got");
  BOOST_TEST(ran.code == 0, ran.output);
  BOOST_TEST(resident_bytes() < before + (16U << 20U));
}

BOOST_AUTO_TEST_SUITE_END()
