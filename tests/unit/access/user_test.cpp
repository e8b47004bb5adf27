// What a user may do, on all tables and on some; names, lists of tables, and the users of a daemon.
#include "config/access/user.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace fastjournal::access {
namespace {

std::string on(User const& user, std::string_view table) { return user.on(table).names(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(users)

BOOST_AUTO_TEST_CASE(names_have_a_rule) {
  for (char const* const name : {"a", "Worker-1", "ops@example.org", "x_y.z"}) BOOST_TEST(is_user_name(name), name);
  BOOST_TEST(is_user_name(std::string(64, 'a')));
  BOOST_TEST(!is_user_name(std::string(65, 'a')));
  for (char const* const name : {"", "a b", "a;b", "a=b", "a\nb", "\xc3\xa4", "a/b"}) BOOST_TEST(!is_user_name(name));
}

BOOST_AUTO_TEST_CASE(lists_of_tables_have_a_rule) {
  BOOST_TEST((parse_tables("jobs  mail*") == std::vector<std::string>{"jobs", "mail*"}));
  BOOST_TEST((parse_tables("*") == std::vector<std::string>{"*"}));
  for (char const* const text : {"", "  ", "a*b", "**", "*a", "a,b", "a;"})
    BOOST_TEST(!parse_tables(text).has_value(), text);
  std::string many;
  for (std::size_t i = 0; i < kGrantTablesMax; ++i) many += "t" + std::to_string(i) + " ";
  BOOST_TEST(parse_tables(many).has_value());
  BOOST_TEST(!parse_tables(many + "more").has_value());
}

BOOST_AUTO_TEST_CASE(rights_are_those_of_all_grants_that_name_the_table) {
  User const user{.name = "u",
                  .grants = {{.rights = {Right::read}},
                             {.rights = {Right::work}, .tables = {"jobs", "mail*"}},
                             {.rights = {Right::manage}, .tables = {"mail-in"}}},
                  .token = {}};
  BOOST_TEST(user.everywhere().names() == "read");
  BOOST_TEST(on(user, "jobs") == "read work");
  BOOST_TEST(on(user, "jobs2") == "read");
  BOOST_TEST(on(user, "mail") == "read work");
  BOOST_TEST(on(user, "mail-in") == "read work manage");
  BOOST_TEST(on(user, "") == "read");
  BOOST_TEST(user.has_grants_for_tables());
  BOOST_TEST(user.has_anywhere(Right::manage));
  BOOST_TEST(!user.has_anywhere(Right::add));
  User const plain{.name = "p", .grants = {{.rights = {Right::add}}}, .token = {}};
  BOOST_TEST(!plain.has_grants_for_tables());
  BOOST_TEST(united({Right::read}, {Right::add, Right::read}).names() == "read add");
}

BOOST_AUTO_TEST_CASE(each_name_and_each_token_belongs_to_one_user) {
  std::string const random(kSaltBytes + kSecretBytes, 'x');
  Token const token = Token::make(std::span<char const, kSaltBytes + kSecretBytes>{random.data(), random.size()});
  Result<TokenHash> const hash = TokenHash::of(token, kHashCostLeast);
  BOOST_REQUIRE(hash.ok());
  Users users;
  BOOST_TEST(users.add({.name = "a", .grants = {}, .token = hash.value()}));
  BOOST_TEST(!users.add({.name = "a", .grants = {}, .token = {}}));
  BOOST_TEST(!users.add({.name = "b", .grants = {}, .token = hash.value()}));
  BOOST_TEST(users.add({.name = "b", .grants = {}, .token = {}}));
  BOOST_TEST(users.size() == 2U);
  BOOST_TEST(users.find("a")->name == "a");
  BOOST_TEST(users.find_salt(token.salt())->name == "a");
  BOOST_TEST((users.find("c") == nullptr));
  BOOST_TEST((users.find_salt("") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::access
