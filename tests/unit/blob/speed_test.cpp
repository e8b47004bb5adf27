// What a start costs: a million blobs by their pages, and by their puts. The figures are printed; they are compared only
// as far as every computer shows them.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <ctime>
#include <memory>
#include <random>

#include "plugins/blob/records.h"
#include "tests/support/seed.h"
#include "tests/unit/blob/harness.h"

namespace fastjournal::blob::test {
namespace {

// Of this process, so that others on the computer count less.
double ms_since(std::clock_t began) { return 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC; }

// Applies a whole log to a new table; returns it, with the time that it took.
std::unique_ptr<BlobTable> apply_all(fastjournal::test::MemoryLog const& log, double& ms) {
  auto table = std::make_unique<BlobTable>(TableContext{TableId{1}, 0}, blob_type(), declare());
  NoObserver nobody;
  auto const began = std::clock();
  bool is_good = true;
  for (auto const& record : log.stored())
    is_good = table->apply(record.view(), {.live = false, .now = {}, .base = {}}, nobody) && is_good;
  ms = ms_since(began);
  BOOST_TEST(is_good);
  return table;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_speed)

BOOST_AUTO_TEST_CASE(pages_are_applied_much_faster_than_their_puts) {
  std::uint64_t const blobs = fastjournal::test::number_from("FJ_BLOBS", 100'000);
  std::mt19937_64 random{1};
  fastjournal::test::MemoryLog puts;
  puts.begin_step();
  std::uint64_t at = 4096;
  for (std::uint64_t i = 0; i < blobs; ++i, at += 4096)
    model::append_record(puts, {},
                         PutBody{.key = {static_cast<std::uint32_t>(random()), random()},
                                 .entry_time = 1'700'000'000,
                                 .extent = {1, at, at + 4000, random()}});
  double puts_ms = 0;
  auto const table = apply_all(puts, puts_ms);

  fastjournal::test::MemoryLog pages;
  pages.skip(puts.end().value + kOldestLsnGrain);
  Answer answer;
  Decision decision{.now = TimeMs{1}, .records = pages, .answer = answer};
  NoObserver nobody;
  std::size_t applied = 0;
  auto const began = std::clock();
  Lsn const below{(puts.end().value / kOldestLsnGrain + 1) * kOldestLsnGrain};
  for (bool more = true; more;) {
    pages.begin_step();
    more = table->compact_oldest(below, 64U << 10U, decision).more;
    for (; applied < pages.stored().size(); ++applied)
      BOOST_TEST_REQUIRE(table->apply(pages.stored()[applied].view(), {.live = true, .now = {}, .base = {}}, nobody));
  }
  double const restate_ms = ms_since(began);
  double pages_ms = 0;
  auto const twin = apply_all(pages, pages_ms);
  BOOST_TEST(twin->index().size() == blobs);
  BOOST_TEST(digest_of(*twin) == digest_of(*table));
  BOOST_TEST_MESSAGE(blobs << " blobs, CPU time: " << puts_ms << " ms by puts, " << pages_ms << " ms by "
                           << pages.stored().size() << " pages, " << restate_ms << " ms to state the pages; "
                           << static_cast<double>(twin->memory_bytes()) / static_cast<double>(blobs)
                           << " bytes of memory a blob, "
                           << static_cast<double>(twin->live_bytes()) / static_cast<double>(blobs) << " of the log");
  BOOST_TEST(pages_ms < puts_ms);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
