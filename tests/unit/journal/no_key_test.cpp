// A table without row-key: every insert is a new row, no row is found by its key, and options and commands that need
// keys are refused. Otherwise its rows behave like any others: tests/model runs random lives with them.
#include <boost/test/unit_test.hpp>

#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

std::shared_ptr<TableDeclaration> without_key(Texts const& options = {}, std::uint16_t version = 1) {
  auto out = std::make_shared<TableDeclaration>(*declare(options, {}, version));
  out->schema.key.clear();
  return out;
}

// Adds the line of each option, as the XML reader does.
std::shared_ptr<TableDeclaration> with_lines(std::shared_ptr<TableDeclaration> table) {
  int line = 10;
  table->lines.emplace("table", 2);
  for (OptionValue const& option : table->options) table->lines.emplace(option.name, line++);
  return table;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_no_key)

BOOST_AUTO_TEST_CASE(every_insert_is_a_row_of_its_own) {
  Harness h{without_key()};
  Reply const first = h.run("INSERT", {{"k", "a"}, {"v", "x"}});
  Reply const second = h.run("INSERT", {{"k", "a"}, {"v", "x"}});
  Reply const bare = h.run("INSERT", {});
  BOOST_TEST(first.get("result") == "inserted");
  BOOST_TEST(second.get("result") == "inserted");
  BOOST_TEST(bare.get("result") == "inserted");
  BOOST_TEST(second.get("row") != first.get("row"));
  // Also while another row with the same values is processed, and with a date older than all others.
  BOOST_TEST(h.run("NEXT", {}).get("k") == "a");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"insertion_date", "5"}}).get("result") == "inserted");
  BOOST_TEST(h.run("NEXT", {{"count", "10"}}).messages.size() == 3U);
  BOOST_TEST(h.table->state().places().behind() == 0U);
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_resent_insert_is_done_once) {
  Harness h{without_key()};
  Reply const first = h.run("INSERT", {{"v", "x"}, {"client", "c"}, {"sequence", "1"}});
  Reply const again = h.run("INSERT", {{"v", "x"}, {"client", "c"}, {"sequence", "1"}});
  BOOST_TEST(again.get("result") == "duplicate");
  BOOST_TEST(again.get("row") == first.get("row"));
  BOOST_TEST(h.table->state().rows().size() == 1U);
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_row_that_comes_back_meets_no_other) {
  Harness h{without_key({{"processing-timeout", "1s"}, {"back-off-first", "0"}, {"max-timeouts", "0"}})};
  h.run("INSERT", {{"k", "a"}, {"v", "1"}});
  Reply const taken = h.run("NEXT", {});
  h.run("INSERT", {{"k", "a"}, {"v", "2"}});
  Reply const released =
      h.run("RELEASE", {{"row", taken.get("row")}, {"epoch", taken.get("epoch")}, {"process_date", "+0"}});
  BOOST_TEST(released.name() == "RELEASED");
  BOOST_TEST(h.table->state().rows().size() == 2U);
  // Both time out, are parked, and are kicked: they stay two rows.
  BOOST_TEST(h.run("NEXT", {{"count", "2"}}).messages.size() == 2U);
  h.pass(1000);
  BOOST_TEST(h.table->state().places().parked().size() == 2U);
  BOOST_TEST(h.run("KICK", {{"status", "parked"}}).get("count") == "2");
  BOOST_TEST(h.table->state().rows().size() == 2U);
  BOOST_TEST(h.table->state().order().size() == 2U);
  BOOST_TEST(h.replays());
  h.restart();
  BOOST_TEST(h.run("LIST", {}).messages.size() == 2U);
}

BOOST_AUTO_TEST_CASE(rows_are_named_by_their_number_alone) {
  Harness h{without_key()};
  std::string const row = h.run("INSERT", {{"k", "a"}, {"v", "x"}}).get("row");
  for (std::string const command : {"PEEK", "WHY", "KICK", "DELETE"}) {
    BOOST_TEST_CONTEXT(command) {
      Reply const by_column = h.run(command, {{"v", "x"}});
      BOOST_TEST(by_column.error() == "bad_parameter");
      BOOST_TEST(by_column.status.message() ==
                 "column v finds no row, as table jobs has no row-key: its rows are found by row, their number");
      Reply const by_nothing = h.run(command, {});
      BOOST_TEST(by_nothing.error() == "missing_parameter");
      BOOST_TEST(by_nothing.status.message() ==
                 "row is missing: table jobs has no row-key: its rows are found by row, their number");
    }
  }
  Reply const shown = h.run("PEEK", {{"row", row}});
  BOOST_TEST(shown.get("k") == "a");
  BOOST_TEST(shown.get("v") == "x");
  BOOST_TEST(h.run("WHY", {{"row", row}}).get("state") == "due");
  BOOST_TEST(h.run("KICK", {{"row", row}}).name() == "KICKED");
  BOOST_TEST(h.run("DELETE", {{"row", row}}).name() == "DELETED");
  BOOST_TEST(h.table->state().rows().size() == 0U);
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_prefix_of_the_key_is_refused_and_says_why) {
  Harness h{without_key()};
  h.run("INSERT", {{"k", "a"}});
  for (std::string const command : {"LIST", "KICK", "DELETE"}) {
    for (std::string const prefix : {"a", ""}) {
      BOOST_TEST_CONTEXT(command << " prefix=" << prefix) {
        Reply const refused = h.run(command, {{"prefix", prefix}, {"status", "due"}});
        BOOST_TEST(refused.error() == "bad_parameter");
        BOOST_TEST(refused.status.message() ==
                   "table jobs has no row-key, so no key begins with this: leave prefix out");
      }
    }
  }
  BOOST_TEST(h.run("DELETE", {{"count", "5"}}).status.message() ==
             "a DELETE of many rows needs a filter: status, domain, error or tag");
  BOOST_TEST(h.run("DELETE", {{"status", "due"}, {"k", "a"}}).status.message() ==
             "DELETE takes a row, or else a filter (status, domain, error, tag), not both");
  BOOST_TEST(h.run("DELETE", {{"status", "due"}}).get("count") == "1");
}

BOOST_AUTO_TEST_CASE(a_listener_is_told_of_a_row_without_its_columns) {
  Harness h{without_key()};
  std::string const row = h.run("INSERT", {{"k", "a"}, {"v", "x"}}).get("row");
  Answer answer;
  answer.message("LISTEN");
  BOOST_REQUIRE(h.table->announce(ObjectId{std::stoull(row)}, answer));
  std::vector<std::string> names;
  for (Param const& param : answer.params()) names.emplace_back(param.name);
  BOOST_TEST(names == (std::vector<std::string>{"row", "process_date"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(domains_are_of_any_column) {
  Harness h{without_key({{"domain", "k"}})};
  h.run("INSERT", {{"k", "a"}, {"v", "1"}});
  h.run("INSERT", {{"k", "a"}, {"v", "2"}});
  h.run("INSERT", {{"k", "b"}, {"v", "3"}});
  BOOST_TEST(h.run("NEXT", {{"domain", "b"}}).get("v") == "3");
  BOOST_TEST(h.run("LIST", {{"domain", "a"}}).messages.size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_only_means_something_with_keys_is_refused_where_it_stands) {
  std::map<std::string, std::string> const expected{
      {"max-postpone", "an insert never meets a row that waits"},
      {"one-at-a-time", "no row waits for another"},
      {"concurrency-key", "no row waits for another"},
  };
  for (auto const& [option, reason] : expected) {
    for (std::string const value : {"0", "1"}) {
      auto const table = with_lines(without_key({{option, option == "one-at-a-time" ? "true" : value}}));
      Status const status = Journal::check(*table);
      BOOST_TEST((status.code() == Code::bad_configuration));
      BOOST_TEST(status.message() == "jobs.xml:" + std::to_string(table->lines.at(option)) + ": element <" + option +
                                         "> in table jobs, made without a row-key, expected none: " + reason);
    }
  }
  BOOST_TEST(Journal::check(*without_key()).ok());
  BOOST_TEST(Journal::check(*declare({{"max-postpone", "1s"}, {"one-at-a-time", "true"}})).ok());
}

BOOST_AUTO_TEST_CASE(a_reload_neither_adds_nor_drops_the_key_also_of_an_empty_table) {
  std::string const rest =
      " a row-key, and that cannot change while it exists, also not while it is empty: empty it, take its file away "
      "and RELOAD, then put the new one there; or make a table of another name";
  Harness with;
  Status const dropped = with.table->check_change(*with_lines(without_key({}, 2)));
  BOOST_TEST((dropped.code() == Code::bad_configuration));
  BOOST_TEST(dropped.message() == "jobs.xml:2: table jobs was made with" + rest);
  Harness without{without_key()};
  // Even if the new declaration has options that need a key.
  auto const keyed = with_lines(std::make_shared<TableDeclaration>(*declare({{"one-at-a-time", "true"}}, {}, 2)));
  BOOST_TEST(without.table->check_change(*keyed).message() == "jobs.xml:2: table jobs was made without" + rest);
  BOOST_TEST(without.table->check_change(*without_key({{"grace", "1s"}}, 2)).ok());
}

BOOST_AUTO_TEST_CASE(rows_take_no_place_in_an_index_of_keys) {
  Harness with;
  Harness without{without_key()};
  for (int i = 0; i < 5000; ++i) {
    std::string const text = std::to_string(100'000 + i);
    with.run("INSERT", {{"k", text}});
    without.run("INSERT", {{"k", text}});
  }
  BOOST_TEST(!without.table->state().keys().has_keys());
  std::uint64_t const index = with.table->state().keys().index().memory_bytes();
  BOOST_TEST(index >= 8U * 5000);
  // Other differences are only in where the six bytes of the value are stored.
  BOOST_TEST(without.table->memory_bytes() + index <= with.table->memory_bytes() + 5000 * 8U);
}

BOOST_AUTO_TEST_CASE(a_record_with_a_key_does_not_fit) {
  Harness with;
  with.run("INSERT", {{"k", "a"}});
  Journal table{with.context, journal_type(), without_key()};
  Alerts nobody;
  for (MemoryLog::Stored const& record : with.log.stored())
    BOOST_TEST(!table.apply(record.view(), {.live = false, .now = {}, .base = Lsn{8}}, nobody));
}

BOOST_AUTO_TEST_CASE(followers_and_copies_forward_keep_rows_without_keys) {
  Harness h{without_key()};
  for (int i = 0; i < 50; ++i) h.run("INSERT", {{"k", "same"}, {"v", std::to_string(i)}});
  h.run("NEXT", {{"count", "5"}});
  std::uint64_t const before = digest_of(*h.table);
  h.compact(h.log.end());
  BOOST_TEST(digest_of(*h.table) == before);
  BOOST_TEST(digest_of(*h.replayed(h.table->oldest_lsn())) == before);

  Journal follower{h.context, journal_type(), h.declaration};
  Alerts nobody;
  SnapshotCursor cursor;
  while (!cursor.complete) {
    MemoryLog page;
    h.table->snapshot(cursor, 300, page);
    for (MemoryLog::Stored const& record : page.stored())
      BOOST_REQUIRE(follower.apply(record.view(), {.live = false, .now = {}, .base = Lsn{UINT64_MAX}}, nobody));
  }
  BOOST_TEST(digest_of(follower) == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::journal::test
