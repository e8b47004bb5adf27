// A group with records of two tables and of the catalogue: it is one group in the log, each record is applied to the
// table that it names, in the order of the log, and that table's observer is told.
#include "engine/group.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/memory_log.h"
#include "tests/unit/engine/tally.h"

namespace fastjournal::engine::test {
namespace {

struct Heard final : TableObserver {
  void available(ObjectId object, std::string_view, TimeMs) override { rows.push_back(object); }
  void lease_began(ObjectId, ConnectionId) override {}
  void lease_ended(ObjectId, ConnectionId) override {}
  void changed(std::string_view) override {}
  void stored(Extent const&, std::string_view) override {}
  void freed(Extent const&) override {}
  void available_again(std::string_view, std::uint64_t) override {}
  void alert(std::string_view, std::uint8_t, std::string_view, std::string_view) override {}
  void lower_alert(std::string_view) override {}
  std::vector<ObjectId> rows;
};

// Announces each row to its observer when it is applied.
struct Telling final : TallyTable {
  using TallyTable::TallyTable;
  bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept override {
    live = context.live;
    now = context.now;
    observer.available(record.object, {}, context.now);
    return TallyTable::apply(record, context, observer);
  }
  bool live{false};
  TimeMs now{};
};

struct GroupFixture {
  GroupFixture() {
    hosted.log = &log;
    for (std::uint32_t i = 0; i < 2; ++i) {
      tables[i].id = TableId{i + 1};
      tables[i].log = &hosted;
      tables[i].take(std::make_unique<Telling>(tally_table("t" + std::to_string(i))));
    }
    BOOST_REQUIRE(log.reserve(4096, false));
    group.begin(hosted);
  }
  void put(Records& records, std::string const& name) {
    std::string body(16, '\0');
    body += name;
    std::memcpy(records.append(TallyTable::kStated, 1, {}, body.size()).body.data(), body.data(), body.size());
  }
  [[nodiscard]] std::int64_t rows(std::size_t table) const { return metric_of(tables[table], {}, "rows"); }
  MemoryLog log;
  HostedLog hosted;
  std::array<HostedTable, 2> tables;
  std::array<Heard, 2> heard;
  Group group;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(groups, GroupFixture)

BOOST_AUTO_TEST_CASE(each_record_goes_to_the_table_that_it_names) {
  Group::Part first{group, tables[0], heard[0]};
  Group::Part second{group, tables[1], heard[1]};
  put(first, "a");
  put(second, "b");
  put(first, "c");
  log::Catalogue::append_clock(group.catalogue(), {.now = TimeMs{7000}});
  BOOST_TEST(group.step_size() == 4U);
  BOOST_TEST(rows(0) == 0);
  group.apply_step(TimeMs{7000});
  BOOST_TEST(group.step_is_empty());
  BOOST_TEST(!group.is_empty());
  BOOST_TEST(rows(0) == 2);
  BOOST_TEST(rows(1) == 1);
  BOOST_TEST(heard[0].rows.size() == 2U);
  BOOST_TEST(heard[1].rows.size() == 1U);
  BOOST_TEST((hosted.catalogue.last_now() == TimeMs{7000}));
  auto const& table = dynamic_cast<Telling const&>(*tables[1].table);
  BOOST_TEST(table.live);
  BOOST_TEST((table.now == TimeMs{7000}));
}

BOOST_AUTO_TEST_CASE(the_log_has_them_in_order_and_as_one_group) {
  std::uint64_t const groups = log.groups;
  std::size_t const before = log.records().size();
  Group::Part first{group, tables[0], heard[0]};
  Group::Part second{group, tables[1], heard[1]};
  put(second, "b");
  group.apply_step(TimeMs{1});
  put(first, "a");  // a second step of the same group, for the other table
  group.apply_step(TimeMs{1});
  log.end_group(Durability::synced);
  BOOST_TEST(log.groups == groups + 1);
  BOOST_REQUIRE(log.records().size() == before + 2);
  BOOST_TEST((log.records()[before].view().table == TableId{2}));
  BOOST_TEST((log.records()[before + 1].view().table == TableId{1}));
  BOOST_TEST((log.records()[before].view().lsn < log.records()[before + 1].view().lsn));
}

BOOST_AUTO_TEST_CASE(an_empty_one_stays_empty) {
  group.apply_step(TimeMs{1});
  BOOST_TEST(group.is_empty());
  Group::Part first{group, tables[0], heard[0]};
  put(first, "a");
  group.apply_step(TimeMs{1});
  group.begin(hosted);
  BOOST_TEST(group.is_empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::engine::test
