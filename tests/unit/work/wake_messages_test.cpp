// Wake messages for a table that only counts: which topics are announced and when again, and that neither many topics
// nor a steady stream of rows costs more than its share.
#include "engine/waiting/wake_messages.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/tally.h"

namespace fastjournal::engine::test {
namespace {

constexpr DurationMs kTimeout{5000};

// The rows and the number available by topic, as the test sets them.
struct Counts final : TallyTable {
  Counts() : TallyTable(nullptr) {}
  std::uint64_t available(std::string_view topic) const override {
    auto const found = ready.find(std::string{topic});
    return found == ready.end() ? 0 : found->second;
  }
  std::string_view topic_of(ObjectId object) const override { return rows.at(object); }
  ObjectId find_available(std::string_view, ObjectId after, std::uint32_t work_units,
                          std::vector<ObjectId>& found) const override {
    for (auto at = rows.upper_bound(after); at != rows.end(); ++at) {
      if (work_units-- == 0) return found.back();
      found.push_back(at->first);
    }
    return {};
  }
  std::map<std::string, std::uint64_t> ready;
  std::map<ObjectId, std::string> rows;
};

struct Watched {
  std::string told() {
    std::string out;
    while (auto const topic = wakes.next(now, kTimeout, table)) out += std::string{*topic} + " ";
    return out;
  }
  void come(std::string const& topic, std::uint64_t count = 1) {
    table.ready[topic] += count;
    for (; count > 0; --count) wakes.came(topic);
  }
  void take(std::string const& topic) {
    --table.ready[topic];
    wakes.took(topic);
  }
  Counts table;
  work::WakeMessages wakes;
  TimeMs now{1'000'000};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wake_messages, Watched)

BOOST_AUTO_TEST_CASE(a_topic_is_told_once_and_again_while_nobody_takes) {
  come("a", 3);
  come("b");
  BOOST_TEST(told() == "a b ");
  come("a");
  wakes.came("b");  // a merge into a row that was available already
  BOOST_TEST(told() == "");
  now = now + DurationMs{4999};
  BOOST_TEST(told() == "");
  now = now + DurationMs{1};
  BOOST_TEST((wakes.next_deadline() <= now));
  BOOST_TEST(told() == "a b ");
}

BOOST_AUTO_TEST_CASE(who_takes_is_left_alone_until_the_topic_was_empty) {
  come("a", 2);
  BOOST_TEST(told() == "a ");
  take("a");
  come("a");
  BOOST_TEST(told() == "");
  now = now + kTimeout;
  BOOST_TEST(told() == "");  // somebody took a row
  take("a");
  take("a");
  come("a");
  BOOST_TEST(told() == "a ");
  now = now + kTimeout;
  BOOST_TEST(told() == "a ");  // nobody took one
  take("a");
  now = now + kTimeout;
  BOOST_TEST(told() == "");
  BOOST_TEST(wakes.watched() == 0U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_taken_is_not_told) {
  wakes.came("a");
  BOOST_TEST(told() == "");
  BOOST_TEST(wakes.watched() == 0U);
}

BOOST_AUTO_TEST_CASE(topics_beyond_the_limit_are_found_when_there_is_room) {
  std::size_t const all = work::WakeMessages::kTopicsMax + 5;
  for (std::size_t i = 0; i < all; ++i) {
    std::string const topic = "t" + std::to_string(i);
    table.rows[ObjectId{i + 1}] = topic;
    come(topic);
  }
  static_cast<void>(told());
  BOOST_TEST(wakes.watched() == work::WakeMessages::kTopicsMax);
  // The watched topics are worked off.
  for (std::size_t i = 0; i < work::WakeMessages::kTopicsMax; ++i) {
    table.rows.erase(ObjectId{i + 1});
    take("t" + std::to_string(i));
  }
  now = now + kTimeout;
  BOOST_TEST(told() == "");
  now = now + kTimeout;
  while (wakes.look(now, kTimeout, table)) {
  }
  BOOST_TEST(told() == "t10000 t10001 t10002 t10003 t10004 ");
}

BOOST_AUTO_TEST_CASE(what_was_due_before_is_looked_for_in_pages_and_not_all_the_time) {
  for (std::size_t i = 0; i < 3000; ++i) table.rows[ObjectId{i + 1}] = i < 2999 ? "a" : "b";
  table.ready = {{"a", 2999}, {"b", 1}};
  BOOST_TEST((wakes.next_deadline() <= now));
  int pages = 1;
  while (wakes.look(now, kTimeout, table)) ++pages;
  BOOST_TEST(pages == 3);
  BOOST_TEST(told() == "a b ");
  wakes.look_again();
  BOOST_TEST((wakes.next_deadline() == now + kTimeout));
  BOOST_TEST(!wakes.look(now, kTimeout, table));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::engine::test
