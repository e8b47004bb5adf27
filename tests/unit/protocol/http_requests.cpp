// Requests of HTTP: what becomes a message, what is refused and how, and that the network may cut them anywhere. The
// list of smuggling is of forms that servers and proxies have taken for two different requests.
#include "tests/unit/protocol/http_support.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

constexpr std::string_view kInsert = R"({"table":"pages","uri":"http://example.com/","priority":20})";

struct Refused {
  std::string_view what;
  std::string bytes;
  unsigned status;
  std::string_view reason;
};

// Each is answered by this status and closes the connection, whatever follows.
void check_closed(Refused const& refused) {
  BOOST_TEST_CONTEXT(refused.what) {
    HttpConversation talk = conversation();
    talk.feed(refused.bytes + get("/health/live"));
    std::vector<HttpReply> const replies = read_replies(talk.out, talk.heads);
    BOOST_REQUIRE(replies.size() == 1U);
    BOOST_TEST(replies.front().status == refused.status);
    BOOST_TEST_INFO(replies.front().body);
    BOOST_TEST(replies.front().body.find(refused.reason) != std::string::npos);
    BOOST_TEST(!replies.front().keeps_alive);
    BOOST_TEST(talk.http.ends());
    BOOST_TEST(talk.seen.size() == 1U);
    BOOST_TEST(talk.seen.front().starts_with("bad "));
  }
}

std::string with_field(std::string_view field,
                       std::string_view begin = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n") {
  return std::string{begin} + std::string{field} + "\r\n\r\n";
}

std::string chunked(std::string_view raw, std::string_view more = {}) {
  return "POST /v1/PING HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + std::string{more} +
         "Transfer-Encoding: chunked\r\n\r\n" + std::string{raw};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(http_requests)

BOOST_AUTO_TEST_CASE(a_command_is_posted_with_its_parameters) {
  BOOST_TEST(message_of(post("INSERT", kInsert)) ==
             "message INSERT table='pages' uri='http://example.com/' priority=20");
  BOOST_TEST(message_of(post("insert", "{}")) == "message INSERT");
  BOOST_TEST(message_of(post("Backup_Done", "")) == "message BACKUP_DONE");
  BOOST_TEST(message_of(post("PING", R"({"a":-7,"b":18446744073709551615,"c":1.5,"d":true,"e":"\u00e9"})")) ==
             "message PING a=-7 b=18446744073709551615u c=1.500000 d=true e='\xc3\xa9'");
}

BOOST_AUTO_TEST_CASE(nothing_of_a_message_points_into_the_request) {
  HttpConversation talk = conversation(say_nothing);
  talk.feed(post("INSERT", kInsert));  // the driver has freed the bytes by now
  BOOST_TEST(talk.message.command == "INSERT");
  BOOST_TEST(talk.message.text("uri") == "http://example.com/");
}

BOOST_AUTO_TEST_CASE(figures_and_health_are_fetched) {
  BOOST_TEST(message_of(get("/metrics")) == "message METRICS format='text'");
  BOOST_TEST(message_of(get("/metrics", "Accept: application/openmetrics-text; version=1.0.0\r\n")) ==
             "message METRICS format='openmetrics'");
  BOOST_TEST(message_of(get("/health/live")) == "message HEALTH what='live'");
  BOOST_TEST(message_of(get("/health/ready")) == "message HEALTH what='ready'");
  BOOST_TEST(message_of(get("/openapi.json")) == "message OPENAPI");
}

BOOST_AUTO_TEST_CASE(a_token_is_told_beside_the_message) {
  BOOST_TEST(message_of(get("/metrics", "Authorization: Bearer abc-._~+/9==\r\n")) ==
             "message METRICS format='text' token abc-._~+/9==");
  BOOST_TEST(message_of(post("PING", "", "authorization: bearer " + std::string(256, 'x') + "\r\n")) ==
             "message PING token " + std::string(256, 'x'));
}

BOOST_AUTO_TEST_CASE(a_token_that_is_none_is_refused) {
  for (std::string const& value : {std::string{"Basic dXNlcjpwYXNz"}, std::string{"Bearer"}, std::string{"Bearer a b"},
                                   std::string{"Bearer =a"}, "Bearer " + std::string(257, 'x')}) {
    HttpReply const reply = reply_to(get("/metrics", "Authorization: " + value + "\r\n"));
    BOOST_TEST(reply.status == 401U, value);
    BOOST_TEST(reply.fields.at("www-authenticate") == "Bearer realm=\"fastjournal\"");
    BOOST_TEST(reply.keeps_alive);
  }
}

BOOST_AUTO_TEST_CASE(what_could_be_two_requests_is_refused_and_closes) {
  std::string const host = "POST /v1/PING HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  Refused const list[] = {
      {"words of a person", "hello there\n", 400, "this port speaks HTTP: "},
      {"a lone LF behind the request line", "GET /metrics HTTP/1.1\nHost: localhost\r\n\r\n", 400, "LF alone"},
      {"a lone LF behind a field", "GET /metrics HTTP/1.1\r\nHost: localhost\n\r\n", 400, "LF alone"},
      {"a lone LF as the empty line", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\n", 400, "LF alone"},
      {"a lone CR", "GET /metrics HTTP/1.1\rHost: localhost\r\n\r\n", 400, "CR without"},
      {"a lone CR in a value", with_field("X: a\rContent-Length: 5"), 400, "CR without"},
      {"two CR", "GET /metrics HTTP/1.1\r\r\nHost: localhost\r\n\r\n", 400, "CR without"},
      {"a folded line", with_field("X: a\r\n b"), 400, "begins with a blank"},
      {"a folded first line", "GET /metrics HTTP/1.1\r\n Host: localhost\r\n\r\n", 400, "begins with a blank"},
      {"a NUL", with_field(std::string{"X: a\0b", 6}), 400, "control byte"},
      {"a control byte", with_field("X: a\x01"), 400, "control byte"},
      {"DEL", with_field("X: a\x7f"), 400, "control byte"},
      {"a blank before the colon", with_field("Content-Length : 5"), 400, "field's name"},
      {"a tab before the colon", with_field("Transfer-Encoding\t: chunked"), 400, "field's name"},
      {"no name", with_field(": x"), 400, "field's name"},
      {"no colon", with_field("Content-Length"), 400, "field's name"},
      {"a name of other bytes", with_field("Content\xc3\xa9: 5"), 400, "field's name"},
      {"two lengths", host + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde", 400, "Content-Length"},
      {"two equal lengths", host + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde", 400, "Content-Length"},
      {"a list of lengths", host + "Content-Length: 5, 5\r\n\r\nabcde", 400, "Content-Length"},
      {"a length with a sign", host + "Content-Length: +5\r\n\r\nabcde", 400, "Content-Length"},
      {"a negative length", host + "Content-Length: -5\r\n\r\nabcde", 400, "Content-Length"},
      {"a hexadecimal length", host + "Content-Length: 0x5\r\n\r\nabcde", 400, "Content-Length"},
      {"an empty length", host + "Content-Length: \r\n\r\nabcde", 400, "Content-Length"},
      {"a length beyond 64 bits", host + "Content-Length: 18446744073709551621\r\n\r\nabcde", 400, "Content-Length"},
      {"length, then coding", host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
       "Transfer-Encoding"},
      {"coding, then length", host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400, ""},
      {"an unknown coding", host + "Transfer-Encoding: gzip\r\n\r\n", 400, "only Transfer-Encoding is chunked"},
      {"a coding before chunked", host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400, "is chunked"},
      {"a coding behind chunked", host + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400, "is chunked"},
      {"two codings", host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, ""},
      {"a coding in quotes", host + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", 400, ""},
      {"a coding with a tab", host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, "is chunked"},
      {"chunks in HTTP/1.0", "POST /v1/PING HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0"},
      {"two hosts", with_field("Host: localhost"), 400, "two fields"},
      {"two tokens", with_field("Authorization: Bearer a\r\nAuthorization: Bearer b"), 400, "two fields"},
      {"two types", with_field("Content-Type: a\r\ncontent-type: b"), 400, "two fields"},
      {"two expectations", with_field("Expect: 100-continue\r\nExpect: 100-continue"), 400, "two fields"},
      {"two spaces", "GET  /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "request line"},
      {"a tab as space", "GET\t/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "request line"},
      {"no target", "GET HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "request line"},
      {"a space in the target", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, ""},
      {"a target beyond ASCII", "GET /\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "outside of ASCII"},
      {"HTTP/0.9", "GET /\r\n\r\n", 400, "request line"},
      {"a method of other bytes", "G@T / HTTP/1.1\r\n\r\n", 400, "request line"},
      {"a message of ours", "INSERT table=pages;uri=x\r\n", 400, "this port speaks HTTP, and what came is a message"},
      {"TLS", "\x16\x03\x01\x02", 400, "TLS"}};
  for (Refused const& refused : list) check_closed(refused);
}

BOOST_AUTO_TEST_CASE(chunks_that_could_end_elsewhere_are_refused_and_close) {
  Refused const list[] = {
      {"no size", chunked("\r\n{}\r\n0\r\n\r\n"), 400, "without a size"},
      {"a sign", chunked("+2\r\n{}\r\n0\r\n\r\n"), 400, "hexadecimal"},
      {"0x", chunked("0x2\r\n{}\r\n0\r\n\r\n"), 400, "hexadecimal"},
      {"a blank before the size", chunked(" 2\r\n{}\r\n0\r\n\r\n"), 400, "hexadecimal"},
      {"a lone LF behind the size", chunked("2\n{}\r\n0\r\n\r\n"), 400, "hexadecimal"},
      {"a lone LF behind an extension", chunked("2;a\n{}\r\n0\r\n\r\n"), 400, "control byte"},
      {"a lone CR behind the size", chunked("2\r{}\r\n0\r\n\r\n"), 400, "CR without"},
      {"a chunk that is longer", chunked("2\r\n{} \r\n0\r\n\r\n"), 400, "longer than its size"},
      {"a chunk with LF alone", chunked("2\r\n{}\n0\r\n\r\n"), 400, "longer than its size"},
      {"a chunk with CR alone", chunked("2\r\n{}\r0\r\n\r\n"), 400, "longer than its size"},
      {"a trailer", chunked("2\r\n{}\r\n0\r\nX: y\r\n\r\n"), 400, "behind the last chunk"},
      {"LF at the end", chunked("2\r\n{}\r\n0\r\n\n"), 400, "behind the last chunk"},
      {"a long extension", chunked("2;" + std::string(300, 'a') + "\r\n{}\r\n0\r\n\r\n"), 400, "256 bytes"},
      {"many zeros", chunked(std::string(300, '0') + "2\r\n{}\r\n0\r\n\r\n"), 400, "256 bytes"},
      {"an open quote", chunked("2;a=\"\r\n{}\r\n0;\"\r\n\r\n"), 400, "not of HTTP"},
      {"a blank before the extension's end", chunked("2 \r\n{}\r\n0\r\n\r\n"), 400, "not of HTTP"},
      {"a chunk above the limit", chunked("3e9\r\n"), 413, "larger than its limit"},
      {"chunks above the limit", chunked("3e7\r\n" + std::string(999, ' ') + "\r\n2\r\n"), 413, "larger"},
      {"a size beyond 64 bits", chunked("10000000000000002\r\n{}\r\n"), 413, "larger"}};
  for (Refused const& refused : list) check_closed(refused);
  // Also where the request is refused anyway: what follows would be read.
  std::string const elsewhere = "POST /nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  check_closed({"an open quote at no path", elsewhere + "2;a=\"\r\n{}\r\n0;\"\r\n\r\n", 400, "not of HTTP"});
  std::string many;
  for (int i = 0; i < 400; ++i) many += "1\r\n \r\n";
  check_closed({"more sizes than bytes", chunked(many), 413, "with their sizes"});
}

BOOST_AUTO_TEST_CASE(a_body_may_come_in_chunks) {
  BOOST_TEST(message_of(chunked("5\r\n{\"a\":\r\n2;x=\"y\";z\r\n7}\r\n0\r\n\r\n")) == "message PING a=7");
  BOOST_TEST(message_of(chunked("007\r\n{\"a\":7}\r\n00\r\n\r\n")) == "message PING a=7");
  BOOST_TEST(message_of(chunked("0\r\n\r\n")) == "message PING");
  std::string const most = "{" + std::string(kBodyBytesMax - 2, ' ') + "}";
  BOOST_TEST(message_of(chunked("3E8\r\n" + most + "\r\n0\r\n\r\n")) == "message PING");
}

BOOST_AUTO_TEST_CASE(other_versions_are_refused) {
  for (std::string_view const line : {"PRI * HTTP/2.0", "GET / HTTP/1.2", "GET / HTTP/0.9", "GET / HTTP/3.0"})
    check_closed({line, std::string{line} + "\r\n\r\n", 505, "HTTP/1.1 and HTTP/1.0"});
  check_closed({"no version", "GET / HTTPS/1.1\r\n\r\n", 400, ""});
  check_closed({"small letters", "GET / http/1.1\r\n\r\n", 400, ""});
}

BOOST_AUTO_TEST_CASE(the_head_has_a_limit) {
  std::string const begin = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ";
  std::string const most = begin + std::string(kHttpHeadBytesMax - begin.size() - 4, 'x') + "\r\n\r\n";
  BOOST_TEST(most.size() == kHttpHeadBytesMax);
  BOOST_TEST(message_of(most) == "message METRICS format='text'");
  check_closed({"one byte more", begin + std::string(kHttpHeadBytesMax - begin.size() - 3, 'x') + "\r\n\r\n", 431, ""});
  // The server keeps no more bytes: they are enough to refuse it.
  HttpConversation talk = conversation();
  talk.feed(begin + std::string(kHttpHeadBytesMax - begin.size(), 'x'));
  BOOST_TEST(read_replies(talk.out, talk.heads).at(0).status == 431U);
  check_closed({"a long line", "GET /" + std::string(kHttpHeadBytesMax, 'x'), 414, "request line has more"});
  std::string fields;
  for (std::size_t i = 1; i < kHttpFieldsMax; ++i) fields += "X: y\r\n";
  BOOST_TEST(message_of(get("/metrics", fields)) == "message METRICS format='text'");
  check_closed({"a field more", get("/metrics", fields + "X: y\r\n"), 431, "more than 100 fields"});
}

BOOST_AUTO_TEST_CASE(the_body_has_a_limit) {
  std::string const most = "{" + std::string(kBodyBytesMax - 2, ' ') + "}";
  BOOST_TEST(message_of(post("PING", most)) == "message PING");
  check_closed({"a byte more", post("PING", most + " "), 413, "more than 1000 bytes"});
}

BOOST_AUTO_TEST_CASE(the_same_bytes_get_the_same_answer_however_they_are_cut) {
  std::string const streams[] = {
      post("INSERT", kInsert) + "\r\n" + get("/metrics") + chunked("1\r\n{\r\n1;a=b\r\n}\r\n0\r\n\r\n") + get("/none") +
          "HEAD /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n" + post("PING", "[]") + get("/") + "GET / HTTP/1.1\n",
      post("PING", "{\"a\":1}", "Expect: 100-continue\r\n") +
          chunked("2\r\n{}\r\n0\r\n\r\n", "Expect: 100-continue\r\n") +
          post("no-command", "{}", "Expect: 100-continue\r\n"),
      get("/") + chunked("2\r\n{}\r\n0\r\nX"), get("/metrics", "Connection: close\r\n") + get("/")};
  Random random{seed()};
  for (std::string const& stream : streams) {
    HttpConversation whole = conversation();
    whole.feed(stream);
    BOOST_TEST(!whole.seen.empty());
    for (int run = 0; run < 50; ++run) {
      HttpConversation cut = conversation();
      cut.feed(stream, [&] { return run == 0 ? 1 : 1 + random.below(static_cast<std::size_t>(run)); });
      BOOST_TEST(cut.seen == whole.seen, boost::test_tools::per_element());
      BOOST_TEST(cut.out == whole.out);
    }
    static_cast<void>(read_replies(whole.out, whole.heads));
  }
}

BOOST_AUTO_TEST_CASE(requests_may_be_sent_without_waiting_for_answers) {
  HttpConversation talk = conversation(say_nothing);
  talk.feed(post("ONE", "{}") + post("TWO", "{}") + get("/page.js"));
  BOOST_TEST(talk.seen.size() == 1U);
  BOOST_TEST(talk.http.is_answering());
  BOOST_TEST(talk.out.empty());
  talk.http.write({.command = "DONE"}, talk.out);
  BOOST_TEST(!talk.http.is_answering());
  talk.feed("");
  BOOST_TEST(talk.seen.size() == 2U);
  BOOST_TEST(talk.http.is_answering());
  talk.http.write({.command = "DONE"}, talk.out);
  talk.feed("");
  BOOST_TEST(talk.unread.empty());
  BOOST_TEST(read_replies(talk.out, talk.heads).size() == 3U);
}

BOOST_AUTO_TEST_CASE(nothing_is_read_while_an_answer_is_awaited) {
  Http http{site()};
  Message message;
  std::string out;
  std::string const first = chunked("0\r\n\r\n");
  BOOST_TEST((http.read(first, message, out).kind == Protocol::Kind::message));
  Protocol::Piece const piece = http.read("x", message, out);
  BOOST_TEST((piece.kind == Protocol::Kind::need_more));
  BOOST_TEST(piece.consumed == 0U);
}

BOOST_AUTO_TEST_CASE(a_connection_is_kept_as_its_client_wants) {
  std::string const old = "GET /page.js HTTP/1.0\r\n";
  BOOST_TEST(reply_to(get("/page.js")).keeps_alive);
  BOOST_TEST(!reply_to(get("/page.js", "Connection: close\r\n")).keeps_alive);
  BOOST_TEST(!reply_to(get("/page.js", "Connection: x, Close\r\n")).keeps_alive);
  BOOST_TEST(!reply_to(old + "\r\n").keeps_alive);
  HttpReply const kept = reply_to(old + "Connection: keep-alive\r\n\r\n");
  BOOST_TEST(kept.fields.at("connection") == "keep-alive");
  HttpConversation talk = conversation();
  talk.feed(get("/metrics", "Connection: close\r\n") + get("/metrics"));
  BOOST_TEST(talk.seen.size() == 1U);
  BOOST_TEST(talk.http.ends());
  BOOST_TEST(!read_replies(talk.out, talk.heads).front().keeps_alive);
}

BOOST_AUTO_TEST_CASE(a_client_that_expects_to_be_told_is_told) {
  std::string const head = post("PING", "{}", "Expect: 100-Continue\r\n");
  HttpConversation talk = conversation();
  talk.feed(std::string_view{head}.substr(0, head.size() - 2));
  BOOST_TEST(talk.out == "HTTP/1.1 100 Continue\r\n\r\n");
  BOOST_TEST(talk.unread.size() == head.size() - 2);
  talk.feed("{}");
  std::vector<std::string> const seen{"continue", "message PING"};
  BOOST_TEST(talk.seen == seen, boost::test_tools::per_element());
  // Refused: its body is not read, and the connection ends.
  HttpConversation other = conversation();
  other.feed(post("PING", "{}", "Expect: 100-continue\r\nOrigin: http://evil.example\r\n"));
  HttpReply const reply = read_replies(other.out, other.heads).front();
  BOOST_TEST(reply.status == 403U);
  BOOST_TEST(!reply.keeps_alive);
  BOOST_TEST(other.http.ends());
  BOOST_TEST(reply_to(post("PING", "{}", "Expect: 200-ok\r\n")).status == 417U);
  BOOST_TEST(message_of(post("PING", "", "Expect: 100-continue\r\n")) == "message PING");
  BOOST_TEST(reply_to("POST /v1/PING HTTP/1.0\r\nExpect: x\r\nContent-Type: application/json\r\n"
                      "Content-Length: 2\r\n\r\n{}")
                 .status == 200U);
}

BOOST_AUTO_TEST_CASE(methods_and_paths_that_are_not_there_are_refused) {
  std::string const rest = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  struct {
    std::string_view line;
    unsigned status;
    std::string_view allow;
  } const list[] = {{"GET /v1/INSERT", 405, "POST"},
                    {"PUT /v1/INSERT", 405, "POST"},
                    {"OPTIONS /v1/INSERT", 405, "POST"},
                    {"OPTIONS /metrics", 405, "GET, HEAD"},
                    {"OPTIONS *", 405, "GET, HEAD"},
                    {"CONNECT localhost:1", 405, "GET, HEAD"},
                    {"TRACE /", 405, "GET, HEAD"},
                    {"POST /metrics", 405, "GET, HEAD"},
                    {"DELETE /", 405, "GET, HEAD"},
                    {"get /metrics", 405, "GET, HEAD"},
                    {"GET /nothing", 404, ""},
                    {"GET /metrics/", 404, ""},
                    {"GET //metrics", 404, ""},
                    {"GET /%6detrics", 404, ""},
                    {"GET /../metrics", 404, ""},
                    {"POST /v1/", 404, ""},
                    {"POST /v1/A-B", 404, ""},
                    {"POST /v1/A/B", 404, ""},
                    {"POST /v1/A1", 404, ""},
                    {"POST /V1/A", 404, ""},
                    {"GET /metrics?a=b", 400, ""},
                    {"POST /v1/PING?token=x", 400, ""},
                    {"GET http://localhost/", 400, ""},
                    {"GET *", 400, ""}};
  for (auto const& [line, status, allow] : list) {
    HttpReply const reply = reply_to(std::string{line} + rest);
    BOOST_TEST(reply.status == status, line);
    BOOST_TEST(reply.keeps_alive);
    BOOST_TEST((allow.empty() || reply.fields.at("allow") == allow), line);
  }
  BOOST_TEST(reply_to("POST /v1/" + std::string(64, 'A') + rest).status == 411U);
  BOOST_TEST(reply_to("POST /v1/" + std::string(65, 'A') + rest).status == 404U);
}

BOOST_AUTO_TEST_CASE(a_refused_request_is_read_to_its_end) {
  HttpConversation talk = conversation();
  talk.feed("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nGET /" + get("/metrics"));
  std::vector<HttpReply> const replies = read_replies(talk.out, talk.heads);
  BOOST_REQUIRE(replies.size() == 2U);
  BOOST_TEST(replies[0].status == 404U);
  BOOST_TEST(replies[1].status == 200U);
}

BOOST_AUTO_TEST_CASE(a_body_is_json_and_says_so) {
  auto const typed = [](std::string_view fields) {
    return reply_to("POST /v1/PING HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n" + std::string{fields} +
                    "\r\n{}")
        .status;
  };
  BOOST_TEST(typed("Content-Type: application/json\r\n") == 200U);
  BOOST_TEST(typed("Content-Type: Application/JSON; charset=UTF-8\r\n") == 200U);
  BOOST_TEST(typed("") == 415U);
  BOOST_TEST(typed("Content-Type: text/plain\r\n") == 415U);
  BOOST_TEST(typed("Content-Type: application/jsonp\r\n") == 415U);
  BOOST_TEST(typed("Content-Type: application/x-www-form-urlencoded\r\n") == 415U);
  BOOST_TEST(typed("Content-Type: application/json; charset=latin1\r\n") == 415U);
  BOOST_TEST(typed("Content-Type: application/json\r\nContent-Encoding: gzip\r\n") == 415U);
  BOOST_TEST(reply_to("POST /v1/PING HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n").status ==
             411U);
  BOOST_TEST(reply_to(get("/metrics", "Content-Length: 1\r\n") + "x").status == 400U);
  BOOST_TEST(reply_to(get("/metrics", "Content-Length: 0\r\n")).status == 200U);
}

BOOST_AUTO_TEST_CASE(a_body_that_is_no_object_of_parameters_is_refused_with_the_reason) {
  std::pair<std::string, std::string_view> const list[] = {
      {"[]", "no JSON object"},
      {"7", "no JSON object"},
      {"\"x\"", "no JSON object"},
      {"null", "no JSON object"},
      {" ", "no JSON"},
      {"{", "no JSON"},
      {"{}x", "no JSON"},
      {"{\"a\":1,}", "no JSON"},
      {"{\"a\":\"\xff\"}", "no JSON"},
      {"{\"a\":1e999}", "no JSON"},
      {"{\"a\":null}", "parameter \"a\": null"},
      {"{\"ab\":[1]}", "parameter \"ab\": an array"},
      {"{\"ab\":{\"c\":1}}", "parameter \"ab\": an object"},
      {"{\"a\":1,\"a\":2}", "parameter \"a\": it is given twice"},
      {"{\"a\":18446744073709551616}", "parameter \"a\": an integer beyond 64 bits"},
      {"{\"a-b\":1}", "this is \"a-b\""},
      {"{\"\":1}", "this is \"\""},
      {"{\"x\":" + std::string(900, '['), "an array is no value"}};
  for (auto const& [body, reason] : list) {
    HttpReply const reply = reply_to(post("PING", body));
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(reply.status == 400U);
      BOOST_TEST(reply.keeps_alive);
      BOOST_TEST_INFO(reply.body);
      BOOST_TEST(json_of(reply).value("detail", "").find(reason) != std::string::npos);
      BOOST_TEST(json_of(reply).value("detail", "").starts_with("PING: "));
    }
  }
  std::string body = "{";
  for (int i = 0; i <= 256; ++i) body += std::string{i == 0 ? "" : ","} + "\"p" + std::to_string(i) + "\":1";
  HttpConversation talk{std::make_shared<HttpSite const>(HttpOptions{.body_bytes_max = 10'000}), say_done};
  talk.feed(post("PING", body + "}"));
  BOOST_TEST(read_replies(talk.out, talk.heads).front().status == 413U);
}

BOOST_AUTO_TEST_CASE(a_page_of_another_site_reaches_nothing) {
  auto const status = [](std::string_view fields, std::string_view line = "GET /metrics HTTP/1.1",
                         bool is_tls = false) {
    HttpConversation talk{site(is_tls), say_done};
    talk.feed(std::string{line} + "\r\n" + std::string{fields} + "\r\n");
    return read_replies(talk.out, talk.heads).at(0).status;
  };
  BOOST_TEST(status("Host: localhost:4080\r\n") == 200U);
  BOOST_TEST(status("Host: 127.0.0.1:4080\r\n") == 200U);
  BOOST_TEST(status("Host: [::1]:4080\r\n") == 200U);
  BOOST_TEST(status("Host: Queue.Example.COM\r\n") == 200U);
  BOOST_TEST(status("Host: evil.example\r\n") == 421U);
  BOOST_TEST(status("Host: localhost.evil.example\r\n") == 421U);
  BOOST_TEST(status("Host: evil.example\r\n", "GET / HTTP/1.1") == 421U);
  BOOST_TEST(status("Host: evil.example\r\n", "GET /nothing HTTP/1.1") == 421U);
  BOOST_TEST(status("") == 400U);
  BOOST_TEST(status("Host:\r\n") == 400U);
  BOOST_TEST(status("Host: a b\r\n") == 400U);
  BOOST_TEST(status("", "GET /metrics HTTP/1.0") == 200U);
  BOOST_TEST(status("Host: evil.example\r\n", "GET /metrics HTTP/1.0") == 421U);
  BOOST_TEST(status("Host: localhost:4080\r\nOrigin: http://localhost:4080\r\n") == 200U);
  BOOST_TEST(status("Host: localhost\r\nOrigin: http://localhost:80\r\n") == 200U);
  BOOST_TEST(status("Host: localhost:4080\r\nOrigin: http://localhost:4081\r\n") == 403U);
  BOOST_TEST(status("Host: localhost:4080\r\nOrigin: http://localhost\r\n") == 403U);
  BOOST_TEST(status("Host: localhost:4080\r\nOrigin: https://localhost:4080\r\n") == 403U);
  BOOST_TEST(status("Host: localhost:4080\r\nOrigin: http://127.0.0.1:4080\r\n") == 403U);
  BOOST_TEST(status("Host: localhost\r\nOrigin: null\r\n") == 403U);
  BOOST_TEST(status("Host: localhost\r\nOrigin: http://evil.example\r\n") == 403U);
  BOOST_TEST(status("Origin: http://localhost\r\n", "GET /metrics HTTP/1.0") == 403U);
  BOOST_TEST(status("Host: localhost\r\nOrigin: https://localhost\r\n", "GET / HTTP/1.1", true) == 200U);
  BOOST_TEST(status("Host: localhost\r\nOrigin: http://localhost\r\n", "GET / HTTP/1.1", true) == 403U);
  // What browsers say of requests that have no Origin: images, scripts, forms with GET, links.
  BOOST_TEST(status("Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n") == 403U);
  BOOST_TEST(status("Host: localhost\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: navigate\r\n") == 403U);
  BOOST_TEST(status("Host: localhost\r\nSec-Fetch-Site: same-origin\r\n") == 200U);
  BOOST_TEST(status("Host: localhost\r\nSec-Fetch-Site: none\r\n") == 200U);
  std::string_view const link = "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
  BOOST_TEST(status(link, "GET / HTTP/1.1") == 200U);
  BOOST_TEST(status("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", "GET /page.js HTTP/1.1") == 403U);
}

BOOST_AUTO_TEST_CASE(listen_is_refused_to_whom_takes_no_events) {
  BOOST_TEST(reply_to(post("LISTEN", "{}", "Accept: application/json\r\n")).status == 406U);
  BOOST_TEST(reply_to(post("WATCH", "{}", "Accept: application/json\r\n")).status == 406U);
  BOOST_TEST(reply_to(post("LISTEN", "{}", "Accept: text/event-stream;q=0, */*\r\n")).status == 406U);
  for (std::string_view const fields :
       {"", "Accept: text/event-stream\r\n", "Accept: */*\r\n", "Accept: application/json\r\nAccept: text/*\r\n"})
    BOOST_TEST(message_of(post("LISTEN", "{}", fields)) == "message LISTEN");
}

BOOST_AUTO_TEST_CASE(empty_lines_between_requests_are_passed_over) {
  HttpConversation talk = conversation();
  talk.feed("\r\n" + get("/metrics") + "\r\n\r\n" + get("/metrics"));
  BOOST_TEST(read_replies(talk.out, talk.heads).size() == 2U);
  BOOST_TEST(talk.unread.empty());
}

BOOST_AUTO_TEST_CASE(a_connection_that_waits_costs_little) { BOOST_TEST(sizeof(Http) <= 160U); }

BOOST_AUTO_TEST_CASE(damage_at_any_byte_is_answered) {
  std::string const good = post("INSERT", kInsert, "Authorization: Bearer abc\r\nOrigin: http://localhost\r\n");
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      HttpConversation talk = conversation();
      talk.feed(damaged);
      static_cast<void>(read_replies(talk.out, talk.heads));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
