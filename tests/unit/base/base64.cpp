// base64: the vectors of RFC 4648, every length and byte, and refusal of everything that is not exact.
#include "base/base64.h"

#include <boost/test/unit_test.hpp>

#include <utility>

namespace fastjournal {

namespace {

std::string encoded(std::string_view bytes) {
  std::string out;
  append_base64(bytes, out);
  return out;
}

bool refused(std::string_view text) {
  std::string out = "left over";
  return !decode_base64(text, out) && out.empty();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(base64)

BOOST_AUTO_TEST_CASE(the_vectors_of_the_rfc_hold_both_ways) {
  std::pair<std::string_view, std::string_view> const vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (auto const& [bytes, text] : vectors) {
    BOOST_TEST(encoded(bytes) == text);
    std::string out;
    BOOST_TEST(decode_base64(text, out));
    BOOST_TEST(out == bytes);
  }
}

BOOST_AUTO_TEST_CASE(every_byte_at_every_length_comes_back) {
  for (std::size_t size = 0; size <= 64; ++size)
    for (unsigned first = 0; first < 256; first += 5) {
      std::string bytes;
      for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(first + i * 37);
      std::string out;
      BOOST_REQUIRE(decode_base64(encoded(bytes), out));
      BOOST_REQUIRE(out == bytes);
    }
}

BOOST_AUTO_TEST_CASE(it_appends) {
  std::string out = "value=";
  append_base64("foo", out);
  BOOST_TEST(out == "value=Zm9v");
}

BOOST_AUTO_TEST_CASE(only_the_one_spelling_is_accepted) {
  for (std::string_view const text : {"Z", "Zg", "Zg=", "Zg===", "=", "==", "====", "Z===", "Zm9v=", "Zg==Zg==",
                                      "Zm8=Zm9v", "Zm9 ", "Zm9v\n", "Z-_v", "Zm9\xc3", "Zh==", "Zm9=", "Zm=v"})
    BOOST_TEST(refused(text), text);
  BOOST_TEST(refused(std::string_view{"Zm\0v", 4}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal
