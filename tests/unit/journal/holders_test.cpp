// Who holds a lease: what a start makes of it, how long it lasts over HTTP, and who is told its epoch.
#include <boost/test/unit_test.hpp>

#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

std::string holders_at(Harness const& h, std::int64_t after) { return std::to_string(h.now.value + after); }

std::string holders_fact(Reply const& reply, std::string_view name) {
  for (auto const& [fact, value] : reply.status.facts())
    if (fact == name) return value;
  return {};
}

struct HoldersFixture : Harness {
  // Two rows, one held by connection 5, and one by a worker without a connection.
  HoldersFixture() {
    run("INSERT", {{"k", "a"}});
    run("INSERT", {{"k", "b"}});
    held = run("NEXT", {}, 5);
    holds = false;
    http = run("NEXT", {}, 6);
    holds = true;
  }

  Reply held;
  Reply http;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(holders)

BOOST_FIXTURE_TEST_CASE(a_start_ends_what_a_connection_held_with_the_grace, HoldersFixture) {
  restart(1'000);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("lease_end") == holders_at(*this, 10'000));
  pass(10'000);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("status") == "waiting");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("timeouts") == "1");
  BOOST_TEST(run("PEEK", {{"k", "b"}}).get("status") == "processing");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(what_belongs_to_no_connection_keeps_its_end_over_starts, HoldersFixture) {
  std::string const ends = run("PEEK", {{"k", "b"}}).get("lease_end");
  restart(1'000);
  BOOST_TEST(run("PEEK", {{"k", "b"}}).get("lease_end") == ends);
  restart(1'000);
  BOOST_TEST(run("PEEK", {{"k", "b"}}).get("lease_end") == ends);
  BOOST_TEST(run("DONE", {{"row", http.get("row")}, {"epoch", http.get("epoch")}}, 9).error() == "");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(without_a_connection_the_lease_is_short_unless_more_is_asked_for, HoldersFixture) {
  Harness long_ones{{{"processing-timeout", "1h"}, {"processing-timeout-http", "20s"}}};
  long_ones.run("INSERT", {{"k", "a"}});
  long_ones.run("INSERT", {{"k", "b"}});
  long_ones.run("INSERT", {{"k", "c"}});
  BOOST_TEST(long_ones.run("NEXT", {}).get("lease_end") == holders_at(long_ones, 3'600'000));
  long_ones.holds = false;
  BOOST_TEST(long_ones.run("NEXT", {}).get("lease_end") == holders_at(long_ones, 20'000));
  Reply const asked = long_ones.run("NEXT", {{"lease", "60000"}});
  BOOST_TEST(asked.get("lease_end") == holders_at(long_ones, 60'000));
  BOOST_TEST(long_ones.run("TOUCH", {{"row", asked.get("row")}, {"epoch", asked.get("epoch")}}).get("lease_end") ==
             holders_at(long_ones, 20'000));
}

BOOST_FIXTURE_TEST_CASE(only_the_holder_and_managers_are_told_the_epoch, HoldersFixture) {
  for (char const* const command : {"PEEK", "WHY"}) {
    BOOST_TEST(run(command, {{"k", "a"}}, 5).get("epoch") == held.get("epoch"));
    BOOST_TEST(run(command, {{"k", "a"}}, 6).get("epoch") == "-");
    // Nobody holds it by a connection, not even who was given it by this one.
    BOOST_TEST(run(command, {{"k", "b"}}, 6).get("epoch") == "-");
  }
  BOOST_TEST(run("LIST", {{"prefix", "a"}}, 6).get("epoch") == "-");
  Reply const refused = run("DONE", {{"row", held.get("row")}, {"epoch", "1"}}, 6);
  BOOST_TEST(refused.error() == "stale_epoch");
  BOOST_TEST(holders_fact(refused, "holder") == "w");
  BOOST_TEST(holders_fact(refused, "epoch") == "");
  BOOST_TEST(refused.status.message().find(held.get("epoch")) == std::string::npos);
  may_manage = true;
  BOOST_TEST(run("WHY", {{"k", "a"}}, 6).get("epoch") == held.get("epoch"));
  BOOST_TEST(run("LIST", {{"prefix", "a"}}, 6).get("epoch") == held.get("epoch"));
  Reply const told = run("DONE", {{"row", held.get("row")}, {"epoch", "1"}}, 6);
  BOOST_TEST(holders_fact(told, "epoch") == held.get("epoch"));
}

// Each lease of the key is taken back, or none while a transaction holds one.
BOOST_AUTO_TEST_CASE(a_key_with_several_leases_gives_back_all_of_them) {
  Harness h{{{"one-at-a-time", "false"}, {"concurrency-key", "2"}}};
  h.run("INSERT", {{"k", "a"}});
  Reply const first = h.run("NEXT", {});
  h.run("INSERT", {{"k", "a"}});
  Reply const second = h.run("NEXT", {});
  Reply const kicked = h.run("KICK", {{"k", "a"}});
  BOOST_TEST(kicked.error() == "");
  BOOST_TEST(h.table->state().leases().size() == 0U);
  for (Reply const* const lease : {&first, &second})
    BOOST_TEST(h.run("DONE", {{"row", lease->get("row")}, {"epoch", lease->get("epoch")}}).error() != "");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::journal::test
