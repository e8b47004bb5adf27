// A command in a shell beside a real daemon, as its user types it.
#pragma once

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

#include "tests/integration/daemon.h"

namespace fastjournal::test {

struct Ran {
  int code{-1};  // -1 if it did not end
  std::string output;
};

// Environment variables by which commands find the daemon.
inline std::vector<std::string> shell_variables(RealDaemon const& daemon) {
  return {"FASTJOURNAL_SERVER=unix:" + (daemon.folder() / "socket").string(),
          "PATH=" FJ_BINARY_DIR "/bin:/usr/bin:/bin", "COLUMNS=100"};
}

// Runs in the daemon's folder; standard error is part of the output.
inline std::vector<std::string> shell_words(RealDaemon const& daemon, std::string const& command) {
  return {"/bin/sh", "-c", "cd '" + daemon.folder().string() + "' && " + command};
}

inline Ran run_in_shell(RealDaemon const& daemon, std::string const& command) {
  ChildOptions options;
  options.environment = shell_variables(daemon);
  ChildProcess child{shell_words(daemon, command), options};
  int const code = child.wait().value_or(-1);
  return {code, child.output()};
}

// A daemon that is started by its test and ended with it, and commands that must succeed.
struct ShellFixture {
  ~ShellFixture() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  std::string run(std::string const& command) {
    Ran const ran = run_in_shell(daemon, command);
    BOOST_TEST(ran.code == 0, command << ": " << ran.output);
    return ran.output;
  }
  RealDaemon daemon{""};
};

}  // namespace fastjournal::test
