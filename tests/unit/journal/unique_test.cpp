// Keys of which no further row is taken for a time after one is done.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

struct UniqueFixture : Harness {
  std::string finish(std::string const& key, Texts more = {}) {
    more["k"] = key;
    run("INSERT", more);
    Reply const lease = run("NEXT", {});
    check(lease.get("k") == key, "another row came first");
    run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
    return lease.get("row");
  }
  std::string again(std::string const& key) { return run("INSERT", {{"k", key}}).get("result"); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_unique)

BOOST_FIXTURE_TEST_CASE(for_a_time_after_a_row_is_done_none_of_its_key_is_taken, UniqueFixture) {
  std::string const row = finish("a", {{"unique_for", "60000"}});
  std::int64_t const ended = now.value;
  pass(59'999);
  Reply const told = run("INSERT", {{"k", "a"}});
  BOOST_TEST(told.get("result") == "unique");
  BOOST_TEST(told.get("row") == row);
  BOOST_TEST(told.get("ended_date") == std::to_string(ended));
  BOOST_TEST(told.get("unique_until") == std::to_string(ended + 60'000));
  BOOST_TEST(run("LIST", {}).name() == "NOTHING");
  BOOST_TEST(again("b") == "inserted");
  BOOST_TEST(replays());
  restart();
  BOOST_TEST(again("a") == "unique");
  pass(1);
  BOOST_TEST(again("a") == "inserted");
  BOOST_TEST(replays());
  restart();
  BOOST_TEST(again("a") == "merged");
}

BOOST_FIXTURE_TEST_CASE(the_table_may_say_it_and_refuse, UniqueFixture) {
  change({{"unique-for", "1m"}, {"when-unique", "refuse"}});
  std::string const row = finish("a");
  Reply const refused = run("INSERT", {{"k", "a"}});
  BOOST_TEST(refused.error() == "wrong_state");
  BOOST_TEST(refused.status.message().find("row " + row + " of this key is done since ") != std::string::npos);
  // A row says it in place of the table.
  finish("b", {{"unique_for", "5000"}});
  pass(5000);
  BOOST_TEST(again("b") == "inserted");
  // Without the option it is still there.
  change({});
  BOOST_TEST(again("a") == "unique");
  BOOST_TEST(replays());
}

// Whoever deletes a row, or gives it up, may put it again.
BOOST_FIXTURE_TEST_CASE(only_rows_that_are_done_count, UniqueFixture) {
  change({{"unique-for", "1m"}, {"when-failed", "delete"}});
  run("INSERT", {{"k", "a"}});
  run("DELETE", {{"k", "a"}});
  BOOST_TEST(again("a") == "inserted");
  Reply lease = run("NEXT", {});
  run("FAIL", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(again("a") == "inserted");
  // One that waits behind the row that is done stays, and takes merges.
  lease = run("NEXT", {});
  BOOST_TEST(again("a") == "behind");
  run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(again("a") == "merged");
  // Its end begins another time.
  pass(59'000);
  BOOST_TEST(run("NEXT", {{"done", "1"}}).get("k") == "a");
  pass(59'000);
  BOOST_TEST(again("a") == "unique");
  pass(1000);
  BOOST_TEST(again("a") == "inserted");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_resent_insert_is_a_duplicate_of_the_row_that_is_done, UniqueFixture) {
  std::string const row = finish("a", {{"unique_for", "60000"}});
  Texts const numbered{{"k", "a"}, {"client", "c"}, {"sequence", "1"}};
  BOOST_TEST(run("INSERT", numbered).get("result") == "unique");
  Reply const resent = run("INSERT", numbered);
  BOOST_TEST((resent.get("result") == "duplicate" && resent.get("row") == row));
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(beyond_the_most_the_first_to_be_over_are_forgotten, UniqueFixture) {
  change({{"unique-for", "1m"}, {"uniques-max", "10"}});
  std::uint64_t const before = table->memory_bytes();
  for (int i = 0; i < 12; ++i) finish("k" + std::to_string(i), i == 5 ? Texts{{"unique_for", "1000"}} : Texts{});
  pass(0);
  BOOST_TEST(again("k5") == "inserted");
  BOOST_TEST(again("k0") == "inserted");
  BOOST_TEST(again("k1") == "unique");
  BOOST_TEST(table->memory_bytes() > before + 10 * 100);
  BOOST_TEST(replays());
  pass(60'000);
  BOOST_TEST(again("k11") == "inserted");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(they_are_compacted_and_in_snapshots, UniqueFixture) {
  for (int i = 0; i < 300; ++i) finish("k" + std::to_string(i), {{"unique_for", "3600000"}});
  std::uint64_t const before = digest_of(*table);
  compact(log.end(), 1000);
  BOOST_TEST(digest_of(*table) == before);
  BOOST_TEST(replays());
  auto const copy = std::make_unique<journal::Journal>(context, type, declaration);
  MemoryLog pages;
  for (SnapshotCursor cursor; !cursor.complete;) table->snapshot(cursor, 2000, pages);
  NoObserver nobody;
  for (auto const& record : pages.stored())
    BOOST_REQUIRE(copy->apply(record.view(), {.live = false, .now = {}, .base = Lsn{8}}, nobody));
  BOOST_TEST(digest_of(*copy) == before);
  restart();
  BOOST_TEST(digest_of(*table) == before);
  BOOST_TEST(again("k7") == "unique");
}

BOOST_AUTO_TEST_CASE(a_table_without_keys_knows_none) {
  auto plain = std::make_shared<TableDeclaration>(*declare());
  plain->schema.key.clear();
  Harness h{std::shared_ptr<TableDeclaration const>{plain}};
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"unique_for", "1000"}}).error() == "bad_parameter");
  auto bad = std::make_shared<TableDeclaration>(*declare({{"unique-for", "1m"}}));
  bad->schema.key.clear();
  for (OptionValue& option : bad->options)
    if (option.name == "unique-for") option.given = true;
  BOOST_TEST(!journal::Journal::check(*bad).ok());
}

BOOST_AUTO_TEST_SUITE_END()
