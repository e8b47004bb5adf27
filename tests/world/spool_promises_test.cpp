// What the spool promises, one by one, with a real daemon and forwarder in the simulator (spool_site.h): whatever goes
// wrong with one row, file or table, everything else is delivered, and each row counts once. Random lives of all this
// together are in spool_life.h.
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>
#include <vector>

#include "clients/spool/core/record.h"
#include "tests/support/spool/sim_producer.h"
#include "tests/world/asking.h"
#include "tests/world/spool_site.h"
#include "wire/text.h"

namespace fastjournal::sim::spool_promises_test {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

struct Spooling : Asking {
  explicit Spooling(spool::ForwarderRules const& rules = {}) : site(world, 7, rules) {
    for (char const* const table : {"plain", "counts"})
      BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/world/tables/" + std::string{table} + ".xml").ok());
    start();
  }

  static std::function<std::string(spool::Seed)> row(std::string const& id, std::string const& table,
                                                     std::string const& priority = "100",
                                                     std::string const& payload = "") {
    return [id, table, priority, payload](spool::Seed seed) {
      std::vector<Param> const params{{"table", Value::of_text(table)},     {"key", Value::of_text("k")},
                                      {"id", Value::of_text(id)},           {"times", Value::of_integer(1)},
                                      {"payload", Value::of_text(payload)}, {"priority", Value::of_text(priority)}};
      std::string out;
      BOOST_REQUIRE(spool::append_record("INSERT", params, seed, out).ok());
      return out;
    };
  }
  [[nodiscard]] std::int64_t now_s() { return world.clock().wall_us() / 1'000'000; }
  Status save(std::string const& id, std::string const& table = "plain", std::string const& priority = "100") {
    producer.save(row(id, table, priority));
    return producer.finish(now_s());
  }
  // Saves id-0, id-1 ...
  void save_rows(std::string const& id, int count, std::string const& table = "plain") {
    for (int i = 0; i < count; ++i) BOOST_REQUIRE(save(id + "-" + std::to_string(i), table).ok());
  }

  // How often each id is in the table.
  std::map<std::string, int> ids(std::string const& table = "plain") {
    std::map<std::string, int> out;
    std::string after;
    do {
      world.send("judge", "LIST table=" + table + ";count=1000" + after);
      world.settle();
      after.clear();
      while (std::optional<std::string> const line = world.take_line("judge")) {
        Message message;
        BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
        if (message.command == "ROW") ++out[std::string{message.text("id")}];
        if (message.has("after")) after = ";after=" + std::string{message.text("after")};
      }
    } while (!after.empty());
    return out;
  }
  void check_rows(std::string const& id, int count, std::string const& table = "plain") {
    std::map<std::string, int> const there = ids(table);
    for (int i = 0; i < count; ++i) {
      auto const found = there.find(id + "-" + std::to_string(i));
      BOOST_TEST((found == there.end() ? 0 : found->second) == 1, id << "-" << i);
    }
  }
  void check_well() { BOOST_TEST(site.wrong() == ""); }

  SpoolSite site;
  SimProducer producer{site.folder(), {}};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(spool_promises)

BOOST_AUTO_TEST_CASE(an_hour_without_a_daemon_costs_no_row) {
  Spooling spool;
  spool.save_rows("before", 20);
  spool.site.pass(1'000);
  spool.check_rows("before", 20);
  spool.world.kill();
  spool.site.disconnect(false);
  for (int minute = 0; minute < 60; ++minute) {
    spool.save_rows("minute-" + std::to_string(minute), 10);
    spool.site.pass(60'000);
  }
  spool.start();
  // It retries within the minute.
  spool.site.pass(61'000);
  for (int minute = 0; minute < 60; ++minute) spool.check_rows("minute-" + std::to_string(minute), 10);
  spool.check_rows("before", 20);
  spool.producer.leave();
  BOOST_TEST(spool.site.drain(2 * kHourMs));
  spool.check_well();
}

BOOST_AUTO_TEST_CASE(a_full_disk_refuses_new_rows_only) {
  Spooling spool;
  spool.site.is_cut_off = true;
  spool.save_rows("before", 30);
  spool.site.folder().fill(true);
  for (int i = 0; i < 10; ++i) BOOST_TEST((spool.save("refused-" + std::to_string(i)).code() == Code::no_space));
  spool.site.is_cut_off = false;
  spool.site.pass(5'000);
  spool.site.folder().fill(false);
  spool.save_rows("after", 30);
  spool.site.pass(61'000);
  spool.check_rows("before", 30);
  spool.check_rows("after", 30);
  BOOST_TEST(spool.ids().size() == 60U);
  spool.producer.leave();
  BOOST_TEST(spool.site.drain(2 * kHourMs));
  spool.check_well();
}

BOOST_AUTO_TEST_CASE(a_damaged_row_costs_no_other) {
  // Each byte of its head, and one of its body.
  for (std::size_t byte = 0; byte <= spool::kRecordHeadBytes; ++byte) {
    Spooling spool;
    spool.save_rows("before", 5);
    BOOST_REQUIRE(spool.save("damaged").ok());
    SimProducer::Written const place = *spool.producer.written();
    spool.save_rows("after", 5);
    spool.site.folder().flip(place.file, place.begin + byte, 0xff);
    spool.site.pass(1'000);
    spool.producer.leave();
    BOOST_TEST(spool.site.drain(2 * kHourMs));
    spool.check_rows("before", 5);
    spool.check_rows("after", 5);
    BOOST_TEST(spool.ids().size() == 10U);
    BOOST_TEST(spool.site.forwarder().figures().damaged_bytes > 0U);
    spool.check_well();
  }
}

BOOST_AUTO_TEST_CASE(a_row_that_the_daemon_refuses_is_set_aside_and_costs_no_other) {
  Spooling spool;
  spool.save_rows("before", 5);
  BOOST_REQUIRE(spool.save("refused", "plain", "1000").ok());
  spool.save_rows("after", 5);
  spool.site.pass(1'000);
  spool.check_rows("before", 5);
  spool.check_rows("after", 5);
  BOOST_TEST(spool.ids().size() == 10U);
  BOOST_REQUIRE(spool.site.folder().aside().size() == 1U);
  BOOST_TEST(spool.site.folder().aside()[0].code == "bad_parameter");
  BOOST_TEST(spool.site.folder().aside()[0].id == "refused");
  spool.producer.leave();
  BOOST_TEST(spool.site.drain(2 * kHourMs));
  BOOST_TEST(spool.site.folder().aside().size() == 1U);
  spool.check_well();
}

BOOST_AUTO_TEST_CASE(rows_of_a_table_that_appears_later_arrive_then) {
  Spooling spool;
  for (int i = 0; i < 20; ++i) {
    BOOST_REQUIRE(spool.save("early-" + std::to_string(i), "later").ok());
    BOOST_REQUIRE(spool.save("other-" + std::to_string(i)).ok());
  }
  spool.site.pass(10 * 60'000);
  spool.check_rows("other", 20);
  BOOST_TEST(spool.site.forwarder().figures().tables_held == 1U);
  spool.site.restart();
  BOOST_REQUIRE(spool.world.add_table(FJ_SOURCE_DIR "/tests/world/tables/later.xml").ok());
  spool.ask("admin", "RELOAD");
  // It is asked once a minute.
  spool.site.pass(61'000);
  Message row;
  spool.world.close("judge");
  std::string const line = spool.ask("judge", "LIST table=later");
  BOOST_REQUIRE(protocol::parse_line(line, row).ok());
  BOOST_TEST(row.integer("times").value_or(0) == 20);
  BOOST_TEST(row.text("id") == "early-19");
  BOOST_TEST(spool.site.forwarder().figures().tables_held == 0U);
  spool.producer.leave();
  BOOST_TEST(spool.site.drain(2 * kHourMs));
  spool.check_well();
}

// It has chosen the file before it was ended, and writes an hour later: the row counts, and the file is there as long.
BOOST_AUTO_TEST_CASE(a_slow_producer_may_still_write_to_a_file_that_is_ended) {
  Spooling spool;
  spool.save_rows("before", 5);
  SimProducer slow{spool.site.folder(), {}};
  slow.save(Spooling::row("slow-0", "plain"));
  for (int calls = 0; calls < 3; ++calls) BOOST_REQUIRE(!slow.step(spool.now_s()));
  BOOST_REQUIRE(slow.file().has_value());
  spool.site.pass(2 * kHourMs);
  spool.producer.leave();
  spool.site.pass(kHourMs);
  BOOST_REQUIRE(spool.site.folder().count() == 1U);
  BOOST_TEST(spool.site.folder().find(*slow.file())->is_ended);
  spool.save_rows("meanwhile", 5);
  BOOST_TEST(slow.finish(spool.now_s()).ok());
  BOOST_TEST((slow.written()->file == spool.site.folder().files().begin()->first));
  BOOST_TEST(!slow.file().has_value());
  spool.producer.leave();
  BOOST_TEST(spool.site.drain(2 * kHourMs));
  spool.check_rows("before", 5);
  spool.check_rows("meanwhile", 5);
  spool.check_rows("slow", 1);
  spool.check_well();
}

// The end of the row cannot be seen so far; then the producer leaves the file, and the disk fails for a moment.
BOOST_AUTO_TEST_CASE(a_read_that_fails_does_not_end_a_file) {
  Spooling spool;
  spool.site.folder().unseen_bytes = 50;
  spool.save_rows("row", 1);
  spool.site.pass(2 * kHourMs);
  spool.site.folder().unseen_bytes = 0;
  spool.site.folder().fail_reads = true;
  spool.producer.leave();
  spool.site.pass(1'000);
  spool.site.folder().fail_reads = false;
  BOOST_TEST(spool.site.drain(2 * kHourMs));
  spool.check_rows("row", 1);
  spool.check_well();
}

// The row is in the file of those that were set aside, or held, and the sync behind it fails.
BOOST_AUTO_TEST_CASE(a_row_that_is_set_aside_or_held_in_spite_of_a_failure_is_there_once) {
  Spooling spool;
  spool.save_rows("early", 3, "later");
  spool.site.pass(1'000);
  BOOST_REQUIRE(spool.save("refused", "plain", "1000").ok());
  BOOST_REQUIRE(spool.save("held", "later").ok());
  BOOST_REQUIRE(spool.save("refused-later", "later", "1000").ok());
  spool.save_rows("row", 3);
  spool.site.folder().fail_behind_appends = true;
  spool.site.pass(5'000);
  spool.site.folder().fail_behind_appends = false;
  spool.site.pass(61'000);
  BOOST_TEST(spool.site.folder().aside().size() == 1U);
  BOOST_REQUIRE(spool.world.add_table(FJ_SOURCE_DIR "/tests/world/tables/later.xml").ok());
  spool.ask("admin", "RELOAD");
  spool.site.folder().fail_behind_appends = true;
  spool.site.pass(61'000);
  spool.site.folder().fail_behind_appends = false;
  spool.site.pass(121'000);
  BOOST_TEST(spool.site.folder().aside().size() == 2U);
  spool.check_rows("row", 3);
  Message row;
  std::string const line = spool.ask("LIST table=later");
  BOOST_REQUIRE(protocol::parse_line(line, row).ok());
  BOOST_TEST(row.integer("times").value_or(0) == 4);
  spool.check_well();
}

// After each number of calls of the folder, and with answers that did or did not arrive.
BOOST_AUTO_TEST_CASE(a_forwarder_that_is_killed_between_any_two_calls_delivers_each_row_once) {
  std::uint64_t duplicates = 0;
  for (std::uint64_t calls = 1; calls < 60; ++calls) {
    Spooling spool{{.in_flight_max = 4}};
    spool.save_rows("row", 10);
    spool.save_rows("counted", 10, "counts");
    BOOST_REQUIRE(spool.save("refused", "plain", "1000").ok());
    BOOST_REQUIRE(spool.save("held", "later").ok());
    spool.save_rows("more", 10);
    spool.site.folder().stop_after(calls);
    spool.site.pass(200'000);
    BOOST_TEST(spool.site.restarts() <= 1U);
    spool.check_rows("row", 10);
    spool.check_rows("more", 10);
    Message row;
    std::string const line = spool.ask("LIST table=counts");
    BOOST_REQUIRE(protocol::parse_line(line, row).ok());
    BOOST_TEST(row.integer("times").value_or(0) == 10);
    BOOST_TEST(spool.site.folder().held().size() == 1U);
    BOOST_TEST(spool.site.folder().aside().size() == 1U);
    spool.check_well();
    duplicates += spool.site.duplicates();
  }
  BOOST_TEST(duplicates > 0U);  // some were killed after sending and before keeping
}

BOOST_AUTO_TEST_CASE(answers_that_are_lost_make_no_row_count_twice) {
  Spooling spool{{.in_flight_max = 8}};
  spool.save_rows("row", 40, "counts");
  for (int round = 0; round < 20; ++round) {
    spool.site.connect();
    spool.site.run();
    spool.site.carry(SIZE_MAX, round % 4 == 3 ? SIZE_MAX : 0);
    spool.site.disconnect(false);
    if (round % 5 == 0) spool.site.restart();
  }
  spool.site.pass(5'000);
  Message row;
  std::string const line = spool.ask("LIST table=counts");
  BOOST_REQUIRE(protocol::parse_line(line, row).ok());
  BOOST_TEST(row.integer("times").value_or(0) == 40);
  BOOST_TEST(spool.site.duplicates() > 8U);
  spool.check_well();
}

BOOST_AUTO_TEST_CASE(a_daemon_that_is_full_gets_the_rows_when_it_has_space) {
  constexpr int kRows = 2'000;  // more than its segments take
  Spooling spool;
  spool.world.disk().set_capacity(spool.world.disk().used_bytes());
  for (int i = 0; i < kRows; ++i) {
    spool.producer.save(Spooling::row("row-" + std::to_string(i), "plain", "100", std::string(4'000, 'p')));
    BOOST_REQUIRE(spool.producer.finish(spool.now_s()).ok());
  }
  spool.site.pass(120'000);
  BOOST_TEST((spool.site.forwarder().problem().code() == Code::no_space));
  BOOST_TEST(spool.site.folder().aside().empty());
  spool.world.disk().set_capacity(1ULL << 40U);
  spool.site.pass(61'000);
  spool.check_rows("row", kRows);
  spool.check_well();
}

// Its clock is set back by ten hours while the daemon takes nothing.
BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_holds_nothing_up) {
  Spooling spool;
  spool.ask("admin", "DRAIN table=plain");
  spool.save_rows("held", 5);
  spool.site.pass(200'000);
  BOOST_TEST(spool.site.forwarder().figures().tables_held == 1U);
  spool.site.folder().fail_one_in = 1;
  spool.site.pass(1'000);
  spool.site.folder().fail_one_in = 0;
  spool.world.set_clock(DurationMs{-10 * kHourMs});
  spool.ask("admin", "RESUME table=plain");
  spool.save_rows("after", 5, "counts");
  spool.site.pass(61'000);
  spool.check_rows("held", 5);
  BOOST_TEST(spool.site.forwarder().figures().confirmed >= 10U);
  spool.check_well();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::spool_promises_test
