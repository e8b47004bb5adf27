// Datagrams on unix sockets: senders are known by their credentials and answered at their address if they have one; and
// whatever senders do (no address, full queues, descriptors sent along, their end) costs nobody else anything.
#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include "tests/unit/reactor/fixture.h"

namespace {
// Of the last file whose mode was changed, before that.
mode_t mode_before_chmod = 0;
}  // namespace

// Replaces the C library's function, as the moment between bind and chmod cannot be observed otherwise.
extern "C" int chmod(char const* path, mode_t mode) {
  struct stat found {};
  if (::stat(path, &found) == 0) mode_before_chmod = found.st_mode & 0777U;
  return reinterpret_cast<int (*)(char const*, mode_t)>(::dlsym(RTLD_NEXT, "chmod"))(path, mode);
}

namespace fastjournal::reactor {
namespace {

// A client's socket, bound to a path, to NUL and a name, or not at all.
class Client {
 public:
  explicit Client(std::string const& name = {}) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    BOOST_REQUIRE(fd_.valid());
    if (name.empty()) return;
    sockaddr_un address{};
    socklen_t const size = fill(address, name);
    BOOST_REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  }
  bool send(std::string const& path, std::string_view bytes, int also = -1) const {
    sockaddr_un address{};
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_name = &address;
    message.msg_namelen = fill(address, path);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof also)] = {};
    if (also >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof also);
      std::memcpy(CMSG_DATA(rights), &also, sizeof also);
    }
    return ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  std::string next() const {
    pollfd one{fd_.get(), POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(test::kPatience.count())) != 1) return "(nothing in time)";
    char bytes[4096];
    ssize_t const got = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    return {bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

 private:
  static socklen_t fill(sockaddr_un& address, std::string const& name) {
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (name.starts_with('\0') ? 0 : 1));
  }

  UniqueFd fd_;
};

struct Heard {
  ConnectionId socket{};
  std::string bytes;
  std::string from;
  std::string text;
  std::string origin;
  std::uint32_t listener{0};
};

// Answers each datagram with its bytes, at once.
struct DatagramServer : Server {
  DatagramServer() {
    handler.local_datagram_hook = [this](ConnectionId id, std::string_view bytes, std::string_view from,
                                         env::Peer const& peer) {
      heard.push_back(
          {id, std::string{bytes}, std::string{from}, std::string{peer.text}, std::string{peer.origin}, peer.listener});
      answered.push_back(reactor->send_local_datagram(id, from, bytes));
      if (bytes == "stop") reactor->stop();
    };
  }
  ~DatagramServer() { finish(); }

  env::DatagramSocket receive(std::string const& at, env::ListenOptions const& options = {}) {
    auto socket = reactor->receive_local_datagrams({at}, options);
    BOOST_REQUIRE_MESSAGE(socket.ok(), socket.status().text());
    return socket.value();
  }

  TemporaryFolder folder;
  std::string path{folder / "a.sock"};
  std::vector<Heard> heard;
  std::vector<bool> answered;
};

std::size_t open_descriptors() {
  std::size_t out = 0;
  for ([[maybe_unused]] auto const& one : std::filesystem::directory_iterator{"/proc/self/fd"}) ++out;
  return out;
}

void leave_stale_file(std::string const& path, int type) {
  auto const address = parse_address(path);
  UniqueFd const fd{::socket(AF_UNIX, type, 0)};
  BOOST_REQUIRE(::bind(fd.get(), address->get(), address->length) == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(local_datagrams)

BOOST_AUTO_TEST_CASE(senders_are_named_and_answered) {
  DatagramServer server;
  env::DatagramSocket const socket = server.receive("unix:" + server.path, {.number = 7});
  BOOST_TEST(socket.bound.text == "unix:" + server.path);
  server.start();
  std::string const path = server.folder / "client.sock";
  std::string const abstract = std::string{"\0fastjournal-test-", 18} + server.folder.path().filename().string();
  Client const named{path};
  BOOST_TEST(named.send(server.path, "one"));
  BOOST_TEST(named.next() == "one");
  Client const without_file{abstract};
  BOOST_TEST(without_file.send(server.path, "two"));
  BOOST_TEST(without_file.next() == "two");
  server.finish();
  BOOST_REQUIRE(server.heard.size() == 2U);
  for (Heard const& one : server.heard) {
    BOOST_TEST((one.socket == socket.id));
    BOOST_TEST(one.text == "unix:pid " + std::to_string(::getpid()) + " uid " + std::to_string(::getuid()));
    BOOST_TEST(one.origin == "uid:" + std::to_string(::getuid()));
    BOOST_TEST(one.listener == 7U);
  }
  BOOST_TEST(server.heard[0].from == path);
  BOOST_TEST((server.heard[1].from == abstract));
}

BOOST_AUTO_TEST_CASE(a_sender_without_an_address_is_heard_and_cannot_be_answered) {
  DatagramServer server;
  server.receive(server.path);
  server.start();
  Client const unnamed;
  BOOST_TEST(unnamed.send(server.path, "one"));
  BOOST_TEST(unnamed.send(server.path, "stop"));
  server.join();
  BOOST_REQUIRE(server.heard.size() == 2U);
  BOOST_TEST(server.heard[0].from.empty());
  BOOST_TEST((server.answered == std::vector<bool>{false, false}));
}

// The path means another file in the server's folder.
BOOST_AUTO_TEST_CASE(a_sender_with_a_relative_path_is_not_answered) {
  DatagramServer server;
  server.receive(server.path);
  server.start();
  std::string const before = std::filesystem::current_path().string();
  std::filesystem::current_path(server.folder.path());
  Client const relative{"client.sock"};
  std::filesystem::current_path(before);
  BOOST_TEST(relative.send(server.path, "stop"));
  server.join();
  BOOST_REQUIRE(server.heard.size() == 1U);
  BOOST_TEST(server.heard[0].from.empty());
}

BOOST_AUTO_TEST_CASE(long_datagrams_are_cut_and_empty_ones_are_nothing) {
  DatagramServer server;
  server.receive(server.path);
  server.start();
  Client const client{server.folder / "client.sock"};
  BOOST_TEST(client.send(server.path, ""));
  BOOST_TEST(client.send(server.path, std::string(env::kDatagramBytesMax + 500, 'x')));
  BOOST_TEST(client.next().size() == env::kDatagramBytesMax + 1);
  server.finish();
  BOOST_TEST(server.heard.size() == 1U);
}

BOOST_AUTO_TEST_CASE(descriptors_that_come_along_are_closed) {
  DatagramServer server;
  server.receive(server.path);
  server.start();
  Client const client{server.folder / "client.sock"};
  BOOST_TEST(client.send(server.path, "x"));
  BOOST_TEST(client.next() == "x");
  std::size_t const before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST(client.send(server.path, "y", STDIN_FILENO));
    BOOST_TEST(client.next() == "y");
  }
  BOOST_TEST(open_descriptors() == before);
  server.finish();
  BOOST_TEST(server.heard.back().origin == "uid:" + std::to_string(::getuid()));
}

// Until its queue is full; then answers are lost, the loop goes on, and others get theirs.
BOOST_AUTO_TEST_CASE(a_receiver_that_does_not_read_loses_its_answers_alone) {
  DatagramServer server;
  server.receive(server.path);
  server.start();
  Client const deaf{server.folder / "deaf.sock"};
  Client const other{server.folder / "other.sock"};
  for (int i = 0; i < 5000; ++i) BOOST_REQUIRE(deaf.send(server.path, "x"));
  BOOST_TEST(other.send(server.path, "y"));
  BOOST_TEST(other.next() == "y");
  server.finish();
  BOOST_TEST(server.heard.size() == 5001U);
  BOOST_TEST(std::ranges::count(server.answered, false) > 0);
  BOOST_TEST(server.answered.back());
}

BOOST_AUTO_TEST_CASE(a_receiver_that_is_gone_loses_its_answer) {
  DatagramServer server;
  env::DatagramSocket const socket = server.receive(server.path);
  std::string const path = server.folder / "client.sock";
  { Client const gone{path}; }
  BOOST_TEST(!server.reactor->send_local_datagram(socket.id, path, "x"));
  std::filesystem::remove(path);
  BOOST_TEST(!server.reactor->send_local_datagram(socket.id, path, "x"));
  BOOST_TEST(!server.reactor->send_local_datagram(socket.id, "", "x"));
  BOOST_TEST(!server.reactor->send_local_datagram(socket.id, std::string_view{"\0", 1}, "x"));
  BOOST_TEST(!server.reactor->send_local_datagram(socket.id, "/" + std::string(500, 'x'), "x"));
  BOOST_TEST(!server.reactor->send_local_datagram(ConnectionId{1}, path, "x"));
  Client const back{path};
  BOOST_TEST(server.reactor->send_local_datagram(socket.id, path, "x"));
  BOOST_TEST(back.next() == "x");
}

// More datagrams than a look reads do not keep connections from being served.
BOOST_AUTO_TEST_CASE(a_flood_of_datagrams_leaves_turns_for_others) {
  DatagramServer server;
  std::string const stream = server.listen("unix:" + (server.folder / "b.sock"));
  server.receive(server.path);
  std::atomic<bool> flooding{true};
  server.start();
  std::thread flood{[&] {
    Client const client;
    while (flooding) client.send(server.path, "x");
  }};
  LineClient client{stream};
  for (int i = 0; i < 50; ++i) BOOST_TEST(client.ask("line") == "line");
  flooding = false;
  flood.join();
  server.finish();
}

BOOST_AUTO_TEST_CASE(the_file_of_the_socket_has_the_rules_of_listeners) {
  DatagramServer server;
  std::string const& path = server.path;
  leave_stale_file(path, SOCK_DGRAM);
  BOOST_TEST(Reactor::can_receive_local_datagrams({path}).ok());
  server.receive(path, {.number = 1, .unix_mode = 0620});
  struct stat found {};
  BOOST_REQUIRE(::stat(path.c_str(), &found) == 0);
  BOOST_TEST((found.st_mode & 0777U) == 0620U);
  // Alive: it is not replaced, neither by datagrams of another process nor by a listener.
  BOOST_TEST((Reactor::can_receive_local_datagrams({path}).code() == Code::in_use));
  BOOST_TEST((Reactor::can_listen({path}).code() == Code::in_use));
  Server other;
  BOOST_TEST((other.reactor->receive_local_datagrams({path}, {}).status().code() == Code::in_use));
  BOOST_TEST((other.reactor->listen({path}, {}).status().code() == Code::in_use));
  // Nor a listener by datagrams.
  std::string const stream = server.folder / "stream.sock";
  server.listen(stream);
  BOOST_TEST((other.reactor->receive_local_datagrams({stream}, {}).status().code() == Code::in_use));
  std::ofstream{server.folder / "file"} << "a person's file";
  BOOST_TEST((other.reactor->receive_local_datagrams({server.folder / "file"}, {}).status().code() == Code::in_use));
  BOOST_TEST((other.reactor->receive_local_datagrams({"127.0.0.1:0"}, {}).status().code() == Code::bad_parameter));
  // It goes with its socket, unless another file has its name.
  server.reactor->stop_listening(1);
  BOOST_TEST(!std::filesystem::exists(path));
  server.receive(path, {.number = 2});
  std::filesystem::rename(path, server.folder / "moved");
  leave_stale_file(path, SOCK_DGRAM);
  server.reactor->stop_listening(2);
  BOOST_TEST(std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(the_file_is_never_open_to_more_than_its_mode) {
  DatagramServer server;
  mode_t const before = ::umask(0);
  server.receive(server.path, {.unix_mode = 0600});
  ::umask(before);
  BOOST_TEST(mode_before_chmod == 0600U);
}

BOOST_AUTO_TEST_CASE(one_socket_takes_the_place_of_another_and_nothing_is_lost) {
  DatagramServer server;
  env::DatagramSocket const first = server.receive(server.path, {.number = 1, .unix_mode = 0600});
  Client const client{server.folder / "client.sock"};
  BOOST_TEST(client.send(server.path, "one"));
  env::DatagramSocket const second = server.receive(server.path, {.number = 2, .unix_mode = 0660});
  BOOST_TEST((first.id != second.id));
  server.reactor->stop_listening(1);
  BOOST_TEST(client.send(server.path, "two"));
  BOOST_TEST(!server.reactor->send_local_datagram(first.id, server.folder / "client.sock", "x"));
  server.start();
  BOOST_TEST(client.next() == "one");
  BOOST_TEST(client.next() == "two");
  server.finish();
  BOOST_REQUIRE(server.heard.size() == 2U);
  for (Heard const& one : server.heard) BOOST_TEST((one.socket == second.id));
  struct stat found {};
  BOOST_REQUIRE(::stat(server.path.c_str(), &found) == 0);
  BOOST_TEST((found.st_mode & 0777U) == 0660U);
  server.reactor->close_datagrams(second.id);
  BOOST_TEST(!std::filesystem::exists(server.path));
}

BOOST_AUTO_TEST_CASE(the_handler_may_end_the_socket_in_the_middle_of_its_datagrams) {
  DatagramServer server;
  server.receive(server.path, {.number = 1});
  server.handler.local_datagram_hook = [&](ConnectionId, std::string_view bytes, std::string_view, env::Peer const&) {
    server.heard.push_back({{}, std::string{bytes}, {}, {}, {}, 0});
    server.reactor->stop_listening(1);
    server.reactor->stop();
  };
  Client const client;
  for (int i = 0; i < 3; ++i) BOOST_TEST(client.send(server.path, "x"));
  server.start();
  server.join();
  BOOST_TEST(server.heard.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
