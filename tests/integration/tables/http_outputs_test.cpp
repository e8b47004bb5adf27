// `fastjournal pipeline run` with an output that is an HTTP endpoint: what arrives there, what its answers do to
// documents, and that a receiver that is away, slow or wrong costs none of them. With curl, and a server of the test.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/integration/http_receiver.h"
#include "tests/integration/shell.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
namespace fs = std::filesystem;
using Request = HttpReceiver::Request;

struct HttpOutputsFixture : ShellFixture {
  HttpOutputsFixture() {
    write_table("docs", R"(kind="idempotent" guarantee="at-least-once")", "");
    write_table("calls", R"(kind="idempotent" guarantee="at-least-once")", R"(on-timeout="permanent")");
    write_table("mails", R"(kind="potent")", "");
    write_table("mirror", R"(kind="idempotent" guarantee="at-least-once")", "", R"( deleted="tell")");
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
    fs::create_directories(daemon.folder() / "pages/deep");
  }
  // With a plan of one output.
  void write_table(std::string const& name, std::string const& output, std::string const& retry,
                   std::string const& source = {}) {
    daemon.write(name + "-plan.xml",
                 "<plan name=\"docs\" version=\"1\"><retry first=\"10ms\" max=\"10ms\" jitter=\"0\" timeout=\"1s\" "
                 "cancel-timeout=\"1s\" " +
                     retry + "/><source name=\"pages\"" + source + "/><step name=\"index\" after=\"pages\" " + output +
                     "/></plan>\n");
    daemon.write(
        "tables/" + name + ".xml",
        "<table name=\"" + name + "\" type=\"pipeline\"><plan>../" + name +
            "-plan.xml</plan><grace>100ms</grace><failing>5</failing><probe-every>10ms</probe-every></table>\n");
  }
  void write(std::string const& name, std::string const& text) { std::ofstream{daemon.folder() / name} << text; }
  static std::string worker(std::string const& url, std::string const& more = "", std::string const& table = "docs") {
    return "no_proxy=127.0.0.1 fastjournal pipeline run " + table + " --once --source pages=pages --to index='" + url +
           "' " + more;
  }
  // What has become of the documents, and why.
  std::string told() {
    return run_in_shell(daemon,
                        "for state in open failed in_doubt done; do fastjournal call DOCUMENTS table=docs"
                        " status=$state; done")
        .output;
  }
  // Of the only document.
  std::string why() {
    std::string const all = told();
    std::size_t const at = all.find("document=") + 9;
    return run("fastjournal pipeline why docs " + all.substr(at, all.find_first_not_of("0123456789", at) - at));
  }
  bool has_failed(std::string const& kind) {
    return run("fastjournal pipeline history docs --json").find("\"class\":\"" + kind + "\"") != std::string::npos;
  }
  void until_nothing_is_open(std::string const& url) {
    run("timeout 60 sh -c 'export no_proxy=127.0.0.1; until fastjournal pipeline run docs --once --source pages=pages "
        "--to index=" +
        url + " > /dev/null; fastjournal call DOCUMENTS table=docs status=open | grep -q NOTHING; do :; done'");
  }
};

bool http_outputs_says(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

// The words of all processes named curl.
std::vector<std::string> words_of_curl() {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at{"/proc", error}; !error && at != fs::directory_iterator{}; at.increment(error)) {
    std::ifstream file{at->path() / "cmdline"};
    std::string words{std::istreambuf_iterator<char>{file}, {}};
    std::replace(words.begin(), words.end(), '\0', ' ');
    if (words.starts_with("curl ")) out.push_back(words);
  }
  return out;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(http_outputs, HttpOutputsFixture)

BOOST_AUTO_TEST_CASE(a_document_arrives_byte_for_byte_with_what_is_known_of_it) {
  std::string content(1U << 20U, '\0');
  for (std::size_t at = 0; at < content.size(); ++at) content[at] = static_cast<char>(at * 2'654'435'761U >> 13U);
  write("pages/deep/a \"b\".bin", content);
  write("pages/empty", "");
  HttpReceiver receiver([](Request const&) { return HttpReceiver::with_status(201, "made"); });
  receiver.begin();
  // Of a named file, curl would add the name to this URL.
  BOOST_TEST(run(worker("http://" + receiver.address() + "/update/")) ==
             "2 files looked at; 2 sent, 0 failed, 0 dropped\n");
  std::vector<Request> requests = receiver.requests();
  BOOST_REQUIRE(requests.size() == 2U);
  if (requests[0].body.empty()) std::swap(requests[0], requests[1]);
  Request& first = requests[0];
  BOOST_TEST(first.method == "POST");
  BOOST_TEST(first.target == "/update/");
  BOOST_TEST((first.body == content));
  BOOST_TEST(first.headers["Content-Length"] == "1048576");
  BOOST_TEST(first.headers["Content-Type"] == "application/octet-stream");
  BOOST_TEST(first.headers["Idempotency-Key"].size() == 32U);
  BOOST_TEST(first.headers["Idempotency-Key"] != requests[1].headers["Idempotency-Key"]);
  BOOST_TEST(first.headers["Fastjournal-Uri"] == "deep/a%20%22b%22.bin");
  BOOST_TEST(first.headers["Fastjournal-Source"] == "pages");
  BOOST_TEST(first.headers["Fastjournal-Step"] == "index");
  BOOST_TEST(first.headers["Fastjournal-Attempt"] == "1");
  BOOST_TEST(http_outputs_says(told(), first.headers["Fastjournal-Document"]), told());
  for (std::string const none : {"Expect", "Transfer-Encoding", "Authorization"})
    BOOST_TEST(first.headers.count(none) == 0U, none);
  BOOST_TEST(requests[1].headers["Content-Length"] == "0");
}

// Its request would go on for an hour.
BOOST_AUTO_TEST_CASE(a_request_ends_when_its_pipeline_is_killed) {
  write("pages/a", "x");
  daemon.write("slow-plan.xml",
               "<plan name=\"docs\" version=\"1\"><retry timeout=\"1h\"/><source name=\"pages\"/>"
               "<step name=\"index\" after=\"pages\" kind=\"idempotent\" guarantee=\"at-least-once\"/></plan>\n");
  daemon.write("tables/slow.xml", "<table name=\"slow\" type=\"pipeline\"><plan>../slow-plan.xml</plan></table>\n");
  run("fastjournal reload");
  int const listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  BOOST_REQUIRE(::bind(listening, reinterpret_cast<sockaddr*>(&at), size) == 0);
  BOOST_REQUIRE(::listen(listening, 1) == 0);
  ::getsockname(listening, reinterpret_cast<sockaddr*>(&at), &size);
  ChildOptions options;
  options.environment = shell_variables(daemon);
  std::string const url = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  ChildProcess pipeline{
      shell_words(daemon,
                  "export no_proxy=127.0.0.1; exec fastjournal pipeline run slow --source pages=pages --to "
                  "index=" +
                      url),
      options};
  pollfd one{listening, POLLIN, 0};
  BOOST_REQUIRE(::poll(&one, 1, 60'000) > 0);
  int const fd = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  one.fd = fd;
  char part[4096];
  BOOST_REQUIRE(::poll(&one, 1, 60'000) > 0);
  BOOST_REQUIRE(::read(fd, part, sizeof part) > 0);
  pipeline.kill(SIGKILL);
  static_cast<void>(pipeline.wait());
  ssize_t left = -1;
  while (::poll(&one, 1, 20'000) > 0 && (left = ::read(fd, part, sizeof part)) > 0) continue;
  BOOST_TEST(left == 0, "curl goes on");
  ::close(fd);
  ::close(listening);
}

BOOST_AUTO_TEST_CASE(method_url_and_headers_are_as_wished_and_secrets_stay_with_us) {
  write("pages/deep/a b", "x");
  run("umask 077; printf 'Authorization: Bearer secret-token\\r\\n\\nX-Two: 2\\n' > headers");
  std::vector<std::string> seen;
  HttpReceiver receiver([&](Request const&) {
    seen = words_of_curl();
    return HttpReceiver::with_status(204);
  });
  receiver.begin();
  std::string const headers = "--header index=@headers --header index='content-type: text/plain'";
  run(worker("http://anna:secret-word@" + receiver.address() + "/{path}?id={uri}", "--method index=PUT " + headers));
  BOOST_REQUIRE(receiver.requests().size() == 1U);
  Request request = receiver.requests()[0];
  BOOST_TEST(request.method == "PUT");
  BOOST_TEST(request.target == "/deep/a%20b?id=deep%2Fa%20b");
  BOOST_TEST(request.headers["X-Two"] == "2");
  BOOST_TEST(request.headers["Authorization"] == "Bearer secret-token");
  BOOST_TEST(request.headers["content-type"] == "text/plain");
  BOOST_TEST(request.headers.count("Content-Type") == 0U);
  BOOST_TEST(!seen.empty());
  for (std::string const& words : seen) BOOST_TEST(!http_outputs_says(words, "secret"), words);
  // Others could read it.
  run("chmod 644 headers");
  Ran const open = run_in_shell(daemon, worker("http://" + receiver.address() + "/", headers));
  BOOST_TEST(open.code == 2, open.output);
  BOOST_TEST(http_outputs_says(open.output, "chmod 600 headers"), open.output);
}

// A URL has what was stored there: what the source does not have any more is deleted there, without a body.
BOOST_AUTO_TEST_CASE(what_is_gone_is_deleted_at_its_url) {
  for (std::string const name : {"pages/deep/a b", "pages/c", "pages/d"}) write(name, "x");
  std::map<std::string, int> answers;  // of a DELETE, by target
  HttpReceiver receiver([&](Request const& request) {
    return HttpReceiver::with_status(request.method == "DELETE" ? answers[request.target] : 201);
  });
  receiver.begin();
  std::string const sync =
      worker("http://" + receiver.address() + "/{path}", "--method index=PUT --header index='X-Two: 2'", "mirror");
  BOOST_TEST(run(sync) == "3 files looked at; 3 sent, 0 failed, 0 dropped\n");
  std::map<std::string, std::string> keys;  // by target
  for (Request& one : receiver.requests()) {
    BOOST_TEST(one.method == "PUT");
    keys[one.target] = one.headers["Idempotency-Key"];
  }
  // Once it is deleted, or is not there (any more), the table forgets it.
  for (auto const& [file, target, answer] : std::vector<std::tuple<std::string, std::string, int>>{
           {"pages/deep/a b", "/deep/a%20b", 204}, {"pages/c", "/c", 404}}) {
    std::size_t const before = receiver.requests().size();
    fs::remove(daemon.folder() / file);
    answers[target] = answer;
    std::string const told_of = run(sync);
    BOOST_TEST(http_outputs_says(told_of, "; 1 sent, 0 failed, 0 dropped\n"), told_of);
    BOOST_REQUIRE(receiver.requests().size() == before + 1);
    Request one = receiver.requests().back();
    BOOST_TEST(one.method == "DELETE");
    BOOST_TEST(one.target == target);
    BOOST_TEST(one.body == "");
    for (std::string const none : {"Content-Length", "Content-Type", "Transfer-Encoding"})
      BOOST_TEST(one.headers.count(none) == 0U, none);
    BOOST_TEST(one.headers["X-Two"] == "2");
    BOOST_TEST(one.headers["Fastjournal-Step"] == "index");
    // Of another delivery than the one that stored it.
    BOOST_TEST(one.headers["Idempotency-Key"].size() == 32U);
    BOOST_TEST(one.headers["Idempotency-Key"] != keys[target]);
    std::string const known = run("fastjournal call DOCUMENTS table=mirror");
    BOOST_TEST(!http_outputs_says(known, "uri=" + file.substr(6)), known);
  }
  // Refused for good: it stays for an operator.
  write("pages/e", "x");
  run(sync);
  fs::remove(daemon.folder() / "pages/d");
  answers["/d"] = 422;
  Ran const refused = run_in_shell(daemon, sync);
  BOOST_TEST(refused.code == 5, refused.output);
  BOOST_TEST(receiver.requests().back().method == "DELETE");
  std::string const failed = run("fastjournal pipeline ls mirror --status failed --json");
  BOOST_TEST(http_outputs_says(failed, "\"uri\":\"d\""), failed);
  BOOST_TEST(http_outputs_says(failed, "index=error_doc"), failed);
}

BOOST_AUTO_TEST_CASE(what_the_receiver_refuses_for_now_is_sent_again_with_the_same_key) {
  write("pages/a", "x");
  int asked = 0;
  HttpReceiver receiver(
      [&](Request const&) { return HttpReceiver::with_status(++asked == 1 ? 503 : 200, "busy \x1b[31m\xff"); });
  receiver.begin();
  BOOST_TEST(run_in_shell(daemon, worker("http://" + receiver.address() + "/", "--json")).code == 5);
  until_nothing_is_open("http://" + receiver.address() + "/");
  std::vector<Request> requests = receiver.requests();
  BOOST_REQUIRE(requests.size() == 2U);
  BOOST_TEST(requests[0].headers["Idempotency-Key"] == requests[1].headers["Idempotency-Key"]);
  BOOST_TEST(requests[1].headers["Fastjournal-Attempt"] == "2");
  BOOST_TEST(http_outputs_says(told(), "states=index=sent"), told());
}

BOOST_AUTO_TEST_CASE(what_it_refuses_for_good_is_not_sent_again) {
  write("pages/a", "x");
  HttpReceiver receiver([](Request const&) { return HttpReceiver::with_status(422, "no field id"); });
  receiver.begin();
  Ran const ran = run_in_shell(daemon, worker("http://" + receiver.address() + "/"));
  BOOST_TEST(ran.code == 5);
  BOOST_TEST(ran.output == "1 files looked at; 0 sent, 1 failed, 0 dropped\n", ran.output);
  BOOST_TEST(http_outputs_says(told(), "states=index=error_doc"), told());
  BOOST_TEST(has_failed("http-422"));
  BOOST_TEST(http_outputs_says(why(), "http://" + receiver.address() + ": answer 422: no field id"), why());
  run(worker("http://" + receiver.address() + "/"));
  BOOST_TEST(receiver.requests().size() == 1U);
}

// It is the endpoint: no document is given up, and all of them arrive once it is there.
BOOST_AUTO_TEST_CASE(a_receiver_that_is_away_costs_no_document) {
  for (int at = 0; at < 20; ++at) write("pages/p" + std::to_string(at), "page");
  HttpReceiver receiver([](Request const&) { return HttpReceiver::with_status(200); });
  for (int round = 0; round < 4; ++round)
    BOOST_TEST(run_in_shell(daemon, worker("http://" + receiver.address() + "/")).code != 2);
  BOOST_TEST(http_outputs_says(run("fastjournal call DESTINATIONS table=docs"), "mode=probing"));
  BOOST_TEST(http_outputs_says(run("fastjournal call DOCUMENTS table=docs status=failed"), "NOTHING"));
  BOOST_TEST(http_outputs_says(run("fastjournal pipeline ls docs --status open --json"), "index=error"));
  receiver.begin();
  until_nothing_is_open("http://" + receiver.address() + "/");
  std::set<std::string> arrived;
  for (Request& request : receiver.requests()) arrived.insert(request.headers["Fastjournal-Uri"]);
  BOOST_TEST(arrived.size() == 20U);
  BOOST_TEST(http_outputs_says(run("fastjournal call DESTINATIONS table=docs"), "mode=open"));
}

BOOST_AUTO_TEST_CASE(a_wrong_endpoint_costs_no_document) {
  for (int at = 0; at < 20; ++at) write("pages/p" + std::to_string(at), "page");
  HttpReceiver receiver([](Request const& request) {
    return request.target == "/moved"
               ? "HTTP/1.1 301 Moved\r\nLocation: /right\r\nContent-Length: 0\r\n\r\n"
               : HttpReceiver::with_status(request.target == "/right" ? 200 : 404, "no such page");
  });
  receiver.begin();
  for (std::string const wrong : {"/wrong", "/moved", "/wrong", "/moved"})
    BOOST_TEST(run_in_shell(daemon, worker("http://" + receiver.address() + wrong)).code != 2);
  BOOST_TEST(http_outputs_says(run("fastjournal call DESTINATIONS table=docs"), "mode=probing"));
  BOOST_TEST(http_outputs_says(run("fastjournal call DOCUMENTS table=docs status=failed"), "NOTHING"));
  // Redirects were not followed.
  for (Request const& request : receiver.requests()) BOOST_TEST(request.target != "/right");
  until_nothing_is_open("http://" + receiver.address() + "/right");
}

BOOST_AUTO_TEST_CASE(without_an_answer_it_is_sent_again_or_in_doubt_as_the_plan_says) {
  write("pages/a", "x");
  HttpReceiver receiver([](Request const&) { return std::string{}; });
  receiver.begin();
  std::string const url = "http://" + receiver.address() + "/";
  Ran const again = run_in_shell(daemon, worker(url));
  BOOST_TEST(http_outputs_says(again.output, " 0 sent, "), again.output);
  BOOST_TEST(!http_outputs_says(again.output, "in doubt"), again.output);
  BOOST_TEST(has_failed("timeout"));
  run_in_shell(daemon, worker(url, "", "calls"));
  BOOST_TEST(http_outputs_says(run("fastjournal pipeline ls calls --status failed --json"), "index=error_doc"));
  std::size_t const requests = receiver.requests().size();
  Ran const once = run_in_shell(daemon, worker(url, "", "mails"));
  BOOST_TEST(once.code == 5);
  BOOST_TEST(once.output.starts_with("1 files looked at; 0 sent, 0 failed, 0 dropped, 1 in doubt\n"), once.output);
  BOOST_TEST(http_outputs_says(once.output, "pipeline ls mails --status in_doubt"), once.output);
  run("timeout 60 sh -c 'until fastjournal pipeline ls mails --status in_doubt; do :; done'");
  BOOST_TEST(receiver.requests().size() == requests + 1);
  // What was not even begun has not arrived.
  run("fastjournal pipeline resolve mails failed --all");
  HttpReceiver const nobody([](Request const&) { return std::string{}; });
  Ran const refused = run_in_shell(daemon, worker("http://" + nobody.address() + "/", "", "mails"));
  BOOST_TEST(http_outputs_says(refused.output, " 0 sent, "), refused.output);
  BOOST_TEST(!http_outputs_says(refused.output, "in doubt"), refused.output);
}

BOOST_AUTO_TEST_CASE(an_answer_of_any_size_is_read_and_only_its_beginning_kept) {
  write("pages/a", "x");
  HttpReceiver receiver([](Request const&) {
    return HttpReceiver::with_status(422, "begin " + std::string(std::size_t{4} << 20U, 'x'));
  });
  receiver.begin();
  BOOST_TEST(run_in_shell(daemon, worker("http://" + receiver.address() + "/")).code == 5);
  std::string const reason = why();
  BOOST_TEST(http_outputs_says(reason, "answer 422: begin xxx"), reason);
  BOOST_TEST(reason.size() < 2'000U);
}

BOOST_AUTO_TEST_CASE(a_receiver_without_tls_is_told_from_one_that_is_away) {
  write("pages/a", "x");
  HttpReceiver receiver([](Request const&) { return HttpReceiver::with_status(400); });
  receiver.begin();
  BOOST_TEST(run_in_shell(daemon, worker("https://" + receiver.address() + "/")).code == 5);
  BOOST_TEST(has_failed("tls"));
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_before_anything_is_scanned) {
  write("pages/a", "x");
  auto const said = [&](std::string const& command, std::string const& expected) {
    Ran const ran = run_in_shell(daemon, command);
    BOOST_TEST(ran.code == 2, command << ": " << ran.output);
    BOOST_TEST(http_outputs_says(ran.output, expected), command << ": " << ran.output);
  };
  said(worker("http:///x"), "--to index: URL: expected http://HOST/");
  said(worker("http://host/{name}"), "expected {uri} or {path}");
  said(worker("http://host/", "--method index=GET"), "expected POST or PUT");
  said(worker("http://host/", "--method other=PUT"), "--method other: --to gives no URL of that name");
  said(worker("cat", "--header index='A: b'"), "--header index: --to gives no URL of that name");
  said(worker("http://host/", "--header index='secret'"), "header: expected 'Name: value'");
  said(worker("http://host/", "--header 'A: b'"), "--header: expected NAME=");
  said(worker("http://host/", "--header index=@nowhere"), "nowhere");
  // Without curl.
  run("mkdir empty; ln -s \"$(command -v fastjournal)\" empty/fastjournal");
  said("PATH=$PWD/empty; " + worker("http://host/"), "Install the package curl");
  BOOST_TEST(http_outputs_says(run("fastjournal call DOCUMENTS table=docs status=open"), "NOTHING"));
}

BOOST_AUTO_TEST_SUITE_END()
