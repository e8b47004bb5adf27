// See users_reader.h.
#include "config/users_reader.h"

#include <string>
#include <system_error>
#include <utility>

#include "config/fields.h"
#include "config/xml.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

// rights="..." and tables="..." of a <user> or <grant>.
std::optional<access::Grant> read_grant(Element const& element) {
  access::Grant grant;
  std::optional<Rights> const rights = rights_field(element, "rights");
  if (rights) grant.rights = *rights;
  std::optional<std::string_view> const tables = element.attribute("tables");
  if (tables) {
    std::optional<std::vector<std::string>> names = access::parse_tables(*tables);
    if (!names)
      element.problem_at("tables", "attribute \"tables\": found " + model::shown(*tables) + ", expected " +
                                       std::string{access::kTableListRule} + ", at most " +
                                       std::to_string(access::kGrantTablesMax));
    else
      grant.tables = std::move(*names);
  }
  if (tables && rights && rights->has(Right::admin))
    element.problem_at("rights",
                       "the right admin is for the daemon, not for a table, expected it without tables=\"...\"");
  if (!rights) return std::nullopt;
  return grant;
}

void read_hash(Element const& element, access::User& user) {
  std::optional<std::string_view> const text = element.attribute("hash");
  if (!text) return;
  user.token = access::TokenHash::parse(*text);
  // Not shown: it may be the token itself.
  if (!user.token)
    element.problem_at("hash",
                       "attribute \"hash\": found no hash of a token, expected what `fastjournal user add` writes "
                       "there: $scrypt$ln=15,r=8,p=1$SALT$HASH");
}

void read_signing_key(Element const& element, access::User& user) {
  std::optional<std::string_view> const text = element.attribute("signing-key");
  if (!text) return;
  user.signing_key = access::SigningKey::read(*text);
  // Not shown: it is nearly the key.
  if (!user.signing_key)
    element.problem_at("signing-key", "attribute \"signing-key\": found no signing key, expected " +
                                          std::string{access::kSigningKeyRule});
}

void read_user(Element const& element, access::Users& out) {
  element.expect({.attributes = {{"name", Times::one}, {"rights"}, {"tables"}, {"hash"}, {"signing-key"}},
                  .children = {{"grant", Times::any}}});
  access::User user;
  std::optional<std::string_view> const name = element.attribute("name");
  if (!name) return;
  user.name = *name;
  if (!access::is_user_name(*name)) {
    element.problem_at("name", "attribute \"name\": found " + model::shown(*name) + ", expected " +
                                   std::string{access::kUserNameRule});
    return;
  }
  if (element.attribute("rights")) {
    if (std::optional<access::Grant> grant = read_grant(element)) user.grants.push_back(std::move(*grant));
  } else if (element.attribute("tables")) {
    element.problem_at("tables",
                       "tables=\"...\" without rights=\"...\", expected both, or rights alone for all tables");
  }
  std::vector<Element> const grants = element.children("grant");
  for (Element const& child : grants) {
    child.expect({.attributes = {{"rights", Times::one}, {"tables"}}, .children = {}});
    if (std::optional<access::Grant> grant = read_grant(child)) user.grants.push_back(std::move(*grant));
  }
  if (user.grants.size() > access::kGrantsMax)
    element.problem("user " + model::shown(*name) + " has " + std::to_string(user.grants.size()) +
                    " grants, expected at most " + std::to_string(access::kGrantsMax));
  if (!element.attribute("rights") && grants.empty())
    element.problem("user " + model::shown(*name) + " may do nothing, expected rights=\"...\" or an element <grant>");
  read_hash(element, user);
  read_signing_key(element, user);
  if (out.find(*name) != nullptr)
    element.problem_at("name", "user " + model::shown(*name) + " twice, expected each name once");
  else if (!out.add(std::move(user)))
    element.problem_at("hash", "the hash of user " + model::shown(*name) +
                                   " has the salt of another one, expected a token of his own for each user");
}

void read(Element const& root, access::Users& out) {
  if (root.name() != "access") {
    root.problem("root element <" + std::string{root.name()} + ">, expected <access>");
    return;
  }
  root.expect({.attributes = {}, .children = {{"user", Times::any}}});
  std::vector<Element> const users = root.children("user");
  if (users.size() > access::kUsersMax) {
    root.problem(std::to_string(users.size()) + " users, expected at most " + std::to_string(access::kUsersMax));
    return;
  }
  for (Element const& user : users) read_user(user, out);
}

// An account that can write the file can act as any user; one that can read it can search for tokens, and sign.
void check_mode(std::filesystem::path const& path, Problems& problems) {
  using std::filesystem::perms;
  std::error_code error;
  perms const mode = std::filesystem::status(path, error).permissions();
  if (error || mode == perms::unknown || (mode & (perms::group_all | perms::others_all)) == perms::none) return;
  std::string digits = "0";
  for (unsigned const shift : {6U, 3U, 0U})
    digits.push_back(static_cast<char>('0' + (static_cast<unsigned>(mode) >> shift & 7U)));
  problems.add(
      0, "the file has the mode " + digits + ", expected one that only its owner may read: chmod 600 " + path.string());
}

Result<access::Users> read_file(std::filesystem::path const& path, bool of_any_mode) {
  Problems problems{path.string()};
  access::Users out;
  if (!of_any_mode) check_mode(path, problems);
  if (std::optional<Document> const document = Document::read(path, problems)) read(document->root(), out);
  if (!problems.empty()) return problems.status();
  return out;
}

}  // namespace

Result<access::Users> read_users(std::filesystem::path const& path) { return read_file(path, false); }

Result<access::Users> read_users_of_any_mode(std::filesystem::path const& path) { return read_file(path, true); }

}  // namespace fastjournal::config
