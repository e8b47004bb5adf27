// The order of NEXT against a plain reference, which keeps all rows in a vector, sorts them by the rule at each look,
// and keeps turns as vectors of names. Random work by seed for every mix of domains, weights, aging, slow rows,
// concurrency and rates; and the parts around it: buckets, hosts of URIs.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "plugins/rows/domain_text.h"
#include "plugins/rows/order.h"
#include "tests/support/seed.h"

using namespace fastjournal;
using namespace fastjournal::rows;

namespace {

std::uint64_t seed_of_run() { return fastjournal::test::seed_or(20260104U); }

enum class Where : std::uint8_t { future, due, leased };

struct PlainRow {
  std::uint64_t id;
  std::string domain;
  int priority;
  std::int64_t date;
  Where where{Where::future};
  std::int64_t lease_end{0};
};

// Exact token bucket: `level` is in units of 1/`span` token.
struct PlainBucket {
  std::uint64_t level;
  std::int64_t at;
};

// The rules of the order, applied to all rows at each question.
class Plain {
 public:
  Plain(Rules const& rules, std::int64_t now) : now_(now), rules_(rules), bucket_{all(rules.rate), now} {}

  std::map<std::uint32_t, PlainRow> rows;  // by index

  void pass(std::int64_t now) { now_ = now; }

  std::uint64_t due(std::string const& domain) const { return count(domain, Where::due); }
  std::uint64_t room_of(std::string const& domain) {
    std::uint64_t room = UINT64_MAX;
    if (rules_.concurrency_domain != 0) {
      std::uint64_t const leased = count(domain, Where::leased);
      room = leased < rules_.concurrency_domain ? rules_.concurrency_domain - leased : 0;
    }
    return std::min(room, tokens(rules_.rate_domain, bucket_of(domain)));
  }
  std::uint64_t room() {
    std::uint64_t leased = 0;
    for (auto const& [index, row] : rows) leased += row.where == Where::leased ? 1U : 0U;
    std::uint64_t room = UINT64_MAX;
    if (rules_.concurrency != 0) room = leased < rules_.concurrency ? rules_.concurrency - leased : 0;
    return std::min(room, tokens(rules_.rate, bucket_));
  }
  std::uint64_t available(std::string const& domain) { return std::min({due(domain), room_of(domain), room()}); }
  std::uint64_t available() {
    std::uint64_t sum = 0;
    for (std::string const& name : names()) sum += std::min(due(name), room_of(name));
    return std::min(sum, room());
  }

  // Gives turns to those domains, and only those, that may have one now; new ones go to the end, in the order of
  // `number`.
  template <typename Number>
  void settle(Number&& number) {
    std::set<std::pair<std::string, int>> wanted;
    for (std::string const& name : names()) {
      if (room_of(name) == 0) continue;
      std::set<int> classes;
      for (auto const& [index, row] : rows)
        if (row.where == Where::due && row.domain == name) classes.insert(class_of(row));
      for (int const klass : classes)
        if (rules_.aging == 0 || klass == *classes.begin()) wanted.emplace(name, klass);
    }
    for (auto& [ring, turns] : rings_) {
      // With aging a domain has one turn, for whatever rows it has now, slow or not.
      for (Turn& turn : turns)
        for (auto const& [name, klass] : wanted)
          if (rules_.aging != 0 && turn.domain == name) turn.klass = klass;
      std::erase_if(turns, [&](Turn const& turn) { return !wanted.contains({turn.domain, turn.klass}); });
    }
    std::vector<std::pair<std::uint32_t, Turn>> fresh;
    for (auto const& one : wanted) {
      auto const& name = one.first;
      int const klass = one.second;
      std::vector<Turn> const& turns = rings_[ring_of(klass)];
      auto const same = [&](Turn const& turn) { return turn.domain == name && turn.klass == klass; };
      if (std::none_of(turns.begin(), turns.end(), same))
        fresh.push_back({number(name), {name, klass, rules_.weight_of(name)}});
    }
    std::sort(fresh.begin(), fresh.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (auto const& [n, turn] : fresh) rings_[ring_of(turn.klass)].push_back(turn);
  }

  std::optional<std::uint32_t> first() {
    if (room() == 0) return std::nullopt;
    for (auto const& [ring, turns] : rings_)
      if (!turns.empty()) return best(turns.front().domain, turns.front().klass);
    return std::nullopt;
  }
  std::optional<std::uint32_t> first_of(std::string const& domain) {
    if (available(domain) == 0) return std::nullopt;
    return best(domain, std::nullopt);
  }
  std::uint64_t before(std::uint32_t index) const {
    PlainRow const& row = rows.at(index);
    return static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), [&](auto const& entry) {
      return entry.second.where == Where::due && entry.second.domain == row.domain && place(entry.second) < place(row);
    }));
  }
  // The next date of a domain's rows, in ms; tokens that will arrive are not considered.
  std::int64_t next_date(std::string const& domain) const {
    std::int64_t date = INT64_MAX;
    for (auto const& [index, row] : rows) {
      if (row.domain != domain) continue;
      if (row.where == Where::future) date = std::min(date, row.date);
      if (row.where == Where::leased) date = std::min(date, row.lease_end);
    }
    return date;
  }

  void lease(std::uint32_t index, std::int64_t end) {
    PlainRow& row = rows.at(index);
    row.where = Where::leased;
    row.lease_end = end;
    take(rules_.rate, bucket_);
    take(rules_.rate_domain, bucket_of(row.domain));
    int const klass = class_of(row);
    std::vector<Turn>& turns = rings_[ring_of(klass)];
    auto const same = [&](int other) { return rules_.aging != 0 || other == klass; };
    auto const turn = std::find_if(turns.begin(), turns.end(),
                                   [&](Turn const& t) { return t.domain == row.domain && same(t.klass); });
    bool const more = std::any_of(rows.begin(), rows.end(), [&](auto const& entry) {
      PlainRow const& other = entry.second;
      return other.where == Where::due && other.domain == row.domain && same(class_of(other));
    });
    if (turn == turns.end() || !more || --turn->credit > 0) return;
    Turn again = *turn;
    again.credit = rules_.weight_of(row.domain);
    turns.erase(turn);
    turns.push_back(again);
  }
  // A domain without rows is forgotten, unless its bucket is not full yet.
  void forget(std::string const& domain) {
    if (!domain.empty() && count(domain) == 0 && buckets_.contains(domain) &&
        full(rules_.rate_domain, buckets_.at(domain)))
      buckets_.erase(domain);
  }

 private:
  struct Turn {
    std::string domain;
    int klass;
    std::uint32_t credit;
  };

  static std::uint64_t all(Rate const& rate) { return rate.count * static_cast<std::uint64_t>(rate.span_ms); }
  std::uint64_t level(Rate const& rate, PlainBucket const& bucket) const {
    return std::min(all(rate), bucket.level + rate.count * static_cast<std::uint64_t>(now_ - bucket.at));
  }
  std::uint64_t tokens(Rate const& rate, PlainBucket const& bucket) const {
    return rate.limits() ? level(rate, bucket) / static_cast<std::uint64_t>(rate.span_ms) : UINT64_MAX;
  }
  bool full(Rate const& rate, PlainBucket const& bucket) const { return level(rate, bucket) == all(rate); }
  void take(Rate const& rate, PlainBucket& bucket) const {
    if (rate.limits()) bucket = {level(rate, bucket) - static_cast<std::uint64_t>(rate.span_ms), now_};
  }
  PlainBucket& bucket_of(std::string const& domain) {
    return buckets_.try_emplace(domain, PlainBucket{all(rules_.rate_domain), now_}).first->second;
  }
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (auto const& [index, row] : rows) out.insert(row.domain);
    return out;
  }
  std::uint64_t count(std::string const& domain, std::optional<Where> where = std::nullopt) const {
    return static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), [&](auto const& entry) {
      return entry.second.domain == domain && (!where || entry.second.where == *where);
    }));
  }
  int class_of(PlainRow const& row) const {
    if (rules_.aging == 0) return row.priority;
    return static_cast<unsigned>(row.priority) >= rules_.slow_from ? 1 : 0;
  }
  int ring_of(int klass) const { return rules_.aging == 0 ? klass : 0; }
  std::tuple<int, std::int64_t, std::uint64_t> place(PlainRow const& row) const {
    return {class_of(row), row.date + row.priority * rules_.aging, row.id};
  }
  std::optional<std::uint32_t> best(std::string const& domain, std::optional<int> klass) const {
    std::optional<std::uint32_t> out;
    for (auto const& [index, row] : rows)
      if (row.where == Where::due && row.domain == domain && (!klass || class_of(row) == *klass) &&
          (!out || place(row) < place(rows.at(*out))))
        out = index;
    return out;
  }

  std::int64_t now_;
  Rules rules_;
  PlainBucket bucket_;
  std::map<std::string, PlainBucket> buckets_;
  std::map<int, std::vector<Turn>> rings_;
};

Rules random_rules(std::mt19937_64& chance) {
  Rules rules;
  auto const one_of = [&](auto a, auto b) { return chance() % 2 == 0 ? a : b; };
  if (chance() % 4 != 0) rules.domain.column = "d";
  if (!rules.domain.is_none()) {
    if (chance() % 2 == 0) rules.weights = {{"d1", 3}, {"d2", 2}};
    rules.concurrency_domain = chance() % 3 == 0 ? 1 + static_cast<std::uint32_t>(chance() % 3) : 0;
    if (chance() % 3 == 0) rules.rate_domain = {1 + chance() % 3, one_of(50, 7)};
  }
  rules.aging = chance() % 3 == 0 ? one_of(1, 40) : 0;
  rules.slow_from = one_of(200U, kNotSlow);
  rules.concurrency = chance() % 4 == 0 ? 3 : 0;
  if (chance() % 4 == 0) rules.rate = {1 + chance() % 5, one_of(100, 9)};
  return rules;
}

class Play {
 public:
  explicit Play(std::uint64_t seed)
      : chance_{seed}, rules_{random_rules(chance_)}, plain_{rules_, now_}, order_{rows_, 0} {
    order_.start_again(rules_);
    order_.see(now_);
  }

  void step() {
    switch (chance_() % 8) {
      case 0:
      case 1:
      case 2: insert(); break;
      case 3:
      case 4: lease(); break;
      case 5: end(); break;
      case 6:
        if (chance_() % 4 == 0) remove();
        break;
      default: pass(static_cast<std::int64_t>(chance_() % 30)); break;
    }
    compare();
  }

  void compare() {
    plain_.settle([&](std::string const& name) { return order_.domains().find(name); });
    auto const shown = [&](std::optional<std::uint32_t> row) { return row ? *row : kNoRow; };
    BOOST_REQUIRE_EQUAL(order_.first(), shown(plain_.first()));
    BOOST_REQUIRE_EQUAL(order_.available(), plain_.available());
    for (std::string const name : {"", "d1", "d2", "d3", "d4", "d5"}) {
      if (rules_.domain.is_none() && !name.empty()) continue;
      BOOST_REQUIRE_EQUAL(order_.first_of(name), shown(plain_.first_of(name)));
      BOOST_REQUIRE_EQUAL(order_.available(name), plain_.available(name));
      if (rules_.domain.is_none() || rules_.rate.limits() || rules_.rate_domain.limits()) continue;
      BOOST_REQUIRE_EQUAL(order_.next_date(name), plain_.next_date(name));
    }
    for (auto const& [index, row] : plain_.rows)
      if (row.where == Where::due) BOOST_REQUIRE_EQUAL(order_.rows_before(index), plain_.before(index));
    for (std::uint32_t number = 1; number < order_.domains().end(); ++number)
      if (order_.domains().exists(number) && order_.domains()[number].rows == 0)
        BOOST_REQUIRE(rules_.rate_domain.limits());
  }

  // Removes all rows: no domain may be left.
  void empty() {
    while (!plain_.rows.empty()) {
      std::uint32_t const index = plain_.rows.begin()->first;
      leave(index);
      part(index);
    }
    pass(1000);
    BOOST_REQUIRE_EQUAL(order_.size(), 0U);
    BOOST_REQUIRE_EQUAL(order_.domains().size(), 0U);
    BOOST_REQUIRE_EQUAL(order_.first(), kNoRow);
    BOOST_REQUIRE(order_.next_due() > now_);
  }

 private:
  std::string domain() {
    if (rules_.domain.is_none()) return {};
    std::uint64_t const n = chance_() % 6;
    return n == 0 ? "" : "d" + std::to_string(n);
  }
  std::optional<std::uint32_t> any(Where where) {
    std::vector<std::uint32_t> found;
    for (auto const& [index, row] : plain_.rows)
      if (row.where == where) found.push_back(index);
    if (found.empty()) return std::nullopt;
    return found[chance_() % found.size()];
  }

  void insert() {
    std::uint32_t const index = rows_.add();
    Row& row = rows_[index];
    PlainRow plain{next_id_ += 8, domain(), static_cast<int>(chance_() % 3) * 100, now_, Where::future, 0};
    plain.date = chance_() % 3 == 0 ? now_ + 1 + static_cast<std::int64_t>(chance_() % 100)
                                    : now_ - static_cast<std::int64_t>(chance_() % 50);
    row.set_id(ObjectId{plain.id});
    row.set_priority(static_cast<std::uint8_t>(plain.priority));
    row.set_date(plain.date);
    order_.join(index, plain.domain);
    plain_.rows[index] = plain;
    enter(index);
  }
  void enter(std::uint32_t index) {
    PlainRow& plain = plain_.rows.at(index);
    plain.where = plain.date <= now_ ? Where::due : Where::future;
    if (plain.where == Where::due) {
      order_.push(index, effects_);
    } else {
      rows_[index].set_place(Place::future);
      order_.expect(index);
    }
  }
  void lease() {
    std::uint32_t const index = chance_() % 3 == 0 ? order_.first_of(domain()) : order_.first();
    if (index == kNoRow) return;
    order_.erase(index);
    rows_[index].set_place(Place::processing);
    std::int64_t const end = now_ + 50 + static_cast<std::int64_t>(chance_() % 50);
    order_.begin(index, LeaseEpoch{++epoch_}, now_, end, true);
    plain_.lease(index, end);
  }
  void end() {
    std::optional<std::uint32_t> const index = any(Where::leased);
    if (!index) return;
    leave(*index);
    if (chance_() % 3 != 0) {
      part(*index);
      return;
    }
    plain_.rows.at(*index).date = now_ + static_cast<std::int64_t>(chance_() % 20) - 10;
    rows_[*index].set_date(plain_.rows.at(*index).date);
    enter(*index);
  }
  void remove() {
    std::optional<std::uint32_t> const index = any(chance_() % 2 == 0 ? Where::due : Where::future);
    if (!index) return;
    leave(*index);
    part(*index);
  }
  void leave(std::uint32_t index) {
    PlainRow& plain = plain_.rows.at(index);
    switch (plain.where) {
      case Where::future: order_.unexpect(index); break;
      case Where::due: order_.erase(index); break;
      case Where::leased: order_.end(index, plain.lease_end, effects_); break;
    }
    plain.where = Where::future;
    plain.date = INT64_MAX / 2;
  }
  void part(std::uint32_t index) {
    std::string const name = plain_.rows.at(index).domain;
    plain_.rows.erase(index);
    order_.part(index);
    rows_.remove(index);
    plain_.forget(name);
  }
  // Time passes, date by date, as the engine wakes for each.
  void pass(std::int64_t ms) {
    for (std::int64_t const until = now_ + ms; now_ < until;) {
      std::int64_t next = std::min(until, order_.next_due());
      for (auto const& [index, row] : plain_.rows)
        if (row.where == Where::future) next = std::min(next, row.date);
      now_ = next;
      order_.see(now_);
      plain_.pass(now_);
      while (order_.advance(now_, 2, effects_)) {
      }
      BOOST_REQUIRE(order_.next_due() > now_);
      for (std::string const name : {"d1", "d2", "d3", "d4", "d5"}) plain_.forget(name);
      plain_.settle([&](std::string const& name) { return order_.domains().find(name); });
      std::vector<std::pair<std::int64_t, std::uint32_t>> ready;
      for (auto const& [index, row] : plain_.rows)
        if (row.where == Where::future && row.date <= now_) ready.emplace_back(row.date, index);
      std::sort(ready.begin(), ready.end());
      for (auto const& [date, index] : ready) {
        order_.unexpect(index);
        plain_.rows.at(index).where = Where::due;
        order_.push(index, effects_);
        plain_.settle([&](std::string const& name) { return order_.domains().find(name); });
      }
    }
  }

  std::mt19937_64 chance_;
  std::int64_t now_{1'000'000};
  Rules rules_;
  Plain plain_;
  Rows rows_;
  Order order_;
  NoObserver effects_;
  std::uint64_t next_id_{8};
  std::uint64_t epoch_{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_order)

BOOST_AUTO_TEST_CASE(it_agrees_with_a_plain_reference_for_every_mix_of_rules) {
  std::uint64_t const first = seed_of_run();
  std::uint64_t const end = first + (fastjournal::test::number_from("FJ_SEED", 0) == 0 ? 30U : 1U);
  for (std::uint64_t seed = first; seed < end; ++seed) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
      Play play{seed};
      for (int step = 1; step <= 400; ++step) {
        BOOST_TEST_CONTEXT("step " << step) { play.step(); }
      }
      play.empty();
    }
  }
}

BOOST_AUTO_TEST_CASE(a_bucket_gives_n_at_once_and_then_one_each_nth_of_the_time) {
  Rate const rate{3, 10};
  Bucket bucket;
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(bucket.tokens(rate, 1000) == static_cast<std::uint64_t>(3 - i));
    bucket.take(rate, 1000);
  }
  BOOST_TEST(bucket.tokens(rate, 1000) == 0U);
  BOOST_TEST(bucket.next(rate, 1000) == 1004);  // 10 / 3 ms, rounded up
  BOOST_TEST(bucket.tokens(rate, 1003) == 0U);
  BOOST_TEST(bucket.tokens(rate, 1004) == 1U);
  bucket.take(rate, 1004);
  BOOST_TEST(bucket.next(rate, 1004) == 1007);  // rounding lost nothing
  BOOST_TEST(bucket.full(rate, 1004) == 1014);
  BOOST_TEST(bucket.tokens(rate, 1013) == 2U);
  BOOST_TEST(bucket.tokens(rate, 1014) == 3U);
  BOOST_TEST(bucket.next(rate, 1014) == INT64_MAX);
  // The largest rate does not overflow.
  Rate const large{kRateCountMax, kRateSpanMax};
  Bucket much;
  for (int i = 0; i < 3; ++i) much.take(large, 1000);
  BOOST_TEST(much.tokens(large, 1000) == kRateCountMax - 3);
  BOOST_TEST(much.tokens(large, kRateSpanMax * 4) == kRateCountMax);
}

BOOST_AUTO_TEST_CASE(a_type_without_options_of_order_has_rows_by_priority_and_no_limits) {
  Result<Rules> const read = Rules::read(TableDeclaration{});
  BOOST_REQUIRE(read.ok());
  Rules const& rules = read.value();
  BOOST_TEST(rules.domain.is_none());
  BOOST_TEST(rules.slow_from == kNotSlow);
  BOOST_TEST(rules.concurrency_key == 1U);
  BOOST_TEST(!rules.limits_table());
  BOOST_TEST(!rules.limits_domains());
}

BOOST_AUTO_TEST_CASE(a_uris_host_is_lower_case_without_user_and_port) {
  std::string scratch;
  BOOST_TEST(host_of("http://Example.COM/Path?a@b", scratch) == "example.com");
  BOOST_TEST(host_of("https://user:secret@example.com:8080", scratch) == "example.com");
  BOOST_TEST(host_of("http://[2001:DB8::1]:80/", scratch) == "[2001:db8::1]");
  BOOST_TEST(host_of("//example.com/no/scheme", scratch) == "example.com");
  BOOST_TEST(host_of("svn+ssh://example.com#x", scratch) == "example.com");
  for (std::string_view const none :
       {"", "example.com", "mailto:a@example.com", "file:///etc/hosts", "/a//b", "a b://c", "1a://c"})
    BOOST_TEST(host_of(none, scratch) == "", none);
}

BOOST_AUTO_TEST_CASE(a_uris_site_is_scheme_and_host) {
  BOOST_TEST(site_of("HTTPS://Example.COM/Path?a@b") == "https://example.com/");
  BOOST_TEST(site_of("http://user:secret@example.com:8080") == "http://example.com/");
  BOOST_TEST(site_of("http://[2001:DB8::1]:80/") == "http://[2001:db8::1]/");
  BOOST_TEST(site_of("svn+ssh://example.com#x://y") == "svn+ssh://example.com/");
  for (std::string_view const none :
       {"", "example.com", "mailto:a@example.com", "file:///etc/hosts", "//example.com/http://x/", "a b://c"})
    BOOST_TEST(site_of(none) == "", none);
}

BOOST_AUTO_TEST_SUITE_END()
