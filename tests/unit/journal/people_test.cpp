// Commands for people: KICK, DELETE, PEEK, LIST; and what becomes of parked rows and at reloads.
#include <boost/test/unit_test.hpp>

#include <set>

#include "tests/support/metrics.h"
#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

std::string people_at(Harness const& h, std::int64_t ms) { return std::to_string(h.now.value + ms); }

struct PeopleFixture : Harness {
  PeopleFixture() : Harness(Texts{{"back-off-jitter", "0"}}) {}
  // Inserts a row and makes it parked; returns its number.
  std::string park(std::string const& key, std::string const& v = "") {
    run("INSERT", {{"k", key}, {"v", v}, {"priority", "0"}});
    Reply const lease = run("NEXT", {});
    check(lease.get("k") == key, "another row came first");
    run("FAIL", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", "broken"}});
    return lease.get("row");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_people)

BOOST_FIXTURE_TEST_CASE(kick_puts_a_parked_row_back_to_work, PeopleFixture) {
  std::string const row = park("a");
  pass(1000);
  Reply const r = run("KICK", {{"row", row}});
  BOOST_TEST(r.name() == "KICKED");
  BOOST_TEST(r.get("row") == row);
  BOOST_TEST(r.get("process_date") == people_at(*this, 0));
  BOOST_TEST(alerts.raised.empty());
  Reply const lease = run("NEXT", {});
  BOOST_TEST(lease.get("row") == row);
  // Of one that is being processed the lease is taken back.
  BOOST_TEST(run("KICK", {{"row", row}}).name() == "KICKED");
  BOOST_TEST(run("DONE", {{"row", row}, {"epoch", lease.get("epoch")}}).error() == "not_leased");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(kick_by_key_folds_all_parked_rows_into_the_waiting_one, PeopleFixture) {
  park("a", "1");
  park("a", "2");
  Reply const waiting = run("INSERT", {{"k", "a"}, {"v", "3"}, {"process_date", "+5000"}});
  Reply const r = run("KICK", {{"k", "a"}});
  BOOST_TEST(r.messages.size() == 2U);
  Reply const peek = run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.messages.size() == 1U);
  BOOST_TEST(peek.get("row") == waiting.get("row"));
  BOOST_TEST(peek.get("v") == "3");
  BOOST_TEST(peek.get("priority") == "0");
  BOOST_TEST(peek.get("merges") == "2");
  BOOST_TEST(replays());
}

// A page has at most 1 MiB, and `after` leads to the next one: a page of a thousand large rows would have gigabytes.
BOOST_FIXTURE_TEST_CASE(the_rows_of_a_key_come_in_pages_of_count_and_of_bytes, PeopleFixture) {
  for (int i = 0; i < 12; ++i) park("a", std::string(300'000, 'v'));
  run("INSERT", {{"k", "a"}, {"v", "w"}});
  for (std::string const command : {"PEEK", "WHY"}) {
    bool const shows_data = command == "PEEK";
    std::set<std::string> seen;
    std::string after;
    std::size_t pages = 0;
    do {
      Texts parameters{{"k", "a"}};
      if (!shows_data) parameters["count"] = "5";
      if (!after.empty()) parameters["after"] = after;
      Reply const page = run(command, parameters);
      BOOST_REQUIRE(!page.messages.empty());
      BOOST_REQUIRE(page.messages.size() <= 5U);
      for (Texts const& message : page.messages) BOOST_TEST(seen.insert(message.at("row")).second);
      Texts const& last = page.messages.back();
      after = last.contains("after") ? last.at("after") : "";
      ++pages;
    } while (!after.empty() && pages < 20);
    BOOST_TEST(seen.size() == 13U);
    BOOST_TEST(pages == 3U);
  }
}

BOOST_FIXTURE_TEST_CASE(a_page_behind_a_row_that_left_the_key_is_refused, PeopleFixture) {
  park("a");
  std::string const gone = park("a");
  std::string const other = park("b");
  BOOST_TEST(run("PEEK", {{"k", "a"}, {"count", "1"}}).get("after") == gone);
  run("DELETE", {{"row", gone}});
  BOOST_TEST(run("PEEK", {{"k", "a"}, {"after", gone}}).error() == "unknown_row");
  BOOST_TEST(run("WHY", {{"k", "a"}, {"after", other}}).error() == "unknown_row");
  BOOST_TEST(run("PEEK", {{"row", other}, {"count", "1"}}).error() == "bad_parameter");
  BOOST_TEST(run("WHY", {{"row", other}, {"after", other}}).error() == "bad_parameter");
}

BOOST_FIXTURE_TEST_CASE(kick_makes_a_waiting_row_due, PeopleFixture) {
  run("INSERT", {{"k", "a"}, {"process_date", "+5000"}});
  BOOST_TEST(run("KICK", {{"k", "a"}}).get("process_date") == people_at(*this, 0));
  BOOST_TEST(run("NEXT", {}).get("k") == "a");
  BOOST_TEST(run("KICK", {{"k", "a"}}).get("process_date") == people_at(*this, 0));
  BOOST_TEST(run("NEXT", {}).get("k") == "a");
  BOOST_TEST(run("KICK", {{"k", "b"}}).error() == "unknown_row");
}

BOOST_FIXTURE_TEST_CASE(a_kicked_row_waits_behind_the_one_being_processed, PeopleFixture) {
  std::string const parked = park("a", "1");
  run("INSERT", {{"k", "a"}, {"v", "2"}});
  Reply const lease = run("NEXT", {});
  run("KICK", {{"row", parked}});
  BOOST_TEST(run("NEXT", {}).name() == "NOTHING");
  run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(run("NEXT", {}).get("v") == "1");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(delete_drops_a_row_or_all_of_a_key, PeopleFixture) {
  std::string const parked = park("a");
  run("INSERT", {{"k", "a"}});
  Reply const lease = run("NEXT", {});
  run("INSERT", {{"k", "a"}});
  BOOST_TEST(run("DELETE", {{"row", parked}}).name() == "DELETED");
  BOOST_TEST(run("DELETE", {{"row", parked}}).error() == "unknown_row");
  BOOST_TEST(run("DELETE", {{"k", "a"}}).messages.size() == 2U);
  BOOST_TEST(run("DELETE", {{"k", "a"}}).error() == "unknown_row");
  BOOST_TEST(run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}}).error() == "unknown_row");
  BOOST_TEST(table->state().rows().size() == 0U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(deleting_a_row_in_work_frees_its_twin, PeopleFixture) {
  run("INSERT", {{"k", "a"}, {"v", "1"}});
  Reply const lease = run("NEXT", {});
  run("INSERT", {{"k", "a"}, {"v", "2"}});
  run("DELETE", {{"row", lease.get("row")}});
  BOOST_TEST(run("NEXT", {}).get("v") == "2");
}

BOOST_AUTO_TEST_CASE(parked_rows_are_kept_for_keep_parked) {
  Harness h{{{"keep-parked", "1h"}, {"max-timeouts", "0"}, {"processing-timeout", "1s"}}};
  h.run("INSERT", {{"k", "a"}});
  h.run("NEXT", {});
  h.pass(1000);
  h.pass(3'599'999);
  BOOST_TEST(h.run("LIST", {{"status", "parked"}}).get("k") == "a");
  // The present value of the option counts, not that of the time of parking.
  h.change({{"keep-parked", "2h"}, {"max-timeouts", "0"}, {"processing-timeout", "1s"}});
  h.pass(1);
  BOOST_TEST(h.run("LIST", {{"status", "parked"}}).get("k") == "a");
  h.pass(3'600'000);
  BOOST_TEST(h.table->state().rows().size() == 0U);
  BOOST_TEST(h.replays());
}

BOOST_FIXTURE_TEST_CASE(peek_shows_without_leasing, PeopleFixture) {
  park("a", "1");
  run("INSERT", {{"k", "a"}, {"v", "2"}});
  Reply const r = run("PEEK", {{"k", "a"}});
  BOOST_REQUIRE(r.messages.size() == 2U);
  BOOST_TEST(r.get("status", 0) == "due");
  BOOST_TEST(r.get("epoch", 0) == "-");
  BOOST_TEST(r.get("status", 1) == "parked");
  BOOST_TEST(r.get("error", 1) == "broken");
  BOOST_TEST(run("PEEK", {{"row", r.get("row", 1)}}).get("v") == "1");
  BOOST_TEST(run("PEEK", {{"row", "12345"}}).error() == "unknown_row");
  BOOST_TEST(run("PEEK", {}).error() == "missing_parameter");
}

BOOST_FIXTURE_TEST_CASE(list_goes_by_row_number_a_page_at_a_time, PeopleFixture) {
  for (int i = 0; i < 25; ++i)
    run("INSERT", {{"k", "key" + std::to_string(100 + i)}, {"process_date", i % 2 == 0 ? "0" : "+5000"}});
  std::vector<std::string> seen;
  std::string after = "0";
  while (after != "-") {
    Reply const r = run("LIST", {{"count", "10"}, {"after", after}});
    for (std::size_t i = 0; i < r.messages.size(); ++i) seen.push_back(r.get("k", i));
    after = r.get("after", r.messages.size() - 1);
  }
  BOOST_REQUIRE(seen.size() == 25U);
  for (int i = 0; i < 25; ++i) BOOST_TEST(seen[static_cast<std::size_t>(i)] == "key" + std::to_string(100 + i));
  BOOST_TEST(run("LIST", {{"status", "due"}}).messages.size() == 13U);
  BOOST_TEST(run("LIST", {{"status", "waiting"}}).messages.size() == 12U);
  BOOST_TEST(run("LIST", {{"prefix", "key12"}}).messages.size() == 5U);
  BOOST_TEST(run("LIST", {{"prefix", "zzz"}}).name() == "NOTHING");
  BOOST_TEST(run("LIST", {{"status", "odd"}}).error() == "bad_parameter");
}

BOOST_FIXTURE_TEST_CASE(a_list_that_finds_little_says_how_to_go_on, PeopleFixture) {
  for (int i = 0; i < 10'050; ++i) run("INSERT", {{"k", std::to_string(i)}});
  Reply r = run("LIST", {{"prefix", "10049"}});
  BOOST_TEST(r.name() == "NOTHING");
  BOOST_TEST(r.get("after") != "-");
  r = run("LIST", {{"prefix", "10049"}, {"after", r.get("after")}});
  BOOST_TEST(r.get("k") == "10049");
  BOOST_TEST(r.get("after") == "-");
  r = run("COUNT", {});
  BOOST_TEST(r.get("count") == "10000");
  BOOST_TEST(run("COUNT", {{"after", r.get("after")}}).get("count") == "50");
}

BOOST_FIXTURE_TEST_CASE(one_at_a_time_changes_while_running, PeopleFixture) {
  run("INSERT", {{"k", "a"}, {"v", "1"}});
  run("NEXT", {});
  run("INSERT", {{"k", "a"}, {"v", "2"}});
  change({{"one-at-a-time", "false"}, {"concurrency-key", "2"}});
  BOOST_TEST(run("LIST", {{"status", "due"}}).get("v") == "2");
  change({{"one-at-a-time", "true"}});
  BOOST_TEST(run("NEXT", {}).name() == "NOTHING");
  change({{"one-at-a-time", "false"}, {"concurrency-key", "2"}});
  BOOST_TEST(run("NEXT", {}).get("v") == "2");
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_CASE(the_xml_and_the_code_must_know_the_same) {
  auto const& plugin = fastjournal::journal::table_type();
  BOOST_TEST(plugin.check_type(*journal_type()).ok());
  TypeDeclaration type = *journal_type();
  type.commands.pop_back();
  BOOST_TEST(!plugin.check_type(type).ok());
  type = *journal_type();
  type.commands.back().name = "DANCE";
  BOOST_TEST(!plugin.check_type(type).ok());
  type = *journal_type();
  type.options.erase(type.options.begin());
  BOOST_TEST(!plugin.check_type(type).ok());
}

BOOST_FIXTURE_TEST_CASE(metrics_count_rows_by_state, PeopleFixture) {
  park("p");
  run("INSERT", {{"k", "f"}, {"process_date", "+5000"}});
  run("INSERT", {{"k", "a"}});
  run("INSERT", {{"k", "b"}});
  run("NEXT", {});
  run("INSERT", {{"k", "a"}});
  pass(7);
  auto const values = fastjournal::test::metrics_of(*table, now);
  BOOST_TEST(values.at("rows") == 5);
  BOOST_TEST(values.at("rows_waiting") == 3);
  BOOST_TEST(values.at("rows_future") == 1);
  BOOST_TEST(values.at("rows_due") == 1);
  BOOST_TEST(values.at("rows_behind") == 1);
  BOOST_TEST(values.at("rows_processing") == 1);
  BOOST_TEST(values.at("rows_parked") == 1);
  BOOST_TEST(values.at("first_due_age_ms") == 7);
  BOOST_TEST(values.at("inserted") == 5);
}

BOOST_AUTO_TEST_SUITE_END()
