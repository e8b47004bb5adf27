// INSERT: what happens to a row when its key is in the table already (doc/merge.md). One case for each rule.
#include <boost/test/unit_test.hpp>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

std::string at(Harness const& h, std::int64_t ms) { return std::to_string(h.now.value + ms); }

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_insert)

BOOST_AUTO_TEST_CASE(a_new_key_is_inserted_and_told_with_its_number_and_date) {
  Harness h;
  Reply const r = h.run("INSERT", {{"k", "a"}, {"v", "1"}, {"process_date", "+500"}});
  BOOST_TEST(r.error() == "");
  BOOST_TEST(r.name() == "INSERTED");
  BOOST_TEST(r.get("table") == "jobs");
  BOOST_TEST(r.get("row") == "4096");
  BOOST_TEST(r.get("result") == "inserted");
  BOOST_TEST(r.get("merges") == "0");
  BOOST_TEST(r.get("process_date") == at(h, 500));
  BOOST_TEST((r.durability == Durability::synced));
}

BOOST_AUTO_TEST_CASE(a_waiting_row_of_the_key_is_merged_into) {
  Harness h;
  h.run("INSERT",
        {{"k", "a"}, {"v", "old"}, {"priority", "50"}, {"process_date", "+1000"}, {"expiration_date", "+9000"}});
  h.pass(10);
  Reply const r =
      h.run("INSERT",
            {{"k", "a"}, {"v", "new"}, {"priority", "60"}, {"process_date", "+2000"}, {"expiration_date", "+5000"}});
  BOOST_TEST(r.get("row") == "4096");
  BOOST_TEST(r.get("result") == "merged");
  BOOST_TEST(r.get("merges") == "1");
  BOOST_TEST(r.get("process_date") == at(h, 2000));
  Reply const peek = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.messages.size() == 1U);
  BOOST_TEST(peek.get("v") == "new");
  BOOST_TEST(peek.get("priority") == "50");
  BOOST_TEST(peek.get("insertion_date") == at(h, -10));
  BOOST_TEST(peek.get("expiration_date") == at(h, 8990));
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(never_is_the_latest_expiration) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"expiration_date", "+9000"}});
  h.run("INSERT", {{"k", "a"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("expiration_date") == "-");
  h.run("INSERT", {{"k", "a"}, {"expiration_date", "+9000"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("expiration_date") == "-");
}

BOOST_AUTO_TEST_CASE(the_smaller_priority_and_the_later_date_stay) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"priority", "50"}, {"process_date", "+3000"}});
  Reply const r = h.run("INSERT", {{"k", "a"}, {"priority", "40"}, {"process_date", "+1000"}});
  BOOST_TEST(r.get("process_date") == at(h, 3000));
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("priority") == "40");
}

BOOST_AUTO_TEST_CASE(a_date_that_is_past_is_now) {
  Harness h;
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"process_date", "1000"}}).get("process_date") == at(h, 0));
}

BOOST_AUTO_TEST_CASE(merges_cannot_put_a_row_off_beyond_max_postpone) {
  Harness h{{{"max-postpone", "10s"}}};
  h.run("INSERT", {{"k", "a"}});
  std::string const limit = at(h, 10'000);
  h.pass(8000);
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"process_date", "+1000"}}).get("process_date") == at(h, 1000));
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"process_date", "+5000"}}).get("process_date") == limit);
  // The first date was the producer's own choice: it may lie beyond the limit, and stays.
  h.run("INSERT", {{"k", "b"}, {"process_date", "+60000"}});
  BOOST_TEST(h.run("INSERT", {{"k", "b"}, {"process_date", "+90000"}}).get("process_date") == at(h, 60'000));
}

BOOST_AUTO_TEST_CASE(a_merge_forgets_time_outs_but_not_those_of_the_lifetime) {
  Harness h{{{"processing-timeout", "1s"}, {"back-off-first", "1h"}, {"back-off-max", "1h"}}};
  h.run("INSERT", {{"k", "a"}});
  h.run("NEXT", {});
  h.pass(1000);
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("timeouts") == "1");
  h.run("INSERT", {{"k", "a"}, {"v", "2"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("timeouts") == "0");
  auto const& state = h.table->state();
  BOOST_TEST(unsigned{state.row(state.find(ObjectId{4096})).lifetime()} == 1U);
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(an_older_client_date_changes_nothing_and_says_so) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"v", "new"}, {"insertion_date", "5000"}});
  Reply const r = h.run("INSERT", {{"k", "a"}, {"v", "old"}, {"insertion_date", "4999"}, {"priority", "1"}});
  BOOST_TEST(r.get("result") == "stale");
  BOOST_TEST(r.get("row") == "4096");
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("v") == "new");
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("priority") == "100");
  // An insert is compared with the last accepted one, not with the first.
  h.run("INSERT", {{"k", "a"}, {"v", "newer"}, {"insertion_date", "7000"}});
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"insertion_date", "6000"}}).get("result") == "stale");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"insertion_date", "7000"}}).get("result") == "merged");
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("insertion_date") == "5000");
}

BOOST_AUTO_TEST_CASE(a_key_that_is_processed_gets_a_twin_that_waits_behind) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"v", "1"}});
  Reply const lease = h.run("NEXT", {});
  h.pass(5);
  Reply const twin = h.run("INSERT", {{"k", "a"}, {"v", "2"}});
  BOOST_TEST(twin.get("result") == "behind");
  BOOST_TEST(twin.get("row") != lease.get("row"));
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"v", "3"}}).get("result") == "behind");
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).messages.size() == 2U);
  BOOST_TEST(h.run("NEXT", {}).name() == "NOTHING");
  BOOST_TEST(h.run("LIST", {{"status", "behind"}}).get("v") == "3");
  // An insert that is older than the row being processed is stale, too.
  h.run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  Reply const second = h.run("NEXT", {});
  BOOST_TEST(second.get("row") == twin.get("row"));
  BOOST_TEST(second.get("v") == "3");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"insertion_date", "1"}}).get("result") == "stale");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(as_many_rows_of_a_key_are_processed_as_concurrency_key_says) {
  Harness h{{{"one-at-a-time", "false"}, {"concurrency-key", "2"}}};
  h.run("INSERT", {{"k", "a"}, {"v", "1"}});
  Reply const first = h.run("NEXT", {});
  h.run("INSERT", {{"k", "a"}, {"v", "2"}});
  BOOST_TEST(h.run("NEXT", {}).get("v") == "2");
  h.run("INSERT", {{"k", "a"}, {"v", "3"}});
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"v", "0"}, {"insertion_date", "5"}}).get("result") == "stale");
  BOOST_TEST(h.run("NEXT", {}).name() == "NOTHING");
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).messages.size() == 3U);
  BOOST_TEST(h.run("DONE", {{"row", first.get("row")}, {"epoch", first.get("epoch")}}).error() == "");
  BOOST_TEST(h.run("NEXT", {}).get("v") == "3");
  BOOST_TEST(h.run("DELETE", {{"k", "a"}}).messages.size() == 2U);
  BOOST_TEST(h.replays());
}

// The first row to time out becomes the twin of the second: one step must not report both as waiting.
BOOST_AUTO_TEST_CASE(rows_of_a_key_that_time_out_together_become_one) {
  Harness h{{{"one-at-a-time", "false"}, {"concurrency-key", "2"}, {"processing-timeout", "1s"}}};
  h.run("INSERT", {{"k", "a"}});
  h.run("NEXT", {});
  h.run("INSERT", {{"k", "a"}});
  h.run("NEXT", {});
  BOOST_TEST(h.run("WHY", {{"k", "a"}}).messages.size() == 2U);
  h.pass(1000);
  Reply const left = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(left.messages.size() == 1U);
  BOOST_TEST(left.get("merges") == "1");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_parked_key_gets_a_new_row) {
  Harness h;
  h.run("INSERT", {{"k", "a"}});
  Reply const lease = h.run("NEXT", {});
  h.run("FAIL", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  Reply const r = h.run("INSERT", {{"k", "a"}});
  BOOST_TEST(r.get("result") == "inserted");
  BOOST_TEST(r.get("row") != lease.get("row"));
  BOOST_TEST(h.run("NEXT", {}).get("row") == r.get("row"));
}

BOOST_AUTO_TEST_CASE(an_expired_row_is_not_merged_into) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"v", "old"}, {"expiration_date", "+100"}, {"process_date", "+5000"}});
  h.now = h.now + DurationMs{100};  // the timer of the lease has not run yet
  Reply const r = h.run("INSERT", {{"k", "a"}, {"v", "new"}});
  BOOST_TEST(r.get("result") == "inserted");
  BOOST_TEST(r.get("process_date") == at(h, 0));
  BOOST_TEST(h.table->state().rows().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_resent_insert_is_answered_and_not_done_again) {
  Harness h;
  Reply const first = h.run("INSERT", {{"k", "a"}, {"client", "p1"}, {"sequence", "7"}});
  BOOST_TEST(first.get("result") == "inserted");
  Reply const second = h.run("INSERT", {{"k", "a"}, {"client", "p1"}, {"sequence", "7"}});
  BOOST_TEST(second.get("result") == "duplicate");
  BOOST_TEST(second.get("row") == first.get("row"));
  Reply const merge = h.run("INSERT", {{"k", "a"}, {"client", "p1"}, {"sequence", "8"}});
  BOOST_TEST(merge.get("merges") == "1");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p1"}, {"sequence", "8"}}).get("merges") == "1");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p2"}, {"sequence", "8"}}).get("result") == "merged");
  // The sequence number is remembered after the row is gone, also after a replay from a later base.
  Reply const lease = h.run("NEXT", {});
  h.run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  h.restart();
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p1"}, {"sequence", "7"}}).get("result") == "duplicate");
}

BOOST_AUTO_TEST_CASE(a_stale_insert_is_remembered_too) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"insertion_date", "5000"}});
  BOOST_TEST(
      h.run("INSERT", {{"k", "a"}, {"insertion_date", "4000"}, {"client", "p"}, {"sequence", "1"}}).get("result") ==
      "stale");
  Reply const lease = h.run("NEXT", {});
  h.run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(
      h.run("INSERT", {{"k", "a"}, {"insertion_date", "4000"}, {"client", "p"}, {"sequence", "1"}}).get("result") ==
      "duplicate");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_number_below_the_window_is_refused) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "100000"}});
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "5"}}).error() == "stale_sequence");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "99999"}}).get("result") == "merged");
}

BOOST_AUTO_TEST_CASE(what_left_a_clients_window_holds_no_log) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "10"}});
  h.log.skip(4U << 20U);
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", std::to_string(rows::kSequenceWindow + 100)}});
  Lsn const end = h.log.end();
  h.compact(end);
  BOOST_TEST(h.table->oldest_lsn().value >= (4U << 20U));
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_silent_client_is_forgotten_after_client_keep) {
  Harness h{{{"client-keep", "1h"}}};
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "1"}});
  h.pass(3'599'999);
  BOOST_TEST(h.table->rows().clients().windows().size() == 1U);
  h.pass(1);
  BOOST_TEST(h.table->rows().clients().windows().size() == 0U);
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(an_insert_under_anothers_name_is_refused_and_leaves_nothing) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "1"}});
  std::uint64_t const before = digest_of(*h.table);
  h.origin = "ip:192.0.2.2";
  Reply const refused = h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "18446744073709551615"}});
  BOOST_TEST(refused.error() == "not_allowed");
  BOOST_TEST(digest_of(*h.table) == before);
  h.origin = "ip:192.0.2.1";
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "2"}}).get("result") == "merged");
  // The owner of a name may use up its own sequence numbers.
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "18446744073709551615"}});
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "3"}}).error() == "stale_sequence");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(who_owns_a_name_is_compacted_and_stays_behind_the_base) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "1"}});
  h.log.skip(1U << 20U);
  std::uint64_t const before = digest_of(*h.table);
  h.compact(h.log.end(), 200);
  BOOST_TEST(h.table->oldest_lsn().value >= (1U << 20U));
  h.restart();
  BOOST_TEST(digest_of(*h.table) == before);
  h.origin = "uid:1000";
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "2"}}).error() == "not_allowed");
}

// Logs of earlier versions have names without an owner.
BOOST_AUTO_TEST_CASE(a_name_that_is_nobodys_belongs_to_the_first_that_uses_it) {
  Harness h;
  h.origin.clear();
  h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "1"}});
  h.origin = "ip:192.0.2.1";
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "1"}}).get("result") == "duplicate");
  h.restart();
  h.origin = "ip:192.0.2.2";
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"client", "p"}, {"sequence", "1"}}).error() == "not_allowed");
}

BOOST_AUTO_TEST_CASE(invented_names_keep_nobody_out) {
  Harness h{{{"clients-max", "1000"}}};
  h.origin = "ip:192.0.2.2";
  int next = 0;
  auto const invent = [&h, &next](std::uint64_t connection) {
    int taken = 0;
    for (int i = 0; i < 1000; ++i, ++next)
      taken += h.run("INSERT", {{"k", "a"}, {"client", "n" + std::to_string(next)}, {"sequence", "1"}}, connection)
                       .status.ok()
                   ? 1
                   : 0;
    return taken;
  };
  // A quarter of its origin's half.
  BOOST_TEST(invent(1) == 125);
  h.origin = "ip:192.0.2.1";
  BOOST_TEST(h.run("INSERT", {{"k", "b"}, {"client", "p"}, {"sequence", "1"}}, 9).get("result") == "inserted");
  // After an hour of silence, this origin's own names make room for its new ones.
  h.pass(3'600'000);
  h.origin = "ip:192.0.2.2";
  BOOST_TEST(invent(1) == 250);
  BOOST_TEST(h.table->rows().clients().windows().size() == 251U);
  h.origin = "ip:192.0.2.1";
  BOOST_TEST(h.run("INSERT", {{"k", "b"}, {"client", "p"}, {"sequence", "1"}}).get("result") == "duplicate");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(invented_names_keep_out_no_other_producer_of_the_address) {
  Harness h{{{"clients-max", "1000"}}};
  h.origin = "ip:127.0.0.2";
  auto const bring = [&h](std::string const& name, std::uint64_t connection) {
    return h.run("INSERT", {{"k", name}, {"client", name}, {"sequence", "1"}}, connection);
  };
  std::uint64_t const inventors = 10;
  int taken = 0;
  for (int i = 0; i < 1000; ++i)
    for (std::uint64_t connection = 1; connection <= inventors; ++connection)
      if (bring("n" + std::to_string(connection) + "-" + std::to_string(i), connection).status.ok()) ++taken;
  // The last quarter is for those who bring few.
  BOOST_TEST(taken == 375);
  Reply const refused = bring("one more", 1);
  BOOST_TEST(refused.error() == "over_limit");
  BOOST_TEST(refused.status.message().find("clients of this connection") != std::string::npos,
             refused.status.message());
  for (std::uint64_t connection = 100; connection < 125; ++connection)
    for (int i = 0; i < 5; ++i)
      BOOST_TEST(bring("honest" + std::to_string(5 * connection + i), connection).get("result") == "inserted");
  BOOST_TEST(bring("late", 200).error() == "over_limit");
  // Those who manage the table find a place there, and others at other addresses.
  h.may_manage = true;
  BOOST_TEST(bring("administrator", 201).get("result") == "inserted");
  h.may_manage = false;
  h.origin = "ip:127.0.0.1";
  BOOST_TEST(bring("elsewhere", 202).get("result") == "inserted");
  // What was confirmed is known.
  h.origin = "ip:127.0.0.2";
  BOOST_TEST(bring("n1-0", 1).get("result") == "duplicate");
  BOOST_TEST(h.replays());
}

// Each of its commands may come by a connection of its own.
BOOST_AUTO_TEST_CASE(names_that_come_by_http_count_together) {
  Harness h{{{"clients-max", "1000"}}};
  h.origin = "ip:127.0.0.2";
  h.holds = false;
  int taken = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i)
    if (h.run("INSERT", {{"k", "a"}, {"client", "n" + std::to_string(i)}, {"sequence", "1"}}, i).status.ok()) ++taken;
  BOOST_TEST(taken == 125);
  h.holds = true;
  BOOST_TEST(h.run("INSERT", {{"k", "b"}, {"client", "p"}, {"sequence", "1"}}, 7).get("result") == "inserted");
}

BOOST_AUTO_TEST_CASE(columns_merge_by_their_rules) {
  Harness h{{},
            {column("n", ColumnType::int64, MergeRule::sum), column("log", ColumnType::string, MergeRule::append),
             column("low", ColumnType::int64, MergeRule::min)}};
  h.run("INSERT", {{"k", "a"}, {"v", "1"}, {"n", "5"}, {"log", "x"}, {"low", "9"}});
  h.run("INSERT", {{"k", "a"}, {"v", "2"}, {"n", "6"}, {"log", "y"}, {"low", "4"}});
  Reply const r = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(r.get("v") == "2");
  BOOST_TEST(r.get("n") == "11");
  BOOST_TEST(r.get("log") == "xy");
  BOOST_TEST(r.get("low") == "4");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_small_merge_into_a_large_row_makes_a_small_record) {
  Harness h{{}, {column("big", ColumnType::string, MergeRule::keep)}};
  h.run("INSERT", {{"k", "a"}, {"v", "1"}, {"big", std::string(1'000'000, 'x')}});
  // The harness checks that each step stays within its reservation.
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"v", "2"}}).get("result") == "merged");
  Reply const r = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(r.get("v") == "2");
  BOOST_TEST(r.get("big").size() == 1'000'000U);
  BOOST_TEST(h.replays());
}

// If each append copied the whole row, a megabyte in pieces of 50 bytes would cost ten gigabytes.
BOOST_AUTO_TEST_CASE(appending_to_a_large_row_leaves_it_where_it_is) {
  Harness h{Texts{},
            {column("log", ColumnType::string, MergeRule::append), column("n", ColumnType::int64, MergeRule::sum),
             column("last", ColumnType::string, MergeRule::append)}};
  std::string expected(1'000'000, 'x');
  h.run("INSERT", {{"k", "a"}, {"v", "1"}, {"log", expected}, {"n", "100"}, {"last", "l"}});
  std::uint32_t const row = 0;
  char const* at = nullptr;
  int moves = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string const piece = std::to_string(i) + std::string(50, 'p');
    expected += piece;
    Texts insert{{"k", "a"}, {"log", piece}, {"n", "1"}};
    if (i % 3 == 0) insert["v"] = std::to_string(i);
    if (i % 5 == 0) insert["last"] = "m";
    BOOST_REQUIRE(h.run("INSERT", insert).get("result") == "merged");
    char const* const now_at = h.table->state().view(row).key.data();
    moves += now_at != at ? 1 : 0;
    at = now_at;
  }
  BOOST_TEST(moves <= 2);
  Reply const peek = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST((peek.get("log") == expected));
  BOOST_TEST(peek.get("n") == "2100");
  BOOST_TEST(peek.get("last") == "l" + std::string(400, 'm'));
  BOOST_TEST(peek.get("v") == "-");  // absent in the last insert, and `replace` keeps nothing
  BOOST_TEST(h.replays());
  // Limits still apply.
  Reply const lease = h.run("NEXT", {});
  h.run("RELEASE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", "again"}});
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"n", "9223372036854775807"}}).error() == "bad_parameter");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"log", std::string(16U << 20U, 'y')}}).error() == "too_large");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}, {"log", "end"}}).get("result") == "merged");
  BOOST_TEST((h.run("PEEK", {{"k", "a"}}).get("log") == expected + "end"));
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_row_of_16_mib_lives_like_any_other) {
  Harness h{Texts{}, {column("b", ColumnType::buffer)}};
  constexpr std::size_t kBytes = 8U << 20U;
  std::string const text(kBytes, 't');
  std::string bytes(kBytes - 64, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  Message insert{"INSERT"};
  insert.set("k", "large");
  insert.set("v", Value::of_text(text));
  insert.set("b", Value::of_binary(bytes));
  BOOST_TEST(h.run(insert).get("result") == "inserted");
  std::string const other = "u" + text.substr(1);
  insert.set("v", Value::of_text(other));
  BOOST_TEST(h.run(insert).get("result") == "merged");
  // One byte above the limit of a row.
  std::string const longer = text + std::string(65, 't');
  insert.set("v", Value::of_text(longer));
  BOOST_TEST(h.run(insert).error() == "too_large");
  Reply const lease = h.run("NEXT", {});
  BOOST_TEST((lease.get("b") == bytes));
  BOOST_TEST((lease.get("v") == other));
  h.run("FAIL", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", "too heavy"}});
  BOOST_TEST(h.replays());
  h.log.skip(1U << 20U);
  h.compact(h.log.end());
  h.restart();
  BOOST_TEST((h.run("PEEK", {{"k", "large"}}).get("b") == bytes));
  h.run("DELETE", {{"k", "large"}});
  BOOST_TEST(h.table->live_bytes() == 0U);
}

BOOST_AUTO_TEST_CASE(limits_of_rows_and_memory_refuse_new_rows_only) {
  Harness h{{{"rows-max", "2"}}};
  h.run("INSERT", {{"k", "a"}});
  h.run("INSERT", {{"k", "b"}});
  BOOST_TEST(h.run("INSERT", {{"k", "c"}}).error() == "over_limit");
  BOOST_TEST(h.run("INSERT", {{"k", "a"}}).get("result") == "merged");
  Harness m{{{"memory-max", "64KiB"}}};
  int count = 0;
  while (m.run("INSERT", {{"k", std::to_string(count)}, {"v", std::string(1000, 'x')}}).error().empty()) ++count;
  BOOST_TEST(count > 10);
  BOOST_TEST(count < 64);
}

BOOST_AUTO_TEST_CASE(bad_parameters_are_refused_with_their_name) {
  Harness h;
  auto const parameter = [&](Texts const& texts) {
    Reply const r = h.run("INSERT", texts);
    return r.error() + " " + (r.status.facts().empty() ? "" : r.status.facts()[0].second);
  };
  BOOST_TEST(parameter({{"k", "a"}, {"priority", "256"}}) == "bad_parameter priority");
  BOOST_TEST(parameter({{"k", "a"}, {"process_date", "soon"}}) == "bad_parameter process_date");
  BOOST_TEST(parameter({{"k", "a"}, {"process_date", "+-5"}}) == "bad_parameter process_date");
  BOOST_TEST(parameter({{"k", "a"}, {"process_date", "999999999999999999"}}) == "bad_parameter process_date");
  BOOST_TEST(parameter({{"k", "a"}, {"expiration_date", "5"}}) == "expired expiration_date");
  BOOST_TEST(parameter({{"k", "a"}, {"client", "p"}}) == "missing_parameter sequence");
  BOOST_TEST(parameter({{"k", "a"}, {"sequence", "1"}}) == "missing_parameter client");
  BOOST_TEST(parameter({{"k", "a"}, {"client", std::string(129, 'p')}, {"sequence", "1"}}) == "too_large client");
  BOOST_TEST(h.run("INSERT", {{"v", "1"}}).error() == "missing_parameter");
  BOOST_TEST(h.log.stored().empty());
}

BOOST_AUTO_TEST_CASE(rows_keep_the_schema_they_were_written_with) {
  Harness h;
  h.run("INSERT", {{"k", "a"}, {"v", "1"}});
  h.change({}, {column("w")}, 2);
  h.run("INSERT", {{"k", "b"}, {"v", "2"}, {"w", "x"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("w") == "-");
  BOOST_TEST(h.run("PEEK", {{"k", "b"}}).get("w") == "x");
  // A merge brings new data, and with it the new schema.
  h.run("INSERT", {{"k", "a"}, {"v", "3"}, {"w", "y"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("w") == "y");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_key_cannot_change_while_there_are_rows) {
  Harness h;
  auto other = std::make_shared<TableDeclaration>(*declare({}, {column("w")}, 2));
  other->schema.key = {0, 2};
  BOOST_TEST(h.table->check_change(*other).ok());
  h.run("INSERT", {{"k", "a"}});
  BOOST_TEST(!h.table->check_change(*other).ok());
  BOOST_TEST(h.table->check_change(*declare({{"grace", "1s"}}, {column("w")}, 2)).ok());
  BOOST_TEST(!h.table->check_change(*declare({{"processing-timeout-max", "1s"}})).ok());
}

BOOST_AUTO_TEST_SUITE_END()
