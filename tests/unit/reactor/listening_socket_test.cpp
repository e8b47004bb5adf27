// Listening sockets: the port, the owner of the socket file, and its removal.
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "platform/reactor/listening_socket.h"
#include "tests/support/line_client.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::reactor {
namespace {

Result<std::unique_ptr<ListeningSocket>> open(std::string const& text, mode_t mode = 0660) {
  auto address = parse_address(text);
  BOOST_REQUIRE(address.ok());
  return ListeningSocket::open(address.value(), mode);
}

// Leaves a socket file on which nobody listens any more.
void leave_stale_file(std::string const& path) {
  auto address = parse_address(path);
  BOOST_REQUIRE(address.ok());
  UniqueFd const fd{::socket(AF_UNIX, SOCK_STREAM, 0)};
  BOOST_REQUIRE(::bind(fd.get(), address->get(), address->length) == 0);
}

Status probe(std::string const& text) {
  auto address = parse_address(text);
  BOOST_REQUIRE(address.ok());
  return ListeningSocket::probe(address.value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(listening_socket)

BOOST_AUTO_TEST_CASE(a_probe_says_what_open_would_and_leaves_nothing) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "socket";
  BOOST_TEST(probe("127.0.0.1:0").ok());
  BOOST_TEST(probe(path).ok());
  BOOST_TEST(!std::filesystem::exists(path));
  auto const tcp = open("127.0.0.1:0");
  BOOST_REQUIRE(tcp.ok());
  BOOST_TEST((probe(tcp.value()->text()).code() == Code::in_use));
  {
    auto const local = open(path);
    BOOST_REQUIRE(local.ok());
    BOOST_TEST((probe(path).code() == Code::in_use));
  }
  leave_stale_file(path);
  BOOST_TEST(probe(path).ok());
  BOOST_TEST(std::filesystem::exists(path));
  std::ofstream{folder / "file"} << "text";
  BOOST_TEST((probe(folder / "file").code() == Code::in_use));
  BOOST_TEST(!probe(folder / "file/socket").ok());
  BOOST_TEST(!probe(folder / "nowhere/socket").ok());
  BOOST_TEST(!probe("192.0.2.1:0").ok());
}

BOOST_AUTO_TEST_CASE(port_zero_is_resolved) {
  auto const socket = open("127.0.0.1:0");
  BOOST_REQUIRE(socket.ok());
  BOOST_TEST(socket.value()->text().starts_with("127.0.0.1:"));
  BOOST_TEST(!socket.value()->text().ends_with(":0"));
}

BOOST_AUTO_TEST_CASE(a_port_that_is_taken_is_in_use) {
  auto const first = open("127.0.0.1:0");
  BOOST_REQUIRE(first.ok());
  auto const second = open(first.value()->text());
  BOOST_REQUIRE(!second.ok());
  BOOST_TEST((second.status().code() == Code::in_use));
  BOOST_TEST(second.status().message().find(first.value()->text()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_address_of_another_computer_is_refused_with_its_name) {
  auto const socket = open("192.0.2.1:0");
  BOOST_REQUIRE(!socket.ok());
  BOOST_TEST(socket.status().message().find("192.0.2.1:0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_socket_file_has_its_mode_and_goes_with_its_listener) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  {
    auto const socket = open(path, 0600);
    BOOST_REQUIRE(socket.ok());
    struct stat found {};
    BOOST_REQUIRE(::stat(path.c_str(), &found) == 0);
    BOOST_TEST((found.st_mode & 0777U) == 0600U);
  }
  BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(a_stale_socket_file_is_replaced) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  leave_stale_file(path);
  auto const socket = open(path);
  BOOST_REQUIRE_MESSAGE(socket.ok(), socket.status().text());
  test::LineClient const client{path};
}

BOOST_AUTO_TEST_CASE(a_socket_file_in_use_is_left_alone) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  auto const first = open(path);
  BOOST_REQUIRE(first.ok());
  auto const second = open(path);
  BOOST_REQUIRE(!second.ok());
  BOOST_TEST((second.status().code() == Code::in_use));
  test::LineClient const client{path};
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_socket_is_left_alone) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  std::ofstream{path} << "a person's file";
  auto const socket = open(path);
  BOOST_REQUIRE(!socket.ok());
  BOOST_TEST((socket.status().code() == Code::in_use));
  BOOST_TEST(std::filesystem::file_size(path) == 15U);
}

BOOST_AUTO_TEST_CASE(a_successor_keeps_its_socket_file_when_the_former_listener_ends) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  auto first = open(path);
  BOOST_REQUIRE(first.ok());
  std::filesystem::rename(path, folder / "moved.sock");
  auto const second = open(path);
  BOOST_REQUIRE(second.ok());
  first.value().reset();
  test::LineClient const client{path};
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_missing_is_named) {
  test::TemporaryFolder const folder;
  auto const socket = open(folder / "no/such.sock");
  BOOST_REQUIRE(!socket.ok());
  BOOST_TEST(socket.status().message().find("no/such.sock: No such file or directory") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
