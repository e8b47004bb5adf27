// What the engine remembers between commands: the due tables (which table is due, which has changed), the memory account,
// and the tables in which each connection holds something. Each is tested alone.
#include "engine/due_tables.h"

#include <array>

#include <boost/test/unit_test.hpp>

#include "engine/leases_by_connection.h"
#include "engine/memory.h"
#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::engine;
using namespace fastjournal::engine::test;

// A table whose next date and memory size (bytes) the test sets.
struct Timely final : TallyTable {
  Timely() : TallyTable(tally_table("timely")) {}
  TimeMs next_due() const override { return due; }
  std::uint64_t memory_bytes() const override { return bytes; }
  TimeMs due{TimeMs::max()};
  std::uint64_t bytes{0};
};

struct DueTablesFixture {
  DueTablesFixture() {
    for (HostedTable& one : hosted) {
      one.number = due_tables.add();
      one.take(std::make_unique<Timely>());
    }
  }
  Timely& timely(std::size_t i) { return static_cast<Timely&>(*hosted.at(i).table); }
  Memory memory;
  DueTables due_tables{memory};
  std::array<HostedTable, 3> hosted;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(due_tables, DueTablesFixture)

BOOST_AUTO_TEST_CASE(the_first_date_is_that_of_the_first_table) {
  BOOST_TEST((due_tables.first_date() == TimeMs::max()));
  timely(1).due = TimeMs{500};
  timely(2).due = TimeMs{400};
  for (HostedTable& one : hosted) due_tables.refresh(one);
  BOOST_TEST((due_tables.first_date() == TimeMs{400}));
  BOOST_TEST(due_tables.first() == 2U);
  BOOST_TEST((hosted[2].due == TimeMs{400}));
  due_tables.never(hosted[2]);
  BOOST_TEST(due_tables.first() == 1U);
}

BOOST_AUTO_TEST_CASE(a_waiting_command_makes_its_table_due) {
  work::WaitingCommand command;
  command.connection = ConnectionId{1};
  command.deadline = TimeMs{70};
  BOOST_REQUIRE(hosted[0].subscriptions.wait(std::move(command)));
  due_tables.refresh(hosted[0]);
  BOOST_TEST((due_tables.first_date() == TimeMs{70}));
  BOOST_TEST((hosted[0].due == TimeMs::max()));  // the table itself has no date
}

BOOST_AUTO_TEST_CASE(tables_are_marked_once_and_what_is_put_back_comes_first) {
  due_tables.mark(hosted[0]);
  due_tables.mark(hosted[1]);
  due_tables.mark(hosted[0]);
  std::vector<HostedTable*> const marked = due_tables.take_marked();
  BOOST_REQUIRE(marked.size() == 2U);
  BOOST_TEST(!due_tables.has_marked());
  hosted[0].marked = false;  // served
  due_tables.mark(hosted[2]);
  due_tables.put_back(std::span{marked}.subspan(1));
  std::vector<HostedTable*> const next = due_tables.take_marked();
  BOOST_REQUIRE(next.size() == 2U);
  BOOST_TEST(next[0] == &hosted[1]);
  BOOST_TEST(next[1] == &hosted[2]);
}

BOOST_AUTO_TEST_CASE(memory_is_the_sum_of_what_the_tables_reported_last) {
  timely(0).bytes = 100;
  timely(1).bytes = 50;
  for (HostedTable& one : hosted) due_tables.refresh(one);
  timely(0).bytes = 30;
  BOOST_TEST(memory.bytes() == 150U);
  due_tables.refresh(hosted[0]);
  BOOST_TEST(memory.bytes() == 80U);
  memory.limit(80);
  BOOST_TEST(!memory.refuses_additions());
  memory.limit(79);
  BOOST_TEST(memory.refuses_additions());
  memory.forget(hosted[1]);
  BOOST_TEST(memory.bytes() == 30U);
  BOOST_TEST(!memory.refuses_additions());
  memory.set_ended(true);
  BOOST_TEST(memory.refuses_additions());
}

BOOST_AUTO_TEST_CASE(the_tables_of_a_connection_are_known_until_it_is_closed) {
  LeasesByConnection leases_by_connection;
  ConnectionId const one{1};
  ConnectionId const two{2};
  for (std::size_t const i : {2U, 0U, 0U}) leases_by_connection.remember(one, hosted[i]);
  leases_by_connection.remember(two, hosted[1]);
  leases_by_connection.remember(ConnectionId::none, hosted[1]);
  BOOST_TEST(leases_by_connection.of(one) == (std::vector<std::uint32_t>{0, 2}), boost::test_tools::per_element());
  BOOST_TEST(leases_by_connection.take(two) == std::vector<std::uint32_t>{1}, boost::test_tools::per_element());
  BOOST_TEST(leases_by_connection.take(two).empty());
  // What is noted for a connection after it was closed counts like anything else.
  leases_by_connection.remember(two, hosted[1]);
  BOOST_TEST(leases_by_connection.of(two) == std::vector<std::uint32_t>{1}, boost::test_tools::per_element());
  BOOST_TEST(leases_by_connection.of(ConnectionId::none).empty());
}

BOOST_AUTO_TEST_SUITE_END()
