// Socket activation with the real daemon: another process opens the sockets, passes them as descriptors from 3 on, and
// keeps them. A shell stands in for the supervisor: it sets the variables under its own process id, and becomes the
// daemon.
#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/integration/daemon.h"

namespace fastjournal::test {
namespace {

bool passed_sockets_has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Inherited by what the test starts.
struct Descriptor {
  // Above the numbers that it is passed under.
  explicit Descriptor(int number) : fd(::fcntl(number, F_DUPFD, 20)) {
    ::close(number);
    BOOST_REQUIRE(fd >= 0);
  }
  ~Descriptor() { ::close(fd); }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  int fd;
};

struct Internet : Descriptor {
  explicit Internet(int type = SOCK_STREAM, bool listens = true) : Descriptor(::socket(AF_INET, type, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    text = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    if (listens && type == SOCK_STREAM) BOOST_REQUIRE(::listen(fd, 16) == 0);
  }
  std::string text;
};

struct Local : Descriptor {
  explicit Local(std::string const& path) : Descriptor(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    BOOST_REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    BOOST_REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    BOOST_REQUIRE(::listen(fd, 16) == 0);
  }
};

struct Supervised {
  Supervised() { daemon.listens_as_configured = true; }
  ~Supervised() {
    if (is_running) end();
  }
  void configure(std::string const& listeners) const {
    daemon.write("fastjournal.xml", "<fastjournal>\n" + listeners + "</fastjournal>\n");
  }
  void pass(std::vector<int> const& descriptors) {
    std::string variables = "LISTEN_PID=$$ LISTEN_FDS=" + std::to_string(descriptors.size()) + " LISTEN_FDNAMES=";
    for (std::size_t n = 0; n < descriptors.size(); ++n) variables += (n == 0 ? "s" : ":s") + std::to_string(n);
    daemon.descriptors = descriptors;
    daemon.wrapper = {"/bin/sh", "-c", variables + " exec \"$@\"", "sh"};
  }
  bool start() { return is_running = daemon.start(); }
  void end() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
    is_running = false;
  }

  RealDaemon daemon{""};
  bool is_running{false};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(passed_sockets, Supervised)

BOOST_AUTO_TEST_CASE(they_are_used_and_nobody_is_refused_between_two_daemons) {
  Internet const tcp;
  std::string const path = (daemon.folder() / "passed.sock").string();
  Local const local{path};
  configure("<listen address=\"" + tcp.text + "\"/>\n<socket path=\"passed.sock\" rights=\"all\"/>\n");
  pass({tcp.fd, local.fd});
  BOOST_REQUIRE_MESSAGE(start(), daemon.output());
  BOOST_TEST(
      passed_sockets_has(daemon.output(), "listening " + tcp.text + " (messages, rights read add work manage)\n"),
      daemon.output());
  BOOST_TEST(passed_sockets_has(daemon.output(),
                                "listening unix:" + path + " (messages, rights read add work manage admin)\n"),
             daemon.output());
  BOOST_TEST(LineClient{tcp.text}.ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  BOOST_TEST(passed_sockets_has(LineClient{"unix:" + path}.ask("STATS"), "connections="));
  end();
  BOOST_TEST(std::filesystem::exists(path));
  LineClient early{tcp.text};
  LineClient administrator{path};
  BOOST_REQUIRE(early.send("LIST table=jobs\n"));
  BOOST_REQUIRE(administrator.send("ALIVE\n"));
  BOOST_REQUIRE_MESSAGE(start(), daemon.output());
  BOOST_TEST(passed_sockets_has(early.read_line().value_or("(nothing)"), "name=a"));
  BOOST_TEST(passed_sockets_has(administrator.read_line().value_or("(nothing)"), "ABSOLUTELY"));
}

BOOST_AUTO_TEST_CASE(a_listener_of_a_table_is_passed_as_well_and_comes_back_with_its_file) {
  Internet const tcp;
  configure("<listen address=\"127.0.0.1:0\"/>\n<socket path=\"own.sock\" rights=\"all\"/>\n");
  std::string const listeners = "<listeners><listen address=\"" + tcp.text + "\"/></listeners>";
  daemon.write_table("jobs", listeners);
  pass({tcp.fd});
  BOOST_REQUIRE_MESSAGE(start(), daemon.output());
  BOOST_TEST(LineClient{tcp.text}.ask("INSERT name=a").starts_with("INSERTED "));
  LineClient administrator{(daemon.folder() / "own.sock").string()};
  daemon.write_table("jobs", "");
  BOOST_TEST(administrator.ask("RELOAD").starts_with("RELOADED "));
  LineClient waits{tcp.text};
  BOOST_REQUIRE(waits.send("LIST\n"));
  daemon.write_table("jobs", listeners);
  for (std::string const line : {"RELOAD dry_run=1", "RELOAD"})
    BOOST_TEST(passed_sockets_has(administrator.ask(line), "table jobs: listens on " + tcp.text));
  BOOST_TEST(passed_sockets_has(waits.read_line().value_or("(nothing)"), "name=a"));
}

BOOST_AUTO_TEST_CASE(one_that_no_listener_names_ends_the_start) {
  Internet const named;
  Internet const unnamed;
  configure("<listen address=\"" + named.text + "\"/>\n");
  pass({named.fd, unnamed.fd});
  BOOST_TEST(!start());
  BOOST_TEST(daemon.wait().value_or(0) == 1);
  BOOST_TEST(passed_sockets_has(daemon.output(), "the socket \"s1\" that was passed as descriptor 4: it listens on " +
                                                     unnamed.text + ", which no <listen> or <socket>"),
             daemon.output());
  BOOST_TEST(!std::filesystem::exists(daemon.folder() / "data"));
}

BOOST_AUTO_TEST_CASE(one_of_a_wrong_kind_ends_the_start) {
  Internet const datagrams{SOCK_DGRAM};
  Internet const silent{SOCK_STREAM, false};
  Descriptor const file{::open("/dev/null", O_RDONLY)};
  struct {
    int fd;
    std::string text;
    std::string words;
  } const kinds[] = {{datagrams.fd, datagrams.text, "it is for datagrams at " + datagrams.text},
                     {silent.fd, silent.text, "it does not listen, at " + silent.text},
                     {file.fd, "127.0.0.1:0", "it is no socket"}};
  for (auto const& kind : kinds) {
    configure("<listen address=\"" + kind.text + "\"/>\n");
    pass({kind.fd});
    BOOST_TEST(!start());
    BOOST_TEST(daemon.wait().value_or(0) == 1);
    BOOST_TEST(passed_sockets_has(daemon.output(), "the socket \"s0\" that was passed as descriptor 3: " + kind.words),
               daemon.output());
  }
}

// They are meant for a process between both.
BOOST_AUTO_TEST_CASE(variables_of_another_process_are_not_ours) {
  Internet const tcp;
  configure("<listen address=\"127.0.0.1:0\"/>\n");
  daemon.descriptors = {tcp.fd};
  daemon.wrapper = {"/bin/sh", "-c", "LISTEN_PID=1 LISTEN_FDS=1 exec \"$@\"", "sh"};
  BOOST_REQUIRE_MESSAGE(start(), daemon.output());
  BOOST_TEST(!passed_sockets_has(daemon.output(), tcp.text), daemon.output());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
