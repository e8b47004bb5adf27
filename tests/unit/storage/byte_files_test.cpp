// Bytes outside the log: what records name is there after any crash and is what was stored, what they name no more is
// given back, and failures are told apart. Most of it by random lives (life.h), by seed.
#include "engine/files/byte_files.h"

#include <boost/test/unit_test.hpp>

#include "base/bytes.h"
#include "tests/support/seed.h"
#include "tests/unit/storage/exchange.h"
#include "tests/unit/storage/life.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::storage;
using fastjournal::storage::test::Life;

void live(Life& life, int steps) {
  for (int i = 0; i < steps; ++i) {
    std::string const wrong = life.step();
    BOOST_REQUIRE_MESSAGE(wrong.empty(), wrong << ", in step " << i);
  }
}

void require_start(Life& life) {
  Status const status = life.start();
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  std::string const wrong = life.check();
  BOOST_REQUIRE_MESSAGE(wrong.empty(), wrong);
}

void settle(Life& life) {
  std::string const wrong = life.settle();
  BOOST_REQUIRE_MESSAGE(wrong.empty(), wrong);
}

// The file is gone or cut, so the start is refused with its name.
Status start_without_file(Life& life, bool is_removed) {
  if (is_removed) {
    life.disk().drop("bytes/blobs/data.000001");
  } else {
    auto file = life.disk().open("bytes/blobs/data.000001", env::OpenMode::read_write);
    BOOST_REQUIRE(file.ok());
    BOOST_REQUIRE(file.value()->truncate(6000).ok());
  }
  Status status = life.start();
  BOOST_TEST((status.code() == Code::damaged));
  BOOST_TEST(status.message().find("bytes/blobs/data.000001") != std::string::npos, status.message());
  return status;
}

BOOST_AUTO_TEST_SUITE(byte_files)

BOOST_AUTO_TEST_CASE(named_values_survive_power_cuts_and_kills) {
  std::uint64_t const first = fastjournal::test::seed_or(1);
  std::uint64_t stored = 0;
  std::uint64_t fetched = 0;
  for (std::uint64_t seed = first; seed < first + 40; ++seed) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
      Life life{seed};
      for (int start = 0; start < 12; ++start) {
        require_start(life);
        live(life, 150);
        if (life.chance()() % 3 == 0)
          life.kill();
        else
          life.power_cut(sim::keep_some(life.chance()()));
      }
      require_start(life);
      stored += life.stored();
      fetched += life.values_fetched();
    }
  }
  BOOST_TEST_MESSAGE(stored << " values were stored, " << fetched << " answers read");
  BOOST_TEST(stored > 5'000);
  BOOST_TEST(fetched > 1'000);
}

// The same short life again and again, with the power cut at each changing call of the disk in turn.
BOOST_AUTO_TEST_CASE(a_power_cut_at_any_call_loses_nothing_that_is_named) {
  std::uint64_t const seed = fastjournal::test::seed_or(5);
  std::uint64_t cuts = 0;
  for (int kept = 0; kept < 4; ++kept) {
    for (std::uint64_t call = 1;; ++call) {
      Life life{seed};
      require_start(life);
      life.disk().stop_after(call);
      bool is_cut = false;
      for (int i = 0; i < 160 && !is_cut; ++i) {
        // A disk without power fails every call: what that ends is not looked at.
        static_cast<void>(life.step());
        is_cut = life.disk().is_stopped();
      }
      life.power_cut(kept == 0 ? sim::keep_none() : kept == 1 ? sim::keep_all() : sim::keep_some(call * 7 + kept));
      BOOST_TEST_CONTEXT("FJ_SEED=" << seed << ", cut at call " << call << ", kept " << kept) {
        require_start(life);
        live(life, 20);
      }
      if (!is_cut) break;
      ++cuts;
    }
  }
  BOOST_TEST_MESSAGE(cuts << " cuts");
  BOOST_TEST(cuts > 400);
}

BOOST_AUTO_TEST_CASE(space_is_bounded_by_what_is_named) {
  Life life{fastjournal::test::seed_or(3)};
  require_start(life);
  for (int round = 0; round < 30; ++round) {
    live(life, 100);
    while (life.named() > 20) {
      life.free_all();
      settle(life);
    }
  }
  settle(life);
  // Whole blocks of each value, the files' headers, and space that was asked for ahead.
  BOOST_TEST(life.disk().used_bytes() <= life.named_bytes() + life.named() * 8192 + (512U << 10U));
  life.free_all();
  settle(life);
  BOOST_TEST(life.disk().used_bytes() <= 256U << 10U);
  BOOST_TEST(life.files().figures().files == 1U);
}

BOOST_AUTO_TEST_CASE(a_file_may_be_removed_before_its_carried_bytes_are_synced) {
  Life life{fastjournal::test::seed_or(14)};
  life.options().sync_after_us = 5'000'000;
  require_start(life);
  // Into the second file.
  for (int i = 0; i < 40; ++i) BOOST_TEST(life.carry(life.bytes(9000), true).empty());
  BOOST_TEST(life.files().figures().files == 2U);
  life.free_all();
  settle(life);
  BOOST_TEST(life.files().figures().files == 1U);
  BOOST_TEST(life.files().oldest_needed().is_none());
}

// Larger than what is synced at once; two values in one buffer.
BOOST_AUTO_TEST_CASE(large_values_are_written_from_the_buffer_that_was_given_away) {
  for (bool const fails : {false, true}) {
    Life life{fastjournal::test::seed_or(15)};
    require_start(life);
    std::string const first = life.bytes(2'500'000);
    std::string const second = life.bytes(1'100'000);
    Buffer message{"head " + first + second + " tail"};
    std::vector<Staging::Piece> const pieces{{message.view().substr(5, first.size()), false},
                                             {message.view().substr(5 + first.size(), second.size()), false}};
    Result<Staging::StageId> const stage = life.files().staging().store(pieces, &message);
    BOOST_REQUIRE(stage.ok());
    BOOST_TEST(message.empty());
    std::unique_ptr<Job> job = life.files().take_job(Lane::store, 0);
    BOOST_REQUIRE(job != nullptr);
    // The sync in the middle of the first one.
    if (fails) life.disk().fail_call(sim::Call::sync, 1, sim::Failure::io_error);
    job->run();
    life.files().finish_job(Lane::store, std::move(job));
    BOOST_TEST(life.files().failure().ok() == !fails);
    if (fails) continue;
    std::vector<Staging::Done> const done = life.files().staging().take_done();
    BOOST_REQUIRE(done.size() == 1U && done[0].status.ok());
    std::string got;
    for (std::size_t i = 0; i < 2; ++i) {
      Extent const& extent = done[0].values[i].extent;
      Readings::Reading const reading = life.files().readings().read_in_place(extent);
      BOOST_REQUIRE(read_extent(*reading.file, "file", extent, got).ok());
      BOOST_TEST((got == (i == 0 ? first : second)));
      life.files().readings().finish(reading.number);
    }
    life.files().staging().drop(stage.value());
  }
}

// Nothing of it was written, so its space lies behind the end of the file, where a file system punches nothing.
BOOST_AUTO_TEST_CASE(a_value_that_was_announced_and_never_came_gives_its_space_back) {
  Life life{fastjournal::test::seed_or(7)};
  require_start(life);
  Result<Staging::StageId> const stage = life.files().staging().begin_value(4U << 20U, 4U << 20U);
  BOOST_REQUIRE(stage.ok());
  BOOST_TEST(life.disk().used_bytes() > 4U << 20U);
  life.files().staging().drop(stage.value());
  settle(life);
  BOOST_TEST(life.disk().used_bytes() <= 256U << 10U);
  BOOST_TEST(life.carry(life.bytes(5000), true).empty());
  settle(life);
  BOOST_TEST(life.check().empty());
  life.kill();
  require_start(life);
}

BOOST_AUTO_TEST_CASE(a_value_that_ends_before_the_size_that_was_announced_is_refused) {
  Life life{fastjournal::test::seed_or(18)};
  require_start(life);
  Staging& staging = life.files().staging();
  Result<Staging::StageId> const stage = staging.begin_value(9000, 9000);
  BOOST_REQUIRE(stage.ok());
  BOOST_TEST(staging.add(stage.value(), "few").ok());
  BOOST_TEST((staging.end_value(stage.value()).code() == Code::damaged));
  BOOST_TEST(!staging.is_any());
}

BOOST_AUTO_TEST_CASE(a_file_that_was_removed_while_it_is_used_is_missed) {
  Life life{fastjournal::test::seed_or(19)};
  require_start(life);
  BOOST_TEST(life.carry(life.bytes(5000), true).empty());
  settle(life);
  BOOST_TEST(life.files().look(true).ok());
  life.disk().drop("bytes/blobs/data.000001");
  BOOST_TEST(!life.files().look(true).ok());
  BOOST_TEST(!life.files().failure().ok());
}

// A table that says its files counts them, to know when they are worth an exchange.
BOOST_AUTO_TEST_CASE(whole_blocks_of_what_is_given_back_are_told_as_hollow) {
  storage::test::ExchangingTable table;
  BOOST_REQUIRE(table.start().ok());
  storage::Staging::Done const done = table.store(std::string(20'000, 'h'));
  table.files->staging().drop(done.stage);
  BOOST_TEST(table.hollow_bytes == 16'384U);
}

BOOST_AUTO_TEST_CASE(what_a_crash_left_is_given_back_at_the_next_start) {
  Life life{fastjournal::test::seed_or(4)};
  require_start(life);
  live(life, 300);
  life.sync_log();
  life.kill();
  require_start(life);
  life.free_all();
  life.sync_log();
  life.kill();
  require_start(life);
  settle(life);
  // What was asked for ahead, and the header.
  BOOST_TEST(life.disk().used_bytes() <= 68U << 10U);
}

BOOST_AUTO_TEST_CASE(a_full_disk_refuses_and_goes_on_when_space_is_freed) {
  Life life{fastjournal::test::seed_or(6), 600U << 10U};
  require_start(life);
  live(life, 2000);
  BOOST_TEST(life.refused() > 10U);
  life.free_all();
  settle(life);
  std::uint64_t const refused = life.refused();
  BOOST_TEST(life.carry(life.bytes(5000), true).empty());
  BOOST_TEST(life.refused() == refused);
  BOOST_TEST(life.check().empty());
}

BOOST_AUTO_TEST_CASE(values_of_transactions_that_are_over_take_no_space) {
  for (bool const is_prepared : {false, true}) {
    Life life{fastjournal::test::seed_or(16)};
    require_start(life);
    for (int i = 0; i < 5; ++i)
      BOOST_TEST(life.store_one(100'000, is_prepared ? Life::Becomes::prepared : Life::Becomes::promised).empty());
    BOOST_TEST(life.check().empty());
    BOOST_TEST(life.disk().used_bytes() > 500'000U);
    if (is_prepared) {
      life.mark_durable();
      life.kill();
      require_start(life);
      BOOST_TEST(life.disk().used_bytes() > 500'000U);
    }
    // All are rolled back.
    settle(life);
    BOOST_TEST(life.disk().used_bytes() <= 256U << 10U);
    BOOST_TEST(life.files().figures().files == 1U);
  }
}

// Each way of coming, exchanged in each of its turns, and once more soon after.
BOOST_AUTO_TEST_CASE(a_value_on_its_way_is_what_came_however_often_files_are_exchanged) {
  BOOST_TEST(storage::test::exchanges_on_the_way() == "");
}

BOOST_AUTO_TEST_CASE(a_value_that_changed_before_it_was_moved_is_not_stored) {
  BOOST_TEST(storage::test::changes_before_a_move() == "");
}

BOOST_AUTO_TEST_CASE(an_empty_value_takes_nothing_from_the_one_beside_it) {
  BOOST_TEST(storage::test::empty_beside_others() == "");
}

// Its answer was decided before the exchange, and the job is taken when the table has given the file up.
BOOST_AUTO_TEST_CASE(a_value_is_read_from_the_file_where_it_was_when_that_was_asked) {
  storage::test::ExchangingTable table;
  BOOST_REQUIRE(table.start().ok());
  storage::Staging::Done const done = table.store("asked for");
  Extent const place = done.values.front().extent;
  table.files->named(place, {});
  table.files->staging().drop(done.stage);
  table.next = 2;
  table.turns();
  static_cast<void>(table.files->readings().fetch({place}));
  // Of this turn the job of reading is not taken.
  table.exchange();
  for (int i = 0; i < 4; ++i) {
    table.files->end_turn(Lsn{1000}, Lsn{1000}, 2'000'000);
    if (auto job = table.files->take_job(storage::Lane::tidy, 2'000'000)) {
      job->run();
      table.files->finish_job(storage::Lane::tidy, std::move(job));
    }
  }
  BOOST_TEST(!table.has_file(1));
  table.turns();
  std::vector<storage::Readings::Fetched> const fetched = table.files->readings().take_fetched();
  BOOST_REQUIRE_EQUAL(fetched.size(), 1U);
  BOOST_TEST(fetched.front().status.ok(), fetched.front().status.text());
  BOOST_TEST(fetched.front().values == std::vector<std::string>{"asked for"});
}

// What found no space is not counted as waiting for good.
BOOST_AUTO_TEST_CASE(what_finds_no_space_waits_no_longer) {
  storage::test::ExchangingTable table{64U << 10U};
  BOOST_REQUIRE(table.start().ok());
  std::string const large(100'000, 'l');
  BOOST_TEST((table.files->staging().store({{"few", false}, {large, false}, {"more", false}}).status().code() ==
              Code::no_space));
  BOOST_TEST(table.files->figures().staged_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(a_promised_value_goes_along_when_files_are_exchanged) {
  BOOST_TEST(storage::test::exchange_with_a_promise() == "");
}

BOOST_AUTO_TEST_CASE(a_promised_value_stays_when_its_copies_are_given_up) {
  storage::test::ExchangingTable table;
  BOOST_REQUIRE(table.start().ok());
  Extent const value = table.promise(std::string(9000, 'p'));
  for (std::uint32_t const number : {2U, 3U}) {
    table.next = number;
    table.turns();
    BOOST_TEST(table.copied_to == number);
    table.next = 0;
    table.turns();
    BOOST_TEST(table.copied_to == 0U);
    BOOST_TEST(!table.has_file(number));
    BOOST_TEST((table.files->place_of(value) == value));
  }
  BOOST_TEST(table.bytes_at(value) == std::string(9000, 'p'));
}

// Damage in it is told; the table gives its maintenance up, and the value stays.
BOOST_AUTO_TEST_CASE(a_promised_value_that_cannot_be_copied_ends_the_exchange) {
  storage::test::ExchangingTable table;
  BOOST_REQUIRE(table.start().ok());
  Extent const value = table.promise(std::string(9000, 'p'));
  table.disk.flip("bytes/blobs/data.000001", 4096 + 77, 1);
  table.next = 2;
  table.turns();
  BOOST_TEST(table.copied_to == 0U);
  BOOST_TEST((table.not_moved.code() == Code::unavailable));
  BOOST_TEST(table.not_moved.message().find("of a transaction") != std::string::npos);
  BOOST_TEST(!table.files->take_damage().empty());
  BOOST_TEST((table.files->place_of(value) == value));
}

// Of a prepared one the log may say after a crash that it is in doubt.
BOOST_AUTO_TEST_CASE(what_is_let_go_is_given_back_when_that_is_durable) {
  storage::test::ExchangingTable table;
  BOOST_REQUIRE(table.start().ok());
  Extent const value = table.promise(std::string(9000, 'p'));
  table.files->let_go(value);
  for (int i = 0; i < 4; ++i) table.turn(false);
  BOOST_TEST(table.bytes_at(value) == std::string(9000, 'p'));
  table.turns();
  BOOST_TEST(table.bytes_at(value) != std::string(9000, 'p'));
}

BOOST_AUTO_TEST_CASE(a_file_that_a_prepared_transaction_needs_is_missed_at_the_start) {
  for (bool const is_removed : {true, false}) {
    Life life{fastjournal::test::seed_or(17)};
    require_start(life);
    BOOST_TEST(life.store_one(9000, Life::Becomes::prepared).empty());
    life.mark_durable();
    life.kill();
    Status const status = start_without_file(life, is_removed);
    BOOST_TEST(status.message().find("prepared") != std::string::npos, status.message());
  }
}

BOOST_AUTO_TEST_CASE(a_missing_or_cut_file_refuses_the_start_with_its_name) {
  for (bool const is_removed : {true, false}) {
    Life life{fastjournal::test::seed_or(8)};
    require_start(life);
    BOOST_TEST(life.carry(life.bytes(9000), true).empty());
    BOOST_TEST(life.carry(life.bytes(9000), true).empty());
    settle(life);
    life.kill();
    static_cast<void>(start_without_file(life, is_removed));
  }
}

BOOST_AUTO_TEST_CASE(a_changed_byte_is_found_by_a_read_and_by_scrubbing) {
  Life life{fastjournal::test::seed_or(9)};
  life.options().scrub_every_us = 1'000'000;
  require_start(life);
  BOOST_TEST(life.carry(life.bytes(5000), true).empty());
  settle(life);
  static_cast<void>(life.files().take_damage());
  life.disk().flip("bytes/blobs/data.000001", 4096 + 77, 1);
  BOOST_TEST(life.check().find("not those that were stored") != std::string::npos);
  settle(life);
  std::vector<std::string> const damage = life.files().take_damage();
  BOOST_REQUIRE(!damage.empty());
  BOOST_TEST(damage.front().find("bytes/blobs/data.000001") != std::string::npos);
  BOOST_TEST(damage.front().find("offset 4096") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_failed_sync_ends_it_and_nothing_is_told_as_stored) {
  Life life{fastjournal::test::seed_or(10)};
  require_start(life);
  BOOST_TEST(life.carry(life.bytes(5000), true).empty());
  life.disk().fail_call(sim::Call::sync, 1, sim::Failure::io_error);
  BOOST_TEST(life.settle().find("failed:") == 0U);
}

BOOST_AUTO_TEST_CASE(files_of_others_stay_and_their_numbers_are_passed_over) {
  Life life{fastjournal::test::seed_or(11)};
  BOOST_REQUIRE(life.disk().make_folder("bytes/blobs").ok());
  for (std::string const& name : {std::string{"data.000001"}, std::string{"readme"}}) {
    auto file = life.disk().open("bytes/blobs/" + name, env::OpenMode::create_new);
    BOOST_REQUIRE(file.ok());
    std::string const text(5000, 'x');
    BOOST_REQUIRE(file.value()->write(0, as_bytes(text)).ok());
    BOOST_REQUIRE(file.value()->sync().ok());
  }
  require_start(life);
  BOOST_TEST(life.carry(life.bytes(100), true).empty());
  settle(life);
  std::vector<std::string> const files = life.disk().files();
  for (std::string const& name : {std::string{"data.000001"}, std::string{"readme"}, std::string{"data.000002"}})
    BOOST_TEST((std::ranges::find(files, "bytes/blobs/" + name) != files.end()), name);
  BOOST_TEST(life.disk().content("bytes/blobs/data.000001").size() == 5000U);
}

// Resized or salvaged: another store, which names the same bytes.
BOOST_AUTO_TEST_CASE(a_log_that_was_written_anew_has_its_files) {
  Life life{fastjournal::test::seed_or(12)};
  require_start(life);
  live(life, 300);
  settle(life);
  life.power_cut(sim::keep_none());
  life.options().store_id = 100;
  require_start(life);
  live(life, 100);
  life.kill();
  // By now they are those of this log.
  require_start(life);
  live(life, 100);
}

BOOST_AUTO_TEST_CASE(files_of_another_log_are_not_taken_for_those_of_this_one) {
  Life life{fastjournal::test::seed_or(13)};
  require_start(life);
  BOOST_TEST(life.carry(life.bytes(9000), true).empty());
  settle(life);
  life.kill();
  life.options().store_id = 100;
  life.disk().flip("bytes/blobs/data.000001", 4096 + 77, 1);
  Status const status = life.start();
  BOOST_TEST((status.code() == Code::damaged));
  BOOST_TEST(status.message().find("of another log") != std::string::npos, status.message());
  BOOST_TEST(status.message().find("bytes/blobs/data.000001") != std::string::npos);
  // One in which nothing is named stays as it is.
  life.stop();
  life.disk().flip("bytes/blobs/data.000001", 4096 + 77, 1);
  require_start(life);
  life.free_all();
  settle(life);
  auto const before = life.disk().content("bytes/blobs/data.000001");
  life.kill();
  life.options().store_id = 101;
  require_start(life);
  BOOST_TEST(life.carry(life.bytes(100), true).empty());
  settle(life);
  BOOST_TEST((life.disk().content("bytes/blobs/data.000001") == before));
  BOOST_TEST(!life.disk().content("bytes/blobs/data.000002").empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
