// The simulated network alone, held against what the reactor promises: ranges of files, descriptors, the end of output,
// and datagrams of users of this computer.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "tests/sim/sim_disk.h"
#include "tests/world/sim_network.h"

namespace fastjournal::sim::sim_network_test {
namespace {

struct Handler final : env::NetworkHandler {
  void on_open(ConnectionId, env::Peer const&) override {}
  void on_bytes(ConnectionId, std::string_view) override {}
  void on_writable(ConnectionId id) override {
    ++writable;
    if (writable_hook) writable_hook(id);
  }
  void on_end_of_input(ConnectionId) override { ++ended; }
  void on_closed(ConnectionId, std::string_view reason) override { closed.emplace_back(reason); }
  void on_local_datagram(ConnectionId, std::string_view bytes, std::string_view from, env::Peer const& peer) override {
    heard.push_back(std::string{bytes} + " from " + std::string{from} + " of " + std::string{peer.origin} + " by " +
                    std::to_string(peer.listener));
  }
  void on_timer() override {}
  void on_turn_end() override {}

  std::function<void(ConnectionId)> writable_hook;
  int writable{0};
  int ended{0};
  std::vector<std::string> closed;
  std::vector<std::string> heard;
};

struct Fixture {
  Fixture() {
    network.attach(&handler);
    auto made = disk.open("data", env::OpenMode::create_new);
    BOOST_REQUIRE(made.ok());
    file = std::move(made).value();
    BOOST_REQUIRE(file->write(0, as_bytes(content)).ok());
  }
  void turns(int count = 3) {
    for (int i = 0; i < count; ++i) network.turn(0);
  }

  SimDisk disk;
  SimNetwork network;
  Handler handler;
  std::string const content = std::string((3U << 20U) / 2, 'a') + "the end";
  std::unique_ptr<env::File> file;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sim_network, Fixture)

BOOST_AUTO_TEST_CASE(a_range_of_a_file_comes_in_bounded_parts) {
  ConnectionId const id = network.connect("sim:client");
  std::uint64_t at = 0;
  auto const give = [&](ConnectionId to) {
    if (at < content.size()) at += network.send_file(to, *file, at, content.size() - at).value();
  };
  handler.writable_hook = give;
  give(id);
  BOOST_TEST(at == env::kSendFileBytesMax);
  turns();
  BOOST_TEST(handler.writable == 1);
  BOOST_TEST((network.at(id).to_client == content));
  network.at(id).room = 5;
  BOOST_TEST(network.send_file(id, *file, 0, 10).value() == 5U);
  BOOST_TEST(network.send_file(id, *file, 0, 10).value() == 0U);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_is_a_failure_and_a_peer_that_is_gone_is_none) {
  ConnectionId const id = network.connect("sim:client");
  BOOST_CHECK(network.send_file(id, *file, content.size(), 1).status().code() == Code::damaged);
  disk.fail_call(Call::read, 1, Failure::io_error);
  BOOST_CHECK(network.send_file(id, *file, 0, 1).status().code() == Code::io_error);
  network.drop(id);
  BOOST_TEST(network.send_file(id, *file, 0, 10).value() == 10U);
}

BOOST_AUTO_TEST_CASE(a_descriptor_goes_with_its_byte_and_reads_what_is_written_later) {
  ConnectionId const id = network.connect("unix:pid 1 uid 0");
  BOOST_TEST(network.send(id, "abc") == 3U);
  BOOST_TEST(network.send_with_descriptor(id, "here", *file).value() == 4U);
  BOOST_REQUIRE(network.at(id).descriptors.size() == 1U);
  BOOST_TEST(network.at(id).descriptors.begin()->first == 3U);
  BOOST_REQUIRE(file->write(0, as_bytes(std::string_view{"xyz"})).ok());
  file.reset();
  BOOST_REQUIRE(disk.remove("data").ok());
  std::byte read[4];
  BOOST_TEST(network.at(id).descriptors.begin()->second->read(0, read).value() == 4U);
  BOOST_TEST(as_text(read) == "xyza");
}

BOOST_AUTO_TEST_CASE(descriptors_go_over_unix_sockets_with_room_only) {
  ConnectionId const tcp = network.connect("sim:client");
  BOOST_CHECK(network.send_with_descriptor(tcp, "x", *file).status().code() == Code::not_supported);
  ConnectionId const id = network.connect("unix:pid 1 uid 0");
  network.at(id).room = 0;
  BOOST_TEST(network.send_with_descriptor(id, "x", *file).value() == 0U);
  BOOST_TEST(network.at(id).descriptors.empty());
}

BOOST_AUTO_TEST_CASE(a_connection_ends_when_both_directions_have) {
  ConnectionId const id = network.connect("sim:client");
  network.end_output(id);
  BOOST_TEST(network.at(id).output_ended);
  network.at(id).to_server = "more";
  turns();
  BOOST_TEST(handler.closed.empty());
  network.at(id).end_of_input = true;
  turns();
  BOOST_TEST(handler.ended == 1);
  BOOST_TEST((handler.closed == std::vector<std::string>{"closed by peer"}));
  BOOST_TEST(network.send(id, "x") == 1U);
  BOOST_TEST(network.at(id).to_client.empty());
}

BOOST_AUTO_TEST_CASE(local_datagrams_come_and_are_answered) {
  Result<env::DatagramSocket> const socket = network.receive_local_datagrams({"unix:/run/a"}, {.number = 7});
  BOOST_REQUIRE(socket.ok());
  BOOST_TEST((network.local_socket_at("unix:/run/a") == socket->id));
  network.local_datagram_to_server(socket->id, "ask", "/run/client", 1000);
  turns();
  BOOST_TEST((handler.heard == std::vector<std::string>{"ask from /run/client of uid:1000 by 7"}));
  BOOST_TEST(network.send_local_datagram(socket->id, "/run/client", "told"));
  BOOST_TEST(!network.send_local_datagram(socket->id, "", "told"));
  network.deafen("/run/client");
  BOOST_TEST(!network.send_local_datagram(socket->id, "/run/client", "lost"));
  auto const arrived = network.take_local_datagrams();
  BOOST_REQUIRE(arrived.size() == 1U);
  BOOST_TEST(arrived[0].first == "/run/client");
  BOOST_TEST(arrived[0].second == "told");
  network.stop_listening(7);
  BOOST_TEST((network.local_socket_at("unix:/run/a") == ConnectionId{}));
  network.local_datagram_to_server(socket->id, "late", "/run/client");
  turns();
  BOOST_TEST(handler.heard.size() == 1U);
  BOOST_TEST(!network.send_local_datagram(socket->id, "/run/client", "late"));
  network.take_address("unix:/run/b");
  BOOST_CHECK(network.receive_local_datagrams({"unix:/run/b"}, {}).status().code() == Code::in_use);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::sim_network_test
