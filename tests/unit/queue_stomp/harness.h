// A connection of STOMP beside a server that answers from a script: bytes go in, in pieces of any size, and the commands
// that the protocol made of them are kept, a line each.
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "plugins/queue/stomp_protocol.h"
#include "wire/commands.h"

namespace fastjournal::queue::stomp {

using Strings = std::vector<std::string>;

// A frame as it is sent: `text` with LFs, and a NUL behind it.
inline std::string frame(std::string_view text) { return std::string{text} + '\0'; }

// With the NULs as `@`, for comparisons that people read.
inline std::string shown(std::string_view bytes) {
  std::string out{bytes};
  std::ranges::replace(out, '\0', '@');
  return out;
}

inline std::string shown(Message const& message) {
  std::string out{message.command};
  for (Param const& param : message.params()) {
    out.append(" ").append(param.name).append("=");
    if (param.name == "commands") {
      std::vector<Message> commands;
      std::string decoded;
      BOOST_REQUIRE(protocol::read_commands(param.value, 1000, decoded, commands).ok());
      for (Message const& one : commands) out.append("[").append(shown(one)).append("]");
    } else if (auto const number = param.value.as_unsigned(); number && param.value.kind != Value::Kind::text) {
      out += std::to_string(*number);
    } else {
      out.append(param.value.kind == Value::Kind::binary ? "0x" : "").append(shown(param.value.bytes));
    }
  }
  return out;
}

struct Client {
  // Answers a command; returns false to leave it for later.
  std::function<bool(Client&, Message const&)> serve = [](Client& client, Message const& message) {
    return client.answer_as_ever(message);
  };

  StompProtocol protocol{4096};
  std::string rights{"read add work manage"};
  std::string unread;
  std::string out;
  Strings seen;    // commands, and "bad ..."
  Strings tokens;  // that came with them
  bool ended{false};

  void answer(std::string_view command, std::vector<Param> params = {}, bool is_last = true) {
    protocol.write({.command = command, .params = params, .is_last = is_last}, out);
    ended = ended || protocol.ends();
  }
  void error(std::string_view code, std::string_view text, std::vector<Param> more = {}) {
    more.push_back({"command", Value::of_text("X")});
    more.push_back({"code", Value::of_text(code)});
    more.push_back({"message", Value::of_text(text)});
    answer("ERROR", more);
  }
  bool answer_as_ever(Message const& message) {
    if (message.command == "RIGHTS")
      answer(
          "RIGHTS",
          {{"user", Value::of_text("ann")}, {"rights", Value::of_text(rights)}, {"connection", Value::of_unsigned(7)}});
    else if (message.command == "TRANSACTION") {
      answer("COMMITTED", {{"transaction", Value::of_integer(1)}, {"ops", Value::of_integer(1)}}, false);
      answer("SENT", {{"op", Value::of_integer(1)}});
    } else {
      answer("DONE");
    }
    return true;
  }
  void push(std::string_view command, std::vector<Param> params) {
    protocol.write({.command = command, .params = params, .is_push = true}, out);
    ended = ended || protocol.ends();
  }
  void deliver(std::uint64_t message, std::uint64_t epoch, std::string_view queue, std::string_view body,
               std::vector<Param> more = {}) {
    std::vector<Param> params{{"table", Value::of_text("mail")},
                              {"message", Value::of_unsigned(message)},
                              {"queue", Value::of_text(queue)},
                              {"body", Value::of_text(body)}};
    if (epoch != 0) params.push_back({"epoch", Value::of_unsigned(epoch)});
    params.insert(params.end(), more.begin(), more.end());
    push("MESSAGE", params);
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
    while (!ended && !protocol.is_answering()) {
      Protocol::Piece const piece = protocol.read(unread, message, out);
      BOOST_REQUIRE(piece.consumed <= unread.size());
      if (piece.kind == Protocol::Kind::need_more) {
        BOOST_TEST(piece.consumed == 0U);
        BOOST_TEST(unread.size() < protocol.whole_bytes(unread));
        return;
      }
      if (piece.kind == Protocol::Kind::message) {
        seen.push_back(shown(message));
        tokens.emplace_back(piece.token);
        static_cast<void>(serve(*this, message));
      }
      if (piece.kind == Protocol::Kind::bad) {
        seen.push_back("bad " + piece.status.text());
        protocol.refuse(piece.status, out);
      }
      ended = ended || piece.ends || protocol.ends();
      unread.erase(0, piece.consumed);
    }
  }
  // What was written since the last call.
  std::string take() { return shown(std::exchange(out, {})); }
  Strings take_seen() { return std::exchange(seen, {}); }

  Client() = default;
  // Connected, and nothing seen so far.
  explicit Client(std::string_view version) {
    send(frame("CONNECT\naccept-version:" + std::string{version} + "\nhost:x\n\n"));
    BOOST_REQUIRE(take().starts_with("CONNECTED\n"));
    seen.clear();
  }
  static Client connected(std::string_view version = "1.2") { return Client{version}; }
};

}  // namespace fastjournal::queue::stomp
