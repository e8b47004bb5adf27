// UTF-8: what is valid, and characters one by one.
#include "base/utf8.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace fastjournal;

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_AUTO_TEST_CASE(it_is_told_from_other_bytes) {
  for (std::string_view const text :
       {std::string_view{""}, std::string_view{"plain"}, std::string_view{"12345678\xC3\xA9"},
        std::string_view{"\0", 1}, std::string_view{"\xEF\xBF\xBF"}, std::string_view{"\xF4\x8F\xBF\xBF"},
        std::string_view{"\xED\x9F\xBF"}})
    BOOST_TEST(is_utf8(text));
  for (char const* const text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                                 "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "12345678\xC3", "\xE2\x82", "\xC3("})
    BOOST_TEST(!is_utf8(text), std::string{text});
}

// Every one, and the numbers that are none.
BOOST_AUTO_TEST_CASE(characters_are_stored_and_taken) {
  for (char32_t character = 0; character <= 0x110010; ++character) {
    char bytes[4];
    std::string const text = std::string(bytes, store_utf8(character, bytes)) + "x";
    std::string_view rest = text;
    bool const is_none = (character >= 0xD800 && character <= 0xDFFF) || character > 0x10FFFF;
    std::optional<char32_t> const taken = take_character(rest);
    BOOST_REQUIRE(taken.has_value() != is_none);
    BOOST_REQUIRE(rest == (is_none ? std::string_view{text} : std::string_view{"x"}));
    BOOST_REQUIRE(
        (is_none || (*taken == character && utf8_bytes(static_cast<unsigned char>(text[0])) == text.size() - 1)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
