// hash64: its values are on disks, so they must never change. Expected values: the xxHash reference implementation.
#include "base/hash.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace fastjournal {

BOOST_AUTO_TEST_SUITE(hash)

BOOST_AUTO_TEST_CASE(its_values_never_change) {
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += static_cast<char>(i * 7 + i / 256);
  constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15ULL;
  BOOST_TEST(hash64("") == 0x2d06800538d394c2ULL);
  BOOST_TEST(hash64("", kSeed) == 0x602b0e2cd6662c8bULL);
  BOOST_TEST(hash64("fastjournal") == 0x67045cacaa968f01ULL);
  BOOST_TEST(hash64("fastjournal", 1) == 0x224e0915da187ba9ULL);
  BOOST_TEST(hash64(thousand) == 0xd1db6a0afea2cc82ULL);
  BOOST_TEST(hash64(thousand, kSeed) == 0xe7e0b6f55315245aULL);
}

BOOST_AUTO_TEST_CASE(one_flipped_bit_changes_it) {
  std::string bytes(300, 'x');
  std::uint64_t const before = hash64(bytes);
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    BOOST_REQUIRE(hash64(bytes) != before);
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal
