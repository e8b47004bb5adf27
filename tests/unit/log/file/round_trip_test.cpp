// What is written can be read back: bodies of all awkward sizes, batches over several segments, groups, both
// durabilities, bases and the room that they free.
#include <algorithm>

#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {

BOOST_AUTO_TEST_SUITE(file_log)

BOOST_AUTO_TEST_CASE(a_new_log_is_empty_and_its_first_lsn_is_not_zero) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.log->start() == 1U);
  BOOST_TEST(world.log->end_lsn().value > 0U);
  BOOST_CHECK(world.log->durable_lsn() == world.log->end_lsn());
  BOOST_TEST(world.found.entries.empty());
  BOOST_TEST(world.log->usage().logical_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(records_come_back_with_bodies_of_every_awkward_size) {
  World world;
  std::uint64_t const block = world.options.block_bytes;
  std::uint64_t const segment = world.options.segment_bytes;
  std::vector<Entry> put;
  FJ_REQUIRE_OK(world.open());
  std::vector<std::uint64_t> sizes{0, 1, 7, 8, 9, (1U << 20U) + 3, 3U << 20U};
  for (std::uint64_t const near : {block, segment, segment - 2 * block, 2 * segment, 5 * segment})
    for (std::uint64_t const less : {84U, 69U, 68U, 67U, 56U, 1U, 0U}) {
      sizes.push_back(near - less);
      sizes.push_back(near + less);
    }
  for (std::uint64_t const size : sizes) {
    std::string const body = pattern(size, size + 1);
    BOOST_REQUIRE(world.log->reserve(size, false));
    Lsn const lsn = world.append(body);
    put.push_back({lsn, object_of(lsn), static_cast<TableId>(7), 3, 1, body});
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
    BOOST_TEST(lsn.value % kLsnAlign == 0U);
    BOOST_CHECK(world.log->durable_lsn() > lsn);
  }
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.found.entries.size() == put.size());
  BOOST_CHECK(world.found.entries == put);
  BOOST_TEST(world.log->start() == 2U);
}

BOOST_AUTO_TEST_CASE(objects_tables_types_and_versions_come_back) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.log->reserve(1000, false));
  auto const first = world.log->append(static_cast<TableId>(0xFFFFFFFF), 255, 255, ObjectId{}, 0);
  auto const second = world.log->append(TableId::catalogue, 1, 0, ObjectId{UINT64_MAX}, 3);
  std::memcpy(second.body.data(), "abc", 3);
  world.log->end_group(Durability::synced);
  FJ_REQUIRE_OK(world.log->commit());
  FJ_REQUIRE_OK(world.log->shut_down());
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.report.clean);
  BOOST_REQUIRE(world.found.entries.size() == 2U);
  BOOST_CHECK((world.found.entries[0] ==
               Entry{first.lsn, object_of(first.lsn), static_cast<TableId>(0xFFFFFFFF), 255, 255, ""}));
  BOOST_CHECK((world.found.entries[1] == Entry{second.lsn, ObjectId{UINT64_MAX}, TableId::catalogue, 1, 0, "abc"}));
}

BOOST_AUTO_TEST_CASE(a_long_turn_is_written_in_parts_and_synced_once) {
  World world;
  world.options.segment_bytes = 1U << 20U;
  FJ_REQUIRE_OK(world.open());
  std::uint64_t const syncs = world.disk.calls(sim::Call::sync);
  std::string const body = pattern(3000, 1);
  for (int i = 0; i < 100; ++i) {
    BOOST_REQUIRE(world.log->reserve(body.size(), false));
    world.append(body);
    world.log->end_group(Durability::synced);
  }
  BOOST_TEST(world.log->writer().has_unsynced());
  std::uint64_t const headers = world.disk.calls(sim::Call::sync) - syncs;
  FJ_REQUIRE_OK(world.log->commit());
  BOOST_TEST(world.disk.calls(sim::Call::sync) - syncs - headers == 1U);
  BOOST_CHECK(world.log->durable_lsn() == world.log->end_lsn());
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.found.entries.size() == 100U);
  BOOST_TEST(world.report.batches > 1U);
}

BOOST_AUTO_TEST_CASE(what_a_long_turn_wrote_ahead_still_asks_for_a_commit) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.log->reserve(10, false));
  world.append("row");
  world.log->end_group(Durability::synced);
  // This reservation makes the log write the batch; the command that asked for it then appends nothing.
  BOOST_REQUIRE(world.log->reserve(world.options.batch_bytes_max, true));
  BOOST_TEST(world.log->writer().has_unsynced());
  BOOST_CHECK(world.log->end_lsn() != world.log->written_lsn());
  FJ_REQUIRE_OK(world.log->commit());
  BOOST_CHECK(world.log->end_lsn() == world.log->durable_lsn());
  BOOST_CHECK(world.log->end_lsn() == world.log->written_lsn());
}

// A third call, which nobody waits for, writes to `newest` what is durable.
BOOST_AUTO_TEST_CASE(a_small_commit_is_one_write_and_one_sync) {
  World world;
  world.options.segment_bytes = 1U << 20U;
  FJ_REQUIRE_OK(world.open());
  world.log->run_chores();
  BOOST_REQUIRE(world.put("warm"));
  std::uint64_t const changes = world.disk.changing_calls();
  std::uint64_t const syncs = world.disk.calls(sim::Call::sync);
  std::uint64_t const reads = world.disk.calls(sim::Call::read) + world.disk.calls(sim::Call::open);
  for (int i = 0; i < 10; ++i) BOOST_REQUIRE(world.put("row"));
  BOOST_TEST(world.disk.changing_calls() - changes == 30U);
  BOOST_TEST(world.disk.calls(sim::Call::sync) - syncs == 10U);
  BOOST_TEST(world.disk.calls(sim::Call::read) + world.disk.calls(sim::Call::open) == reads);
}

BOOST_AUTO_TEST_CASE(what_is_only_written_waits_for_the_next_sync_in_every_segment) {
  World world;
  FJ_REQUIRE_OK(world.open());
  world.log->run_chores();
  std::uint64_t const syncs = world.disk.calls(sim::Call::sync);
  // Fill most of the first segment without a sync, then go on in the next one.
  for (int i = 0; i < 13; ++i) {
    BOOST_REQUIRE(world.log->reserve(8, true));
    world.append("lease");
    world.log->end_group(Durability::written);
    FJ_REQUIRE_OK(world.log->commit());
  }
  BOOST_TEST(world.disk.calls(sim::Call::sync) - syncs <= 2U * 3U);  // headers only
  BOOST_CHECK(world.log->durable_lsn() < world.log->written_lsn());
  BOOST_TEST(world.log->writer().has_unsynced());
  for (int i = 0; i < 6; ++i) {
    BOOST_REQUIRE(world.log->reserve(8, true));
    world.append("lease");
    world.log->end_group(Durability::written);
    FJ_REQUIRE_OK(world.log->commit());
  }
  BOOST_REQUIRE(world.put("done"));
  BOOST_CHECK(world.log->durable_lsn() == world.log->end_lsn());
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.found.entries.size() == 20U);
}

BOOST_AUTO_TEST_CASE(one_synced_group_is_enough_to_sync_a_batch) {
  World world;
  FJ_REQUIRE_OK(world.open());
  for (Durability const first : {Durability::synced, Durability::written}) {
    BOOST_REQUIRE(world.log->reserve(16, false));
    world.append("one");
    world.log->end_group(first);
    world.append("two");
    world.log->end_group(first == Durability::synced ? Durability::written : Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
    BOOST_CHECK(world.log->durable_lsn() == world.log->end_lsn());
  }
}

BOOST_AUTO_TEST_CASE(policy_interval_syncs_only_when_told) {
  World world;
  world.options.sync = SyncPolicy::interval;
  FJ_REQUIRE_OK(world.open());
  world.log->run_chores();
  std::uint64_t const syncs = world.disk.calls(sim::Call::sync);
  BOOST_REQUIRE(world.put("one"));
  BOOST_TEST(world.disk.calls(sim::Call::sync) == syncs);
  BOOST_CHECK(world.log->durable_lsn() < world.log->end_lsn());
  FJ_REQUIRE_OK(world.log->committer().sync());
  BOOST_TEST(world.disk.calls(sim::Call::sync) == syncs + 1);
  BOOST_CHECK(world.log->durable_lsn() == world.log->end_lsn());
}

// Also what the start wrote outside any turn, and with nobody who does anything.
BOOST_AUTO_TEST_CASE(the_interval_is_over_after_the_first_unsynced_write_whoever_wrote_it) {
  constexpr std::int64_t kInterval = 100'000;
  World world;
  world.options.sync = SyncPolicy::interval;
  world.options.sync_interval_ms = 100;
  world.options.sync_place = SyncPlace::on_loop;
  FJ_REQUIRE_OK(world.open());
  world.log->run_chores();
  BOOST_REQUIRE(world.put("of the start"));
  BOOST_TEST(world.log->next_us() <= 0);  // a turn has to see it
  std::int64_t now_us = 1'000'000;
  static_cast<void>(world.log->end_turn(now_us));
  for (int round = 0; round < 5; ++round) {
    std::uint64_t const syncs = world.disk.calls(sim::Call::sync);
    std::int64_t const due_us = now_us + kInterval;
    BOOST_TEST(world.log->next_us() == due_us);
    // More of it does not put it off.
    now_us += kInterval / 2;
    BOOST_REQUIRE(world.put("more"));
    static_cast<void>(world.log->end_turn(now_us));
    static_cast<void>(world.log->end_turn(due_us - 1));
    BOOST_TEST(world.disk.calls(sim::Call::sync) == syncs);
    BOOST_TEST(world.log->next_us() == due_us);
    now_us = due_us;
    static_cast<void>(world.log->end_turn(now_us));
    BOOST_TEST(world.disk.calls(sim::Call::sync) == syncs + 1);
    BOOST_CHECK(world.log->durable_lsn() == world.log->end_lsn());
    now_us += 10 * kInterval;
    BOOST_REQUIRE(world.put("after a pause"));
    static_cast<void>(world.log->end_turn(now_us));
  }
}

BOOST_AUTO_TEST_CASE(kill_minus_nine_loses_nothing_that_was_written) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("leased", Durability::written));
  world.disk.kill();
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.found.entries.size() == 1U);
  // The start makes durable what it found: a power cut may not take it back.
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.found.entries.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_second_opener_is_told_that_the_log_is_in_use) {
  World world;
  FJ_REQUIRE_OK(world.open());
  Collector other;
  RecoveryReport report;
  auto const second = FileLog::open(world.disk, "data/log", world.options, other, report);
  BOOST_CHECK(second.status().code() == Code::in_use);
}

BOOST_AUTO_TEST_CASE(what_the_handler_refuses_stops_the_start_and_changes_nothing) {
  struct Refuser final : RecordHandler {
    Status on_record(RecordView const&, Lsn) override { return {Code::damaged, "no such table"}; }
  } refuser;
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("row"));
  world.log.reset();
  auto const before = world.disk.image();
  RecoveryReport report;
  BOOST_TEST(FileLog::open(world.disk, "data/log", world.options, refuser, report).status().message() ==
             "no such table");
  BOOST_CHECK(world.disk.image() == before);
}

BOOST_AUTO_TEST_CASE(reading_alone_changes_nothing_and_sees_the_same) {
  World world;
  FJ_REQUIRE_OK(world.open());
  for (int i = 0; i < 50; ++i) BOOST_REQUIRE(world.put(pattern(300, 1)));
  auto const before = world.disk.image();
  auto reader = LogReader::open(world.disk, "data/log");
  BOOST_REQUIRE(reader.ok());
  Collector found;
  RecoveryReport report;
  FJ_REQUIRE_OK(reader.value().read(found, report));
  BOOST_TEST(found.entries.size() == 50U);
  BOOST_TEST(found.batches.size() == report.batches);
  BOOST_TEST(report.start == 1U);
  BOOST_CHECK(world.disk.image() == before);
}

BOOST_AUTO_TEST_CASE(wrong_options_are_refused) {
  World world;
  world.options.segment_bytes_min = kSegmentBytesMin;
  BOOST_CHECK(world.open().code() == Code::bad_configuration);
  world.options = small_options();
  world.options.initial_segments = 1;
  BOOST_CHECK(world.open().code() == Code::bad_configuration);
  world.options = small_options();
  world.options.block_bytes = 1000;
  BOOST_CHECK(world.open().code() == Code::bad_configuration);
  BOOST_TEST(world.disk.files().empty());
}

BOOST_AUTO_TEST_CASE(sizes_are_those_the_log_was_made_with) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("row"));
  world.options.segment_bytes *= 2;
  world.options.block_bytes = 4096;
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.log->writer().options().block_bytes == 512U);
  BOOST_TEST(world.found.entries.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(base_and_space)

BOOST_AUTO_TEST_CASE(records_below_base_are_not_needed_and_their_segments_come_back) {
  World world;
  FJ_REQUIRE_OK(world.open());
  std::vector<Lsn> lsns;
  std::uint32_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    BOOST_REQUIRE(world.log->reserve(200, false));
    lsns.push_back(world.append(pattern(200, static_cast<std::uint64_t>(i))));
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
    // The last five are alive.
    if (lsns.size() > 5) world.log->set_base(lsns[lsns.size() - 5], lsns[lsns.size() - 5]);
    world.log->run_chores();
    most = std::max(most, world.log->usage().segments);
  }
  BOOST_TEST(most <= 6U);
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.found.entries.size() >= 5U);
  BOOST_CHECK(world.found.entries.back().lsn == lsns.back());
  BOOST_CHECK(std::any_of(world.found.entries.begin(), world.found.entries.end(),
                          [&](Entry const& e) { return e.lsn == lsns[lsns.size() - 5]; }));
  BOOST_CHECK(world.log->base_lsn() >= lsns[lsns.size() - 6]);
}

BOOST_AUTO_TEST_CASE(a_base_in_a_batch_that_began_in_an_earlier_segment_keeps_that_segment) {
  World world;
  for (std::uint64_t fill = 0; fill < 16; ++fill) {
    world.disk.restore({});
    FJ_REQUIRE_OK(world.open());
    world.log->run_chores();
    for (std::uint64_t i = 0; i < fill; ++i) BOOST_REQUIRE(world.put("x"));
    std::vector<Lsn> lsns;
    BOOST_REQUIRE(world.log->reserve(20000, false));
    for (int i = 0; i < 40; ++i) lsns.push_back(world.append(pattern(450, 2)));
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
    world.log->set_base(lsns[35], lsns[35]);
    // Use up the free segments: the one in which the batch begins must not be among them.
    for (int i = 0; i < 60; ++i) BOOST_REQUIRE(world.put("y"));
    world.log->run_chores();
    world.crash(sim::keep_none());
    BOOST_TEST_CONTEXT("after " << fill << " batches") {
      FJ_REQUIRE_OK(world.open());
      BOOST_CHECK(std::any_of(world.found.entries.begin(), world.found.entries.end(),
                              [&](Entry const& e) { return e.lsn == lsns[35]; }));
      BOOST_CHECK(std::any_of(world.found.entries.begin(), world.found.entries.end(),
                              [&](Entry const& e) { return e.lsn == lsns[39]; }));
      // Once more: the files as this start left them must be enough for the next one.
      world.crash(sim::keep_none());
      FJ_REQUIRE_OK(world.open());
      BOOST_CHECK(std::any_of(world.found.entries.begin(), world.found.entries.end(),
                              [&](Entry const& e) { return e.lsn == lsns[35]; }));
    }
  }
}

BOOST_AUTO_TEST_CASE(base_past_an_append_in_flight_takes_nothing_away_before_it_is_durable) {
  // Records A fill segments; record B says that they are dead, and the base moves up while the batch of B is not even
  // written. The power is cut at each of the following calls: A must be there, or B.
  for (std::uint64_t stop = 0; stop < 12; ++stop) {
    World world;
    FJ_REQUIRE_OK(world.open());
    world.log->run_chores();
    std::vector<Lsn> old;
    for (int i = 0; i < 20; ++i) {
      BOOST_REQUIRE(world.log->reserve(400, false));
      old.push_back(world.append(pattern(400, 3)));
      world.log->end_group(Durability::synced);
      FJ_REQUIRE_OK(world.log->commit());
    }
    BOOST_REQUIRE(world.log->reserve(100, true));
    Lsn const killer = world.append("all dead");
    world.log->end_group(Durability::synced);
    world.log->set_base(killer, killer);
    world.disk.stop_after(stop);
    // Ask for more room than there is without the segments of A.
    bool const room = world.log->reserve(3 * world.options.segment_bytes, true);
    bool const committed = world.log->commit().ok();
    if (room && committed) world.log->run_chores();
    world.crash(sim::keep_some(stop));
    BOOST_TEST_CONTEXT("power cut after " << stop << " calls") {
      FJ_REQUIRE_OK(world.open());
      bool const killed = std::any_of(world.found.entries.begin(), world.found.entries.end(),
                                      [&](Entry const& e) { return e.lsn == killer; });
      BOOST_CHECK(killed || world.found.entries.size() == old.size());
      BOOST_CHECK(killed || !committed);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_emptied_log_gives_its_surplus_back_and_finds_its_way_after_it) {
  World world;
  FJ_REQUIRE_OK(world.open());
  for (int i = 0; i < 300; ++i) BOOST_REQUIRE(world.put(pattern(400, 1)));
  BOOST_TEST(world.log->usage().segments > 15U);
  world.log->set_base(world.log->end_lsn(), world.log->end_lsn());
  world.log->run_chores();
  BOOST_TEST(world.log->usage().segments <= 4U);
  BOOST_TEST(world.disk.used_bytes() <= 4 * world.options.segment_bytes + kNewestFileBytes);
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("next"));
  world.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_CHECK(world.found.entries.back().body == "next");
}

BOOST_AUTO_TEST_CASE(restarts_without_work_use_no_further_segments) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("row"));
  Lsn last = world.log->end_lsn();
  for (std::uint32_t start = 2; start < 30; ++start) {
    if (start % 3 == 0) FJ_REQUIRE_OK(world.log->shut_down());
    world.crash(sim::keep_some(start));
    FJ_REQUIRE_OK(world.open());
    BOOST_TEST(world.report.clean == (start % 3 == 0));
    BOOST_TEST(world.log->start() == start);
    BOOST_TEST(world.found.entries.size() == 1U);
    BOOST_CHECK(world.log->end_lsn() > last);
    last = world.log->end_lsn();
    BOOST_TEST(world.log->usage().segments <= 3U);
  }
}

BOOST_AUTO_TEST_CASE(held_room_is_there_when_all_other_room_is_used_up) {
  for (bool const is_held : {true, false}) {
    World world;
    world.disk.set_capacity(world.options.segment_bytes * 6 + kNewestFileBytes);
    FJ_REQUIRE_OK(world.open());
    constexpr std::size_t kLater = 6000;
    if (is_held) BOOST_REQUIRE(world.log->hold(kLater, false));
    for (bool const removing : {false, true})
      while (world.log->reserve(400, removing)) {
        world.append(pattern(400, 1));
        world.log->end_group(Durability::synced);
        FJ_REQUIRE_OK(world.log->commit());
      }
    BOOST_TEST(!world.log->hold(kLater, true));
    if (is_held) world.log->free(kLater);
    BOOST_TEST(world.log->reserve(kLater, true) == is_held);
  }
}

BOOST_AUTO_TEST_CASE(what_was_sure_is_found_by_the_next_start_and_what_was_not_may_be_lost) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.log->sure_lsn().value == world.log->found_lsn().value);
  BOOST_REQUIRE(world.log->reserve(6, false));
  world.append("synced");
  world.log->end_group(Durability::synced);
  BOOST_TEST(world.log->sure_lsn().value == world.log->found_lsn().value);
  FJ_REQUIRE_OK(world.log->commit());
  Lsn const sure = world.log->sure_lsn();
  BOOST_TEST(sure.value > world.log->found_lsn().value);
  BOOST_REQUIRE(world.put("written", Durability::written));
  BOOST_TEST(world.log->sure_lsn().value == sure.value);
  world.log.reset();
  world.disk.crash(sim::keep_none());
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.log->found_lsn().value == sure.value);
  BOOST_TEST(world.log->sure_lsn().value == sure.value);
}

BOOST_AUTO_TEST_CASE(on_a_full_disk_what_removes_still_works) {
  World world;
  world.disk.set_capacity(world.options.segment_bytes * 6 + kNewestFileBytes);
  FJ_REQUIRE_OK(world.open());
  std::vector<Lsn> lsns;
  while (world.log->reserve(400, false)) {
    lsns.push_back(world.append(pattern(400, 1)));
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
  }
  BOOST_CHECK(world.log->writer().last_refusal().code() == Code::no_space);
  BOOST_TEST(lsns.size() > 30U);
  int removals = 0;
  while (world.log->reserve(50, true)) {
    world.append("removed");
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
    ++removals;
  }
  // Removals may use one segment. The last one is for compaction, which frees more than it takes.
  BOOST_TEST(removals >= 13);
  BOOST_TEST(!world.log->reserve(400, false));
  for (int i = 0; i < 14; ++i) {
    BOOST_REQUIRE(world.log->reserve_to_compact(50));
    world.append("copied");
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
  }
  world.log->set_base(lsns.back(), lsns.back());
  BOOST_TEST(world.log->reserve(400, false));
  FJ_REQUIRE_OK(world.log->why());
}

BOOST_AUTO_TEST_CASE(a_group_beyond_the_limit_is_refused_and_the_log_goes_on) {
  World world;
  world.options.segment_bytes = 16U << 20U;
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(!world.log->reserve(300U << 20U, false));
  BOOST_CHECK(world.log->writer().last_refusal().code() == Code::too_large);
  BOOST_TEST(world.put("row"));
}

BOOST_AUTO_TEST_CASE(rows_of_200_bytes_cost_at_most_260_on_disk) {
  World world;
  world.options = LogOptions{};
  FJ_REQUIRE_OK(world.open());
  Lsn const before = world.log->written_lsn();
  std::string const body(200, 'r');
  for (int turn = 0; turn < 10; ++turn) {
    for (int i = 0; i < 256; ++i) {
      BOOST_REQUIRE(world.log->reserve(body.size(), false));
      world.append(body, ObjectId{static_cast<std::uint64_t>(i) + 1});
    }
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
  }
  BOOST_TEST((world.log->written_lsn().value - before.value) / 2560 <= 260U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
