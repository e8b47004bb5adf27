// Blobs over HTTP: which command a path is, which bytes of a blob a request gets, and the heads of answers. The bytes
// themselves follow from their file: tests/unit/server/output_test.cpp, tests/world/blob_answers_test.cpp.
#include "wire/http_blob.h"

#include "tests/unit/protocol/http_support.h"
#include "wire/http_range.h"
#include "wire/http_rules.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

constexpr std::string_view kTen = "0123456789";
constexpr std::string_view kTag = "\"00112233aabbccdd-a\"";

// What a table and the server say: the blob is in a file, and the part of it that is wanted follows.
HttpConversation::Answer blob(std::string_view bytes, bool is_outside = true) {
  return [=](Http& http, Message const& message, std::string& out) {
    BOOST_TEST(http.sends_stored());
    StoredValue const stored{.extent = {.file = 1, .begin = 4096, .end = 4096 + bytes.size()}};
    std::vector<Param> params{{"table", Value::of_text("pages")},
                              {"result", Value::of_text("found")},
                              {"entry_time", Value::of_unsigned(784'111'777)},
                              {"length", Value::of_unsigned(bytes.size())},
                              {"content_hash", Value::of_text("00112233aabbccdd")}};
    if (message.integer("data") == 1)
      params.push_back({"data", is_outside ? Value::of_stored(stored) : Value::of_binary(bytes)});
    params.push_back({"left", Value::of_integer(0)});
    http.write({.command = "BLOB", .params = params}, out);
    Protocol::Part const part = http.stored_part();
    out.append(bytes.substr(part.offset, part.bytes));
  };
}

void say_absent(Http& http, Message const&, std::string& out) {
  Param const params[] = {{"table", Value::of_text("pages")}, {"result", Value::of_text("absent")}};
  http.write({.command = "BLOB", .params = params}, out);
}

HttpConversation::Answer refuse(std::string_view code) {
  return [=](Http& http, Message const& message, std::string& out) {
    Param const params[] = {{"command", Value::of_text(message.command)},
                            {"code", Value::of_text(code)},
                            {"message", Value::of_text("so it is")},
                            {"parameter", Value::of_text("place")}};
    http.write({.command = "ERROR", .params = params}, out);
  };
}

HttpConversation::Answer say_stored(std::string_view result) {
  return [=](Http& http, Message const& message, std::string& out) {
    Param const params[] = {{"table", Value::of_text("pages")}, {"result", Value::of_text(result)}};
    http.write({.command = message.command == "PUT" ? "STORED" : "HEALTHY", .params = params}, out);
  };
}

std::string path_of(std::string_view path) {
  std::optional<HttpBlobPath> const found = parse_blob_path(path);
  return found ? std::string{found->table} + "|" + found->key : "none";
}

HttpReply ten(std::string_view fields) { return reply_to(get("/v1/blobs/pages/a", fields), blob(kTen)); }

std::string range_of(std::string_view field) {
  std::optional<HttpRange> const range = parse_http_range(field);
  if (!range) return "whole";
  return (range->first ? std::to_string(*range->first) : std::string{}) + "-" +
         (range->last == UINT64_MAX ? std::string{} : std::to_string(range->last));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(http_blobs)

BOOST_AUTO_TEST_CASE(a_path_is_a_table_and_a_key_of_any_bytes) {
  BOOST_TEST(path_of("/v1/blobs/pages/a") == "pages|a");
  BOOST_TEST(path_of("/v1/blobs/pages/a/b//c/") == "pages|a/b//c/");
  BOOST_TEST(path_of("/v1/blobs/pages/%2F%3f%25+..") == "pages|/?%+..");
  BOOST_TEST(path_of("/v1/blobs/pages/%ff%00") == std::string_view("pages|\xff\0", 8));
  for (std::string_view const bad :
       {"/v1/blobs/", "/v1/blobs/pages", "/v1/blobs/pages/", "/v1/blobs//a", "/v1/blobs/pages/%", "/v1/blobs/pages/a%2",
        "/v1/blobs/pages/%2g", "/v1/blobs/pages/%g2"})
    BOOST_TEST(path_of(bad) == "none", bad);
  BOOST_TEST(message_of(get("/v1/blobs/pages/a%20b")) ==
             "message GET table='pages' key_binary=bin'a b' data=1 place=0");
  BOOST_TEST(message_of("HEAD /v1/blobs/pages/a HTTP/1.1\r\nHost: localhost\r\n\r\n") ==
             "message GET table='pages' key_binary=bin'a' data=0 place=0");
  BOOST_TEST(message_of(get("/v1/blobs/pages/a", "Authorization: Bearer abc\r\n")).ends_with(" token abc"));
}

BOOST_AUTO_TEST_CASE(other_paths_and_methods_are_refused_as_elsewhere) {
  for (std::string_view const path : {"/v1/blobs/", "/v1/blobs/pages", "/v1/blobs/pages/%zz"})
    BOOST_TEST(reply_to(get(path)).status == 404U, path);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a?b")).status == 400U);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a#b")).status == 400U);
  for (std::string const method : {"POST", "DELETE", "OPTIONS"}) {
    HttpReply const reply = reply_to(method + " /v1/blobs/pages/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    BOOST_TEST(reply.status == 405U, method);
    BOOST_TEST(reply.fields.at("allow").starts_with("GET, HEAD"), method);
  }
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a", "Content-Length: 1\r\n") + "x").status == 400U);
  BOOST_TEST(reply_to("GET /v1/blobs/pages/a HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 421U);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a", "Sec-Fetch-Site: cross-site\r\n")).status == 403U);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a", "Range: bytes=0-1\r\nRange: bytes=0-1\r\n")).status == 400U);
}

BOOST_AUTO_TEST_CASE(a_blob_is_its_bytes_and_nothing_else) {
  HttpConversation talk = conversation(blob(kTen));
  talk.feed(get("/v1/blobs/pages/a"));
  BOOST_TEST(talk.out ==
             "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 10\r\n"
             "Cache-Control: no-cache\r\nETag: \"00112233aabbccdd-a\"\r\n"
             "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nAccept-Ranges: bytes\r\n"
             "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
             "Cross-Origin-Resource-Policy: same-origin\r\n\r\n0123456789");
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a"), blob(kTen, false)).body == kTen);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a"), blob("")).body.empty());
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a"), blob("")).fields.at("content-length") == "0");
  // Of JSON the bytes are a part.
  talk = conversation([](Http& http, Message const&, std::string& out) {
    BOOST_TEST(!http.sends_stored());
    http.write({.command = "BLOB"}, out);
  });
  talk.feed(post("GET", "{}"));
}

BOOST_AUTO_TEST_CASE(head_says_the_same_without_the_bytes) {
  for (std::string_view const more : {"", "Range: bytes=2-3\r\n"}) {
    HttpConversation talk = conversation(blob(kTen));
    talk.feed("HEAD /v1/blobs/pages/a HTTP/1.1\r\nHost: localhost\r\n" + std::string{more} + "\r\n");
    HttpReply const reply = read_replies(talk.out, talk.heads).front();
    BOOST_TEST(reply.status == 200U);
    BOOST_TEST(reply.fields.at("content-length") == "10");
    BOOST_TEST(reply.fields.at("etag") == kTag);
    BOOST_TEST(reply.body.empty());
    BOOST_TEST(talk.http.stored_part().bytes == 0U);
  }
}

BOOST_AUTO_TEST_CASE(ranges_are_read_or_left_alone) {
  BOOST_TEST(range_of("bytes=0-0") == "0-0");
  BOOST_TEST(range_of("BYTES=5-9") == "5-9");
  BOOST_TEST(range_of("bytes=5-") == "5-");
  BOOST_TEST(range_of("bytes=-5") == "-5");
  BOOST_TEST(range_of("bytes=1-99999999999999999999999") == "1-");
  BOOST_TEST(range_of("bytes=99999999999999999999999-") == std::to_string(UINT64_MAX) + "-");
  for (std::string_view const whole :
       {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "bytes=3-2", "bytes=1-2,4-5", "bytes=1-2,",
        "bytes=0x1-2", "bytes= 1-2", "bytes=1 -2", "bytes=--1", "bytes=-1-2", "rows=1-2", "bytes:1-2", "bytes=+1-2"})
    BOOST_TEST(range_of(whole) == "whole", whole);
}

BOOST_AUTO_TEST_CASE(one_range_is_answered_by_these_bytes) {
  struct Asked {
    std::string_view field;
    std::string_view bytes;
    std::string_view said;
  };
  for (Asked const& asked : {Asked{"bytes=0-3", "0123", "bytes 0-3/10"}, Asked{"bytes=4-4", "4", "bytes 4-4/10"},
                             Asked{"bytes=7-", "789", "bytes 7-9/10"}, Asked{"bytes=7-100", "789", "bytes 7-9/10"},
                             Asked{"bytes=-2", "89", "bytes 8-9/10"}, Asked{"bytes=-100", kTen, "bytes 0-9/10"}}) {
    HttpReply const reply = ten("Range: " + std::string{asked.field} + "\r\n");
    BOOST_TEST(reply.status == 206U, asked.field);
    BOOST_TEST(reply.body == asked.bytes, asked.field);
    BOOST_TEST(reply.fields.at("content-range") == asked.said, asked.field);
    BOOST_TEST(reply.fields.at("etag") == kTag, asked.field);
  }
  for (std::string_view const field : {"bytes=0-1,4-5", "bytes=x", "rows=0-1"}) {
    HttpReply const reply = ten("Range: " + std::string{field} + "\r\n");
    BOOST_TEST(reply.status == 200U, field);
    BOOST_TEST(reply.body == kTen, field);
    BOOST_TEST(!reply.fields.contains("content-range"), field);
  }
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a", "Range: bytes=2-3\r\n"), blob(kTen, false)).body == "23");
}

BOOST_AUTO_TEST_CASE(a_range_behind_the_end_is_refused_with_the_size) {
  for (std::string_view const field : {"bytes=10-", "bytes=10-11", "bytes=-0"}) {
    HttpReply const reply = ten("Range: " + std::string{field} + "\r\n");
    BOOST_TEST(reply.status == 416U, field);
    BOOST_TEST(reply.fields.at("content-range") == "bytes */10", field);
    BOOST_TEST(reply.fields.at("content-type") == kProblemType, field);
    BOOST_TEST(reply.keeps_alive, field);
  }
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a", "Range: bytes=0-\r\n"), blob("")).status == 416U);
  // The last bytes of nothing are all there is.
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a", "Range: bytes=-1\r\n"), blob("")).status == 200U);
}

BOOST_AUTO_TEST_CASE(whoever_has_the_blob_does_not_get_it_again) {
  std::string const tag{kTag};
  for (std::string const& field : {tag, "W/" + tag, "\"x\", " + tag, std::string{"*"}}) {
    HttpReply const reply = ten("If-None-Match: " + field + "\r\nRange: bytes=0-1\r\n");
    BOOST_TEST(reply.status == 304U, field);
    BOOST_TEST(reply.body.empty());
    BOOST_TEST(reply.fields.at("etag") == kTag);
    BOOST_TEST(!reply.fields.contains("content-length"));
    BOOST_TEST(reply.keeps_alive);
  }
  BOOST_TEST(ten("If-None-Match: \"x\"\r\n").status == 200U);
  BOOST_TEST(ten("If-Match: " + tag + "\r\n").status == 200U);
  BOOST_TEST(ten("If-Match: *\r\n").status == 200U);
  BOOST_TEST(ten("If-Match: \"x\", " + tag + "\r\n").status == 200U);
  BOOST_TEST(ten("If-Match: \"x\"\r\n").status == 412U);
  BOOST_TEST(ten("If-Match: W/" + tag + "\r\n").status == 412U);
}

BOOST_AUTO_TEST_CASE(a_range_of_another_blob_is_answered_by_all_of_this_one) {
  std::string const tag{kTag};
  BOOST_TEST(ten("Range: bytes=1-2\r\nIf-Range: " + tag + "\r\n").body == "12");
  for (std::string const& other : {std::string{"\"x\""}, "W/" + tag, std::string{"Sun, 06 Nov 1994 08:49:37 GMT"}}) {
    HttpReply const reply = ten("Range: bytes=1-2\r\nIf-Range: " + other + "\r\n");
    BOOST_TEST(reply.status == 200U, other);
    BOOST_TEST(reply.body == kTen, other);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_blob_is_a_problem_like_all_others) {
  HttpReply reply = reply_to(get("/v1/blobs/pages/a"), say_absent);
  BOOST_TEST(reply.status == 404U);
  BOOST_TEST(json_of(reply).at("code") == "not_found");
  // Of another type, which has no such command, or another one.
  for (std::string_view const code : {"not_supported", "unknown_parameter"}) {
    reply = reply_to(get("/v1/blobs/pages/a"), refuse(code));
    BOOST_TEST(reply.status == 404U, code);
    BOOST_TEST(json_of(reply).at("detail") == "this is no table of blobs", code);
  }
  reply = reply_to(get("/v1/blobs/pages/a"), say_done);
  BOOST_TEST(reply.status == 404U);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a"), refuse("unknown_table")).status == 404U);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a"), refuse("not_allowed")).status == 401U);
  BOOST_TEST(reply_to(get("/v1/blobs/pages/a"), refuse("damaged")).status == 500U);
}

BOOST_AUTO_TEST_CASE(requests_behind_one_another_keep_their_order) {
  HttpConversation talk = conversation([](Http& http, Message const& message, std::string& out) {
    std::string const key{message.text("key_binary")};
    if (key == "none") return say_absent(http, message, out);
    blob(key)(http, message, out);
  });
  talk.feed(get("/v1/blobs/t/first") + get("/v1/blobs/t/none") + get("/v1/blobs/t/second", "Range: bytes=1-2\r\n") +
            "GET /v1/blobs/t/last HTTP/1.0\r\n\r\n" + get("/v1/blobs/t/never"));
  std::vector<HttpReply> const replies = read_replies(talk.out, talk.heads);
  BOOST_REQUIRE(replies.size() == 4U);
  BOOST_TEST(replies[0].body == "first");
  BOOST_TEST(replies[1].status == 404U);
  BOOST_TEST(replies[2].body == "ec");
  BOOST_TEST(replies[3].body == "last");
  BOOST_TEST(!replies[3].keeps_alive);
  BOOST_TEST(talk.http.ends());
}

BOOST_AUTO_TEST_CASE(a_blob_is_stored_as_it_comes) {
  std::string const put = "PUT /v1/blobs/pages/a%2Fb HTTP/1.1\r\nHost: localhost\r\n";
  std::string const begun = "begin PUT table='pages' key_binary=bin'a/b' data";
  for (std::size_t const step : {1U, 7U, 1000U}) {
    HttpConversation talk = conversation(say_stored("stored"));
    std::string const long_value(3 * kBodyBytesMax, 'x');  // the limit is that of the table
    talk.feed(put + "Content-Length: 3000\r\n\r\n" + long_value + put + "Transfer-Encoding: chunked\r\n\r\n" +
                  "5\r\nhello\r\n1;a=b\r\n \r\n5\r\nworld\r\n0\r\n\r\n" + put + "Content-Length: 0\r\n\r\n" +
                  get("/health/live"),
              [step] { return step; });
    BOOST_TEST((talk.seen == std::vector<std::string>{begun + " of 3000", "end '" + long_value + "'", begun,
                                                      "end 'hello world'", begun + " of 0", "end ''",
                                                      "message HEALTH what='live'"}));
    std::vector<HttpReply> const replies = read_replies(talk.out, talk.heads);
    BOOST_REQUIRE(replies.size() == 4U);
    BOOST_TEST(replies[0].status == 201U);
    BOOST_TEST(json_of(replies[0]).at("result") == "stored");
    BOOST_TEST(!talk.http.ends());
  }
  HttpConversation talk = conversation(say_stored("replaced"));
  talk.feed(put + "Authorization: Bearer abc\r\nContent-Length: 1\r\n\r\nx");
  BOOST_TEST(talk.seen.front() == begun + " of 1 token abc");
  BOOST_TEST(read_replies(talk.out, talk.heads).front().status == 200U);
}

BOOST_AUTO_TEST_CASE(whoever_asks_first_is_told_to_send_the_blob_or_why_not) {
  std::string const put =
      "PUT /v1/blobs/pages/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  HttpConversation talk = conversation(say_stored("stored"));
  talk.feed(put);
  BOOST_TEST(talk.out == "HTTP/1.1 100 Continue\r\n\r\n");
  talk.feed("hello");
  BOOST_TEST(talk.seen.back() == "end 'hello'");
  talk = conversation(refuse("not_allowed"));
  talk.is_accepted = [](Message const&) { return false; };
  talk.feed(put + "hello");
  HttpReply const reply = read_replies(talk.out, talk.heads).front();
  BOOST_TEST(reply.status == 401U);
  BOOST_TEST(!reply.keeps_alive);
  BOOST_TEST(talk.seen.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_blob_that_cannot_be_stored_whole_is_refused) {
  auto const put = [](std::string_view fields, std::string_view path = "/v1/blobs/pages/a") {
    return reply_to("PUT " + std::string{path} + " HTTP/1.1\r\nHost: localhost\r\n" + std::string{fields} + "\r\n")
        .status;
  };
  BOOST_TEST(put("") == 411U);
  BOOST_TEST(put("Content-Length: 1\r\nContent-Range: bytes 0-0/5\r\n") == 400U);
  BOOST_TEST(put("Content-Length: 1\r\nIf-None-Match: *\r\n") == 400U);
  BOOST_TEST(put("Content-Length: 1\r\nIf-Match: *\r\n") == 400U);
  BOOST_TEST(put("Content-Length: 1\r\nContent-Encoding: gzip\r\n") == 415U);
  BOOST_TEST(put("Content-Length: 1\r\nOrigin: http://evil.example\r\n") == 403U);
  BOOST_TEST(put("Content-Length: 1\r\nAuthorization: Basic x\r\n") == 401U);
  BOOST_TEST(put("Content-Length: 1\r\n", "/v1/blobs/pages") == 404U);
  BOOST_TEST(put("Content-Length: 1\r\n", "/v1/blobs/pages/a?b") == 400U);
  BOOST_TEST(put("Content-Length: 0\r\n", "/metrics") == 405U);
  // Chunks that are none, in the middle: nothing behind them is read.
  for (std::string_view const wrong : {"x\r\n", "2\r\nabc\r\n", "0\r\nA: b\r\n\r\n", "ffffffffffffffffff\r\n"}) {
    HttpConversation talk = conversation(say_stored("stored"));
    talk.feed("PUT /v1/blobs/pages/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n" +
              std::string{wrong} + get("/health/live"));
    HttpReply const reply = read_replies(talk.out, talk.heads).front();
    BOOST_TEST(reply.status == (wrong.starts_with('f') ? 413U : 400U), wrong);
    BOOST_TEST(talk.http.ends());
  }
}

BOOST_AUTO_TEST_CASE(a_blob_whose_sender_is_gone_is_not_stored) {
  HttpConversation talk = conversation(say_stored("stored"));
  talk.feed("PUT /v1/blobs/pages/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhell");
  Protocol::Piece const piece = talk.http.end_of_input(talk.message, talk.out);
  BOOST_TEST((piece.kind == Protocol::Kind::broken));
  BOOST_TEST((talk.http.end_of_input(talk.message, talk.out).kind == Protocol::Kind::need_more));
  BOOST_TEST(talk.out.empty());
  talk = conversation();
  talk.feed("GET /heal");
  BOOST_TEST((talk.http.end_of_input(talk.message, talk.out).kind == Protocol::Kind::need_more));
}

BOOST_AUTO_TEST_CASE(dates_are_written_as_in_the_mail) {
  BOOST_TEST(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  BOOST_TEST(http_date(784'111'777) == "Sun, 06 Nov 1994 08:49:37 GMT");
  BOOST_TEST(http_date(951'782'399) == "Mon, 28 Feb 2000 23:59:59 GMT");
  BOOST_TEST(http_date(951'782'400) == "Tue, 29 Feb 2000 00:00:00 GMT");
  BOOST_TEST(http_date(4'294'967'295) == "Sun, 07 Feb 2106 06:28:15 GMT");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
