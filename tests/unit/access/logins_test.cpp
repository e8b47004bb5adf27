// Logins: what is decided at once, what waits for a hash, what is remembered, and every limit of tries and jobs. Hash
// jobs are kept here and run when a case says so; the time is a number.
#include "config/access/logins.h"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <map>
#include <string>

#include "tests/support/signing.h"

namespace fastjournal::access {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

Token token_of(int number, char secret = 's') {
  std::string random(kSaltBytes, '\0');
  random[0] = static_cast<char>(number & 0x7F);
  random[1] = static_cast<char>(number >> 7 & 0x7F);
  random.append(kSecretBytes, secret);
  return Token::make(std::span<char const, kSaltBytes + kSecretBytes>{random.data(), random.size()});
}

// The hashes of a case are computed once for all of them.
TokenHash const& hash_of(int number) {
  static std::map<int, TokenHash> known;
  auto const found = known.find(number);
  if (found != known.end()) return found->second;
  Result<TokenHash> hash = TokenHash::of(token_of(number), kHashCostLeast);
  BOOST_REQUIRE(hash.ok());
  return known.emplace(number, std::move(hash).value()).first->second;
}

User user(std::string name, int token, Rights rights = {Right::read}) {
  return {.name = std::move(name), .grants = {{.rights = rights}}, .token = hash_of(token)};
}

struct Gate : HashRunner {
  Gate() {
    Users users;
    BOOST_REQUIRE(users.add(user("ann", 1)));
    BOOST_REQUIRE(users.add(user("bob", 2)));
    logins.use(std::move(users));
  }

  void run_hash(std::unique_ptr<HashJob> job) override { jobs.push_back(std::move(job)); }

  // "ann", "not_allowed", "over_limit", "later".
  static std::string shown(Logins::Outcome const& outcome) {
    return outcome.user != nullptr ? outcome.user->name : std::string{row_of(outcome.status.code()).wire_name};
  }
  std::string begin(int who, std::string_view token, std::string_view origin = "ip:1", std::string_view name = {}) {
    auto const outcome = logins.begin(ConnectionId{static_cast<std::uint64_t>(who)},
                                      {.token = token, .user = name, .origin = origin}, now_us);
    return outcome ? shown(*outcome) : "later";
  }
  // u0, u1, ...: their tokens are 100, 101, ...
  void add_users(int count) {
    Users users;
    for (int i = 0; i < count; ++i) {
      // One computed hash serves all: only its salt differs.
      std::string text = hash_of(1).text();
      std::string const salt_of_first = text.substr(text.find("p=1$") + 4, 22);
      text.replace(text.find(salt_of_first), 22, std::string{token_of(100 + i).text().substr(3, 22)});
      BOOST_REQUIRE(users.add({.name = "u" + std::to_string(i), .grants = {}, .token = TokenHash::parse(text)}));
    }
    logins.use(std::move(users));
  }
  void run_one() {
    BOOST_REQUIRE(!jobs.empty());
    std::unique_ptr<HashJob> job = std::move(jobs.front());
    jobs.pop_front();
    ++hashes;
    job->run();
    logins.finish(std::move(job), now_us);
  }
  void run_all() {
    for (int left = 1000; left > 0 && !jobs.empty(); --left) run_one();
  }
  // "7:ann 8:not_allowed".
  std::string outcomes() {
    std::string out;
    for (Logins::Outcome const& one : logins.take_outcomes(now_us))
      out += (out.empty() ? "" : " ") + std::to_string(static_cast<std::uint64_t>(one.who)) + ":" + shown(one);
    return out;
  }
  void pass(std::int64_t us) { now_us += us; }

  // ann has a signing key beside her token, bob has none.
  void give_key(std::string_view key = kAnnsKey) {
    Users users;
    User ann = user("ann", 1);
    ann.signing_key = SigningKey::read(key);
    BOOST_REQUIRE(users.add(std::move(ann)));
    BOOST_REQUIRE(users.add(user("bob", 2)));
    logins.use(std::move(users));
  }
  // Its wall clock shows `now_us`. "ann", "wrong", "old", "over_limit", "nobody".
  struct Way {
    std::string_view key{kAnnsKey};
    std::int64_t old_us{0};
    std::string_view origin{"ip:1"};
    bool may_be_nobody{false};
    std::string_view service{"sqs"};
  };
  std::string check(std::string_view name, Way const& way) {
    std::string const date = test::signing_date(now_us - way.old_us);
    std::string const scope = date.substr(0, 8) + "/eu-west-1/" + std::string{way.service} + "/aws4_request";
    std::string const request(64, 'a');
    std::string const signature = test::aws_signature_of(way.key, date, scope, request);
    last = logins.check({.user = name, .date = date, .scope = scope, .request = request, .signature = signature},
                        way.origin, way.may_be_nobody, now_us, now_us);
    if (last.user != nullptr) return last.user->name;
    if (last.status.ok()) return "nobody";
    if (last.status.code() == Code::over_limit) return "over_limit";
    BOOST_TEST((last.status.code() == Code::not_allowed));
    BOOST_REQUIRE(last.status.facts().size() == 1U);
    BOOST_TEST(last.status.facts().front().first == "signature");
    return last.status.facts().front().second;
  }

  static constexpr std::string_view kAnnsKey = "0123456789abcdef";

  std::deque<std::unique_ptr<HashJob>> jobs;
  int hashes{0};
  std::int64_t now_us{5 * kSecond};
  Logins::Signer last;
  Logins logins{*this, DigestKey{7}};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(logins, Gate)

BOOST_AUTO_TEST_CASE(a_token_costs_one_slow_hash_and_is_known_from_then_on) {
  BOOST_TEST(begin(1, token_of(1).text()) == "later");
  BOOST_TEST(outcomes() == "");
  run_all();
  BOOST_TEST(outcomes() == "1:ann");
  for (int i = 0; i < 100; ++i) BOOST_TEST(begin(2, token_of(1).text(), "ip:2") == "ann");
  BOOST_TEST(hashes == 1);
  BOOST_TEST(jobs.empty());
}

BOOST_AUTO_TEST_CASE(several_with_the_same_token_wait_for_one_hash) {
  for (int who = 1; who <= 3; ++who) BOOST_TEST(begin(who, token_of(2).text()) == "later");
  BOOST_TEST(jobs.size() == 1U);
  logins.forget(ConnectionId{2});
  run_all();
  BOOST_TEST(outcomes() == "1:bob 3:bob");
}

BOOST_AUTO_TEST_CASE(a_refusal_comes_late_and_the_same_for_every_reason) {
  BOOST_TEST(begin(1, token_of(1, 'x').text()) == "later");  // a wrong secret
  run_all();
  BOOST_TEST(begin(2, token_of(9).text()) == "later");                 // nobody's
  BOOST_TEST(begin(3, "hello") == "later");                            // no token
  BOOST_TEST(begin(4, token_of(1).text(), "ip:1", "bob") == "later");  // another's
  BOOST_TEST(outcomes() == "");
  BOOST_TEST(logins.next_us() == now_us + Logins::kRefusalAfterUs);
  pass(Logins::kRefusalAfterUs - 1);
  BOOST_TEST(outcomes() == "");
  pass(1);
  std::vector<Logins::Outcome> const told = logins.take_outcomes(now_us);
  BOOST_REQUIRE(told.size() == 4U);
  for (Logins::Outcome const& one : told) {
    BOOST_TEST((one.user == nullptr));
    BOOST_TEST(one.status.text() == told.front().status.text());
    BOOST_TEST(one.status.text().find("fj_") == std::string::npos);
  }
  BOOST_TEST(logins.next_us() == INT64_MAX);
  BOOST_TEST(hashes == 1);
}

BOOST_AUTO_TEST_CASE(a_wrong_token_costs_one_hash_a_minute) {
  std::string const wrong{token_of(1, 'x').text()};
  BOOST_TEST(begin(1, wrong) == "later");
  run_all();
  for (int i = 0; i < 30; ++i) {
    pass(kSecond);
    BOOST_TEST(begin(1, wrong) == "later");
    BOOST_TEST(jobs.empty());
  }
  BOOST_TEST(hashes == 1);
  pass(Logins::kWrongForUs);
  BOOST_TEST(begin(1, wrong) == "later");
  BOOST_TEST(jobs.size() == 1U);
}

BOOST_AUTO_TEST_CASE(five_logins_of_an_origin_may_fail_at_once_then_one_a_second) {
  for (int i = 0; i < 5; ++i) BOOST_TEST(begin(i, token_of(9).text()) == "later");
  BOOST_TEST(begin(9, token_of(9).text()) == "over_limit");
  BOOST_TEST(begin(9, token_of(1).text()) == "over_limit");  // a right one too, while it is not known
  BOOST_TEST(begin(10, token_of(9).text(), "ip:2") == "later");
  auto const refused = logins.begin(ConnectionId{9}, {.token = "x", .user = {}, .origin = "ip:1"}, now_us);
  BOOST_REQUIRE(refused.has_value());
  BOOST_REQUIRE(refused->status.facts().size() == 1U);
  BOOST_TEST(refused->status.facts()[0].second == "1000");
  pass(kSecond);
  BOOST_TEST(begin(11, token_of(9).text()) == "later");
  BOOST_TEST(begin(12, token_of(9).text()) == "over_limit");
  pass(10 * kSecond);
  for (int i = 0; i < 5; ++i) BOOST_TEST(begin(i, token_of(9).text()) == "later");
  BOOST_TEST(begin(12, token_of(9).text()) == "over_limit");
}

BOOST_AUTO_TEST_CASE(known_tokens_are_not_held_up_by_the_failures_of_others) {
  BOOST_TEST(begin(1, token_of(1).text()) == "later");
  run_all();
  for (int i = 0; i < 20; ++i) static_cast<void>(begin(i, "no token"));
  BOOST_TEST(begin(50, token_of(2).text()) == "over_limit");
  BOOST_TEST(begin(50, token_of(1).text()) == "ann");
}

BOOST_AUTO_TEST_CASE(few_hashes_are_computed_at_once_and_the_queue_is_bounded) {
  int const most = static_cast<int>(Logins::kJobsMax + Logins::kQueueMax);
  add_users(most + 1);
  for (int i = 0; i < most; ++i) BOOST_TEST(begin(i, token_of(100 + i).text(), "ip:" + std::to_string(i)) == "later");
  BOOST_TEST(jobs.size() == Logins::kJobsMax);
  BOOST_TEST(logins.jobs() == Logins::kJobsMax);
  BOOST_TEST(logins.queued() == Logins::kQueueMax);
  BOOST_TEST(begin(most, token_of(100 + most).text(), "ip:x") == "over_limit");
  run_one();
  BOOST_TEST(logins.jobs() == Logins::kJobsMax);
  BOOST_TEST(begin(most, token_of(100 + most).text(), "ip:x") == "later");
  run_all();
  BOOST_TEST(logins.jobs() == 0U);
}

// Whose tokens are wrong is known only afterwards. Addresses of one network are one origin.
BOOST_AUTO_TEST_CASE(one_origin_leaves_places_of_the_queue_to_others) {
  int const most = static_cast<int>(Logins::kJobsMax + Logins::kQueueOfOriginMax);
  add_users(100);
  for (int i = 0; i < most; ++i)
    BOOST_TEST(begin(i, token_of(100 + i).text(), "ip:2001:db8:0:1::" + std::to_string(i)) == "later");
  BOOST_TEST(begin(most, token_of(100 + most).text(), "ip:2001:db8:0:1::9") == "over_limit");
  BOOST_TEST(begin(most, token_of(100 + most).text(), "ip:2001:db8:0:2::9") == "later");
  // A hash that is computed already is nobody's place.
  BOOST_TEST(begin(most + 1, token_of(100).text(), "ip:2001:db8:0:1::9") == "later");
  run_all();
  BOOST_TEST(logins.jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(other_users_forget_those_that_are_gone_and_keep_the_rest) {
  BOOST_TEST(begin(1, token_of(1).text()) == "later");
  BOOST_TEST(begin(2, token_of(2).text()) == "later");
  run_all();
  BOOST_TEST(logins.known() == 2U);
  Users next;
  BOOST_REQUIRE(next.add(user("ann", 3)));                 // another token
  BOOST_REQUIRE(next.add(user("bob", 2, {Right::work})));  // other rights
  logins.use(std::move(next));
  BOOST_TEST(logins.known() == 1U);
  auto const bob = logins.begin(ConnectionId{3}, {.token = token_of(2).text(), .user = {}, .origin = "ip:1"}, now_us);
  BOOST_REQUIRE(bob.has_value());
  BOOST_REQUIRE((bob->user != nullptr));
  BOOST_TEST(bob->user->everywhere().names() == "work");
  BOOST_TEST(begin(4, token_of(1).text()) == "later");
  BOOST_TEST(jobs.empty());  // its salt is nobody's
}

BOOST_AUTO_TEST_CASE(a_token_that_is_replaced_while_its_hash_is_computed_is_not_valid) {
  BOOST_TEST(begin(1, token_of(1).text()) == "later");
  logins.use(Users{});
  run_all();
  BOOST_TEST(logins.known() == 0U);
  pass(kSecond);
  BOOST_TEST(outcomes() == "1:not_allowed");
}

BOOST_AUTO_TEST_CASE(a_wrong_token_becomes_right_with_the_users) {
  logins.use(Users{});
  BOOST_TEST(begin(1, token_of(1).text()) == "later");
  Users users;
  BOOST_REQUIRE(users.add(user("ann", 1)));
  logins.use(std::move(users));
  BOOST_TEST(begin(2, token_of(1).text()) == "later");
  run_all();
  BOOST_TEST(outcomes() == "2:ann");
  // Also one whose hash was computed and found wrong.
  std::string const other{token_of(1, 't').text()};
  BOOST_TEST(begin(3, other, "ip:3") == "later");
  run_all();
  Result<TokenHash> const hash = TokenHash::of(token_of(1, 't'), kHashCostLeast);
  BOOST_REQUIRE(hash.ok());
  Users next;
  BOOST_REQUIRE(next.add({.name = "ann", .grants = {}, .token = hash.value()}));
  logins.use(std::move(next));
  BOOST_TEST(begin(4, other, "ip:3") == "later");
  run_all();
  BOOST_TEST(outcomes() == "4:ann");
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_token_is_forgotten) {
  KnownTokens<int> known{3};
  DigestKey const key{1};
  for (int i = 0; i < 3; ++i) known.add(digest_of(key, token_of(i)), i);
  BOOST_TEST(*known.find(digest_of(key, token_of(0))) == 0);
  known.add(digest_of(key, token_of(3)), 3);
  BOOST_TEST(known.size() == 3U);
  BOOST_TEST((known.find(digest_of(key, token_of(1))) == nullptr));
  BOOST_TEST(*known.find(digest_of(key, token_of(0))) == 0);
  known.add(digest_of(key, token_of(0)), 7);
  BOOST_TEST(known.size() == 3U);
  BOOST_TEST(*known.find(digest_of(key, token_of(0))) == 7);
  // The same first bytes are another place's only if all bytes are the same.
  Digest near = digest_of(key, token_of(0));
  near.back() ^= 1U;
  BOOST_TEST((known.find(near) == nullptr));
}

BOOST_AUTO_TEST_CASE(a_digest_depends_on_the_key_and_on_all_of_the_token) {
  DigestKey const key{1};
  DigestKey const other{2};
  BOOST_TEST(is_same(digest_of(key, token_of(1)), digest_of(key, token_of(1))));
  BOOST_TEST(!is_same(digest_of(key, token_of(1)), digest_of(other, token_of(1))));
  BOOST_TEST(!is_same(digest_of(key, token_of(1)), digest_of(key, token_of(1, 't'))));
  BOOST_TEST(!is_same(digest_of(key, token_of(1)), digest_of(key, token_of(2))));
}

BOOST_AUTO_TEST_CASE(ipv6_addresses_of_a_network_are_one_origin) {
  BOOST_TEST(origin_of_tries("ip:2001:db8::7") == "ip:2001:db8:0:0::/64");
  BOOST_TEST(origin_of_tries("ip:2001:db8:0:0:1:2:3:4") == "ip:2001:db8:0:0::/64");
  BOOST_TEST(origin_of_tries("ip:2001:db8:0:1::7") == "ip:2001:db8:0:1::/64");
  BOOST_TEST(origin_of_tries("ip:1:2::4:5:6:7:8") == "ip:1:2:0:4::/64");
  BOOST_TEST(origin_of_tries("ip:1:2:3:4:5:6:7:8") == "ip:1:2:3:4::/64");
  BOOST_TEST(origin_of_tries("ip:1:2:3:4::") == "ip:1:2:3:4::/64");
  BOOST_TEST(origin_of_tries("ip:::1") == "ip:0:0:0:0::/64");
  BOOST_TEST(origin_of_tries("ip:fe80::1%eth0") == "ip:fe80:0:0:0::/64");
  // Everything else is as it is.
  for (std::string const origin : {"ip:192.0.2.1", "ip:::ffff:192.0.2.1", "uid:1000", "made", "", "ip:", "user:a:b"})
    BOOST_TEST(origin_of_tries(origin) == origin);
  Tries tries;
  for (int i = 0; i < 5; ++i) tries.failed("ip:2001:db8::" + std::to_string(i), now_us);
  BOOST_TEST(tries.origins() == 1U);
  BOOST_TEST(tries.wait_us("ip:2001:db8::99", now_us) == kSecond);
  BOOST_TEST(tries.wait_us("ip:2001:db8:0:1::99", now_us) == 0);
}

BOOST_AUTO_TEST_CASE(origins_beyond_the_limit_share_one_measure) {
  Tries tries;
  for (std::size_t i = 0; i < Tries::kOriginsMax; ++i) tries.failed("o" + std::to_string(i), now_us);
  BOOST_TEST(tries.origins() == Tries::kOriginsMax);
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(tries.wait_us("new" + std::to_string(i), now_us) == 0);
    tries.failed("new" + std::to_string(i), now_us);
  }
  BOOST_TEST(tries.origins() == Tries::kOriginsMax);
  BOOST_TEST(tries.wait_us("newest", now_us) == kSecond);
  BOOST_TEST(tries.wait_us("o1", now_us) == 0);
  pass(2 * kSecond);
  tries.failed("newest", now_us);
  BOOST_TEST(tries.origins() == 1U);
}

BOOST_AUTO_TEST_CASE(a_signature_is_decided_at_once) {
  give_key();
  for (int i = 0; i < 100; ++i) BOOST_TEST(check("ann", {}) == "ann");
  BOOST_TEST(jobs.empty());
  BOOST_TEST(logins.counters().accepted == 100U);
  BOOST_TEST(check("ann", {.key = "0123456789abcdeF"}) == "wrong");
  BOOST_TEST(last.reason == "wrong");
  BOOST_TEST(logins.counters().refused == 1U);
}

BOOST_AUTO_TEST_CASE(who_a_user_is_and_whether_he_can_sign_is_not_told) {
  give_key();
  BOOST_TEST(check("ann", {.key = "0123456789abcdeF"}) == "wrong");
  std::string const said = last.status.text();
  BOOST_TEST(check("bob", {}) == "wrong");
  BOOST_TEST(last.reason == "no_key");
  BOOST_TEST(last.status.text() == said);
  BOOST_TEST(check("eve", {}) == "wrong");
  BOOST_TEST(last.reason == "unknown_user");
  BOOST_TEST(last.status.text() == said);
  for (char const* const secret : {"ann", "bob", "eve", "0123456789abcdef"})
    BOOST_TEST(said.find(secret) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(where_rights_need_no_signature_only_those_of_users_with_keys_count) {
  give_key();
  BOOST_TEST(check("eve", {.may_be_nobody = true}) == "nobody");
  BOOST_TEST(check("bob", {.old_us = 3600 * kSecond, .may_be_nobody = true, .service = "s3"}) == "nobody");
  BOOST_TEST(check("ann", {.key = "0123456789abcdeF", .may_be_nobody = true}) == "wrong");
  BOOST_TEST(check("ann", {.may_be_nobody = true}) == "ann");
  BOOST_TEST(logins.counters().accepted == 1U);
  BOOST_TEST(logins.counters().refused == 1U);
}

BOOST_AUTO_TEST_CASE(old_signatures_and_other_services_are_refused_whoever_signs) {
  give_key();
  pass(10'000 * kSecond);
  for (char const* const name : {"ann", "eve"}) {
    BOOST_TEST(check(name, {.old_us = 901 * kSecond}) == "old");
    BOOST_TEST(last.reason == "old");
    BOOST_TEST(check(name, {.old_us = -901 * kSecond}) == "old");
    pass(10 * kSecond);
    BOOST_TEST(check(name, {.service = "s3"}) == "wrong");
  }
  BOOST_TEST(check("ann", {.old_us = 899 * kSecond}) == "ann");
}

BOOST_AUTO_TEST_CASE(wrong_signatures_are_limited_by_origin_but_not_for_who_signed_there) {
  give_key();
  BOOST_TEST(check("ann", {.origin = "ip:1"}) == "ann");
  for (int i = 0; i < 5; ++i) BOOST_TEST(check("eve", {.origin = "ip:1"}) == "wrong");
  BOOST_TEST(check("eve", {.origin = "ip:1"}) == "over_limit");
  BOOST_TEST(logins.counters().delayed == 1U);
  BOOST_TEST(begin(1, "fj_nonsense", "ip:1") == "over_limit");  // one measure for both
  BOOST_TEST(check("ann", {.origin = "ip:1"}) == "ann");
  BOOST_TEST(check("eve", {.origin = "ip:2"}) == "wrong");
  for (int i = 0; i < 4; ++i) BOOST_TEST(check("ann", {.key = "0123456789abcdeF", .origin = "ip:2"}) == "wrong");
  // The right one must wait, too: it was never seen there, and could be a guess.
  BOOST_TEST(check("ann", {.origin = "ip:2"}) == "over_limit");
  pass(2 * kSecond);
  BOOST_TEST(check("ann", {.origin = "ip:2"}) == "ann");
}

BOOST_AUTO_TEST_CASE(a_reload_forgets_who_signed_only_if_his_key_is_another) {
  give_key();
  BOOST_TEST(check("ann", {}) == "ann");
  give_key();
  for (int i = 0; i < 5; ++i) BOOST_TEST(check("eve", {}) == "wrong");
  BOOST_TEST(check("ann", {}) == "ann");
  give_key("another-key-of-ann");
  BOOST_TEST(check("ann", {.key = "another-key-of-ann"}) == "over_limit");
}

BOOST_AUTO_TEST_CASE(other_users_apply_to_the_next_signature) {
  give_key();
  BOOST_TEST(check("ann", {}) == "ann");
  give_key("another-key-of-ann");
  BOOST_TEST(check("ann", {}) == "wrong");
  BOOST_TEST(check("ann", {.key = "another-key-of-ann"}) == "ann");
  logins.use(Users{});
  BOOST_TEST(check("ann", {.key = "another-key-of-ann"}) == "wrong");
  BOOST_TEST(last.reason == "unknown_user");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::access
