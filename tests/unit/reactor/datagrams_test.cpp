// Datagram sockets: sent to one address, sent to a multicast group on the loopback, and read by the loop; and datagrams
// that nobody accepts.
#include "tests/unit/reactor/fixture.h"

#include <poll.h>

#include "platform/reactor/datagram_socket.h"

namespace fastjournal::reactor {
namespace {

std::string next_of(DatagramSocket const& socket) {
  pollfd one{socket.fd(), POLLIN, 0};
  if (::poll(&one, 1, 20'000) != 1) return "(nothing in time)";
  char bytes[4096];
  return {bytes, socket.receive(bytes)};
}

DatagramSocket opened(Result<DatagramSocket> socket) {
  BOOST_REQUIRE_MESSAGE(socket.ok(), socket.status().text());
  return std::move(socket).value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(datagrams)

BOOST_AUTO_TEST_CASE(one_computer_hears_what_is_sent_to_it) {
  DatagramSocket const reader = opened(DatagramSocket::at({{"127.0.0.1:0"}, ""}));
  DatagramSocket const sender = opened(DatagramSocket::to({{reader.text()}, ""}));
  BOOST_TEST(sender.send("one"));
  BOOST_TEST(next_of(reader) == "one");
}

BOOST_AUTO_TEST_CASE(everybody_in_a_group_hears_what_is_sent_once) {
  DatagramSocket const first = opened(DatagramSocket::at({{"239.255.71.1:0"}, "127.0.0.1"}));
  DatagramSocket const second = opened(DatagramSocket::at({{first.text()}, "127.0.0.1"}));
  DatagramSocket const sender = opened(DatagramSocket::to({{first.text()}, "127.0.0.1", 0}));
  BOOST_TEST(sender.send("all"));
  BOOST_TEST(next_of(first) == "all");
  BOOST_TEST(next_of(second) == "all");
}

BOOST_AUTO_TEST_CASE(mistakes_are_told) {
  BOOST_TEST(DatagramSocket::at({{"unix:/tmp/x"}, ""}).status().message().find("IP address") != std::string::npos);
  BOOST_TEST(DatagramSocket::to({{"239.1.2.3:4051"}, "eth0"}).status().message().find("eth0") != std::string::npos);
  DatagramSocket const taken = opened(DatagramSocket::at({{"127.0.0.1:0"}, ""}));
  BOOST_TEST(!DatagramSocket::at({{taken.text()}, ""}).ok());
}

BOOST_AUTO_TEST_CASE(the_loop_reads_and_sends_datagrams) {
  Server server;
  DatagramSocket const reader = opened(DatagramSocket::at({{"127.0.0.1:0"}, ""}));
  Result<ConnectionId> const out = server.reactor->open_datagrams_to({{reader.text()}, ""});
  Result<env::DatagramSocket> const in = server.reactor->receive_datagrams({{"127.0.0.1:0"}, ""});
  BOOST_REQUIRE((out.ok() && in.ok()));
  std::vector<std::string> heard;
  server.handler.datagram_hook = [&](ConnectionId id, std::string_view bytes) {
    if (id == in->id) heard.emplace_back(bytes);
    static_cast<void>(server.reactor->send_datagram(out.value(), bytes));
  };
  server.start();
  DatagramSocket const sender = opened(DatagramSocket::to({{in->bound.text}, ""}));
  std::string const large(env::kDatagramBytesMax + 500, 'x');
  BOOST_TEST(sender.send("one"));
  BOOST_TEST(sender.send(large));
  BOOST_TEST(next_of(reader) == "one");
  BOOST_TEST(next_of(reader).size() == env::kDatagramBytesMax + 1);
  server.finish();
  BOOST_TEST(heard.size() == 2U);
  server.reactor->close_datagrams(out.value());
  BOOST_TEST(!server.reactor->send_datagram(out.value(), "gone"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
