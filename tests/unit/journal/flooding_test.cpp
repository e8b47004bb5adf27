// Hash flooding: clients choose names that collide. Every index of such names hashes with a seed of the table, so a
// client that does not know the seed gains nothing. Measured in rows that a search looks at, not in time.
#include <boost/test/unit_test.hpp>

#include <absl/container/internal/hashtable_debug.h>

#include "base/hash.h"
#include "tests/support/colliding.h"
#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal;
using namespace fastjournal::journal::test;
using fastjournal::test::colliding_bytes;

namespace {

constexpr std::uint64_t kDrawn = 0x5EED5EED12345678ULL;
constexpr std::uint32_t kNames = 2000;
constexpr std::uint32_t kHigh = 0xC0111DE5U;

// A key of one unsigned column is stored as eight bytes, big endian.
std::string key_number(std::uint32_t i) {
  std::uint64_t number = 0;
  for (char const c : colliding_bytes(kHigh, i)) number = number << 8U | static_cast<unsigned char>(c);
  return std::to_string(number);
}

std::shared_ptr<TableDeclaration const> declare_numbers() {
  auto out = std::make_shared<TableDeclaration>(*declare());
  out->schema.columns[0].type = ColumnType::uint64;
  return out;
}

void fill(Harness& harness) {
  for (std::uint32_t i = 0; i < kNames; ++i)
    BOOST_REQUIRE(harness.run("INSERT", {{"k", key_number(i)}, {"v", "x"}}).status.ok());
}

std::uint32_t most_domains_of_one_hash(std::uint64_t hash_seed) {
  rows::Rows all;
  rows::Domains domains{all, hash_seed};
  for (std::uint32_t i = 0; i < kNames; ++i) domains.join(all.add(), colliding_bytes(kHigh, i));
  return domains.names().most_of_one_hash();
}

// The largest number of places that a map of clients or workers probes to find one of their names.
std::size_t most_probes(std::uint64_t hash_seed) {
  absl::flat_hash_map<std::string, std::uint32_t, NameHash> map(0, NameHash{hash_seed});
  // The names' hashes agree in the lower half. A map uses as many bits of it as it has places.
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < kNames; ++i) map.emplace(colliding_bytes(i << 16U, kHigh), i);
  for (auto const& [key, number] : map)
    most = std::max(most, absl::container_internal::GetHashtableDebugNumProbes(map, key));
  return most;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hash_flooding)

BOOST_AUTO_TEST_CASE(the_crafted_keys_collide_where_the_seed_is_known) {
  for (std::uint32_t i = 0; i < 100; ++i)
    BOOST_TEST(hash64(colliding_bytes(kHigh, i)) == (std::uint64_t{kHigh} << 32U | i));
}

BOOST_AUTO_TEST_CASE(keys_spread_under_a_seed_that_nobody_knows) {
  Harness known{declare_numbers()};
  fill(known);
  Harness drawn{declare_numbers(), kDrawn};
  fill(drawn);
  BOOST_TEST(known.table->state().keys().index().most_of_one_hash() == kNames);
  BOOST_TEST(drawn.table->state().keys().index().most_of_one_hash() <= 3U);
  BOOST_TEST(digest_of(*known.table) == digest_of(*drawn.table));
}

BOOST_AUTO_TEST_CASE(domains_spread_under_a_seed_that_nobody_knows) {
  BOOST_TEST(most_domains_of_one_hash(0) == kNames);
  BOOST_TEST(most_domains_of_one_hash(kDrawn) <= 3U);
}

BOOST_AUTO_TEST_CASE(clients_and_workers_spread_under_a_seed_that_nobody_knows) {
  BOOST_TEST(most_probes(0) > 50U);
  BOOST_TEST(most_probes(kDrawn) <= 5U);
}

BOOST_AUTO_TEST_SUITE_END()
