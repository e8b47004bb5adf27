// The timer wheel against a sorted reference, with random sets, cancels and advances by seed; and one case for each
// claim of its header.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/timer/wheel.h"
#include "tests/support/seed.h"

namespace {

using fastjournal::TimeMs;

struct Entry {
  std::uint32_t next{0};
  std::uint32_t prev{0};
  std::int64_t date{0};
};

struct Links {
  std::vector<Entry>* entries;
  [[nodiscard]] std::uint32_t next(std::uint32_t e) const { return (*entries)[e].next; }
  [[nodiscard]] std::uint32_t prev(std::uint32_t e) const { return (*entries)[e].prev; }
  void set_next(std::uint32_t e, std::uint32_t v) const { (*entries)[e].next = v; }
  void set_prev(std::uint32_t e, std::uint32_t v) const { (*entries)[e].prev = v; }
  [[nodiscard]] std::int64_t date(std::uint32_t e) const { return (*entries)[e].date; }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

struct Fixture {
  std::vector<Entry> entries = std::vector<Entry>(5000);
  fastjournal::timer::Wheel<Links> wheel{Links{&entries}};
  std::set<std::pair<std::int64_t, std::uint32_t>> reference;
  std::vector<std::pair<std::int64_t, std::uint32_t>> given;

  void set(std::uint32_t e, std::int64_t date) {
    entries[e].date = date;
    wheel.set(e);
    reference.emplace(date, e);
  }
  void cancel(std::uint32_t e) {
    wheel.cancel(e);
    reference.erase({entries[e].date, e});
  }
  bool advance(std::int64_t to, std::size_t budget) {
    return wheel.advance(TimeMs{to}, budget, [this](std::uint32_t e) { given.emplace_back(entries[e].date, e); });
  }
};

std::uint64_t seed_of_run() { return fastjournal::test::seed_or(20260101U); }

}  // namespace

BOOST_AUTO_TEST_SUITE(wheel)

BOOST_FIXTURE_TEST_CASE(an_empty_wheel_is_never_due, Fixture) {
  BOOST_TEST((wheel.next_due() == TimeMs::max()));
  BOOST_TEST(!advance(1'700'000'000'000, 10));
  BOOST_TEST((wheel.next_due() == TimeMs::max()));
}

BOOST_FIXTURE_TEST_CASE(an_entry_comes_at_its_millisecond_and_not_before, Fixture) {
  wheel.start(TimeMs{1'700'000'000'000});
  set(1, 1'700'000'123'456);
  BOOST_TEST(!advance(1'700'000'123'455, 100));
  BOOST_TEST(given.empty());
  BOOST_TEST(!advance(1'700'000'123'456, 100));
  BOOST_TEST(given.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(next_due_is_exact_while_nothing_was_cancelled, Fixture) {
  wheel.start(TimeMs{1'700'000'000'000});
  set(1, 1'700'009'000'000);
  set(2, 1'700'003'000'001);
  set(3, 1'700'003'000'000);
  BOOST_TEST(wheel.next_due().value == 1'700'003'000'000);
  BOOST_TEST(wheel.first_date().value == 1'700'003'000'000);
}

BOOST_FIXTURE_TEST_CASE(the_first_date_is_exact_after_the_first_entry_was_cancelled, Fixture) {
  wheel.start(TimeMs{1'700'000'000'000});
  set(1, 1'700'003'000'000);
  set(2, 1'700'003'000'005);
  cancel(1);
  BOOST_TEST(wheel.next_due().value <= 1'700'003'000'005);
  BOOST_TEST(wheel.first_date().value == 1'700'003'000'005);
}

BOOST_FIXTURE_TEST_CASE(entries_of_one_date_come_in_their_owners_order, Fixture) {
  for (std::uint32_t e : {7U, 3U, 9U, 1U}) set(e, 1'000'000);
  BOOST_TEST(!advance(1'000'000, 100));
  BOOST_REQUIRE(given.size() == 4U);
  BOOST_TEST(given[0].second == 1U);
  BOOST_TEST(given[3].second == 9U);
}

BOOST_FIXTURE_TEST_CASE(a_crowded_date_is_given_out_within_the_budget, Fixture) {
  for (std::uint32_t e = 0; e < 1000; ++e) set(e, 5'000'000);
  int calls = 0;
  while (advance(6'000'000, 64)) {
    ++calls;
    BOOST_REQUIRE(calls < 1000);
    BOOST_TEST((wheel.next_due().value <= 6'000'000));
  }
  BOOST_TEST(given.size() == 1000U);
  BOOST_TEST(calls >= 1000 / 64);
}

BOOST_FIXTURE_TEST_CASE(an_entry_can_be_cancelled_while_its_slot_is_emptied, Fixture) {
  for (std::uint32_t e = 0; e < 100; ++e) set(e, 5'000'000 + e % 3);
  BOOST_TEST(advance(4'999'999 + 2, 30));
  for (std::uint32_t e = 0; e < 100; ++e) {
    bool out = false;
    for (auto const& [date, entry] : given) out = out || entry == e;
    if (!out) cancel(e);
  }
  BOOST_TEST(wheel.size() == 0U);
  std::size_t const before = given.size();
  BOOST_TEST(!advance(9'000'000, 1000));
  BOOST_TEST(given.size() == before);
}

BOOST_FIXTURE_TEST_CASE(random_work_agrees_with_a_sorted_reference, Fixture) {
  std::uint64_t const seed = seed_of_run();
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 chance{seed};
    std::int64_t now = 1'600'000'000'000;
    wheel.start(TimeMs{now});
    std::vector<bool> in(entries.size(), false);
    for (int round = 0; round < 60'000; ++round) {
      auto const e = static_cast<std::uint32_t>(chance() % entries.size());
      switch (chance() % 8) {
        case 0:
        case 1:
        case 2:
        case 3:
          if (!in[e]) {
            auto const reach = std::int64_t{1} << (chance() % 38);
            set(e, wheel.now().value + 1 + static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>(reach)));
            in[e] = true;
          }
          break;
        case 4:
          if (in[e]) {
            cancel(e);
            in[e] = false;
          }
          break;
        default: {
          now += static_cast<std::int64_t>(chance() % (std::uint64_t{1} << (chance() % 26)));
          BOOST_REQUIRE(wheel.next_due().value <= (reference.empty() ? INT64_MAX : reference.begin()->first));
          bool const more = advance(now, 1 + chance() % 200);
          for (auto const& [date, entry] : given) {
            BOOST_REQUIRE(!reference.empty());
            BOOST_REQUIRE(reference.begin()->first == date);
            BOOST_REQUIRE(reference.begin()->second == entry);
            BOOST_REQUIRE(date <= now);
            reference.erase(reference.begin());
            in[entry] = false;
          }
          given.clear();
          if (!more) BOOST_REQUIRE((reference.empty() || reference.begin()->first > now));
          if (!more && !reference.empty()) BOOST_REQUIRE(wheel.first_date().value == reference.begin()->first);
        }
      }
      BOOST_REQUIRE(wheel.size() == reference.size());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
