// Who watches values: the newest state only, shares, prefixes, slow connections.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/waiting/watchers.h"

namespace fastjournal::work {
namespace {

constexpr ConnectionId kAnna{1};
constexpr ConnectionId kBert{2};

using Kind = Watchers::Notice::Kind;

std::vector<Watchers::Notice> all(Watchers& watchers) {
  std::vector<Watchers::Notice> out;
  while (watchers.next() != ConnectionId::none) {
    ConnectionId const connection = watchers.next();
    out.push_back(watchers.take());
    static_cast<void>(connection);
  }
  return out;
}

struct Kept final : Keeper {
  std::map<ConnectionId, std::int64_t> bytes;
  void keeps(ConnectionId connection, std::int64_t more) override { bytes[connection] += more; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(watchers)

BOOST_AUTO_TEST_CASE(many_changes_are_one_notice) {
  Watchers watchers;
  Value const request = Value::of_text("r1");
  watchers.watch(kAnna, {"a", false}, &request);
  BOOST_TEST(!watchers.changed("b"));
  for (int i = 0; i < 3; ++i) BOOST_TEST(watchers.changed("a"));
  std::vector<Watchers::Notice> const told = all(watchers);
  BOOST_REQUIRE_EQUAL(told.size(), 1U);
  BOOST_TEST(told[0].key == "a");
  BOOST_TEST(told[0].listener.text == "r1");
  watchers.changed("a");
  BOOST_TEST(all(watchers).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_prefix_is_told_of_each_key) {
  Watchers watchers;
  for (std::string const name : {"", "a", "ab", "abc", "abd", "b", "aa"}) watchers.watch(kAnna, {name, true}, nullptr);
  std::multiset<std::string> const expected{"", "a", "ab", "abc"};
  watchers.changed("abcd");
  std::multiset<std::string> told;
  for (Watchers::Notice const& notice : all(watchers)) {
    BOOST_TEST(notice.key == "abcd");
    told.insert(notice.what.key);
  }
  BOOST_TEST((told == expected));
  watchers.changed("ab");
  watchers.changed("abx");
  BOOST_TEST(all(watchers).size() == 6U);
}

// Against a look at all of them.
BOOST_AUTO_TEST_CASE(prefixes_are_found_whatever_they_are) {
  std::uint64_t const seed = std::random_device{}();
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 chance{seed};
  auto const drawn = [&chance] {
    std::string out;
    for (std::size_t left = chance() % 5; left > 0; --left) out += "ab\xff"[chance() % 3];
    return out;
  };
  for (int round = 0; round < 200; ++round) {
    Watchers watchers;
    std::set<std::string> names;
    for (int i = 0; i < 8; ++i) names.insert(drawn());
    for (std::string const& name : names) watchers.watch(kAnna, {name, true}, nullptr);
    for (int i = 0; i < 10; ++i) {
      std::string const key = drawn();
      watchers.changed(key);
      std::set<std::string> told;
      for (Watchers::Notice const& notice : all(watchers)) told.insert(notice.what.key);
      for (std::string const& name : names)
        BOOST_TEST(told.contains(name) == key.starts_with(name), key << " " << name << " seed " << seed);
    }
  }
}

BOOST_AUTO_TEST_CASE(with_too_many_keys_all_are_to_be_read_again) {
  Watchers watchers;
  watchers.watch(kAnna, {"k", true}, nullptr);
  for (std::size_t i = 0; i < Watchers::kKeysMax; ++i) watchers.changed("k" + std::to_string(i));
  watchers.changed("k0");
  BOOST_TEST(all(watchers).size() == Watchers::kKeysMax);
  for (std::size_t i = 0; i <= Watchers::kKeysMax; ++i) watchers.changed("k" + std::to_string(i));
  std::vector<Watchers::Notice> const told = all(watchers);
  BOOST_REQUIRE_EQUAL(told.size(), 1U);
  BOOST_TEST((told[0].kind == Kind::all));
  BOOST_TEST(told[0].what.key == "k");
  watchers.changed("k1");
  BOOST_TEST(all(watchers).front().key == "k1");
}

BOOST_AUTO_TEST_CASE(a_slow_connection_waits_and_keeps_nobody_waiting) {
  Watchers watchers;
  watchers.watch(kAnna, {"a", false}, nullptr);
  watchers.watch(kBert, {"a", false}, nullptr);
  watchers.changed("a");
  BOOST_TEST((watchers.next() == kAnna));
  watchers.stall(kAnna);
  BOOST_TEST((watchers.next() == kBert));
  BOOST_TEST(all(watchers).size() == 1U);
  watchers.changed("a");
  BOOST_TEST(all(watchers).size() == 1U);
  watchers.go_on(kAnna);
  BOOST_TEST((watchers.next() == kAnna));
  BOOST_TEST(all(watchers).size() == 1U);
}

BOOST_AUTO_TEST_CASE(beyond_its_share_the_oldest_is_given_up) {
  Watchers watchers;
  Kept kept;
  watchers.tell(kept);
  for (std::size_t i = 0; i <= Watchers::kOfConnectionMax; ++i)
    watchers.watch(kAnna, {"k" + std::to_string(i), false}, nullptr);
  BOOST_TEST(watchers.size() == Watchers::kOfConnectionMax);
  std::vector<Watchers::Notice> const told = all(watchers);
  BOOST_REQUIRE_EQUAL(told.size(), 1U);
  BOOST_TEST((told[0].kind == Kind::given_up));
  BOOST_TEST(told[0].what.key == "k0");
  BOOST_TEST(!watchers.changed("k0"));
  BOOST_TEST(watchers.changed("k1"));
  for (std::size_t i = 0; i < Watchers::kPrefixesMax; ++i) watchers.watch(kBert, {std::to_string(i), true}, nullptr);
  watchers.watch(kAnna, {"one more", true}, nullptr);
  std::set<std::string> given_up;
  for (Watchers::Notice const& notice : all(watchers))
    if (notice.kind == Kind::given_up) given_up.insert(notice.what.key);
  BOOST_TEST(given_up.contains("one more"));
  watchers.closed(kAnna);
  watchers.closed(kBert);
  BOOST_TEST(watchers.empty());
  BOOST_TEST(watchers.size() == 0U);
  for (auto const& [connection, bytes] : kept.bytes) BOOST_TEST(bytes == 0);
}

// Whatever is done, nothing is left of it, and nobody is told of what he does not watch.
BOOST_AUTO_TEST_CASE(random_lives_of_watchers) {
  std::uint64_t const seed = std::random_device{}();
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 chance{seed};
  for (int life = 0; life < 50; ++life) {
    Watchers watchers;
    Kept kept;
    watchers.tell(kept);
    std::map<std::pair<ConnectionId, std::string>, bool> watched;  // is it changed since it was told
    std::set<ConnectionId> stalled;
    for (int step = 0; step < 500; ++step) {
      ConnectionId const who{1 + chance() % 3};
      std::string const key(1, static_cast<char>('a' + chance() % 6));
      switch (chance() % 8) {
        case 0:
        case 1:
          watchers.watch(who, {key, false}, nullptr);
          watched[{who, key}] = false;
          break;
        case 2: BOOST_TEST(watchers.unwatch(who, {key, false}) == (watched.erase({who, key}) > 0)); break;
        case 3:
          watchers.closed(who);
          std::erase_if(watched, [who](auto const& one) { return one.first.first == who; });
          stalled.erase(who);
          break;
        case 4:
          watchers.stall(who);
          if (std::ranges::any_of(watched, [who](auto const& one) { return one.first.first == who; }))
            stalled.insert(who);
          break;
        case 5:
          watchers.go_on(who);
          stalled.erase(who);
          break;
        default:
          watchers.changed(key);
          for (auto& [one, is_changed] : watched)
            if (one.second == key) is_changed = true;
      }
      std::erase_if(stalled, [&](ConnectionId one) {
        return std::ranges::none_of(watched, [one](auto const& each) { return each.first.first == one; });
      });
      for (Watchers::Notice const& notice : [&] {
             std::vector<Watchers::Notice> out;
             while (watchers.next() != ConnectionId::none) {
               ConnectionId const to = watchers.next();
               out.push_back(watchers.take());
               bool& is_changed = watched.at({to, out.back().key});
               BOOST_TEST(is_changed, "seed " << seed);
               BOOST_TEST(!stalled.contains(to), "seed " << seed);
               is_changed = false;
             }
             return out;
           }())
        BOOST_TEST((notice.kind == Kind::key));
      for (auto const& [one, is_changed] : watched)
        BOOST_TEST((!is_changed || stalled.contains(one.first)), "seed " << seed);
      BOOST_TEST(watchers.size() == watched.size());
    }
    for (std::uint64_t i = 1; i <= 3; ++i) watchers.closed(ConnectionId{i});
    for (auto const& [connection, bytes] : kept.bytes) BOOST_TEST(bytes == 0, "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::work
