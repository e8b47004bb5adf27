// Who waits for work of one table, without an engine: who is woken, who is next in the line, what a connection that
// accepts no output costs the others, and the memory accounted for each. Whole conversations:
// tests/world/listeners_test.cpp.
#include "engine/waiting/subscriptions.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::work;
using namespace fastjournal::engine::test;

// Number of available rows by topic, as the test sets it. The empty topic has all of them.
struct Work final : TallyTable {
  Work() : TallyTable(tally_table("work")) {}
  std::uint64_t available(std::string_view topic) const override {
    std::uint64_t sum = 0;
    for (auto const& [name, count] : of)
      if (topic.empty() || name == topic) sum += count;
    return sum;
  }
  std::map<std::string, std::uint64_t> of;
};

struct Books final : Keeper {
  void keeps(ConnectionId connection, std::int64_t bytes) override { of[connection] += bytes; }
  std::map<ConnectionId, std::int64_t> of;
};

constexpr TimeMs kDeadline{1000};

struct SubscriptionsFixture {
  SubscriptionsFixture() { waiting.tell(books); }
  void listen(std::uint64_t connection, ListenMode mode = ListenMode::wake, std::uint32_t credit = 0,
              std::string_view topic = "") {
    BOOST_REQUIRE(waiting.listen(ConnectionId{connection}, {topic, mode, credit, {}}));
  }
  bool wait(std::uint64_t connection, std::int64_t deadline = 100) {
    WaitingCommand command;
    command.connection = ConnectionId{connection};
    command.deadline = TimeMs{deadline};
    return waiting.wait(std::move(command));
  }
  // Makes `rows` more rows of a topic available.
  void come(std::uint64_t rows, std::string const& topic = "any") {
    work.of[topic] += rows;
    for (std::uint64_t i = 0; i < rows; ++i) waiting.became_available(ObjectId{++last_object}, topic, {});
  }
  // Ends the turn; returns the connections that are woken.
  std::vector<std::uint64_t> wake() {
    std::vector<std::uint64_t> woken;
    while (Listener const* const one = waiting.wakes().next(kDeadline, work).listener)
      woken.push_back(static_cast<std::uint64_t>(one->connection));
    waiting.end_turn();
    return woken;
  }
  // Gives one row to each waiter in the line while there is work; returns the connections in the order of service.
  std::vector<std::uint64_t> serve() {
    std::vector<std::uint64_t> order;
    for (Line::Turn turn = waiting.line().next(work); turn.waiter != nullptr; turn = waiting.line().next(work)) {
      ConnectionId const connection = turn.waiter->connection();
      order.push_back(static_cast<std::uint64_t>(connection));
      waiting.deliver_to(turn.waiter->listener);
      waiting.lease_began(ObjectId{++last_object}, connection);
      waiting.deliver_to(nullptr);
      --work.of["any"];
      waiting.served(turn, 1);
    }
    return order;
  }
  Subscriptions waiting;
  Books books;
  Work work;
  std::uint64_t last_object{0};
};

using Order = std::vector<std::uint64_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(subscriptions)

BOOST_FIXTURE_TEST_CASE(as_many_idle_listeners_are_woken_as_there_are_rows, SubscriptionsFixture) {
  for (std::uint64_t connection : {1U, 2U, 3U}) listen(connection);
  BOOST_TEST(wake().empty());
  come(2);
  BOOST_TEST(wake().size() == 2U);
  come(5);
  BOOST_TEST(wake().size() == 1U);
  BOOST_TEST(wake().empty());
}

BOOST_FIXTURE_TEST_CASE(who_takes_nothing_in_time_is_passed_over, SubscriptionsFixture) {
  listen(1);
  listen(2);
  static_cast<void>(wake());
  come(1);
  Order const first = wake();
  BOOST_REQUIRE(first.size() == 1U);
  BOOST_TEST((waiting.next_deadline() == kDeadline));
  waiting.wakes().pass_over(TimeMs{kDeadline.value - 1});
  BOOST_TEST(wake().empty());
  waiting.wakes().pass_over(kDeadline);
  BOOST_TEST(wake() == Order{3 - first.front()});
}

BOOST_FIXTURE_TEST_CASE(who_is_woken_and_leaves_passes_the_wake_on, SubscriptionsFixture) {
  listen(1);
  listen(2);
  static_cast<void>(wake());
  come(1);
  Order const first = wake();
  BOOST_REQUIRE(first.size() == 1U);
  waiting.closed(ConnectionId{first.front()});
  BOOST_TEST(wake() == Order{3 - first.front()});
}

BOOST_FIXTURE_TEST_CASE(work_of_a_topic_wakes_its_listeners_and_those_of_the_whole_table_only, SubscriptionsFixture) {
  listen(1, ListenMode::wake, 0, "a");
  listen(2, ListenMode::wake, 0, "b");
  static_cast<void>(wake());
  come(1, "b");
  BOOST_TEST(wake() == Order{2});
  listen(3);
  static_cast<void>(wake());
  come(1, "c");
  BOOST_TEST(wake() == Order{});  // it was woken when it began to listen: there was work already
  BOOST_TEST(waiting.took(ConnectionId{3}, Take::nothing));
  BOOST_TEST(wake() == Order{3});
}

BOOST_FIXTURE_TEST_CASE(the_line_is_served_in_order_of_arrival_and_a_listener_goes_to_its_end, SubscriptionsFixture) {
  BOOST_TEST(wait(1));
  listen(2, ListenMode::deliver, 2);
  BOOST_TEST(wait(3));
  come(10);
  BOOST_TEST(serve() == (Order{1, 2, 3, 2}));
  BOOST_TEST(waiting.waiting_commands() == 0U);
  // The listener's credit is used up until one of its leases ends.
  BOOST_TEST(!waiting.lease_ended(ObjectId{9'999}, ConnectionId{2}));
  BOOST_TEST(waiting.lease_ended(ObjectId{last_object}, ConnectionId{2}));
  BOOST_TEST(serve() == Order{2});
}

BOOST_FIXTURE_TEST_CASE(everybody_in_the_line_gets_a_share, SubscriptionsFixture) {
  for (std::uint64_t connection : {1U, 2U, 3U}) listen(connection, ListenMode::deliver, 100);
  come(10);
  Line::Turn const turn = waiting.line().next(work);
  BOOST_TEST(turn.ready == 10U);
  BOOST_TEST(turn.share == 4U);
  waiting.line().found_nothing(turn);
  BOOST_TEST(waiting.line().next(work).waiter == nullptr);
}

BOOST_FIXTURE_TEST_CASE(a_connection_that_takes_no_bytes_stands_in_no_line, SubscriptionsFixture) {
  BOOST_TEST(wait(1));
  listen(2, ListenMode::deliver, 1);
  listen(3);
  BOOST_TEST(wait(4));
  static_cast<void>(wake());
  for (std::uint64_t connection : {1U, 2U, 3U}) waiting.stall(ConnectionId{connection});
  come(3);
  BOOST_TEST(serve() == Order{4});
  BOOST_TEST(wake().empty());
  BOOST_TEST(waiting.waiting_commands() == 1U);
  for (std::uint64_t connection : {1U, 2U, 3U}) waiting.go_on(ConnectionId{connection});
  BOOST_TEST(serve() == (Order{1, 2}));
  come(1);
  BOOST_TEST(wake() == Order{3});
}

BOOST_FIXTURE_TEST_CASE(the_wait_that_is_over_first_ends_first, SubscriptionsFixture) {
  BOOST_TEST(wait(1, 300));
  BOOST_TEST(wait(2, 200));
  BOOST_TEST((waiting.next_deadline() == TimeMs{200}));
  BOOST_TEST((waiting.line().first_overdue(TimeMs{199}) == ConnectionId::none));
  BOOST_TEST((waiting.line().first_overdue(TimeMs{200}) == ConnectionId{2}));
  BOOST_TEST((waiting.take_overdue()->connection == ConnectionId{2}));
  BOOST_TEST((waiting.line().first_overdue(TimeMs{200}) == ConnectionId::none));
  BOOST_TEST((waiting.take_overdue()->connection == ConnectionId{1}));
  BOOST_TEST(waiting.empty());
}

BOOST_FIXTURE_TEST_CASE(a_second_listen_of_a_topic_changes_the_first, SubscriptionsFixture) {
  listen(1);
  listen(1, ListenMode::deliver, 1);
  BOOST_TEST(waiting.listeners() == 1U);
  BOOST_TEST(waiting.delivers());
  come(2);
  BOOST_TEST(wake().empty());
  BOOST_TEST(waiting.unlisten(ConnectionId{1}, ""));
  BOOST_TEST(!waiting.unlisten(ConnectionId{1}, ""));
  BOOST_TEST(waiting.empty());
}

BOOST_FIXTURE_TEST_CASE(a_connection_listens_to_so_many_topics_and_no_more, SubscriptionsFixture) {
  for (std::size_t i = 0; i < Subscriptions::kListensMax; ++i)
    listen(1, ListenMode::wake, 0, "topic " + std::to_string(i));
  std::int64_t const kept = books.of[ConnectionId{1}];
  BOOST_TEST(!waiting.listen(ConnectionId{1}, {"one more", ListenMode::wake, 0, {}}));
  BOOST_TEST(waiting.listen(ConnectionId{1}, {"topic 0", ListenMode::wake, 0, {}}));
  BOOST_TEST(waiting.listeners() == Subscriptions::kListensMax);
  BOOST_TEST(books.of[ConnectionId{1}] == kept);
}

BOOST_FIXTURE_TEST_CASE(the_last_places_are_for_connections_that_have_few, SubscriptionsFixture) {
  constexpr std::size_t kCrowd = Subscriptions::kListenersMax - Subscriptions::kListenersMax / 4;
  std::uint64_t connection = 0;
  for (std::size_t i = 0; i < kCrowd; ++i) {
    if (i % Subscriptions::kListensMax == 0) ++connection;
    listen(connection, ListenMode::wake, 0, "topic " + std::to_string(i % Subscriptions::kListensMax));
  }
  BOOST_TEST(!waiting.listen(ConnectionId{connection}, {"one more", ListenMode::wake, 0, {}}));
  for (std::string const topic : {"a", "b"})
    BOOST_TEST(waiting.listen(ConnectionId{9'000}, {topic, ListenMode::wake, 0, {}}));
  BOOST_TEST(!waiting.listen(ConnectionId{9'000}, {"c", ListenMode::wake, 0, {}}));
  static_assert(Subscriptions::kWaitingMax == Subscriptions::kListenersMax);
  for (std::size_t i = 0; i < kCrowd; ++i) BOOST_REQUIRE(wait(1 + i % 100));
  BOOST_TEST(!wait(1));
  BOOST_TEST(wait(9'000));
  BOOST_TEST(wait(9'000));
  BOOST_TEST(!wait(9'000));
  BOOST_TEST(wait(9'001));
}

BOOST_FIXTURE_TEST_CASE(what_is_kept_for_a_connection_is_told_and_given_back, SubscriptionsFixture) {
  listen(1, ListenMode::deliver, 8, "a");
  BOOST_TEST(books.of[ConnectionId{1}] >= static_cast<std::int64_t>(Subscriptions::kListenerCost));
  listen(1, ListenMode::wake, 0, "a");
  BOOST_TEST(wait(1));
  BOOST_TEST(wait(2));
  BOOST_TEST(books.of[ConnectionId{2}] >= static_cast<std::int64_t>(Subscriptions::kWaitingCost));
  static_cast<void>(waiting.take_overdue());
  static_cast<void>(waiting.take_overdue());
  BOOST_TEST(books.of[ConnectionId{2}] == 0);
  BOOST_TEST(wait(1));
  waiting.stall(ConnectionId{1});
  waiting.closed(ConnectionId{1});
  BOOST_TEST(books.of[ConnectionId{1}] == 0);
  BOOST_TEST(waiting.empty());
}

BOOST_FIXTURE_TEST_CASE(rows_that_find_no_room_are_counted_for_every_row_listener, SubscriptionsFixture) {
  listen(1, ListenMode::row);
  listen(2, ListenMode::row, 0, "a");
  come(Announcements::kMax, "a");
  come(3, "a");
  come(2, "b");
  waiting.announcements().count_lost();
  std::uint64_t events = 0;
  for (; waiting.announcements().first() != nullptr; waiting.announcements().end_first()) ++events;
  BOOST_TEST(events == Announcements::kMax);
  std::map<std::uint64_t, std::uint64_t> missed;
  while (Listener const* const one = waiting.announcements().take_missed())
    missed[static_cast<std::uint64_t>(one->connection)] = one->missed;
  BOOST_TEST(missed[1] == 5U);
  BOOST_TEST(missed[2] == 3U);
  BOOST_TEST(waiting.announcements().missed() == 8U);
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_table_names_all_who_waited, SubscriptionsFixture) {
  BOOST_TEST(wait(1, 300));
  BOOST_TEST(wait(2, 200));
  waiting.stall(ConnectionId{1});
  listen(4, ListenMode::row, 0, "b");
  listen(3);
  come(1, "b");
  Subscriptions::Ended const ended = waiting.end();
  BOOST_REQUIRE(ended.commands.size() == 2U);
  BOOST_TEST((ended.commands[0]->connection == ConnectionId{2}));
  BOOST_TEST((ended.commands[1]->connection == ConnectionId{1}));
  BOOST_REQUIRE(ended.listeners.size() == 2U);
  BOOST_TEST((ended.listeners[0] == std::pair{ConnectionId{3}, std::string{}}));
  BOOST_TEST((ended.listeners[1] == std::pair{ConnectionId{4}, std::string{"b"}}));
  BOOST_TEST(waiting.empty());
  BOOST_TEST(waiting.announcements().first() == nullptr);
  for (auto const& [connection, bytes] : books.of) BOOST_TEST(bytes == 0);
}

BOOST_FIXTURE_TEST_CASE(who_is_there_is_told_by_connection_in_whole_pages, SubscriptionsFixture) {
  for (std::uint64_t const connection : {9, 3, 7, 5}) listen(connection);
  listen(3, ListenMode::row, 0, "a");
  listen(3, ListenMode::deliver, 2, "b");
  BOOST_TEST(wait(5));
  BOOST_TEST(wait(5));
  BOOST_TEST(wait(8));
  waiting.stall(ConnectionId{8});
  std::vector<std::uint64_t> told;
  std::vector<std::size_t> commands;
  auto const page = [&](std::uint64_t after, std::size_t count) {
    told.clear();
    commands.clear();
    return static_cast<std::uint64_t>(waiting.for_each_above(ConnectionId{after}, count, [&](WaitingClient const& one) {
      told.push_back(static_cast<std::uint64_t>(one.connection));
      if (one.listener == nullptr) commands.push_back(one.waiting);
    }));
  };
  BOOST_TEST(page(0, 100) == 0U);
  BOOST_TEST(told == (std::vector<std::uint64_t>{3, 3, 3, 5, 5, 7, 8, 9}), boost::test_tools::per_element());
  BOOST_TEST(commands == (std::vector<std::size_t>{2, 1}), boost::test_tools::per_element());
  // One connection at least, even if it is more than was asked for.
  BOOST_TEST(page(0, 1) == 3U);
  BOOST_TEST(told.size() == 3U);
  BOOST_TEST(page(3, 3) == 7U);
  BOOST_TEST(told == (std::vector<std::uint64_t>{5, 5, 7}), boost::test_tools::per_element());
  BOOST_TEST(page(3, 2) == 5U);
  BOOST_TEST(page(8, 1) == 0U);
  BOOST_TEST(told == (std::vector<std::uint64_t>{9}), boost::test_tools::per_element());
  BOOST_TEST(page(9, 1) == 0U);
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_SUITE_END()
