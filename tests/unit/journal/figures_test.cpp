// The ring of figures: what a minute and an hour say, that nothing is written where nothing happened, how long it is kept,
// and that it outlives starts and compactions.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/journal/harness.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::journal;
using namespace fastjournal::journal::test;

constexpr std::int64_t kOneMinute = Figures::kMinuteMs;
constexpr std::int64_t kOneHour = Figures::kHourMs;

struct Kept : Harness {
  Kept() : Harness(Texts{{"keep-figures", "true"}}) { now = TimeMs{1'700'000'000'000 / kOneHour * kOneHour}; }

  void work(std::string const& key) {
    run("INSERT", {{"k", key}});
    Reply const leased = run("NEXT", {});
    run("DONE", {{"row", leased.get("row")}, {"epoch", leased.get("epoch")}});
  }
  Reply figures(Texts const& parameters = {}) { return run("FIGURES", parameters); }
  std::size_t records() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(log.stored(), [](auto const& one) { return one.view().type == 36; }));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(figures, Kept)

BOOST_AUTO_TEST_CASE(a_minute_says_what_happened_in_it) {
  BOOST_TEST(figures().name() == "NOTHING");
  std::int64_t const begin = now.value;
  now = now + DurationMs{5000};
  work("a");
  work("b");
  run("INSERT", {{"k", "late"}});
  now = now + DurationMs{300};
  Reply const late = run("NEXT", {{"lease", "600000"}});
  run("INSERT", {{"k", "c"}, {"process_date", "+3600000"}});
  BOOST_TEST(figures().name() == "NOTHING");
  pass(kOneMinute);
  Reply const told = figures();
  BOOST_TEST(told.messages.size() == 1U);
  BOOST_TEST(told.get("date") == std::to_string(begin));
  BOOST_TEST(told.get("inserted") == "4");
  BOOST_TEST(told.get("leased") == "3");
  BOOST_TEST(told.get("done") == "2");
  BOOST_TEST(told.get("failed") == "0");
  BOOST_TEST(told.get("waiting") == "1");
  BOOST_TEST(told.get("processing") == "1");
  BOOST_TEST(told.get("lateness_ms_p50") == "0");
  BOOST_TEST(told.get("lateness_ms_p99") == "300");
  run("RELEASE", {{"row", late.get("row")}, {"epoch", late.get("epoch")}, {"error", "no disk"}});
  pass(kOneMinute);
  BOOST_TEST(figures().messages.size() == 2U);
  BOOST_TEST(figures().messages.back().at("failed") == "1");
  BOOST_TEST(figures().messages.back().at("done") == "0");
  Reply const hour = figures({{"per", "hour"}});
  BOOST_TEST(hour.messages.size() == 1U);
  BOOST_TEST(hour.get("done") == "2");
  BOOST_TEST(hour.get("failed") == "1");
  BOOST_TEST(hour.get("lateness_ms_p99") == "300");
}

BOOST_AUTO_TEST_CASE(a_minute_without_news_is_not_written) {
  work("a");
  pass(kOneMinute);
  BOOST_TEST(records() == 1U);
  pass(kOneHour);
  BOOST_TEST(records() == 1U);
  BOOST_TEST((table->next_due() == TimeMs::max()));
  // What happens later is of that minute.
  std::int64_t const later = now.value / kOneMinute * kOneMinute;
  work("b");
  pass(kOneMinute);
  BOOST_TEST(figures().messages.back().at("date") == std::to_string(later));
  // A record alone is no news.
  run("INSERT", {{"k", "c"}});
  Reply const leased = run("NEXT", {{"lease", "600000"}});
  pass(kOneMinute);
  std::size_t const before = records();
  run("TOUCH", {{"row", leased.get("row")}, {"epoch", leased.get("epoch")}, {"lease", "900000"}});
  pass(3 * kOneMinute);
  BOOST_TEST(records() == before);
  // A table that does not ask for it writes nothing.
  Harness plain;
  plain.run("INSERT", {{"k", "a"}});
  plain.pass(5 * kOneMinute);
  BOOST_TEST(std::ranges::none_of(plain.log.stored(), [](auto const& one) { return one.view().type == 36; }));
  BOOST_TEST(plain.run("FIGURES", {}).get("reason").find("keep-figures") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lease_that_runs_out_is_counted_in_its_minute) {
  run("INSERT", {{"k", "a"}});
  run("NEXT", {{"lease", "90000"}});
  pass(3 * kOneMinute);
  BOOST_TEST(figures().messages.size() == 2U);
  BOOST_TEST(figures().messages.back().at("timed_out") == "1");
}

BOOST_AUTO_TEST_CASE(minutes_are_kept_for_a_day_and_hours_for_31_within_a_limit_of_memory) {
  std::int64_t const begin = now.value;
  for (int minute = 0; minute < 1500; ++minute) {
    work("a");
    pass(kOneMinute);
  }
  std::size_t minutes = 0;
  Texts page{{"count", "1000"}};
  for (;;) {
    Reply const told = figures(page);
    minutes += told.messages.size();
    if (!told.messages.back().contains("after")) break;
    page["after"] = told.messages.back().at("after");
  }
  BOOST_TEST(minutes == Figures::kMinutes);
  for (int hour = 0; hour < 800; ++hour) {
    work("a");
    pass(kOneHour);
  }
  Reply const hours = figures({{"per", "hour"}, {"count", "1500"}});
  BOOST_TEST(hours.messages.size() == Figures::kHours);
  BOOST_TEST(std::stoll(hours.get("date")) > begin);
  // Beside that of a table that keeps none.
  Harness plain;
  plain.run("INSERT", {{"k", "a"}});
  BOOST_TEST(table->memory_bytes() - plain.table->memory_bytes() < 112U * 1024);
  // A part of them.
  std::string const last = hours.messages.back().at("date");
  BOOST_TEST(figures({{"per", "hour"}, {"since", last}}).messages.size() == 1U);
  BOOST_TEST(figures({{"per", "hour"}, {"until", last}, {"count", "1500"}}).messages.size() == Figures::kHours - 1);
}

BOOST_AUTO_TEST_CASE(it_is_there_after_a_start_and_a_compaction) {
  for (int minute = 0; minute < 200; ++minute) {
    work("a");
    pass(kOneMinute);
  }
  std::string const hours = figures({{"per", "hour"}}).messages.back().at("done");
  BOOST_TEST(replays());
  compact(log.end());
  BOOST_TEST(digest_of(*replayed(table->oldest_lsn())) == digest_of(*table));
  restart();
  BOOST_TEST(figures({{"count", "1000"}}).messages.size() == 200U);
  // What happens afterwards is added to the hour once.
  work("b");
  pass(kOneMinute);
  BOOST_TEST(figures({{"per", "hour"}}).messages.back().at("done") == std::to_string(std::stoi(hours) + 1));
  BOOST_TEST(digest_of(*replayed(table->oldest_lsn())) == digest_of(*table));
  restart();
  BOOST_TEST(figures({{"per", "hour"}}).messages.back().at("done") == std::to_string(std::stoi(hours) + 1));
}

BOOST_AUTO_TEST_CASE(a_copy_for_a_follower_has_it) {
  for (int minute = 0; minute < 100; ++minute) {
    work("a");
    pass(kOneMinute);
  }
  auto twin = std::make_unique<Journal>(context, type, declaration);
  MemoryLog copy;
  SnapshotCursor cursor;
  Alerts nobody;
  for (int pages = 0; !cursor.complete && pages < 1000; ++pages) table->snapshot(cursor, 500, copy);
  BOOST_TEST(cursor.complete);
  for (auto const& record : copy.stored()) BOOST_TEST(twin->apply_to_part(cursor, record.view(), nobody));
  BOOST_TEST(digest_of(*twin) == digest_of(*table));
}

BOOST_AUTO_TEST_SUITE_END()
