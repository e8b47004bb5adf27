// Maintenance, rule by rule: what it keeps, when files are there and gone, and what happens meanwhile.
#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

#include "plugins/blob/records.h"
#include "tests/unit/blob/harness.h"

namespace fastjournal::blob::test {
namespace {

void fill(Harness& table, int count, std::string const& bytes = "some bytes") {
  for (int i = 0; i < count; ++i) table.put("key " + std::to_string(i), bytes + std::to_string(i));
}

std::string result_of(Harness& table, Texts const& with = {}) {
  Reply const reply = table.run("MAINTAIN", with);
  return reply.error().empty() ? reply.get("result") : reply.error();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_maintenance)

BOOST_AUTO_TEST_CASE(everything_is_found_in_the_new_file_and_garbage_is_gone) {
  Harness table;
  fill(table, 300);
  fill(table, 300, "newer bytes");
  std::size_t const before = table.files.files.at(1).size();
  BOOST_TEST(result_of(table) == "begun");
  BOOST_TEST(result_of(table) == "running");
  BOOST_TEST(table.files.files.size() == 2U);
  table.copy_all();
  BOOST_TEST(table.table->file_for_new() == 2U);
  BOOST_TEST(table.files.link == 2U);
  BOOST_TEST(table.files.files.at(2).size() < before);
  for (int i = 0; i < 300; ++i)
    BOOST_TEST(table.bytes_of("key " + std::to_string(i)) == "newer bytes" + std::to_string(i));
  BOOST_TEST(table.check_named() == "");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(readers_get_the_old_coordinates_until_the_exchange) {
  Harness table;
  fill(table, 10);
  BOOST_TEST(result_of(table) == "begun");
  table.pass(1);
  Harness::Copies const copies = table.copy(30);
  BOOST_TEST(!copies.moved.empty());
  table.settle(copies);
  BOOST_TEST(table.table->index().copied() == copies.moved.size());
  BOOST_TEST(table.table->file_for_new() == 1U);
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(table.run("GET", {{"key", "key " + std::to_string(i)}}).get("file") == "1");
    BOOST_TEST(table.bytes_of("key " + std::to_string(i)) == "some bytes" + std::to_string(i));
  }
}

BOOST_AUTO_TEST_CASE(the_exchange_is_in_the_step_of_the_last_copy) {
  Harness table;
  fill(table, 3);
  BOOST_TEST(result_of(table) == "begun");
  table.pass(1);
  BOOST_TEST(table.table->holds_new());
  table.settle(table.copy());
  auto const& stored = table.log.stored();
  BOOST_TEST(stored.back().type == static_cast<std::uint8_t>(RecordType::swapped));
  BOOST_TEST(stored[stored.size() - 2].type == static_cast<std::uint8_t>(RecordType::moved));
  BOOST_TEST(table.log.applied() == stored.size() - 2);
  BOOST_TEST(!table.table->holds_new());
}

BOOST_AUTO_TEST_CASE(new_bytes_wait_only_while_little_is_left) {
  Harness table;
  for (int i = 0; i < 5; ++i) table.put("key " + std::to_string(i), std::string(400'000, 'x'));
  BOOST_TEST(result_of(table) == "begun");
  table.pass(1);
  BOOST_TEST(!table.table->holds_new());
  table.settle(table.copy(1'200'000));
  BOOST_TEST(table.table->holds_new());
}

BOOST_AUTO_TEST_CASE(the_old_file_stays_for_a_minute) {
  Harness table;
  fill(table, 3);
  result_of(table);
  table.copy_all();
  BOOST_TEST(table.table->state().old_ends == table.now.value - 1 + 60'000);
  table.pass(59'998);
  BOOST_TEST(table.files.files.contains(1));
  BOOST_TEST(result_of(table) == "unavailable");
  table.pass(1);
  BOOST_TEST(!table.files.files.contains(1));
  BOOST_TEST(result_of(table) == "begun");
  BOOST_TEST(table.files.files.contains(3));
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_clock_set_forward_does_not_shorten_the_minute) {
  Harness table;
  fill(table, 3);
  result_of(table);
  table.copy_all();
  table.pass(10'000);
  table.lose(3'600'000);
  table.files.follow(*table.table);
  BOOST_TEST(table.files.files.contains(1));
  table.pass(49'998);
  BOOST_TEST(table.files.files.contains(1));
  table.pass(1);
  BOOST_TEST(!table.files.files.contains(1));
}

BOOST_AUTO_TEST_CASE(the_old_file_outlives_a_kill) {
  Harness table;
  fill(table, 3);
  result_of(table);
  table.copy_all();
  table.kill();
  BOOST_TEST(table.files.files.contains(1));
  table.pass(60'000);
  BOOST_TEST(!table.files.files.contains(1));
}

BOOST_AUTO_TEST_CASE(old_blobs_are_left_out) {
  Harness table;
  table.put("old", "1");
  table.pass(10'000);
  table.put("new", "2");
  table.pass(10'000);
  BOOST_TEST(result_of(table, {{"age", "15000"}}) == "begun");
  table.copy_all();
  BOOST_TEST(table.bytes_of("old") == "-");
  BOOST_TEST(table.bytes_of("new") == "2");
  BOOST_TEST(table.table->index().size() == 1U);
  BOOST_TEST(table.check_named() == "");
}

BOOST_AUTO_TEST_CASE(blobs_that_nobody_read_are_left_out) {
  Harness table;
  table.put("read", "1");
  table.put("unread", "2");
  table.pass(10'000);
  table.bytes_of("read");
  table.pass(10'000);
  BOOST_TEST(result_of(table, {{"unreferenced", "15000"}}) == "begun");
  table.copy_all();
  BOOST_TEST(table.bytes_of("read") == "1");
  BOOST_TEST(table.bytes_of("unread") == "-");
}

BOOST_AUTO_TEST_CASE(an_unread_blob_counts_as_read_when_the_daemon_started) {
  Harness table;
  table.put("one", "1");
  table.pass(100'000);
  table.kill();
  table.pass(10'000);
  BOOST_TEST(result_of(table, {{"unreferenced", "15000"}}) == "begun");
  table.copy_all();
  BOOST_TEST(table.bytes_of("one") == "1");
  table.pass(70'000);
  BOOST_TEST(result_of(table, {{"unreferenced", "15000"}}) == "begun");
  table.copy_all();
  // The bytes were looked at above.
  BOOST_TEST(table.bytes_of("one") == "-");
}

BOOST_AUTO_TEST_CASE(omitted_blobs_are_left_out_unless_stored_again) {
  Harness table;
  fill(table, 3);
  BOOST_TEST(table.run("OMIT", {{"key", "key 0"}}).get("result") == "omitted");
  BOOST_TEST(table.run("OMIT", {{"key", "key 1"}}).get("result") == "omitted");
  BOOST_TEST(table.run("OMIT", {{"key", "no such"}}).get("result") == "absent");
  table.put("key 1", "again");
  BOOST_TEST(table.bytes_of("key 0") == "some bytes0");
  table.kill();
  result_of(table);
  table.copy_all();
  BOOST_TEST(table.bytes_of("key 0") == "-");
  BOOST_TEST(table.bytes_of("key 1") == "again");
}

BOOST_AUTO_TEST_CASE(the_newest_blobs_stay_within_the_size) {
  Harness table;
  for (int i = 0; i < 20; ++i) {
    table.put("key " + std::to_string(i), std::string(100, 'x'));
    if (i % 2 == 1) table.pass(1'000);
  }
  BOOST_TEST(result_of(table, {{"size", "750"}}) == "begun");
  table.copy_all();
  // Of two of the same second one has room.
  BOOST_TEST(table.table->index().size() == 7U);
  for (int i = 14; i < 20; ++i) BOOST_TEST(table.bytes_of("key " + std::to_string(i)).size() == 100U);
  for (int i = 0; i < 12; ++i) BOOST_TEST(table.bytes_of("key " + std::to_string(i)) == "-");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_out_by_size_where_all_has_room) {
  Harness table;
  fill(table, 300);
  result_of(table, {{"size", "1000000"}});
  table.copy_all();
  BOOST_TEST(table.table->index().size() == 300U);
}

BOOST_AUTO_TEST_CASE(a_maintenance_that_leaves_all_out_comes_to_an_end) {
  Harness table;
  fill(table, 200);
  table.pass(10'000);
  result_of(table, {{"age", "5000"}});
  table.pass(1);
  table.pass(1);
  BOOST_TEST(table.table->index().size() == 0U);
  BOOST_TEST(table.table->file_for_new() == 2U);
  BOOST_TEST(table.alerts.extents.empty());
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(what_is_put_meanwhile_is_kept) {
  Harness table;
  fill(table, 500);
  result_of(table, {{"age", "1"}});
  table.pass(2'000);
  Harness::Copies const on_the_way = table.copy(3'000);
  // Some of these are on their way, some are copied, some are not.
  for (int i = 0; i < 500; i += 3) table.put("key " + std::to_string(i), "newer" + std::to_string(i));
  table.settle(on_the_way);
  for (int round = 0; round < 10; ++round) {
    table.settle(table.copy(1'000));
    table.put("late " + std::to_string(round), "late");
    table.put("key " + std::to_string(round), "latest");
  }
  table.copy_all();
  for (int round = 0; round < 10; ++round) {
    BOOST_TEST(table.bytes_of("late " + std::to_string(round)) == "late");
    BOOST_TEST(table.bytes_of("key " + std::to_string(round)) == "latest");
  }
  for (int i = 12; i < 500; i += 3)
    BOOST_TEST(table.bytes_of("key " + std::to_string(i)) == "newer" + std::to_string(i));
  BOOST_TEST(table.check_named() == "");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_blob_that_came_for_the_old_file_is_refused_after_the_exchange) {
  Harness table;
  fill(table, 1);
  Extent const early = table.files.store(1, "early");
  result_of(table);
  table.copy_all();
  Message message{"PUT"};
  message.set("key", "early");
  BOOST_TEST(table.put_stored(message, early, hash128("early").high).error() == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_failed_copy_gives_the_maintenance_up_and_loses_nothing) {
  Harness table;
  fill(table, 300);
  result_of(table);
  table.pass(1);
  table.settle(table.copy(1'000));
  Harness::Copies copies = table.copy(1'000);
  for (Moved const& moved : copies.moved) copies.failed.push_back({moved.key, moved.from});
  copies.moved.clear();
  copies.why = {Code::no_space, "the disk is full"};
  table.settle(copies);
  BOOST_TEST(!table.table->state().is_building());
  BOOST_TEST(table.alerts.raised["maintenance-failed"].find("the disk is full") != std::string::npos);
  BOOST_TEST(!table.files.files.contains(2));
  BOOST_TEST(table.check_named() == "");
  BOOST_TEST(table.bytes_of("key 7") == "some bytes7");
  BOOST_TEST(table.replays());
  table.kill();
  // Its number is not given again.
  BOOST_TEST(result_of(table) == "begun");
  BOOST_TEST(table.files.files.contains(3));
  table.copy_all();
  BOOST_TEST(!table.alerts.raised.contains("maintenance-failed"));
  BOOST_TEST(table.bytes_of("key 7") == "some bytes7");
}

BOOST_AUTO_TEST_CASE(a_person_ends_a_maintenance_without_an_alert) {
  Harness table;
  fill(table, 300);
  BOOST_TEST(result_of(table, {{"cancel", "1"}}) == "idle");
  result_of(table);
  table.pass(1);
  Harness::Copies const copies = table.copy(1'000);
  BOOST_TEST(result_of(table, {{"cancel", "1"}}) == "cancelled");
  table.settle(copies);
  BOOST_TEST(table.table->index().copied() == 0U);
  BOOST_TEST(table.alerts.raised.empty());
  BOOST_TEST(table.files.files.size() == 1U);
  BOOST_TEST(table.check_named() == "");
}

BOOST_AUTO_TEST_CASE(a_damaged_blob_is_left_out_and_named) {
  Harness table;
  fill(table, 300);
  Reply const hurt = table.run("GET", {{"key", "key 5"}});
  table.files.files[1][std::stoull(hurt.get("begin"))] ^= 1;
  result_of(table);
  table.copy_all();
  BOOST_TEST(table.table->file_for_new() == 2U);
  BOOST_TEST(table.table->index().size() == 299U);
  BOOST_TEST(table.bytes_of("key 5") == "-");
  std::string const alert = table.alerts.raised["blob-damaged"];
  BOOST_TEST(alert.find(hurt.get("hash")) != std::string::npos);
  BOOST_TEST(alert.find("offset " + hurt.get("begin")) != std::string::npos);
  BOOST_TEST(alert.find("file 1") != std::string::npos);
  BOOST_TEST(table.alerts.raised_calls == 1U);
  BOOST_TEST(table.check_named() == "");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_disk_full_of_damage_gives_the_maintenance_up) {
  Harness table;
  fill(table, 300);
  for (char& byte : table.files.files[1]) byte ^= 1;
  result_of(table);
  table.copy_all();
  BOOST_TEST(table.table->index().size() == 300U);
  BOOST_TEST(table.alerts.raised.contains("maintenance-failed"));
}

BOOST_AUTO_TEST_CASE(the_schedule_begins_a_maintenance) {
  Harness table{{{"maintain-every", "1h"}, {"expire-age", "30m"}}};
  table.pass(7'200'000);
  BOOST_TEST(!table.table->state().is_building());
  table.put("one", "1");
  table.pass(3'599'999);
  BOOST_TEST(!table.table->state().is_building());
  table.put("two", "2");
  table.pass(1);
  BOOST_TEST(table.table->state().is_building());
  table.copy_all();
  BOOST_TEST(table.bytes_of("one") == "-");
  BOOST_TEST(table.bytes_of("two") == "2");
  table.pass(3'600'000);
  BOOST_TEST(table.table->file_for_new() == 3U);
}

// There is nothing to copy, and a new blob would have no place meanwhile.
BOOST_AUTO_TEST_CASE(an_empty_table_gets_its_new_file_before_the_exchange) {
  for (std::string const mode : {"modern", "online", "offline"}) {
    Harness table{Texts{{"maintenance", mode}}};
    BOOST_TEST(table.TableHarness::run("MAINTAIN", {}).get("result") == "begun");
    table.TableHarness::pass(100);
    BOOST_TEST(table.table->file_for_new() == 1U, mode);
    table.follow();
    table.pass(0);
    BOOST_TEST(table.table->file_for_new() == 2U, mode);
    table.put("key", "bytes");
    BOOST_TEST(table.bytes_of("key") == "bytes");
  }
}

BOOST_AUTO_TEST_CASE(a_maintenance_goes_on_after_a_kill) {
  for (int copied = 0; copied < 6; ++copied) {
    Harness table;
    fill(table, 400);
    table.run("OMIT", {{"key", "key 1"}});
    result_of(table);
    table.pass(1);
    for (int i = 0; i < copied; ++i) table.settle(table.copy(1'000));
    table.log.skip(kOldestLsnGrain);
    if (copied % 2 == 0) table.compact(table.log.end());
    table.kill();
    BOOST_TEST(table.table->state().is_building());
    table.put("key 2", "newer");
    table.copy_all();
    BOOST_TEST(table.table->index().size() == 399U);
    BOOST_TEST(table.bytes_of("key 2") == "newer");
    BOOST_TEST(table.bytes_of("key 399") == "some bytes399");
    BOOST_TEST(table.check_named() == "");
  }
}

// Pages are compacted one by one, with puts, copies and exchanges between them. kill() compares what a start finds.
BOOST_AUTO_TEST_CASE(blobs_outlive_a_start_while_their_pages_are_compacted) {
  for (int between = 0; between < 6; ++between)
    for (std::size_t steps = 1; steps < 8; ++steps) {
      Harness table;
      fill(table, 400);
      if (between >= 3) result_of(table);
      table.pass(1);
      if (between >= 4) table.settle(table.copy(1'000));
      table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
      Lsn const below = table.log.end();
      bool const is_part = table.compact(below, 1'024, steps) == steps;
      for (std::string const key : {"key 1", "key 200", "new"}) table.put(key, "newer");
      for (std::string const key : {"key 2", "key 201", "new"}) table.run("OMIT", {{"key", key}});
      if (between == 1 || between == 2) result_of(table);
      table.pass(1);
      if (between == 2 || between == 5) table.copy_all();
      if (is_part) table.compact(below, 1'024);
      BOOST_TEST_REQUIRE((table.table->oldest_lsn() >= below));
      table.kill();
      if (between > 0) table.copy_all();
      if (between == 0) result_of(table);
      table.copy_all();
      BOOST_TEST(table.bytes_of("key 1") == "newer");
      BOOST_TEST(table.bytes_of("key 200") == "newer");
      BOOST_TEST(table.bytes_of("key 399") == "some bytes399");
      BOOST_TEST(table.check_named() == "");
    }
}

BOOST_AUTO_TEST_CASE(the_exchange_itself_is_short_and_the_rest_is_done_in_pieces) {
  Harness table;
  fill(table, 2'000);
  table.pass(10'000);
  result_of(table, {{"age", "1000"}});
  for (int i = 0; i < 1'000; ++i) table.put("key " + std::to_string(i), "newer");
  // Only what the steps themselves do; time passes later.
  while (table.table->advance(table.now, 4096, table.alerts)) {
  }
  std::size_t const before = table.alerts.extents.size();
  while (table.table->state().is_building()) table.settle(table.copy());
  BOOST_TEST(table.table->index().size() == 1'000U);
  BOOST_TEST(!table.table->index().is_settled());
  BOOST_TEST(table.alerts.extents.size() == before + 1'000);
  for (int i = 0; i < 2'000; ++i) {
    std::optional<Blob> const blob = table.table->index().find(bcdb::make_key("key " + std::to_string(i)));
    BOOST_TEST_REQUIRE(blob.has_value() == (i < 1'000));
    if (blob.has_value()) BOOST_TEST(table.files.read(2, blob->extent.begin, blob->extent.end) == "newer");
  }
  BOOST_TEST(table.check_named() == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
