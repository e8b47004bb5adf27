// A connection that speaks HTTP, without a server: bytes are given in any pieces, commands are answered by a function,
// and what a server relies on is checked at each step. Its responses are read by Boost.Beast. For unit tests and the
// fuzzer.
#pragma once

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "wire/http.h"

namespace fastjournal::test {

inline std::string text_of_value(Value const& value) {
  switch (value.kind) {
    case Value::Kind::text: return "'" + std::string{value.bytes} + "'";
    case Value::Kind::binary: return "bin'" + std::string{value.bytes} + "'";
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unsigned_integer: return std::to_string(value.unsigned_integer) + "u";
    case Value::Kind::real: return std::to_string(value.real);
    case Value::Kind::boolean: return value.boolean ? "true" : "false";
  }
  return {};
}

// Whether Boost.Beast takes these bytes, all of them, for one request.
inline bool is_one_request(std::string_view bytes) {
  namespace http = boost::beast::http;
  http::request_parser<http::string_body> parser;
  parser.header_limit(1U << 20U);
  parser.body_limit(UINT64_MAX);
  parser.eager(true);
  boost::beast::error_code error;
  std::size_t const taken = parser.put(boost::asio::const_buffer{bytes.data(), bytes.size()}, error);
  return !error && parser.is_done() && taken == bytes.size();
}

struct HttpConversation {
  using Answer = std::function<void(protocol::Http&, Message const&, std::string&)>;

  HttpConversation(std::shared_ptr<protocol::HttpSite const> site, Answer answer_with)
      : http(std::move(site)), answer(std::move(answer_with)) {}

  // Reads until more is needed, an answer is awaited, or the connection ends.
  void feed(std::string_view bytes) {
    unread.append(bytes);
    while (!http.is_answering() && !http.ends() && step()) {
    }
  }
  // `sizes` gives the size of each piece.
  void feed(std::string_view bytes, std::function<std::size_t()> const& sizes) {
    while (!bytes.empty()) {
      std::size_t const size = std::clamp<std::size_t>(sizes(), 1, bytes.size());
      feed(bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
  }

  bool step() {
    using Kind = Protocol::Kind;
    // Exactly as long as the input: a byte read behind it is seen.
    std::unique_ptr<char[]> const exact{new char[unread.size()]};
    std::copy(unread.begin(), unread.end(), exact.get());
    std::string_view const input{exact.get(), unread.size()};
    bool const is_head = value_bytes == 0 && input.starts_with("HEAD ");  // in a value it is content
    std::size_t const written = out.size();
    Protocol::Piece const piece = http.read(input, message, out);
    FJ_CHECK(piece.consumed <= input.size(), "only what is there is consumed");
    if (piece.kind == Kind::need_more) {
      FJ_CHECK(piece.consumed == 0 && out.size() == written, "nothing happens before a piece is whole");
      FJ_CHECK(input.size() < http.whole_bytes(input), "no more is wanted than was said");
      return false;
    }
    if (piece.kind == Kind::begin || piece.kind == Kind::content || piece.kind == Kind::end)
      return step_of_value(piece, input);
    FJ_CHECK(piece.consumed > 0 || (piece.kind == Kind::nothing && !is_continued), "a piece takes bytes");
    is_continued = piece.consumed == 0;
    std::string_view const taken = input.substr(0, piece.consumed);
    // What closes need not be whole: the body that is refused has not come.
    FJ_CHECK(taken.size() <= 2 || piece.kind == Kind::bad || piece.ends || is_one_request(taken),
             "another parser finds the same end");
    std::string bytes = " " + std::to_string(piece.consumed);
    switch (piece.kind) {
      case Kind::message:
        FJ_CHECK(out.size() == written && http.is_answering() && !piece.ends, "the answer comes later");
        seen.push_back("message " + text_of(message) +
                       (piece.token.empty() ? "" : " token " + std::string{piece.token}));
        heads.push_back(is_head);
        answer(http, message, out);
        break;
      case Kind::bad:
        FJ_CHECK(out.size() == written && !piece.status.ok(), "it is refused later");
        // How a value that is refused in the middle was cut depends on how it came, and not how much of it there was.
        if (value_bytes != 0) bytes = " " + std::to_string(value_bytes + piece.consumed) + " '" + content + "'";
        seen.push_back("bad" + bytes + " " + piece.status.text());
        value_bytes = 0;
        heads.push_back(is_head);
        http.refuse(piece.status, out);
        FJ_CHECK(out.size() > written, "a refusal says so");
        break;
      default:
        seen.push_back(is_continued ? "continue" : "nothing" + bytes);
        if (out.size() > written && !is_continued) heads.push_back(is_head);
        break;
    }
    FJ_CHECK(http.is_answering() || piece.kind == Kind::message || piece.ends == http.ends(), "its end is told twice");
    unread.erase(0, piece.consumed);
    return true;
  }

  // A value that comes in pieces, whose command has the same message at its begin and at its end.
  bool step_of_value(Protocol::Piece const& piece, std::string_view input) {
    using Kind = Protocol::Kind;
    FJ_CHECK(piece.consumed > 0 || piece.kind == Kind::end, "a piece takes bytes");
    if (piece.kind == Kind::begin) {
      seen.push_back("begin " + text_of(message) + " " + std::string{piece.value} +
                     (piece.value_bytes == UINT64_MAX ? "" : " of " + std::to_string(piece.value_bytes)) +
                     (piece.token.empty() ? "" : " token " + std::string{piece.token}));
      content.clear();
      value_bytes = piece.consumed;
      message.own();
      if (is_accepted(message)) {
        http.accepted(out);
      } else {
        heads.push_back(false);
        answer(http, message, out);
        FJ_CHECK(http.ends(), "what is not wanted is not read");
      }
    } else if (piece.kind == Kind::content) {
      FJ_CHECK(piece.content.empty() || (piece.content.data() >= input.data() &&
                                         piece.content.data() + piece.content.size() <= input.data() + piece.consumed),
               "content is a part of what is taken");
      content.append(piece.content);
      value_bytes += piece.consumed;
    } else {
      value_bytes = 0;
      seen.push_back("end '" + content + "'");
      heads.push_back(false);
      FJ_CHECK(http.is_answering(), "the answer comes later");
      answer(http, message, out);
    }
    unread.erase(0, piece.consumed);
    return true;
  }

  [[nodiscard]] static std::string text_of(Message const& of) {
    std::string text{of.command};
    for (Param const& param : of.params()) text += " " + std::string{param.name} + "=" + text_of_value(param.value);
    return text;
  }

  protocol::Http http;
  Answer answer;
  std::function<bool(Message const&)> is_accepted = [](Message const&) { return true; };
  Message message;
  std::size_t value_bytes{0};  // taken of a value that comes in pieces; 0: none is under way
  std::string content;         // of the last value
  std::string unread;
  std::string out;
  std::vector<std::string> seen;  // the pieces, in order
  std::vector<bool> heads;        // for each response: its request was HEAD
  bool is_continued{false};
};

struct HttpReply {
  unsigned status{0};
  std::string reason;
  std::map<std::string, std::string> fields;  // by names in small letters
  std::string body;
  bool keeps_alive{false};
  bool is_until_close{false};
};

// Aborts if these are not whole responses of HTTP, one for each of `heads`, apart from those with 100.
inline std::vector<HttpReply> read_replies(std::string_view out, std::vector<bool> const& heads) {
  namespace http = boost::beast::http;
  std::vector<HttpReply> replies;
  std::size_t answered = 0;
  while (!out.empty()) {
    http::response_parser<http::string_body> parser;
    parser.header_limit(1U << 20U);
    parser.body_limit(UINT64_MAX);
    parser.eager(true);
    parser.skip(answered < heads.size() && heads[answered]);
    boost::beast::error_code error;
    std::size_t const taken = parser.put(boost::asio::const_buffer{out.data(), out.size()}, error);
    FJ_CHECK(!error, "a response is one of HTTP");
    out.remove_prefix(taken);
    HttpReply reply;
    if (!parser.is_done()) {
      FJ_CHECK(out.empty() && parser.need_eof(), "a response is whole");
      reply.is_until_close = true;
      parser.put_eof(error);
    }
    reply.status = parser.get().result_int();
    reply.reason = std::string{parser.get().reason()};
    reply.keeps_alive = parser.keep_alive();
    for (auto const& field : parser.get()) {
      std::string name{field.name_string()};
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
      FJ_CHECK(reply.fields.emplace(name, std::string{field.value()}).second, "a field comes once");
    }
    reply.body = parser.get().body();
    if (reply.status != 100) ++answered;
    FJ_CHECK(reply.status == 100 || reply.keeps_alive || out.empty(), "nothing follows an end");
    replies.push_back(std::move(reply));
  }
  FJ_CHECK(answered == heads.size(), "each request has one response");
  return replies;
}

}  // namespace fastjournal::test
