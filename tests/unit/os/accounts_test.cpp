// Users and groups by name: those that every system has, numbers, and names that nobody has.
#include <boost/test/unit_test.hpp>

#include <grp.h>

#include "platform/os/accounts.h"

namespace fastjournal::os {

BOOST_AUTO_TEST_SUITE(accounts)

BOOST_AUTO_TEST_CASE(names_become_numbers_in_their_order) {
  Result<std::vector<std::uint32_t>> const users = user_ids({"root", "4711", "root"});
  BOOST_REQUIRE_MESSAGE(users.ok(), users.status().text());
  BOOST_TEST((users.value() == std::vector<std::uint32_t>{0, 4711, 0}));
  group const* const first = ::getgrgid(1);
  BOOST_REQUIRE(first != nullptr);
  Result<std::vector<std::uint32_t>> const groups = group_ids({"4712", first->gr_name});
  BOOST_REQUIRE_MESSAGE(groups.ok(), groups.status().text());
  BOOST_TEST((groups.value() == std::vector<std::uint32_t>{4712, 1}));
  BOOST_TEST(user_ids({}).value().empty());
}

BOOST_AUTO_TEST_CASE(a_name_that_nobody_has_is_told) {
  Status const user = user_ids({"root", "no.such-user"}).status();
  BOOST_CHECK(user.code() == Code::bad_configuration);
  BOOST_TEST(user.message() == "no user \"no.such-user\" on this computer, expected the name of one, or its number");
  BOOST_TEST(group_ids({"no.such-group"}).status().message().starts_with("no group \"no.such-group\""));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os
