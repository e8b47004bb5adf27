// A PostgreSQL server of a test or a bench, with fresh data in a temporary folder. Listens on a unix socket in that
// folder, and on no port unless its settings say so. As root it runs as the user of its package.
#pragma once

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

// The path of an installed program; throws std::runtime_error that names the Debian package.
[[nodiscard]] std::string find_program(std::string const& name, std::string const& package,
                                       std::vector<std::string> const& folders = {});

class PostgresqlServer {
 public:
  // `user`: its superuser, who may log in without a password. `settings`: "name=value". Made, and not started. Throws
  // std::runtime_error with the reason.
  explicit PostgresqlServer(std::string const& user, std::vector<std::string> settings = {});
  ~PostgresqlServer() { end(SIGQUIT); }
  PostgresqlServer(PostgresqlServer const&) = delete;
  PostgresqlServer& operator=(PostgresqlServer const&) = delete;

  // Returns when it takes commands.
  void start();
  // SIGINT: in order; SIGQUIT: at once.
  void end(int signal);
  [[nodiscard]] ChildProcess& child() { return *child_; }
  [[nodiscard]] ChildProcess const& child() const { return *child_; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path() / "data"; }
  // The folder of its socket, as `host` of clients.
  [[nodiscard]] std::string host() const { return folder_.path().string(); }
  // Of a program of its own, as psql.
  [[nodiscard]] std::string program(std::string const& name) const;

 private:
  std::string user_;
  std::vector<std::string> settings_;
  std::vector<std::string> as_user_;
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace fastjournal::test
