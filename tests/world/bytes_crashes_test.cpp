// Bytes outside the log keep their promises through kills and power cuts (bytes_life.h), and while data files are exchanged
// (exchange_life.h). FJ_SEED chooses the first life, FJ_PLAYS how many.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/support/seed.h"
#include "tests/world/asking.h"
#include "tests/world/bytes_life.h"
#include "tests/world/exchange_life.h"

namespace fastjournal::sim::bytes_crashes_test {

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

// As for a log's folder: answers more than 100 ms after that could be about bytes that nobody finds.
BOOST_AUTO_TEST_CASE(nothing_is_acknowledged_once_the_files_of_bytes_are_gone) {
  struct Kind {
    std::string table;
    std::string command;  // and a number, and the value
    std::string answer;
    std::size_t bytes;
  };
  Kind const kKinds[] = {{"spilling", "INSERT table=spilling;name=n{};payload=", "INSERTED", 40'000},
                         {"post", "SEND table=post;queue=orders;body={}", "SENT", 300'000},
                         {"exchanged", "PUT table=exchanged;key=k{};data=", "STORED", 400},
                         {"exchanged", "PUT table=exchanged;key=k{};data=", "STORED", 300'000}};
  for (Kind const& kind : kKinds)
    for (bool const is_folder : {true, false})
      for (std::int64_t const idle_us : {0, 3'000'000, 20'000'000}) {
        BOOST_TEST_CONTEXT(kind.table << ", " << kind.bytes << " bytes, " << (is_folder ? "folder" : "file")
                                      << ", idle " << idle_us) {
          Asking served;
          served.serve(std::string{FJ_SOURCE_DIR} +
                       (kind.table == "post" ? "/tests/transcripts/" : "/tests/world/tables/") + kind.table + ".xml");
          int number = 0;
          auto const put = [&] {
            std::string line = kind.command;
            line.replace(line.find("{}"), 2, std::to_string(++number));
            return served.ask(line + std::string(kind.bytes, 'A'));
          };
          BOOST_TEST_REQUIRE(put().starts_with(kind.answer));
          served.world.advance(DurationMs{idle_us / 1000});
          if (is_folder)
            served.world.disk().move_away("bytes/" + kind.table);
          else
            served.world.disk().drop("bytes/" + kind.table + "/data.000001");
          served.world.clock().advance(100'000);
          BOOST_TEST(!put().starts_with(kind.answer));
          Status const& why = served.world.fatal_error();
          BOOST_TEST((why.code() == Code::damaged));
          BOOST_TEST(why.message().starts_with("table " + kind.table + ": "), why.message());
        }
      }
}

// Nobody has to write there for that to be seen.
BOOST_AUTO_TEST_CASE(files_that_nobody_writes_to_are_looked_at_now_and_then) {
  Asking served;
  served.serve(FJ_SOURCE_DIR "/tests/world/tables/spilling.xml");
  BOOST_REQUIRE(served.ask("INSERT table=spilling;name=a;payload=" + std::string(40'000, 'A')).starts_with("INSERTED"));
  served.world.advance(DurationMs{60'000});
  BOOST_TEST(served.world.fatal_error().ok());
  served.world.disk().drop("bytes/spilling/data.000001");
  served.world.advance(DurationMs{11'000});
  BOOST_TEST((served.world.fatal_error().code() == Code::damaged));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::bytes_crashes_test
