#include "clients/programs/fastjournal/user_commands.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>

#include "clients/cpp/secret_file.h"
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

access::Token new_token() {
  std::array<char, access::kSaltBytes + access::kSecretBytes> random{};
  for (std::size_t at = 0; at < random.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t const bits = os::random_bits();
    std::memcpy(random.data() + at, &bits, sizeof bits);
  }
  access::Token out = access::Token::make(random);
  access::wipe(random);
  return out;
}

std::string joined(std::vector<std::string> const& words) {
  std::string out;
  for (std::string const& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

class UserRunner {
 public:
  UserRunner(Invocation const& invocation, Console& console) : one_(invocation), console_(console) {}

  ExitCode run() {
    Result<std::string> file = find_file();
    if (!file.ok()) return complain_of(file.status());
    file_ = std::move(file).value();
    if (one_.verb == "user list") return list();
    std::string const& name = one_.words.front();
    if (!access::is_user_name(name))
      return misuse(one_, console_,
                    "a user's name is made of " + std::string{access::kUserNameRule} + "; this is '" + name + "'");
    return one_.verb == "user add" ? add(name) : remove(name);
  }

 private:
  // --file, or what the daemon's file names.
  [[nodiscard]] Result<std::string> find_file() const {
    if (!one_.file.empty()) return one_.file;
    std::string const config = one_.config.empty() ? os::default_configuration() : one_.config;
    Result<config::DaemonDeclaration> const daemon = config::read_daemon(config);
    if (!daemon.ok()) return daemon.status();
    if (!daemon->access.users_file.empty()) return daemon->access.users_file;
    return Status{Code::bad_configuration,
                  config + " names no file of users: expected <access users=\"users.xml\"/> in it, or --file"};
  }

  // Its owner is the daemon's user, if the file of users is beside the daemon's file. Empty: not known.
  [[nodiscard]] std::string daemons_data() const {
    std::string const config = one_.config.empty() ? os::default_configuration() : one_.config;
    std::error_code error;
    namespace fs = std::filesystem;
    if (!fs::equivalent(fs::absolute(file_).parent_path(), fs::absolute(config).parent_path(), error)) return {};
    Result<config::DaemonDeclaration> const daemon = config::read_daemon(config);
    return daemon.ok() ? daemon->data_folder : std::string{};
  }

  [[nodiscard]] ExitCode complain_of(Status const& status) {
    tell(one_, console_, status, {}, {});
    return exit_code_of_files(status.code());
  }

  ExitCode add(std::string const& name) {
    access::User user{.name = name, .grants = {}, .token = {}};
    Result<Rights> const rights = config::parse_rights(one_.rights);
    if (!rights.ok()) return misuse(one_, console_, "--rights: " + rights.status().message());
    access::Grant grant{.rights = rights.value()};
    if (!one_.tables.empty()) {
      std::optional<std::vector<std::string>> tables = access::parse_tables(one_.tables);
      if (!tables) return misuse(one_, console_, "--tables: expected " + std::string{access::kTableListRule});
      if (rights->has(Right::admin))
        return misuse(one_, console_, "the right admin is for the daemon, not for a table: leave out --tables");
      grant.tables = std::move(*tables);
    }
    user.grants.push_back(std::move(grant));
    std::optional<access::Token> token;
    if (!one_.no_token) {
      token = new_token();
      Result<access::TokenHash> hash = access::TokenHash::of(*token);
      if (!hash.ok()) return complain_of(hash.status());
      user.token = std::move(hash).value();
    }
    Result<std::string> const text = config::users_with(file_, user);
    if (!text.ok()) return complain_of(text.status());
    if (Status status = client::write_secret(file_, text.value(), daemons_data()); !status.ok())
      return complain_of(status);
    tell_added(name, token);
    return ExitCode::ok;
  }

  void tell_added(std::string const& name, std::optional<access::Token> const& token) {
    if (one_.json) {
      Message out;
      out.set("user", name);
      out.set("file", file_);
      if (token) out.set("token", token->text());
      console_.out << render_json(out);
      return;
    }
    console_.err << "user " << name << " is in " << printable(file_) << "; `fastjournal reload` makes the daemon know "
                 << (token ? "the token\n" : "it\n");
    if (!token) return;
    console_.err << "The token is shown this once. " << name
                 << " gives it to `fastjournal login`, or keeps it in a file of mode 0600 that\n"
                    "FASTJOURNAL_TOKEN_FILE or --token-file names:\n"
                 << std::flush;
    console_.out << token->text() << '\n';
  }

  ExitCode remove(std::string const& name) {
    Result<std::string> const text = config::users_without(file_, name);
    if (!text.ok()) return complain_of(text.status());
    if (Status status = client::write_secret(file_, text.value()); !status.ok()) return complain_of(status);
    note(one_, console_,
         "user " + name + " is not in " + file_ + " any more; `fastjournal reload` ends his connections");
    return ExitCode::ok;
  }

  ExitCode list() {
    Result<access::Users> const users = config::read_users(file_);
    if (!users.ok()) return complain_of(users.status());
    for (auto const& [name, user] : users->all())
      for (access::Grant const& grant : user->grants) show(*user, grant);
    return ExitCode::ok;
  }

  void show(access::User const& user, access::Grant const& grant) {
    if (one_.json) {
      Message out;
      std::string const rights = grant.rights.names();
      std::string const tables = joined(grant.tables);
      out.set("user", user.name);
      out.set("rights", rights);
      if (!tables.empty()) out.set("tables", tables);
      out.set_integer("token", user.token ? 1 : 0);
      console_.out << render_json(out);
      return;
    }
    console_.out << user.name << ": " << grant.rights.names();
    if (!grant.is_for_all()) console_.out << " on " << joined(grant.tables);
    console_.out << (user.token ? "\n" : " (by certificate only)\n");
  }

  Invocation const& one_;
  Console& console_;
  std::string file_;
};

}  // namespace

ExitCode run_user(Invocation const& invocation, Console& console) { return UserRunner{invocation, console}.run(); }

}  // namespace fastjournal::cli
