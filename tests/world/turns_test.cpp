// The commands of one client do not delay all others: a turn ends when its budget is used up, and the remaining
// commands are continued in later turns, connection by connection (server/turn_budget.h). Simulated time stands still
// within a turn, so the limit of looks is tested here; the limit of time is tested with a clock that advances with each
// reading.
#include <boost/test/unit_test.hpp>

#include <string>

#include "server/turn_budget.h"
#include "tests/world/world.h"

namespace fastjournal::sim::turns_test {

using server::TurnBudget;

namespace {

class TickingClock final : public env::Clock {
 public:
  std::int64_t wall_us() override { return monotonic_us(); }
  std::int64_t awake_us() override { return monotonic_us(); }
  std::int64_t monotonic_us() override {
    ++readings;
    return now += tick;
  }
  std::int64_t now{0};
  std::int64_t tick{0};
  std::uint64_t readings{0};
};

struct Served {
  Served() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    BOOST_REQUIRE(world.start().ok());
  }
  void fill(int rows) {
    for (int i = 0; i < rows; ++i) {
      world.send("maker", "INSERT table=jobs;name=row" + std::to_string(i));
      if (i % 500 == 499) world.settle();
    }
    world.settle();
    while (world.take_line("maker")) {
    }
  }
  bool turn() { return world.network().turn(world.clock().monotonic_us()); }
  // The number of answers that have arrived.
  std::size_t answers(std::string const& name) {
    std::size_t count = 0;
    while (world.take_line(name)) ++count;
    return count;
  }
  World world{11};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(turns)

BOOST_AUTO_TEST_CASE(a_turn_is_over_when_its_time_is) {
  TickingClock clock;
  TurnBudget budget{clock};
  clock.tick = TurnBudget::kTurnUs / 4;
  BOOST_TEST(budget.begin());
  BOOST_TEST(!budget.begin());
  for (int reading = 1; reading <= 3; ++reading) {
    budget.spend(TurnBudget::kWorkUnitsPerReading);
    BOOST_TEST(!budget.is_over());
  }
  budget.spend(TurnBudget::kWorkUnitsPerReading);
  BOOST_TEST(budget.is_over());
  budget.end();
  BOOST_TEST(budget.begin());
  BOOST_TEST(!budget.is_over());
}

BOOST_AUTO_TEST_CASE(the_clock_is_read_rarely) {
  TickingClock clock;
  TurnBudget budget{clock};
  budget.begin();
  for (std::uint64_t message = 0; message < 1000; ++message) budget.spend(100);
  BOOST_TEST(clock.readings <= 2 + 1000 * 100 / TurnBudget::kWorkUnitsPerReading);
  BOOST_TEST(!budget.is_over());
}

BOOST_AUTO_TEST_CASE(a_clock_that_stands_still_ends_no_turn_but_a_count_does) {
  TickingClock clock;
  TurnBudget budget{clock};
  budget.begin();
  for (std::uint64_t work_units = 0; work_units < TurnBudget::kWorkUnitsPerTurn; work_units += 1000) budget.spend(1000);
  BOOST_TEST(budget.is_over());
}

// 16 clients send 4,000 LISTs each, which search many rows and find nothing: another client's INSERT is answered in the
// next turn.
BOOST_FIXTURE_TEST_CASE(an_insert_does_not_wait_for_what_others_asked_before, Served) {
  fill(6000);
  constexpr int kGreedy = 16;
  auto const name = [](int i) { return "greedy" + std::to_string(i); };
  for (int i = 0; i < kGreedy; ++i) {
    std::string lists;
    for (int line = 0; line < 4000; ++line) lists += "LIST table=jobs;status=behind\n";
    lists.pop_back();
    world.send(name(i), lists);
  }
  BOOST_TEST(turn());
  world.send("other", "INSERT table=jobs;name=late");
  BOOST_TEST(turn());
  BOOST_TEST(world.take_line("other").value_or("nothing").starts_with("INSERTED "));
  std::size_t listed = 0;
  for (int i = 0; i < kGreedy; ++i) listed += answers(name(i));
  BOOST_TEST(listed > 0U);
  // Two turns' worth, and one more that each turn may begin before its budget ends.
  BOOST_TEST(listed <= 2 * TurnBudget::kWorkUnitsPerTurn / 6000 + 2);
}

BOOST_FIXTURE_TEST_CASE(those_who_ask_for_much_go_on_by_turns, Served) {
  fill(6000);
  for (char const* const who : {"one", "two", "three"}) {
    std::string lists;
    for (int line = 0; line < 200; ++line) lists += "LIST table=jobs;status=behind\n";
    lists.pop_back();
    world.send(who, lists);
  }
  std::size_t done[3] = {0, 0, 0};
  for (int turns = 0; done[0] < 100; ++turns) {
    BOOST_REQUIRE(turns < 100);
    BOOST_REQUIRE(turn());
    done[0] += answers("one");
    done[1] += answers("two");
    done[2] += answers("three");
  }
  BOOST_TEST(done[1] >= 80U);
  BOOST_TEST(done[2] >= 80U);
  world.settle();
  BOOST_TEST(done[0] + answers("one") == 200U);
  BOOST_TEST(done[2] + answers("three") == 200U);
}

// The peer has ended its side, but all that it sent before is carried out.
BOOST_FIXTURE_TEST_CASE(a_connection_that_ends_its_input_is_read_to_the_end, Served) {
  fill(6000);
  std::string lists;
  for (int line = 0; line < 300; ++line) lists += "LIST table=jobs;status=behind\n";
  lists += "INSERT table=jobs;name=last";
  world.send("short", lists);
  ConnectionId const id{2};
  world.network().at(id).end_of_input = true;
  world.settle();
  BOOST_TEST(world.network().at(id).closed_by_server);
  BOOST_TEST(answers("short") == 301U);
  world.send("main", "PEEK table=jobs;name=last");
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("nothing").starts_with("ROW "));
}

BOOST_FIXTURE_TEST_CASE(a_status_that_few_rows_have_is_listed_without_looking_at_all, Served) {
  fill(6000);
  std::uint64_t const before = world.engine().work_units();
  world.send("main", "LIST table=jobs;status=parked");
  world.send("main", "LIST table=jobs;status=processing");
  world.settle();
  BOOST_TEST(world.engine().work_units() - before < 500U);
}

// Giving back what a connection held takes as many turns as it needs.
BOOST_FIXTURE_TEST_CASE(the_end_of_a_connection_with_many_leases_is_no_single_turn, Served) {
  constexpr int kRows = 6000;
  fill(kRows);
  for (int taken = 0; taken < kRows; taken += 1000) world.send("worker", "NEXT table=jobs;count=1000");
  world.settle();
  BOOST_TEST(answers("worker") == kRows);
  world.network().drop(ConnectionId{2});
  std::uint64_t most = 0;
  int turns = 0;
  for (std::uint64_t before = world.engine().work_units(); turn(); before = world.engine().work_units()) {
    most = std::max(most, world.engine().work_units() - before);
    ++turns;
  }
  BOOST_TEST(turns > 1);
  BOOST_TEST(most < 100'000U);
  // After the grace all of them time out, in bounded turns as well.
  most = 0;
  world.clock().advance(10'001'000);
  for (std::uint64_t before = world.engine().work_units(); turn(); before = world.engine().work_units())
    most = std::max(most, world.engine().work_units() - before);
  BOOST_TEST(most < 150'000U);
  world.send("main", "STATS table=jobs");
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("").find(";rows_processing=0;") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(stats_tell_the_longest_turn_and_its_cause, Served) {
  world.send("main", "STATS");
  world.settle();
  std::string const stats = world.take_line("main").value_or("");
  BOOST_TEST(stats.find(";turn_us_max=") != std::string::npos);
  BOOST_TEST(stats.find(";turn_longest_cause=") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_record_names_the_heaviest_command_or_the_part_that_took_longest) {
  using Part = server::TurnRecord::Part;
  server::TurnRecord record;
  BOOST_TEST(record.cause() == "none");
  record.begin(1000);
  record.note("INSERT", "jobs", 100);
  record.note("LIST", "jobs", 9000);
  record.note("PEEK", "jobs", 100);
  record.end(Part::commands, 4000);
  record.end(Part::log, 5000);
  record.end_turn();
  BOOST_TEST(record.longest_us() == 4000);
  BOOST_TEST(record.cause() == "LIST jobs");
  record.begin(10'000);
  record.end(Part::commands, 10'010);
  record.end(Part::log, 18'000);
  record.end_turn();
  BOOST_TEST(record.longest_us() == 8000);
  BOOST_TEST(record.cause() == "write and sync");
  record.begin(20'000);
  record.note("KICK", "jobs", 9000);
  record.end(Part::commands, 20'900);
  record.end_turn();
  BOOST_TEST(record.cause() == "write and sync");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::turns_test
