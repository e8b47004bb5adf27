// Connections of other programs: bytes that browsers and others send to any port, in one piece and byte by byte. The
// connection is closed, and nothing that it sent is carried out.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/limits.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::strangers_test {
namespace {

using namespace std::string_view_literals;

// A form that submits itself (enctype text/plain), from any page to http://127.0.0.1:4050/.
constexpr std::string_view kForm =
    "POST / HTTP/1.1\r\n"
    "Host: 127.0.0.1:4050\r\n"
    "Connection: keep-alive\r\n"
    "Content-Length: 18\r\n"
    "Cache-Control: max-age=0\r\n"
    "Origin: http://evil.example\r\n"
    "Content-Type: text/plain\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 "
    "Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "\r\n"
    "PAUSE table=jobs\r\n";
constexpr std::string_view kFetch =
    "GET /?x=1;PAUSE%20table=jobs HTTP/1.1\r\nHost: localhost:4050\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; "
    "rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: */*\r\nAccept-Language: en-US\r\nOrigin: null\r\n"
    "X-A: b\nPAUSE table=jobs\n\r\n\r\nPAUSE table=jobs\n";
constexpr std::string_view kPreflight =
    "OPTIONS /PAUSE HTTP/1.1\r\nHost: 127.0.0.1:4050\r\nAccess-Control-Request-Method: PUT\r\n"
    "Access-Control-Request-Headers: content-type\r\nOrigin: http://evil.example\r\n\r\nPAUSE table=jobs\n";
constexpr std::string_view kOptions = "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\nPAUSE table=jobs\n";
constexpr std::string_view kOwnMethod = "PAUSE / HTTP/1.1\r\nHost: x\r\n\r\nPAUSE table=jobs\n";
constexpr std::string_view kProxy = "CONNECT 127.0.0.1:4050 HTTP/1.1\r\nHost: x\r\n\r\nPAUSE table=jobs\n";
constexpr std::string_view kOldest = "GET /\r\nPAUSE table=jobs\n";
constexpr std::string_view kHttp2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nPAUSE table=jobs\n";
constexpr std::string_view kWebSocket =
    "GET /chat HTTP/1.1\r\nHost: 127.0.0.1:4050\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\nPAUSE table=jobs\n";
// A request line that looks like a message. Browsers do not send it, but other programs may be made to.
constexpr std::string_view kLooksRight = "PAUSE table=jobs;reason=x HTTP/1.0\r\nHost: x\r\n\r\nPAUSE table=jobs\n";
// A TLS 1.3 ClientHello whose server name was chosen by a web page.
constexpr std::string_view kClientHello =
    "\x16\x03\x01\x00\x6b\x01\x00\x00\x67\x03\x03\x11\x22\x33\x44\x55\x66\x77\x88\x99\x0a\x0b\x0c\x0d\x0e\x0f"
    "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x00\x00\x04\x13\x01\x13\x02\x01\x00\x00\x3a"
    "\x00\x00\x00\x16\x00\x14\x00\x00\x11\nPAUSE table=jobs\n\x00\x2b\x00\x03\x02\x03\x04\nPAUSE table=jobs\n"sv;
constexpr std::string_view kMail = "EHLO evil.example\r\nPAUSE table=jobs\r\n";
constexpr std::string_view kShell = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\nPAUSE table=jobs\r\n";

std::vector<std::string_view> const kAll{kForm,  kFetch,     kPreflight,  kOptions,     kOwnMethod, kProxy, kOldest,
                                         kHttp2, kWebSocket, kLooksRight, kClientHello, kMail,      kShell};

struct Served : Asking {
  Served() {
    serve();
    BOOST_TEST(ask("INSERT table=jobs;name=k").starts_with("INSERTED "));
  }
  [[nodiscard]] bool is_paused() { return ask("LIST table=jobs;status=paused").starts_with("ROW "); }
  // What a new peer is answered that sends these bytes, `step` bytes at a time; ends in "closed" if it is closed.
  std::string hears(std::string_view bytes, std::size_t step) {
    ConnectionId const id = world.network().connect("sim:stranger");
    SimNetwork::Connection& peer = world.network().at(id);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      peer.to_server += bytes.substr(at, step);
      world.settle();
    }
    return peer.to_client + (peer.closed_by_server ? "closed" : "");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(strangers)

BOOST_FIXTURE_TEST_CASE(what_browsers_send_is_answered_once_and_does_nothing, Served) {
  for (std::string_view const bytes : kAll) {
    for (std::size_t const step : {bytes.size(), std::size_t{1}, std::size_t{7}}) {
      std::string const heard = hears(bytes, step);
      BOOST_TEST_CONTEXT(bytes.substr(0, 40) << " by " << step) {
        BOOST_TEST(heard.starts_with("INVALID code=invalid;message="), heard);
        BOOST_TEST(heard.ends_with("\nclosed"), heard);
        BOOST_TEST(std::count(heard.begin(), heard.end(), '\n') == 1, heard);
        BOOST_TEST(!is_paused());
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(nothing_behind_a_bad_first_line_is_done_also_in_the_same_read, Served) {
  BOOST_TEST(hears("bad =1\nPAUSE table=jobs\n", 100).ends_with("\nclosed"));
  BOOST_TEST(hears(std::string(2U << 20U, 'x') + "\nPAUSE table=jobs\n", 1U << 16U).ends_with("\nclosed"));
  BOOST_TEST(
      hears(std::string(kCommandBytesMax + 1, 'X') + " table=jobs\nPAUSE table=jobs\n", 1000).ends_with("\nclosed"));
  std::string const binary = hears("bad =1\nFJM\x01\0\0\0\1\x80"sv, 100);
  BOOST_TEST(std::count(binary.begin(), binary.end(), '\n') == 1, binary);
  BOOST_TEST(!is_paused());
}

BOOST_FIXTURE_TEST_CASE(whoever_has_said_a_message_may_make_mistakes, Served) {
  std::string const heard = hears("\r\n \n{\"command\":\"ALIVE\"}\nPOST / HTTP/1.1\nbad =1\nALIVE\n", 1000);
  BOOST_TEST(!heard.ends_with("closed"), heard);
  BOOST_TEST(std::count(heard.begin(), heard.end(), '\n') == 4, heard);
}

// The answer to a stranger says nothing of a log, so it waits for none.
BOOST_AUTO_TEST_CASE(a_stranger_is_closed_also_while_syncs_are_slow) {
  World world{7};
  world.log_options.sync_place = log::SyncPlace::on_thread;
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
  BOOST_REQUIRE(world.start().ok());
  world.send("main", "INSERT table=jobs;name=k");
  world.settle();
  world.hold_flushes(true);
  world.send("main", "INSERT table=jobs;name=l");
  world.settle();
  ConnectionId const id = world.network().connect("sim:stranger");
  world.network().at(id).to_server = kForm;
  world.settle();
  BOOST_TEST(world.network().at(id).to_client.starts_with("INVALID "));
  BOOST_TEST(world.network().at(id).closed_by_server);
  world.hold_flushes(false);
  world.settle();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::strangers_test
