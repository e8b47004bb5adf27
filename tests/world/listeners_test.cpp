// Many listeners, slow ones and dead ones in the simulator: none of them delays the others, and notices that cannot be
// sent to one are counted, not queued.
#include <boost/test/unit_test.hpp>

#include <map>
#include <set>

#include "config/table_reader.h"
#include "tests/world/asking.h"
#include "wire/text.h"

namespace fastjournal::sim::listeners_test {
namespace {

constexpr char kJobs[] = FJ_SOURCE_DIR "/tests/transcripts/jobs.xml";

struct Served : Asking {
  Served() { start(); }
  void start() {
    world.limits.connections.per_peer = world.limits.connections.most;
    BOOST_REQUIRE(world.add_table(kJobs).ok());
    Asking::start();
  }
  // Connections are numbered in the order in which they were made.
  void listen(std::string const& name, std::string const& more) {
    ids[name] = ConnectionId{++connections};
    BOOST_REQUIRE(ask(name, "LISTEN table=jobs" + more).starts_with("LISTENING "));
  }
  void deafen(std::string const& name) { world.network().at(ids[name]).room = 0; }
  void hear(std::string const& name) {
    world.network().at(ids[name]).room = SIZE_MAX;
    world.server().on_writable(ids[name]);
    world.settle();
  }
  // Inserts rows r0, r1, ... in turns of 200, with names of this length.
  void insert(int rows, std::size_t name_bytes, std::string const& more = "") {
    if (!ids.contains("producer")) ids["producer"] = ConnectionId{++connections};
    for (int i = 0; i < rows; ++i, ++inserted) {
      std::string name = "r" + std::to_string(inserted);
      name.append(std::max(name_bytes, name.size()) - name.size(), '_');
      world.send("producer", "INSERT table=jobs;name=" + name + more);
      if (i % 200 == 199 || i + 1 == rows) world.settle();
    }
    while (std::optional<std::string> const line = world.take_line("producer"))
      BOOST_REQUIRE_MESSAGE(line->starts_with("INSERTED "), *line);
  }
  // All that a client was sent, by kind.
  struct Heard {
    std::vector<std::uint64_t> rows;  // numbers, in order
    std::uint64_t missed{0};
    std::uint64_t wakes{0};
  };
  Heard heard(std::string const& name) {
    Heard out;
    while (std::optional<std::string> const line = world.take_line(name)) {
      Message message;
      BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
      if (message.has("missed")) {
        out.missed += static_cast<std::uint64_t>(*message.integer("missed"));
      } else if (message.has("ready")) {
        ++out.wakes;
      } else if (message.has("row")) {
        out.rows.push_back(static_cast<std::uint64_t>(*message.integer("row")));
      }
    }
    heard_ever[name].insert(out.rows.begin(), out.rows.end());
    rows_heard[name] += out.rows.size();
    return out;
  }
  // Of the rows 0 to `rows`, how many were announced to a listener of mode row twice or not at all.
  std::uint64_t told_twice_or_never(std::string const& name, std::uint64_t rows) {
    heard(name);
    return rows_heard[name] - heard_ever[name].size() + (rows - heard_ever[name].size());
  }
  std::int64_t stat(std::string const& name) {
    Message message;
    std::string const line = ask("judge", "STATS table=jobs");
    if (!ids.contains("judge")) ids["judge"] = ConnectionId{++connections};
    BOOST_REQUIRE(protocol::parse_line(line, message).ok());
    return message.integer(name).value_or(-1);
  }
  std::map<std::string, ConnectionId> ids;
  std::map<std::string, std::set<std::uint64_t>> heard_ever;
  std::map<std::string, std::uint64_t> rows_heard;
  std::uint64_t connections{0};
  int inserted{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(listeners)

// In one turn a deliver listener gets its credit back and takes an old row, and a newcomer begins to listen: it is told
// of the next row.
BOOST_FIXTURE_TEST_CASE(a_newcomer_is_told_of_what_is_due_also_while_others_take, Served) {
  insert(3, 2);
  listen("worker", ";mode=deliver;credit=1");
  Message row;
  std::optional<std::string> const line = world.take_line("worker");
  BOOST_REQUIRE(line);
  BOOST_REQUIRE(protocol::parse_line(*line, row).ok());
  world.send("newcomer", "TOUCH table=jobs;row=" + std::to_string(*row.integer("row")) +
                             ";epoch=" + std::to_string(*row.integer("epoch")));
  world.send("newcomer", "LISTEN table=jobs");
  world.settle();
  BOOST_TEST(heard("worker").rows.size() == 1U);
  BOOST_TEST(heard("newcomer").wakes == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_row_listener_that_does_not_read_is_told_how_many_it_missed, Served) {
  listen("quick", ";mode=row");
  listen("slow", ";mode=row");
  deafen("slow");
  insert(6000, 1000);
  BOOST_TEST(heard("quick").rows.size() == 6000U);
  hear("slow");
  Heard const late = heard("slow");
  BOOST_TEST(late.rows.size() + late.missed == 6000U);
  BOOST_TEST(late.missed > 1000U);
  BOOST_TEST(late.rows.size() < 5000U);  // 4 MiB of output at most
  BOOST_TEST(stat("announcements_missed") == static_cast<std::int64_t>(late.missed));
  insert(1, 10);
  BOOST_TEST(heard("slow").rows.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(nothing_is_leased_to_a_connection_that_does_not_read, Served) {
  listen("slow", ";mode=deliver;credit=1024");
  deafen("slow");
  insert(600, 10, ";payload=" + std::string(16'000, 'p'));
  std::int64_t const leased = stat("rows_processing");
  BOOST_TEST(leased > 200);
  BOOST_TEST(leased < 400);
  listen("quick", ";mode=deliver;credit=1024");
  BOOST_TEST(heard("quick").rows.size() == 600U - static_cast<std::uint64_t>(leased));
  insert(10, 10);
  BOOST_TEST(heard("quick").rows.size() == 10U);
  hear("slow");
  BOOST_TEST(heard("slow").rows.size() == static_cast<std::uint64_t>(leased));
  insert(10, 10);
  BOOST_TEST(heard("slow").rows.size() + heard("quick").rows.size() == 10U);
  BOOST_TEST(stat("rows_processing") == 620);
}

BOOST_FIXTURE_TEST_CASE(a_wake_and_a_waiting_next_pass_by_a_connection_that_does_not_read, Served) {
  listen("slow", "");
  world.send("slow", "NEXT table=jobs;wait=60000;request=1");
  world.settle();
  deafen("slow");
  for (int i = 0; i < 9000; ++i) world.send("slow", "STATS table=jobs");
  world.settle();
  BOOST_REQUIRE(world.network().at(ids["slow"]).paused);
  listen("quick", "");
  insert(1, 10);
  BOOST_TEST(heard("quick").wakes == 1U);
  BOOST_TEST(stat("rows_processing") == 0);
  world.advance(DurationMs{120'000});  // its wait has long been over: it is answered once it reads again
  hear("slow");
  std::string all;
  while (std::optional<std::string> const line = world.take_line("slow"))
    if (!line->starts_with("STATS ")) all += line->substr(0, line->find(' ')) + " ";
  BOOST_TEST(all == "ROW ");
}

BOOST_FIXTURE_TEST_CASE(what_was_due_before_is_told_once_while_more_becomes_due, Served) {
  insert(1, 10, ";process_date=+50");  // its number is the smallest
  insert(20'000, 10);
  world.send("late", "LISTEN table=jobs;mode=row");
  BOOST_REQUIRE(world.network().turn(world.clock().monotonic_us()));
  // The pages are past the first row when that becomes due, and not at the end when more rows arrive.
  BOOST_TEST(heard("late").rows.size() < 20'000U);
  world.clock().advance(50'000);
  BOOST_REQUIRE(world.network().turn(world.clock().monotonic_us()));
  insert(100, 10);
  world.settle();
  BOOST_TEST(told_twice_or_never("late", 20'101) == 0U);
}

BOOST_FIXTURE_TEST_CASE(pages_stop_while_nobody_reads_and_go_on_where_they_were, Served) {
  insert(6000, 1000);
  listen("slow", ";mode=row");
  heard("slow");
  ask("slow", "UNLISTEN table=jobs");
  deafen("slow");
  world.send("slow", "LISTEN table=jobs;mode=row");
  world.settle();
  insert(50, 10);
  hear("slow");
  Heard const told = heard("slow");
  BOOST_TEST(told.rows.size() == 6050U);
  BOOST_TEST(told.missed == 0U);
}

BOOST_FIXTURE_TEST_CASE(of_ten_thousand_idle_listeners_one_row_wakes_one, Served) {
  // From two addresses: one address may not have that many connections.
  auto const name = [](int i) { return "c" + std::to_string(i) + "@192.0.2." + std::to_string(1 + i % 2); };
  for (int i = 0; i < 9990; ++i) world.send(name(i), "LISTEN table=jobs");
  world.settle();
  for (int i = 0; i < 9990; ++i) BOOST_REQUIRE(world.take_line(name(i)).has_value());
  insert(20, 10);
  std::uint64_t woken = 0;
  for (int i = 0; i < 9990; ++i) woken += heard(name(i)).wakes;
  BOOST_TEST(woken == 20U);
  // A woken listener that changes its mode passes its wake on to another one.
  for (int i = 0; i < 9990; ++i) world.send(name(i), "LISTEN table=jobs;mode=deliver;credit=1");
  world.settle();
  std::uint64_t delivered = 0;
  for (int i = 0; i < 9990; ++i) delivered += heard(name(i)).rows.size();
  BOOST_TEST(delivered == 20U);
  insert(9990, 10);
  for (int i = 0; i < 9990; ++i) delivered += heard(name(i)).rows.size();
  BOOST_TEST(delivered == 9990U);  // one each, which is all of their credit
}

BOOST_AUTO_TEST_CASE(one_connection_listens_to_a_thousand_tables) {
  World world{7};
  config::TypesByName types;
  for (auto const& [name, type] : world.types()) types.emplace(name, type->declaration());
  Result<TableDeclaration> const jobs = config::read_table(kJobs, types);
  BOOST_REQUIRE(jobs.ok());
  for (int i = 0; i < 1000; ++i) {
    TableDeclaration table = jobs.value();
    table.name = "t" + std::to_string(i);
    world.add_table(std::make_shared<TableDeclaration const>(std::move(table)));
  }
  BOOST_REQUIRE(world.start().ok());
  char const* const modes[] = {"wake", "row", "deliver"};
  for (int i = 0; i < 1000; ++i) world.send("all", "LISTEN table=t" + std::to_string(i) + ";mode=" + modes[i % 3]);
  world.settle();
  for (int i = 0; i < 1000; ++i) BOOST_REQUIRE(world.take_line("all").value_or("").starts_with("LISTENING "));
  for (int i = 0; i < 1000; ++i) {
    std::string const table = "table=t" + std::to_string(i);
    world.send("main", "INSERT " + table + ";name=a");
    world.settle();
    BOOST_REQUIRE(world.take_line("main").value_or("").starts_with("INSERTED "));
    std::string const told = world.take_line("all").value_or("(nothing)");
    BOOST_REQUIRE_MESSAGE(told.starts_with(i % 3 == 2 ? "ROW " : "LISTEN "), told);
    BOOST_REQUIRE_MESSAGE(told.find(table + ";") != std::string::npos, told);
    BOOST_REQUIRE(!world.take_line("all").has_value());
  }
  world.close("all");
  world.advance(DurationMs{11'000});
  world.send("main", "NEXT table=t2");
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("").find("timeouts=1") != std::string::npos);
  BOOST_TEST(world.replayed_digest().value() == world.engine().digest());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::listeners_test
