// The forwarder over a folder and a daemon in memory: its rules, one by one.
#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/record.h"
#include "tests/unit/spool/play.h"

namespace fastjournal::spool::test {
namespace {

using Refused = sim::SimFolder::Refused;

BOOST_AUTO_TEST_SUITE(spool_forwarder)

BOOST_AUTO_TEST_CASE(rows_arrive_and_are_erased) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 30; ++row) play.save(file, std::to_string(row));
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 30U);
  BOOST_TEST(play.forwarder->figures().confirmed == 30U);
  BOOST_TEST(play.folder.find(file)->bytes.find_first_not_of('\0', kFileHeadBytes) == std::string::npos);
}

// Of a table that another node decides for, or nobody, one row is tried each second, however long it takes. The rows of
// other tables go on.
BOOST_AUTO_TEST_CASE(a_table_that_is_elsewhere_holds_up_no_other_and_is_tried_each_second) {
  for (Status const& why : {Status{Code::moved, "elsewhere"}.with("address", "b:1"),
                            Status{Code::unavailable, "nobody decides"}.with("retry", "100")}) {
    Play play;
    play.daemon.tables = {"pages", "common"};
    play.daemon.elsewhere["common"] = why;
    Instance const file = play.file();
    play.save(file, "shared", "common");
    play.save(file, "own");
    play.settle();
    BOOST_TEST(play.count("own") == 1);
    BOOST_TEST(play.count("shared") == 0);
    BOOST_TEST(play.forwarder->problem().text() == "ok");
    for (int minute = 0; minute < 30; ++minute) play.settle();
    std::uint64_t const before = play.forwarder->figures().sent;
    play.settle();  // 20 s
    BOOST_TEST(play.forwarder->figures().sent - before >= 18U);
    BOOST_TEST(play.forwarder->figures().sent - before <= 20U);
    play.daemon.elsewhere.clear();
    play.settle();
    BOOST_TEST(play.count("shared") == 1);
  }
}

// Its period is over: ended, left by its producer, deleted. A row that came late counts.
BOOST_AUTO_TEST_CASE(an_old_file_goes_once_its_producer_left) {
  Play play;
  Instance const file = play.file();
  play.save(file, "first");
  play.settle();
  BOOST_TEST(!play.is_ended(file));
  play.settle(3'600'000);
  BOOST_TEST(play.is_ended(file));
  play.save(file, "late");
  play.leave(file);
  play.settle();
  BOOST_TEST(play.folder.count() == 0U);
  BOOST_TEST(play.count("first") == 1);
  BOOST_TEST(play.count("late") == 1);
}

BOOST_AUTO_TEST_CASE(half_a_row_is_waited_for_until_the_file_is_left) {
  Play play;
  Instance const file = play.file();
  std::string const record = record_of("pages", "slow", *play.folder.seed_of(file));
  play.write(file, record.substr(0, 20));
  play.settle();
  BOOST_TEST(play.forwarder->figures().damaged_bytes == 0U);
  play.write(file, record.substr(20));
  play.settle();
  BOOST_TEST(play.count("slow") == 1);
  play.write(file, record.substr(0, 20));
  play.now.value += 3'600'000;
  play.leave(file);
  play.settle();
  BOOST_TEST(play.folder.count() == 0U);
  BOOST_TEST(play.forwarder->figures().damaged_bytes > 0U);
}

// Its first producer was killed in the middle of the head. Nothing in it can be a row. One with more than a head has
// rows that nobody can read: it stays for people.
BOOST_AUTO_TEST_CASE(a_file_without_a_head_is_removed_once_it_is_left) {
  Play play;
  Instance const file = play.file_without_head();
  std::string const head = play.folder.draw_head();
  play.write(file, std::string_view{head}.substr(0, 10));
  play.settle();
  play.settle(3'600'000);
  BOOST_TEST(play.folder.count() == 1U);  // its producer may go on
  BOOST_TEST(play.forwarder->figures().damaged_bytes == 0U);
  Instance const other = play.file_without_head();
  play.write(other, "F" + head + record_of("pages", "row", *seed_of_file(head)));
  play.leave(file);
  // Told while its producer has it, which gets another one for its next row.
  play.settle();
  BOOST_TEST(play.forwarder->figures().damaged_bytes > 10U + head.size());
  std::uint64_t const told = play.forwarder->figures().damaged_bytes;
  play.settle(1'000);
  BOOST_TEST(play.is_ended(other));
  BOOST_TEST(play.forwarder->figures().damaged_bytes == told);
  play.leave(other);
  play.settle(3'600'000);
  BOOST_TEST(play.folder.count() == 0U);
  BOOST_TEST(play.folder.files_put_apart() == 1U);
  BOOST_TEST(play.forwarder->figures().damaged_bytes > 10U + head.size());
  BOOST_TEST(play.daemon.rows.empty());
}

// A head that is written slowly, and rows behind it.
BOOST_AUTO_TEST_CASE(a_head_is_waited_for) {
  Play play;
  Instance const file = play.file_without_head();
  play.settle();
  play.write(file, play.folder.draw_head());
  play.save(file, "row");
  play.settle();
  BOOST_TEST(play.count("row") == 1);
}

BOOST_AUTO_TEST_CASE(a_table_that_is_not_there_holds_up_nobody) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 20; ++row) {
    play.save(file, "later-" + std::to_string(row), "later");
    play.save(file, std::to_string(row));
  }
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 20U);
  BOOST_TEST(play.forwarder->figures().tables_held == 1U);
  play.begin();  // killed, and started again
  play.settle();
  BOOST_TEST(play.daemon.rows.size() == 20U);
  play.daemon.tables.insert("later");
  play.settle(60'000);
  BOOST_TEST(play.daemon.rows.size() == 40U);
  BOOST_TEST(play.forwarder->figures().tables_held == 0U);
  BOOST_TEST(play.folder.held().empty());
  // From now on straight.
  play.save(file, "straight", "later");
  play.settle();
  BOOST_TEST(play.count("straight") == 1);
}

BOOST_AUTO_TEST_CASE(a_row_that_never_fits_is_set_aside) {
  Play play;
  Instance const file = play.file();
  play.save(file, "bad-1");
  play.save(file, "good");
  play.settle();
  BOOST_TEST(play.count("good") == 1);
  std::vector<Refused> const aside = play.folder.aside();
  BOOST_REQUIRE(aside.size() == 1U);
  BOOST_TEST(aside[0].code == "bad_parameter");
  BOOST_TEST(aside[0].reason == "a bad row");
  BOOST_TEST(aside[0].id == "bad-1");
  BOOST_TEST(!aside[0].has_identity);
}

// The clock of its producer is fast: the row counts once, with the date of its arrival.
BOOST_AUTO_TEST_CASE(a_row_of_a_fast_clock_is_sent_again_without_its_date) {
  Play play;
  play.daemon.date_max = 5'000;
  Instance const file = play.file();
  play.save_dated(file, "ahead", 5'001);
  play.save_dated(file, "right", 5'000);
  play.settle();
  BOOST_TEST(play.count("ahead") == 1);
  BOOST_TEST(play.count("right") == 1);
  BOOST_TEST(play.forwarder->figures().redated == 1U);
  BOOST_TEST(play.forwarder->figures().set_aside == 0U);
  // Also out of the rows of a table that took nothing for a while, and after an end before the answer.
  play.save_dated(file, "held", 9'000, "later");
  play.settle();
  play.daemon.tables.insert("later");
  play.settle();
  BOOST_TEST(play.count("held") == 1);
  play.save_dated(file, "cut", 9'000);
  play.now.value += 100;
  play.turn();
  play.begin();
  play.settle();
  BOOST_TEST(play.count("cut") == 1);
  BOOST_TEST(play.forwarder->figures().set_aside == 0U);
}

// It is held meanwhile, with its own date: that of a later arrival would count before what was saved in between.
BOOST_AUTO_TEST_CASE(a_row_of_a_fast_clock_that_waits_keeps_its_date) {
  Play play;
  play.daemon.tables.insert("common");
  play.daemon.date_max = 5'000;
  Instance const file = play.file();
  play.save_dated(file, "first", 1'000, "common");
  play.save_dated(file, "ahead", 9'000, "common");
  play.daemon.elsewhere_of["first"] = Status{Code::unavailable, "nobody decides"}.with("retry", "100");
  play.now.value += 100;
  play.forwarder->run(play.now);  // both are in flight: the first is held, then the other one is refused
  play.answer();
  BOOST_TEST(play.forwarder->figures().tables_held == 1U);
  BOOST_TEST(play.forwarder->figures().redated == 0U);
  play.daemon.elsewhere_of.clear();
  play.daemon.date_max = 10'000;  // an hour later
  play.settle();
  BOOST_TEST(play.daemon.dates["ahead"] == 9'000);
  BOOST_TEST(play.forwarder->figures().redated == 0U);
}

// A file of such rows, moved among the closing ones, is sent as new rows. Those refused again are set aside as before.
BOOST_AUTO_TEST_CASE(rows_that_were_set_aside_are_sent_again) {
  Play play;
  Instance const file = play.file();
  for (std::string const id : {"bad-1", "good", "bad-2"}) play.save(file, id);
  play.settle();
  play.resend();
  BOOST_TEST(play.folder.aside().empty());
  play.settle();
  std::vector<Refused> const again = play.folder.aside();
  BOOST_REQUIRE(again.size() == 2U);
  for (Refused const& row : again) {
    BOOST_TEST(row.code == "bad_parameter");
    BOOST_TEST((!row.is_wrapped_twice && !row.has_identity));
  }
  play.daemon.takes_bad = true;
  play.resend();
  play.settle();
  for (std::string const id : {"bad-1", "good", "bad-2"}) BOOST_TEST(play.count(id) == 1, id);
  BOOST_TEST(play.folder.count() == 1U);  // the producer's
}

// Its table appears, but the row does not fit.
BOOST_AUTO_TEST_CASE(a_row_of_a_held_table_is_set_aside_as_it_was_saved) {
  Play play;
  Instance const file = play.file();
  play.save(file, "bad-1", "later");
  play.settle();
  BOOST_TEST(play.forwarder->figures().held == 1U);
  play.daemon.tables.insert("later");
  play.settle(60'000);
  std::vector<Refused> const aside = play.folder.aside();
  BOOST_REQUIRE(aside.size() == 1U);
  BOOST_TEST(aside[0].id == "bad-1");
  BOOST_TEST(!aside[0].has_identity);
}

// The forwarder dies behind setting a row aside, before it keeps its progress; then the row fits, and is resent.
BOOST_AUTO_TEST_CASE(a_row_that_was_set_aside_before_a_crash_is_not_sent_from_its_file_as_well) {
  Play play;
  Instance const file = play.file();
  play.save(file, "first");
  play.save(file, "bad-1");
  play.turn();
  play.begin();
  play.daemon.takes_bad = true;
  play.settle();
  BOOST_TEST(play.count("bad-1") == 0);
  BOOST_TEST(play.folder.aside().size() == 1U);
  play.resend();
  play.settle();
  BOOST_TEST(play.count("bad-1") == 1);
}

BOOST_AUTO_TEST_CASE(a_daemon_without_space_is_asked_again_later) {
  Play play;
  Instance const file = play.file();
  play.daemon.refuses = Code::no_space;
  for (int row = 0; row < 20; ++row) play.save(file, std::to_string(row));
  play.settle();
  std::uint64_t const sent = play.forwarder->figures().sent;
  BOOST_TEST(sent < 100U);  // not all of the time
  BOOST_TEST(play.forwarder->figures().set_aside == 0U);
  play.daemon.refuses.reset();
  play.settle(60'000);
  BOOST_TEST(play.daemon.rows.size() == 20U);
}

BOOST_AUTO_TEST_CASE(no_more_than_so_many_are_in_flight) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 50; ++row) play.save(file, std::to_string(row));
  play.forwarder->run(play.now);
  BOOST_TEST(play.daemon.answers.size() == 8U);
  BOOST_TEST(play.forwarder->figures().in_flight == 8U);
}

// A read costs what it asks for, and there may be hundreds of small files.
BOOST_AUTO_TEST_CASE(no_more_is_read_than_there_was) {
  Play play;
  Instance const file = play.file();
  play.save(file, "first");
  play.settle();
  BOOST_TEST(play.folder.asked_bytes_max() <= play.folder.find(file)->bytes.size());
  play.save(file, "second");
  play.forwarder->run(play.now, false);
  play.answer();
  BOOST_TEST(play.count("second") == 0);  // when the files are looked at again
  play.turn();
  BOOST_TEST(play.count("second") == 1);
}

// While a table is held its rows stay in order: none overtakes.
BOOST_AUTO_TEST_CASE(rows_of_a_held_table_wait_behind_those_before_them) {
  Play play;
  Instance const file = play.file();
  play.save(file, "later-1", "later");
  play.turn();
  std::uint64_t const sent = play.forwarder->figures().sent;
  play.save(file, "later-2", "later");
  play.forwarder->run(play.now);
  BOOST_TEST(play.forwarder->figures().sent == sent);
  BOOST_TEST(play.forwarder->figures().held == 2U);
}

// After a kill the first ones are sent again, and the daemon must not have forgotten their numbers.
BOOST_AUTO_TEST_CASE(rows_of_a_held_table_that_are_far_apart_are_not_all_in_flight) {
  Play play;
  play.daemon.window = 64;
  play.rules.span_max = 48;
  play.begin();
  Instance const file = play.file();
  for (int row = 0; row < 20; ++row) {
    play.save(file, "rare-" + std::to_string(row), "rare");
    for (int more = 0; more < 15; ++more) play.save(file, std::to_string(row) + "/" + std::to_string(more));
  }
  play.settle();
  BOOST_TEST(play.forwarder->figures().held == 20U);
  play.daemon.tables.insert("rare");
  // Accepted, but the answers are lost.
  for (int turn = 0; turn < 1'000; ++turn) {
    play.now.value += 1'000;
    play.forwarder->run(play.now);
    if (play.count("rare-0") == 0 || turn < 100) continue;
    break;
  }
  if (play.daemon.answers.size() == 1) play.answer();  // the first one alone opens the table
  play.forwarder->run(play.now);
  play.begin();
  for (int turn = 0; turn < 10; ++turn) play.settle();
  for (int row = 0; row < 20; ++row) BOOST_TEST(play.count("rare-" + std::to_string(row)) == 1);
  BOOST_TEST(play.folder.aside().empty());
}

// One whose refusal came last is held behind the others, and may be sent again after them.
BOOST_AUTO_TEST_CASE(a_row_that_is_held_behind_later_ones_is_not_forgotten) {
  Play play;
  play.daemon.window = 8;
  play.rules.span_max = 8;
  play.begin();
  Instance const file = play.file();
  for (int row = 1; row <= 8; ++row) play.save(file, "row-" + std::to_string(row), "rare");
  play.forwarder->run(play.now);
  auto const answers = std::exchange(play.daemon.answers, {});
  BOOST_REQUIRE(answers.size() == 8U);
  for (std::size_t row = 1; row < 8; ++row)
    play.forwarder->answered(answers[row].number, answers[row].status, play.now);
  play.forwarder->answered(answers[0].number, answers[0].status, play.now);
  for (int row = 9; row <= 12; ++row) play.save(file, "row-" + std::to_string(row), "rare");
  play.settle();
  BOOST_REQUIRE(play.forwarder->figures().held == 12U);
  play.daemon.tables.insert("rare");
  // Row 2 alone opens the table. Then 3 to 8 and 1 are accepted, but their answers are lost.
  for (int turn = 0; turn < 1'000 && play.count("row-2") == 0; ++turn) {
    play.now.value += 1'000;
    play.forwarder->run(play.now);
  }
  play.answer();
  play.forwarder->run(play.now);
  BOOST_TEST(play.count("row-1") == 1);
  play.begin();
  for (int turn = 0; turn < 10; ++turn) play.settle();
  for (int row = 1; row <= 12; ++row) BOOST_TEST(play.count("row-" + std::to_string(row)) == 1);
  BOOST_TEST(play.folder.aside().empty());
}

BOOST_AUTO_TEST_CASE(names_that_no_table_has_are_set_aside) {
  Play play;
  Instance const file = play.file();
  std::string const long_name(65, 'x');
  for (std::string const& table :
       {std::string{}, std::string{"../../etc/passwd"}, std::string{"a/b"}, std::string{"a b"}, long_name})
    play.save(file, "row", table);
  play.settle();
  BOOST_REQUIRE(play.folder.aside().size() == 5U);
  for (Refused const& row : play.folder.aside()) BOOST_TEST(row.file == kOtherTable);
  BOOST_TEST(play.folder.held().empty());
}

// The bound is for all of them: 3 MiB of rows of 40 tables are written by more than one call for each.
BOOST_AUTO_TEST_CASE(rows_of_held_tables_do_not_pile_up_in_memory) {
  constexpr std::uint64_t kTables = 40;
  Play play;
  Instance const file = play.file();
  for (std::uint64_t table = 0; table < kTables; ++table) play.save(file, "first", "t" + std::to_string(table));
  play.settle();
  BOOST_TEST(play.folder.held().size() == kTables);
  std::uint64_t const before = play.folder.holds();
  std::string const id(2'000, 'i');
  for (std::uint64_t row = 0; row < kTables * 40; ++row) play.save(file, id, "t" + std::to_string(row % kTables));
  play.forwarder->run(play.now);
  BOOST_TEST(play.folder.holds() - before >= 2 * kTables);
}

BOOST_AUTO_TEST_CASE(no_more_than_so_many_tables_are_held) {
  Play play;
  Instance const file = play.file();
  for (int table = 0; table < 1'003; ++table) play.save(file, "row", "t" + std::to_string(table));
  for (int turn = 0; turn < 10; ++turn) play.settle();
  BOOST_TEST(play.forwarder->figures().tables_held == 1'000U);
  BOOST_TEST(play.folder.aside().size() == 3U);
}

// Their names are drawn for the file, not for the time in which it can be read.
BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_for_a_while_keeps_its_name) {
  Play play;
  Instance const file = play.file();
  for (int row = 0; row < 3; ++row) play.save(file, std::to_string(row));
  play.save(file, "held", "later");
  play.save(file, "bad");
  play.now.value += 1'000;
  play.forwarder->run(play.now);  // all are sent, and none has an answer
  std::vector<MemoryDaemon::Answer> const answers = std::exchange(play.daemon.answers, {});
  for (std::size_t at : {3U, 4U}) play.forwarder->answered(answers.at(at).number, answers.at(at).status, play.now);
  play.forwarder->run(play.now);
  BOOST_REQUIRE(play.folder.held().size() == 1U);
  BOOST_REQUIRE(play.folder.aside().size() == 1U);
  play.folder.hide(file, true);
  play.settle();
  BOOST_TEST(play.forwarder->figures().files == 0U);
  play.folder.hide(file, false);
  play.daemon.tables.insert("later");
  play.settle(60'000);
  for (std::string const id : {"0", "1", "2", "held"}) BOOST_TEST(play.count(id) == 1, id);
  BOOST_TEST(play.names == 1);
  BOOST_TEST(play.folder.aside().size() == 1U);
}

// Its file still has it, and would bring it again under its own name.
BOOST_AUTO_TEST_CASE(a_row_is_not_resent_before_its_file_can_be_read_again) {
  Play play;
  Instance const file = play.file();
  play.save(file, "bad");
  play.save(file, "open");
  play.now.value += 1'000;
  play.forwarder->run(play.now);
  std::vector<MemoryDaemon::Answer> const answers = std::exchange(play.daemon.answers, {});
  play.forwarder->answered(answers.at(0).number, answers.at(0).status, play.now);
  BOOST_REQUIRE(play.folder.aside().size() == 1U);
  play.folder.hide(file, true);
  play.folder.stop_after(0);  // before it keeps that
  play.begin();
  play.resend();
  play.settle();
  BOOST_TEST(play.folder.aside().empty());
  play.folder.hide(file, false);
  play.settle();
  BOOST_TEST(play.folder.aside().size() == 1U);
  BOOST_TEST(play.count("open") == 1);
}

// The lock of such a file is given back: a producer may come.
BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_while_it_is_ended_is_not_left) {
  for (int calls = 1; calls < 12; ++calls) {
    Play play;
    Instance const file = play.file();
    play.save(file, "first");
    play.settle();
    play.leave(file);
    play.now.value += 7'200'000;
    int left = calls;
    play.folder.before_call = [&] {
      if (--left == 0) play.folder.hide(file, true);
    };
    play.forwarder->run(play.now);
    play.folder.before_call = nullptr;
    if (play.folder.find(file) == nullptr) continue;
    play.folder.hide(file, false);
    play.settle();
    BOOST_TEST(play.count("first") == 1);
    BOOST_TEST(play.names == 1);
    BOOST_TEST(play.folder.count() == 0U);
  }
}

// Rows that a failed call left in the files of held rows, or aside, count there, and are erased in their file: no power
// cut may take them away after that.
BOOST_AUTO_TEST_CASE(what_is_recalled_survives_a_power_cut) {
  Play play;
  play.daemon.tables.clear();
  Instance file = play.file();
  play.save(file, "first");
  play.settle();
  for (int turn = 0; turn < 24; ++turn) {
    std::string const id = std::to_string(turn);
    if (turn % 2 == 0) play.daemon.tables.insert("pages");
    file = play.file(static_cast<std::uint32_t>(turn) + 1);
    play.save(file, turn % 2 == 0 ? "bad" + id : id);
    play.folder.sync_file(file);
    play.folder.fail_behind_appends = true;
    play.now.value += 100;
    for (int run = 0; run < 2; ++run) {
      play.turn();
    }
    play.folder.fail_behind_appends = false;
    if (turn % 3 == 0) play.begin();
    play.settle();
    play.folder.cut_power();
    play.begin();
    play.settle();
    play.daemon.tables.clear();
  }
  play.daemon.tables.insert("pages");
  play.settle(3'600'000);
  for (int turn = 1; turn < 24; turn += 2) BOOST_TEST(play.count(std::to_string(turn)) == 1, turn);
  BOOST_TEST(play.folder.aside().size() == 12U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool::test
