// What the lives (waits_life_test.cpp) do not reach: many edges, long lists that are released a part at a time, the
// memory of an edge, transactions, and a graph in layers that is played over many starts.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/metrics.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

// Rows in layers, each of which waits for all rows of the layer before. Returns their numbers.
std::vector<std::vector<std::string>> insert_layers(Harness& h, int layers, int width) {
  std::vector<std::vector<std::string>> out;
  std::string before;
  for (int layer = 0; layer < layers; ++layer) {
    std::string all;
    out.emplace_back();
    for (int i = 0; i < width; ++i) {
      Texts given{{"k", std::to_string(layer) + "." + std::to_string(i)}};
      if (layer > 0) given["after"] = before;
      Reply const reply = h.run("INSERT", given);
      BOOST_REQUIRE_MESSAGE(reply.status.ok(), reply.status.message());
      out.back().push_back(reply.get("row"));
      all += (all.empty() ? "" : " ") + reply.get("row");
    }
    before = all;
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_waits)

BOOST_AUTO_TEST_CASE(each_row_of_a_graph_runs_once_and_after_what_it_waits_for) {
  Harness h{Texts{{"processing-timeout", "1h"}, {"grace", "1h"}}};
  constexpr int kLayers = 20;
  constexpr int kWidth = 20;
  auto const layers = insert_layers(h, kLayers, kWidth);
  std::map<std::string, int> layer_of;
  for (int layer = 0; layer < kLayers; ++layer)
    for (std::string const& row : layers[static_cast<std::size_t>(layer)]) layer_of[row] = layer;
  std::set<std::string> done;
  std::vector<int> left(kLayers, kWidth);
  for (int round = 0; done.size() < layer_of.size(); ++round) {
    BOOST_REQUIRE(round < 1000);
    if (round % 40 == 7) h.restart();
    Reply const taken = h.run("NEXT", {{"count", "7"}});
    for (std::size_t i = 0; i < taken.messages.size() && taken.name(i) == "ROW"; ++i) {
      std::string const row = taken.get("row", i);
      int const layer = layer_of.at(row);
      BOOST_TEST((layer == 0 || left[static_cast<std::size_t>(layer - 1)] == 0));
      BOOST_TEST(done.insert(row).second);
      BOOST_TEST(h.run("DONE", {{"row", row}, {"epoch", taken.get("epoch", i)}}).name() == "COMPLETED");
      --left[static_cast<std::size_t>(layer)];
    }
    h.timers();
  }
  BOOST_TEST(h.table->state().places().waits().edges() == 0U);
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(an_edge_takes_at_most_25_bytes_of_memory_in_layers) {
  Harness h;
  rows::Waits const& waits = h.table->state().places().waits();
  insert_layers(h, 40, 50);
  BOOST_TEST(waits.edges() == 39U * 50 * 50);
  BOOST_TEST_MESSAGE(waits.memory_bytes() << " bytes for " << waits.edges() << " edges");
  BOOST_TEST(waits.memory_bytes() <= 25 * waits.edges());
}

// Each edge has an entry in the index: no graph takes more (doc/internals/decisions.md, 64). At all sizes of the index.
BOOST_AUTO_TEST_CASE(an_edge_takes_at_most_38_bytes_of_memory_in_a_chain) {
  Harness h;
  rows::Waits const& waits = h.table->state().places().waits();
  std::string before;
  double most = 0;
  for (int i = 0; i < 40'000; ++i) {
    Texts given{{"k", std::to_string(i)}};
    if (i > 0) given["after"] = before;
    before = h.run("INSERT", given).get("row");
    if (i > 4000 && i % 100 == 0)
      most = std::max(most, static_cast<double>(waits.memory_bytes()) / static_cast<double>(waits.edges()));
  }
  BOOST_TEST(waits.edges() == 39'999U);
  BOOST_TEST_MESSAGE(most << " bytes for an edge at most, " << waits.memory_bytes() << " at the end");
  BOOST_TEST(most <= 38);
}

BOOST_AUTO_TEST_CASE(a_long_list_is_released_a_part_at_a_time) {
  Harness h;
  std::string const first = h.run("INSERT", {{"k", "first"}}).get("row");
  constexpr std::uint64_t kRows = 3000;
  for (std::uint64_t i = 0; i < kRows; ++i) h.run("INSERT", {{"k", std::to_string(i)}, {"after", first}});
  std::string const last = h.run("INSERT", {{"k", "last"}, {"after_keys", "17 2999"}}).get("row");
  Reply const taken = h.run("NEXT", {});
  BOOST_TEST(taken.get("row") == first);
  h.run("DONE", {{"row", first}, {"epoch", taken.get("epoch")}});
  auto const& places = h.table->state().places();
  BOOST_TEST(places.blocked() == kRows + 1 - rows::Waits::kAtOnce);
  BOOST_TEST((h.table->next_due() <= h.now));
  // Nothing that is seen of a row depends on how far that is.
  BOOST_TEST(h.replays());
  std::uint64_t const digest = digest_of(*h.table);
  NoObserver nobody;
  BOOST_TEST(h.table->advance(h.now, 100, nobody));
  BOOST_TEST(places.blocked() == kRows + 1 - rows::Waits::kAtOnce - 100);
  BOOST_TEST(digest_of(*h.table) == digest);
  // A row in the middle of the list goes.
  BOOST_TEST(h.run("DELETE", {{"k", "1500"}}).name() == "DELETED");
  h.timers();
  BOOST_TEST(places.blocked() == 1);
  BOOST_TEST(h.run("WHY", {{"row", last}}).get("waits_for") == "2");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_group_does_not_end_while_a_row_of_it_is_promised) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"group", "g"}});
  h.run("INSERT", {{"k", "end"}, {"after_group", "g"}});
  // What a transaction promises.
  Hold hold;
  h.hold = &hold;
  h.phase = Phase::promise;
  h.transaction = TransactionId{7};
  BOOST_TEST(h.run("INSERT", {{"k", "b"}, {"group", "g"}}).status.ok());
  h.table->hold(TransactionId{7}, hold);
  h.phase = Phase::now;
  h.transaction = {};
  Reply const taken = h.run("NEXT", {});
  h.run("DONE", {{"row", taken.get("row")}, {"epoch", taken.get("epoch")}});
  h.timers();
  BOOST_TEST(h.run("GROUPS", {}).get("state") == "closed");
  h.phase = Phase::keep;
  h.transaction = TransactionId{7};
  BOOST_TEST(h.run("INSERT", {{"k", "b"}, {"group", "g"}}).get("result") == "inserted");
  h.table->release(TransactionId{7});
  h.phase = Phase::now;
  h.transaction = {};
  h.timers();
  BOOST_TEST(h.run("GROUPS", {}).get("rows") == "1");
  Reply const next = h.run("NEXT", {{"count", "5"}});
  BOOST_TEST(next.messages.size() == 1);
  h.run("DONE", {{"row", next.get("row")}, {"epoch", next.get("epoch")}});
  h.timers();
  BOOST_TEST(h.run("GROUPS", {}).get("state") == "ended");
  BOOST_TEST(h.run("NEXT", {}).get("k") == "end");
  BOOST_TEST(h.replays());
}

// What became of a group was decided under the policy of then: a copy of its record must not tell it again.
BOOST_AUTO_TEST_CASE(a_copied_group_changes_nothing_for_those_that_wait) {
  Harness h{Texts{{"processing-timeout", "1h"}, {"grace", "1h"}}};
  h.run("INSERT", {{"k", "a"}, {"group", "g"}});
  Reply const taken = h.run("NEXT", {});
  BOOST_TEST(h.run("FAIL", {{"row", taken.get("row")}, {"epoch", taken.get("epoch")}}).name() == "PARKED");
  h.timers();
  BOOST_TEST(h.run("GROUPS", {}).get("state") == "ended");
  h.run("INSERT", {{"k", "other"}, {"process_date", "4000000000000"}});
  h.run("INSERT", {{"k", "w"}, {"after_group", "g"}, {"after_group_is", "done"}});
  BOOST_TEST(h.run("INSERT", {{"k", "w"}, {"after_keys", "other"}, {"when_failed", "fail"}}).get("waits_for") == "2");
  h.timers();
  BOOST_TEST(h.run("PEEK", {{"k", "w"}}).get("status") == "blocked");
  std::uint64_t const before = digest_of(*h.table);
  h.log.skip(1U << 20U);
  h.compact(h.log.end(), 1U << 20U);
  h.timers();
  BOOST_TEST(h.run("PEEK", {{"k", "w"}}).get("status") == "blocked");
  BOOST_TEST(digest_of(*h.table) == before);
}

// An answer names each parameter once.
BOOST_AUTO_TEST_CASE(a_row_may_wait_for_several_groups) {
  Harness h;
  for (std::string const group : {"g", "of jobs"}) h.run("GROUP", {{"group", group}});
  h.run("INSERT", {{"k", "w"}, {"after_group", "g"}});
  Reply const reply = h.run("INSERT", {{"k", "w"}, {"after_group", "of jobs"}});
  BOOST_TEST(h.run("WHY", {{"k", "w"}}).get("after_group") == "g\nof jobs");
  BOOST_TEST(h.run("GRAPH", {{"row", reply.get("row")}}).get("after_group") == "g\nof jobs");
}

// In one turn: a lease ends, its row is given up, the next one fails with it, and so does the group.
BOOST_AUTO_TEST_CASE(rows_fail_in_the_turn_in_which_a_lease_ended) {
  Harness h{Texts{{"processing-timeout", "1s"}, {"max-timeouts", "0"}, {"max-lifetime-timeouts", "1"}}};
  h.run("INSERT", {{"k", "a"}, {"group", "g"}});
  h.run("INSERT", {{"k", "b"}, {"after_keys", "a"}, {"when_failed", "fail"}});
  h.run("NEXT", {});
  h.pass(1000);
  for (std::string const key : {"a", "b"}) BOOST_TEST(h.run("PEEK", {{"k", key}}).get("status") == "parked");
  BOOST_TEST(h.run("GROUPS", {}).get("state") == "ended");
}

// A merge that names others removes what it says besides.
BOOST_AUTO_TEST_CASE(a_merge_that_waits_removes_tags) {
  Harness h;
  h.run("INSERT", {{"k", "other"}});
  h.run("INSERT", {{"k", "a"}, {"tags", "blue"}, {"unique_for", "1000"}});
  h.run("INSERT", {{"k", "a"}, {"tags", ""}, {"unique_for", "0"}, {"after_keys", "other"}, {"group", "g"}});
  Reply const row = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(row.get("tags") == "-");
  BOOST_TEST(row.get("unique_for") == "-");
  BOOST_TEST(row.get("group") == "g");
}

// Nobody tried them: a table does not pause itself for them.
BOOST_AUTO_TEST_CASE(rows_that_fail_with_others_or_are_cancelled_do_not_pause_the_table) {
  for (std::string const way : {"parked", "delete"}) {
    Harness h{
        Texts{{"processing-timeout", "1h"}, {"grace", "1h"}, {"pause-after-failures", "2"}, {"when-failed", way}}};
    h.run("INSERT", {{"k", "a"}});
    for (std::string const key : {"b", "c", "d"})
      h.run("INSERT", {{"k", key}, {"after_keys", "a"}, {"when_failed", "fail"}});
    Reply const taken = h.run("NEXT", {});
    h.run("FAIL", {{"row", taken.get("row")}, {"epoch", taken.get("epoch")}});
    h.timers();
    for (std::string const key : {"e", "f", "g"}) h.run("INSERT", {{"k", key}, {"group", "g"}});
    h.run("NEXT", {{"count", "2"}});
    h.run("CANCEL", {{"group", "g"}, {"how", "fail"}});
    h.timers();
    BOOST_TEST(fastjournal::test::metrics_of(*h.table, h.now)["failures_in_row"] == 1);
    BOOST_TEST(fastjournal::test::metrics_of(*h.table, h.now)["paused"] == 0);
    h.restart();
    BOOST_TEST(fastjournal::test::metrics_of(*h.table, h.now)["failures_in_row"] <= 1);
  }
}

BOOST_AUTO_TEST_CASE(rows_without_this_pay_nothing) {
  Harness h;
  for (int i = 0; i < 100; ++i) h.run("INSERT", {{"k", std::to_string(i)}});
  BOOST_TEST(h.table->state().places().waits().memory_bytes() == 0U);
  BOOST_TEST(h.table->state().job_groups().memory_bytes() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::journal::test
