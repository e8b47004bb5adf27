// The default address of `fastjournal`: programs of a checkout use the administrator's socket of its daemon, if it
// exists.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal::test;
namespace fs = std::filesystem;

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// A daemon as in README.md, and a checkout's folder around the command line.
struct Checkout {
  Checkout() {
    fs::create_directories(root / "build/dev/bin");
    fs::create_directories(root / "build/dev/plugins");
    fs::copy_file(FJ_BINARY_DIR "/bin/fastjournal", root / "build/dev/bin/fastjournal");
  }
  std::string run(std::vector<std::string> words) const {
    words.insert(words.begin(), root / "build/dev/bin/fastjournal");
    ChildProcess child{words};
    int const code = child.wait().value_or(-1);
    return child.output() + "exit " + std::to_string(code) + "\n";
  }
  RealDaemon daemon{""};
  fs::path root{daemon.folder()};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(default_address)

BOOST_FIXTURE_TEST_CASE(of_a_checkout_it_is_the_administrators_socket_beside_the_data, Checkout) {
  daemon.write("fastjournal.xml", "<fastjournal><listen address=\"127.0.0.1:0\"/></fastjournal>\n");
  daemon.listens_as_configured = true;
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  std::string const socket = "unix:" + (root / "data/fastjournal.sock").string();
  BOOST_TEST(daemon.local() == socket);
  BOOST_TEST(has(run({"ping"}), socket + " answers"));
  BOOST_TEST(has(run({"put", "jobs", "name=a"}), "inserted row"));
  BOOST_TEST(has(run({"work", "jobs", "--once", "--", "true"}), ": done"));
  BOOST_TEST(has(run({"tables", "--names"}), "jobs\n"));
  // An address on the command line takes precedence.
  BOOST_TEST(has(run({"--server", daemon.tcp(), "ping"}), daemon.tcp() + " answers"));
  BOOST_TEST(has(run({"--server", daemon.tcp(), "stop"}), "use the administrator's socket, " + socket));
  // A daemon that was killed leaves the socket file, but nobody listens there.
  daemon.kill(SIGKILL);
  daemon.wait();
  BOOST_TEST(fs::exists(root / "data/fastjournal.sock"));
  std::string const told = run({"ping"});
  BOOST_TEST(has(told, "cannot connect to " + socket), told);
  BOOST_TEST(has(told, "--server or FASTJOURNAL_SERVER names another one"), told);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(has(run({"stop"}), "the daemon has stopped"));
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  BOOST_TEST(!fs::exists(root / "data/fastjournal.sock"));
  // Where the daemon is that was built with it, no other is asked; where none is, there is the default of all clients.
  BOOST_TEST(has(run({"--timeout", "1ms", "ping"}), "127.0.0.1:4050"));
  fs::create_symlink(FJ_BINARY_DIR "/bin/fastjournald", root / "build/dev/bin/fastjournald");
  std::string const stopped = run({"ls", "jobs"});
  BOOST_TEST(has(stopped, "cannot connect to " + socket), stopped);
  BOOST_TEST(has(stopped, "exit 3"), stopped);
}

// The path of a unix socket has a maximum length. The default socket was not asked for, so the daemon serves without
// it.
BOOST_AUTO_TEST_CASE(a_daemon_that_cannot_have_the_default_socket_says_so_and_serves) {
  RealDaemon daemon{""};
  daemon.listens_as_configured = true;
  daemon.write("fastjournal.xml", "<fastjournal><listen address=\"127.0.0.1:0\"/></fastjournal>\n");
  std::vector<std::string> words = daemon.command_line();
  *(std::find(words.begin(), words.end(), "--data") + 1) = daemon.folder() / std::string(100, 'd');
  ChildProcess child{words};
  std::string tcp;
  for (auto line = child.read_line(); line && *line != "ready"; line = child.read_line())
    if (line->starts_with("listening ")) tcp = line->substr(10, line->find(' ', 10) - 10);
  BOOST_REQUIRE_MESSAGE(has(child.output(), "ready"), child.output());
  BOOST_TEST(has(child.output(), "no socket for the administrator"), child.output());
  LineClient client{tcp};
  BOOST_REQUIRE(client.send("STOP\n"));
  std::string const refused = client.read_line().value_or("");
  BOOST_TEST(has(refused, "has read add work manage: have it in rights="), refused);
  child.kill(SIGTERM);
  BOOST_TEST(child.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
