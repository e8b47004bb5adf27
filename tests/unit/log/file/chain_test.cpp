// The chain of segments as numbers, without files: which LSNs each holds, what a cut leaves, and which segments a
// new base gives up.
#include <boost/test/unit_test.hpp>

#include "log/file/chain.h"
#include "log/file/space_policy.h"

namespace fastjournal::log::file::test {
namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint64_t kPayload = 14ULL * kBlock;
constexpr std::uint64_t kFirst = 64U << 10U;

Segment segment(std::uint64_t generation, std::uint64_t first, std::uint64_t cut) {
  Segment out;
  out.header.generation = generation;
  out.header.size = 16ULL * kBlock;
  out.header.block = kBlock;
  out.header.first = Lsn{first};
  out.header.cut = Lsn{cut};
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(chain)

BOOST_AUTO_TEST_CASE(a_batch_at_the_end_of_a_segment_enters_the_next_one) {
  Chain chain;
  chain.append(segment(1, kFirst, kFirst));
  chain.prepare(segment(2, kFirst + kPayload, kFirst + kPayload));
  BOOST_TEST(chain.enter(Lsn{kFirst + kPayload - kBlock}) == 1U);
  BOOST_TEST(chain.prepared() == 1U);
  BOOST_TEST(chain.enter(Lsn{kFirst + kPayload}) == 2U);
  BOOST_TEST(chain.prepared() == 0U);
  BOOST_TEST(chain.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_direct_write_stays_in_one_segment) {
  Chain chain;
  chain.append(segment(1, kFirst, kFirst));
  chain.prepare(segment(2, kFirst + kPayload, kFirst + kPayload));
  Lsn const last{kFirst + kPayload - kBlock};
  BOOST_TEST(chain.is_in_one(last, kBlock));
  BOOST_TEST(!chain.is_in_one(last, 2ULL * kBlock));
  BOOST_TEST(chain.is_in_one(Lsn{kFirst + kPayload}, kPayload));
}

BOOST_AUTO_TEST_CASE(a_segment_ends_where_the_next_one_cut_it) {
  Chain chain;
  chain.append(segment(1, kFirst, kFirst));
  chain.append(segment(2, kFirst + kPayload, kFirst + 2ULL * kBlock));
  BOOST_CHECK(chain.limit_of(chain.begin()) == Lsn{kFirst + 2ULL * kBlock});
  BOOST_CHECK(chain.limit_of(std::next(chain.begin())) == Lsn{kFirst + 2 * kPayload});
  BOOST_TEST(chain.bytes_between(Lsn{kFirst + kBlock}, Lsn{kFirst + kPayload + 3ULL * kBlock}) == 4ULL * kBlock);
}

BOOST_AUTO_TEST_CASE(a_batch_keeps_every_segment_that_it_touches_until_the_base_has_passed_its_end) {
  Chain chain;
  chain.append(segment(1, kFirst, kFirst));
  chain.append(segment(2, kFirst + kPayload, kFirst + kPayload));
  chain.append(segment(3, kFirst + 2 * kPayload, kFirst + 2 * kPayload));
  Lsn const end{kFirst + 2 * kPayload + kBlock};
  chain.keep_until(Lsn{kFirst + kPayload - kBlock}, end);
  BOOST_TEST(!chain.take_oldest_below(Lsn{end.value - 8}).has_value());
  BOOST_REQUIRE(chain.take_oldest_below(end).has_value());
  BOOST_REQUIRE(chain.take_oldest_below(end).has_value());
  BOOST_TEST(!chain.take_oldest_below(end).has_value());
  BOOST_TEST(chain.current().header.generation == 3U);
  BOOST_TEST(!chain.has_generation(1));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(space_policy)

BOOST_AUTO_TEST_CASE(the_reserve_grows_with_the_log_and_one_more_is_made_ahead) {
  SpacePolicy const policy{2, WhenEmpty::reset, 1U << 20U};
  BOOST_TEST(policy.kept_back(1) == 2U);
  BOOST_TEST(policy.kept_back(4) == 2U);
  BOOST_TEST(policy.kept_back(5) == 3U);
  BOOST_TEST(policy.kept_back(17) == 4U);
  // It is made one segment before the reserve needs it.
  for (std::size_t used = 1; used < 100; ++used) BOOST_TEST(policy.spares_most(used) == policy.kept_back(used + 1) + 1);
}

BOOST_AUTO_TEST_CASE(the_last_spare_segment_is_made_when_the_current_one_is_nearly_full) {
  SpacePolicy policy{2, WhenEmpty::reset, 1U << 20U};
  constexpr std::uint64_t kFull = 1U << 20U;
  BOOST_TEST(policy.spares_wanted(3, kFull / 2, kFull) == 2U);
  BOOST_TEST(policy.spares_wanted(3, kFull / 16 * 13, kFull) == 3U);
  // Compaction is about to free a segment.
  policy.keep_for_compaction(1000);
  BOOST_TEST(policy.spares_wanted(3, kFull / 16 * 13, kFull) == 2U);
  BOOST_TEST(policy.spares_wanted(3, kFull / 32 * 31, kFull) == 3U);
}

BOOST_AUTO_TEST_CASE(an_empty_log_keeps_what_when_empty_says_until_something_is_added) {
  struct Case {
    WhenEmpty when_empty;
    std::uint32_t allowed;
    std::uint32_t spares;
  };
  for (Case const expected :
       {Case{WhenEmpty::reset, 4, 3}, Case{WhenEmpty::truncate, 3, 2}, Case{WhenEmpty::remove, 1, 0}}) {
    SpacePolicy policy{2, expected.when_empty, 1U << 20U};
    policy.rest();
    BOOST_TEST(policy.allowed() == expected.allowed);
    BOOST_TEST(policy.spares_wanted(1, 0, 1U << 20U) == expected.spares);
    BOOST_TEST(policy.spares_kept(1, 0, 1U << 20U) == expected.spares);
    policy.wake();
    BOOST_TEST(policy.allowed() == 4U);
    BOOST_TEST(policy.spares_wanted(1, 0, 1U << 20U) == 3U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
