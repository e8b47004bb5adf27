// Bytes outside the log keep their promises through kills and power cuts (bytes_life.h), and while data files are exchanged
// (exchange_life.h). FJ_SEED chooses the first life, FJ_PLAYS how many.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/bytes_life.h"
#include "tests/world/exchange_life.h"

namespace fastjournal::sim {

BOOST_AUTO_TEST_SUITE(bytes_crashes)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_is_there) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t writes = 0;
  std::uint64_t ends = 0;
  std::uint64_t exchanges = 0;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 30); ++life) {
    BytesLifeResult const result = live_with_bytes(seed + life, 400);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    writes += result.writes;
    ends += result.crashes;
    exchanges += result.exchanges;
  }
  BOOST_TEST_MESSAGE(writes << " values written, " << ends << " ends, " << exchanges << " maintenances begun");
}

// Each way of coming was seen in each mode at each moment.
BOOST_AUTO_TEST_CASE(values_on_their_way_survive_exchanges_of_their_files) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t const lives = test::number_from("FJ_PLAYS", 12);
  ExchangeLifeResult sum;
  for (std::uint64_t life = 0; life < lives; ++life) {
    ExchangeLifeResult const result = live_with_exchanges(seed + life, 100);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    sum.add(result);
  }
  if (lives >= 12) BOOST_TEST(sum.not_seen() == "");
  BOOST_TEST(sum.ended_readers > 0U);
  BOOST_TEST_MESSAGE(sum.exchanges << " exchanges, " << sum.exchanges_in_flight << " with a value on its way, "
                                   << sum.crashes << " ends\n"
                                   << sum.table());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
