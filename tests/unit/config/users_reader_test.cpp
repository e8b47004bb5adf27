// users.xml: its values, the mode that it must have, and its text after a change.
#include "config/users_reader.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "config/users_writer.h"
#include "tests/unit/config/scratch_folder.h"

namespace fastjournal::config {
namespace {

namespace fs = std::filesystem;

constexpr char const* kHash =
    "$scrypt$ln=15,r=8,p=1$YWFhYWFhYWFhYWFhYWFhYQ$fYetTvr6fW_bsA16JgFv4DQk2H63A_SNJW_OvkvXkiA";

struct Files : ScratchFolder {
  fs::path secret(std::string_view text, fs::perms mode = fs::perms::owner_read | fs::perms::owner_write) const {
    fs::path const path = write("users.xml", text);
    fs::permissions(path, mode);
    return path;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(users_file, Files)

BOOST_AUTO_TEST_CASE(users_have_the_grants_of_the_file) {
  Result<access::Users> const users =
      read_users_of_any_mode(fs::path{FJ_SOURCE_DIR} / "tests/golden/config/good/users/everything.xml");
  BOOST_REQUIRE_MESSAGE(users.ok(), users.status().text());
  BOOST_TEST(users->size() == 5U);
  access::UserPtr const worker = users->find("worker-1");
  BOOST_REQUIRE((worker != nullptr && worker->token.has_value()));
  BOOST_TEST(worker->token->text() == kHash);
  BOOST_TEST(worker->everywhere().is_empty());
  BOOST_TEST(worker->on("jobs").names() == "read work");
  BOOST_TEST(worker->on("mailbox").names() == "read work");
  BOOST_TEST(worker->on("other").names() == "nothing");
  BOOST_TEST(users->find("ops@example.org")->on("any").names() == "read manage");
  BOOST_TEST(!users->find("host.example.org")->token.has_value());
  BOOST_TEST(!users->find("host.example.org")->signing_key.has_value());
  access::UserPtr const signer = users->find("orders");
  BOOST_REQUIRE((signer != nullptr && signer->signing_key.has_value()));
  BOOST_TEST(signer->signing_key->text() == "a-secret-&-of->-16");
  BOOST_TEST((users->find("root")->everywhere() == kAllRights));
}

BOOST_AUTO_TEST_CASE(a_file_that_others_may_read_is_refused_with_the_remedy) {
  using fs::perms;
  for (perms const mode : {perms{0600}, perms{0400}}) BOOST_TEST(read_users(secret("<access/>", mode)).ok());
  for (auto const& [mode, digits] : {std::pair{perms{0640}, "0640"}, {perms{0604}, "0604"}, {perms{0620}, "0620"}}) {
    fs::path const path = secret("<access/>", mode);
    Result<access::Users> const users = read_users(path);
    BOOST_REQUIRE(!users.ok());
    BOOST_TEST(users.status().message() == path.string() + ": the file has the mode " + digits +
                                               ", expected one that only its owner may read: chmod 600 " +
                                               path.string());
    BOOST_TEST(read_users_of_any_mode(path).ok());
  }
  BOOST_TEST(!read_users(path() / "absent.xml").ok());
}

BOOST_AUTO_TEST_CASE(too_many_users_and_too_many_grants_are_refused) {
  std::string text = "<access>";
  for (std::size_t i = 0; i <= access::kUsersMax; ++i)
    text += "<user name=\"u" + std::to_string(i) + "\" rights=\"read\"/>";
  BOOST_TEST(!read_users(secret(text + "</access>")).ok());
  text = "<access><user name=\"u\">";
  for (std::size_t i = 0; i <= access::kGrantsMax; ++i) text += "<grant rights=\"read\"/>";
  BOOST_TEST(!read_users(secret(text + "</user></access>")).ok());
}

BOOST_AUTO_TEST_CASE(a_user_is_added_to_a_new_file_and_removed_from_it) {
  access::User const user{.name = "w",
                          .grants = {{.rights = {Right::read, Right::work}, .tables = {"jobs", "mail*"}}},
                          .token = access::TokenHash::parse(kHash)};
  Result<std::string> const added = users_with(path() / "users.xml", user);
  BOOST_REQUIRE(added.ok());
  Result<access::Users> const users = read_users(secret(added.value()));
  BOOST_REQUIRE_MESSAGE(users.ok(), users.status().text());
  BOOST_TEST((*users->find("w") == user));
  BOOST_TEST((users_with(path() / "users.xml", user).status().code() == Code::in_use));
  Result<std::string> const removed = users_without(path() / "users.xml", "w");
  BOOST_REQUIRE(removed.ok());
  BOOST_TEST(read_users(secret(removed.value()))->size() == 0U);
  BOOST_TEST((users_without(path() / "users.xml", "w").status().code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(a_signing_key_is_written_as_it_is) {
  access::User const user{.name = "w",
                          .grants = {{.rights = {Right::add}}},
                          .token = {},
                          .signing_key = access::SigningKey::read("<&>'\"0123456789ab")};
  BOOST_REQUIRE(user.signing_key.has_value());
  Result<std::string> const added = users_with(path() / "users.xml", user);
  BOOST_REQUIRE(added.ok());
  Result<access::Users> const users = read_users(secret(added.value()));
  BOOST_REQUIRE_MESSAGE(users.ok(), users.status().text());
  BOOST_TEST((*users->find("w") == user));
}

BOOST_AUTO_TEST_CASE(a_wrong_signing_key_is_not_shown) {
  Result<access::Users> const users =
      read_users(secret("<access><user name=\"w\" rights=\"add\" signing-key=\"nearly a secret key\"/></access>"));
  BOOST_REQUIRE(!users.ok());
  BOOST_TEST(users.status().message().find("16 to 128") != std::string::npos, users.status().message());
  BOOST_TEST(users.status().message().find("nearly") == std::string::npos, users.status().message());
}

BOOST_AUTO_TEST_CASE(a_change_keeps_comments_and_other_users) {
  fs::path const file = secret(
      "<?xml version=\"1.0\"?>\n<!-- above -->\n<access>\n  <!-- for ann -->\n  <user name=\"ann\" rights=\"all\"/>\n"
      "  <user name=\"bob\"><grant rights=\"read\"/><grant rights=\"add\" tables=\"jobs\"/></user>\n</access>\n");
  access::User const carl{
      .name = "carl", .grants = {{.rights = {Right::add}}, {.rights = {Right::work}, .tables = {"jobs"}}}, .token = {}};
  Result<access::Users> const before = read_users(file);
  BOOST_REQUIRE(before.ok());
  Result<std::string> const added = users_with(file, carl);
  BOOST_REQUIRE(added.ok());
  Result<std::string> const removed = users_without(secret(added.value()), "ann");
  BOOST_REQUIRE(removed.ok());
  Result<access::Users> const after = read_users(secret(removed.value()));
  BOOST_REQUIRE_MESSAGE(after.ok(), after.status().text());
  BOOST_TEST(after->size() == 2U);
  BOOST_TEST((*after->find("bob") == *before->find("bob")));
  BOOST_TEST((*after->find("carl") == carl));
  for (char const* const kept : {"<!-- above -->", "<!-- for ann -->"})
    BOOST_TEST(removed->find(kept) != std::string::npos, removed.value());
}

BOOST_AUTO_TEST_CASE(a_bad_file_is_not_changed) {
  access::User const user{.name = "w", .grants = {{.rights = {Right::read}}}, .token = {}};
  BOOST_TEST(!users_with(secret("<access><user/></access>"), user).ok());
  BOOST_TEST(!users_without(secret("<access><user/></access>"), "w").ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config
