// `user add`, `user list` and `user remove`: the file of users, which the daemon reads at a start and by RELOAD. No
// daemon is asked.
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>

#include "clients/cpp/secret_file.h"
#include "clients/programs/fastjournal/verbs.h"
#include "config/access/secret.h"
#include "config/access/user.h"
#include "config/daemon_reader.h"
#include "config/fields.h"
#include "config/users_reader.h"
#include "config/users_writer.h"
#include "platform/os/installation.h"
#include "platform/os/random.h"

namespace fastjournal::cli {
namespace {

// What `make` makes of so many random bytes.
template <std::size_t kBytes, typename Make>
auto new_secret(Make&& make) {
  std::array<char, kBytes> random{};
  for (std::size_t at = 0; at < random.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t const bits = os::random_bits();
    std::memcpy(random.data() + at, &bits, std::min(sizeof bits, random.size() - at));
  }
  auto out = make(random);
  access::wipe(random);
  return out;
}

std::string joined(std::vector<std::string> const& words) {
  std::string out;
  for (std::string const& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

struct UsersFile {
  OptionSet& to;
  Text given{to, "--file", "the file of users (default: the one that the daemon's file names)", called("FILE")};
  Text given_config{to, "--config", "the daemon's file (default: where it was installed)", called("FILE"),
                    excludes(given)};
  std::string file{};
  std::string config{};

  // The files, of which the daemon's names the other one, if it was not given.
  Status find() {
    config = given_config.or_else(os::default_configuration());
    file = given;
    if (!file.empty()) return {};
    Result<config::DaemonDeclaration> const daemon = config::read_daemon(config);
    if (!daemon.ok()) return daemon.status();
    file = daemon->access.users_file;
    if (!file.empty()) return {};
    return {Code::bad_configuration,
            config + " names no file of users: expected <access users=\"users.xml\"/> in it, or --file"};
  }

  // Its owner is the daemon's user, if the file of users is beside the daemon's file. Empty: not known.
  [[nodiscard]] std::string daemons_data() const {
    std::error_code error;
    namespace fs = std::filesystem;
    if (!fs::equivalent(fs::absolute(file).parent_path(), fs::absolute(config).parent_path(), error)) return {};
    Result<config::DaemonDeclaration> const daemon = config::read_daemon(config);
    return daemon.ok() ? daemon->data_folder : std::string{};
  }
};

std::string wrong_name(std::string const& name) {
  return "a user's name is made of " + std::string{access::kUserNameRule} + "; this is '" + name + "'";
}

struct UserAdd : UsersFile {
  Text name{to, "NAME", "letters, digits, _ . @ or -", required, alone};
  Text given_rights{to, "--rights", "words out of \"read add work manage admin\", or \"all\"", required};
  Text given_tables{to, "--tables",
                    "on these tables only: their names, a * at the end of one stands for any ending (default: all, and "
                    "the daemon itself)"};
  Flag no_token{to, "--no-token", "make no token: the user has a client certificate of this name"};
  Flag for_sqs{to, "--sqs", "make no token, but a key by which requests of SQS are signed; the user's name is its id",
               excludes(no_token)};

  ExitCode run(Call& call) {
    if (Status const found = find(); !found.ok()) return call.complain_of_files(found);
    if (!access::is_user_name(name)) return call.misuse(wrong_name(name));
    access::User user{.name = name, .grants = {}, .token = {}};
    Result<Rights> const rights = config::parse_rights(given_rights);
    if (!rights.ok()) return call.misuse("--rights: " + rights.status().message());
    access::Grant grant{.rights = rights.value()};
    if (!given_tables.empty()) {
      std::optional<std::vector<std::string>> tables = access::parse_tables(given_tables);
      if (!tables) return call.misuse("--tables: expected " + std::string{access::kTableListRule});
      if (rights->has(Right::admin))
        return call.misuse("the right admin is for the daemon, not for a table: leave out --tables");
      grant.tables = std::move(*tables);
    }
    user.grants.push_back(std::move(grant));
    std::optional<access::Token> token;
    if (for_sqs) {
      user.signing_key = new_secret<access::kSigningKeyRandomBytes>(access::SigningKey::make);
    } else if (!no_token) {
      token = new_secret<access::kSaltBytes + access::kSecretBytes>(access::Token::make);
      Result<access::TokenHash> hash = access::TokenHash::of(*token);
      if (!hash.ok()) return call.complain_of_files(hash.status());
      user.token = std::move(hash).value();
    }
    Result<std::string> const text = config::users_with(file, user);
    if (!text.ok()) return call.complain_of_files(text.status());
    if (Status status = client::write_secret(file, text.value(), daemons_data()); !status.ok())
      return call.complain_of_files(status);
    tell_added(call, token, user.signing_key);
    return ExitCode::ok;
  }

  void tell_added(Call& call, std::optional<access::Token> const& token,
                  std::optional<access::SigningKey> const& key) const {
    if (call.json) {
      Message out;
      out.set("user", name);
      out.set("file", file);
      if (token) out.set("token", token->text());
      if (key) out.set("access_key_id", name);
      if (key) out.set("secret_access_key", key->text());
      call.console.out << render_json(out);
      return;
    }
    call.console.err << "user " << name << " is in " << printable(file)
                     << "; `fastjournal reload` makes the daemon know " << (token ? "the token\n" : "it\n");
    if (key) {
      call.console.err << "The secret is shown this once, for the environment or ~/.aws/credentials of a client:\n"
                       << std::flush;
      call.console.out << "AWS_ACCESS_KEY_ID=" << name << "\nAWS_SECRET_ACCESS_KEY=" << key->text() << '\n';
    }
    if (!token) return;
    call.console.err << "The token is shown this once. " << name
                     << " gives it to `fastjournal login`, or keeps it in a file of mode 0600 that\n"
                        "FASTJOURNAL_TOKEN_FILE or --token-file names:\n"
                     << std::flush;
    call.console.out << token->text() << '\n';
  }
};

struct UserRemove : UsersFile {
  Text name{to, "NAME", "as `user list` shows it", required, alone};

  ExitCode run(Call& call) {
    if (Status const found = find(); !found.ok()) return call.complain_of_files(found);
    if (!access::is_user_name(name)) return call.misuse(wrong_name(name));
    Result<std::string> const text = config::users_without(file, name);
    if (!text.ok()) return call.complain_of_files(text.status());
    if (Status status = client::write_secret(file, text.value()); !status.ok()) return call.complain_of_files(status);
    call.note("user " + name + " is not in " + file + " any more; `fastjournal reload` ends his connections");
    return ExitCode::ok;
  }
};

struct UserList : UsersFile {
  ExitCode run(Call& call) {
    if (Status const found = find(); !found.ok()) return call.complain_of_files(found);
    Result<access::Users> const users = config::read_users(file);
    if (!users.ok()) return call.complain_of_files(users.status());
    for (auto const& [name, user] : users->all())
      for (access::Grant const& grant : user->grants) show(call, *user, grant);
    return ExitCode::ok;
  }

  static void show(Call& call, access::User const& user, access::Grant const& grant) {
    Message out;
    std::string const rights = grant.rights.names();
    std::string const tables = joined(grant.tables);
    out.set("user", user.name);
    out.set("rights", rights);
    set_given(out, "tables", tables);
    out.set_integer("token", user.token ? 1 : 0);
    out.set_integer("signing_key", user.signing_key ? 1 : 0);
    call.say(out, user.name + ": " + rights + (grant.is_for_all() ? "" : " on " + tables) + by_what(user));
  }

  static char const* by_what(access::User const& user) {
    if (user.signing_key) return user.token ? " (by token or signing key)" : " (by signing key)";
    return user.token ? "" : " (by certificate only)";
  }
};

constexpr Verb kUserVerbs[]{
    {"user add", "a new user, with a token or a signing key that is shown this once", Needs::nothing, declare<UserAdd>,
     "fastjournal user add crawler --rights 'read work' --tables 'pages images_*' > crawler.token",
     "The file gets the mode 0600 and only a slow hash of the token. The token is on standard output, what to do with\n"
     "it on standard error. `fastjournal reload` makes the daemon read the file. With --sqs the file gets the secret\n"
     "itself, as signatures can be verified with nothing less."},
    {"user list", "the users of the file and their rights", Needs::nothing, declare<UserList>, "fastjournal user list"},
    {"user remove", "take a user out of the file; `fastjournal reload` ends his connections", Needs::nothing,
     declare<UserRemove>, "fastjournal user remove crawler && fastjournal reload"},
};

}  // namespace

Verbs user_verbs() { return kUserVerbs; }

}  // namespace fastjournal::cli
