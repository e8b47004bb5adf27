// A connection of packets beside a server that answers from a script: bytes go in, in pieces of any size, and what the
// protocol made of them is kept, a line each.
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "plugins/blob/protocol.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::blob {

inline bcdb::Key const kKey{0x04030201U, 0x0c0b0a0908070605ULL};

struct Line {
  explicit Line(Port port) : protocol(port) {}

  // Answers a command, or refuses a `begin`; returns false to leave it for later. The default answers nothing.
  std::function<bool(Line&, Message const&)> serve = [](Line&, Message const&) { return false; };
  // Ok: a `begin` is accepted.
  std::function<Status(Message const&)> accept = [](Message const&) { return Status{}; };

  StreamProtocol protocol;
  std::string unread;
  std::string out;
  std::vector<std::string> seen;  // "GET hash=...", "begin PUT ...", "content abc", "end", "broken", "bad ..."
  std::string content;            // of the last value
  bool ended{false};
  bool is_refused{false};  // the last `begin` was
  std::size_t waits{0};    // it was not read, as an answer was not whole

  void answer(std::string_view command, std::vector<Param> params) {
    protocol.write({.command = command, .params = params}, out);
  }
  void error(std::string_view code, std::string_view text) {
    answer("ERROR",
           {{"command", Value::of_text("X")}, {"code", Value::of_text(code)}, {"message", Value::of_text(text)}});
  }

  void send(std::string_view bytes, std::size_t step = SIZE_MAX) {
    while (!bytes.empty() && !ended) {
      std::size_t const more = std::min(step, bytes.size());
      unread += bytes.substr(0, more);
      bytes.remove_prefix(more);
      read();
    }
  }
  void read() {
    Message message;
    while (!ended) {
      if (protocol.is_answering()) {
        ++waits;
        return;
      }
      Protocol::Piece const piece = protocol.read(unread, message, out);
      BOOST_REQUIRE(piece.consumed <= unread.size());
      if (piece.kind == Protocol::Kind::need_more) {
        BOOST_TEST(unread.size() < protocol.whole_bytes(unread));
        return;
      }
      take(piece, message);
      unread.erase(0, piece.consumed);
      ended = ended || piece.ends || protocol.ends();
    }
  }
  void end_input() {
    Message message;
    for (int i = 0; i < 4; ++i) {
      Protocol::Piece const piece = protocol.end_of_input(message, out);
      if (piece.kind == Protocol::Kind::need_more) return;
      take(piece, message);
      ended = ended || piece.ends || protocol.ends();
    }
    BOOST_FAIL("end_of_input never ends");
  }
  // The next reply of version 2, with what follows it.
  bcdb::Reply reply(std::string* bytes = nullptr) {
    bcdb::Reply told;
    bcdb::Cut const cut = bcdb::read(out, told);
    BOOST_REQUIRE(cut.kind == bcdb::Cut::Kind::whole);
    out.erase(0, cut.bytes);
    if (bytes != nullptr) {
      *bytes = out.substr(0, static_cast<std::size_t>(told.content_bytes()));
      out.erase(0, bytes->size());
    }
    return told;
  }

 private:
  void take(Protocol::Piece const& piece, Message const& message) {
    switch (piece.kind) {
      case Protocol::Kind::need_more:
      case Protocol::Kind::nothing: break;
      case Protocol::Kind::message:
        seen.push_back(shown(message));
        static_cast<void>(serve(*this, message));
        break;
      case Protocol::Kind::bad:
        seen.push_back("bad " + piece.status.text());
        protocol.refuse(piece.status, out);
        break;
      case Protocol::Kind::begin: {
        seen.push_back("begin " + shown(message) + " " + std::string{piece.value} +
                       (piece.value_bytes == UINT64_MAX ? std::string{} : "=" + std::to_string(piece.value_bytes)));
        content.clear();
        Status const status = accept(message);
        is_refused = !status.ok();
        if (is_refused)
          error(row_of(status.code()).wire_name, status.message());
        else
          protocol.accepted(out);
        break;
      }
      case Protocol::Kind::content: content += piece.content; break;
      case Protocol::Kind::end: {
        seen.push_back("end " + content);
        Message const put{"PUT"};
        if (!is_refused) static_cast<void>(serve(*this, put));
        break;
      }
      case Protocol::Kind::broken: seen.emplace_back("broken"); break;
    }
  }
  static std::string shown(Message const& message) {
    std::string out{message.command};
    for (Param const& param : message.params()) {
      out.append(" ").append(param.name).append("=");
      if (auto const number = param.value.as_unsigned(); number && param.value.kind != Value::Kind::text)
        out += std::to_string(*number);
      else
        out += param.value.bytes;
    }
    return out;
  }
};

// What the table of these tests answers: one blob, of ten bytes.
inline bool serve_one(Line& line, Message const& message) {
  Param const place[] = {{"table", Value::of_text("pages")},  {"hash", Value::of_text("0102030405060708090a0b0c")},
                         {"result", Value::of_text("found")}, {"entry_time", Value::of_integer(1'700'000'000)},
                         {"begin", Value::of_unsigned(4096)}, {"end", Value::of_unsigned(4106)},
                         {"length", Value::of_unsigned(10)},  {"file", Value::of_unsigned(3)}};
  std::vector<Param> params{std::begin(place), std::end(place)};
  if (message.command == "PUT") {
    params[2].value = Value::of_text("stored");
    line.answer("STORED", params);
  } else if (message.command == "ATTACH") {
    line.answer("ATTACHED", {{"table", Value::of_text("pages")}, {"file", Value::of_unsigned(3)}});
  } else {
    if (message.has("data")) params.push_back({"data", Value::of_binary("0123456789")});
    line.answer("BLOB", params);
  }
  return true;
}

template <typename Packet>
std::string bytes_of(Packet const& packet) {
  std::string out;
  bcdb::write(packet, out);
  return out;
}
inline std::string hello() { return bytes_of(bcdb::Hello{}); }

}  // namespace fastjournal::blob
