// Repeated reloads: tables are declared and dropped, and what they leave behind does not grow.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::reloads_test {
namespace {

constexpr char kScratch[] = FJ_SOURCE_DIR "/tests/transcripts/scratch.xml";

struct Served : Asking {
  Served() : Asking(21) { serve(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(reloads)

BOOST_FIXTURE_TEST_CASE(a_table_that_is_dropped_leaves_its_place_to_the_next, Served) {
  for (int round = 0; round < 300; ++round) {
    BOOST_REQUIRE(world.add_table(kScratch).ok());
    BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
    // A client listens, and another one takes a row and disconnects.
    std::string const worker = "worker" + std::to_string(round);
    BOOST_REQUIRE(ask("listener", "LISTEN table=scratch").starts_with("LISTENING"));
    BOOST_REQUIRE(ask("main", "INSERT table=scratch;name=a").starts_with("INSERTED"));
    std::string const row = ask(worker, "NEXT table=scratch");
    BOOST_REQUIRE(row.starts_with("ROW"));
    BOOST_REQUIRE(ask("main", "DELETE table=scratch;name=a").starts_with("DELETED"));
    if (round % 2 == 0) world.close(worker);
    world.remove_table("scratch");
    BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
    BOOST_REQUIRE(ask("main", "INSERT table=scratch;name=a").find("unknown_table") != std::string::npos);
    if (round % 2 == 1) world.close(worker);
    while (world.take_line("listener")) {
    }
  }
  BOOST_TEST(world.engine().tables().size() <= 3U);
  BOOST_TEST(ask("main", "INSERT table=jobs;name=a").starts_with("INSERTED"));
  world.kill();
  BOOST_REQUIRE(world.start().ok());
  BOOST_TEST(ask("main", "PEEK table=jobs;name=a").starts_with("ROW"));
}

// What a reload changes is shown and logged.
BOOST_FIXTURE_TEST_CASE(a_secret_is_not_told_with_the_changes, Served) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "images.xml";
  for (std::string const secret : {"the first secret", "the other secret"}) {
    std::ofstream{path} << R"(<table name="images" model="blob"><key-secret>)" << secret << "</key-secret></table>";
    BOOST_REQUIRE(world.add_table(path).ok());
    std::string const said = ask("admin", "RELOAD");
    BOOST_TEST(
        said.find(secret == "the first secret" ? "table images: new" : "key-secret changed") != std::string::npos,
        said);
    BOOST_TEST(said.find("the ") == std::string::npos, said);
  }
}

BOOST_FIXTURE_TEST_CASE(what_was_promised_is_kept_under_smaller_limits, Served) {
  test::TemporaryFolder const folder;
  auto const declare = [&](std::string const& most) {
    std::ofstream{folder / "pairs.xml"} << R"(<table name="pairs" model="keyvalue"><key-size-max>)" << most
                                        << "</key-size-max><value-size-max>" << most << "</value-size-max></table>";
    std::ofstream{folder / "post.xml"} << R"(<table name="post" model="queue"><queues>q</queues><message-size-max>)"
                                       << most << "</message-size-max></table>";
    BOOST_REQUIRE(world.add_table(folder / "pairs.xml").ok());
    BOOST_REQUIRE(world.add_table(folder / "post.xml").ok());
    BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  };
  declare("1024");
  std::string const text(300, 'x');
  BOOST_REQUIRE(ask("main", "XA_START xid=1:ab:").starts_with("STARTED"));
  BOOST_REQUIRE(ask("main", "SET table=pairs;key=" + text + ";value=" + text).starts_with("PROMISED"));
  std::string const promised = ask("main", "SEND table=post;queue=q;body=" + text);
  BOOST_REQUIRE_MESSAGE(promised.starts_with("PROMISED"), promised);
  BOOST_REQUIRE(ask("main", "XA_END xid=1:ab:").starts_with("ENDED"));
  BOOST_REQUIRE(ask("main", "XA_PREPARE xid=1:ab:").starts_with("PREPARED"));
  declare("16");
  BOOST_REQUIRE(ask("main", "SEND table=post;queue=q;body=" + text).find("too_large") != std::string::npos);
  world.send("main", "XA_COMMIT xid=1:ab:");
  world.settle();
  BOOST_TEST(world.take_line("main").value_or("").starts_with("COMMITTED"));
  while (world.take_line("main")) {
  }
  BOOST_TEST(ask("main", "ACQUIRE table=post;queue=q").find(text) != std::string::npos);
}

// One reload drops and adds tables.
BOOST_FIXTURE_TEST_CASE(a_reload_that_exchanges_tables_mixes_nothing_up, Served) {
  BOOST_REQUIRE(world.add_table(kScratch).ok());
  BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
  BOOST_REQUIRE(ask("listener", "LISTEN table=scratch;mode=row").starts_with("LISTENING"));
  for (int round = 0; round < 20; ++round) {
    bool const away = round % 2 == 0;
    if (away) {
      world.remove_table("scratch");
      BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/sites.xml").ok());
    } else {
      world.remove_table("sites");
      BOOST_REQUIRE(world.add_table(kScratch).ok());
    }
    BOOST_REQUIRE(ask("admin", "RELOAD").starts_with("RELOADED"));
    std::string const insert =
        away ? "INSERT table=sites;uri=http://a.org/" : std::string{"INSERT table=scratch;name=a"};
    BOOST_TEST(ask("main", insert).starts_with("INSERTED"));
    BOOST_TEST(ask("main", away ? "DELETE table=sites;uri=http://a.org/" : "DELETE table=scratch;name=a")
                   .starts_with("DELETED"));
    Result<std::uint64_t> const replayed = world.replayed_digest();
    BOOST_REQUIRE(replayed.ok());
    BOOST_TEST(replayed.value() == world.engine().digest());
  }
  BOOST_TEST(world.engine().tables().size() <= 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::reloads_test
