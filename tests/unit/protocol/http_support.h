// Shared by the tests of HTTP: a site, requests, and one request with its response.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/http_conversation.h"
#include "tests/unit/protocol/support.h"

namespace fastjournal::protocol::test {

using fastjournal::test::HttpConversation;
using fastjournal::test::HttpReply;
using fastjournal::test::read_replies;

inline constexpr std::size_t kBodyBytesMax = 1000;

inline constexpr std::array<HttpFile, 2> kFiles{{{"/index.html", "text/html; charset=utf-8", "<!doctype html>"},
                                                 {"/page.js", "text/javascript; charset=utf-8", "\"use strict\";"}}};

inline std::shared_ptr<HttpSite const> site(bool is_tls = false) {
  return std::make_shared<HttpSite const>(
      HttpOptions{.body_bytes_max = kBodyBytesMax, .is_tls = is_tls, .names = {"queue.example.com"}}, kFiles);
}

// A command of one message without parameters, whatever was asked.
inline void say_done(Http& http, Message const&, std::string& out) { http.write({.command = "DONE"}, out); }
inline void say_nothing(Http&, Message const&, std::string&) {}

inline HttpConversation conversation(HttpConversation::Answer answer = say_done) {
  return HttpConversation{site(), std::move(answer)};
}

inline std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string{path} + " HTTP/1.1\r\nHost: localhost\r\n" + std::string{fields} + "\r\n";
}

inline std::string post(std::string_view command, std::string_view body, std::string_view fields = {}) {
  return "POST /v1/" + std::string{command} +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string{fields} + "\r\n" + std::string{body};
}

// The only response to these bytes.
inline HttpReply reply_to(std::string_view bytes, HttpConversation::Answer answer = say_done) {
  HttpConversation talk = conversation(std::move(answer));
  talk.feed(bytes);
  std::vector<HttpReply> const replies = read_replies(talk.out, talk.heads);
  BOOST_REQUIRE_MESSAGE(replies.size() == 1, replies.size() << " responses to " << bytes.substr(0, 200));
  return replies.front();
}

// What the server is given.
inline std::string message_of(std::string_view bytes) {
  HttpConversation talk = conversation();
  talk.feed(bytes);
  return talk.seen.size() == 1 ? talk.seen.front() : std::to_string(talk.seen.size()) + " pieces";
}

inline nlohmann::json json_of(HttpReply const& reply) { return nlohmann::json::parse(reply.body, nullptr, false); }

}  // namespace fastjournal::protocol::test
