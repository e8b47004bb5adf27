#include "tests/support/postgresql_server.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace fastjournal::test {
namespace {

constexpr std::chrono::seconds kServerPatience{60};

// Debian has its versions beside each other, out of the way.
std::vector<std::string> const kFolders{"/usr/lib/postgresql/18/bin", "/usr/lib/postgresql/17/bin",
                                        "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/15/bin"};

}  // namespace

std::string find_program(std::string const& name, std::string const& package, std::vector<std::string> const& folders) {
  std::vector<std::string> all = folders;
  char const* const path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin:/usr/sbin" : path;
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find(':'), rest.size());
    all.push_back(rest.substr(0, end));
    rest.erase(0, std::min(end + 1, rest.size()));
  }
  for (std::string const& folder : all)
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  throw std::runtime_error(name + " is not installed: apt-get install --no-install-recommends " + package);
}

PostgresqlServer::PostgresqlServer(std::string const& user, std::vector<std::string> settings)
    : user_(user), settings_(std::move(settings)) {
  std::filesystem::create_directories(folder());
  // It refuses to run as root; the package has a user for it.
  if (::geteuid() == 0) {
    passwd const* const account = ::getpwnam("postgres");
    if (account == nullptr || ::chown(folder_.path().c_str(), account->pw_uid, account->pw_gid) != 0 ||
        ::chown(folder().c_str(), account->pw_uid, account->pw_gid) != 0)
      throw std::runtime_error("postgresql does not run as root, and there is no user postgres to run it as");
    as_user_ = {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"};
  }
  std::vector<std::string> words = as_user_;
  words.insert(words.end(), {program("initdb"), "-D", folder().string(), "-U", user_, "-A", "trust", "-E", "UTF8",
                             "--locale=C", "--no-instructions", "--no-sync"});
  ChildProcess made{words};
  if (made.wait(kServerPatience) != 0) throw std::runtime_error("initdb failed: " + made.output());
}

std::string PostgresqlServer::program(std::string const& name) const {
  return find_program(name, name == "psql" ? "postgresql-client" : "postgresql", kFolders);
}

void PostgresqlServer::start() {
  std::vector<std::string> words = as_user_;
  words.insert(words.end(), {program("postgres"), "-D", folder().string(), "-c", "listen_addresses=", "-c",
                             "unix_socket_directories=" + host()});
  for (std::string const& setting : settings_) words.insert(words.end(), {"-c", setting});
  child_ = std::make_unique<ChildProcess>(words);
  if (!child_->wait_for_line("ready to accept connections", kServerPatience))
    throw std::runtime_error("postgres takes no commands: " + child_->output());
}

void PostgresqlServer::end(int signal) {
  if (child_ == nullptr) return;
  child_->kill(signal);
  static_cast<void>(child_->wait(kServerPatience));
  child_.reset();
}

}  // namespace fastjournal::test
