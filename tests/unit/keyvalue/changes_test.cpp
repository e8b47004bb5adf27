// Counters, sizes, keys, locks, ranges, limits.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/seed.h"
#include "tests/unit/keyvalue/harness.h"

namespace fastjournal::keyvalue::test {

BOOST_AUTO_TEST_SUITE(keyvalue_changes)

BOOST_AUTO_TEST_CASE(counters) {
  Harness table;
  BOOST_TEST(table.run("ADD", {{"key", "n"}}).get("value") == "1");
  BOOST_TEST(table.run("ADD", {{"key", "n"}, {"by", "-3"}}).get("value") == "-2");
  BOOST_TEST(table.run("ADD", {{"key", "n"}, {"by", "0.5"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("ADD", {{"key", "f"}, {"by", "0.5"}}).get("type") == "float");
  BOOST_TEST(table.run("ADD", {{"key", "f"}, {"by", "2"}}).get("value") == "2.500000");
  table.set("big", "9223372036854775807", {{"type", "integer"}});
  BOOST_TEST(table.run("ADD", {{"key", "big"}}).error() == "bad_parameter");
  BOOST_TEST(table.value("big") == "9223372036854775807");
  table.set("huge", "1.7e308", {{"type", "float"}});
  BOOST_TEST(table.run("ADD", {{"key", "huge"}, {"by", "1.7e308"}}).error() == "bad_parameter");
  table.set("text", "7");
  BOOST_TEST(table.run("ADD", {{"key", "text"}}).error() == "wrong_state");
  table.set("flag", "true", {{"type", "boolean"}});
  BOOST_TEST(table.run("NOT", {{"key", "flag"}}).get("value") == "0");
  BOOST_TEST(table.run("NOT", {{"key", "flag"}}).get("value") == "1");
  BOOST_TEST(table.run("NOT", {{"key", "text"}}).error() == "wrong_state");
  BOOST_TEST(table.run("NOT", {{"key", "none"}}).error() == "not_found");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(values_are_cut_and_grow_by_zeros) {
  Harness table;
  table.set("a", "abcdef");
  BOOST_TEST(table.run("TRUNCATE", {{"key", "a"}, {"size", "3"}}).get("result") == "stored");
  BOOST_TEST(table.value("a") == "abc");
  table.run("TRUNCATE", {{"key", "a"}, {"size", "5"}});
  BOOST_TEST(table.value("a") == std::string("abc\0\0", 5));
  BOOST_TEST(table.run("TRUNCATE", {{"key", "a"}, {"size", "16777217"}}).error() == "bad_parameter");
  table.run("TRUNCATE", {{"key", "a"}, {"size", "16777216"}});
  BOOST_TEST(table.value("a").size() == 16'777'216U);
  BOOST_TEST(table.replays());
  // Neither is a large value copied into the log, nor does it move when it is read.
  BOOST_TEST(table.log.end().value < 16'384U);
  table.set("cut", "\xc3\xa4");
  table.run("TRUNCATE", {{"key", "cut"}, {"size", "1"}});
  BOOST_TEST(table.get("cut").get("value_binary") == "\xc3");
  table.run("ADD", {{"key", "n"}});
  BOOST_TEST(table.run("TRUNCATE", {{"key", "n"}, {"size", "3"}}).error() == "wrong_state");
  BOOST_TEST(table.run("TRUNCATE", {{"key", "none"}, {"size", "3"}}).error() == "not_found");
}

BOOST_AUTO_TEST_CASE(a_key_is_renamed_in_one_step) {
  Harness table;
  table.set("old", "v", {{"persist", "0"}});
  BOOST_TEST(table.run("RENAME", {{"key", "old"}, {"new_key", "new"}}).get("result") == "stored");
  BOOST_TEST(table.value("old") == "-");
  BOOST_TEST(table.value("new") == "v");
  BOOST_TEST(table.keys() == "new ");
  // A tombstone stays.
  std::string const before = std::to_string((table.now.value - 1) * 1000);
  BOOST_TEST(table.set("old", "late", {{"timestamp", before}}).get("result") == "stale");
  table.set("third", "w");
  BOOST_TEST(table.run("RENAME", {{"key", "new"}, {"new_key", "third"}}).get("result") == "exists");
  Reply const over = table.run("RENAME", {{"key", "new"}, {"new_key", "third"}, {"overwrite", "1"}});
  BOOST_TEST(over.get("result") == "stored");
  BOOST_TEST((over.durability == Durability::synced));  // what was there was persistent
  BOOST_TEST(table.value("third") == "v");
  BOOST_TEST(table.run("RENAME", {{"key", "third"}, {"new_key", "third"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("RENAME", {{"key", "none"}, {"new_key", "x"}}).error() == "not_found");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_value_has_several_keys) {
  Harness table;
  table.set("a", "1");
  BOOST_TEST(table.run("ALIAS", {{"key", "a"}, {"new_key", "b"}}).get("result") == "stored");
  BOOST_TEST(table.run("ALIAS", {{"key", "b"}, {"new_key", "c"}}).get("result") == "stored");
  table.set("x", "other");
  BOOST_TEST(table.run("ALIAS", {{"key", "a"}, {"new_key", "x"}}).get("result") == "exists");
  table.set("c", "2");
  BOOST_TEST(table.value("a") == "2");
  BOOST_TEST(table.value("b") == "2");
  BOOST_TEST(table.get("c", {{"facts", "1"}}).get("main_key") == "a");
  BOOST_TEST(table.keys() == "a b c x ");
  // One of the keys gets another name; then the main one.
  table.run("RENAME", {{"key", "b"}, {"new_key", "d"}});
  BOOST_TEST(table.keys() == "a c d x ");
  table.run("RENAME", {{"key", "a"}, {"new_key", "e"}});
  BOOST_TEST(table.keys() == "c d e x ");
  BOOST_TEST(table.value("c") == "2");
  BOOST_TEST(table.replays());
  table.restart();
  BOOST_TEST(table.keys() == "c d e x ");
  // All of them go with the value, and each is remembered.
  BOOST_TEST(table.run("DELETE", {{"key", "c"}}).get("result") == "deleted");
  BOOST_TEST(table.keys() == "x ");
  std::string const before = std::to_string((table.now.value - 1) * 1000);
  for (std::string const key : {"c", "d", "e"})
    BOOST_TEST(table.set(key, "late", {{"timestamp", before}}).get("result") == "stale", key);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(no_more_than_so_many_keys) {
  Harness table{{{"key-size-max", "4KiB"}}};
  table.set("a", "1");
  for (int i = 0; i < 16; ++i)
    BOOST_TEST(table.run("ALIAS", {{"key", "a"}, {"new_key", "b" + std::to_string(i)}}).get("result") == "stored");
  BOOST_TEST(table.run("ALIAS", {{"key", "a"}, {"new_key", "c"}}).error() == "over_limit");
  table.set(std::string(4096, 'k'), "1");
  BOOST_TEST(table.run("ALIAS", {{"key", std::string(4096, 'k')}, {"new_key", std::string(4096, 'l')}}).get("result") ==
             "stored");
  BOOST_TEST(table.run("ALIAS", {{"key", std::string(4096, 'k')}, {"new_key", "m"}}).error() == "over_limit");
  table.run("DELETE", {{"key", std::string(4096, 'l')}});
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(one_connection_locks_a_value) {
  Harness table;
  table.set("a", "1");
  Reply const locked = table.run("LOCK", {{"key", "a"}, {"lock", "5000"}}, 7);
  BOOST_TEST(locked.name() == "LOCKED");
  BOOST_TEST(locked.get("lock_end") == std::to_string(table.now.value + 5'000));
  BOOST_TEST((locked.durability == Durability::written));
  BOOST_TEST(table.get("a").get("locked") == "1");
  for (std::string const command : {"SET", "DELETE", "ADD", "RENAME", "ALIAS", "LOCK", "UNLOCK", "TRUNCATE"}) {
    Reply const refused =
        table.run(command, {{"key", "a"}, {"value", "2"}, {"new_key", "b"}, {"lock", "1"}, {"size", "1"}}, 8);
    BOOST_TEST(refused.error() == "in_use", command);
  }
  table.set("b", "1");
  BOOST_TEST(table.run("RENAME", {{"key", "b"}, {"new_key", "a"}, {"overwrite", "1"}}, 8).error() == "in_use");
  BOOST_TEST(table.set("a", "mine", {}, 7).get("result") == "stored");
  BOOST_TEST(table.get("a").get("locked") == "1");
  BOOST_TEST(table.alerts.held[ConnectionId{7}] == 1);
  BOOST_TEST(table.run("UNLOCK", {{"key", "a"}}, 7).name() == "UNLOCKED");
  BOOST_TEST(table.run("UNLOCK", {{"key", "a"}}, 7).error() == "wrong_state");
  BOOST_TEST(table.alerts.held[ConnectionId{7}] == 0);
  BOOST_TEST(table.set("a", "2", {}, 8).get("result") == "stored");
  // The end of the time, of the connection, of the daemon.
  table.run("LOCK", {{"key", "a"}, {"lock", "5000"}}, 7);
  table.pass(5'000);
  BOOST_TEST(table.set("a", "3", {}, 8).get("result") == "stored");
  table.run("LOCK", {{"key", "a"}, {"lock", "5000"}}, 7);
  table.run("LOCK", {{"key", "b"}, {"lock", "5000"}}, 7);
  table.close(7);
  BOOST_TEST(table.set("a", "4", {}, 8).get("result") == "stored");
  BOOST_TEST(table.alerts.held[ConnectionId{7}] == 0);
  table.run("LOCK", {{"key", "a"}, {"lock", "5000"}}, 7);
  BOOST_TEST(table.replays());
  table.restart();
  BOOST_TEST(table.set("a", "5", {}, 8).get("result") == "stored");
  // Time in which nobody could work does not count.
  table.run("LOCK", {{"key", "a"}, {"lock", "5000"}}, 7);
  table.lose(60'000);
  BOOST_TEST(table.set("a", "6", {}, 8).error() == "in_use");
  BOOST_TEST(table.run("LOCK", {{"key", "none"}, {"lock", "1"}}).error() == "not_found");
  BOOST_TEST(table.run("LOCK", {{"key", "b"}, {"lock", "3600001"}}).error() == "bad_parameter");
}

BOOST_AUTO_TEST_CASE(ranges_come_in_pages_that_survive_changes) {
  Harness table;
  for (int i = 0; i < 30; ++i) table.set("k" + std::to_string(100 + i), std::to_string(i));
  table.set("j", "");
  table.set("l", "");
  BOOST_TEST(table.keys({{"from", "k105"}, {"to", "k108"}}) == "k105 k106 k107 ");
  BOOST_TEST(table.keys({{"prefix", "k11"}}) == "k110 k111 k112 k113 k114 k115 k116 k117 k118 k119 ");
  BOOST_TEST(table.keys({{"from", "k128"}}) == "k128 k129 l ");
  BOOST_TEST(table.keys({{"to", "k101"}}) == "j k100 ");
  BOOST_TEST(table.keys({{"prefix", "none"}}) == "");
  Reply const page = table.run("GET", {{"prefix", "k"}, {"count", "10"}});
  BOOST_TEST(page.messages.size() == 10U);
  BOOST_TEST(page.get("after", 8) == "-");
  BOOST_TEST(page.get("after", 9) == "k109");
  table.run("DELETE", {{"key", "k109"}});
  table.run("DELETE", {{"key", "k110"}});
  table.set("k1095", "");
  BOOST_TEST(table.keys({{"prefix", "k"}, {"count", "3"}, {"after", "k109"}}) == "k1095 k111 k112 ");
  Reply const last = table.run("GET", {{"prefix", "k"}, {"count", "3"}, {"after", "k126"}});
  BOOST_TEST(last.messages.size() == 3U);
  BOOST_TEST(last.get("after", 2) == "-");
  BOOST_TEST(table.run("GET", {{"prefix", "k"}, {"after", "k999"}}).name() == "NOTHING");
  BOOST_TEST(table.run("GET", {{"count", "1001"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("GET", {{"key", "a"}, {"count", "1"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("GET", {{"prefix", "a"}, {"ttl", "1"}}).error() == "bad_parameter");
}

// What is gone is looked at as well.
BOOST_AUTO_TEST_CASE(a_page_without_pairs_goes_on) {
  Harness table;
  for (int i = 0; i < 10'500; ++i) {
    std::string const key = std::to_string(100'000 + i);
    table.set(key, "");
    table.run("DELETE", {{"key", key}});
  }
  table.set("z", "");
  Reply const first = table.run("GET", {});
  BOOST_TEST(first.name() == "NOTHING");
  BOOST_TEST(first.get("after") == "109999");
  BOOST_TEST(table.keys({{"after", "109999"}}) == "z ");
}

BOOST_AUTO_TEST_CASE(what_somebody_works_on_is_hidden_from_those_who_ask_for_that) {
  Harness table;
  for (std::string const key : {"a:2", "a:1", "b:1"}) table.set(key, key);
  auto const next = [&] {
    return table.run("GET", {{"prefix", "a:"}, {"worked_on", "5000"}, {"count", "1"}}).get("key");
  };
  BOOST_TEST(next() == "a:1");
  BOOST_TEST(next() == "a:2");
  BOOST_TEST(next() == "-");
  BOOST_TEST(table.keys({{"skip_worked_on", "1"}}) == "b:1 ");
  BOOST_TEST(table.keys() == "a:1 a:2 b:1 ");
  BOOST_TEST(table.get("a:1").get("worked_on") == "1");
  BOOST_TEST(table.get("a:1", {{"skip_worked_on", "1"}}).name() == "NOTHING");
  BOOST_TEST(table.replays());
  table.restart();
  BOOST_TEST(next() == "-");
  table.pass(5'000);
  BOOST_TEST(next() == "a:1");
  // A new value is not worked on.
  table.set("a:1", "new");
  BOOST_TEST(next() == "a:1");
}

BOOST_AUTO_TEST_CASE(a_full_table_refuses_or_drops_what_was_not_used) {
  Harness table{{{"pairs-max", "3"}}};
  for (std::string const key : {"a", "b", "c"}) table.set(key, "1");
  Reply const refused = table.set("d", "1");
  BOOST_TEST(refused.error() == "over_limit");
  BOOST_TEST(refused.status.message().find("when-full evict") != std::string::npos);
  BOOST_TEST(table.set("a", "2").get("result") == "stored");
  Harness cache{{{"pairs-max", "3"}, {"when-full", "evict"}, {"persist", "false"}}};
  for (std::string const key : {"a", "b", "c"}) {
    cache.set(key, "1");
    cache.pass(1'000);
  }
  BOOST_TEST(cache.value("a") == "1");
  cache.pass(1'000);
  BOOST_TEST(cache.set("d", "1").get("result") == "stored");
  BOOST_TEST(cache.keys() == "a c d ");
  cache.set("e", "1", {{"persist", "1"}});
  cache.set("f", "1", {{"persist", "1"}});
  cache.set("g", "1", {{"persist", "1"}});
  BOOST_TEST(cache.keys() == "e f g ");
  BOOST_TEST(cache.set("h", "1").error() == "over_limit");
  BOOST_TEST(cache.replays());
}

BOOST_AUTO_TEST_CASE(memory_is_bounded) {
  Harness cache{{{"memory-max", "1MiB"}, {"when-full", "evict"}, {"persist", "false"}}};
  std::string const value(2'000, 'v');
  for (int i = 0; i < 3'000; ++i) {
    BOOST_TEST_REQUIRE(cache.set("k" + std::to_string(i), value).get("result") == "stored");
    BOOST_TEST_REQUIRE(cache.table->memory_bytes() <= (1U << 20U) + (128U << 10U));
  }
  BOOST_TEST(cache.value("k2999") == value);
  BOOST_TEST(cache.replays());
}

// However many there are.
std::uint64_t pairs_of(Harness& cache) {
  std::uint64_t count = 0;
  for (std::string after;;) {
    Texts range{{"count", "1000"}, {"data", "0"}};
    if (!after.empty()) range["after"] = after;
    Reply const page = cache.run("GET", range);
    for (std::size_t i = 0; i < page.messages.size(); ++i) count += page.name(i) == "PAIR" ? 1U : 0U;
    after = page.get("after", page.messages.size() - 1);
    if (after == "-") return count;
  }
}

// A pair makes room for one of its size. Memory is given back in pages of one size only: without that, hundreds would
// be dropped for one.
BOOST_AUTO_TEST_CASE(a_cache_of_values_of_all_sizes_drops_no_more_than_it_must) {
  Harness cache{{{"memory-max", "1MiB"}, {"when-full", "evict"}, {"persist", "false"}}};
  std::uint64_t const seed = fastjournal::test::seed_or(1);
  std::mt19937_64 chance{seed};
  std::size_t refused = 0;
  std::uint64_t fewest = UINT64_MAX;
  std::uint64_t bytes = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string const value(1 + chance() % 1'000, 'v');
    if (cache.set("k" + std::to_string(chance() % 1'000'000), value).get("result") != "stored") ++refused;
    bytes = std::max(bytes, cache.table->memory_bytes());
    if (i > 5'000 && i % 500 == 0) fewest = std::min(fewest, pairs_of(cache));
  }
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    BOOST_TEST(refused == 0U);
    BOOST_TEST(fewest > 1'200U);
    BOOST_TEST(bytes <= (1U << 20U) + (128U << 10U));
  }
  BOOST_TEST(cache.replays());
}

// Large ones come when the cache is full of small ones: memory of many must go for one.
BOOST_AUTO_TEST_CASE(a_cache_takes_values_that_become_larger) {
  Harness cache{{{"memory-max", "1MiB"}, {"when-full", "evict"}, {"persist", "false"}}};
  std::uint64_t const seed = fastjournal::test::seed_or(1);
  std::mt19937_64 chance{seed};
  std::size_t refused = 0;
  std::string why;
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    std::string const value(1 + chance() % (1 + i * 3), 'v');
    Reply const reply = cache.set("k" + std::to_string(chance() % 1'000'000), value);
    if (reply.get("result") == "stored") continue;
    if (++refused < 5)
      why += std::to_string(i) + ", " + std::to_string(value.size()) + " bytes: " + reply.status.message() + "\n";
  }
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) { BOOST_TEST(refused == 0U, why); }
  BOOST_TEST(cache.replays());
}

// As a SET does: one pair goes for it, where without its size hundreds would.
BOOST_AUTO_TEST_CASE(more_keys_and_longer_values_drop_no_more_than_they_must) {
  Harness cache{{{"memory-max", "1MiB"}, {"when-full", "evict"}, {"persist", "false"}}};
  std::uint64_t const seed = fastjournal::test::seed_or(1);
  std::mt19937_64 chance{seed};
  int keys = 0;
  for (auto const& [command, name, value] :
       {std::tuple{"ALIAS", "new_key", "alias"}, {"RENAME", "new_key", "name"}, {"TRUNCATE", "size", "900"}}) {
    for (int i = 0; i < 4'000; ++i) cache.set("k" + std::to_string(keys++), std::string(1 + chance() % 1'000, 'v'));
    cache.set("own", std::string(300, 'v'));
    std::uint64_t const before = pairs_of(cache);
    Reply const reply = cache.run(command, {{"key", "own"}, {name, value}});
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
      BOOST_TEST(reply.get("result") == "stored", command << ": " << reply.status.message());
      BOOST_TEST(pairs_of(cache) + 4 >= before, command);
    }
  }
  BOOST_TEST(cache.replays());
}

// However many persistent ones stand between those that may go.
BOOST_AUTO_TEST_CASE(a_cache_beside_persistent_pairs_finds_what_may_go) {
  Harness cache{{{"pairs-max", "3000"}, {"when-full", "evict"}}};
  auto const store = [&](std::string const& key, std::string const& persist) {
    return cache.run("SET", {{"key", key}, {"value", "v"}, {"persist", persist}});
  };
  for (int i = 0; i < 2'500; ++i) store("a" + std::to_string(i), "1");
  for (int i = 0; i < 500; ++i) store("b" + std::to_string(i), "0");
  for (int i = 0; i < 500; ++i) BOOST_TEST(store("c" + std::to_string(i), "1").get("result") == "stored");
  std::string const refused = store("d", "1").status.message();
  BOOST_TEST(refused.find("nothing without persist is left to be dropped") != std::string::npos, refused);
}

BOOST_AUTO_TEST_CASE(pairs_are_compacted) {
  Harness table;
  for (int i = 0; i < 200; ++i) table.set("k" + std::to_string(i), std::string(static_cast<std::size_t>(i * 50), 'v'));
  table.run("ALIAS", {{"key", "k7"}, {"new_key", "alias"}});
  table.run("LOCK", {{"key", "k8"}, {"lock", "60000"}}, 5);
  table.run("DELETE", {{"key", "k9"}});
  table.run("ADD", {{"key", "n"}, {"client", "c"}, {"sequence", "1"}});
  table.log.skip(1U << 20U);
  std::uint64_t const digest = digest_of(*table.table);
  Lsn const end = table.log.end();
  BOOST_TEST(table.compact(end) > 10U);
  BOOST_TEST((table.table->oldest_lsn() >= Lsn{end.value - kOldestLsnGrain}));
  BOOST_TEST(digest_of(*table.table) == digest);
  BOOST_TEST(digest_of(*table.replayed(table.table->oldest_lsn())) == digest);
  BOOST_TEST(table.alerts.held[ConnectionId{5}] == 1);
  table.restart();
  BOOST_TEST(table.value("alias") == std::string(350, 'v'));
}

// What a command does beside the pair that it names is done in a replay too, which may not know that pair (yet): it was
// compacted behind the command, or never, as it has ended since.
BOOST_AUTO_TEST_CASE(values_of_several_keys_outlive_a_start_while_they_are_compacted) {
  using Commands = std::vector<std::pair<std::string, Texts>>;
  std::vector<Commands> const all{
      {{"DELETE", {{"key", "other"}}}},
      {{"DELETE", {{"key", "main"}}}},
      {{"DELETE", {{"key", "other"}, {"complete", "1"}}}},
      {{"SET", {{"key", "other"}, {"value", "w"}}}},
      {{"RENAME", {{"key", "other"}, {"new_key", "z"}}}},
      {{"RENAME", {{"key", "main"}, {"new_key", "second"}, {"overwrite", "1"}}}},
      {{"RENAME", {{"key", "second"}, {"new_key", "other"}, {"overwrite", "1"}}}},
      {{"RENAME", {{"key", "main"}, {"new_key", "z"}}}, {"DELETE", {{"key", "z"}}}},
      {{"DELETE", {{"key", "second"}}}, {"ALIAS", {{"key", "main"}, {"new_key", "second"}}}},
      // The tombstone ends with the alias, and the alias with its value.
      {{"DELETE", {{"key", "second"}}},
       {"ALIAS", {{"key", "main"}, {"new_key", "second"}}},
       {"DELETE", {{"key", "main"}, {"complete", "1"}}}},
      {{"DELETE", {{"key", "second"}}},
       {"ALIAS", {{"key", "main"}, {"new_key", "second"}}},
       {"RENAME", {{"key", "second"}, {"new_key", "z"}}},
       {"DELETE", {{"key", "main"}, {"complete", "1"}}}},
  };
  for (Commands const& commands : all)
    for (std::size_t steps = 0; steps < 8; ++steps) {
      Harness table;
      table.set("main", "v", {{"persist", "1"}});
      table.run("ALIAS", {{"key", "main"}, {"new_key", "other"}});
      table.set("second", "w", {{"persist", "1"}});
      table.set("third", "x");
      table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
      Lsn const below = table.log.end();
      if (steps > 0) table.compact(below, 64, steps);
      for (auto const& [command, with] : commands) BOOST_TEST_REQUIRE(table.run(command, with).error() == "");
      table.compact(below, 64);
      BOOST_TEST_REQUIRE((table.table->oldest_lsn() >= below));
      std::string const shown = commands.back().first + " of " + commands.back().second.at("key") + " after " +
                                std::to_string(steps) + " steps";
      BOOST_TEST(digest_of(*table.replayed(table.table->oldest_lsn())) == digest_of(*table.table), shown);
      std::string const keys = table.keys();
      table.restart();
      BOOST_TEST(table.keys() == keys, shown);
      BOOST_TEST(table.value("third") == "x");
    }
}

BOOST_AUTO_TEST_CASE(a_clock_that_was_ahead_leaves_no_dates_of_the_future) {
  Harness table;
  table.set("a", "1");
  table.run("LOCK", {{"key", "a"}, {"lock", "60000"}}, 5);
  TimeMs const right{table.now.value - 86'400'000};
  table.restart(0, right);
  BOOST_TEST(table.get("a", {{"facts", "1"}}).get("modification_date") == std::to_string(right.value));
  BOOST_TEST(table.set("a", "2").get("result") == "stored");
  BOOST_TEST(table.get("a").get("timestamp") == std::to_string(right.value * 1000 + 1));
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::keyvalue::test
