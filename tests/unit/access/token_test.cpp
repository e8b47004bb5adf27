// Tokens and their hashes: one spelling each, bounded cost, and a hash that belongs to one token only.
#include "config/access/token.h"

#include <boost/test/unit_test.hpp>

#include <string>

#include "config/access/base64url.h"
#include "config/access/secret.h"

namespace fastjournal::access {
namespace {

constexpr HashCost kCheap = kHashCostLeast;

Token token_of(char salt, char secret) {
  std::string random(kSaltBytes, salt);
  random.append(kSecretBytes, secret);
  return Token::make(std::span<char const, kSaltBytes + kSecretBytes>{random.data(), random.size()});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokens)

BOOST_AUTO_TEST_CASE(base64url_is_that_of_the_standard_and_has_one_spelling_for_each_value) {
  // RFC 4648, section 10, without the padding; the last one has both characters of section 5.
  for (auto const& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                    {"f", "Zg"},
                                    {"fo", "Zm8"},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg"},
                                    {"\xfb\xff", "-_8"}}) {
    std::string out;
    append_base64url(bytes, out);
    BOOST_TEST(out == text);
    BOOST_TEST((decode_base64url(text) == bytes));
    BOOST_TEST(base64url_size(bytes.size()) == text.size());
  }
  for (char const* const wrong : {"Z", "Zh", "Zm9", "Zm8=", "Zm 9", "Zm9v+", "Zm+v", "/m9v"})
    BOOST_TEST(!decode_base64url(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(a_token_is_read_as_it_was_made) {
  Token const token = token_of('\x01', '\x7f');
  BOOST_TEST(token.text().size() == kTokenBytes);
  BOOST_TEST(token.text().starts_with("fj_"));
  BOOST_TEST(token.salt() == std::string(kSaltBytes, '\x01'));
  std::optional<Token> const read = Token::read(token.text());
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->text() == token.text());
}

BOOST_AUTO_TEST_CASE(what_is_nearly_a_token_is_none) {
  std::string const good{token_of('a', 'b').text()};
  BOOST_TEST(!Token::read("").has_value());
  BOOST_TEST(!Token::read(good + "A").has_value());
  for (std::size_t i = 0; i < good.size(); ++i) BOOST_TEST(!Token::read(good.substr(0, i)).has_value());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string wrong = good;
    wrong[i] = '=';
    BOOST_TEST(!Token::read(wrong).has_value());
  }
  // The unused bits of both parts are zero, or one token would have several spellings.
  for (std::size_t const last : {3 + 22 - 1, 3 + 22 + 43 - 1}) {
    std::string wrong = good;
    wrong[static_cast<std::size_t>(last)] = static_cast<char>(wrong[static_cast<std::size_t>(last)] + 1);
    BOOST_TEST(!Token::read(wrong).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_hash_belongs_to_one_token) {
  Token const token = token_of('a', 'b');
  Result<TokenHash> const hash = TokenHash::of(token, kCheap);
  BOOST_REQUIRE(hash.ok());
  BOOST_TEST(hash->is_of(token).value());
  BOOST_TEST(!hash->is_of(token_of('a', 'c')).value());
  BOOST_TEST(hash->text().find(std::string(kSecretBytes, 'b')) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_hash_is_scrypt_as_others_compute_it) {
  // By Python's hashlib.scrypt(token, salt=b"a"*16, n=4096, r=8, p=1, dklen=32).
  Result<TokenHash> const hash = TokenHash::of(token_of('a', 'b'), kCheap);
  BOOST_REQUIRE(hash.ok());
  BOOST_TEST(hash->text() ==
             "$scrypt$ln=12,r=8,p=1$YWFhYWFhYWFhYWFhYWFhYQ$Vpa38sw7UDfOLiv39pFEf_S8tUZEYpK7jy92e79jZDk");
}

BOOST_AUTO_TEST_CASE(a_hash_is_read_as_it_was_written_and_no_other_spelling_is) {
  Result<TokenHash> const hash = TokenHash::of(token_of('a', 'b'), kCheap);
  BOOST_REQUIRE(hash.ok());
  std::string const good = hash->text();
  std::optional<TokenHash> const read = TokenHash::parse(good);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((*read == hash.value()));
  auto const with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return TokenHash::parse(text).has_value();
  };
  BOOST_TEST(with("ln=12", "ln=15"));
  BOOST_TEST(with("ln=12", "ln=18"));
  for (char const* const cost : {"ln=11", "ln=19", "ln=012", "ln=", "ln=-12", "ln=4294967308", "ln=12 ", "n=12"})
    BOOST_TEST(!with("ln=12", cost), cost);
  BOOST_TEST(!with("r=8", "r=9"));
  BOOST_TEST(!with("p=1$", "p=5$"));
  BOOST_TEST(!with("p=1$", "p=1"));
  BOOST_TEST(!with("$scrypt$", "$argon2$"));
  BOOST_TEST(!TokenHash::parse(good + "A").has_value());
  BOOST_TEST(!TokenHash::parse(good + "$").has_value());
  for (std::size_t i = 0; i < good.size(); ++i) BOOST_TEST(!TokenHash::parse(good.substr(0, i)).has_value());
}

BOOST_AUTO_TEST_CASE(wiped_bytes_are_zero) {
  std::string text = "fj_something";
  char const* const at = text.data();
  std::size_t const room = text.capacity();
  std::string copy = text;
  wipe(text);
  BOOST_TEST(text.empty());
  text.resize(room);
  BOOST_TEST(text.data() == at);
  wipe(std::span<char>{copy});
  BOOST_TEST(copy == std::string(copy.size(), '\0'));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::access
