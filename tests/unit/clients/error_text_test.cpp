// The texts of failures that the library sends: bytes of any kind and number become text that arrives, in both framings.
#include "clients/cpp/error_text.h"

#include <random>

#include "base/utf8.h"
#include "clients/cpp/client.h"
#include "clients/cpp/documents.h"
#include "clients/cpp/journal.h"
#include "clients/cpp/queues.h"
#include "tests/unit/clients/fake_server.h"

using namespace fastjournal;
using namespace fastjournal::client;

BOOST_AUTO_TEST_SUITE(error_text_of_clients)

BOOST_AUTO_TEST_CASE(texts_are_cut_at_characters_and_made_utf8) {
  BOOST_TEST(error_text("disk full") == "disk full");
  BOOST_TEST(error_text("a\xff\xc3") == "a??");
  BOOST_TEST(error_text("\xed\xa0\x80") == "???");  // a surrogate
  BOOST_TEST(error_text({"a\0b\\\\", 5}) == "a?b");
  BOOST_TEST(error_text("\xe2\x82\xac\xe2\x82\xac", 5) == "\xe2\x82\xac");
  std::string euros;
  for (int i = 0; i < 1000; ++i) euros += "\xe2\x82\xac";
  BOOST_TEST(error_text(euros).size() == 1023U);
  auto const seed = std::random_device{}();
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937 chance{seed};
  for (int run = 0; run < 2000; ++run) {
    std::string bytes(chance() % 1500, '\0');
    for (char& byte : bytes) byte = static_cast<char>(chance() % 3 == 0 ? chance() % 256 : 'a' + chance() % 20);
    std::string const text = error_text(bytes);
    BOOST_REQUIRE_MESSAGE(is_utf8(text) && text.size() <= kErrorBytesMax, "seed " << seed << ", run " << run);
  }
}

BOOST_AUTO_TEST_CASE(every_failure_arrives_in_both_framings) {
  std::string const huge = "\xff\\" + std::string(40U << 20U, 'x') + "\\";
  std::string const awkward{"a;\"b\n\0\xff\\", 9};
  for (Framing const framing : {Framing::msgpack, Framing::text}) {
    for (std::string const& error : {huge, awkward}) {
      FakeServer server([&](FakeServer::Peer& peer) {
        for (std::string_view const command : {"RELEASE", "FAIL", "RELEASE", "REJECT", "FAILED", "DROPPED"}) {
          Message const said = peer.expect(command);
          want(said.text(command == "DROPPED" ? "reason" : "error") == error_text(error), "the text");
          bool const is_of_documents = command == "FAILED" || command == "DROPPED";
          peer.answer(said, is_of_documents ? "RECORDED" : command == "RELEASE" ? "RELEASED" : "PARKED");
        }
        peer.wait_for_end();
      });
      auto opened = value_of(Connection::open({.server = server.address(), .framing = framing}));
      Connection& connection = *opened;
      Journal jobs(connection, "jobs");
      Queues post(connection, "post");
      Documents docs(connection, "docs");
      Row row;
      row.row = 1;
      row.epoch = 2;
      QueueMessage message;
      message.message = 1;
      message.epoch = 2;
      BOOST_TEST(jobs.release(row, {.error = error}).ok());
      BOOST_TEST(jobs.fail(row, error).ok());
      BOOST_TEST(post.release(message, {.error = error}).ok());
      BOOST_TEST(post.reject(message, error).ok());
      BOOST_TEST(docs.failed({}, "index", "\xff" + std::string(80, 'x'), {.error = error}).ok());
      BOOST_TEST(docs.dropped({}, "index", error).ok());
      opened.reset();
    }
  }
}

// An older daemon refuses the parameter: the failure arrives all the same.
BOOST_AUTO_TEST_CASE(a_daemon_that_knows_no_traces_gets_the_failure_without) {
  FakeServer server([&](FakeServer::Peer& peer) {
    for (std::string_view const command : {"RELEASE", "FAIL", "RELEASE", "REJECT", "FAILED"}) {
      Message const said = peer.expect(command);
      want(said.text("error_trace") == "at line 7" + std::string(65'527, '?'), "the trace");
      peer.answer(said, "ERROR", {text("code", "unknown_parameter"), text("parameter", "error_trace")});
      Message const again = peer.expect(command);
      want(again.text("error") == "no" && !again.has("error_trace"), "the failure without its trace");
      peer.answer(again, command == "FAILED" ? "RECORDED" : command == "RELEASE" ? "RELEASED" : "PARKED");
    }
    peer.wait_for_end();
  });
  auto opened = value_of(Connection::open({.server = server.address()}));
  Journal jobs(*opened, "jobs");
  Queues post(*opened, "post");
  Documents docs(*opened, "docs");
  std::string const trace = "at line 7" + std::string(80'000, '\xff');
  BOOST_TEST(jobs.release({}, {.error = "no", .error_trace = trace}).ok());
  BOOST_TEST(jobs.fail({}, "no", trace).ok());
  BOOST_TEST(post.release({}, {.error = "no", .error_trace = trace}).ok());
  BOOST_TEST(post.reject({}, "no", trace).ok());
  BOOST_TEST(docs.failed({}, "index", "disk", {.error = "no", .error_trace = trace}).ok());
  opened.reset();
}

BOOST_AUTO_TEST_SUITE_END()
