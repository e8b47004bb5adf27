// Turns and limits by themselves: queues with rows, without an order around them. How all of it works together is
// compared with a plain reference in order_test.cpp.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/rows/limits.h"
#include "plugins/rows/turns.h"

using namespace fastjournal;
using namespace fastjournal::rows;

namespace {

struct Told final : TableObserver {
  std::vector<std::pair<std::string, std::uint64_t>> again;  // (topic, count)
  void available(ObjectId, std::string_view, TimeMs) override {}
  void lease_began(ObjectId, ConnectionId) override {}
  void lease_ended(ObjectId, ConnectionId) override {}
  void changed(std::string_view) override {}
  void stored(Extent const&, std::string_view) override {}
  void freed(Extent const&) override {}
  void available_again(std::string_view topic, std::uint64_t count) override { again.emplace_back(topic, count); }
  void alert(std::string_view, std::uint8_t, std::string_view, std::string_view) override {}
  void lower_alert(std::string_view) override {}
};

// Domains a, b and c, each with rows in a queue of class 0.
struct Fixture {
  Rows rows;
  Domains domains{rows, 0};
  Turns turns;

  Domain& add(std::string const& name, int count, std::uint32_t weight) {
    Queue* queue = nullptr;
    for (int i = 0; i < count; ++i) {
      std::uint32_t const row = rows.add();
      domains.join(row, name);
      Domain& domain = domains.at(row);
      domain.weight = weight;
      if (domain.queues.empty()) domain.queues.push_back(std::make_unique<Queue>(domain.number, 0));
      queue = domain.queues.front().get();
      rows[row].set_id(ObjectId{8 * (row + 1)});
      queue->put(rows, row, {&rows, 0});
    }
    Domain& domain = domains[queue->domain];
    turns.settle(domain);
    return domain;
  }
  // Hands out the next row and returns the name of its domain; "-" if there is none.
  std::string hand_out() {
    Queue const* const first = turns.first();
    if (first == nullptr) return "-";
    Domain& domain = domains[first->domain];
    Queue& queue = *domain.queues.front();
    queue.take(rows, queue.head({&rows, 0}));
    turns.settle(domain);
    turns.spend(queue, domain);
    return domain.name;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rows_turns, Fixture)

BOOST_AUTO_TEST_CASE(a_turn_is_as_many_rows_as_the_weight) {
  add("a", 4, 2);
  add("b", 2, 1);
  std::string got;
  for (int i = 0; i < 7; ++i) got += hand_out();
  BOOST_TEST(got == "aabaab-");
}

BOOST_AUTO_TEST_CASE(a_domain_at_its_limit_takes_no_turns_and_then_joins_at_the_end) {
  Domain& a = add("a", 2, 1);
  add("b", 2, 1);
  a.at_limit = true;
  turns.settle(a);
  BOOST_TEST(hand_out() == "b");
  a.at_limit = false;
  turns.settle(a);
  BOOST_TEST(hand_out() == "b");
  BOOST_TEST(hand_out() == "a");
}

BOOST_AUTO_TEST_CASE(a_domain_that_is_kept_keeps_its_turn_while_it_is_empty) {
  Domain& a = add("a", 1, 1);
  add("b", 1, 1);
  std::uint32_t const row = a.queues.front()->head({&rows, 0});
  turns.keep(a.number);
  a.queues.front()->take(rows, row);
  turns.settle(a);
  a.queues.front()->put(rows, row, {&rows, 0});
  turns.let(domains);
  BOOST_TEST(hand_out() == "a");
}

BOOST_AUTO_TEST_CASE(the_rows_before_a_row_are_counted_up_to_a_limit) {
  Domain& a = add("a", 5, 1);
  Queue const& queue = *a.queues.front();
  BOOST_TEST(queue.size() == 5U);
  BOOST_TEST(queue.count_before(4, {&rows, 0}, 10) == 4U);
  BOOST_TEST(queue.count_before(4, {&rows, 0}, 3) == 3U);
  BOOST_TEST(queue.count_before(0, {&rows, 0}, 10) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rows_limits)

BOOST_AUTO_TEST_CASE(a_lease_that_ends_releases_a_row_of_its_domain_or_of_all) {
  Rows rows;
  Domains domains{rows, 0};
  Rules rules;
  rules.domain.column = "d";
  rules.concurrency_domain = 1;
  Limits limits{rules};
  std::uint32_t const row = rows.add();
  domains.join(row, "a");
  Domain& domain = domains.at(row);
  limits.add_due(domain);
  limits.add_due(domain);
  BOOST_TEST(!limits.refresh(domain));
  BOOST_TEST(limits.available() == 1U);
  limits.remove_due(domain);
  limits.begin_lease(domain, 0, true);
  BOOST_TEST(limits.refresh(domain));
  BOOST_TEST(domain.at_limit);
  BOOST_TEST(limits.available() == 0U);
  BOOST_TEST((limits.limit_of(domain) == Limited::domain_concurrency));

  Told told;
  Limits::Before const before = limits.look(domain);
  limits.end_lease(domain);
  BOOST_TEST(limits.refresh(domain));
  limits.tell(before, domain, told);
  BOOST_REQUIRE(told.again.size() == 1U);
  BOOST_TEST(told.again[0].first == "a");
  BOOST_TEST(told.again[0].second == 1U);
}

BOOST_AUTO_TEST_CASE(a_table_at_its_rate_has_rows_again_with_its_next_token) {
  Rows rows;
  Domains domains{rows, 0};
  Rules rules;
  rules.rate = {1, 1000};
  Limits limits{rules};
  Domain& domain = domains[kNameless];
  limits.see(5000);
  limits.add_due(domain);
  limits.add_due(domain);
  limits.remove_due(domain);
  limits.begin_lease(domain, 5000, true);
  BOOST_TEST(!limits.refresh(domain));
  BOOST_TEST(limits.is_full());
  BOOST_TEST((limits.limit_of(domain) == Limited::table_rate));
  BOOST_TEST(limits.next_token() == 6000);
  limits.see(6000);
  limits.refresh_table();
  BOOST_TEST(limits.available() == 1U);
  BOOST_TEST(limits.next_token() == INT64_MAX);
}

BOOST_AUTO_TEST_SUITE_END()
