// Answers and rounds over many tables are told in parts (server/session/long_answers.h, server/answers/watches.h): others are answered in
// between, what is unsent is bounded, and the messages of an answer stay together all the same.
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

#include "server/session/long_answers.h"
#include "tests/world/asking.h"
#include "wire/text.h"

namespace fastjournal::sim::long_answers_test {
namespace {

constexpr int kTables = 300;
// Messages of one turn: a part when the command comes, and one at the end of the turn.
constexpr std::size_t kMostOfTurn = 129;

struct ManyTables : Asking {
  ManyTables() { BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok()); }
  void begin(int tables = kTables) {
    for (int i = 1; i < tables; ++i) {
      auto copy = std::make_shared<TableDeclaration>(*world.declaration("jobs"));
      copy->name = "t" + std::to_string(i);
      world.add_table(std::move(copy));
    }
    start();
    ask("main", "ALIVE");
    ask("other", "ALIVE");
  }
  bool turn() { return world.network().turn(world.clock().monotonic_us()); }
  std::vector<std::string> lines(std::string const& client) {
    std::vector<std::string> out;
    while (std::optional<std::string> line = world.take_line(client)) out.push_back(*std::move(line));
    return out;
  }
  static std::string value(std::string const& line, std::string_view name) {
    Message message;
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return std::string{message.text(name)};
  }
  // Until `last` is a line of main: turns in which another client asks, and is answered at once. Returns the lines, and
  // the most of one turn.
  std::pair<std::vector<std::string>, std::size_t> others_are_served_until(std::string_view last) {
    std::vector<std::string> all;
    std::size_t most = 0;
    for (int turns = 0;; ++turns) {
      BOOST_REQUIRE(turns < 100);
      world.send("other", "ALIVE");
      turn();
      BOOST_TEST(lines("other").size() == 1U, "turn " << turns);
      std::vector<std::string> const now = lines("main");
      most = std::max(most, now.size());
      all.insert(all.end(), now.begin(), now.end());
      if (!all.empty() && all.back().find(last) != std::string::npos) return {all, most};
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(long_answers, ManyTables)

BOOST_AUTO_TEST_CASE(others_are_answered_between_the_parts_of_stats) {
  begin();
  world.send("main", "STATS request=7");
  world.send("main", "ALIVE serial=9");
  auto const [told, most] = others_are_served_until("serial=9");
  BOOST_REQUIRE(told.size() == 1U + kTables + 1U);
  BOOST_TEST(most <= kMostOfTurn);
  std::set<std::string> names;
  for (std::size_t i = 0; i + 1 < told.size(); ++i) {
    BOOST_TEST(value(told[i], "left") == std::to_string(kTables - i), told[i]);
    BOOST_TEST(value(told[i], "request") == "7");
    names.insert(value(told[i], "table"));
  }
  BOOST_TEST(names.size() == 1U + kTables);
}

BOOST_AUTO_TEST_CASE(others_are_answered_between_the_parts_of_metrics) {
  begin();
  world.send("main", "METRICS");
  world.send("main", "ALIVE serial=9");
  auto const [told, most] = others_are_served_until("serial=9");
  BOOST_TEST(told.size() > 3U);
  BOOST_TEST(most <= 4U);
  std::string text;
  for (std::size_t i = 0; i + 1 < told.size(); ++i) {
    BOOST_TEST(value(told[i], "left") == std::to_string(told.size() - 2 - i));
    text += value(told[i], "text");
  }
  std::size_t samples = 0;
  constexpr std::string_view kSample = "fastjournal_table_rows{";
  for (std::size_t at = text.find(kSample); at != std::string::npos; at = text.find(kSample, at + 1)) ++samples;
  BOOST_TEST(samples == std::size_t{kTables});
}

BOOST_AUTO_TEST_CASE(others_are_answered_between_the_parts_of_a_round) {
  begin();
  world.send("main", "WATCH every=1m");
  std::vector<std::string> told;
  for (int steps = 0; told.empty() || !told.back().starts_with("FIGURES "); ++steps) {
    BOOST_REQUIRE(steps < 1000);
    world.send("other", "ALIVE");
    turn();
    BOOST_TEST(lines("other").size() == 1U);
    std::vector<std::string> const now = lines("main");
    BOOST_TEST(now.size() <= kMostOfTurn);
    told.insert(told.end(), now.begin(), now.end());
    world.clock().advance(1'000);
  }
  BOOST_REQUIRE(told.size() == 2U + kTables + 1U);
  std::set<std::string> names;
  for (std::string const& line : told) names.insert(value(line, "table"));
  BOOST_TEST(names.size() == 1U + kTables);
  BOOST_TEST(value(told.back(), "tables") == std::to_string(kTables));
}

// Neither a push nor the answer to a command that waited.
BOOST_AUTO_TEST_CASE(nothing_comes_between_the_messages_of_an_answer) {
  begin();
  BOOST_TEST(ask("LISTEN table=jobs;mode=row").starts_with("LISTENING "));
  world.send("main", "NEXT table=jobs;wait=60000;request=n");
  world.settle();
  BOOST_TEST(lines("main").empty());
  world.send("main", "STATS");
  turn();
  world.send("other", "INSERT table=jobs;name=a");
  std::vector<std::string> told = lines("main");
  BOOST_TEST(told.size() <= kMostOfTurn);
  world.settle();
  for (std::string& line : lines("main")) told.push_back(std::move(line));
  BOOST_REQUIRE(told.size() == 1U + kTables + 2U);
  for (std::size_t i = 0; i <= kTables; ++i) BOOST_TEST(told[i].starts_with("STATS "), told[i]);
  // The row was announced, and leased.
  for (std::size_t i = kTables + 1; i < told.size(); ++i) BOOST_TEST(value(told[i], "name") == "a", told[i]);
}

BOOST_AUTO_TEST_CASE(a_table_that_is_dropped_meanwhile_is_told_by_its_name) {
  begin();
  world.send("main", "STATS");
  turn();
  std::vector<std::string> told = lines("main");
  std::string const gone = "t" + std::to_string(kTables - 1);
  world.remove_table(gone);
  BOOST_TEST(ask("admin", "RELOAD").starts_with("RELOADED "));
  world.settle();
  for (std::string& line : lines("main")) told.push_back(std::move(line));
  BOOST_REQUIRE(told.size() == 1U + kTables);
  BOOST_TEST(told.back() == "STATS left=0;table=" + gone + ";");
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_meanwhile_is_forgotten) {
  begin();
  std::uint64_t const before = world.server().client_memory().total();
  for (char const* const command : {"STATS", "METRICS"}) {
    world.send("short", command);
    turn();
    world.close("short");
    world.settle();
  }
  BOOST_TEST(world.server().client_memory().total() <= before);
}

BOOST_AUTO_TEST_CASE(what_is_unsent_of_an_answer_is_bounded) {
  constexpr int kMany = 2'000;
  begin(kMany);
  BOOST_TEST(ask("slow", "ALIVE").starts_with("ABSOLUTELY "));
  world.connection("slow").room = 0;
  world.send("slow", "STATS");
  world.settle();
  // Its buffer may be twice what is in it.
  BOOST_TEST(world.server().client_memory().total() < 3 * server::LongAnswers::kUnsentMax);
  world.connection("slow").room = SIZE_MAX;
  world.connection("slow").tell_writable = true;
  world.settle();
  std::vector<std::string> const told = lines("slow");
  BOOST_REQUIRE(told.size() == 1U + kMany);
  std::size_t bytes = 0;
  for (std::string const& line : told) bytes += line.size();
  BOOST_TEST(bytes > server::LongAnswers::kUnsentMax);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::long_answers_test
