// Random lives of schedules: rows that end in any way, starts, power cuts, compaction, time that passes at once. Held
// against arithmetic: the dates are whole minutes, each of them makes one row at most, never early, and all of them are
// accounted for. FJ_SEED plays one life again.
#include <boost/test/unit_test.hpp>

#include <array>
#include <map>
#include <random>

#include "plugins/rows/extras.h"
#include "tests/support/seed.h"
#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::array<char const*, 3> kOverlaps = {"skip", "one", "all"};
constexpr std::array<char const*, 3> kCatchUps = {"none", "last", "all"};

struct ScheduleLife {
  explicit ScheduleLife(std::uint64_t seed) : random(seed), h(declare()) {
    h.now = TimeMs{1'700'000'040'000 - 1};  // before a whole minute
    for (char const* const overlap : kOverlaps)
      for (char const* const catch_up : kCatchUps)
        h.run("SCHEDULE", {{"schedule", std::string{overlap} + "-" + catch_up},
                           {"every", std::to_string(kMinuteMs)},
                           {"overlap", overlap},
                           {"catch_up", catch_up},
                           {"catch_up_window", "0"},
                           {"catch_up_max", "1000"}});
    look();
  }
  static std::shared_ptr<TableDeclaration const> declare() {
    auto out = std::make_shared<TableDeclaration>(*fastjournal::journal::test::declare());
    out->schema.key = {};
    return out;
  }
  std::uint64_t draw(std::uint64_t below) { return random() % below; }

  // Every row that is there is the only one of its date, and not before it.
  void look() {
    rows::State const& state = h.table->state();
    for (std::uint32_t row = state.ids().next(ObjectId{}); row != rows::kNoRow;
         row = state.ids().next(state.id_of(row))) {
      rows::OfSchedule const of = rows::extras::read(state.extras_of(row)).of_schedule.value();
      std::uint64_t const id = state.id_of(row).value;
      auto const [known, is_new] = seen.emplace(std::pair{of.schedule, of.date}, id);
      BOOST_REQUIRE_MESSAGE(known->second == id, "two rows of date " << of.date);
      BOOST_REQUIRE(of.date <= h.now.value && of.date % kMinuteMs == 0);
    }
  }
  // From the first date to the next one, each date has one fate.
  void count() {
    for (rows::Schedule const* one = h.table->schedules().behind(0); one != nullptr;
         one = h.table->schedules().behind(one->id.value)) {
      auto const& state = one->state;
      std::uint64_t const dates = static_cast<std::uint64_t>((state.next - 1'700'000'040'000) / kMinuteMs);
      BOOST_REQUIRE_EQUAL(dates, state.made + state.skipped + state.missed + (state.waiting == 0 ? 0 : 1));
      std::uint64_t rows = 0;
      for (auto const& [of, id] : seen) rows += of.first == one->id.value ? 1 : 0;
      BOOST_REQUIRE_EQUAL(rows, state.made);
      if (one->rules.overlap == rows::Overlap::all && one->rules.catch_up == rows::CatchUp::all)
        BOOST_REQUIRE_EQUAL(state.made, dates);
      if (one->rules.overlap == rows::Overlap::all) BOOST_REQUIRE_EQUAL(state.skipped, 0U);
      if (one->rules.overlap != rows::Overlap::all) BOOST_REQUIRE_LE(state.runs.size(), 1U);
    }
  }
  void work() {
    Reply const row = h.run("NEXT", {{"lease", "600000"}});
    if (row.name() != "ROW") return;
    Texts const leased{{"row", row.get("row")}, {"epoch", row.get("epoch")}};
    switch (draw(5)) {
      case 0: h.run("FAIL", leased); break;
      case 1: h.run("RELEASE", leased); break;
      case 2: h.run("DELETE", {{"row", row.get("row")}}); break;
      default: h.run("DONE", leased); break;
    }
  }
  void step() {
    std::size_t const before = h.log.stored().size();
    switch (draw(12)) {
      case 0: h.restart(static_cast<std::int64_t>(draw(5 * kMinuteMs))); break;
      case 1:
        h.log.skip(1U << 20U);
        h.compact(h.log.end());
        h.log.drop_below(h.table->oldest_lsn());
        break;
      case 2: {
        // The timers run, and nothing of it is kept.
        h.now = h.now + DurationMs{kMinuteMs};
        h.timers();
        std::uint64_t const end = before < h.log.stored().size() ? h.log.stored()[before].lsn.value : UINT64_MAX;
        h.log.cut(before);
        std::erase_if(seen, [&](auto const& one) { return one.second >= end; });
        h.restart();
        break;
      }
      case 3:
      case 4:
      case 5: h.pass(static_cast<std::int64_t>(draw(2 * kMinuteMs))); break;
      default: work(); break;
    }
    h.timers();
    look();
  }

  std::mt19937_64 random;
  Harness h;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint64_t> seen;  // (schedule, date): row
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_schedule_lives)

BOOST_AUTO_TEST_CASE(no_date_is_lost_and_none_makes_two_rows) {
  std::uint64_t const seed = fastjournal::test::seed_or(1);
  BOOST_TEST_MESSAGE("FJ_SEED=" << seed);
  for (std::uint64_t life = 0; life < 20; ++life) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed << ", life " << life) {
      ScheduleLife one{seed + life};
      for (int steps = 0; steps < 300; ++steps) one.step();
      one.count();
      BOOST_TEST(digest_of(*one.h.replayed(one.h.table->oldest_lsn())) == digest_of(*one.h.table));
    }
  }
}

// As many as a table may have, all of one minute: none early, none twice, and none later than the date itself, as the
// timers of a date run until nothing is due.
BOOST_AUTO_TEST_CASE(ten_thousand_schedules_make_their_rows_at_their_dates) {
  Harness h{ScheduleLife::declare()};
  h.now = TimeMs{1'700'000'040'000 - 1};
  for (int i = 0; i < 10'000; ++i)
    h.run("SCHEDULE", {{"schedule", "s" + std::to_string(i)},
                       {"every", std::to_string(kMinuteMs)},
                       {"jitter", i % 2 == 0 ? "0" : "30000"},
                       {"overlap", "all"}});
  BOOST_TEST(h.run("SCHEDULE", {{"schedule", "one-more"}, {"every", "60000"}}).error() == "over_limit");
  h.pass(3 * kMinuteMs + kMinuteMs / 2 + 1);
  rows::State const& state = h.table->state();
  BOOST_TEST(state.rows().size() == 40'000U);
  std::map<std::pair<std::uint64_t, std::int64_t>, int> seen;
  std::int64_t lateness_max = 0;
  for (std::uint32_t row = state.ids().next(ObjectId{}); row != rows::kNoRow;
       row = state.ids().next(state.id_of(row))) {
    rows::OfSchedule const of = rows::extras::read(state.extras_of(row)).of_schedule.value();
    BOOST_REQUIRE_EQUAL(++seen[std::pair(of.schedule, of.date)], 1);
    std::int64_t const late = state.arrival_of(row) - state.row(row).date();
    BOOST_REQUIRE_GE(late, 0);
    BOOST_REQUIRE_GE(state.row(row).date(), of.date);
    lateness_max = std::max(lateness_max, late);
  }
  BOOST_TEST(lateness_max == 0);
}

BOOST_AUTO_TEST_SUITE_END()
