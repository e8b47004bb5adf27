// What is left of rows that ended and of attempts that failed: entries, pages in files, searches, limits, waiting for an
// end, and rows that are put again. The random life holds a table, over replays, compactions and pages, against a list of
// what ended (tests/model/reference_history.h). FJ_SEED plays a life again.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "plugins/rows/ended_page.h"
#include "tests/model/reference_history.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

using reference::PastEntry;
using reference::PastQuery;
using reference::ReferenceHistory;

struct Past : Harness {
  explicit Past(Texts more = {}) : Harness(with(std::move(more))) { may_manage = true; }
  static Texts with(Texts more) {
    more.try_emplace("keep-done", "30d");
    return more;
  }

  // The row's number.
  std::string insert(std::string const& key, std::string const& value = "v", std::string const& tags = {}) {
    Texts given{{"k", key}, {"v", value}};
    if (!tags.empty()) given["tags"] = tags;
    Reply const reply = run("INSERT", given);
    BOOST_REQUIRE_MESSAGE(reply.status.ok(), reply.status.text());
    return reply.messages.at(0).at("row");
  }
  struct Leased {
    std::string row;
    std::string epoch;
    [[nodiscard]] Texts with(Texts more = {}) const {
      more["row"] = row;
      more["epoch"] = epoch;
      return more;
    }
  };
  Leased next() {
    Reply const reply = run("NEXT", {});
    BOOST_REQUIRE_MESSAGE(reply.status.ok() && reply.messages.at(0).at("") == "ROW", reply.status.text());
    return {reply.messages[0].at("row"), reply.messages[0].at("epoch")};
  }
  std::string done(std::string const& key, std::string const& result = {}, std::string const& tags = {}) {
    std::string const row = insert(key, "v" + key, tags);
    Texts more;
    if (!result.empty()) more["result"] = result;
    BOOST_REQUIRE(run("DONE", next().with(more)).status.ok());
    return row;
  }
  // All pages of a HISTORY.
  std::vector<Texts> past(Texts query, std::size_t* calls = nullptr) {
    std::vector<Texts> out;
    for (int page = 0;; ++page) {
      BOOST_REQUIRE(page < 100'000);
      if (calls != nullptr) ++*calls;
      Reply const reply = run("HISTORY", query);
      BOOST_REQUIRE_MESSAGE(reply.status.ok(), reply.status.text());
      for (Texts const& message : reply.messages)
        if (message.at("") == "ENTRY") out.push_back(message);
      Texts const& last = reply.messages.back();
      if (!last.contains("after")) return out;
      BOOST_REQUIRE((!query.contains("after") || std::stoull(last.at("after")) < std::stoull(query.at("after"))));
      query["after"] = last.at("after");
    }
  }
  void move_out() {
    while (begin_move_out()) end_move_out();
  }
  void require_sound() {
    BOOST_TEST(alerts.extents_wrong == 0U);
    std::vector<Extent> found;
    std::uint64_t cursor = 0;
    do cursor = table->list_extents(cursor, 2, found);
    while (cursor != 0);
    BOOST_TEST(found.size() == alerts.extents.size());
    BOOST_TEST(replays());
  }
  rows::History const& history() const { return table->rows().history(); }
};

std::string text_at(Texts const& message, std::string const& name) {
  auto const found = message.find(name);
  return found == message.end() ? std::string{} : found->second;
}

BOOST_AUTO_TEST_SUITE(history)

BOOST_AUTO_TEST_CASE(nothing_is_kept_and_recorded_unless_the_table_says_so) {
  Past plain{{{"keep-done", "0"}}};
  plain.done("a", "fine");
  for (auto const& record : plain.log.stored()) BOOST_TEST((record.view().type != 8 || record.view().version == 1));
  BOOST_TEST(plain.history().empty());
  BOOST_TEST((plain.run("HISTORY", {}).status.code() == Code::not_supported));
}

BOOST_AUTO_TEST_CASE(an_end_has_result_dates_and_columns) {
  Past past;
  std::string const row = past.insert("a", "hello", "red,blue");
  past.pass(1000);
  Past::Leased const lease = past.next();
  past.pass(500);
  BOOST_REQUIRE(past.run("DONE", lease.with({{"result", "42"}})).status.ok());
  std::vector<Texts> const found = past.past({{"row", row}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].at("end") == "done");
  BOOST_TEST(found[0].at("k") == "a");
  BOOST_TEST(found[0].at("v") == "hello");
  BOOST_TEST(found[0].at("result") == "42");
  BOOST_TEST(found[0].at("tags") == "red,blue");
  BOOST_TEST(found[0].at("attempts") == "1");
  BOOST_TEST(found[0].at("worker") == "w");
  BOOST_TEST(std::stoll(found[0].at("end_date")) - std::stoll(found[0].at("start_date")) == 500);
  BOOST_TEST(std::stoll(found[0].at("start_date")) - std::stoll(found[0].at("arrival_date")) == 1000);
  past.require_sound();
}

BOOST_AUTO_TEST_CASE(failed_attempts_have_their_error_and_trace) {
  Past past{{{"max-attempts", "3"}, {"when-failed", "delete"}, {"back-off-first", "1s"}, {"back-off-jitter", "0"}}};
  std::string const row = past.insert("a");
  past.run("RELEASE", past.next().with({{"error", "one"}, {"error_trace", "at 1"}}));
  past.pass(10'000);
  past.run("NEXT", {{"lease", "5000"}});
  past.pass(5'000);
  past.pass(20'000);
  past.run("RELEASE", past.next().with({{"error", "three"}, {"error_trace", "at 3"}}));
  past.pass(20'000);
  past.run("RELEASE", past.next().with({{"error", "four"}, {"error_trace", "at 4"}}));
  std::vector<Texts> const found = past.past({{"k", "a"}});
  for (Texts const& one : found) BOOST_TEST_MESSAGE(one.at("end") + " " + text_at(one, "error"));
  BOOST_REQUIRE(found.size() == 5U);
  BOOST_TEST(found[0].at("end") == "failed");
  BOOST_TEST(found[0].at("error") == "four");
  BOOST_TEST(found[0].at("attempts") == "4");
  BOOST_TEST(text_at(found[0], "error_trace").empty());
  BOOST_TEST(found[1].at("end") == "attempt");
  BOOST_TEST(found[1].at("error_trace") == "at 4");
  BOOST_TEST(found[1].at("attempt") == "4");
  BOOST_TEST(found[3].at("cause") == "timeout");
  BOOST_TEST(found[4].at("error") == "one");
  BOOST_TEST(past.past({{"end", "attempt"}}).size() == 4U);
  BOOST_TEST(past.past({{"end", "failed"}, {"row", row}}).size() == 1U);
  BOOST_TEST(past.past({{"error", "thr"}}).size() == 1U);
  past.require_sound();
}

BOOST_AUTO_TEST_CASE(pages_leave_memory_and_are_found_again) {
  Past past;
  std::vector<std::string> numbers;
  for (int i = 0; i < 7'000; ++i)
    numbers.push_back(past.done("key" + std::to_string(i), "r" + std::to_string(i), i % 1000 == 7 ? "rare" : ""));
  past.move_out();
  BOOST_TEST(past.history().pages().size() == 2U);
  BOOST_TEST(past.history().recent().size() < rows::kPageEntriesMax);
  BOOST_TEST(past.history().entries() == 7'000U);
  for (int const i : {0, 1, 3071, 3072, 3073, 6143, 6144, 6999}) {
    std::vector<Texts> const by_key = past.past({{"k", "key" + std::to_string(i)}});
    BOOST_REQUIRE(by_key.size() == 1U);
    BOOST_TEST(by_key[0].at("result") == "r" + std::to_string(i));
    BOOST_TEST(past.past({{"row", numbers[static_cast<std::size_t>(i)]}}).size() == 1U);
  }
  // Parts that were read stay at hand as long as there is room: no search ends before it is over.
  for (int i = 0; i < 400; ++i) {
    std::size_t calls = 0;
    BOOST_TEST(past.past({{"k", "key" + std::to_string(i * 15)}}, &calls).size() == 1U);
    BOOST_TEST(calls == 1U);
  }
  BOOST_TEST(past.history().memory_bytes() < 8U << 20U);
  BOOST_TEST(past.past({{"tag", "rare"}}).size() == 7U);
  BOOST_TEST(past.past({}).size() == 7'000U);
  BOOST_TEST(past.past({{"k", "nowhere"}}).empty());
  past.require_sound();
  past.restart();
  BOOST_TEST(past.past({{"count", "1000"}}).size() == 7'000U);
  // All of it is stated again elsewhere in the log.
  past.compact(past.log.end());
  BOOST_TEST(digest_of(*past.replayed(past.table->oldest_lsn())) == digest_of(*past.table));
  past.restart();
  BOOST_TEST(past.past({{"k", "key5"}}).size() == 1U);
  past.require_sound();
}

BOOST_AUTO_TEST_CASE(a_damaged_page_is_told_and_hides_no_other) {
  Past past;
  for (int i = 0; i < 9'300; ++i) past.done("key" + std::to_string(i));
  past.move_out();
  BOOST_REQUIRE(past.history().pages().size() == 3U);
  past.outside.erase(past.history().pages()[1].extent.begin);
  Reply const refused = past.run("HISTORY", {{"k", "key4000"}});
  BOOST_TEST((refused.status.code() == Code::damaged));
  BOOST_TEST(refused.status.message().find("go on with after=") != std::string::npos);
  BOOST_TEST(past.past({{"k", "key10"}}).size() == 1U);
  BOOST_TEST(past.past({{"k", "key9000"}}).size() == 1U);
  std::string after;
  for (auto const& [name, value] : refused.status.facts())
    if (name == "after") after = value;
  BOOST_TEST(past.past({{"after", after}}).size() == past.history().pages()[0].size());
}

BOOST_AUTO_TEST_CASE(limits_drop_the_oldest) {
  Past past{{{"keep-done", "1h"}}};
  for (int i = 0; i < 4'000; ++i) past.done("key" + std::to_string(i));
  past.move_out();
  past.pass(1'800'000);
  past.done("late");
  past.pass(1'800'001);
  BOOST_TEST(past.history().entries() == 1U);
  BOOST_TEST(past.alerts.extents.empty());
  past.require_sound();
  past.pass(3'600'000);
  BOOST_TEST(past.history().entries() == 0U);

  Past few{{{"keep-done-rows", "100"}}};
  for (int i = 0; i < 1'000; ++i) {
    few.done("key" + std::to_string(i));
    few.pass(1);
  }
  BOOST_TEST(few.history().entries() >= 100U);
  BOOST_TEST(few.history().entries() <= 117U);
  BOOST_TEST(few.past({{"count", "1"}, {"k", "key999"}}).size() == 1U);
  few.change({{"keep-done", "0"}});
  few.pass(1);
  BOOST_TEST(few.history().entries() == 0U);
  few.require_sound();
}

BOOST_AUTO_TEST_CASE(a_row_is_waited_for) {
  for (char const* const keep : {"0", "1h"}) {
    Past past{{{"keep-done", keep}}};
    std::string const row = past.insert("a");
    Texts const wait{{"row", row}, {"wait", "10000"}, {"request", "1"}};
    Reply const waits = past.run("WAIT", wait);
    BOOST_REQUIRE_MESSAGE(waits.verdict == Verdict::wait, waits.status.text());
    BOOST_TEST(past.run("WAIT", {{"k", "a"}}).messages.at(0).at("") == "NOTHING");
    std::string const topic = Awaited::topic_of(ObjectId{std::stoull(row)});
    BOOST_TEST(past.table->available(topic) == 0U);
    past.run("DONE", past.next().with({{"result", "seven"}}));
    BOOST_TEST(past.table->available(topic) == 1U);
    Reply const answer = past.run("WAIT", wait);
    BOOST_REQUIRE(answer.messages.size() == 1U);
    BOOST_TEST(answer.messages[0].at("") == "ENTRY");
    BOOST_TEST(answer.messages[0].at("end") == "done");
    BOOST_TEST(answer.messages[0].at("result") == "seven");
    BOOST_TEST(past.run("WAIT", {{"row", "8888"}}).messages.at(0).contains("reason"));
  }
}

BOOST_AUTO_TEST_CASE(a_parked_row_and_a_merged_one_end_a_wait) {
  Past past{{{"keep-done", "0"}}};
  std::string const row = past.insert("a");
  BOOST_TEST((past.run("WAIT", {{"row", row}, {"wait", "10000"}, {"request", "1"}}).verdict == Verdict::wait));
  Past::Leased const lease = past.next();
  std::string const behind = past.insert("a", "new");
  past.run("RELEASE", lease.with({{"error", "no"}}));
  Reply const merged = past.run("WAIT", {{"row", row}});
  BOOST_TEST(merged.messages.at(0).at("") == "NOTHING");
  BOOST_TEST(merged.messages.at(0).at("row") == behind);
  past.pass(100'000);
  past.run("FAIL", past.next().with({{"error", "never"}}));
  Reply const parked = past.run("WAIT", {{"row", behind}});
  BOOST_TEST(parked.messages.at(0).at("end") == "parked");
  BOOST_TEST(parked.messages.at(0).at("error") == "never");
}

BOOST_AUTO_TEST_CASE(a_row_that_ended_is_put_again) {
  Past past;
  std::string const row = past.done("a", {}, "red");
  Reply const again = past.run("REDO", {{"row", row}, {"v", "changed"}});
  BOOST_REQUIRE_MESSAGE(again.status.ok(), again.status.text());
  BOOST_TEST(again.messages.at(0).at("") == "INSERTED");
  BOOST_TEST(again.messages.at(0).at("row") != row);
  Reply const shown = past.run("PEEK", {{"k", "a"}});
  BOOST_TEST(shown.messages.at(0).at("v") == "changed");
  BOOST_TEST(shown.messages.at(0).at("tags") == "red");
  BOOST_TEST((past.run("REDO", {{"row", again.messages[0].at("row")}}).status.code() == Code::wrong_state));
  BOOST_TEST((past.run("REDO", {{"row", "409600"}}).status.code() == Code::unknown_row));
  past.require_sound();
}

BOOST_AUTO_TEST_CASE(an_accepted_clock_lowers_dates_of_what_was) {
  Past past;
  past.done("a");
  std::int64_t const before = past.now.value;
  past.restart(0, TimeMs{before - 1'000'000});
  BOOST_TEST(past.past({}).at(0).at("end_date") == std::to_string(before - 1'000'000));
  past.require_sound();
}

// Everything at random, beside a list.
void live(std::uint64_t seed, int steps) {
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 chance{seed};
  auto const draw = [&](std::uint64_t most) { return chance() % most; };
  Past past{{{"max-attempts", "3"}, {"when-failed", draw(2) == 0 ? "delete" : "parked"}, {"back-off-max", "1s"}}};
  ReferenceHistory reference;
  std::map<std::string, PastEntry> live_rows;  // by number
  std::map<std::string, int> tried;
  std::vector<Past::Leased> leased;
  auto const end = [&](std::string const& row, std::string const& how, std::string const& result,
                       std::string const& worker) {
    PastEntry entry = live_rows.at(row);
    entry.end = how;
    entry.at = past.now.value;
    entry.attempt = std::to_string(tried[row] + (how == "done" ? 1 : 0));
    entry.result = result;
    entry.worker = worker;
    reference.add(entry);
    live_rows.erase(row);
  };
  int key = 0;
  for (int step = 0; step < steps; ++step) {
    past.pass(static_cast<std::int64_t>(draw(50)));
    std::uint64_t const what = draw(100);
    if (what < 40 || live_rows.empty()) {
      PastEntry entry;
      entry.key = "k" + std::to_string(key++);
      entry.value = std::string(1 + draw(30), 'x');
      entry.tags = draw(5) == 0 ? "t" + std::to_string(draw(4)) : "";
      entry.row = past.insert(entry.key, entry.value, entry.tags);
      live_rows[entry.row] = entry;
    } else if (what < 60) {
      Reply const reply = past.run("NEXT", {{"lease", "86400000"}});
      if (reply.messages.at(0).at("") == "ROW")
        leased.push_back({reply.messages[0].at("row"), reply.messages[0].at("epoch")});
    } else if (what < 90 && !leased.empty()) {
      std::size_t const at = draw(leased.size());
      Past::Leased const one = leased[at];
      leased.erase(leased.begin() + static_cast<std::ptrdiff_t>(at));
      if (draw(3) > 0) {
        std::string const result = draw(2) == 0 ? "" : "r" + std::to_string(draw(1000));
        BOOST_REQUIRE(past.run("DONE", result.empty() ? one.with() : one.with({{"result", result}})).status.ok());
        end(one.row, "done", result, "w");
      } else {
        std::string const error = "error " + std::to_string(draw(7));
        Reply const reply = past.run("RELEASE", one.with({{"error", error}}));
        BOOST_REQUIRE(reply.status.ok());
        PastEntry attempt;
        attempt.row = one.row;
        attempt.key = live_rows[one.row].key;
        attempt.end = "attempt";
        attempt.at = past.now.value;
        attempt.attempt = std::to_string(++tried[one.row]);
        attempt.worker = "w";
        attempt.error = error;
        reference.add(attempt);
        live_rows[one.row].error = error;
        if (reply.messages.at(0).at("") == "DELETED") end(one.row, "failed", "", "w");
      }
    } else if (what < 95) {
      auto at = live_rows.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(draw(live_rows.size())));
      std::string const row = at->first;
      bool const has_lease = std::erase_if(leased, [&](Past::Leased const& one) { return one.row == row; }) > 0;
      BOOST_REQUIRE(past.run("DELETE", {{"row", row}}).status.ok());
      end(row, "deleted", "", has_lease ? "w" : "");
    } else if (what < 97) {
      past.compact(Lsn{past.log.end().value * draw(100) / 100 / 8 * 8 + 8});
    } else if (what == 97) {
      if (past.begin_move_out() && draw(4) > 0) past.end_move_out();
    } else if (what == 98) {
      past.restart();
      for (Past::Leased const& one : leased)
        BOOST_REQUIRE(past.run("TOUCH", one.with({{"lease", "86400000"}})).status.ok());
    }
    if (draw(40) == 0) {
      PastQuery query;
      Texts asked{{"count", std::to_string(1 + draw(50))}};
      if (draw(4) == 0) asked["tag"] = query.tag = "t" + std::to_string(draw(4));
      if (draw(4) == 0) asked["error"] = query.error = "error " + std::to_string(draw(7));
      if (draw(3) == 0) {
        static constexpr char const* kEnds[] = {"done", "failed", "expired", "deleted", "attempt"};
        asked["end"] = query.end = kEnds[draw(5)];
      }
      if (draw(4) == 0) asked["k"] = query.key = "k" + std::to_string(draw(static_cast<std::uint64_t>(key)));
      if (draw(5) == 0)
        asked["from_date"] = std::to_string(query.since = past.now.value - static_cast<int>(draw(5000)));
      if (draw(5) == 0) asked["to_date"] = std::to_string(query.until = past.now.value - static_cast<int>(draw(5000)));
      std::vector<PastEntry> found;
      for (Texts const& one : past.past(asked)) {
        bool const is_attempt = one.at("end") == "attempt";
        found.push_back({one.at("row"), one.at("k"), one.at("end"), std::stoll(one.at("end_date")),
                         one.at(is_attempt ? "attempt" : "attempts"), text_at(one, "worker"), text_at(one, "result"),
                         text_at(one, "error"), text_at(one, "v"), text_at(one, "tags")});
      }
      std::vector<PastEntry> const expected = reference.find(query);
      BOOST_REQUIRE_MESSAGE(found == expected, "seed " << seed << ", step " << step << ": found " << found.size()
                                                       << ", expected " << expected.size());
    }
    if (draw(400) == 0) past.require_sound();
  }
  past.require_sound();
}

BOOST_AUTO_TEST_CASE(lives_are_as_the_list_says) {
  char const* const given = std::getenv("FJ_SEED");
  std::uint64_t const first = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  for (std::uint64_t seed = first; seed < first + (given != nullptr ? 1U : 4U); ++seed) live(seed, 12'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::journal::test
