// `fastjournal top` on a terminal, with a daemon that stops answering: it says so, still reacts to keys at once, and
// continues when the daemon is back.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>

#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal::test;

// A program on a pseudo-terminal of 80 columns by 24 lines.
class OnTerminal {
 public:
  explicit OnTerminal(std::vector<std::string> const& words) : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    BOOST_REQUIRE(master_ >= 0);
    BOOST_REQUIRE(::grantpt(master_) == 0);
    BOOST_REQUIRE(::unlockpt(master_) == 0);
    winsize const size{24, 80, 0, 0};
    ::ioctl(master_, TIOCSWINSZ, &size);
    char const* const name = ::ptsname(master_);
    std::vector<char*> arguments;
    for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      int const slave = ::open(name, O_RDWR);
      for (int const fd : {0, 1, 2}) ::dup2(slave, fd);
      ::execv(arguments[0], arguments.data());
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

// Far less than the 30 s of a call without an answer, far more than a busy machine needs.
constexpr std::chrono::seconds kAtOnce{10};

struct Watched {
  Watched() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  ~Watched() {
    daemon.kill(SIGCONT);
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  std::vector<std::string> words() const {
    return {FJ_BINARY_DIR "/bin/fastjournal", "--server", daemon.local(), "top", "--interval", "100ms"};
  }
  RealDaemon daemon{""};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(top_beside_a_daemon_in_trouble)

BOOST_FIXTURE_TEST_CASE(q_ends_it_at_once_while_the_daemon_says_nothing, Watched) {
  OnTerminal top{words()};
  BOOST_REQUIRE_MESSAGE(top.shows("open   jobs"), top.seen());
  daemon.kill(SIGSTOP);
  BOOST_TEST(top.shows("no answer since 2"), top.seen());
  top.type("q");
  int status = -1;
  BOOST_TEST((top.end(status) < kAtOnce));
  BOOST_TEST(status == 0);
}

BOOST_FIXTURE_TEST_CASE(it_goes_on_with_a_daemon_that_was_killed_and_is_back, Watched) {
  OnTerminal top{words()};
  BOOST_REQUIRE_MESSAGE(top.shows("open   jobs"), top.seen());
  daemon.kill(SIGKILL);
  BOOST_TEST(daemon.wait().has_value());
  BOOST_TEST(top.shows("no answer since 2"), top.seen());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(top.shows("connections 1"), top.seen());
  daemon.kill(SIGKILL);
  BOOST_TEST(daemon.wait().has_value());
  BOOST_TEST(top.shows("no answer since 2"), top.seen());
  top.type("q");
  int status = -1;
  BOOST_TEST((top.end(status) < kAtOnce));
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_SUITE_END()
