// A world whose clients are asked line by line: the base of fixtures. Answers are taken after everything that the line
// causes at this moment has happened.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {

struct Asking {
  explicit Asking(std::uint64_t seed = 7) : world(seed) {}

  // Starts the daemon with its present settings.
  void start() {
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  }
  // The same with one more table.
  void serve(std::string const& file = FJ_SOURCE_DIR "/tests/transcripts/jobs.xml") {
    Status const status = world.add_table(file);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    start();
  }

  // Sends a line, and returns the first line that comes back, or "(nothing)". Without a name the client is `main`.
  std::string ask(std::string_view line) { return ask("main", line); }
  std::string ask(std::string const& name, std::string_view line) {
    world.send(name, line);
    world.settle();
    return world.take_line(name).value_or("(nothing)");
  }
  // A number from the daemon's STATS.
  std::int64_t stat(std::string const& name) {
    std::string const line = ask("STATS");
    while (world.take_line("main")) continue;  // those of the tables
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    BOOST_REQUIRE_MESSAGE(message.has(name), name << " is not in: " << line);
    return *message.integer(name);
  }

  World world;
};

}  // namespace fastjournal::sim
