// The service of waiting clients, without an engine: against a runner that hands out numbered rows and a sink that
// notes what each client was sent.
#include "engine/waiting/service.h"

#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/name_table.h"
#include "log/volatile_log.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::work;

// Rows 1 to `rows`, all due and without a topic.
struct Rows final : Work {
  Status check_topic(std::string_view) const override { return {}; }
  std::string_view topic_of(ObjectId) const override { return {}; }
  ObjectId find_available(std::string_view, ObjectId after, std::uint32_t work_units,
                          std::vector<ObjectId>& found) const override {
    for (std::uint64_t id = after.value + 1; id <= rows; ++id) {
      if (work_units-- == 0) return found.back();
      found.push_back(ObjectId{id});
    }
    return {};
  }
  bool announce(ObjectId object, Answer& answer) const override {
    if (object.value > rows) return false;
    answer.add("id", object.value);
    return true;
  }
  std::uint64_t available(std::string_view) const override { return rows; }
  std::uint64_t rows{0};
};

// A command takes one row. If there is none it waits, and gets nothing when its wait is over. Of its parameters `lease` may
// not be 0.
struct Taker final : Runner {
  explicit Taker(Rows& of) : rows(of) {}
  Decided run(Command const& command, bool over, std::array<std::uint64_t, 4> const&, Answer& answer) override {
    commands.push_back(std::string{command.message->command});
    for (Param const& param : command.message->params())
      if (param.name != "count") commands.back().append(" ").append(param.name).append("=").append(param.value.bytes);
    if (command.message->text("lease") == "0") return {.status = {Code::bad_parameter, "lease is 0"}};
    if (rows.rows == 0 && !over) return {.verdict = Verdict::wait, .take = Take::nothing};
    if (rows.rows == 0) return {.take = Take::nothing};
    answer.message("ROW").add("id", rows.rows--);
    return {.take = Take::found};
  }
  Rows& rows;
  std::vector<std::string> commands;
};

struct Letters final : ReplySink {
  void answer(ConnectionId connection, Message const&, Answer& answer, engine::Outcome const& outcome) override {
    note(connection, answer.empty() ? outcome.status.text() : std::string{answer.heads().front().command});
  }
  void push(log::Log const&, ConnectionId connection, Answer& messages, TimeMs, ListenMode) override {
    note(connection, std::string{messages.heads().front().command});
  }
  void tell_wake(log::Log const&, WakeMessage const& wake, TypeDeclaration const&, std::string_view) override {
    note(ConnectionId::none, wake.command);
  }
  bool is_full(ConnectionId connection) override { return connection == full || all.size() >= room; }
  void note(ConnectionId connection, std::string const& what) {
    all.push_back(std::to_string(static_cast<std::uint64_t>(connection)) + ":" + what);
  }
  ConnectionId full{};
  std::size_t room{SIZE_MAX};  // for letters; then all connections are full
  std::vector<std::string> all;
};

struct ServiceFixture {
  ServiceFixture() {
    type.name = "rows";
    type.empty_answer = "NOTHING";
    type.commands.emplace_back();
    type.commands.back().name = "TAKE";
    type.commands.back().deliver_count = "count";
    can.topics = can.work = &rows;
  }
  ServedTable table() { return {"t", type, delivering, declaration, can, log, subscriptions, watchers, wakes}; }
  Status take_later(std::uint64_t connection, std::int64_t until, bool numbered = true) {
    Message message{"TAKE"};
    if (numbered) message.set("request", "1");
    return Service::wait(table(), {0, &message, ConnectionId{connection}, "w"},
                         {.verdict = Verdict::wait, .wait_until = TimeMs{until}}, {});
  }
  void come(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) subscriptions.became_available(ObjectId{++rows.rows}, {}, {});
  }
  bool serve(std::int64_t now = 0) { return service.serve(table(), taker, TimeMs{now}); }

  TypeDeclaration type;
  TableDeclaration declaration;
  std::uint32_t delivering{0};
  Rows rows;
  Capabilities can;
  log::VolatileLog log{1, 1, Lsn{kLsnAlign}};
  Subscriptions subscriptions;
  Watchers watchers;
  WakeMessages* wakes{nullptr};
  Letters letters;
  WorkUnits work_units;
  Service service{letters, work_units};
  Taker taker{rows};
};

using Strings = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(service, ServiceFixture)

BOOST_AUTO_TEST_CASE(waiting_commands_get_a_row_each_in_order_of_arrival) {
  for (std::uint64_t connection : {5U, 6U, 7U}) BOOST_REQUIRE(take_later(connection, 1000).ok());
  come(2);
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all == (Strings{"5:ROW", "6:ROW"}), boost::test_tools::per_element());
  BOOST_TEST(subscriptions.waiting_commands() == 1U);
}

BOOST_AUTO_TEST_CASE(a_wait_that_is_over_is_answered_also_with_nothing) {
  BOOST_REQUIRE(take_later(5, 1000).ok());
  BOOST_TEST(!serve(999));
  BOOST_TEST(letters.all.empty());
  BOOST_TEST(!serve(1000));
  BOOST_TEST(letters.all == Strings{"5:NOTHING"}, boost::test_tools::per_element());
  BOOST_TEST(subscriptions.empty());
}

BOOST_AUTO_TEST_CASE(a_command_without_a_number_cannot_wait) {
  BOOST_TEST((take_later(5, 1000, false).code() == Code::missing_parameter));
  BOOST_TEST(subscriptions.empty());
}

BOOST_AUTO_TEST_CASE(who_accepts_no_bytes_costs_the_others_nothing_and_keeps_the_place) {
  for (std::uint64_t connection : {5U, 6U}) BOOST_REQUIRE(take_later(connection, 1000).ok());
  letters.full = ConnectionId{5};
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all == Strings{"6:ROW"}, boost::test_tools::per_element());
  letters.full = {};
  subscriptions.go_on(ConnectionId{5});
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all.back() == "5:ROW");
}

BOOST_AUTO_TEST_CASE(deliver_runs_the_taking_command_of_the_type) {
  BOOST_REQUIRE(Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::deliver, .credit = 8}).ok());
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(taker.commands == Strings{"TAKE"}, boost::test_tools::per_element());
  BOOST_TEST(letters.all == Strings{"3:ROW"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(deliver_passes_on_the_further_parameters_of_its_listener) {
  {
    std::string lease{"7000"};
    Param const further[] = {{"lease", Value::of_text(lease)}};
    BOOST_REQUIRE(
        Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::deliver, .credit = 8, .further = further}).ok());
    lease.assign("gone");
  }
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(taker.commands == Strings{"TAKE lease=7000"}, boost::test_tools::per_element());
  // A second LISTEN without them.
  BOOST_REQUIRE(Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::deliver, .credit = 8}).ok());
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(taker.commands == (Strings{"TAKE lease=7000", "TAKE"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(deliveries_without_leases_use_no_credit_and_end_at_a_full_connection) {
  BOOST_REQUIRE(Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::deliver, .credit = 2}).ok());
  letters.room = 5;
  come(9);
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all.size() == 5U);
  BOOST_TEST(rows.rows == 4U);
  letters.room = SIZE_MAX;
  subscriptions.go_on(ConnectionId{3});
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all.size() == 9U);
}

BOOST_AUTO_TEST_CASE(a_listener_whose_parameters_are_refused_ends_and_holds_up_nobody) {
  Param const further[] = {{"lease", Value::of_text("0")}};
  BOOST_REQUIRE(
      Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::deliver, .credit = 8, .further = further}).ok());
  BOOST_REQUIRE(Service::listen(table(), ConnectionId{4}, {.mode = ListenMode::deliver, .credit = 8}).ok());
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all == (Strings{"3:UNLISTENED", "4:ROW"}), boost::test_tools::per_element());
  BOOST_TEST(subscriptions.listeners() == 1U);
}

BOOST_AUTO_TEST_CASE(what_the_type_lacks_is_refused) {
  delivering = NameTable::kAbsent;
  Status status = Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::deliver, .credit = 1});
  BOOST_TEST((status.code() == Code::not_supported));
  can.work = nullptr;
  BOOST_TEST((Service::listen(table(), ConnectionId{3}, {}).code() == Code::not_supported));
  BOOST_TEST(Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::row}).ok());
  can.topics = nullptr;
  BOOST_TEST((Service::listen(table(), ConnectionId{4}, {.mode = ListenMode::row}).code() == Code::not_supported));
}

BOOST_AUTO_TEST_CASE(a_row_listener_is_told_of_each_row_once_also_of_those_that_were_there) {
  rows.rows = 3;
  BOOST_REQUIRE(Service::listen(table(), ConnectionId{3}, {.mode = ListenMode::row}).ok());
  come(2);  // announced, and found again by the search through all rows
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all.size() == 5U);
  BOOST_TEST(work_units.total() > 0U);
  come(1);
  BOOST_TEST(!serve());
  BOOST_TEST(letters.all.size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_turn_hands_out_so_many_rows_and_asks_for_another) {
  constexpr std::uint64_t kMany = 3000;
  for (std::uint64_t connection = 1; connection <= kMany; ++connection)
    BOOST_REQUIRE(take_later(connection, 1000).ok());
  come(kMany);
  BOOST_TEST(serve());
  BOOST_TEST(letters.all.size() < kMany);
  while (serve()) {
  }
  BOOST_TEST(letters.all.size() == kMany);
}

BOOST_AUTO_TEST_CASE(a_wake_message_goes_out_for_work_that_the_waiting_left) {
  WakeMessages own;
  wakes = &own;
  declaration.wake_message.emplace();
  declaration.wake_message->command = "PING";
  BOOST_TEST(!serve());
  BOOST_REQUIRE(take_later(5, 1000).ok());
  come(1);
  own.came({});
  BOOST_TEST(!serve(1));
  BOOST_TEST(letters.all == Strings{"5:ROW"}, boost::test_tools::per_element());
  come(1);
  own.came({});
  BOOST_TEST(!serve(2));
  BOOST_TEST(letters.all.back() == "0:PING");
}

BOOST_AUTO_TEST_CASE(all_who_wait_for_a_dropped_table_are_told) {
  BOOST_REQUIRE(take_later(5, 1000).ok());
  BOOST_REQUIRE(Service::listen(table(), ConnectionId{3}, {}).ok());
  service.end(table(), {Code::unknown_table, "it was dropped"});
  BOOST_REQUIRE(letters.all.size() == 2U);
  BOOST_TEST(letters.all[0].find("was dropped") != std::string::npos);
  BOOST_TEST(letters.all[1] == "3:UNLISTENED");
  BOOST_TEST(subscriptions.empty());
}

BOOST_AUTO_TEST_SUITE_END()
