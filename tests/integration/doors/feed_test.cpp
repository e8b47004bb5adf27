// The change feed of the real daemon by multicast on the loopback, followed by `fastjournal feed`; and inserts that
// arrive as datagrams.
#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>

#include "tests/integration/daemon.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

constexpr char kGroup[] = "239.255.71.2";

// Reserves a port of the group: no other program gets it during the test, and followers can share it.
class GroupPort {
 public:
  GroupPort() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    int const on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, kGroup, &address.sin_addr);
    BOOST_REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    text_ = std::string{kGroup} + ":" + std::to_string(ntohs(address.sin_port));
  }
  ~GroupPort() { ::close(fd_); }
  GroupPort(GroupPort const&) = delete;
  GroupPort& operator=(GroupPort const&) = delete;
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  int fd_;
  std::string text_;
};

void send_datagram(std::string const& to, std::string const& text) {
  std::size_t const colon = to.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(to.substr(colon + 1))));
  BOOST_REQUIRE(::inet_pton(AF_INET, to.substr(0, colon).c_str(), &address.sin_addr) == 1);
  int const fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  BOOST_TEST(::sendto(fd, text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&address), sizeof address) ==
             static_cast<ssize_t>(text.size()));
  ::close(fd);
}

std::string digest_of_daemon(RealDaemon& daemon) {
  LineClient client{daemon.local()};
  std::string const answer = client.ask("DIGEST table=jobs");  // the message has views into it
  Message message;
  BOOST_REQUIRE(protocol::parse_line(answer, message).ok());
  return std::string{message.text("digest")};
}

struct Fed {
  Fed() : daemon("<feed address=\"" + port.text() + "\" interface=\"127.0.0.1\" ttl=\"0\"/>") {
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  ~Fed() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
  }
  [[nodiscard]] std::vector<std::string> feed(std::vector<std::string> const& more) const {
    std::vector<std::string> words{FJ_BINARY_DIR "/bin/fastjournal",
                                   "--server",
                                   daemon.tcp(),
                                   "feed",
                                   "jobs",
                                   "--plugins",
                                   daemon.plugins,
                                   "--interface",
                                   "127.0.0.1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  GroupPort port;
  RealDaemon daemon;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(feed_of_the_real_daemon)

BOOST_FIXTURE_TEST_CASE(a_follower_prints_each_change_as_it_comes_by_multicast, Fed) {
  LineClient client{daemon.tcp()};
  for (int i = 0; i < 100; ++i)
    BOOST_TEST(client.ask("INSERT table=jobs;name=before" + std::to_string(i)).starts_with("INSERTED "));
  ChildProcess follower{feed({"--follow", "--json"})};
  // The snapshot: the schema and the rows.
  for (int i = 0; i < 101; ++i) {
    std::string const line = follower.read_line().value_or("(nothing)");
    BOOST_REQUIRE_MESSAGE(line.find("\"restated\":true") != std::string::npos, line);
  }
  // After the first change it listens, and further changes come by datagram.
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST(client.ask("INSERT table=jobs;name=after" + std::to_string(i)).starts_with("INSERTED "));
    std::string const line = follower.read_line().value_or("(nothing)");
    BOOST_REQUIRE_MESSAGE(line.find("\"restated\":false") != std::string::npos, line);
  }
  BOOST_TEST(client.ask("INSERT table=jobs;name=large;payload=" + std::string(5000, 'x')).starts_with("INSERTED "));
  BOOST_TEST(follower.read_line().value_or("(nothing)").find("\"restated\":false") != std::string::npos);
  follower.kill(SIGTERM);
  BOOST_TEST(follower.wait().value_or(-1) == 0);
  BOOST_TEST(follower.output().find(" 1 snapshots") != std::string::npos, follower.output().substr(0, 2000));
  BOOST_TEST(follower.output().find(" 0 datagrams") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(its_digest_is_the_daemons_also_after_a_restart, Fed) {
  LineClient client{daemon.tcp()};
  for (int i = 0; i < 50; ++i)
    client.ask("INSERT table=jobs;name=n" + std::to_string(i) + ";client=p;sequence=" + std::to_string(i + 1));
  client.ask("NEXT table=jobs");
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  ChildProcess follower{feed({"--digest", "--json"})};
  std::string const line = follower.read_line().value_or("(nothing)");
  std::string const expected = digest_of_daemon(daemon);
  BOOST_TEST(line.find("\"digest\":\"" + expected + "\"") != std::string::npos,
             line << ", the daemon has " << expected);
  BOOST_TEST(follower.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(inserts_come_by_udp_with_the_secret_only) {
  RealDaemon daemon{""};
  daemon.write("secret", "open sesame\n");
  daemon.write("fastjournal.xml", "<fastjournal><udp address=\"127.0.0.1:0\" secret-file=\"secret\"/></fastjournal>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  send_datagram(daemon.udp(), "INSERT table=jobs;name=a;secret_code=open sesame");
  send_datagram(daemon.udp(), "INSERT table=jobs;name=b;secret_code=guessed");
  send_datagram(daemon.udp(), "INSERT table=jobs;name=c");
  LineClient client{daemon.tcp()};
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  std::string answer;  // the message has views into it
  Message stats;
  do {
    answer = client.ask("STATS");
    BOOST_REQUIRE(protocol::parse_line(answer, stats).ok());
    static_cast<void>(client.read_line());  // the table's
  } while (stats.integer("udp_messages").value_or(0) < 3 && std::chrono::steady_clock::now() < end);
  BOOST_TEST(stats.integer("udp_messages").value_or(0) == 3);
  BOOST_TEST(stats.integer("udp_wrong_secret").value_or(0) == 2);
  BOOST_TEST(client.ask("PEEK table=jobs;name=a").starts_with("ROW "));
  BOOST_TEST(client.ask("PEEK table=jobs;name=b").starts_with("ERROR "));
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  BOOST_TEST(daemon.output().find("sesame") == std::string::npos);
  BOOST_TEST(daemon.output().find("guessed") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_secret_that_is_not_there_stops_the_start) {
  RealDaemon daemon{""};
  daemon.write("fastjournal.xml", "<fastjournal><udp address=\"127.0.0.1:0\" secret-file=\"gone\"/></fastjournal>\n");
  BOOST_TEST(!daemon.start());
  BOOST_TEST(daemon.output().find("expected a file whose first line is the secret") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
