// Outputs of pipelines that are URLs: what may be asked for, what curl is told, and what its answers mean for a document.
#include <stdlib.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "clients/programs/fastjournal/failure_text.h"
#include "clients/programs/fastjournal/http_target.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/fake_server.h"

using namespace fastjournal;
using namespace fastjournal::cli;

namespace {

bool has_line(std::string const& text, std::string const& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// What curl writes: the answer's body, then the line that it was told to.
HttpOutcome outcome_of(std::string const& said) {
  Tail end;
  end.add(said);
  return read_outcome(std::string_view{said}.substr(0, 708), end.bytes(), said.size());
}

std::optional<client::NotSent> judged(HttpOutcome const& outcome) {
  return judge({.url = "http://anna:secret@host:8983/update?token=secret"}, outcome);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_http_target)

BOOST_AUTO_TEST_CASE(urls_are_told_from_commands_and_looked_at) {
  BOOST_TEST(is_http("http://host/"));
  BOOST_TEST(is_http("https://host/"));
  BOOST_TEST(!is_http("curl http://host/"));
  BOOST_TEST(!is_http("folder:http"));
  for (std::string const good : {"http://host", "https://host:8983/update?commit=1", "http://[::1]:80/x/",
                                 "http://a:b@host/{uri}", "http://host/{path}?id={uri}"})
    BOOST_TEST(mistake_in({.url = good}) == "", good);
  for (std::string const bad :
       {"http://", "http:///path", "http://anna@/", "http://:80/", "http://host/a b", "http://host/\n", "http://{uri}/",
        "http://host:{path}/", "http://host/{id}", "http://host/{uri", "http://host/uri}"})
    BOOST_TEST(mistake_in({.url = bad}).starts_with("URL: "), bad);
  BOOST_TEST(mistake_in({.url = "http://host/", .method = "PUT"}) == "");
  BOOST_TEST(mistake_in({.url = "http://host/", .method = "GET"}) == "method GET: expected POST or PUT");
}

BOOST_AUTO_TEST_CASE(headers_are_whole_and_not_those_of_each_document) {
  auto const with = [](std::string const& header) {
    return mistake_in({.url = "http://host/", .headers = {"X-Good: 1", header}});
  };
  for (std::string const good : {"Content-Type: application/json", "X-A:b", "Authorization: Bearer a\"b\\c"})
    BOOST_TEST(with(good) == "", good);
  for (std::string const bad :
       {"", "no colon", ": value", "a b: c", "@file: x", "A:", "A:  ", "A: b\r\nC: d", "A: b\nC: d",
        "content-length: 5", "Transfer-Encoding: chunked", "Expect: x", "Idempotency-Key: k", "fastjournal-uri: x"})
    BOOST_TEST(with(bad).starts_with("header"), bad);
  BOOST_TEST(with(std::string{"A: b\0c", 6}).starts_with("header A"));
  BOOST_TEST(with("Authorization: secret\n").find("secret") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_document_is_in_the_url_only_as_data) {
  BOOST_TEST(percent_encoded("a/b c", false) == "a%2Fb%20c");
  BOOST_TEST(percent_encoded("a/b c", true) == "a/b%20c");
  BOOST_TEST(percent_encoded("Az09-._~", false) == "Az09-._~");
  BOOST_TEST(percent_encoded("\xC3\xBC?#%&=+\"\\{}\n", true) == "%C3%BC%3F%23%25%26%3D%2B%22%5C%7B%7D%0A");
  std::string const out =
      curl_configuration({.url = "http://host/{path}?id={uri}&again={uri}"}, {.uri = "d/{uri}\"\nurl = x"}, 0);
  BOOST_TEST(has_line(out,
                      "url = \"http://host/d/%7Buri%7D%22%0Aurl%20%3D%20x?id=d%2F%7Buri%7D%22%0Aurl%20%3D%20x"
                      "&again=d%2F%7Buri%7D%22%0Aurl%20%3D%20x\""),
             out);
}

BOOST_AUTO_TEST_CASE(curl_is_told_what_to_send) {
  HttpTarget const target{.url = "https://anna:se\"cret@host/", .method = "PUT", .headers = {"X-Quoted: \"a\\b\""}};
  HttpRequest const request{
      .content = "/tmp/1", .uri = "a", .headers = {{"Idempotency-Key", "k"}}, .time_limit_ms = 1'500};
  std::string const out = curl_configuration(target, request, 42);
  for (std::string const line :
       {"url = \"https://anna:se\\\"cret@host/\"", "request = \"PUT\"", "upload-file = \"-\"",
        "header = \"Content-Length: 42\"", "header = \"Transfer-Encoding:\"", "header = \"Expect:\"",
        "header = \"X-Quoted: \\\"a\\\\b\\\"\"", "header = \"Content-Type: application/octet-stream\"",
        "header = \"Idempotency-Key: k\"", "max-time = 2", "globoff", "silent"})
    BOOST_TEST(has_line(out, line), line << " in " << out);
  BOOST_TEST(out.find("location") == std::string::npos);
  std::string const typed =
      curl_configuration({.url = "http://host/", .headers = {"content-TYPE: text/html"}}, request, 0);
  BOOST_TEST(has_line(typed, "header = \"content-TYPE: text/html\""), typed);
  BOOST_TEST(typed.find("octet-stream") == std::string::npos, typed);
}

BOOST_AUTO_TEST_CASE(the_outcome_is_behind_the_body) {
  HttpOutcome const good = outcome_of("hello\nfastjournal-outcome 0 200 112 \n");
  BOOST_TEST(good.exit == 0);
  BOOST_TEST(good.status == 200);
  BOOST_TEST(good.sent_bytes == 112U);
  BOOST_TEST(good.error == "");
  BOOST_TEST(good.body == "hello");
  HttpOutcome const refused = outcome_of("\nfastjournal-outcome 7 000 0 Failed to connect to host port 80\n");
  BOOST_TEST(refused.exit == 7);
  BOOST_TEST(refused.status == 0);
  BOOST_TEST(refused.error == "Failed to connect to host port 80");
  BOOST_TEST(refused.body == "");
  // Nobody can give an outcome by a body.
  BOOST_TEST(outcome_of("\nfastjournal-outcome 0 200 1 \n\nfastjournal-outcome 0 503 1 \n").status == 503);
  std::string const long_body(100'000, 'x');
  HttpOutcome const large = outcome_of(long_body + "\nfastjournal-outcome 0 422 9 \n");
  BOOST_TEST(large.status == 422);
  BOOST_TEST(large.body == std::string(700, 'x'));
  BOOST_TEST(outcome_of("ended").exit == -1);
  BOOST_TEST(outcome_of("").body == "");
}

BOOST_AUTO_TEST_CASE(only_answers_about_the_document_are_for_good) {
  std::set<int> const permanent{400, 413, 414, 422, 431, 451};
  for (int status = 200; status < 600; ++status) {
    std::optional<client::NotSent> const why = judged({.exit = 0, .status = status, .sent_bytes = 9});
    BOOST_TEST(why.has_value() == (status >= 300), status);
    if (!why) continue;
    BOOST_TEST(why->kind == "http-" + std::to_string(status));
    BOOST_TEST(why->permanent == permanent.contains(status), status);
    BOOST_TEST(why->may_have_arrived == (status == 502 || status == 504), status);
    BOOST_TEST(!why->drop);
  }
  // The status counts, whatever came after it.
  BOOST_TEST(!judged({.exit = 18, .status = 200, .sent_bytes = 9}).has_value());
}

BOOST_AUTO_TEST_CASE(without_an_answer_it_is_tried_again_or_unknown) {
  auto const kind = [](int exit) { return judged({.exit = exit})->kind; };
  BOOST_TEST(kind(6) == "dns");
  BOOST_TEST(kind(7) == "connect");
  BOOST_TEST(kind(28) == "timeout");
  BOOST_TEST(kind(60) == "tls");
  BOOST_TEST(kind(52) == "connection-lost");
  BOOST_TEST(kind(1) == "curl-1");
  BOOST_TEST(kind(-1) == "stopped");
  for (int const exit : {1, 6, 7, 28, 35, 52, 56}) {
    BOOST_TEST(!judged({.exit = exit})->permanent);
    BOOST_TEST(!judged({.exit = exit, .sent_bytes = 0})->may_have_arrived, exit);
    BOOST_TEST(judged({.exit = exit, .sent_bytes = 1})->may_have_arrived, exit);
  }
  BOOST_TEST(judged({.exit = -1})->may_have_arrived);
  // 100 Continue is no answer.
  BOOST_TEST(judged({.exit = 56, .status = 100, .sent_bytes = 9})->kind == "connection-lost");
}

BOOST_AUTO_TEST_CASE(the_error_says_who_answered_what) {
  BOOST_TEST(judged({.exit = 0, .status = 422, .body = "no field id\r\n\x1b[31m\xff"})->error ==
             "http://host:8983: answer 422: no field id\n[31m?");
  BOOST_TEST(judged({.exit = 7, .error = "Failed to connect"})->error ==
             "http://host:8983: curl: (7) Failed to connect");
  BOOST_TEST(judged({.exit = 0, .status = 301})->error.find("give --to the new URL") != std::string::npos);
  std::string const cut = judged({.exit = 0, .status = 500, .body = std::string(700, 'b')})->error;
  BOOST_TEST(cut.size() <= kErrorBytesMax);
  BOOST_TEST(cut.ends_with(std::string(700, 'b')));
  BOOST_TEST(origin_of("https://a:b@host/x@y") == "https://host");
}

BOOST_AUTO_TEST_CASE(a_delivery_that_is_called_off_ends_curl) {
  // Whatever proxy the computer has.
  ::setenv("no_proxy", "127.0.0.1", 1);
  std::atomic<bool> came{false};
  client::FakeServer server([&came](client::FakeServer::Peer& peer) {
    came = true;
    peer.wait_for_end();
  });
  test::TemporaryFolder const folder;
  std::ofstream{folder / "content"} << "x";
  HttpRequest const request{.content = folder / "content", .time_limit_ms = 60'000};
  GroupGuard guard;
  std::optional<client::NotSent> const why =
      send_by_http({.url = "http://" + server.address() + "/"}, request, {guard, [&came] { return !came; }});
  BOOST_REQUIRE(why.has_value());
  BOOST_TEST(why->kind == "stopped");
  BOOST_TEST(why->may_have_arrived);
  server.finish();
  BOOST_TEST(send_by_http({.url = "http://host/"}, {.content = folder / "gone"}, {guard, [] { return true; }})->kind ==
             "not-run");
}

BOOST_AUTO_TEST_SUITE_END()
