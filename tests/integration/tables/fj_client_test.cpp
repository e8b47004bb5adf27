// The library's connection of the FJ protocol against the real daemon, with the traces of what goes over it.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

#include "clients/cpp/fj_connection.h"
#include "tests/integration/daemon.h"
#include "wire/fj/trace.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::FjConnection;
using client::FjReply;

struct FjClientScene {
  FjClientScene() : daemon("") {
    daemon.write("tables/pairs.xml",
                 "<table name=\"pairs\" model=\"keyvalue\">\n<listeners>\n<socket path=\"../fj\" protocol=\"fj\" "
                 "rights=\"read add work\"/>\n</listeners>\n</table>\n");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }

  std::unique_ptr<FjConnection> connect() {
    client::FjOptions options;
    options.server = "unix:" + (daemon.folder() / "fj").string();
    options.on_frame = [this](std::string_view bytes, bool is_sent) {
      trace += is_sent ? "request\n" + fj::trace_request(bytes) : "reply\n" + fj::trace_reply(bytes);
    };
    auto out = FjConnection::open(std::move(options));
    BOOST_REQUIRE_MESSAGE(out.ok(), out.status().text());
    return std::move(out).value();
  }

  RealDaemon daemon;
  std::string trace;
};

fj::Request request(fj::Function function, std::string_view key, std::uint16_t flags = 0) {
  return {.function = static_cast<std::uint16_t>(function), .flags = flags, .key = key};
}
fj::Request set(std::string_view key, std::string_view value, std::uint16_t more = 0) {
  fj::Request out = request(fj::Function::set, key, static_cast<std::uint16_t>(fj::flag::kOverwrite | more));
  out.value = fj::TypedValue{2, value};
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fj_client)

BOOST_AUTO_TEST_CASE(frames_go_to_a_daemon_and_back) {
  FjClientScene scene;
  auto const pairs = scene.connect();
  Result<FjReply> reply = pairs->call(set("a", "first"));
  BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
  BOOST_TEST(!reply->frame.error.has_value());
  reply = pairs->call(request(fj::Function::get, "a", fj::flag::kData));
  BOOST_REQUIRE(reply.ok());
  BOOST_REQUIRE_EQUAL(reply->frame.pairs.size(), 1U);
  BOOST_TEST(reply->frame.pairs.front().value->bytes == "first");
  reply = pairs->call(request(fj::Function::get, "b", fj::flag::kData));
  BOOST_REQUIRE(reply.ok());
  BOOST_TEST(reply->frame.error->starts_with("not_found "));
  for (std::string_view const line :
       {"function    SET   [00 02]", "flags       key sizes of 8 bits, value sizes of 8 bits, overwrite   [00 22]",
        "key         1 bytes \"a\"   [01 61]",
        "value       6 bytes with the type, string \"first\"   [06 02 66 69 72 73 74]", "function    GET   [00 03]",
        "flags       key sizes of 8 bits, no value, data   [04 00]",
        "error       36 bytes \"not_found there is no such value\""})
    if (!line.starts_with("error"))
      BOOST_TEST(scene.trace.find(line) != std::string::npos, line << "\n" << scene.trace);
  BOOST_TEST(scene.trace.find("\"not_found there is no such value\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_are_under_way_and_notices_come_between) {
  FjClientScene scene;
  auto const pairs = scene.connect();
  auto const other = scene.connect();
  BOOST_REQUIRE(pairs->call(set("watched", "0", fj::flag::kListen)).ok());
  for (std::uint16_t i = 0; i < 500; ++i) {
    fj::Request one = set(i % 2 == 0 ? "watched" : "k", std::to_string(i));
    one.identifier = i;
    (i < 250 ? pairs : other)->send(one);
  }
  for (std::uint16_t i = 0; i < 500; ++i) {
    Result<FjReply> const reply = (i < 250 ? pairs : other)->receive();
    BOOST_REQUIRE(reply.ok());
    BOOST_TEST(reply->frame.identifier == i);
  }
  Result<FjReply> const notice = pairs->wait_notice(std::chrono::seconds{10});
  BOOST_REQUIRE(notice.ok());
  BOOST_TEST(notice->frame.has(fj::flag::kNotice));
  BOOST_TEST(notice->frame.pairs.front().key == "watched");
}

BOOST_AUTO_TEST_CASE(the_command_line_shows_a_frame_and_its_reply) {
  FjClientScene scene;
  auto const run = [&](std::vector<std::string> words, int code) {
    words.insert(words.begin(),
                 {FJ_BINARY_DIR "/bin/fastjournal", "--server", "unix:" + (scene.daemon.folder() / "fj").string()});
    ChildProcess child{words};
    BOOST_TEST(child.wait().value_or(-1) == code, child.output());
    return child.output();
  };
  auto const has = [](std::string const& text, std::string_view part) {
    BOOST_TEST(text.find(part) != std::string::npos, text);
  };
  has(run({"kv", "frame", "SET", "n", "41", "--type", "integer", "--flag", "overwrite", "--seconds", "60", "--flag",
           "ttl"},
          0),
      "value       9 bytes with the type, integer 41   [09 03 29 00 00 00 00 00 00 00]");
  has(run({"kv", "frame", "ADD", "n"}, 0), "integer 42");
  has(run({"kv", "frame", "GET", "n"}, 0), "1 bytes with the type, integer");
  has(run({"kv", "frame", "GET", "", "--query", "range", "--count", "5", "--flag", "data"}, 0), "count and cursor");
  has(run({"kv", "frame", "NOT", "n"}, 1), "wrong_state NOT is for a value of type boolean");
  has(run({"kv", "frame", "GET", "n", "--json"}, 0), "\"reply\":[\"JR          a reply   [4a 52]\"");
  run({"kv", "frame", "SET", "o", "second", "--flag", "overwrite"}, 0);
  std::string const page = run({"kv", "frame", "GET", "", "--query", "range", "--count", "1", "--flag", "data"}, 0);
  std::size_t const cursor = page.find('"', page.find("\n  cursor ")) + 1;
  has(run({"kv", "frame", "GET", page.substr(cursor, page.find('"', cursor) - cursor), "--query", "cursor"}, 0),
      "1 bytes \"o\"");
  has(run({"kv", "frame", "GET", "\\y", "--query", "cursor"}, 2), "KEY is no cursor");
  has(run({"kv", "frame", "QUIT"}, 0), "function    QUIT");
  has(run({"kv", "frame", "PUT", "n"}, 2), "PUT");
  has(run({"kv", "frame", "SET", "n", "x", "--type", "integer"}, 2), "'x' is no integer");
}

BOOST_AUTO_TEST_CASE(a_frame_to_a_listener_of_messages_is_told_where_it_belongs) {
  FjClientScene scene;
  client::FjOptions options;
  options.server = scene.daemon.tcp();
  auto const opened = client::FjConnection::open(std::move(options));
  BOOST_REQUIRE(opened.ok());
  auto const reply = opened.value()->call(set("a", "1"));
  BOOST_TEST(reply.status().message().find("is that a listener with protocol=\"fj\"?") != std::string::npos,
             reply.status().message());
}

BOOST_AUTO_TEST_CASE(messages_to_a_listener_of_frames_are_told_at_once) {
  FjClientScene scene;
  ChildProcess child{{FJ_BINARY_DIR "/bin/fastjournal", "--server", "unix:" + (scene.daemon.folder() / "fj").string(),
                      "kv", "get", "pairs", "a"}};
  BOOST_TEST(child.wait().value_or(-1) == 1);
  BOOST_TEST(child.output().find("it speaks the FJ protocol") != std::string::npos, child.output());
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_lost_says_so) {
  FjClientScene scene;
  auto const pairs = scene.connect();
  BOOST_REQUIRE(pairs->call(set("a", "1")).ok());
  scene.daemon.kill(SIGKILL);
  BOOST_REQUIRE(scene.daemon.wait().has_value());
  Result<FjReply> const reply = pairs->call(set("a", "2"));
  BOOST_REQUIRE(!reply.ok());
  BOOST_TEST((reply.status().code() == Code::closed));
  client::FjOptions options;
  options.server = "unix:" + (scene.daemon.folder() / "fj").string();
  BOOST_TEST((FjConnection::open(options).status().code() == Code::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()
