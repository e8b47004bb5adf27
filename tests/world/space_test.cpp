// How a whole daemon uses the space of a log: removals and starts on a full disk, the limit of disk use under churn,
// and the files of an emptied log. Simulated disk and time; FJ_SEED chooses the order of work.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/world/asking.h"
#include "wire/text.h"

namespace fastjournal::sim::space_test {
namespace {

constexpr std::uint64_t kSegment = 512U << 10U;

std::uint64_t seed_of_run() { return test::seed_or(1); }

struct Served : Asking {
  Served() : Asking(seed_of_run()) {}
  // Returns the row's number, or nothing if there was no room.
  std::string insert(std::string const& name, std::size_t bytes) {
    std::string const answer = ask("INSERT table=jobs;name=" + name + ";payload=" + std::string(bytes, 'x'));
    Message message;
    BOOST_REQUIRE(protocol::parse_line(answer, message).ok());
    if (message.command == "INSERTED") return std::string{message.text("row")};
    BOOST_REQUIRE_MESSAGE(message.text("code") == "no_space", answer);
    return {};
  }
  // Inserts rows until one is refused; returns them.
  std::vector<std::string> fill(std::size_t bytes) {
    std::vector<std::string> rows;
    for (std::string row = insert("k0", bytes); !row.empty(); row = insert("k" + std::to_string(rows.size()), bytes))
      rows.push_back(row);
    return rows;
  }
  std::uint64_t live_bytes() {
    std::uint64_t live = 0;
    for (auto const& log : world.engine().logs()) live += engine::live_bytes(*log);
    return live;
  }
};

// Ends every row by a command of its own, in random order.
void end_all(Served& served, std::vector<std::string> rows) {
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64{seed_of_run()});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string const answer = served.ask("DELETE table=jobs;row=" + rows[i]);
    BOOST_REQUIRE_MESSAGE(answer.starts_with("DELETED "), "row " << i << " of " << rows.size() << ": " << answer);
  }
  BOOST_TEST(served.live_bytes() < 4096U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(space)

// Removals work on a full disk, however few rows each command ends.
BOOST_AUTO_TEST_CASE(on_a_full_disk_every_row_can_be_ended_one_by_one) {
  for (std::uint64_t const segments : {8U, 14U})
    for (std::size_t const bytes : {60U, 3000U, 20'000U}) {
      BOOST_TEST_CONTEXT(segments << " segments, rows of " << bytes) {
        Served served;
        served.world.disk().set_capacity(segments * kSegment + log::file::kNewestFileBytes);
        served.serve();
        std::vector<std::string> const rows = served.fill(bytes);
        BOOST_TEST(rows.size() > 50U);
        end_all(served, rows);
        BOOST_TEST(!served.insert("again", bytes).empty());
      }
    }
}

// The same with rows that lie close together: copying frees only the space of ended rows.
BOOST_AUTO_TEST_CASE(on_a_full_disk_rows_that_came_together_can_be_ended_one_by_one) {
  for (std::uint64_t const segments : {8U, 14U}) {
    Served served;
    served.world.disk().set_capacity(segments * kSegment + log::file::kNewestFileBytes);
    served.serve();
    std::vector<std::string> rows;
    for (bool full = false; !full;) {
      for (int i = 0; i < 200; ++i)
        served.world.send("main", "INSERT table=jobs;name=n" + std::to_string(rows.size()) + "-" + std::to_string(i) +
                                      ";payload=" + std::string(400, 'p'));
      served.world.settle();
      while (std::optional<std::string> const line = served.world.take_line("main")) {
        Message message;
        BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
        full = full || message.command != "INSERTED";
        if (message.command == "INSERTED") rows.emplace_back(message.text("row"));
      }
    }
    BOOST_TEST_CONTEXT(segments << " segments, " << rows.size() << " rows") { end_all(served, rows); }
  }
}

// A GET may write its mark where there is room, and answers without it where there is none.
BOOST_AUTO_TEST_CASE(on_a_full_disk_pairs_can_be_read_and_deleted) {
  for (std::size_t const bytes : {40U, 3000U}) {
    Served served;
    served.world.disk().set_capacity(8 * kSegment + log::file::kNewestFileBytes);
    BOOST_REQUIRE(served.world.add_table(FJ_SOURCE_DIR "/tests/transcripts/values.xml").ok());
    served.serve();
    BOOST_REQUIRE(served.ask("SET table=values;key=t;value=1;ttl=3600000").starts_with("STORED "));
    std::size_t count = 0;
    std::string answer;
    std::string const value(bytes, 'v');
    while ((answer = served.ask("SET table=values;key=k" + std::to_string(count) + ";value=" + value))
               .starts_with("STORED "))
      ++count;
    BOOST_TEST(answer.starts_with("ERROR code=no_space;"), answer);
    BOOST_TEST(count > 500U);
    // A mark is smaller than a pair: some may still have room.
    for (int i = 0; i < 1'000 && !answer.starts_with("ERROR code=no_space;command=GET"); ++i)
      answer = served.ask("GET table=values;key=k" + std::to_string(i) + ";worked_on=9000000");
    std::string const first = served.ask("GET table=values;key=t");
    std::string const end = first.substr(first.find("expiration_date=") + 16, 13);
    for (int i = 0; i < 3; ++i) {
      served.world.advance(DurationMs{1'000'000});
      BOOST_TEST(served.ask("GET table=values;key=k1").starts_with("PAIR "));
      // Its end is not moved.
      std::string const read = served.ask("GET table=values;key=t");
      BOOST_TEST(read.find("expiration_date=" + end + ";") != std::string::npos, read);
      BOOST_TEST(served.ask("GET table=values;key=k1;worked_on=1000").starts_with("ERROR code=no_space;"));
      BOOST_TEST(served.ask("GET table=values;key=k1;ttl=1000").starts_with("ERROR code=no_space;"));
    }
    served.world.kill();
    BOOST_REQUIRE(served.world.start().ok());
    for (std::size_t i = 0; i < count; ++i)
      BOOST_TEST_REQUIRE(
          served.ask("DELETE table=values;complete=1;key=k" + std::to_string(i)).find("result=deleted") !=
          std::string::npos);
    BOOST_TEST(served.ask("SET table=values;key=again;value=" + value).starts_with("STORED "));
  }
}

BOOST_AUTO_TEST_CASE(a_daemon_that_is_killed_again_and_again_starts_on_a_full_disk) {
  for (bool const settled : {true, false}) {
    Served served;
    served.world.disk().set_capacity(8 * kSegment + log::file::kNewestFileBytes);
    served.serve();
    std::vector<std::string> const rows = served.fill(3000);
    for (std::size_t i = 0; i < 60; ++i) {
      served.world.send("main", "DELETE table=jobs;row=" + rows[i]);
      served.world.send("main", "NEXT table=jobs;count=4");
      if (settled) served.world.settle();
      if (i % 2 == 0) {
        served.world.kill();
      } else {
        served.world.power_cut();
      }
      BOOST_TEST_CONTEXT("start " << i) { served.start(); }
    }
  }
}

// disk <= 2 x live + max(4, initial-containers) segments, whatever one old row does.
BOOST_AUTO_TEST_CASE(one_immortal_row_under_churn_keeps_the_disk_within_its_bound) {
  constexpr std::uint64_t kLarger = 1U << 20U;  // four times the piece in which a journal counts live data
  Served served;
  served.world.log_options.segment_bytes = kLarger;
  served.serve();
  BOOST_REQUIRE(!served.insert("immortal", 1000).empty());
  std::mt19937_64 random{seed_of_run()};
  std::vector<std::string> rows;
  std::vector<std::uint64_t> lived;
  std::uint64_t most = 0;
  for (int i = 0; i < 6000; ++i) {
    // The number of rows grows and shrinks, between none and several full segments.
    bool const swell = (i / 1500) % 2 == 0;
    if (rows.empty() || random() % 4 < (swell ? 3U : 1U)) {
      rows.push_back(served.insert("r" + std::to_string(i), 2000));
      BOOST_REQUIRE(!rows.back().empty());
    } else {
      std::swap(rows[random() % rows.size()], rows.back());
      BOOST_REQUIRE(served.ask("DELETE table=jobs;row=" + rows.back()).starts_with("DELETED "));
      rows.pop_back();
    }
    // Rows may die faster than others are copied: the limit follows the live bytes of the last hundred commands.
    lived.push_back(served.live_bytes());
    if (lived.size() > 100) lived.erase(lived.begin());
    std::uint64_t const bound =
        2 * *std::max_element(lived.begin(), lived.end()) + 4 * kLarger + log::file::kNewestFileBytes;
    most = std::max(most, served.world.disk().used_bytes());
    BOOST_REQUIRE_MESSAGE(served.world.disk().used_bytes() <= bound,
                          "step " << i << ": " << served.world.disk().used_bytes() << " bytes, live "
                                  << served.live_bytes() << ", bound " << bound);
  }
  BOOST_TEST(most > 4 * kLarger);
  // STATS has the same figures.
  std::string const stats = served.ask("STATS");
  BOOST_TEST(stats.find(";log_live_bytes=" + std::to_string(served.live_bytes()) + ";") != std::string::npos, stats);
  BOOST_TEST(
      stats.find(";log_disk_bound=" + std::to_string(2 * served.live_bytes() + 4 * kLarger) + ";") != std::string::npos,
      stats);
}

// However rare its syncs are: a segment that is not needed any more is freed by one, also if nobody asks for it.
BOOST_AUTO_TEST_CASE(an_hour_of_load_keeps_the_disk_within_its_bound_under_every_sync_policy) {
  struct Case {
    log::file::SyncPolicy policy;
    std::uint32_t interval_ms;
    log::SyncPlace place;
  };
  constexpr std::uint64_t kMiB = 1U << 20U;
  using Policy = log::file::SyncPolicy;
  for (Case const one :
       {Case{Policy::always, 0, log::SyncPlace::on_loop}, Case{Policy::always, 0, log::SyncPlace::on_thread},
        Case{Policy::interval, 10, log::SyncPlace::on_loop}, Case{Policy::interval, 100, log::SyncPlace::on_thread},
        Case{Policy::interval, 1'000, log::SyncPlace::on_loop},
        Case{Policy::interval, 1'000, log::SyncPlace::on_thread},
        Case{Policy::interval, 3'600'000, log::SyncPlace::on_loop},
        Case{Policy::interval, 3'600'000, log::SyncPlace::on_thread}})
    BOOST_TEST_CONTEXT("seed " << seed_of_run() << ", interval " << one.interval_ms << " ms, place "
                               << static_cast<int>(one.place)) {
      Served served;
      served.world.log_options.segment_bytes = kMiB;
      served.world.log_options.sync = one.policy;
      served.world.log_options.sync_interval_ms = one.interval_ms;
      served.world.log_options.sync_place = one.place;
      served.serve();
      // Old rows in every segment, so that compaction has something to do.
      std::vector<std::string> old;
      for (int i = 0; i < 40; ++i) old.push_back(served.insert("old" + std::to_string(i), 100'000));
      std::vector<std::uint64_t> lived;
      auto const look = [&](std::string const& when) {
        lived.push_back(served.live_bytes());
        if (lived.size() > 100) lived.erase(lived.begin());
        std::uint64_t const bound =
            2 * *std::max_element(lived.begin(), lived.end()) + 4 * kMiB + log::file::kNewestFileBytes;
        BOOST_REQUIRE_MESSAGE(served.world.disk().used_bytes() <= bound,
                              when << ": " << served.world.disk().used_bytes() << " bytes, bound " << bound);
      };
      std::mt19937_64 random{seed_of_run()};
      TimeMs const until{served.world.now().value + 3'600'000};
      for (int i = 0; served.world.now() < until; ++i) {
        BOOST_REQUIRE(!served.insert("k" + std::to_string(random() % 50), 20'000).empty());
        served.world.advance(DurationMs{static_cast<std::int64_t>(random() % 2'000)});
        // What the last turn freed is removed in the next one.
        served.ask("PEEK table=jobs;name=none");
        look("command " + std::to_string(i));
      }
      for (std::string const& row : old)
        BOOST_REQUIRE(served.ask("DELETE table=jobs;row=" + row).starts_with("DELETED "));
      // What they took is given back after the hundred commands that compaction may need, also if no interval is
      // over by then.
      for (int i = 0; i < 100; ++i) BOOST_REQUIRE(!served.insert("k" + std::to_string(i % 50), 20'000).empty());
      served.ask("PEEK table=jobs;name=none");
      lived.clear();
      look("after a hundred commands");
    }
}

BOOST_AUTO_TEST_CASE(an_emptied_log_keeps_what_when_empty_says_and_no_lsn_comes_back) {
  struct Case {
    log::WhenEmpty when_empty;
    std::uint32_t segments;
  };
  for (Case const expected :
       {Case{log::WhenEmpty::reset, 4}, Case{log::WhenEmpty::truncate, 3}, Case{log::WhenEmpty::remove, 1}}) {
    Served served;
    served.world.log_options.when_empty = expected.when_empty;
    served.serve();
    for (int round = 0; round < 3; ++round) {
      std::vector<std::string> rows;
      for (int i = 0; i < 400; ++i) rows.push_back(served.insert("k" + std::to_string(i), 5000));
      Lsn const before = served.world.log().end_lsn();
      for (std::string const& row : rows) BOOST_REQUIRE(served.ask("DELETE table=jobs;row=" + row).starts_with("DEL"));
      served.world.advance(DurationMs{1500});
      BOOST_TEST(served.world.log().usage().segments == expected.segments);
      BOOST_TEST(served.world.log().usage().logical_bytes <= 64U << 10U);
      BOOST_CHECK(served.world.log().end_lsn() > before);
      if (round == 1) served.world.power_cut();
      if (round == 2) BOOST_REQUIRE(served.world.stop().ok());
      if (round > 0) served.start();
      BOOST_CHECK(served.world.log().end_lsn() > before);
    }
  }
}

// A period's rows have files of their own. Once it is over these are only emptied, and free as soon as they are empty;
// what is left when the next period is over too is carried on.
BOOST_AUTO_TEST_CASE(files_of_a_period_go_when_they_are_empty_and_at_the_latest_two_periods_later) {
  constexpr DurationMs kHour{3'600'000};
  Served served;
  served.world.log_options.period = log::Period::hour;
  served.world.log_options.wipe = true;
  served.serve();
  auto const files_with = [&](std::string_view text) {
    int count = 0;
    for (std::string const& file : served.world.disk().files()) {
      std::vector<std::byte> const content = served.world.disk().content(file);
      if (std::string_view{reinterpret_cast<char const*>(content.data()), content.size()}.find(text) !=
          std::string_view::npos)
        ++count;
    }
    return count;
  };
  auto const settle = [&] {
    for (int i = 0; i < 5; ++i) served.world.advance(DurationMs{2000});
    for (int i = 0; i < 10; ++i) served.ask("PEEK table=jobs;name=none");
  };
  auto const restart = [&](int round) {
    if (round % 3 == 1) served.world.power_cut();
    if (round % 3 == 2) BOOST_REQUIRE(served.world.stop().ok());
    if (round % 3 != 0) served.start();
  };
  // So much lives that the bound of the log asks for no copies.
  for (int i = 0; i < 150; ++i) static_cast<void>(served.insert("kept-" + std::to_string(i), 5000));
  for (int round = 0; round < 6; ++round) {
    std::string const hour = "hour-" + std::to_string(round) + "-";
    std::vector<std::string> rows;
    for (int i = 0; i < 20; ++i) rows.push_back(served.insert(hour + std::to_string(i), 500));
    BOOST_TEST(files_with(hour) == 1);
    served.world.advance(kHour);
    restart(round);
    // It is the last period now: nothing of it is carried, and it is emptied. (A start copies if it must, for the
    // bound of the log.)
    std::string const next = "next-" + std::to_string(round) + "-";
    for (int i = 0; i < 20; ++i) static_cast<void>(served.insert(next + std::to_string(i), 500));
    BOOST_TEST(files_with(next) == 1);
    std::uint64_t const copied = served.world.engine().logs().front()->bytes_compacted;
    std::size_t const left = round % 2 == 0 ? 0 : 1;
    for (std::size_t i = left; i < rows.size(); ++i)
      BOOST_REQUIRE(served.ask("DELETE table=jobs;row=" + rows[i]).starts_with("DEL"));
    settle();
    BOOST_TEST(served.world.engine().logs().front()->bytes_compacted < copied + 1000);
    served.world.advance(kHour);
    settle();
    // The row that was left is in the files of this period now.
    if (left != 0) {
      BOOST_TEST(served.ask("PEEK table=jobs;name=" + hour + "0").starts_with("ROW "));
      BOOST_TEST(files_with(hour + "0") == 1);
      if (round % 3 == 0) BOOST_TEST(files_with(hour + "5") == 0);
      BOOST_REQUIRE(served.ask("DELETE table=jobs;row=" + rows[0]).starts_with("DEL"));
    }
    for (int i = 0; i < 20; ++i)
      BOOST_REQUIRE(served.ask("DELETE table=jobs;name=" + next + std::to_string(i)).starts_with("DEL"));
    // What ended two periods ago. (What is free is wiped.)
    if (round == 0) continue;
    for (std::string const name : {"hour-", "next-"}) BOOST_TEST_CONTEXT(name << round - 1) {
        BOOST_TEST(files_with(name + std::to_string(round - 1) + "-") == 0);
      }
  }
}

// Once a log is empty, its data is nowhere on the disk, except in the last segment in use.
BOOST_AUTO_TEST_CASE(what_is_freed_is_wiped_when_the_log_says_so) {
  for (bool const wipe : {true, false}) {
    Served served;
    served.world.log_options.wipe = wipe;
    served.serve();
    std::vector<std::string> rows;
    for (int i = 0; i < 300; ++i) rows.push_back(served.insert("secret-" + std::to_string(i), 5000));
    for (std::string const& row : rows) BOOST_REQUIRE(served.ask("DELETE table=jobs;row=" + row).starts_with("DEL"));
    served.world.advance(DurationMs{5000});
    for (int i = 0; i < 10; ++i) served.ask("PEEK table=jobs;name=none");
    int with_secrets = 0;
    for (std::string const& file : served.world.disk().files()) {
      std::vector<std::byte> const content = served.world.disk().content(file);
      std::string_view const text{reinterpret_cast<char const*>(content.data()), content.size()};
      if (text.find("secret-") != std::string_view::npos) ++with_secrets;
    }
    if (wipe) BOOST_TEST(with_secrets == 0);
    if (!wipe) BOOST_TEST(with_secrets > 0);
  }
}

// What ends an attempt is never refused, so failing workers could fill any memory with what they say.
BOOST_AUTO_TEST_CASE(what_failing_workers_say_does_not_go_far_beyond_the_limit_of_memory) {
  Served served;
  served.serve();
  std::vector<std::string> rows;
  for (int i = 0; i < 300; ++i) rows.push_back(served.insert("n" + std::to_string(i), 10));
  engine::Memory& memory = served.world.engine().memory();
  std::uint64_t const limit = memory.bytes() + (100U << 10U);
  memory.limit(limit);
  std::string const trace(16U << 10U, 't');
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Message row;
    std::string const next = served.ask("NEXT table=jobs");
    BOOST_REQUIRE_MESSAGE(next.starts_with("ROW ") && protocol::parse_line(next, row).ok(), next);
    std::string const answer = served.ask("RELEASE table=jobs;row=" + std::string{row.text("row")} + ";epoch=" +
                                          std::string{row.text("epoch")} + ";error=broken;error_trace=" + trace);
    BOOST_REQUIRE_MESSAGE(answer.starts_with("RELEASED "), answer);
  }
  BOOST_TEST(memory.bytes() > limit);
  BOOST_TEST(memory.bytes() < limit + 300U * 2048U);
}

// Otherwise the administrator would look for space on a disk that has enough.
BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_written_is_not_called_a_full_disk) {
  Served served;
  served.world.log_options.segment_bytes = kSegment;
  served.serve();
  served.world.disk().forbid_new_files(true);
  std::string answer;
  for (int i = 0; i < 1000 && !answer.starts_with("ERROR"); ++i)
    answer = served.ask("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + std::string(9000, 'x'));
  BOOST_TEST(answer.find("code=no_space") != std::string::npos, answer);
  BOOST_TEST(answer.find("no other can be made: open ") != std::string::npos, answer);
  BOOST_TEST(answer.find("Permission denied") != std::string::npos, answer);
  BOOST_TEST(answer.find("free disk space") == std::string::npos, answer);
  served.world.advance(DurationMs{1000});
  answer = served.ask("ALERTS");
  BOOST_TEST(answer.find("name=disk-short") != std::string::npos, answer);
  BOOST_TEST(answer.find("Permission denied") != std::string::npos, answer);
  served.world.disk().forbid_new_files(false);
  served.world.advance(DurationMs{60'000});
  BOOST_TEST(served.ask("INSERT table=jobs;name=after").starts_with("INSERTED "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::space_test
