// What a single row says of itself: tags, attempts, rests, leases; rows that are done as they are taken.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

struct ExtrasFixture : Harness {
  ExtrasFixture() : Harness(Texts{{"back-off-jitter", "0"}}) {}

  std::string put(std::string const& key, Texts more = {}) {
    more["k"] = key;
    return run("INSERT", more).get("row");
  }
  // Keys of the rows that LIST shows, in order.
  std::string keys_of(Texts const& filter) {
    Reply const reply = run("LIST", filter);
    std::string out;
    for (std::size_t i = 0; i < reply.messages.size(); ++i) out += reply.get("k", i);
    return out;
  }
  // How long the row rests after each failed attempt, in seconds; then `parked`.
  std::vector<std::string> rests(int most) {
    std::vector<std::string> out;
    for (int i = 0; i < most; ++i) {
      Reply const lease = run("NEXT", {});
      check(lease.name() == "ROW", "the row is not due");
      Reply const back =
          run("RELEASE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", "broken"}});
      if (back.name() != "RELEASED") {
        out.emplace_back("parked");
        break;
      }
      std::int64_t const rest = std::stoll(back.get("process_date")) - now.value;
      out.push_back(std::to_string(rest / 1000));
      pass(rest);
    }
    return out;
  }
};

using Words = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_extras)

BOOST_FIXTURE_TEST_CASE(rows_are_found_by_their_tags_with_an_index_and_without, ExtrasFixture) {
  for (std::string const index : {"false", "true", "false"}) {
    change({{"back-off-jitter", "0"}, {"tag-index", index}});
    put("a", {{"tags", "red,customer:42"}});
    put("b");
    put("c", {{"tags", "red"}});
    put("d", {{"tags", "redder"}});
    BOOST_TEST(keys_of({{"tag", "red"}}) == "ac");
    BOOST_TEST(keys_of({{"tag", "customer:42"}}) == "a");
    BOOST_TEST(run("LIST", {{"tag", "blue"}}).name() == "NOTHING");
    BOOST_TEST(run("COUNT", {{"tag", "red"}}).get("count") == "2");
    BOOST_TEST(run("LIST", {{"tag", "red"}}).get("tags") == "red,customer:42");
    Reply const first = run("LIST", {{"tag", "red"}, {"count", "1"}});
    BOOST_TEST(first.get("k") == "a");
    BOOST_TEST(keys_of({{"tag", "red"}, {"after", first.get("after")}}) == "c");
    // A merge takes the tags that it is given, all of them; none given, they stay.
    BOOST_TEST(run("INSERT", {{"k", "c"}}).get("result") == "merged");
    BOOST_TEST(keys_of({{"tag", "red"}}) == "ac");
    put("c", {{"tags", "blue"}});
    put("a", {{"tags", ""}});
    BOOST_TEST(keys_of({{"tag", "red"}}) == "-");
    BOOST_TEST(keys_of({{"tag", "blue"}}) == "c");
    BOOST_TEST(run("PEEK", {{"k", "a"}}).get("tags") == "-");
    BOOST_TEST(replays());
    restart();
    BOOST_TEST(keys_of({{"tag", "blue"}}) == "c");
    BOOST_TEST(keys_of({{"tag", "redder"}, {"status", "due"}}) == "d");
    put("e", {{"tags", "blue"}, {"process_date", "+5000"}});
    BOOST_TEST(run("KICK", {{"tag", "blue"}, {"status", "waiting"}}).get("count") == "1");
    BOOST_TEST(run("DELETE", {{"tag", "blue"}}).get("count") == "2");
    BOOST_TEST(run("DELETE", {{"tag", "redder"}, {"dry_run", "1"}}).get("count") == "1");
    BOOST_TEST(keys_of({}) == "abd");
    for (std::string const key : {"a", "b", "d"}) run("DELETE", {{"k", key}});
    BOOST_TEST(replays());
  }
}

BOOST_FIXTURE_TEST_CASE(tags_of_a_leased_row_and_of_the_one_behind_it_are_their_own, ExtrasFixture) {
  put("a", {{"tags", "red"}});
  Reply const lease = run("NEXT", {});
  BOOST_TEST(lease.get("tags") == "red");
  BOOST_TEST(run("INSERT", {{"k", "a"}, {"tags", "blue"}}).get("result") == "behind");
  BOOST_TEST(run("LIST", {{"tag", "red"}}).get("row") == lease.get("row"));
  BOOST_TEST(run("LIST", {{"tag", "blue"}}).get("status") == "behind");
  // The twin has the later data, and keeps its tags.
  run("RELEASE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(run("LIST", {{"tag", "red"}}).name() == "NOTHING");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("tags") == "blue");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(what_is_no_tag_is_refused, ExtrasFixture) {
  BOOST_TEST(run("INSERT", {{"k", "a"}, {"tags", "a b"}}).error() == "bad_parameter");
  BOOST_TEST(run("INSERT", {{"k", "a"}, {"tags", "a,,b"}}).status.message() ==
             "tags: found an empty tag, expected words with commas between them");
  BOOST_TEST(run("LIST", {{"tag", "a,b"}}).error() == "bad_parameter");
  BOOST_TEST(run("LIST", {{"tag", ""}}).error() == "bad_parameter");
  BOOST_TEST(run("COUNT", {}).get("count") == "0");
}

BOOST_FIXTURE_TEST_CASE(the_memory_of_the_index_is_counted_and_given_back, ExtrasFixture) {
  std::uint64_t const before = table->memory_bytes();
  change({{"tag-index", "true"}});
  for (int i = 0; i < 1000; ++i) put("k" + std::to_string(i), {{"tags", "a" + std::to_string(i) + ",b"}});
  std::uint64_t const with = table->memory_bytes();
  change({});
  std::uint64_t const without = table->memory_bytes();
  BOOST_TEST(with > without + 1000 * 2 * 12 + 1000 * 64);
  change({{"tag-index", "true"}});
  BOOST_TEST(table->memory_bytes() == with);
  for (int i = 0; i < 1000; ++i) run("DELETE", {{"k", "k" + std::to_string(i)}});
  BOOST_TEST(table->memory_bytes() < before + (without - before) / 2);
}

BOOST_FIXTURE_TEST_CASE(a_row_may_say_after_how_many_failures_it_is_given_up, ExtrasFixture) {
  put("a", {{"max_attempts", "2"}});
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("max_attempts") == "2");
  BOOST_TEST((rests(5) == Words{"1", "parked"}));
  BOOST_TEST(run("WHY", {{"k", "a"}}).get("text").find("parked") != std::string::npos);
  run("DELETE", {{"k", "a"}});
  // 0: as often as it takes.
  change({{"back-off-jitter", "0"}, {"max-attempts", "1"}});
  put("b", {{"max_attempts", "0"}});
  BOOST_TEST((rests(3) == Words{"1", "2", "4"}));
  std::string const why = run("WHY", {{"k", "b"}}).get("text");
  BOOST_TEST(why.find("it failed 3 times; 3 attempts") != std::string::npos, why);
  run("DELETE", {{"k", "b"}});
  put("c", {{"max_attempts", "3"}, {"back_off", "1s"}});
  rests(1);
  BOOST_TEST(run("WHY", {{"k", "c"}}).get("text").find("(given up at 3)") != std::string::npos);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_row_or_a_table_says_how_long_it_rests, ExtrasFixture) {
  put("a", {{"back_off", "10s,1m,10m"}});
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("back_off") == "10s,1m,10m");
  BOOST_TEST((rests(4) == Words{"10", "60", "600", "600"}));
  run("DELETE", {{"k", "a"}});
  put("a", {{"back_off", "linear"}});
  BOOST_TEST((rests(4) == Words{"1", "2", "3", "4"}));
  run("DELETE", {{"k", "a"}});
  put("a");
  BOOST_TEST((rests(4) == Words{"1", "2", "4", "8"}));
  run("DELETE", {{"k", "a"}});
  change({{"back-off-jitter", "0"}, {"back-off", "linear"}, {"back-off-first", "10s"}, {"back-off-max", "25s"}});
  put("a");
  BOOST_TEST((rests(4) == Words{"10", "20", "25", "25"}));
  run("DELETE", {{"k", "a"}});
  put("a", {{"back_off", "doubling"}});
  BOOST_TEST((rests(3) == Words{"10", "20", "25"}));
  run("DELETE", {{"k", "a"}});
  // count^4 + 15 + rand(10) * (count + 1), whatever the longest rest of the table is.
  put("a", {{"back_off", "sidekiq"}});
  Words const found = rests(6);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::uint64_t const least = i * i * i * i + 15;
    std::uint64_t const rest = std::stoull(found[i]);
    BOOST_TEST((rest >= least && rest <= least + 9 * (i + 1) && (rest - least) % (i + 1) == 0));
  }
  BOOST_TEST(run("INSERT", {{"k", "b"}, {"back_off", "never"}}).error() == "bad_parameter");
  BOOST_TEST(!journal::Journal::check(*declare({{"back-off", "never"}})).ok());
  BOOST_TEST(journal::Journal::check(*declare({{"back-off", "1s,2s"}})).ok());
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_row_says_how_long_its_lease_lasts_unless_a_worker_does, ExtrasFixture) {
  auto const span = [&](Reply const& lease) { return std::stoll(lease.get("lease_end")) - now.value; };
  put("a", {{"lease", "7000"}});
  Reply lease = run("NEXT", {});
  BOOST_TEST(span(lease) == 7000);
  run("RELEASE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  lease = run("NEXT", {{"lease", "9000"}});
  BOOST_TEST(span(lease) == 9000);
  run("RELEASE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  put("a", {{"lease", "8000"}});
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("lease") == "8000");
  BOOST_TEST(replays());
  restart();
  lease = run("NEXT", {});
  BOOST_TEST(span(lease) == 8000);
  change({{"processing-timeout-min", "10s"}});
  BOOST_TEST(run("INSERT", {{"k", "b"}, {"lease", "9999"}}).error() == "bad_parameter");
  BOOST_TEST(run("INSERT", {{"k", "b"}, {"lease", "10000"}}).name() == "INSERTED");
}

BOOST_FIXTURE_TEST_CASE(a_leased_row_shows_when_its_lease_began, ExtrasFixture) {
  put("a");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("started_date") == "-");
  std::string const began = std::to_string(now.value);
  Reply const lease = run("NEXT", {});
  pass(1500);
  run("TOUCH", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("started_date") == began);
  BOOST_TEST(run("LIST", {}).get("started_date") == began);
  restart();
  BOOST_TEST(run("LIST", {}).get("started_date") == began);
}

BOOST_FIXTURE_TEST_CASE(next_with_done_takes_rows_and_deletes_them_at_once, ExtrasFixture) {
  change({{"rate", "2/1h"}});
  for (std::string const key : {"a", "b", "c"}) put(key);
  BOOST_TEST(run("NEXT", {{"done", "1"}, {"lease", "1000"}}).error() == "bad_parameter");
  Reply const taken = run("NEXT", {{"done", "1"}, {"count", "3"}});
  BOOST_REQUIRE(taken.messages.size() == 2U);
  BOOST_TEST((taken.get("k", 0) == "a" && taken.get("k", 1) == "b"));
  BOOST_TEST((taken.get("epoch") == "-" && taken.get("lease_end") == "-"));
  BOOST_TEST(run("DONE", {{"row", taken.get("row")}, {"epoch", "1"}}).error() == "unknown_row");
  // The rate of the table counts them.
  BOOST_TEST(run("NEXT", {{"done", "1"}}).name() == "NOTHING");
  BOOST_TEST(keys_of({}) == "c");
  BOOST_TEST(replays());
  change({{"concurrency", "1"}});
  put("d");
  BOOST_TEST(run("NEXT", {{"done", "1"}, {"count", "3"}}).messages.size() == 2U);
  BOOST_TEST(run("LIST", {}).name() == "NOTHING");
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_SUITE_END()
