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

// By words of the pattern and of the key that are left: fits[p][k].
bool fits(std::vector<std::string> const& pattern, std::vector<std::string> const& key) {
  std::vector<std::vector<bool>> out(pattern.size() + 1, std::vector<bool>(key.size() + 2));
  out[pattern.size()][key.size()] = true;
  for (std::size_t p = pattern.size(); p-- > 0;)
    for (std::size_t k = key.size() + 1; k-- > 0;) {
      bool const is_word = k < key.size() && (pattern[p] == "*" || pattern[p] == key[k]);
      out[p][k] = pattern[p] == "#" ? out[p + 1][k] || out[p][k + 1] : is_word && out[p + 1][k + 1];
    }
  return out[0][0];
}

std::string repeated(std::string const& word, int times) {
  std::string out = word;
  for (int i = 1; i < times; ++i) out += "." + word;
  return out;
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
  for (int round = 0; round < 400; ++round) {
    // Now and then longer than 64 and 128 words, up to what 255 bytes can have.
    bool const is_long = round % 8 == 0;
    Router router{ExchangeKind::topic};
    std::vector<std::string> patterns;
    for (std::uint64_t i = 0; i < 20; ++i) {
      patterns.push_back(text({"a", "b", "*", "#", "#", "", "much-longer-than-a-place"}, is_long ? 9 : 5));
      router.add(ObjectId{8 * (i + 1)}, patterns.back());
    }
    // Some of them end again.
    for (std::uint64_t i = 0; i < 20; i += 3) router.remove(ObjectId{8 * (i + 1)}, patterns[i]);
    for (int i = 0; i < 30; ++i) {
      std::string const key =
          is_long ? text({"a", "b", ""}, 127) : text({"a", "b", "c", "*", "#", "much-longer-than-a-place"}, 6);
      std::vector<ObjectId> found;
      std::uint32_t work_units = 0;
      router.route(key, found, work_units);
      std::vector<ObjectId> expected;
      for (std::uint64_t p = 0; p < patterns.size(); ++p)
        if (p % 3 != 0 && fits(words(patterns[p]), words(key))) expected.push_back(ObjectId{8 * (p + 1)});
      BOOST_TEST_REQUIRE((found == expected), "FJ_SEED=" << seed << ": key " << key);
      BOOST_TEST_REQUIRE(work_units <= router.size());
    }
    for (std::uint64_t i = 0; i < 20; ++i)
      if (i % 3 != 0) router.remove(ObjectId{8 * (i + 1)}, patterns[i]);
    BOOST_TEST_REQUIRE(router.size() == 1U);
    BOOST_TEST_REQUIRE(router.memory_bytes() == 0U);
  }
}

// Whatever patterns and keys are: no more looks than bindings and words. Some 300 bindings of 128 words whose ways part
// early, so that a key goes all of them.
BOOST_AUTO_TEST_CASE(crafted_patterns_cost_no_more_than_their_words) {
  std::string const letters = "abcdefghijklmnopqr";
  std::string key;
  for (std::size_t i = 0; i < 128; ++i) key.append(i == 0 ? "" : ".").append(1, letters[i % letters.size()]);
  for (std::string const turn : {"#.a", "*.#", "#.#", "a.#", "*.a", "#.*"}) {
    Router router{ExchangeKind::topic};
    std::uint64_t size = 1;
    for (char const x : letters)
      for (char const y : letters) {
        std::string const pattern = std::string{"*.#."} + x + ".#." + y + "." + repeated(turn, 61);
        router.add(ObjectId{8 * size}, pattern);
        size += router.size_of(pattern);
      }
    BOOST_TEST(router.size() <= size);
    BOOST_TEST(size < 42'000U);
    BOOST_TEST(router.memory_bytes() > 100 * router.size());
    for (std::string const& one : {key, repeated("a", 128), repeated("", 256)}) {
      std::vector<ObjectId> found;
      std::uint32_t work_units = 0;
      router.route(one, found, work_units);
      BOOST_TEST(work_units <= router.size());
    }
  }
}

// Bindings whose first words the key does not have cost nothing.
BOOST_AUTO_TEST_CASE(a_usual_message_looks_at_few_bindings) {
  Router router{ExchangeKind::topic};
  for (std::uint64_t i = 0; i < 10'000; ++i)
    router.add(ObjectId{8 * (i + 1)}, "orders." + std::to_string(i) + (i % 2 == 0 ? ".new" : ".#"));
  std::vector<ObjectId> found;
  std::uint32_t work_units = 0;
  router.route("orders.77.new.big", found, work_units);
  BOOST_TEST(found.size() == 1U);
  BOOST_TEST(work_units < 8U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue
