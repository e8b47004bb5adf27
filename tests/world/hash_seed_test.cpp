// Names hash with a seed that each process draws. No answer, push, record of a log or digest may depend on it: two
// worlds that differ only in this seed send the same messages.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <random>
#include <string>

#include "config/table_reader.h"
#include "plugins/journal/journal.h"
#include "tests/support/colliding.h"
#include "tests/support/seed.h"
#include "tests/world/world.h"

namespace fastjournal::sim::hash_seed_test {
namespace {

constexpr int kCommands = 3000;

// A command that uses an index of names: keys, domains, clients or workers.
std::string draw_command(std::mt19937_64& chance, std::string const& row) {
  auto const name = [&](std::string const& what, std::uint64_t of) { return what + std::to_string(chance() % of); };
  std::string const uri = "http://" + name("host", 40) + ".org/" + name("page", 30);
  switch (chance() % 8) {
    case 0:
    case 1:
    case 2: return "INSERT table=sites;uri=" + uri + ";client=" + name("client", 50) + ";sequence=" + name("", 900);
    case 3: return "NEXT table=sites;worker=" + name("worker", 60) + ";count=" + std::to_string(1 + chance() % 3);
    case 4: return "LIST table=sites;count=20;after=" + row;
    case 5: return "NEXT table=sites;domain=" + name("host", 40) + ".org";
    case 6: return "WHY table=sites;uri=" + uri;
    default: return "DELETE table=sites;uri=" + uri;
  }
}

// All messages of a life, and the digest at its end.
std::string live(std::uint64_t seed, std::uint64_t hash_seed) {
  World world{seed};
  world.hash_seed = hash_seed;
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/sites.xml").ok());
  BOOST_REQUIRE(world.start().ok());
  std::mt19937_64 chance{seed};
  std::string heard;
  std::string row = "0";
  for (int i = 0; i < kCommands; ++i) {
    world.send("one", draw_command(chance, row));
    world.send("listener", "LISTEN table=sites;mode=row");
    world.settle();
    for (char const* const who : {"one", "listener"}) {
      while (auto const line = world.take_line(who)) {
        heard += *line + "\n";
        if (std::size_t const at = line->find(";row="); at != std::string::npos)
          row = line->substr(at + 5, line->find(';', at + 5) - at - 5);
      }
    }
    if (i % 500 == 0) world.advance(DurationMs{70'000});
    if (i % 1000 == 999) {
      world.kill();
      BOOST_REQUIRE(world.start().ok());
    }
  }
  return heard + std::to_string(world.engine().digest());
}

// Inserts 1000 rows whose keys collide under seed 0, and restarts. Returns the largest number of rows with one hash,
// which must be the same before and after.
std::uint32_t most_of_one_hash(std::uint64_t hash_seed) {
  World world{1};
  world.hash_seed = hash_seed;
  config::TypesByName types;
  for (auto const& [name, type] : world.types()) types.emplace(name, type->declaration());
  Result<TableDeclaration> table = config::read_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml", types);
  BOOST_REQUIRE(table.ok());
  table->schema.columns[0].type = ColumnType::uint64;
  world.add_table(std::make_shared<TableDeclaration>(std::move(table).value()));
  BOOST_REQUIRE(world.start().ok());
  for (std::uint32_t i = 0; i < 1000; ++i) {
    std::uint64_t key = 0;
    for (char const c : test::colliding_bytes(7, i)) key = key << 8U | static_cast<unsigned char>(c);
    world.send("one", "INSERT table=jobs;name=" + std::to_string(key));
  }
  world.settle();
  auto const most = [&world] {
    auto const& journal = dynamic_cast<journal::Journal const&>(*world.engine().find_table("jobs")->table);
    BOOST_TEST(journal.state().rows().size() == 1000U);
    return journal.state().keys().index().most_of_one_hash();
  };
  std::uint32_t const live = most();
  BOOST_REQUIRE(world.stop().ok());
  BOOST_REQUIRE(world.start().ok());
  BOOST_TEST(most() == live);
  return live;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hash_seed)

BOOST_AUTO_TEST_CASE(it_reaches_tables_that_are_new_and_tables_that_are_replayed) {
  BOOST_TEST(most_of_one_hash(0) == 1000U);
  BOOST_TEST(most_of_one_hash(0x5EED5EED12345678ULL) <= 3U);
}

BOOST_AUTO_TEST_CASE(nothing_that_is_heard_or_logged_depends_on_it) {
  std::uint64_t const seed = test::seed_or(20260105);
  std::string const known = live(seed, 0);
  BOOST_TEST(known.size() > 200'000U);
  BOOST_TEST((known == live(seed, 0x5EED5EED12345678ULL)), "FJ_SEED=" << seed);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::hash_seed_test
