// Shared by the tests of the tools: a journal that was used in the simulator, and a daemon that serves a log that a
// tool wrote.
#pragma once

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>
#include <vector>

#include "tests/world/asking.h"

namespace fastjournal::tools {

inline constexpr char kTable[] = FJ_SOURCE_DIR "/tests/transcripts/jobs.xml";
constexpr std::uint64_t kBlock = 4096;

// A world whose journal was used in many turns and two starts, and was stopped.
struct Used : sim::Asking {
  explicit Used(std::uint64_t seed = 7, int rounds = 60) : Asking(seed) {
    serve(kTable);
    work(rounds);
    world.kill();
    start();
    work(rounds / 3);
    digest = engine::digest_of(*world.engine().logs().front());
    BOOST_REQUIRE(world.stop().ok());
  }

  static std::string value(std::string const& line, std::string const& name) {
    std::size_t const at = line.find(name + "=");
    if (at == std::string::npos) return {};
    std::size_t const begin = at + name.size() + 1;
    return line.substr(begin, line.find(';', begin) - begin);
  }
  void work(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      ask("INSERT table=jobs;name=row" + std::to_string(made++) + ";payload=" + std::string(200, 'p'));
      if (i % 3 == 0) continue;
      std::string const row = ask("NEXT table=jobs");
      std::string const which = "table=jobs;row=" + value(row, "row") + ";epoch=" + value(row, "epoch");
      ask((i % 4 == 1 ? "RELEASE " : i % 4 == 2 ? "FAIL " : "DONE ") + which);
    }
  }

  int made{0};
  std::uint64_t digest{0};
};

inline void check_serves(Used& used, std::string const& folder) {
  sim::World next{3};
  BOOST_REQUIRE(next.add_table(kTable).ok());
  std::map<std::string, std::vector<std::byte>, std::less<>> image;
  for (auto const& [name, bytes] : used.world.disk().image())
    if (name.starts_with(folder + "/")) image.emplace("shared" + name.substr(folder.size()), bytes);
  next.disk().restore(image);
  Status const status = next.start();
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  next.send("c", "INSERT table=jobs;name=after");
  next.settle();
  BOOST_TEST(next.take_line("c").value_or("").starts_with("INSERTED"));
}

}  // namespace fastjournal::tools
