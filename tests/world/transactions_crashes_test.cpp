// Transactions through kills and power cuts (transactions_life.cpp). FJ_CUTS says how often the power is cut within a
// COMMIT.
#include "tests/support/play_lives.h"
#include "tests/world/lives.h"

namespace fastjournal::sim::transactions_crashes_test {

BOOST_AUTO_TEST_SUITE(transactions_crashes)

BOOST_AUTO_TEST_CASE(each_token_is_there_once_and_each_move_is_counted) {
  test::Counts counts = test::play_lives(1, 20, [](std::uint64_t seed) { return live_with_transactions(seed, 400); });
  BOOST_TEST(counts["transactions committed"] > 0U);
}

BOOST_AUTO_TEST_CASE(every_answer_and_what_is_left_is_as_the_reference_says) {
  test::Counts counts = test::play_lives(1, 30, [](std::uint64_t seed) { return model_transactions(seed, 1000); });
  BOOST_TEST(counts["transactions committed"] > 0U);
  BOOST_TEST(counts["answers that were errors"] > 0U);
}

BOOST_AUTO_TEST_CASE(a_cut_at_any_call_of_a_commit_leaves_all_of_it_or_nothing) {
  std::uint64_t const seed = test::seed_or(1);
  test::LifeResult result = cut_commits(seed, test::number_from("FJ_CUTS", 600));
  BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed << ": " << result.wrong);
  BOOST_TEST(result.counts["cuts that left all of the transaction"] > 0U);
  BOOST_TEST(result.counts["cuts that left nothing of it"] > 0U);
}

BOOST_AUTO_TEST_CASE(without_the_log_that_decides_its_parts_wait_for_a_person) {
  std::uint64_t const seed = test::seed_or(1);
  std::string const wrong = lose_homes(seed, 6);
  BOOST_TEST(wrong.empty(), "FJ_SEED=" << seed << ": " << wrong);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::transactions_crashes_test
