// A round of scrubbing as ranges of LSNs: every durable byte that is needed is covered once, a step never spans a gap,
// and damage counts only where the bytes are still needed. How a step reads is tested in scrub_test.cpp.
#include <boost/test/unit_test.hpp>

#include "log/file/scrub_round.h"
#include "tests/sim/sim_disk.h"

namespace fastjournal::log::file::test {
namespace {

constexpr std::uint32_t kScrubRoundBlock = 512;
constexpr std::uint64_t kScrubRoundPayload = 30ULL * kScrubRoundBlock;
constexpr std::uint64_t kScrubRoundFirst = 64U << 10U;

void add(Chain& chain, std::uint64_t generation, std::uint64_t first, std::uint64_t cut) {
  Segment one;
  one.header.index = static_cast<std::uint32_t>(generation);
  one.header.generation = generation;
  one.header.size = 32ULL * kScrubRoundBlock;
  one.header.block = kScrubRoundBlock;
  one.header.first = Lsn{first};
  one.header.cut = Lsn{cut};
  one.live_until = Lsn{first + kScrubRoundPayload};
  chain.append(std::move(one));
}

// Three segments, the second one cut short.
struct ScrubRoundFixture {
  ScrubRoundFixture() {
    add(chain, 1, kScrubRoundFirst, kScrubRoundFirst);
    add(chain, 2, kScrubRoundFirst + kScrubRoundPayload, kScrubRoundFirst + kScrubRoundPayload);
    add(chain, 5, kScrubRoundFirst + 2 * kScrubRoundPayload,
        kScrubRoundFirst + kScrubRoundPayload + 3ULL * kScrubRoundBlock);
  }
  // A step that ran and could read nothing: the files do not exist.
  ScrubStep failed(ScrubStep::Task task) {
    ScrubStep step{disk, "data/log", std::move(task)};
    step.run();
    return step;
  }

  sim::SimDisk disk;
  Chain chain;
  ScrubRound round;
  Lsn durable{kScrubRoundFirst + 2 * kScrubRoundPayload + 4ULL * kScrubRoundBlock};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scrub_round, ScrubRoundFixture)

BOOST_AUTO_TEST_CASE(steps_follow_one_another_and_end_at_cuts_and_at_what_was_durable) {
  round.begin(durable, 1000);
  BOOST_TEST(round.is_under_way());
  auto const first = round.next(chain, {});
  BOOST_REQUIRE(first.has_value());
  BOOST_CHECK(first->from == Lsn{kScrubRoundFirst});
  BOOST_CHECK(first->limit == Lsn{kScrubRoundFirst + kScrubRoundPayload + 3ULL * kScrubRoundBlock});
  BOOST_TEST(first->segments.size() == 2U);
  BOOST_TEST(first->is_rest);
  round.finish(failed(*first), chain, {}, "data/log");
  auto const second = round.next(chain, {});
  BOOST_REQUIRE(second.has_value());
  BOOST_CHECK(second->from == Lsn{kScrubRoundFirst + 2 * kScrubRoundPayload});
  BOOST_CHECK(second->limit == durable);
  round.finish(failed(*second), chain, {}, "data/log");
  BOOST_TEST(!round.next(chain, {}).has_value());
  round.end();
  BOOST_TEST(round.report().rounds == 1U);
  BOOST_TEST(!round.is_under_way());
}

BOOST_AUTO_TEST_CASE(damage_counts_until_its_segments_are_freed) {
  round.begin(durable, 1000);
  round.finish(failed(*round.next(chain, {})), chain, {}, "data/log");
  BOOST_TEST(round.report().damaged == 1U);
  BOOST_TEST(round.is_damaged());
  BOOST_TEST(round.damaged_generation() == 1U);
  BOOST_CHECK(round.damaged_end(chain) == Lsn{kScrubRoundFirst + kScrubRoundPayload});
  round.healed();
  BOOST_TEST(!round.is_damaged());
}

BOOST_AUTO_TEST_CASE(what_was_freed_while_a_step_was_out_is_not_damaged) {
  round.begin(durable, 1000);
  ScrubStep const step = failed(*round.next(chain, {}));
  BOOST_REQUIRE(chain.take_oldest_below(Lsn{kScrubRoundFirst + kScrubRoundPayload}).has_value());
  round.finish(step, chain, {}, "data/log");
  BOOST_TEST(round.report().damaged == 0U);
  // Nor is damage below the present base.
  ScrubStep const next = failed(*round.next(chain, {}));
  round.finish(next, chain, durable, "data/log");
  BOOST_TEST(!round.is_damaged());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
