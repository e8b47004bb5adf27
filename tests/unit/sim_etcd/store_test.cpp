// What the simulated etcd means by its requests, one claim of etcd 3.4 and 3.5 each, asked by a session of a cluster
// that is well.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/sim_etcd/support.h"

namespace fastjournal::sim {
namespace {

using etcd::Compare;
using etcd::Outcome;
using etcd::Refusal;

etcd::Answer transact(Talk& talk, std::vector<Compare> compares, std::vector<etcd::Operation> then,
                      std::vector<etcd::Operation> otherwise = {}) {
  return talk.ask(etcd::Transaction{std::move(compares), std::move(then), std::move(otherwise)});
}
etcd::TransactionAnswer const& body(etcd::Answer const& answer) {
  BOOST_REQUIRE((answer.outcome == Outcome::done));
  return std::get<etcd::TransactionAnswer>(answer.body);
}
EtcdOptions with_quota(std::int64_t bytes) {
  EtcdOptions options;
  options.limits.quota_bytes = bytes;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sim_etcd_store)

BOOST_AUTO_TEST_CASE(every_write_gets_a_revision_and_a_write_of_nothing_gets_none) {
  Talk talk;
  BOOST_TEST(talk.put("a", "1") == 2);
  BOOST_TEST(talk.put("b", "1") == 3);
  BOOST_TEST(talk.remove("nobody") == 0);
  BOOST_TEST(talk.ask(etcd::Delete{"nobody", {}}).header.revision == 3);
  BOOST_TEST(transact(talk, {mod_is("a", 99)}, {etcd::Put{"a", "2", 0}}).header.revision == 3);
  BOOST_TEST(talk.remove("a") == 1);
  BOOST_TEST(talk.put("a", "3") == 5);
}

BOOST_AUTO_TEST_CASE(a_pair_tells_when_it_was_created_and_changed_and_how_often) {
  Talk talk;
  talk.put("a", "1");
  talk.put("a", "2");
  std::int64_t const lease = talk.grant(60);
  talk.put("a", "3", lease);
  BOOST_TEST((talk.read(range_of("a")).pairs.front() == etcd::KeyValue{"a", "3", 2, 4, 3, lease}));
  talk.remove("a");
  talk.put("a", "4");
  BOOST_TEST((talk.read(range_of("a")).pairs.front() == etcd::KeyValue{"a", "4", 6, 6, 1, 0}));
}

BOOST_AUTO_TEST_CASE(a_range_ends_before_its_end_and_a_zero_byte_means_all_that_follow) {
  Talk talk;
  for (char const* const key : {"a", "b", "b1", "c"}) talk.put(key, "x");
  BOOST_TEST(talk.text(range_of("a")) == "a=x");
  BOOST_TEST(talk.text(range_of("aa")) == "");
  BOOST_TEST(talk.text(range_of("a", "c")) == "a=x b=x b1=x");
  BOOST_TEST(talk.text(range_of("b", kAll)) == "b=x b1=x c=x");
  BOOST_TEST(talk.text(range_of(kAll, kAll)) == "a=x b=x b1=x c=x");
  BOOST_TEST(talk.text(range_of("c", "a")) == "");
  BOOST_TEST(talk.remove("c", "a") == 0);
  BOOST_TEST(talk.remove("b", kAll) == 3);
  BOOST_TEST(talk.text(range_of(kAll, kAll)) == "a=x");
}

BOOST_AUTO_TEST_CASE(a_limited_range_says_that_there_is_more_and_counts_all) {
  Talk talk;
  for (char const* const key : {"a", "b", "c"}) talk.put(key, "x");
  etcd::Range range = range_of("a", kAll);
  range.limit = 2;
  etcd::RangeAnswer answer = talk.read(range);
  BOOST_TEST(answer.pairs.size() == 2U);
  BOOST_TEST(answer.more);
  BOOST_TEST(answer.count == 3);
  range.descending = true;
  BOOST_TEST(talk.text(range) == "c=x b=x");
  range.limit = 3;
  BOOST_TEST(!talk.read(range).more);
  range.count_only = true;
  answer = talk.read(range);
  BOOST_TEST(answer.pairs.empty());
  BOOST_TEST(answer.count == 3);
  BOOST_TEST(!answer.more);
}

BOOST_AUTO_TEST_CASE(a_range_of_keys_only_has_no_values) {
  Talk talk;
  talk.put("a", "1");
  etcd::Range range = range_of("a");
  range.keys_only = true;
  BOOST_TEST((talk.read(range).pairs.front() == etcd::KeyValue{"a", "", 2, 2, 1, 0}));
}

BOOST_AUTO_TEST_CASE(old_revisions_can_be_read_until_they_are_compacted) {
  Talk talk;
  talk.put("a", "1");
  talk.put("a", "2");
  talk.put("b", "1");
  talk.remove("a");
  auto const at = [](std::int64_t revision) {
    etcd::Range range = range_of("a", kAll);
    range.revision = revision;
    return range;
  };
  BOOST_TEST(talk.text(at(2)) == "a=1");
  BOOST_TEST(talk.text(at(4)) == "a=2 b=1");
  BOOST_TEST(talk.text(at(5)) == "b=1");
  // The header tells the newest revision all the same.
  BOOST_TEST(talk.ask(at(2)).header.revision == 5);
  talk.check_refused(at(6), Refusal::future_revision);
  BOOST_TEST((talk.ask(etcd::Compact{4}).outcome == Outcome::done));
  talk.check_refused(at(3), Refusal::compacted);
  BOOST_TEST(talk.text(at(4)) == "a=2 b=1");
  BOOST_TEST(talk.text(at(5)) == "b=1");
}

BOOST_AUTO_TEST_CASE(a_compaction_goes_forward_and_not_into_the_future) {
  Talk talk;
  talk.put("a", "1");
  talk.put("a", "2");
  talk.check_refused(etcd::Compact{4}, Refusal::future_revision);
  BOOST_TEST((talk.ask(etcd::Compact{3}).outcome == Outcome::done));
  talk.check_refused(etcd::Compact{3}, Refusal::compacted);
  talk.check_refused(etcd::Compact{2}, Refusal::compacted);
}

BOOST_AUTO_TEST_CASE(what_is_compacted_everywhere_is_forgotten_and_the_rest_stays) {
  Talk talk;
  for (int i = 0; i < 50; ++i) talk.put("a", std::to_string(i));
  talk.put("b", "1");
  talk.remove("b");
  talk.put("c", "1");
  std::int64_t const used = talk.look().db_bytes_in_use;
  BOOST_TEST((talk.ask(etcd::Compact{talk.cluster.store().view().revision}).outcome == Outcome::done));
  talk.pass(kSecondUs);
  // 50 puts, a put and its deletion are gone; the newest of `a` is not.
  BOOST_TEST(talk.look().db_bytes_in_use < used - 49 * 256 - 2 * 256);
  BOOST_TEST(talk.text(range_of("a", kAll)) == "a=49 c=1");
  BOOST_TEST((talk.read(range_of("a")).pairs.front() == etcd::KeyValue{"a", "49", 2, 51, 50, 0}));
  talk.put("b", "2");
  BOOST_TEST(talk.read(range_of("b")).pairs.front().version == 1);
}

BOOST_AUTO_TEST_CASE(a_comparison_sees_each_number_of_a_pair_and_zeros_of_a_missing_one) {
  Talk talk;
  std::int64_t const lease = talk.grant(60);
  talk.put("other", "x");
  talk.put("a", "1");
  talk.put("a", "2", lease);
  auto const holds = [&](std::string key, Compare::What what, Compare::Is is, std::int64_t number) {
    return body(transact(talk, {{std::move(key), what, is, number}}, {})).succeeded;
  };
  using What = Compare::What;
  using Is = Compare::Is;
  for (auto const& [what, number] :
       {std::pair{What::create_revision, std::int64_t{3}}, std::pair{What::mod_revision, std::int64_t{4}},
        std::pair{What::version, std::int64_t{2}}, std::pair{What::lease, lease}}) {
    BOOST_TEST(holds("a", what, Is::equal, number));
    BOOST_TEST(!holds("a", what, Is::equal, number + 1));
    BOOST_TEST(!holds("a", what, Is::not_equal, number));
    BOOST_TEST(holds("a", what, Is::greater, number - 1));
    BOOST_TEST(!holds("a", what, Is::greater, number));
    BOOST_TEST(holds("a", what, Is::less, number + 1));
    BOOST_TEST(!holds("a", what, Is::less, number));
    BOOST_TEST(holds("nobody", what, Is::equal, 0));
    BOOST_TEST(!holds("nobody", what, Is::greater, 0));
  }
}

BOOST_AUTO_TEST_CASE(a_transaction_does_one_branch_at_one_revision) {
  Talk talk;
  talk.put("a", "1");
  etcd::Answer answer = transact(talk, {mod_is("a", 2), mod_is("b", 0)},
                                 {etcd::Put{"a", "2", 0}, etcd::Put{"b", "2", 0}}, {etcd::Put{"c", "2", 0}});
  BOOST_TEST(body(answer).succeeded);
  BOOST_TEST(body(answer).answers.size() == 2U);
  BOOST_TEST(answer.header.revision == 3);
  BOOST_TEST(talk.read(range_of("a")).pairs.front().mod_revision == 3);
  BOOST_TEST(talk.read(range_of("b")).pairs.front().mod_revision == 3);
  // One of two does not hold.
  answer = transact(talk, {mod_is("a", 3), mod_is("b", 0)}, {etcd::Put{"a", "3", 0}},
                    {etcd::Put{"c", "3", 0}, range_of("a", kAll)});
  BOOST_TEST(!body(answer).succeeded);
  auto const& seen = std::get<etcd::RangeAnswer>(body(answer).answers.at(1)).pairs;
  // A range sees what its own transaction wrote before.
  BOOST_REQUIRE(seen.size() == 3U);
  BOOST_TEST(seen[2].value == "3");
  BOOST_TEST(talk.text(range_of("a", kAll)) == "a=2 b=2 c=3");
}

BOOST_AUTO_TEST_CASE(a_transaction_that_cannot_be_done_whole_is_not_done_at_all) {
  Talk talk;
  talk.put("a", "1");
  etcd::Range old = range_of("a");
  old.revision = 99;
  talk.check_refused(etcd::Transaction{{}, {etcd::Put{"a", "2", 0}, old}, {}}, Refusal::future_revision);
  talk.check_refused(etcd::Transaction{{}, {etcd::Put{"a", "2", 0}, etcd::Put{"b", "2", 77}}, {}}, Refusal::no_lease);
  BOOST_TEST(talk.text(range_of("a", kAll)) == "a=1");
  // What stands in the other branch does not matter.
  BOOST_TEST(body(transact(talk, {}, {etcd::Put{"a", "3", 0}}, {etcd::Put{"b", "2", 77}})).succeeded);
}

BOOST_AUTO_TEST_CASE(no_key_is_put_twice_in_a_transaction_or_put_and_deleted) {
  Talk talk;
  talk.check_refused(etcd::Transaction{{}, {etcd::Put{"a", "1", 0}, etcd::Put{"a", "2", 0}}, {}}, Refusal::other);
  talk.check_refused(etcd::Transaction{{}, {}, {etcd::Put{"a", "1", 0}, etcd::Delete{"a", {}}}}, Refusal::other);
  talk.check_refused(etcd::Transaction{{}, {etcd::Delete{"a", "c"}, etcd::Put{"b", "1", 0}}, {}}, Refusal::other);
  BOOST_TEST(
      body(transact(talk, {}, {etcd::Delete{"a", "b"}, etcd::Put{"b", "1", 0}}, {etcd::Put{"b", "2", 0}})).succeeded);
  BOOST_TEST(body(transact(talk, {}, {etcd::Delete{"b", {}}, etcd::Delete{"a", "c"}})).answers.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_request_without_a_key_is_refused) {
  Talk talk;
  talk.check_refused(range_of(""), Refusal::other);
  talk.check_refused(etcd::Put{"", "1", 0}, Refusal::other);
  talk.check_refused(etcd::Delete{"", "b"}, Refusal::other);
  talk.check_refused(etcd::Transaction{{mod_is("", 0)}, {}, {}}, Refusal::other);
}

BOOST_AUTO_TEST_CASE(a_transaction_has_at_most_128_operations_in_each_part) {
  Talk talk;
  etcd::Transaction all;
  for (int i = 0; i < 128; ++i) {
    std::string const key = "k" + std::to_string(i);
    all.compares.push_back(mod_is(key, 0));
    all.then.push_back(etcd::Put{key, "1", 0});
    all.otherwise.push_back(range_of(key));
  }
  BOOST_TEST(body(talk.ask(all)).succeeded);
  for (int part = 0; part < 3; ++part) {
    etcd::Transaction more = all;
    if (part == 0) more.compares.push_back(mod_is("x", 0));
    if (part == 1) more.then.push_back(range_of("x"));
    if (part == 2) more.otherwise.push_back(range_of("x"));
    talk.check_refused(more, Refusal::too_large);
  }
}

BOOST_AUTO_TEST_CASE(a_request_has_at_most_a_mebibyte_and_a_half) {
  Talk talk;
  talk.put("a", std::string(1'572'000, 'x'));
  talk.check_refused(etcd::Put{"a", std::string(1'572'864, 'x'), 0}, Refusal::too_large);
  talk.check_refused(
      etcd::Transaction{
          {}, {etcd::Put{"a", std::string(800'000, 'x'), 0}, etcd::Put{"b", std::string(800'000, 'x'), 0}}, {}},
      Refusal::too_large);
}

// -- leases ----------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_put_with_an_unknown_lease_is_refused) {
  Talk talk;
  talk.check_refused(etcd::Put{"a", "1", 4711}, Refusal::no_lease);
  BOOST_TEST(talk.text(range_of("a")) == "");
  talk.check_refused(etcd::Revoke{4711}, Refusal::no_lease);
  BOOST_TEST(talk.renew(4711) == 0);
}

BOOST_AUTO_TEST_CASE(a_lease_has_at_least_two_seconds_and_at_most_nine_billion) {
  Talk talk;
  BOOST_TEST(std::get<etcd::LeaseAnswer>(talk.ask(etcd::Grant{1}).body).ttl_s == 2);
  BOOST_TEST(std::get<etcd::LeaseAnswer>(talk.ask(etcd::Grant{30}).body).ttl_s == 30);
  talk.check_refused(etcd::Grant{9'000'000'001}, Refusal::other);
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_not_renewed_ends_with_its_keys_at_one_revision) {
  Talk talk;
  std::int64_t const lease = talk.grant(3);
  std::int64_t const other = talk.grant(60);
  talk.put("c", "1", lease);
  talk.put("a", "1", lease);
  talk.put("b", "1", other);
  talk.put("d", "1", lease);
  talk.put("d", "2");  // not of the lease any more
  std::int64_t const revision = talk.cluster.store().view().revision;
  auto const watched = talk.session->watch({kAll, kAll, 0});
  BOOST_TEST(watched == 1U);
  talk.pass(2'900'000 - 500'000);
  BOOST_TEST(talk.text(range_of("a", kAll)) == "a=1 b=1 c=1 d=2");
  talk.pass(2 * kSecondUs);
  BOOST_TEST(talk.text(range_of("a", kAll)) == "b=1 d=2");
  BOOST_TEST(talk.cluster.store().view().revision == revision + 1);
  std::string const at = "@" + std::to_string(revision + 1);
  BOOST_TEST(talk.news() == "-a" + at + "-c" + at + "|");
  BOOST_TEST(talk.renew(lease) == 0);
  talk.check_refused(etcd::Put{"a", "1", lease}, Refusal::no_lease);
}

BOOST_AUTO_TEST_CASE(a_renewed_lease_goes_on) {
  Talk talk;
  std::int64_t const lease = talk.grant(2);
  talk.put("a", "1", lease);
  for (int i = 0; i < 10; ++i) {
    talk.pass(1'500'000);
    BOOST_TEST(talk.renew(lease) == 2);
  }
  BOOST_TEST(talk.text(range_of("a")) == "a=1");
  talk.pass(4 * kSecondUs);
  BOOST_TEST(talk.text(range_of("a")) == "");
}

BOOST_AUTO_TEST_CASE(a_revoked_lease_takes_its_keys_with_it_and_one_without_keys_no_revision) {
  Talk talk;
  std::int64_t const lease = talk.grant(60);
  std::int64_t const empty = talk.grant(60);
  talk.put("a", "1", lease);
  talk.put("b", "1", lease);
  etcd::Answer answer = talk.ask(etcd::Revoke{lease});
  BOOST_TEST((answer.outcome == Outcome::done));
  BOOST_TEST(answer.header.revision == 4);
  BOOST_TEST(talk.text(range_of("a", kAll)) == "");
  answer = talk.ask(etcd::Revoke{empty});
  BOOST_TEST((answer.outcome == Outcome::done));
  BOOST_TEST(answer.header.revision == 4);
}

// -- space -----------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(beyond_the_quota_nothing_is_put_until_a_person_acts) {
  Talk talk{with_quota(20'000)};
  for (int i = 0; i < 30; ++i) talk.put("a", std::string(100, 'x'));
  BOOST_TEST(!talk.look().has_no_space_alarm);
  talk.check_refused(etcd::Put{"b", std::string(20'000, 'x'), 0}, Refusal::no_space);
  talk.pass(kSecondUs);
  BOOST_TEST(talk.look().has_no_space_alarm);
  // One that would fit is refused, too, and so are leases; whoever only takes away is not.
  talk.check_refused(etcd::Put{"b", "1", 0}, Refusal::no_space);
  talk.check_refused(etcd::Grant{10}, Refusal::no_space);
  talk.check_refused(etcd::Transaction{{mod_is("a", 0)}, {etcd::Put{"b", "1", 0}}, {}}, Refusal::no_space);
  BOOST_TEST(body(transact(talk, {}, {etcd::Delete{"a", {}}})).succeeded);
  BOOST_TEST((talk.ask(etcd::Compact{talk.cluster.store().view().revision}).outcome == Outcome::done));
  // The file does not get smaller by itself.
  etcd::LookAnswer const look = talk.look();
  BOOST_TEST(look.db_bytes > look.db_bytes_in_use + 5'000);
  talk.cluster.defragment();
  BOOST_TEST(talk.look().db_bytes == look.db_bytes_in_use);
  talk.check_refused(etcd::Put{"b", "1", 0}, Refusal::no_space);
  talk.cluster.disarm();
  talk.pass(kSecondUs);
  BOOST_TEST(!talk.look().has_no_space_alarm);
  talk.put("b", "1");
}

BOOST_AUTO_TEST_CASE(a_disarmed_alarm_comes_back_while_the_file_is_large) {
  Talk talk{with_quota(2'000)};
  talk.put("a", std::string(1'600, 'x'));
  talk.check_refused(etcd::Put{"a", "1", 0}, Refusal::no_space);
  talk.pass(kSecondUs);
  BOOST_TEST((talk.ask(etcd::Delete{"a", {}}).outcome == Outcome::done));
  BOOST_TEST((talk.ask(etcd::Compact{3}).outcome == Outcome::done));
  talk.cluster.disarm();
  talk.pass(kSecondUs);
  BOOST_TEST(!talk.look().has_no_space_alarm);
  talk.check_refused(etcd::Put{"a", "1", 0}, Refusal::no_space);
  talk.pass(kSecondUs);
  BOOST_TEST(talk.look().has_no_space_alarm);
}

BOOST_AUTO_TEST_CASE(of_two_puts_at_the_quota_the_second_is_done_and_refused) {
  Talk talk{with_quota(3'000)};
  etcd::RequestId const one = talk.send(etcd::Put{"a", std::string(2'000, 'x'), 0});
  etcd::RequestId const two = talk.send(etcd::Put{"b", std::string(2'000, 'x'), 0});
  int const done =
      (talk.wait(one).outcome == Outcome::done ? 1 : 0) + (talk.wait(two).outcome == Outcome::done ? 1 : 0);
  BOOST_TEST(done == 1);
  BOOST_TEST(talk.read(range_of("a", kAll)).count == 2);
  BOOST_TEST(talk.cluster.count(EtcdFault::done_without_space) == 1U);
  talk.pass(kSecondUs);
  BOOST_TEST(talk.look().has_no_space_alarm);
}

BOOST_AUTO_TEST_CASE(an_older_etcd_refuses_transactions_that_only_delete_beyond_the_quota) {
  EtcdOptions options = with_quota(2'000);
  options.limits.refuses_free_transactions = true;
  Talk talk{options};
  etcd::RequestId const one = talk.send(etcd::Put{"a", std::string(1'000, 'x'), 0});
  etcd::RequestId const two = talk.send(etcd::Put{"b", std::string(1'000, 'x'), 0});
  BOOST_TEST((talk.wait(one).outcome != talk.wait(two).outcome));
  talk.check_refused(etcd::Transaction{{}, {etcd::Delete{"a", {}}}, {}}, Refusal::no_space);
  BOOST_TEST(talk.remove("a") == 1);
}

// -- members and watches ---------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_cluster_has_three_members_with_names_and_says_who_leads) {
  Talk talk;
  etcd::Answer const answer = talk.ask(etcd::Members{});
  auto const& members = std::get<etcd::MembersAnswer>(answer.body).members;
  BOOST_REQUIRE(members.size() == 3U);
  for (auto const& member : members) {
    BOOST_TEST(member.id != 0U);
    BOOST_TEST(!member.name.empty());
    BOOST_TEST(member.client_urls.size() == 1U);
  }
  BOOST_TEST(answer.header.cluster != 0U);
  BOOST_TEST(answer.header.member == members.at(*talk.session->node()).id);
  BOOST_TEST(answer.header.term == 1U);
  BOOST_TEST(talk.look().leader == members.at(talk.leader()).id);
  BOOST_TEST(!talk.look().version.empty());
}

BOOST_AUTO_TEST_CASE(a_watch_tells_what_happens_from_its_revision_on) {
  Talk talk;
  talk.put("a/1", "1");
  talk.put("b", "1");
  talk.put("a/2", "1");
  talk.remove("a/1");
  auto const old = talk.session->watch({"a/", "a0", 3});
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "+a/2=1@4-a/1@5|");
  talk.session->unwatch(old);
  auto const now = talk.session->watch({"a/", "a0", 0});
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "");
  talk.put("b", "2");
  transact(talk, {}, {etcd::Put{"a/3", "1", 0}, etcd::Delete{"a/2", {}}, etcd::Put{"b", "3", 0}});
  talk.put("a/3", "2");
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "+a/3=1@7-a/2@7|+a/3=2@8|");
  talk.session->unwatch(now);
  talk.put("a/3", "3");
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "");
}

BOOST_AUTO_TEST_CASE(a_watch_of_the_future_tells_nothing_earlier) {
  Talk talk;
  talk.put("a", "1");
  talk.session->watch({"a", {}, 4});
  talk.put("a", "2");
  talk.put("a", "3");
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "+a=3@4|");
}

BOOST_AUTO_TEST_CASE(a_deletion_is_told_with_its_key_and_revision_alone) {
  Talk talk;
  talk.put("a", "1");
  talk.session->watch({"a", {}, 0});
  talk.pass(kSecondUs);
  talk.remove("a");
  talk.pass(kSecondUs);
  std::vector<etcd::WatchNews> const news = talk.session->take_news();
  BOOST_REQUIRE(news.size() == 1U);
  BOOST_TEST(news.front().revision == 3);
  BOOST_TEST((news.front().events.front().pair == etcd::KeyValue{"a", "", 0, 3, 0, 0}));
}

BOOST_AUTO_TEST_CASE(a_watch_from_a_compacted_revision_is_over_and_one_from_the_compaction_on_is_not) {
  Talk talk;
  for (int i = 1; i <= 5; ++i) talk.put("a", std::to_string(i));
  BOOST_TEST((talk.ask(etcd::Compact{4}).outcome == Outcome::done));
  talk.pass(kSecondUs);
  auto const early = talk.session->watch({"a", {}, 3});
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "compacted@4|");
  talk.session->watch({"a", {}, 4});
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "+a=3@4+a=4@5+a=5@6|");
  BOOST_TEST(early == 1U);
}

BOOST_AUTO_TEST_CASE(a_deletion_at_the_compaction_is_told_and_lost_by_an_older_etcd) {
  for (bool const loses : {false, true}) {
    EtcdOptions options;
    options.limits.loses_deletions = loses;
    Talk talk{options};
    talk.put("a", "1");
    talk.remove("a");
    talk.put("b", "1");
    BOOST_TEST((talk.ask(etcd::Compact{3}).outcome == Outcome::done));
    talk.pass(kSecondUs);
    talk.session->watch({"a", "c", 3});
    talk.pass(kSecondUs);
    BOOST_TEST(talk.news() == (loses ? "+b=1@4|" : "-a@3+b=1@4|"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
