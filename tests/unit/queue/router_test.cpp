// Patterns of topic exchanges, against a definition that is as plain as possible.
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

#include "plugins/queue/router.h"
#include "tests/support/seed.h"

namespace fastjournal::queue {
namespace {

std::vector<std::string> words(std::string const& text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  std::string word;
  for (char const c : text + ".") {
    if (c != '.') {
      word += c;
      continue;
    }
    out.push_back(word);
    word.clear();
  }
  return out;
}

bool fits(std::vector<std::string> const& pattern, std::size_t p, std::vector<std::string> const& key, std::size_t k) {
  if (p == pattern.size()) return k == key.size();
  if (pattern[p] == "#") {
    for (std::size_t rest = k; rest <= key.size(); ++rest)
      if (fits(pattern, p + 1, key, rest)) return true;
    return false;
  }
  return k < key.size() && (pattern[p] == "*" || pattern[p] == key[k]) && fits(pattern, p + 1, key, k + 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(queue_router)

BOOST_AUTO_TEST_CASE(topics_are_routed_as_the_definition_says) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261125);
  std::mt19937_64 random{seed};
  auto const text = [&](std::vector<std::string> const& of, std::size_t most) {
    std::string out;
    for (std::size_t left = random() % (most + 1); left > 0; --left)
      out.append(out.empty() ? "" : ".").append(of[random() % of.size()]);
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    Router router{ExchangeKind::topic};
    std::vector<std::string> patterns;
    for (std::uint64_t i = 0; i < 20; ++i) {
      patterns.push_back(text({"a", "b", "*", "#", "#"}, 5));
      router.add(ObjectId{8 * (i + 1)}, patterns.back());
    }
    // Some of them end again.
    for (std::uint64_t i = 0; i < 20; i += 3) router.remove(ObjectId{8 * (i + 1)}, patterns[i]);
    for (int i = 0; i < 30; ++i) {
      std::string const key = text({"a", "b", "c", "*"}, 6);
      std::vector<ObjectId> found;
      std::uint32_t looks = 0;
      router.route(key, found, looks);
      std::vector<ObjectId> expected;
      for (std::uint64_t p = 0; p < patterns.size(); ++p)
        if (p % 3 != 0 && fits(words(patterns[p]), 0, words(key), 0)) expected.push_back(ObjectId{8 * (p + 1)});
      BOOST_TEST_REQUIRE((found == expected), "FJ_SEED=" << seed << ": key " << key);
    }
  }
}

BOOST_AUTO_TEST_CASE(many_hashes_cost_little) {
  Router router{ExchangeKind::topic};
  std::string pattern = "#";
  std::string key = "a";
  for (int i = 0; i < 60; ++i) pattern += ".#";
  for (int i = 0; i < 120; ++i) key += ".a";
  router.add(ObjectId{8}, pattern);
  std::vector<ObjectId> found;
  std::uint32_t looks = 0;
  router.route(key, found, looks);
  BOOST_TEST(found.size() == 1U);
  BOOST_TEST(looks < 1'000'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue
