// What lives in a daemon share (lives.h): chance, the daemon, and clients that are asked line by line.
#pragma once

#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/life.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::lives {

using test::Counts;
using test::expect;

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

class DaemonLife {
 protected:
  // `tables`: files below tests/.
  DaemonLife(std::uint64_t seed, Counts& counts, std::initializer_list<std::string> tables)
      : counts_(counts), random_(seed), world_(seed) {
    for (std::string const& table : tables)
      expect(world_.add_table(FJ_SOURCE_DIR "/tests/" + table + ".xml").ok(), "the table " + table + " was refused");
  }
  ~DaemonLife() = default;
  DaemonLife(DaemonLife const&) = delete;
  DaemonLife& operator=(DaemonLife const&) = delete;

  void start() {
    Status const status = world_.start();
    expect(status.ok(), "a start was refused: " + status.text());
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  std::vector<Message> ask(std::string const& line) { return lives::ask(world_, "look", line); }
  void expect_answer(std::string const& line, std::string const& command) {
    std::string const answer{ask(line).front().command};
    expect(answer == command, line.substr(0, 200) + " is answered " + answer);
  }
  void drop_answers(std::string const& client) {
    while (world_.take_line(client)) {
    }
  }
  // The daemon ends and is started; what its clients had not read is lost.
  void start_again(bool cuts_power) {
    ++counts_["kills and power cuts"];
    if (cuts_power)
      world_.power_cut();
    else
      world_.kill();
    start();
    for (char const* const client : {"look", "admin", "main"}) drop_answers(client);
  }
  template <typename Clients>
  void start_again(bool cuts_power, Clients& clients) {
    start_again(cuts_power);
    for (auto& client : clients) {
      client.forget();
      drop_answers(client.name);
    }
  }

  Counts& counts_;
  std::mt19937_64 random_;
  World world_;
};

}  // namespace fastjournal::sim::lives
