// Decisions that no command asked for, without the rest of an engine: their steps, the limit of steps a call, and a log
// without room.
#include "engine/decider.h"

#include <boost/test/unit_test.hpp>

#include "engine/tables.h"
#include "tests/unit/engine/memory_log.h"
#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::engine;
using namespace fastjournal::engine::test;

struct NoKeeper final : work::Keeper {};

struct DeciderFixture {
  DeciderFixture() {
    BOOST_REQUIRE(tables.make(hosted, TableId{1}, type, tally_table("counts")).ok());
    hosted.log = &log;
  }
  HostedTable& table() { return *tables.find("counts"); }
  // Appends one record a step until `rows` are written. With steps left over from an earlier call, it goes on with
  // those.
  Decider::Ending state(std::uint32_t steps_max, std::uint64_t rows) {
    return decider.decide_alone(table(), TimeMs{7000}, steps_max, Durability::written, [&](Decision& decision) {
      if (left == 0) left = rows;
      std::string body(16, '\0');
      body += std::to_string(left);
      std::memcpy(decision.records.append(TallyTable::kStated, 1, {}, body.size()).body.data(), body.data(),
                  body.size());
      decision.work_units = 5;
      return --left > 0;
    });
  }
  std::uint64_t left{0};
  TableType type{tally_plugin(), tally_type()};
  NoKeeper keeper;
  MemoryLog log;
  Memory memory;
  DueTables due_tables{memory};
  Tables tables{due_tables, keeper};
  HostedLog& hosted{tables.add_log("shared")};
  Alerting alerting{tables};
  Shortages shortages{tables, memory, alerting};
  LeasesByConnection leases_by_connection;
  work::WorkUnits work_units;
  Decider decider{{due_tables, alerting, shortages, memory, leases_by_connection, work_units}};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(decider, DeciderFixture)

BOOST_AUTO_TEST_CASE(each_step_is_a_group_and_is_applied_at_once) {
  BOOST_TEST((state(10, 3) == Decider::Ending::finished));
  BOOST_TEST(log.groups == 3U);
  BOOST_TEST(metric_of(table(), {}, "rows") == 3);
  BOOST_TEST(work_units.total() == 3 * (work::WorkUnits::kPerStep + work::WorkUnits::kPerRecord + 5));
  BOOST_TEST((hosted.catalogue.last_now() == TimeMs{7000}));
}

BOOST_AUTO_TEST_CASE(steps_are_bounded) {
  BOOST_TEST((state(2, 3) == Decider::Ending::more));
  BOOST_TEST(metric_of(table(), {}, "rows") == 2);
  BOOST_TEST((state(2, 3) == Decider::Ending::finished));
  BOOST_TEST(metric_of(table(), {}, "rows") == 3);
}

BOOST_AUTO_TEST_CASE(without_room_nothing_is_decided_and_an_alert_is_raised_once) {
  log.room = log.room_to_remove = false;
  BOOST_TEST((state(2, 3) == Decider::Ending::no_space));
  BOOST_TEST((state(2, 3) == Decider::Ending::no_space));
  BOOST_TEST(log.records().empty());
  BOOST_TEST(left == 0U);
  BOOST_TEST(alerting.is_up(nullptr, "disk-short"));
  log.room = true;
  alerting.log_alone(TimeMs{8000});
  BOOST_REQUIRE(alerting.all().size() == 1U);
  BOOST_TEST(alerting.all().front().count == 1U);
  BOOST_TEST(shortages.check(TimeMs{16'999}));
  alerting.log_alone(TimeMs{16'999});
  BOOST_TEST(alerting.is_up(nullptr, "disk-short"));
  BOOST_TEST(shortages.check(TimeMs{17'000}));  // lowered, but that is not logged yet
  alerting.log_alone(TimeMs{17'000});
  BOOST_TEST(!shortages.check(TimeMs{17'001}));
}

BOOST_AUTO_TEST_CASE(a_dropped_table_keeps_its_number_while_it_is_marked) {
  HostedTable& first = table();
  std::uint32_t const number = first.number;
  due_tables.mark(first);
  tables.drop(first);
  BOOST_TEST(tables.find("counts") == nullptr);
  tables.free_dropped();
  BOOST_REQUIRE(tables.make(hosted, TableId{2}, type, tally_table("more")).ok());
  BOOST_TEST(tables.find("more")->number != number);
  first.marked = false;
  tables.free_dropped();
  BOOST_REQUIRE(tables.make(hosted, TableId{3}, type, tally_table("counts")).ok());
  BOOST_TEST(tables.find("counts")->number == number);
}

BOOST_AUTO_TEST_SUITE_END()
