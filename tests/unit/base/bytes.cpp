// bytes: little endian on any machine, and a reader that never reads past the end.
#include "base/bytes.h"

#include <boost/test/unit_test.hpp>

namespace fastjournal {

BOOST_AUTO_TEST_SUITE(bytes)

BOOST_AUTO_TEST_CASE(numbers_are_little_endian) {
  std::string out;
  append_little<std::uint32_t>(out, 0x01020304U);
  append_little<std::int16_t>(out, -2);
  BOOST_TEST(out == (std::string_view{"\x04\x03\x02\x01\xfe\xff", 6}));
  BOOST_TEST(load_little<std::uint32_t>(out.data()) == 0x01020304U);
  BOOST_TEST(load_little<std::int16_t>(out.data() + 4) == -2);
}

BOOST_AUTO_TEST_CASE(what_was_appended_is_read_back_in_order) {
  std::string out;
  append_little<std::uint8_t>(out, 7);
  append_little<std::uint64_t>(out, UINT64_MAX - 1);
  out += "text";
  ByteReader reader{out};
  BOOST_TEST(reader.number<std::uint8_t>() == 7);
  BOOST_TEST(reader.number<std::uint64_t>() == UINT64_MAX - 1);
  BOOST_TEST(reader.rest() == "text");
  BOOST_TEST(!reader.finished());
  BOOST_TEST(reader.bytes(4) == "text");
  BOOST_TEST(reader.finished());
}

BOOST_AUTO_TEST_CASE(a_reader_at_the_end_says_so_and_stays_so) {
  ByteReader numbers{"abc"};
  BOOST_TEST(numbers.number<std::uint32_t>() == 0U);
  BOOST_TEST(!numbers.ok());
  BOOST_TEST(numbers.number<std::uint8_t>() == 0);
  BOOST_TEST(!numbers.finished());

  ByteReader strings{"abc"};
  BOOST_TEST(strings.bytes(4).empty());
  BOOST_TEST(!strings.ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal
