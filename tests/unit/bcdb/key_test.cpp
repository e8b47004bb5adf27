// Keys are in logs, in packets and in clients of any language, so they must never change. Expected values: the xxHash
// reference implementation; those of "a" and "a\0b" were computed from its specification as well.
#include "wire/bcdb/key.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace fastjournal::bcdb {

using namespace std::string_view_literals;

BOOST_AUTO_TEST_SUITE(bcdb_key)

BOOST_AUTO_TEST_CASE(keys_never_change) {
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += static_cast<char>(i * 7 + i / 256);
  BOOST_TEST((make_key(""sv) == Key{0x468d497fU, 0x99aa06d3014798d8ULL}));
  BOOST_TEST((make_key("a"sv) == Key{0x1e964e1fU, 0xa96faf705af16834ULL}));
  BOOST_TEST((make_key("fastjournal"sv) == Key{0xac17f443U, 0x0991064ad7566201ULL}));
  BOOST_TEST((make_key("a\0b"sv) == Key{0x78125351U, 0x39797789ed4c7ea0ULL}));
  BOOST_TEST((make_key("\0\0\0\0\0\0\0\0"sv) == Key{0x035665b2U, 0x2c0a8a99dc147d54ULL}));
  BOOST_TEST((make_key("http://example.com/"sv) == Key{0xb152d153U, 0x42663426682770e6ULL}));
  BOOST_TEST((make_key(std::string_view{thousand}.substr(0, 240)) == Key{0x0599e4b3U, 0x89e3a0a2ee355d25ULL}));
  BOOST_TEST((make_key(thousand) == Key{0xfea2cc82U, 0xbae798f9321bda6cULL}));
}

// Computed by another implementation of HMAC-SHA-256.
BOOST_AUTO_TEST_CASE(keys_with_a_secret_never_change) {
  auto const digits = [](std::string_view name) { return digits_of(make_key(name, "sixteen bytes ok")); };
  BOOST_TEST(digits("http://example.com/") == "2b17d0dd499fd3e5d7eab68d");
  BOOST_TEST(digits("") == "7fb0d8976569570eaf23a1a2");
  BOOST_TEST(digits("a\0b"sv) == "846706f69eb7915ffeb83bcc");
  BOOST_TEST((make_key("a"sv, ""sv) == make_key("a"sv)));
}

BOOST_AUTO_TEST_CASE(a_length_of_zero_means_a_c_string) {
  char const name[] = "a\0b";
  BOOST_TEST((make_key(name, 0) == make_key("a"sv)));
  BOOST_TEST((make_key(name, 3) == make_key("a\0b"sv)));
  BOOST_TEST((make_key(name, 2) == make_key("a\0"sv)));
  BOOST_TEST((make_key("", 0) == make_key(""sv)));
  BOOST_TEST((make_key(name, 2) != make_key(name, 0)));
}

BOOST_AUTO_TEST_CASE(a_key_has_twelve_bytes_and_as_many_pairs_of_digits) {
  Key const key{0x04030201U, 0x0c0b0a0908070605ULL};
  std::array<char, kKeyBytes> const bytes = packed(key);
  BOOST_TEST((std::string_view{bytes.data(), bytes.size()} == "\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c"));
  BOOST_TEST((unpacked({bytes.data(), bytes.size()}) == key));
  BOOST_TEST(digits_of(key) == "0102030405060708090a0b0c");
  BOOST_TEST((key_of_digits("0102030405060708090A0B0c") == key));
  BOOST_TEST(digits_of(make_key("a"sv)) == "1f4e961e3468f15a70af6fa9");
}

BOOST_AUTO_TEST_CASE(what_is_no_key_is_none) {
  for (std::string_view const text :
       {""sv, "0102030405060708090a0b0"sv, "0102030405060708090a0b0c0"sv, "0102030405060708090a0b0g"sv,
        "0x02030405060708090a0b0c"sv, " 102030405060708090a0b0c"sv})
    BOOST_TEST(!key_of_digits(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(keys_are_ordered_by_hash_value_first) {
  BOOST_TEST((Key{1, 2} < Key{2, 1}));
  BOOST_TEST((Key{1, 1} < Key{1, 2}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::bcdb
