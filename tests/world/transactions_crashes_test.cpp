// Transactions through kills and power cuts (transactions_life.h). FJ_SEED chooses the first life, FJ_PLAYS how many,
// FJ_CUTS how often the power is cut within a COMMIT.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/transactions_life.h"
#include "tests/world/transactions_model.h"

namespace fastjournal::sim::transactions_crashes_test {

BOOST_AUTO_TEST_SUITE(transactions_crashes)

BOOST_AUTO_TEST_CASE(each_token_is_there_once_and_each_move_is_counted) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t committed = 0;
  std::uint64_t ends = 0;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 20); ++life) {
    TransactionsLifeResult const result = live_with_transactions(seed + life, 400);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    committed += result.committed;
    ends += result.crashes;
  }
  BOOST_TEST(committed > 0U);
  BOOST_TEST_MESSAGE(committed << " transactions committed, " << ends << " ends");
}

BOOST_AUTO_TEST_CASE(every_answer_and_what_is_left_is_as_the_reference_says) {
  std::uint64_t const seed = test::seed_or(1);
  TransactionsModelResult sum;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 30); ++life) {
    TransactionsModelResult const result = model_transactions(seed + life, 1000);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    sum.committed += result.committed;
    sum.refused += result.refused;
    sum.crashes += result.crashes;
  }
  BOOST_TEST(sum.committed > 0U);
  BOOST_TEST(sum.refused > 0U);
  BOOST_TEST_MESSAGE(sum.committed << " transactions committed, " << sum.refused << " answers were errors, "
                                   << sum.crashes << " kills and power cuts");
}

BOOST_AUTO_TEST_CASE(a_cut_at_any_call_of_a_commit_leaves_all_of_it_or_nothing) {
  std::uint64_t const seed = test::seed_or(1);
  CommitCutsResult const result = cut_commits(seed, test::number_from("FJ_CUTS", 600));
  BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed << ": " << result.wrong);
  BOOST_TEST(result.done > 0U);
  BOOST_TEST(result.nothing > 0U);
  BOOST_TEST_MESSAGE(result.cuts << " cuts: " << result.done << " left all of it, " << result.nothing << " nothing; "
                                 << result.in_several_logs << " in several logs");
}

BOOST_AUTO_TEST_CASE(without_the_log_that_decides_its_parts_wait_for_a_person) {
  std::uint64_t const seed = test::seed_or(1);
  std::string const wrong = lose_homes(seed, 6);
  BOOST_TEST(wrong.empty(), "FJ_SEED=" << seed << ": " << wrong);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::transactions_crashes_test
