// The modes of maintenance, rule by rule: what readers by name and writers see, which links are there, and that a start
// from any prefix of the records goes on as if nothing had happened.
#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "plugins/blob/records.h"
#include "tests/unit/blob/harness.h"

namespace fastjournal::blob::test {
namespace {

Texts mode(std::string const& name) { return {{"maintenance", name}}; }

void modes_fill(Harness& table, int count, std::string const& bytes = "some bytes") {
  for (int i = 0; i < count; ++i) table.put("key " + std::to_string(i), bytes + std::to_string(i));
}

std::string modes_result_of(Harness& table, Texts const& with = {}) {
  Reply const reply = table.run("MAINTAIN", with);
  return reply.error().empty() ? reply.get("result") : reply.error();
}

std::string named(Harness& table, std::string const& key) { return table.named_bytes_of(Texts{{"key", key}}); }
std::string on_stream(Harness& table, std::string const& key) {
  return table.named_bytes_of(Texts{{"key", key}}, true);
}

using Links = std::map<std::string, std::uint32_t>;

std::int64_t figure(Harness& table, std::string const& name) {
  struct Sink final : MetricSink {
    std::map<std::string, std::int64_t> values;
    void integer(Metric const& metric, std::int64_t value) override { values[std::string{metric.name}] = value; }
    void real(Metric const&, double) override {}
    void histogram(Metric const&, Histogram const&) override {}
  } sink;
  table.table->metrics(table.now, sink);
  return sink.values.at(name);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_modes)

BOOST_AUTO_TEST_CASE(offline_refuses_new_blobs_and_says_why) {
  Harness table{mode("offline")};
  modes_fill(table, 30);
  Extent const early = table.files.store(1, "early");
  BOOST_TEST(modes_result_of(table) == "begun");
  table.pass(5'000);
  Reply const refused = table.put(Texts{{"key", "key 1"}}, "newer");
  BOOST_TEST(refused.error() == "unavailable");
  BOOST_TEST(refused.status.message().find("since 5 s") != std::string::npos);
  BOOST_TEST(refused.status.message().find("0 of 30") != std::string::npos);
  BOOST_TEST(refused.status.message().find("MAINTAIN") != std::string::npos);
  // One whose bytes come piece by piece, and one whose bytes were there when it began.
  Message message{"PUT"};
  message.set("key", "early");
  Command const command{.message = &message};
  BOOST_TEST((table.table->accept_content(command, table.now, UINT64_MAX).status().code() == Code::unavailable));
  BOOST_TEST(table.put_stored(message, early, hash128("early").high).error() == "unavailable");
  // Everything is read meanwhile.
  BOOST_TEST(named(table, "key 1") == "some bytes1");
  BOOST_TEST(table.bytes_of("key 1") == "some bytes1");
  BOOST_TEST(!table.is_newer);
  table.copy_all();
  BOOST_TEST(table.put("key 1", "newer").get("result") == "replaced");
  BOOST_TEST(named(table, "key 1") == "newer");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(offline_stores_again_once_it_is_given_up) {
  Harness table{mode("offline")};
  modes_fill(table, 3);
  modes_result_of(table);
  BOOST_TEST(table.put("key 1", "newer").error() == "unavailable");
  BOOST_TEST(modes_result_of(table, {{"cancel", "1"}}) == "cancelled");
  BOOST_TEST(table.put("key 1", "newer").get("result") == "replaced");
  BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}}));
  BOOST_TEST(table.files.files.size() == 1U);
  table.pass(1);
  BOOST_TEST(modes_result_of(table) == "begun");
}

BOOST_AUTO_TEST_CASE(the_files_have_the_names_of_the_seed) {
  for (std::string const name : {"online", "offline"}) {
    Harness table{mode(name)};
    modes_fill(table, 30);
    BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}}));
    modes_result_of(table);
    BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}, {"bcdb_data.new", 2}}));
    table.copy_all();
    BOOST_TEST((table.files.links == Links{{"bcdb_data", 2}, {"bcdb_data.old", 1}}));
    // It stays until the next one begins, also over a start.
    BOOST_TEST(modes_result_of(table) == "unavailable");
    table.pass(86'400'000);
    table.kill();
    BOOST_TEST((table.files.links == Links{{"bcdb_data", 2}, {"bcdb_data.old", 1}}));
    BOOST_TEST(table.files.files.contains(1));
    BOOST_TEST(modes_result_of(table) == "begun");
    BOOST_TEST((table.files.links == Links{{"bcdb_data", 2}, {"bcdb_data.new", 3}}));
    BOOST_TEST(!table.files.files.contains(1));
    table.copy_all();
    BOOST_TEST((table.files.links == Links{{"bcdb_data", 3}, {"bcdb_data.old", 2}}));
    BOOST_TEST(table.replays());
  }
  Harness table;
  modes_fill(table, 30);
  modes_result_of(table);
  BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}}));
  table.copy_all();
  BOOST_TEST((table.files.links == Links{{"bcdb_data", 2}}));
}

BOOST_AUTO_TEST_CASE(readers_by_name_are_refused_for_a_minute_before_the_exchange_and_their_streams_end) {
  for (std::string const name : {"online", "offline"}) {
    Harness table{mode(name)};
    modes_fill(table, 30);
    BOOST_TEST(on_stream(table, "key 1") == "some bytes1");
    modes_result_of(table);
    BOOST_TEST(named(table, "key 1") == "some bytes1");
    BOOST_TEST(table.detached == 0U);
    TimeMs const last = table.now;
    table.pass(1'000);
    while (table.table->phase() != Maintenance::Phase::quiet) {
      table.settle(table.copy());
      table.pass(1);
    }
    // Nobody has asked anything since: they are told by the end of their streams.
    BOOST_TEST(table.detached == 1U);
    BOOST_TEST(named(table, "key 1") == "unavailable");
    BOOST_TEST(table.bytes_of("key 1") == "some bytes1");
    table.pass(last.value + 59'999 - table.now.value);
    BOOST_TEST(table.table->state().is_building());
    BOOST_TEST(named(table, "key 1") == "unavailable");
    table.pass(1);
    BOOST_TEST(!table.table->state().is_building());
    BOOST_TEST(table.files.link == 2U);
    BOOST_TEST(table.detached == 2U);
    BOOST_TEST(on_stream(table, "key 1") == "some bytes1");
    BOOST_TEST(named(table, "key 1") == "some bytes1");
  }
}

BOOST_AUTO_TEST_CASE(nobody_is_refused_where_nobody_came_of_late) {
  Harness table{mode("offline")};
  modes_fill(table, 30);
  named(table, "key 1");
  table.pass(60'000);
  modes_result_of(table);
  table.pass(1);
  table.settle(table.copy());
  table.pass(1);
  BOOST_TEST(table.files.link == 2U);
  BOOST_TEST(named(table, "key 1") == "some bytes1");
}

BOOST_AUTO_TEST_CASE(the_minute_is_one_of_the_monotonic_clock) {
  Harness table{mode("offline")};
  modes_fill(table, 30);
  modes_result_of(table);
  table.pass(1);
  named(table, "key 1");
  table.settle(table.copy());
  table.pass(30'000);
  table.lose(3'600'000);
  BOOST_TEST(table.table->state().is_building());
  table.pass(29'998);
  BOOST_TEST(table.check_promises() == "");
  BOOST_TEST(table.table->state().is_building());
  table.pass(2);
  BOOST_TEST(!table.table->state().is_building());
}

BOOST_AUTO_TEST_CASE(readers_by_name_wait_until_the_link_leads_to_the_new_file) {
  for (std::string const name : {"modern", "online", "offline"}) {
    Harness table{mode(name)};
    modes_fill(table, 30);
    modes_result_of(table);
    table.links_wait = true;
    table.copy_all();
    BOOST_TEST(table.table->file_for_new() == 2U);
    BOOST_TEST(named(table, "key 1") == "unavailable");
    table.links_wait = false;
    table.follow();
    BOOST_TEST(named(table, "key 1") == "some bytes1");
  }
}

BOOST_AUTO_TEST_CASE(online_tells_the_newer_file_once_the_copy_is_durable) {
  Harness table{mode("online")};
  modes_fill(table, 200);
  Reply const before = table.run("GET", {{"key", "key 1"}, {"by_name", "1"}});
  BOOST_TEST(before.get("files") == "2");
  BOOST_TEST(table.run("GET", {{"key", "no such"}, {"by_name", "1"}}).get("files") == "2");
  modes_result_of(table);
  table.pass(1);
  Harness::Copies const copies = table.copy(500);
  BOOST_REQUIRE(copies.moved.size() > 5U);
  std::set<Key> copied;
  for (Moved const& moved : copies.moved) copied.insert({static_cast<std::uint32_t>(moved.key[0]), moved.key[1]});
  for (bool const is_settled : {false, true}) {
    if (is_settled) table.settle(copies);
    for (int i = 0; i < 200; ++i) {
      std::string const key = "key " + std::to_string(i);
      BOOST_TEST(named(table, key) == "some bytes" + std::to_string(i));
      BOOST_TEST(table.is_newer == (is_settled && copied.contains(bcdb::make_key(key))));
      BOOST_TEST(on_stream(table, key) == "some bytes" + std::to_string(i));
      // Others know the file by its number.
      BOOST_TEST(table.run("GET", {{"key", key}}).get("newer") == "0");
      BOOST_TEST(table.bytes_of(key) == "some bytes" + std::to_string(i));
    }
  }
  BOOST_TEST(table.check_promises() == "");
  table.copy_all();
  BOOST_TEST(table.check_promises() == "");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(online_puts_are_told_at_once_and_in_the_newer_file_when_copied) {
  Harness table{mode("online")};
  modes_fill(table, 100);
  modes_result_of(table);
  table.pass(1);
  while (table.table->index().copied() < 60) table.settle(table.copy(300));
  // Some of these have a copy of what they were.
  for (int i = 0; i < 100; i += 7) table.put("key " + std::to_string(i), "newer");
  for (int i = 0; i < 100; i += 7) {
    BOOST_TEST(named(table, "key " + std::to_string(i)) == "newer");
    BOOST_TEST(!table.is_newer);
  }
  table.put("another", "newer");
  for (int round = 0; round < 20; ++round) table.settle(table.copy());
  BOOST_TEST(table.table->index().copied() == 101U);
  for (int i = 0; i < 100; i += 7) {
    std::string const got = named(table, "key " + std::to_string(i));
    // All is copied: the minute has begun.
    BOOST_TEST((got == "newer" || got == "unavailable"));
  }
  BOOST_TEST(table.check_promises() == "");
  table.copy_all();
  BOOST_TEST(named(table, "another") == "newer");
}

BOOST_AUTO_TEST_CASE(online_says_nothing_of_a_newer_file_before_its_link_is_there) {
  Harness table{mode("online")};
  modes_fill(table, 20);
  table.links_wait = true;
  modes_result_of(table);
  table.pass(1);
  table.settle(table.copy(100));
  BOOST_TEST(table.table->index().copied() > 0U);
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST(named(table, "key " + std::to_string(i)) == "some bytes" + std::to_string(i));
    BOOST_TEST(!table.is_newer);
  }
  table.links_wait = false;
  table.follow();
  bool any = false;
  for (int i = 0; i < 20; ++i) {
    named(table, "key " + std::to_string(i));
    any = any || table.is_newer;
  }
  BOOST_TEST(any);
}

BOOST_AUTO_TEST_CASE(online_blobs_that_are_left_out_are_gone_at_once_and_stay_gone) {
  for (bool const is_given_up : {false, true}) {
    Harness table{mode("online")};
    modes_fill(table, 50);
    for (int i = 0; i < 50; i += 2) table.run("OMIT", {{"key", "key " + std::to_string(i)}});
    modes_result_of(table);
    table.put("key 4", "stored again");
    table.pass(1);
    BOOST_TEST(table.table->index().size() == 26U);
    for (int i = 0; i < 50; ++i) {
      std::string const wanted = i == 4 ? "stored again" : i % 2 == 0 ? "-" : "some bytes" + std::to_string(i);
      BOOST_TEST(named(table, "key " + std::to_string(i)) == wanted);
      BOOST_TEST(table.bytes_of("key " + std::to_string(i)) == wanted);
    }
    table.put("key 6", "new");
    table.kill();
    if (is_given_up)
      modes_result_of(table, {{"cancel", "1"}});
    else
      table.copy_all();
    for (int i = 0; i < 50; ++i) {
      std::string const wanted = i == 4       ? "stored again"
                                 : i == 6     ? "new"
                                 : i % 2 == 0 ? "-"
                                              : "some bytes" + std::to_string(i);
      BOOST_TEST(table.bytes_of("key " + std::to_string(i)) == wanted);
    }
    BOOST_TEST(table.check_named() == "");
  }
}

BOOST_AUTO_TEST_CASE(online_a_blob_that_comes_before_it_is_left_out_stays) {
  Harness table{mode("online")};
  modes_fill(table, 20);
  table.run("OMIT", {{"key", "key 1"}});
  table.run("OMIT", {{"key", "key 2"}});
  modes_result_of(table);
  table.work();
  table.put("key 1", "newer");
  table.pass(1);
  BOOST_TEST(table.bytes_of("key 1") == "newer");
  BOOST_TEST(table.bytes_of("key 2") == "-");
  table.copy_all();
  BOOST_TEST(table.bytes_of("key 1") == "newer");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(online_a_damaged_blob_is_gone_at_once) {
  Harness table{mode("online")};
  modes_fill(table, 20);
  Reply const hurt = table.run("GET", {{"key", "key 5"}});
  table.files.files[1][std::stoull(hurt.get("begin"))] ^= 1;
  named(table, "key 1");
  modes_result_of(table);
  table.pass(1);
  for (int i = 0; i < 40; ++i) table.settle(table.copy());
  BOOST_TEST(table.table->state().is_building());
  BOOST_TEST(table.bytes_of("key 5") == "-");
  BOOST_TEST(table.alerts.raised.contains("blob-damaged"));
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(online_the_file_of_one_that_was_given_up_stays_for_its_readers) {
  Harness table{mode("online")};
  modes_fill(table, 50);
  modes_result_of(table);
  table.pass(1);
  table.settle(table.copy(300));
  int newer = 0;
  for (int i = 0; i < 50; ++i) {
    on_stream(table, "key " + std::to_string(i));
    named(table, "key " + std::to_string(i));
    newer += table.is_newer ? 1 : 0;
  }
  BOOST_TEST(newer > 0);
  BOOST_TEST(modes_result_of(table, {{"cancel", "1"}}) == "cancelled");
  BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}, {"bcdb_data.new", 2}}));
  BOOST_TEST(modes_result_of(table) == "unavailable");
  named(table, "key 1");
  BOOST_TEST(!table.is_newer);
  table.kill();
  BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}, {"bcdb_data.new", 2}}));
  for (int i = 0; i < 50; ++i) BOOST_TEST(on_stream(table, "key " + std::to_string(i)) != "(not there)");
  table.pass(59'999);
  BOOST_TEST(table.check_promises() == "");
  BOOST_TEST(table.files.files.contains(2));
  std::uint64_t const before = table.detached;
  table.pass(1);
  BOOST_TEST((table.files.links == Links{{"bcdb_data", 1}}));
  BOOST_TEST(!table.files.files.contains(2));
  // Who had it open opens the next one.
  BOOST_TEST(table.detached == before + 1);
  BOOST_TEST(modes_result_of(table) == "begun");
  table.pass(1);
  table.settle(table.copy(300));
  for (int i = 0; i < 50; ++i)
    BOOST_TEST(on_stream(table, "key " + std::to_string(i)) == "some bytes" + std::to_string(i));
}

BOOST_AUTO_TEST_CASE(keys_that_collide_are_told_apart_or_are_the_same_in_each_mode) {
  for (std::string const name : {"modern", "online", "offline"}) {
    Harness table{mode(name)};
    // The same 32 bits, and for each pair of `i` the same key.
    auto const digits = [](int i) { return bcdb::digits_of({7, static_cast<std::uint64_t>(i / 2)}); };
    for (int i = 0; i < 1'000; ++i) table.put(Texts{{"hash", digits(i)}}, "bytes " + std::to_string(i));
    BOOST_TEST(table.table->index().size() == 500U);
    modes_result_of(table);
    table.pass(1);
    table.settle(table.copy(2'000));
    for (int i = 0; i < 1'000; i += 100)
      BOOST_TEST(table.put(Texts{{"hash", digits(i)}}, "newer " + std::to_string(i)).error() ==
                 (name == "offline" ? "unavailable" : ""));
    auto const wanted = [&](int i) {
      int const last = i / 2 * 2 + 1;
      return i % 100 < 2 && name != "offline" ? "newer " + std::to_string(last - 1) : "bytes " + std::to_string(last);
    };
    for (int i = 0; i < 1'000; i += 10) BOOST_TEST(table.named_bytes_of(Texts{{"hash", digits(i)}}) == wanted(i));
    table.copy_all();
    for (int i = 0; i < 1'000; ++i) BOOST_TEST(table.bytes_of(Texts{{"hash", digits(i)}}) == wanted(i));
    BOOST_TEST(table.check_promises() == "");
    BOOST_TEST(table.check_named() == "");
  }
}

BOOST_AUTO_TEST_CASE(figures_tell_how_far_it_is) {
  Harness table{mode("online")};
  modes_fill(table, 100);
  BOOST_TEST(figure(table, "maintenance_phase") == 0);
  named(table, "key 1");
  Reply const begun = table.run("MAINTAIN", {{"size", "1000000"}});
  BOOST_TEST(begun.get("mode") == "online");
  BOOST_TEST(figure(table, "maintenance_running") == 1);
  BOOST_TEST(figure(table, "maintenance_mode") == 1);
  BOOST_TEST(figure(table, "maintenance_phase") == 1);
  BOOST_TEST(figure(table, "maintenance_total_blobs") == 100);
  BOOST_TEST(figure(table, "maintenance_bytes") == static_cast<std::int64_t>(table.table->index().bytes()));
  table.pass(1);
  table.settle(table.copy(300));
  BOOST_TEST(figure(table, "maintenance_phase") == 2);
  BOOST_TEST(figure(table, "maintenance_done_blobs") > 0);
  BOOST_TEST(figure(table, "maintenance_bytes_done") > 0);
  BOOST_TEST(table.run("MAINTAIN", {}).get("phase") == "copying");
  for (int i = 0; i < 20; ++i) table.settle(table.copy());
  BOOST_TEST(figure(table, "maintenance_phase") == 3);
  BOOST_TEST(table.run("MAINTAIN", {}).get("phase") == "quiet");
  table.copy_all();
  BOOST_TEST(figure(table, "maintenance_running") == 0);
  BOOST_TEST(figure(table, "maintenance_phase") == 4);
  table.pass(60'000);
  BOOST_TEST(figure(table, "maintenance_phase") == 0);
  BOOST_TEST(figure(table, "maintenance_old_file") == 1);
}

BOOST_AUTO_TEST_CASE(the_mode_changes_only_between_maintenances_and_a_running_one_keeps_its_own) {
  Harness table{mode("online")};
  modes_fill(table, 30);
  auto const offline = declare(mode("offline"));
  BOOST_TEST(table.table->check_change(*offline).ok());
  modes_result_of(table);
  Status const refused = table.table->check_change(*offline);
  BOOST_TEST((refused.code() == Code::bad_configuration));
  BOOST_TEST(refused.message().find("online") != std::string::npos);
  // A start takes what is declared: for the next one.
  table.declaration = offline;
  table.kill();
  BOOST_TEST((table.table->state().mode == Mode::online));
  BOOST_TEST(table.put("key 1", "newer").get("result") == "replaced");
  named(table, "key 2");
  BOOST_TEST(!table.is_newer);
  table.copy_all();
  BOOST_TEST(!table.table->check_change(*declare(mode("modern"))).ok());
  table.pass(60'000);
  BOOST_TEST(table.table->check_change(*declare(mode("modern"))).ok());
  BOOST_TEST(modes_result_of(table) == "begun");
  BOOST_TEST(table.put("key 1", "newest").error() == "unavailable");
}

// The body byte by byte, as logs have it.
BOOST_AUTO_TEST_CASE(the_state_is_written_as_it_is_declared) {
  State state{.files = {3, 4}, .last_number = 4, .old_file = 2, .old_ends = 1'700'000'000'000, .began = 5'000};
  state.policy = {.oldest_entry_s = 7, .oldest_read_s = 8, .bytes_max = 9};
  state.total = 300;
  state.total_bytes = 1'000'000;
  state.mode = Mode::offline;
  char const body[] =
      "\x03\x04\x04\x02\x00\x68\xe5\xcf\x8b\x01\x88\x13\x00\x00\x00\x00\x07\x08\x09\xac\x02\xc0\x84\x3d\x02"
      "why";
  fastjournal::test::MemoryLog log;
  model::append_record(log, {}, StateBody{state, "why"}, RecordType::cancelled);
  RecordView const written = log.stored().back().view();
  BOOST_TEST((as_text(written.body).substr(0, sizeof body - 1) == std::string_view{body, sizeof body - 1}));
  StateBody got;
  BOOST_TEST(model::read_record(written, got));
  BOOST_TEST((got.state == state));
  BOOST_TEST(got.text == "why");
  // A mode that is not known.
  std::string later{as_text(written.body)};
  later[later.size() - 4] = 3;
  BOOST_TEST(!model::read_body(later, 1, got));
}

// Kill at every step: the table is built from each prefix of the records of two maintenances, the first of them given up,
// and lives on from there. The bytes are those that are there at the end: no byte of a file is written twice.
BOOST_AUTO_TEST_CASE(a_start_from_any_prefix_of_the_records_finds_everything_and_comes_to_the_end) {
  for (std::string const name : {"modern", "online", "offline"}) {
    Harness table{mode(name)};
    modes_fill(table, 40);
    for (int i = 0; i < 40; i += 8) table.run("OMIT", {{"key", "key " + std::to_string(i)}});
    auto const maintain = [&](bool is_given_up) {
      modes_result_of(table);
      table.pass(1);
      for (int round = 0; round < 4; ++round) {
        table.settle(table.copy(120));
        table.put("key " + std::to_string(5 * round + 1), "round " + std::to_string(round));
        table.put("new " + std::to_string(round), "bytes");
      }
      if (is_given_up) modes_result_of(table, {{"cancel", "1"}});
      if (!is_given_up) table.copy_all();
      table.pass(60'000);
    };
    maintain(true);
    maintain(false);
    maintain(false);
    auto const& records = table.log.stored();
    BOOST_REQUIRE(records.size() > 70U);
    std::set<std::string> phases;
    for (std::size_t count = 1; count <= records.size(); ++count) {
      // What the records say, read here.
      std::map<Key, Extent> blobs;
      std::set<Key> may_go;
      std::set<Key> gone;
      StateBody state;
      for (std::size_t i = 0; i < count; ++i) {
        RecordView const record = records[i].view();
        PutBody put;
        OmitBody omit;
        LeftBody left;
        switch (static_cast<RecordType>(records[i].type)) {
          case RecordType::put:
            BOOST_REQUIRE(model::read_record(record, put));
            blobs[put.key] = put.extent;
            may_go.erase(put.key);
            gone.erase(put.key);
            break;
          case RecordType::omit:
            BOOST_REQUIRE(model::read_record(record, omit));
            may_go.insert(omit.key);
            break;
          case RecordType::left:
            BOOST_REQUIRE(model::read_record(record, left));
            for (Key const& one : left.keys) {
              BOOST_TEST(may_go.contains(one));
              gone.insert(one);
            }
            break;
          case RecordType::swapped: gone = may_go; [[fallthrough]];
          case RecordType::state:
          case RecordType::begun:
          case RecordType::ended:
          case RecordType::cancelled: BOOST_REQUIRE(model::read_record(record, state)); break;
          default: break;
        }
      }
      Harness twin{mode(name)};
      for (std::size_t i = 0; i < count; ++i) {
        auto const& record = records[i];
        auto const place = twin.log.append(record.type, record.version, record.object, record.size);
        std::copy_n(record.body.get(), record.size, place.body.data());
        BOOST_REQUIRE((place.lsn == record.lsn));
      }
      twin.now = table.now;
      twin.table = twin.replayed();
      BOOST_TEST(digest_of(*twin.table) != 0U);
      twin.files = FilesInMemory{};
      twin.files.follow(*twin.table);
      for (auto& [number, bytes] : twin.files.files)
        bytes = table.files.read_open(number, 0, table.files.end_of(number));
      ++twin.start;
      twin.start_files();
      phases.insert(std::string{Maintenance::kPhaseNames[static_cast<std::size_t>(twin.table->phase())]});
      // Links from the records alone.
      Links links{{"bcdb_data", state.state.files.current}};
      if (name != "modern" && state.state.files.next != 0) links["bcdb_data.new"] = state.state.files.next;
      if (name != "modern" && state.state.old_file > state.state.files.current)
        links["bcdb_data.new"] = state.state.old_file;
      if (name != "modern" && state.state.old_file != 0 && state.state.old_file < state.state.files.current)
        links["bcdb_data.old"] = state.state.old_file;
      BOOST_TEST((twin.files.links == links));
      auto const check = [&](bool is_over) {
        for (auto const& [key, extent] : blobs) {
          std::string const wanted = table.files.read_open(extent.file, extent.begin, extent.end);
          Texts const hash{{"hash", bcdb::digits_of(key)}};
          bool const goes = gone.contains(key) || (is_over && may_go.contains(key));
          for (std::string const& got : {twin.bytes_of(hash), twin.named_bytes_of(hash)})
            BOOST_TEST(((got == "-" && may_go.contains(key)) || (got == wanted && !goes) || got == "unavailable"),
                       name << ", " << count << " records: " << bcdb::digits_of(key) << " is " << got);
        }
      };
      check(false);
      // What was running goes on; and what begins next comes to its end.
      bool const was_building = twin.table->state().is_building();
      twin.pass(70'000);
      if (!was_building) modes_result_of(twin);
      twin.pass(1);
      for (int i = 0; i < 40; ++i) twin.settle(twin.copy(200));
      twin.pass(130'000);
      BOOST_TEST(!twin.table->state().is_building());
      BOOST_TEST(twin.check_promises() == "");
      check(true);
      BOOST_TEST(twin.replays());
    }
    BOOST_TEST(phases.contains("copying"));
    BOOST_TEST(phases.contains("finished"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
