// The index alone: pages, splits, collisions, and ranges that are stated whole, beside a plain map.
#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <random>
#include <string>

#include "plugins/blob/index.h"
#include "tests/support/seed.h"
#include "tests/support/table_harness.h"

namespace fastjournal::blob::test {
namespace {

using Told = fastjournal::test::Alerts;
using Model = std::map<Key, Blob>;

Blob blob_of(Key const& key, std::uint64_t number) {
  return {.key = key,
          .entry_time = static_cast<std::uint32_t>(number),
          .extent = {1, number * 100 + 4096, number * 100 + 4100, number * 7}};
}

// Empty, or where the index is not as the model.
std::string compare(Index const& index, Model const& model) {
  if (index.size() != model.size())
    return std::to_string(index.size()) + " blobs, expected " + std::to_string(model.size());
  for (auto const& [key, blob] : model) {
    std::optional<Blob> const found = index.find(key);
    if (!found.has_value() || found->extent != blob.extent || found->entry_time != blob.entry_time)
      return "a blob is missing, or another";
  }
  auto next = model.begin();
  bool in_order = true;
  Key from{};
  while (index.walk(from, 50, [&](Blob const& blob, std::uint8_t) {
    in_order = in_order && next != model.end() && next->first == blob.key;
    if (in_order) ++next;
    return true;
  })) {
  }
  return in_order && next == model.end() ? "" : "a walk has other blobs, or another order";
}

// Every page of one index, into another one.
void copy_pages(Index const& from, Index& to, Told& told) {
  for (std::uint32_t page = 0; page < from.pages(); ++page) {
    Index::Buffer buffer;
    to.replace_range(from.body_of(page, buffer), Lsn{4096}, told);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_index)

BOOST_AUTO_TEST_CASE(uniform_keys_have_short_chains) {
  Index index;
  NoObserver nobody;
  std::mt19937_64 random{7};
  for (std::uint64_t i = 0; i < 200'000; ++i)
    index.put(blob_of({static_cast<std::uint32_t>(random()), random()}, i), {}, Lsn{4096}, nobody);
  BOOST_TEST(index.longest_chain() <= 2U);
  BOOST_TEST(index.size() == 200'000U);
  // 67 % full, as usual where pages are split in two.
  BOOST_TEST(index.memory_bytes() < 200'000 * 80);
}

BOOST_AUTO_TEST_CASE(keys_with_one_hash_value_make_a_chain_and_nothing_else) {
  Index index;
  Told told;
  Model model;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    Key const key{0xABCD1234U, (i * 0x9E3779B97F4A7C15ULL)};
    model[key] = blob_of(key, i);
    index.put(model[key], {}, Lsn{4096}, told);
  }
  BOOST_TEST(compare(index, model) == "");
  BOOST_TEST(index.longest_chain() > 30U);
  BOOST_TEST(index.pages() < 100U);
  Index copy;
  Told told_copy;
  copy_pages(index, copy, told_copy);
  BOOST_TEST(compare(copy, model) == "");
  BOOST_TEST(told_copy.extents.size() == 5'000U);
}

BOOST_AUTO_TEST_CASE(keys_that_begin_alike_do_not_make_the_directory_large) {
  Index index;
  NoObserver nobody;
  for (std::uint32_t i = 0; i < 10'000; ++i) index.put(blob_of({i % 200, i}, i), {}, Lsn{4096}, nobody);
  BOOST_TEST(index.memory_bytes() < 10'000 * 120);
}

BOOST_AUTO_TEST_CASE(the_last_and_the_first_key_are_keys) {
  Index index;
  Told told;
  Model model;
  for (Key const key : {Key{}, kLastKey, Key{UINT32_MAX, 0}, Key{0, UINT64_MAX}}) {
    model[key] = blob_of(key, model.size() + 1);
    index.put(model[key], {}, Lsn{4096}, told);
  }
  BOOST_TEST(compare(index, model) == "");
}

BOOST_AUTO_TEST_CASE(a_compacted_page_of_known_entries_tells_nothing) {
  Index index;
  Told told;
  std::mt19937_64 random{8};
  for (std::uint64_t i = 0; i < 3'000; ++i)
    index.put(blob_of({static_cast<std::uint32_t>(random()), i}, i), {}, Lsn{4096}, told);
  std::size_t const before = told.extents.size();
  copy_pages(index, index, told);
  BOOST_TEST(told.extents.size() == before);
  BOOST_TEST(told.extents_wrong == 0U);
}

// Puts into two indexes in other orders, and ranges of one stated in the other, whatever the pages are there.
BOOST_AUTO_TEST_CASE(a_range_is_stated_whole_whatever_the_pages_are) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261124);
  for (std::uint64_t life = 0; life < 40; ++life) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed + life) {
      std::mt19937_64 random{seed + life};
      std::uint32_t const values = life % 4 == 0 ? 3 : life % 4 == 1 ? 300 : UINT32_MAX;
      auto const key = [&] { return Key{static_cast<std::uint32_t>(random() % values), random() % 5'000}; };
      Index right;
      Index other;
      Told told_right;
      Told told_other;
      Model model;
      for (std::uint64_t i = 0; i < 1'500; ++i) {
        Key const one = key();
        model[one] = blob_of(one, i + 1);
        right.put(model[one], {}, Lsn{4096}, told_right);
        if (i % 3 != 0) {
          Key const different = i % 2 == 0 ? one : key();
          other.put(blob_of(different, i + 10'000), {}, Lsn{4096}, told_other);
        }
      }
      BOOST_TEST_REQUIRE(compare(right, model) == "");
      copy_pages(right, other, told_other);
      BOOST_TEST_REQUIRE(compare(other, model) == "");
      BOOST_TEST(told_other.extents_wrong == 0U);
      BOOST_TEST(told_other.extents.size() == model.size());
      BOOST_TEST(other.bytes() == right.bytes());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
