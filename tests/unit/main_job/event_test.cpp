// The event lines, which survive kill -9: written and read back, followed while the file grows, refused if they are of
// another program. And the producer's plan.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include "clients/demo/main_job/event.h"
#include "clients/demo/main_job/producer.h"
#include "clients/demo/process/line_reader.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::main_job {
namespace {

std::vector<std::string> lines_of(process::LineReader& reader) {
  std::vector<std::string> lines;
  Status const read = reader.read([&](std::string_view line) { lines.emplace_back(line); });
  BOOST_REQUIRE(read.ok());
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(main_job_events)

BOOST_AUTO_TEST_CASE(every_event_is_read_back_as_it_was) {
  for (int kind = 0; kind <= static_cast<int>(EventKind::woken); ++kind) {
    Event const event{static_cast<EventKind>(kind), -5, 1ULL << 63U, 7, -9, 3, "file:///a;b"};
    std::string line = line_of(event);
    BOOST_REQUIRE(line.back() == '\n');
    line.pop_back();
    auto const back = event_of(line);
    BOOST_REQUIRE_MESSAGE(back.ok(), back.status().message());
    BOOST_TEST((back.value() == event));
  }
  BOOST_TEST((event_of("woken 1 0 0 2 0 ").value() == Event{.kind = EventKind::woken, .us = 1, .number = 2}));
}

BOOST_AUTO_TEST_CASE(what_is_no_event_is_refused) {
  for (char const* bad :
       {"", "done", "done 1 2 3 4", "gone 1 2 3 4 5 x", "done 1 -2 3 4 5 x", "done 1 2 3 4 5 x y", "done 1 2 3 4x 5 x"})
    BOOST_TEST((event_of(bad).status().code() == Code::invalid), bad);
}

BOOST_AUTO_TEST_CASE(a_reader_follows_whole_lines_only) {
  test::TemporaryFolder const folder;
  auto const path = folder.path() / "events";
  process::LineReader reader(path);
  BOOST_TEST(lines_of(reader).empty());
  auto writer = EventWriter::open(path);
  BOOST_REQUIRE(writer.ok());
  BOOST_TEST(lines_of(reader).empty());
  writer.value().add({.us = 1});
  BOOST_TEST(lines_of(reader).empty());
  BOOST_REQUIRE(writer.value().write().ok());
  BOOST_TEST(lines_of(reader).size() == 1U);
  std::ofstream(path, std::ios::app) << "half a";
  BOOST_TEST(lines_of(reader).empty());
  std::ofstream(path, std::ios::app) << " line\nand another\n";
  BOOST_TEST((lines_of(reader) == std::vector<std::string>{"half a line", "and another"}));
}

BOOST_AUTO_TEST_CASE(the_plan_is_the_story_of_the_seeds) {
  constexpr std::uint32_t kPages = 3000;
  auto const plan = plan_touches(kPages, 7);
  BOOST_TEST((plan_touches(kPages, 7) == plan));
  BOOST_TEST((plan_touches(kPages, 8) != plan));
  BOOST_TEST(
      std::is_sorted(plan.begin(), plan.end(), [](Touch const& a, Touch const& b) { return a.at_ms < b.at_ms; }));

  std::map<std::uint32_t, std::vector<Touch>> by_page;
  std::map<int, std::size_t> by_priority;
  for (Touch const& touch : plan) {
    BOOST_REQUIRE((touch.delay_ms >= kDelayMsMin && touch.delay_ms <= kDelayMsMax));
    by_page[touch.page].push_back(touch);
    ++by_priority[touch.priority];
  }
  BOOST_TEST(by_page.size() == kPages);
  auto const merging = std::count_if(by_page.begin(), by_page.end(), [](auto const& one) {
    return one.second.size() > 1 && one.second[1].at_ms < one.second[0].at_ms + one.second[0].delay_ms;
  });
  BOOST_TEST(merging > kPages * 30 / 100);
  BOOST_TEST(merging < kPages * 37 / 100);
  BOOST_TEST(by_priority.size() == 4U);
  BOOST_TEST(by_priority[180] > kPages * 22 / 100);
  BOOST_TEST(by_priority[180] < kPages * 28 / 100);
  BOOST_TEST(by_priority[0] > 0U);
  BOOST_TEST(by_priority[10] > by_priority[0]);
  BOOST_TEST(by_priority[20] > (plan.size() - by_priority[180]) * 88 / 100);
  BOOST_TEST(plan_touches(1, 1).size() >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
