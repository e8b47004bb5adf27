// What lives in the daemon share: expectations that end a life, and clients that are asked line by line.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::lives {

inline void expect(bool holds, std::string const& otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}

inline Message parsed(std::string const& line) {
  Message message;
  expect(protocol::parse_line(line, message).ok(), "no message: " + line.substr(0, 200));
  message.own();
  return message;
}

// What a client asks alone, with all its answers.
inline std::vector<Message> ask(World& world, std::string const& client, std::string const& line) {
  world.send(client, line);
  world.settle();
  std::vector<Message> out;
  while (std::optional<std::string> answer = world.take_line(client)) out.push_back(parsed(*answer));
  expect(!out.empty(), "no answer to " + line.substr(0, 100));
  return out;
}

// One TRANSACTION message of these commands.
inline std::string whole_transaction(std::vector<std::string> const& commands) {
  std::string out = "TRANSACTION commands=\"[";
  bool first = true;
  for (std::string const& line : commands) {
    Message const command = parsed(line);
    out += first ? "{" : ",{";
    first = false;
    out += R"(\"command\":\")" + std::string{command.command} + R"(\")";
    for (Param const& param : command.params())
      out += R"(,\")" + std::string{param.name} + R"(\":\")" + std::string{param.value.bytes} + R"(\")";
    out += "}";
  }
  return out + "]\"";
}

}  // namespace fastjournal::sim::lives
