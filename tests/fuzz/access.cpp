// libFuzzer target for what logins read: the first byte of the input chooses users.xml, a token, the hash of one or a list
// of tables. Besides "no crash" it checks that tokens and hashes have one spelling each, and that what a file of users
// gives is within its limits.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "config/access/token.h"
#include "config/access/user.h"
#include "config/users_reader.h"

namespace {

using namespace fastjournal;

// One file for the whole run: making one for each input costs more than reading it.
int memory_file() {
  static int const fd = ::memfd_create("fuzz.xml", MFD_CLOEXEC);
  FJ_CHECK(fd >= 0, "a file in memory can be made");
  return fd;
}

void read_users(std::string_view text) {
  int const fd = memory_file();
  FJ_CHECK(::ftruncate(fd, 0) == 0, "it can be emptied");
  FJ_CHECK(::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "and filled");
  Result<access::Users> const users = config::read_users_of_any_mode("/proc/self/fd/" + std::to_string(fd));
  if (!users.ok()) {
    FJ_CHECK(users.status().code() == Code::bad_configuration, "a bad file is bad configuration");
    FJ_CHECK(users.status().message().find(std::to_string(fd)) != std::string::npos, "and the refusal names it");
    return;
  }
  FJ_CHECK(users->size() <= access::kUsersMax, "there are not too many");
  for (auto const& [name, user] : users->all()) {
    FJ_CHECK(access::is_user_name(name) && name == user->name, "each has a name");
    FJ_CHECK(!user->grants.empty() && user->grants.size() <= access::kGrantsMax, "and rights");
    for (access::Grant const& grant : user->grants) {
      FJ_CHECK(!grant.rights.is_empty(), "a grant is of something");
      FJ_CHECK(grant.is_for_all() || !grant.rights.has(Right::admin), "admin is of the daemon");
      FJ_CHECK(grant.is_for_all() || !user->everywhere().has(Right::admin) || user->on("x").has(Right::admin),
               "rights on all tables are rights on each");
    }
    if (user->token) FJ_CHECK(users->find_salt(user->token->salt()) == user, "a token finds its user");
  }
}

void read_tables(std::string_view text) {
  std::optional<std::vector<std::string>> const tables = access::parse_tables(text);
  if (!tables) return;
  FJ_CHECK(!tables->empty() && tables->size() <= access::kGrantTablesMax, "a list has names");
  std::string joined;
  for (std::string const& table : *tables) joined.append(joined.empty() ? "" : " ").append(table);
  FJ_CHECK(access::parse_tables(joined) == tables, "what was written can be read");
  access::Grant const grant{.rights = {Right::read}, .tables = *tables};
  for (std::string const& table : *tables) FJ_CHECK(grant.is_for(table), "a list has its own names");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const text{reinterpret_cast<char const*>(data) + 1, size - 1};
  switch (data[0] % 4U) {
    case 0: read_users(text); break;
    case 1:
      if (std::optional<access::Token> const token = access::Token::read(text)) {
        FJ_CHECK(token->text() == text, "a token has one spelling");
        FJ_CHECK(token->salt().size() == access::kSaltBytes, "and a salt");
      }
      break;
    case 2:
      if (std::optional<access::TokenHash> const hash = access::TokenHash::parse(text))
        FJ_CHECK(hash->text() == text, "a hash has one spelling");
      break;
    default: read_tables(text);
  }
  return 0;
}
