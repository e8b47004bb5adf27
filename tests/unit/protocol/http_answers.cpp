// Answers over HTTP: objects, arrays, events, problems and files, byte by byte where the bytes are the rule.
#include "tests/unit/protocol/http_support.h"
#include "wire/streams.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

constexpr std::string_view kSecurity =
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

// Messages of one answer, each with its number of those that follow, if it is counted.
HttpConversation::Answer rows(std::size_t count, bool is_counted = true) {
  return [=](Http& http, Message const&, std::string& out) {
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Param> params{{"row", Value::of_unsigned(i)}};
      if (is_counted) params.push_back({"left", Value::of_unsigned(count - 1 - i)});
      BOOST_TEST(http.is_answering());
      http.write({.command = "ROW", .params = params, .is_last = i + 1 == count}, out);
    }
    BOOST_TEST(!http.is_answering());
  };
}

HttpConversation::Answer error(std::string_view code, std::vector<Param> facts = {}) {
  return [=](Http& http, Message const& message, std::string& out) {
    std::vector<Param> params{{"command", Value::of_text(message.command)},
                              {"code", Value::of_text(code)},
                              {"message", Value::of_text("so it is")}};
    params.insert(params.end(), facts.begin(), facts.end());
    http.write({.command = "ERROR", .params = params}, out);
  };
}

HttpConversation::Answer text(std::string_view command, std::string_view value) {
  return [=](Http& http, Message const&, std::string& out) {
    Param const params[] = {{"text", Value::of_text(value)}};
    http.write({.command = command, .params = params}, out);
  };
}

std::string with_body(std::string_view head, std::string_view body) {
  return std::string{head} + std::to_string(body.size()) + "\r\nCache-Control: no-store\r\n" + std::string{kSecurity} +
         "\r\n" + std::string{body};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(http_answers)

BOOST_AUTO_TEST_CASE(one_message_is_one_object) {
  HttpConversation talk = conversation([](Http& http, Message const&, std::string& out) {
    Param const params[] = {{"row", Value::of_unsigned(69688)},
                            {"early", Value::of_integer(-7)},
                            {"share", Value::of_real(0.25)},
                            {"is_new", Value::of_boolean(true)},
                            {"bytes", Value::of_binary(std::string_view{"\0\xff", 2})},
                            {"bad", Value::of_text("a\xff\"\r\n")},
                            {"command", Value::of_text("PAUSE")}};
    http.write({.command = "INSERTED", .params = params}, out);
  });
  talk.feed(post("INSERT", "{}"));
  BOOST_TEST(talk.out == with_body("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ",
                                   "{\"command\":\"INSERTED\",\"row\":69688,\"early\":-7,\"share\":0.25,"
                                   "\"is_new\":true,\"bytes\":\"AP8=\",\"bad\":\"a\xef\xbf\xbd\\\"\\r\\n\","
                                   "\"parameter-command\":\"PAUSE\"}\n"));
}

BOOST_AUTO_TEST_CASE(counted_messages_are_an_array_that_is_sent_as_it_comes) {
  HttpConversation talk = conversation(say_nothing);
  talk.feed(post("LIST", "{}"));
  Param const first[] = {{"row", Value::of_integer(1)}, {"left", Value::of_integer(1)}};
  talk.http.write({.command = "ROW", .params = first, .is_last = false}, talk.out);
  BOOST_TEST(talk.out ==
             "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
             "Cache-Control: no-store\r\n" +
                 std::string{kSecurity} + "\r\n24\r\n[\n{\"command\":\"ROW\",\"row\":1,\"left\":1}\r\n");
  BOOST_TEST(talk.http.is_answering());
  talk.out.clear();
  Param const last[] = {{"row", Value::of_integer(2)}, {"left", Value::of_integer(0)}};
  talk.http.write({.command = "ROW", .params = last}, talk.out);
  BOOST_TEST(talk.out == "27\r\n,\n{\"command\":\"ROW\",\"row\":2,\"left\":0}\n]\n\r\n0\r\n\r\n");
  BOOST_TEST(!talk.http.is_answering());
}

BOOST_AUTO_TEST_CASE(each_element_has_a_line) {
  for (std::size_t const count : {1, 2, 100}) {
    HttpReply const reply = reply_to(post("LIST", "{}"), rows(count));
    BOOST_TEST(reply.keeps_alive);
    BOOST_TEST(json_of(reply).size() == count);
    BOOST_TEST(static_cast<std::size_t>(std::count(reply.body.begin(), reply.body.end(), '\n')) == count + 2);
    BOOST_TEST(json_of(reply).at(count - 1).at("row") == count - 1);
  }
  BOOST_TEST(json_of(reply_to(post("LIST", "{}"), rows(2, false))).size() == 2U);
  BOOST_TEST(json_of(reply_to(post("LIST", "{}"), rows(1, false))).is_object());
}

BOOST_AUTO_TEST_CASE(an_old_client_gets_an_array_until_the_end_of_the_connection) {
  HttpConversation talk = conversation(rows(2));
  talk.feed(
      "POST /v1/LIST HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\n\r\n{}");
  HttpReply const reply = read_replies(talk.out, talk.heads).front();
  BOOST_TEST(reply.is_until_close);
  BOOST_TEST(!reply.fields.contains("transfer-encoding"));
  BOOST_TEST(reply.fields.at("connection") == "close");
  BOOST_TEST(json_of(reply).size() == 2U);
  BOOST_TEST(talk.http.ends());
}

BOOST_AUTO_TEST_CASE(a_refusal_within_an_array_is_an_element) {
  HttpReply const reply = reply_to(post("DONE", "{}"), [](Http& http, Message const&, std::string& out) {
    Param const first[] = {{"left", Value::of_integer(1)}};
    Param const last[] = {
        {"command", Value::of_text("DONE")}, {"code", Value::of_text("paused")}, {"left", Value::of_integer(0)}};
    http.write({.command = "COMPLETED", .params = first, .is_last = false}, out);
    http.write({.command = "ERROR", .params = last}, out);
  });
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(json_of(reply).at(1).at("command") == "ERROR");
  BOOST_TEST(json_of(reply).at(1).at("parameter-command") == "DONE");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_a_problem) {
  HttpConversation talk = conversation(error("stale_epoch", {{"holder", Value::of_text("w1")},
                                                             {"epoch", Value::of_unsigned(7)},
                                                             {"status", Value::of_text("x")},
                                                             {"request", Value::of_text("r")},
                                                             {"left", Value::of_integer(0)}}));
  talk.feed(post("DONE", "{}"));
  BOOST_TEST(talk.out ==
             with_body("HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\nContent-Length: ",
                       "{\"type\":\"urn:fastjournal:error:stale_epoch\",\"title\":\"the lease is not yours any "
                       "more\",\"status\":409,\"detail\":\"so it is\",\"code\":\"stale_epoch\",\"command\":\"DONE\","
                       "\"holder\":\"w1\",\"epoch\":7,\"parameter-status\":\"x\",\"request\":\"r\"}\n"));
  BOOST_TEST(!talk.http.is_answering());
  BOOST_TEST(!talk.http.ends());
}

// doc/http.md has the same table.
BOOST_AUTO_TEST_CASE(every_code_has_a_status) {
  std::ifstream file{std::string{FJ_SOURCE_DIR} + "/doc/http.md"};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  for (CodeRow const& row : kCodeRows) {
    std::uint16_t const status = http_status_of(row.code);
    BOOST_TEST(!http_reason_of(status).empty(), row.wire_name);
    if (row.code == Code::ok) continue;
    BOOST_TEST(status >= 400, row.wire_name);
    std::string const name = "`" + std::string{row.wire_name} + "`";
    auto const is_of = [&](std::string const& line) {
      return line.starts_with("| " + std::to_string(status) + " ") && line.find(name) != std::string::npos;
    };
    BOOST_TEST((std::find_if(lines.begin(), lines.end(), is_of) != lines.end()), row.wire_name << " " << status);
    if (row.code == Code::not_allowed) continue;
    HttpReply const reply = reply_to(post("X", "{}"), error(row.wire_name));
    BOOST_TEST(reply.status == status);
    BOOST_TEST(json_of(reply).at("status") == status);
    BOOST_TEST(json_of(reply).at("code") == row.wire_name);
    BOOST_TEST(json_of(reply).at("title") == row.text);
    BOOST_TEST(reply.fields.contains("retry-after") == (status == 429 || status == 503));
  }
}

BOOST_AUTO_TEST_CASE(who_has_no_right_is_asked_for_a_token) {
  HttpReply const nobody = reply_to(post("STOP", "{}"), error("not_allowed"));
  BOOST_TEST(nobody.status == 401U);
  BOOST_TEST(nobody.fields.at("www-authenticate") == "Bearer realm=\"fastjournal\"");
  // By a certificate.
  HttpReply const somebody = reply_to(
      post("STOP", "{}"), error("not_allowed", {{"right", Value::of_text("admin")}, {"user", Value::of_text("ann")}}));
  BOOST_TEST(somebody.status == 403U);
  BOOST_TEST(!somebody.fields.contains("www-authenticate"));
  auto const with_token = [](std::vector<Param> facts) {
    return reply_to(post("STOP", "{}", "Authorization: Bearer x\r\n"), error("not_allowed", std::move(facts)));
  };
  for (std::string_view const fact : {"right", "parameter"}) {
    HttpReply const known = with_token({{fact, Value::of_text("admin")}});
    BOOST_TEST(known.status == 403U);
    BOOST_TEST(!known.fields.contains("www-authenticate"));
  }
  for (HttpReply const& wrong : {with_token({}), with_token({{"parameter", Value::of_text("token")}})}) {
    BOOST_TEST(wrong.status == 401U);
    BOOST_TEST(wrong.fields.at("www-authenticate") == "Bearer realm=\"fastjournal\", error=\"invalid_token\"");
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_command_is_not_found) {
  auto const unknown = [](Http& http, Message const& message, std::string& out) {
    Param const params[] = {{"command", Value::of_text(message.command)}};
    http.write({.command = "UNKNOWN", .params = params}, out);
  };
  HttpReply const reply = reply_to(post("NONE", "{}"), unknown);
  BOOST_TEST(reply.status == 404U);
  BOOST_TEST(json_of(reply).at("code") == "unknown_command");
  BOOST_TEST(json_of(reply).at("command") == "NONE");
  auto const invalid = [](Http& http, Message const&, std::string& out) {
    Param const params[] = {{"code", Value::of_text("invalid")}, {"message", Value::of_text("why")}};
    http.write({.command = "INVALID", .params = params}, out);
  };
  BOOST_TEST(reply_to(post("NONE", "{}"), invalid).status == 400U);
}

BOOST_AUTO_TEST_CASE(listening_begins_a_stream_of_events) {
  HttpConversation talk = conversation([](Http& http, Message const&, std::string& out) {
    http.write({.command = "LISTEN", .is_push = true}, out);  // too early: there is no stream
    Param const params[] = {{"table", Value::of_text("pages")}};
    http.write({.command = "LISTENING", .params = params}, out);
  });
  talk.feed(post("LISTEN", R"({"table":"pages"})") + get("/metrics"));
  std::string const begin =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nCache-Control: no-store\r\n" +
      std::string{kSecurity} + "\r\nevent: LISTENING\ndata: {\"command\":\"LISTENING\",\"table\":\"pages\"}\n\n";
  BOOST_TEST(talk.out == begin);
  BOOST_TEST(talk.http.is_answering());
  BOOST_TEST(!talk.http.ends());
  BOOST_TEST(talk.seen.size() == 1U);
  Param const params[] = {{"text", Value::of_text("a\r\n\ndata: b")}};
  talk.http.write({.command = "LISTEN", .params = params, .is_push = true}, talk.out);
  BOOST_TEST(talk.out == begin + "event: LISTEN\ndata: {\"command\":\"LISTEN\",\"text\":\"a\\r\\n\\ndata: b\"}\n\n");
  talk.http.write({.command = "ERROR"}, talk.out);
  BOOST_TEST(talk.out.ends_with("event: ERROR\ndata: {\"command\":\"ERROR\"}\n\n"));
  BOOST_TEST(talk.http.ends());
  BOOST_TEST(!talk.http.is_answering());
}

BOOST_AUTO_TEST_CASE(each_command_that_streams_begins_a_stream) {
  for (std::string_view const command : kStreamingCommands) {
    HttpConversation talk = conversation([](Http& http, Message const&, std::string& out) {
      http.write({.command = "BEGUN"}, out);
      http.write({.command = "PUSHED", .is_push = true}, out);
    });
    talk.feed(post(command, "{}"));
    BOOST_TEST(talk.out.ends_with("event: BEGUN\ndata: {\"command\":\"BEGUN\"}\n\n"
                                  "event: PUSHED\ndata: {\"command\":\"PUSHED\"}\n\n"),
               talk.out);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_listen_is_a_problem) {
  HttpReply const reply = reply_to(post("LISTEN", "{}"), error("unknown_table"));
  BOOST_TEST(reply.status == 404U);
  BOOST_TEST(reply.fields.at("content-type") == "application/problem+json");
  BOOST_TEST(reply.keeps_alive);
}

BOOST_AUTO_TEST_CASE(a_push_without_a_stream_is_dropped) {
  Http http{site()};
  std::string out;
  http.write({.command = "LISTEN", .is_push = true}, out);
  Message message;
  BOOST_TEST((http.read(post("NEXT", "{}"), message, out).kind == Protocol::Kind::message));
  http.write({.command = "LISTEN", .is_push = true}, out);
  BOOST_TEST(out.empty());
  BOOST_TEST(http.is_answering());
}

BOOST_AUTO_TEST_CASE(figures_are_the_text_itself) {
  HttpReply const plain = reply_to(get("/metrics"), text("METRICS", "rows 1\n"));
  BOOST_TEST(plain.body == "rows 1\n");
  BOOST_TEST(plain.fields.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  HttpReply const open =
      reply_to(get("/metrics", "Accept: application/openmetrics-text\r\n"), text("METRICS", "rows 1\n# EOF\n"));
  BOOST_TEST(open.body == "rows 1\n# EOF\n");
  BOOST_TEST(open.fields.at("content-type") == "application/openmetrics-text; version=1.0.0; charset=utf-8");
  HttpReply const api = reply_to(get("/openapi.json"), text("OPENAPI", "{}"));
  BOOST_TEST(api.body == "{}");
  BOOST_TEST(api.fields.at("content-type") == "application/json");
  // In pieces, and counted, as those of many tables are.
  auto const pieces = [](Http& http, Message const&, std::string& out) {
    Param const first[] = {{"text", Value::of_text("a 1\n")}, {"left", Value::of_integer(1)}};
    Param const last[] = {{"text", Value::of_text("b 2\n")}, {"left", Value::of_integer(0)}};
    http.write({.command = "METRICS", .params = first, .is_last = false}, out);
    BOOST_TEST(http.is_answering());
    http.write({.command = "METRICS", .params = last}, out);
    BOOST_TEST(!http.is_answering());
  };
  HttpReply const many = reply_to(get("/metrics"), pieces);
  BOOST_TEST(many.body == "a 1\nb 2\n");
  BOOST_TEST(many.fields.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  BOOST_TEST(many.fields.at("transfer-encoding") == "chunked");
  BOOST_TEST(many.keeps_alive);
  HttpReply const old = reply_to("GET /metrics HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", pieces);
  BOOST_TEST(old.body == "a 1\nb 2\n");
  BOOST_TEST(old.is_until_close);
  BOOST_TEST(!old.keeps_alive);
  HttpReply const none = reply_to("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", pieces);
  BOOST_TEST(none.body.empty());
  BOOST_TEST((none.fields == many.fields));
  HttpReply const counted = reply_to(get("/metrics"), [](Http& http, Message const&, std::string& out) {
    Param const only[] = {{"text", Value::of_text("a 1\n")}, {"left", Value::of_integer(0)}};
    http.write({.command = "METRICS", .params = only}, out);
  });
  BOOST_TEST(counted.body == "a 1\n");
  BOOST_TEST(counted.fields.at("content-length") == "4");
  // As a command they are messages like any other.
  BOOST_TEST(json_of(reply_to(post("METRICS", "{}"), text("METRICS", "x"))).at("text") == "x");
  BOOST_TEST(reply_to(get("/metrics"), error("not_allowed")).status == 401U);
}

BOOST_AUTO_TEST_CASE(a_text_that_breaks_off_is_seen_to) {
  HttpConversation talk = conversation([](Http& http, Message const&, std::string& out) {
    Param const first[] = {{"text", Value::of_text("a 1\n")}};
    http.write({.command = "METRICS", .params = first, .is_last = false}, out);
    http.write({.command = "ERROR"}, out);
  });
  talk.feed(get("/metrics"));
  BOOST_TEST(talk.out.ends_with("4\r\na 1\n\r\n"));
  BOOST_TEST(talk.http.ends());
  BOOST_TEST(!talk.http.is_answering());
}

BOOST_AUTO_TEST_CASE(which_node_decides_is_told) {
  HttpReply const moved = reply_to(post("INSERT", "{}"), error("moved", {{"address", Value::of_text("10.0.0.2:4050")},
                                                                         {"node", Value::of_text("b")},
                                                                         {"token", Value::of_text("7")}}));
  BOOST_TEST(moved.status == 421U);
  BOOST_TEST(json_of(moved).at("code") == "moved");
  BOOST_TEST(json_of(moved).at("address") == "10.0.0.2:4050");
  BOOST_TEST(json_of(moved).at("node") == "b");
  BOOST_TEST(json_of(moved).at("token") == "7");
  HttpReply const nobody = reply_to(post("INSERT", "{}"), error("unavailable", {{"retry", Value::of_text("100")}}));
  BOOST_TEST(nobody.status == 503U);
  BOOST_TEST(nobody.fields.at("retry-after") == "1");
  BOOST_TEST(json_of(nobody).at("retry") == "100");
}

BOOST_AUTO_TEST_CASE(who_must_wait_is_told_how_long) {
  auto const after = [](std::string_view wait_ms) {
    return reply_to(post("X", "{}"), error("over_limit", {{"wait_ms", Value::of_text(wait_ms)}}))
        .fields.at("retry-after");
  };
  BOOST_TEST(after("") == "1");
  BOOST_TEST(after("0") == "1");
  BOOST_TEST(after("1001") == "2");
  BOOST_TEST(after("60000") == "60");
  BOOST_TEST(after("9223372036854775807") == "3600");
  BOOST_TEST(after("-5") == "1");
  BOOST_TEST(after("1\r\nX: y") == "1");
  BOOST_TEST(
      json_of(reply_to(post("X", "{}"), error("over_limit", {{"wait_ms", Value::of_text("7")}}))).at("wait_ms") == "7");
}

BOOST_AUTO_TEST_CASE(health_is_well_or_unavailable) {
  auto const well = [](Http& http, Message const&, std::string& out) { http.write({.command = "HEALTHY"}, out); };
  HttpReply const reply = reply_to(get("/health/live"), well);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body == "{\"command\":\"HEALTHY\"}\n");
  BOOST_TEST(reply_to(get("/health/ready"), error("damaged")).status == 503U);
  BOOST_TEST(reply_to(get("/health/ready"), error("not_allowed")).status == 401U);
}

BOOST_AUTO_TEST_CASE(head_has_the_same_fields_and_no_body) {
  for (std::string_view const path : {"/metrics", "/health/live", "/openapi.json", "/", "/nothing"}) {
    std::string head = get(path);
    head.replace(0, 3, "HEAD");
    HttpReply const with = reply_to(get(path), text("METRICS", "x"));
    HttpReply const without = reply_to(head, text("METRICS", "x"));
    BOOST_TEST(without.status == with.status);
    BOOST_TEST((without.fields == with.fields));
    BOOST_TEST(without.body.empty());
    BOOST_TEST(!with.body.empty());
  }
  // Also where the answer is an array, and where the request is none.
  HttpConversation talk = conversation(rows(2));
  talk.feed("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /metrics HTTP/1.1\r\nA: b\r\n\r\n");
  for (HttpReply const& reply : read_replies(talk.out, talk.heads)) BOOST_TEST(reply.body.empty());
  BOOST_TEST(talk.out.find('[') == std::string::npos);
  BOOST_TEST(talk.out.find('{') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_are_sent_once_and_then_confirmed) {
  HttpConversation talk = conversation();
  talk.feed(get("/page.js"));
  HttpReply const script = read_replies(talk.out, talk.heads).front();
  std::string const etag = script.fields.at("etag");
  BOOST_TEST(script.body == "\"use strict\";");
  BOOST_TEST(talk.out ==
             "HTTP/1.1 200 OK\r\nContent-Type: text/javascript; charset=utf-8\r\nContent-Length: 13\r\n"
             "Cache-Control: no-cache\r\nETag: " +
                 etag + "\r\n" + std::string{kSecurity} + "\r\n\"use strict\";");
  BOOST_TEST(etag.size() == 18U);
  for (std::string const& tags : {etag, "W/" + etag, "\"a,b\", " + etag, std::string{"*"}}) {
    HttpReply const same = reply_to(get("/page.js", "If-None-Match: " + tags + "\r\n"));
    BOOST_TEST(same.status == 304U, tags);
    BOOST_TEST(same.fields.at("etag") == etag);
    BOOST_TEST(same.body.empty());
    BOOST_TEST(!same.fields.contains("content-type"));
  }
  BOOST_TEST(reply_to(get("/page.js", "If-None-Match: \"other\"\r\n")).status == 200U);
  HttpReply const page = reply_to(get("/"));
  BOOST_TEST(page.body == "<!doctype html>");
  BOOST_TEST(page.fields.at("etag") != etag);
  BOOST_TEST(page.fields.at("content-security-policy") ==
             "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
             "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for "
             "'script'; trusted-types 'none'");
  BOOST_TEST(reply_to(get("/index.html")).body == page.body);
  BOOST_TEST(!script.fields.contains("content-security-policy"));
}

BOOST_AUTO_TEST_CASE(every_response_has_the_fields_of_safety) {
  for (std::string const& request : {get("/"), get("/metrics"), get("/nothing"), post("X", "{}"), post("X", "["),
                                     std::string{"GET\r\n"}, "OPTIONS " + get("/").substr(4)}) {
    HttpReply const reply = reply_to(request);
    BOOST_TEST(reply.fields.at("x-content-type-options") == "nosniff");
    BOOST_TEST(reply.fields.at("referrer-policy") == "no-referrer");
    BOOST_TEST(reply.fields.at("cross-origin-resource-policy") == "same-origin");
    BOOST_TEST(reply.fields.at("cache-control").starts_with("no-"));
    for (char const* const name : {"server", "set-cookie", "access-control-allow-origin"})
      BOOST_TEST(!reply.fields.contains(name));
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_closes_says_why) {
  auto const goodbye = [](std::string_view unread, std::string_view code, std::string_view limit = {}) {
    Http http{site()};
    Message message;
    std::string out;
    BOOST_TEST((http.read(unread, message, out).kind == Protocol::Kind::need_more));
    Param const params[] = {{"command", Value::of_text("CONNECT")},
                            {"code", Value::of_text(code)},
                            {"message", Value::of_text("too slow")},
                            {limit.empty() ? "more" : "limit", Value::of_text(limit)}};
    http.write({.command = "ROW", .params = params}, out);  // no answer is awaited
    BOOST_TEST(out.empty());
    http.write({.command = "ERROR", .params = params}, out);
    BOOST_TEST(http.ends());
    BOOST_TEST(!http.is_answering());
    std::string const once = out;
    http.write({.command = "ERROR", .params = params}, out);
    BOOST_TEST(out == once);
    return read_replies(out, {false}).front();
  };
  for (std::string const& unread : {std::string{}, std::string{"GET /"}, post("PING", "{}").substr(0, 95)}) {
    BOOST_TEST(goodbye(unread, "over_limit").status == 503U);
    BOOST_TEST(goodbye(unread, "over_limit", "first-message").status == 408U);
    // To come again would not help.
    HttpReply const stranger = goodbye(unread, "not_allowed");
    BOOST_TEST(stranger.status == 403U);
    BOOST_TEST(!stranger.fields.contains("retry-after"));
    HttpReply const late = goodbye(unread, "timed_out");
    BOOST_TEST(late.status == 408U);
    BOOST_TEST(!late.keeps_alive);
    BOOST_TEST(json_of(late).at("detail") == "too slow");
  }
  // While an answer is awaited it is that answer.
  BOOST_TEST(reply_to(post("PING", "{}"), error("over_limit")).status == 429U);
}

BOOST_AUTO_TEST_CASE(a_refusal_of_the_server_itself_closes) {
  Http http{site()};
  std::string out;
  http.refuse({Code::no_space, "no memory"}, out);
  HttpReply const reply = read_replies(out, {false}).front();
  BOOST_TEST(reply.status == 503U);
  BOOST_TEST(!reply.keeps_alive);
  BOOST_TEST(http.ends());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
