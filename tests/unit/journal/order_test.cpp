// The order of NEXT as commands see it: refused options, turns of domains, limits that change while running. The order
// itself is compared with a plain reference in tests/unit/rows.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal;

BOOST_AUTO_TEST_SUITE(journal_order)

BOOST_AUTO_TEST_CASE(options_that_make_no_sense_are_refused_with_their_name) {
  auto const refused = [](journal::test::Texts const& options) {
    Status const status = Journal::check(*journal::test::declare(
        options, {journal::test::column("n", ColumnType::int32), journal::test::column("f", ColumnType::real64)}));
    return status.ok() ? std::string{"taken"} : status.message();
  };
  auto const names = [&](std::string_view option, journal::test::Texts const& options) {
    std::string const text = refused(options);
    BOOST_TEST(text.starts_with("jobs.xml: element <" + std::string{option} + ">: "), text);
  };
  names("domain", {{"domain", "nowhere"}});
  names("domain", {{"domain", "f"}});
  names("domain", {{"domain", "host(n)"}});
  names("domain", {{"domain", "host(k"}});
  names("domain", {{"domain", "site(n)"}});
  for (char const* const text : {"a", "a=", "a=0", "a=1001", "a=x", "a=1 a=2", "=", "a= 1"})
    names("domain-weights", {{"domain", "k"}, {"domain-weights", text}});
  for (char const* const text :
       {"5", "/1s", "0/1s", "5/", "5/0", "5/366d", "x/1s", "-1/1s", "5/1s/2", "100000001/1s"}) {
    names("rate", {{"rate", text}});
    names("rate-domain", {{"domain", "k"}, {"rate-domain", text}});
  }
  names("domain-weights", {{"domain-weights", "a=1"}});
  names("concurrency-domain", {{"concurrency-domain", "1"}});
  names("rate-domain", {{"rate-domain", "1/1s"}});
  names("concurrency-key", {{"concurrency-key", "2"}});
  names("one-at-a-time", {{"one-at-a-time", "false"}});
  BOOST_TEST(refused({{"domain", "n"}, {"domain-weights", " a=b=3\n =2 "}, {"rate", "100/1s"}}) == "taken");
  BOOST_TEST(refused({{"domain", "host(k)"}, {"rate-domain", "100000000/365d"}}) == "taken");
}

// One tenant floods the table: another tenant's row waits for one row of the flood at most.
BOOST_AUTO_TEST_CASE(a_flood_of_one_domain_does_not_delay_another) {
  for (char const* const aging : {"0", "1s"}) {
    journal::test::Harness h{{{"domain", "d"}, {"aging", aging}}, {journal::test::column("d")}};
    for (int i = 0; i < 20'000; ++i) h.run("INSERT", {{"k", "a" + std::to_string(i)}, {"d", "A"}});
    for (int i = 0; i < 200; ++i) {
      h.now = h.now + DurationMs{1000};
      h.run("INSERT", {{"k", "b" + std::to_string(i)}, {"d", "B"}});
      int turns = 1;
      while (h.run("NEXT", {}).get("d") == "A") ++turns;
      BOOST_REQUIRE_LE(turns, 2);
    }
  }
}

// If a merge lost the turn, a tenant whose rows are merged again and again would never be served.
BOOST_AUTO_TEST_CASE(a_row_that_is_merged_keeps_its_domains_turn) {
  for (char const* const aging : {"0", "1ms"}) {
    journal::test::Harness h{{{"domain", "d"}, {"aging", aging}}, {journal::test::column("d")}};
    h.run("INSERT", {{"k", "touched"}, {"d", "T"}});
    for (int i = 0; i < 5; ++i) h.run("INSERT", {{"k", "a" + std::to_string(i)}, {"d", "A"}});
    h.run("INSERT", {{"k", "b"}, {"d", "B"}});
    h.run("INSERT", {{"k", "touched"}, {"d", "T"}});
    BOOST_TEST(h.run("NEXT", {}).get("k") == "touched");
    BOOST_TEST(h.run("NEXT", {}).get("k") == "a0");
    h.run("INSERT", {{"k", "b"}, {"d", "B"}, {"v", "new"}});
    BOOST_TEST(h.run("NEXT", {}).get("k") == "b");
    // The merge moves the row to another tenant, which is a newcomer and goes to the end.
    h.run("INSERT", {{"k", "q"}, {"d", "Q"}});
    h.run("INSERT", {{"k", "c"}, {"d", "C"}});
    h.run("INSERT", {{"k", "q"}, {"d", "D"}});
    for (char const* const key : {"a1", "c", "q", "a2"}) BOOST_TEST(h.run("NEXT", {}).get("k") == key);
  }
}

BOOST_AUTO_TEST_CASE(slow_rows_and_others_share_their_domains_turn) {
  journal::test::Harness h{{{"domain", "d"}, {"aging", "1ms"}, {"slow-from", "200"}}, {journal::test::column("d")}};
  h.run("INSERT", {{"k", "slow"}, {"d", "S"}, {"priority", "250"}});
  for (int i = 0; i < 3; ++i) h.run("INSERT", {{"k", "a" + std::to_string(i)}, {"d", "A"}});
  h.run("INSERT", {{"k", "normal"}, {"d", "S"}});
  for (char const* const key : {"normal", "a0", "slow", "a1", "a2"}) BOOST_TEST(h.run("NEXT", {}).get("k") == key);
}

BOOST_AUTO_TEST_CASE(domains_without_rows_take_no_memory) {
  journal::test::Harness h{{{"domain", "k"}, {"rate-domain", "1/1s"}, {"back-off-jitter", "0"}}};
  std::uint64_t const before = h.table->memory_bytes();
  for (int i = 0; i < 20'000; ++i) h.run("INSERT", {{"k", "tenant number " + std::to_string(i)}});
  BOOST_TEST(h.table->state().order().domains().size() == 20'000U);
  for (int i = 0; i < 20'000; ++i) {
    journal::test::Reply const r = h.run("NEXT", {});
    h.run("DONE", {{"row", r.get("row")}, {"epoch", r.get("epoch")}});
  }
  BOOST_TEST(h.run("NEXT", {}).name() == "NOTHING");
  // The domains are kept until their token is back, and a row that is inserted meanwhile waits for it.
  BOOST_TEST(h.table->state().order().domains().size() == 20'000U);
  h.run("INSERT", {{"k", "tenant number 7"}});
  BOOST_TEST(h.run("NEXT", {}).get("next_date") == std::to_string(h.now.value + 1000));
  h.pass(1000);
  BOOST_TEST(h.run("NEXT", {}).get("k") == "tenant number 7");
  BOOST_TEST(h.table->state().order().domains().size() == 1U);
  BOOST_TEST(h.table->memory_bytes() < before + 1'000'000);
}

BOOST_AUTO_TEST_CASE(rules_change_while_running_and_what_they_free_is_told) {
  journal::test::Harness h{journal::test::Texts{}, {journal::test::column("d")}};
  for (int i = 0; i < 30; ++i)
    h.run("INSERT",
          {{"k", std::to_string(i)}, {"d", i < 20 ? "A" : "B"}, {"process_date", i % 5 == 0 ? "+1000" : "+0"}});
  h.run("NEXT", {{"count", "3"}});
  // The three leased rows are of A, which has reached its limit; the first due row of B is 21.
  h.change({{"domain", "d"}, {"concurrency-domain", "3"}}, {journal::test::column("d")});
  BOOST_TEST(h.run("NEXT", {{"domain", "A"}}).get("next_date") == std::to_string(h.now.value + 1000));
  BOOST_TEST(h.run("NEXT", {}).get("d") == "B");
  BOOST_TEST(h.run("LIST", {{"domain", "B"}, {"status", "due"}}).messages.size() == 7U);
  h.alerts.again.clear();
  h.change({{"domain", "d"}, {"concurrency-domain", "4"}}, {journal::test::column("d")});
  h.timers();
  BOOST_REQUIRE(h.alerts.again.size() == 1U);
  BOOST_TEST(h.alerts.again[0].first == "");
  BOOST_TEST(h.alerts.again[0].second == 4U);  // one of A, three of B
  BOOST_TEST(h.table->available("A") == 1U);
  BOOST_TEST(h.table->available("B") == 3U);
  h.change({}, {journal::test::column("d")});
  BOOST_TEST(h.run("NEXT", {{"domain", "A"}}).error() == "not_supported");
  BOOST_TEST(h.table->available({}) == 20U);
  BOOST_TEST(h.replays());
}

// Without aging, a slow row is not handed out in the same NEXT as other rows of its domain.
BOOST_AUTO_TEST_CASE(slow_rows_are_for_a_next_of_their_own) {
  journal::test::Harness h{{{"domain", "d"}, {"slow-from", "200"}}, {journal::test::column("d")}};
  h.run("INSERT", {{"k", "1"}, {"d", "A"}, {"priority", "200"}});
  h.run("INSERT", {{"k", "2"}, {"d", "A"}, {"priority", "199"}});
  BOOST_TEST(h.run("NEXT", {{"count", "5"}}).messages.size() == 1U);
  h.run("INSERT", {{"k", "3"}, {"d", "B"}, {"priority", "0"}});
  // The first row is of another domain, B, so the slow row of A can follow it.
  BOOST_TEST(h.run("NEXT", {{"count", "5"}}).messages.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
