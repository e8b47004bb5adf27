// PROGRESS: who may say how far a row is, how long it stands, and that it outlives starts, compactions and copies.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/journal/harness.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::journal;
using namespace fastjournal::journal::test;

struct Leased : Harness {
  std::string row = run("INSERT", {{"k", "a"}}).get("row");
  std::string epoch = run("NEXT", {{"worker", "w1"}, {"lease", "60000"}}).get("epoch");

  Reply progress(std::string const& percent, Texts more = {}) {
    more.insert({{"row", row}, {"epoch", epoch}, {"percent", percent}});
    return run("PROGRESS", more);
  }
  Reply peek() { return run("PEEK", {{"row", row}}); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(progress, Leased)

BOOST_AUTO_TEST_CASE(the_last_one_is_shown_and_renews_nothing_without_a_lease) {
  BOOST_TEST(peek().get("progress") == "-");
  std::string const end = peek().get("lease_end");
  now = now + DurationMs{1000};
  Reply const said = progress("40", {{"note", "4 of 10 files"}});
  BOOST_TEST(said.name() == "PROGRESSED");
  BOOST_TEST(said.get("lease_end") == end);
  BOOST_TEST(peek().get("progress") == "40");
  BOOST_TEST(peek().get("progress_note") == "4 of 10 files");
  BOOST_TEST(peek().get("progress_date") == std::to_string(now.value));
  BOOST_TEST(peek().get("lease_end") == end);
  Reply const why = run("WHY", {{"row", row}});
  BOOST_TEST(why.get("text").find("it is at 40 %, 4 of 10 files, as it said") != std::string::npos, why.get("text"));
  progress("50");
  BOOST_TEST(peek().get("progress") == "50");
  BOOST_TEST(peek().get("progress_note") == "-");
  // With a lease it renews that.
  Reply const renewed = progress("60", {{"lease", "120000"}});
  BOOST_TEST(renewed.get("lease_end") == std::to_string(now.value + 120'000));
  BOOST_TEST(peek().get("lease_end") == renewed.get("lease_end"));
  BOOST_TEST(peek().get("progress") == "60");
}

BOOST_AUTO_TEST_CASE(it_ends_with_its_lease_and_needs_one) {
  progress("40");
  BOOST_TEST((run("PROGRESS", {{"row", row}, {"epoch", "7"}, {"percent", "50"}}).status.code() == Code::stale_epoch));
  BOOST_TEST((progress("101").status.code() == Code::bad_parameter));
  run("RELEASE", {{"row", row}, {"epoch", epoch}});
  BOOST_TEST(peek().get("progress") == "-");
  BOOST_TEST((progress("50").status.code() == Code::not_leased));
  epoch = run("NEXT", {}).get("epoch");
  BOOST_TEST(peek().get("progress") == "-");
  progress("10");
  BOOST_TEST(peek().get("progress") == "10");
  run("DONE", {{"row", row}, {"epoch", epoch}});
  BOOST_TEST((progress("50").status.code() == Code::unknown_row));
}

BOOST_AUTO_TEST_CASE(a_long_note_is_cut_and_memory_comes_back) {
  std::uint64_t const before = table->memory_bytes();
  progress("1", {{"note", std::string(5000, 'n')}});
  BOOST_TEST(peek().get("progress_note").size() <= kNoteBytesMax);
  BOOST_TEST(table->memory_bytes() > before + kNoteBytesMax);
  run("RELEASE", {{"row", row}, {"epoch", epoch}});
  BOOST_TEST(table->memory_bytes() <= before);
}

BOOST_AUTO_TEST_CASE(it_is_there_after_a_start_and_a_compaction) {
  progress("40", {{"note", "half"}});
  BOOST_TEST(replays());
  compact(log.end());
  auto const twin = replayed(table->oldest_lsn());
  BOOST_TEST(digest_of(*twin) == digest_of(*table));
  restart();
  BOOST_TEST(peek().get("progress") == "40");
  BOOST_TEST(peek().get("progress_note") == "half");
}

BOOST_AUTO_TEST_CASE(while_memory_is_short_only_the_percent_is_kept) {
  short_of_memory = true;
  progress("40", {{"note", "half"}});
  BOOST_TEST(peek().get("progress") == "40");
  BOOST_TEST(peek().get("progress_note") == "-");
}

BOOST_AUTO_TEST_SUITE_END()
