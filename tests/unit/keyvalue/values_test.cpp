// SET, GET and DELETE of single keys: types, conditions, the last writer, and what is remembered.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

#include "tests/unit/keyvalue/harness.h"

namespace fastjournal::keyvalue::test {

BOOST_AUTO_TEST_SUITE(keyvalue_values)

BOOST_AUTO_TEST_CASE(a_value_is_stored_and_shown) {
  Harness table;
  Reply const stored = table.set("a", "first");
  BOOST_TEST(stored.name() == "STORED");
  BOOST_TEST(stored.get("result") == "stored");
  BOOST_TEST((stored.durability == Durability::synced));
  Reply const shown = table.get("a");
  BOOST_TEST(shown.name() == "PAIR");
  BOOST_TEST(shown.get("table") == "pairs");
  BOOST_TEST(shown.get("key") == "a");
  BOOST_TEST(shown.get("type") == "string");
  BOOST_TEST(shown.get("value") == "first");
  BOOST_TEST(shown.get("timestamp") == stored.get("timestamp"));
  table.set("a", "second");
  BOOST_TEST(table.value("a") == "second");
  BOOST_TEST(table.get("b").name() == "NOTHING");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(each_type_has_its_value) {
  Harness table;
  struct Case {
    std::string type, value, shown;
  };
  for (Case const& one :
       {Case{"void", "", "-"}, Case{"buffer", "AAEC", std::string("\0\1\2", 3)}, Case{"string", "text", "text"},
        Case{"integer", "-9223372036854775808", "-9223372036854775808"}, Case{"float", "1.5", "1.500000"},
        Case{"boolean", "true", "1"}, Case{"boolean", "0", "0"}}) {
    BOOST_TEST(table.set("k", one.value, {{"type", one.type}}).get("result") == "stored", one.type);
    BOOST_TEST(table.get("k").get("type") == one.type);
    BOOST_TEST(table.value("k") == one.shown, one.type);
    BOOST_TEST(table.replays());
  }
  for (Case const& one : {Case{"void", "x", ""}, Case{"buffer", "A", ""}, Case{"integer", "1.5", ""},
                          Case{"integer", "9223372036854775808", ""}, Case{"float", "x", ""}, Case{"boolean", "2", ""},
                          Case{"number", "2", ""}})
    BOOST_TEST(table.set("k", one.value, {{"type", one.type}}).error() == "bad_parameter", one.type);
  BOOST_TEST(table.value("k") == "0");
}

BOOST_AUTO_TEST_CASE(keys_that_are_no_text_are_binary) {
  Harness table;
  Message message{"SET"};
  std::string const key("\xff\0z", 3);
  message.set("key", Value::of_binary(key));
  message.set("value", std::string_view{"v"});
  BOOST_TEST(table.run(message).get("result") == "stored");
  Reply const shown = table.run("GET", {{"key_binary", "/wB6"}});
  BOOST_TEST(shown.get("value") == "v");
  BOOST_TEST(shown.get("key_binary") == key);
  BOOST_TEST(shown.get("key") == "-");
  BOOST_TEST(table.run("GET", {{"key_binary", "/wB"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("GET", {{"key", "a"}, {"key_binary", "/wB6"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("GET", {{"key", ""}}).error() == "bad_parameter");
  BOOST_TEST(table.run("SET", {{"value", "v"}}).error() == "missing_parameter");
  BOOST_TEST(table.set(std::string(1025, 'k'), "v").error() == "too_large");
  BOOST_TEST(table.set(std::string(1024, 'k'), "v").get("result") == "stored");
}

BOOST_AUTO_TEST_CASE(a_value_may_be_set_only_where_none_is) {
  Harness table;
  BOOST_TEST(table.set("a", "1", {{"overwrite", "0"}}).get("result") == "stored");
  BOOST_TEST(table.set("a", "2", {{"overwrite", "0"}}).get("result") == "exists");
  BOOST_TEST(table.value("a") == "1");
  table.run("DELETE", {{"key", "a"}});
  BOOST_TEST(table.set("a", "3", {{"overwrite", "0"}}).get("result") == "stored");
}

BOOST_AUTO_TEST_CASE(compare_and_set_by_timestamp_and_by_value) {
  Harness table;
  BOOST_TEST(table.set("a", "1", {{"if_timestamp", "0"}}).get("result") == "stored");
  BOOST_TEST(table.set("a", "2", {{"if_timestamp", "0"}}).get("result") == "mismatch");
  std::string const first = table.get("a").get("timestamp");
  // In the same millisecond the timestamp is another one.
  Reply const second = table.set("a", "2", {{"if_timestamp", first}});
  BOOST_TEST(second.get("result") == "stored");
  BOOST_TEST(second.get("timestamp") != first);
  BOOST_TEST(table.set("a", "3", {{"if_timestamp", first}}).get("result") == "mismatch");
  BOOST_TEST(table.set("a", "3", {{"if_value", "1"}}).get("result") == "mismatch");
  BOOST_TEST(table.set("a", "3", {{"if_value", "2"}}).get("result") == "stored");
  BOOST_TEST(table.run("DELETE", {{"key", "a"}, {"if_timestamp", first}}).get("result") == "mismatch");
  BOOST_TEST(table.value("a") == "3");
  BOOST_TEST(table.set("none", "3", {{"if_value", "2"}}).get("result") == "mismatch");
}

BOOST_AUTO_TEST_CASE(the_last_writer_by_timestamp_wins) {
  Harness table;
  std::int64_t const now = table.now.value * 1000;
  auto const at = [&](std::int64_t us) { return std::to_string(now + us); };
  BOOST_TEST(table.set("a", "new", {{"timestamp", at(-10)}}).get("result") == "stored");
  Reply const stale = table.set("a", "old", {{"timestamp", at(-20)}});
  BOOST_TEST(stale.get("result") == "stale");
  BOOST_TEST(stale.get("timestamp") == at(-10));
  BOOST_TEST(table.set("a", "tie", {{"timestamp", at(-10)}}).get("result") == "stored");
  BOOST_TEST(table.run("DELETE", {{"key", "a"}, {"timestamp", at(-30)}}).get("result") == "stale");
  BOOST_TEST(table.run("DELETE", {{"key", "a"}, {"timestamp", at(-5)}}).get("result") == "deleted");
  BOOST_TEST(table.set("a", "late", {{"timestamp", at(-6)}}).get("result") == "stale");
  BOOST_TEST(table.value("a") == "-");
  // Whoever says no timestamp comes behind all.
  BOOST_TEST(table.set("a", "now").get("result") == "stored");
  // Deleted before it was ever there.
  BOOST_TEST(table.run("DELETE", {{"key", "b"}, {"timestamp", at(-5)}}).get("result") == "absent");
  BOOST_TEST(table.set("b", "late", {{"timestamp", at(-6)}}).get("result") == "stale");
  BOOST_TEST(table.run("DELETE", {{"key", "c"}}).get("result") == "absent");
  BOOST_TEST(table.set("c", "old", {{"timestamp", at(-6)}}).get("result") == "stored");
  // A clock that is fast would keep all others out.
  BOOST_TEST(table.set("a", "fast", {{"timestamp", at(10'000'001)}}).error() == "bad_parameter");
  BOOST_TEST(table.set("a", "fast", {{"timestamp", at(10'000'000)}}).get("result") == "stored");
  // Nobody knows whether a newer DELETE came.
  BOOST_TEST(table.set("z", "old", {{"timestamp", at(-3'600'000'001)}}).error() == "bad_parameter");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_tombstone_goes_after_its_time_and_a_complete_delete_leaves_none) {
  Harness table{{{"tombstone-keep", "10s"}}};
  std::int64_t const now = table.now.value * 1000;
  table.set("a", "1");
  table.set("b", "1");
  BOOST_TEST((table.run("DELETE", {{"key", "a"}}).durability == Durability::synced));
  table.run("DELETE", {{"key", "b"}, {"complete", "1"}});
  BOOST_TEST(table.set("b", "2", {{"timestamp", std::to_string(now - 1000)}}).get("result") == "stored");
  BOOST_TEST(table.set("a", "2", {{"timestamp", std::to_string(now - 1000)}}).get("result") == "stale");
  BOOST_TEST(table.table->memory_bytes() > 0U);
  table.pass(9'999);
  BOOST_TEST(table.set("a", "2", {{"timestamp", std::to_string(now - 0)}}).get("result") == "stale");
  table.pass(1);
  BOOST_TEST(table.set("a", "2", {{"timestamp", std::to_string(now + 1'000'000)}}).get("result") == "stored");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_persistent_value_is_synced_with_each_change_of_it) {
  Harness table;
  BOOST_TEST((table.set("a", "1", {{"persist", "0"}}).durability == Durability::written));
  BOOST_TEST((table.run("DELETE", {{"key", "a"}}).durability == Durability::written));
  BOOST_TEST((table.set("a", "1", {{"persist", "0"}}).durability == Durability::written));
  BOOST_TEST((table.set("a", "2").durability == Durability::synced));
  BOOST_TEST((table.set("a", "3", {{"persist", "0"}}).durability == Durability::synced));
  BOOST_TEST((table.set("a", "4", {{"persist", "0"}}).durability == Durability::written));
  Harness cache{{{"persist", "false"}}};
  BOOST_TEST((cache.set("a", "1").durability == Durability::written));
  BOOST_TEST((cache.set("a", "1", {{"persist", "1"}}).durability == Durability::synced));
}

BOOST_AUTO_TEST_CASE(values_expire) {
  Harness table;
  table.set("a", "1", {{"expiration_date", "+5000"}});
  table.set("b", "1", {{"ttl", "5000"}});
  BOOST_TEST(table.set("c", "1", {{"ttl", "5000"}, {"expiration_date", "+1"}}).error() == "bad_parameter");
  BOOST_TEST(table.set("c", "1", {{"expiration_date", std::to_string(table.now.value)}}).error() == "expired");
  table.pass(4'000);
  BOOST_TEST(table.value("b") == "1");  // it lives 5 s from here
  table.pass(999);
  BOOST_TEST(table.value("a") == "1");
  table.pass(1);
  BOOST_TEST(table.value("a") == "-");
  BOOST_TEST(table.value("b") == "1");
  BOOST_TEST(table.replays());
  table.pass(5'000);
  BOOST_TEST(table.value("b") == "-");
  BOOST_TEST(table.table->live_bytes() == 0U);
}

// A pair that is read a thousand times a second must not fill the log.
BOOST_AUTO_TEST_CASE(a_read_moves_the_end_only_by_a_tenth) {
  Harness table;
  table.set("a", "1", {{"ttl", "10000"}});
  std::size_t const before = table.log.stored().size();
  for (int i = 0; i < 100; ++i) {
    table.pass(100);
    BOOST_TEST(table.value("a") == "1");
  }
  BOOST_TEST(table.log.stored().size() - before <= 10U);
  BOOST_TEST(table.log.stored().size() - before >= 8U);
  BOOST_TEST(table.get("a", {{"ttl", "0"}}).name() == "PAIR");
  table.pass(100'000);
  BOOST_TEST(table.value("a") == "1");
  table.get("a", {{"expiration_date", "+1000"}});
  table.pass(1'000);
  BOOST_TEST(table.value("a") == "-");
}

BOOST_AUTO_TEST_CASE(dates_are_shown_on_demand) {
  Harness table;
  table.set("a", "12345", {{"ttl", "10000"}});
  std::string const created = std::to_string(table.now.value);
  table.pass(2'000);
  table.set("a", "1234567");
  table.pass(3'000);
  Reply const shown = table.get("a", {{"facts", "1"}, {"data", "0"}});
  BOOST_TEST(shown.get("creation_date") == created);
  BOOST_TEST(shown.get("modification_date") == std::to_string(table.now.value - 3'000));
  BOOST_TEST(shown.get("access_date") == std::to_string((table.now.value - 3'000) / 1000 * 1000));
  BOOST_TEST(shown.get("value") == "-");
  BOOST_TEST(shown.get("size") == "7");
  BOOST_TEST(shown.get("persist") == "1");
  BOOST_TEST(shown.get("ttl") == "-");
}

BOOST_AUTO_TEST_CASE(a_resent_command_is_done_once) {
  Harness table;
  Texts const by{{"client", "c"}, {"sequence", "1"}};
  Texts add = by;
  add["key"] = "n";
  add["by"] = "5";
  BOOST_TEST(table.run("ADD", add).get("value") == "5");
  Reply const again = table.run("ADD", add);
  BOOST_TEST(again.get("result") == "duplicate");
  BOOST_TEST(again.get("value") == "5");
  table.restart();
  BOOST_TEST(table.run("ADD", add).get("result") == "duplicate");
  add["sequence"] = "2";
  BOOST_TEST(table.run("ADD", add).get("value") == "10");
  // An answer that nothing changed is the same, too.
  BOOST_TEST(table.set("a", "1", {{"overwrite", "0"}, {"client", "c"}, {"sequence", "3"}}).get("result") == "stored");
  BOOST_TEST(table.set("a", "2", {{"overwrite", "0"}, {"client", "c"}, {"sequence", "4"}}).get("result") == "exists");
  table.run("DELETE", {{"key", "a"}, {"client", "c"}, {"sequence", "5"}});
  BOOST_TEST(table.set("a", "2", {{"overwrite", "0"}, {"client", "c"}, {"sequence", "4"}}).get("result") ==
             "duplicate");
  BOOST_TEST(table.value("a") == "-");
  table.origin = "ip:192.0.2.9";
  BOOST_TEST(table.set("a", "2", {{"client", "c"}, {"sequence", "6"}}).error() == "not_allowed");
  BOOST_TEST(table.set("a", "2", {{"client", "c"}}).error() == "missing_parameter");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::keyvalue::test
