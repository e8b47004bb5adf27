// Bytes outside the log keep their promises through kills and power cuts (bytes_life.cpp), and while data files are exchanged
// (exchange_life.cpp). FJ_SEED chooses the first life, FJ_LIVES how many.
#include <string>

#include "tests/support/play_lives.h"
#include "tests/world/asking.h"
#include "tests/world/lives.h"

namespace fastjournal::sim::bytes_crashes_test {

BOOST_AUTO_TEST_SUITE(bytes_crashes)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_is_there) {
  test::play_lives(1, 30, [](std::uint64_t seed) { return live_with_bytes(seed, 400); });
}

// Each way of coming was seen in each mode at each moment.
BOOST_AUTO_TEST_CASE(values_on_their_way_survive_exchanges_of_their_files) {
  test::Counts counts = test::play_lives(1, 12, [](std::uint64_t seed) { return live_with_exchanges(seed, 100); });
  if (counts["steps"] >= 1'200) BOOST_TEST(not_seen(counts) == "");
  BOOST_TEST(counts["readers by name ended"] > 0U);
}

// As for a log's folder: answers more than 100 ms after that could be about bytes that nobody finds.
BOOST_AUTO_TEST_CASE(nothing_is_acknowledged_once_the_files_of_bytes_are_gone) {
  struct Kind {
    std::string table;
    std::string command;  // and a number, and the value
    std::string answer;
    std::size_t bytes;
  };
  Kind const kinds[] = {{"spilling", "INSERT table=spilling;name=n{};payload=", "INSERTED", 40'000},
                        {"post", "SEND table=post;queue=orders;body={}", "SENT", 300'000},
                        {"exchanged", "PUT table=exchanged;key=k{};data=", "STORED", 400},
                        {"exchanged", "PUT table=exchanged;key=k{};data=", "STORED", 300'000}};
  for (Kind const& kind : kinds)
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
