// A program on a terminal, as somebody sees it who sits there.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/child_process.h"

namespace fastjournal::test {

// A program on a pseudo-terminal of 80 columns by 24 lines.
class OnTerminal {
 public:
  // `environment`: "NAME=value", added to the test's own.
  explicit OnTerminal(std::vector<std::string> const& words, std::vector<std::string> const& environment = {})
      : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    BOOST_REQUIRE(master_ >= 0);
    BOOST_REQUIRE(::grantpt(master_) == 0);
    BOOST_REQUIRE(::unlockpt(master_) == 0);
    winsize const size{24, 80, 0, 0};
    ::ioctl(master_, TIOCSWINSZ, &size);
    char const* const name = ::ptsname(master_);
    std::vector<char*> arguments;
    for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<char*> variables;
    for (std::string const& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
    for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
    variables.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      int const slave = ::open(name, O_RDWR);
      for (int const fd : {0, 1, 2}) ::dup2(slave, fd);
      ::execve(arguments[0], arguments.data(), variables.data());
      ::_exit(127);
    }
  }
  OnTerminal(OnTerminal const&) = delete;
  OnTerminal& operator=(OnTerminal const&) = delete;
  ~OnTerminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(master_);
  }

  void type(std::string_view keys) const { BOOST_REQUIRE(::write(master_, keys.data(), keys.size()) > 0); }
  // Reads until `text` has appeared since this call began.
  bool shows(std::string_view text) {
    seen_.clear();
    auto const until = std::chrono::steady_clock::now() + kPatience;
    while (seen_.find(text) == std::string::npos && std::chrono::steady_clock::now() < until)
      if (!read_some()) return false;
    return seen_.find(text) != std::string::npos;
  }
  // Waits for the end of the program; returns the time that it took. `status` is its exit status.
  std::chrono::milliseconds end(int& status) {
    auto const begin = std::chrono::steady_clock::now();
    while (read_some()) continue;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  }
  // What was read since the last shows() began.
  [[nodiscard]] std::string const& seen() const { return seen_; }

 private:
  bool read_some() {
    pollfd one{master_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(kPatience.count())) <= 0) return false;
    char buffer[4096];
    ssize_t const got = ::read(master_, buffer, sizeof buffer);
    if (got <= 0) return false;
    seen_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int master_;
  pid_t pid_{-1};
  std::string seen_;
};

}  // namespace fastjournal::test
