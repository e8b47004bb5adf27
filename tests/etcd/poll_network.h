// The least network with which a test can talk to a real server: connections to numeric IPv4 addresses, by poll(), one
// turn at a call. The reactor does not fit here: it runs until it is stopped, and a test wants to say what happens in
// between.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/env/network.h"

namespace fastjournal::test {

class PollNetwork final : public env::Network {
 public:
  ~PollNetwork() override;

  // Waits up to so long for something to happen, and tells the handler.
  void turn(env::NetworkHandler& handler, std::int64_t wait_us);

  Result<ConnectionId> connect(env::Address const& address, env::ConnectOptions const& options) override;
  std::size_t send(ConnectionId id, std::string_view bytes) override;
  void pause_reading(ConnectionId id, bool paused) override;
  void close(ConnectionId id) override;

  // Not here.
  Result<env::Address> listen(env::Address const&, env::ListenOptions const&) override { return missing(); }
  void stop_listening(std::uint32_t) override {}
  Result<std::size_t> send_file(ConnectionId, env::File&, std::uint64_t, std::uint64_t) override { return missing(); }
  Result<std::size_t> send_with_descriptor(ConnectionId, std::string_view, env::File&) override { return missing(); }
  void end_output(ConnectionId) override {}
  Result<ConnectionId> open_datagrams_to(env::DatagramAddress const&) override { return missing(); }
  Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const&) override { return missing(); }
  bool send_datagram(ConnectionId, std::string_view) override { return false; }
  Result<env::DatagramSocket> receive_local_datagrams(env::Address const&, env::ListenOptions const&) override {
    return missing();
  }
  bool send_local_datagram(ConnectionId, std::string_view, std::string_view) override { return false; }
  void close_datagrams(ConnectionId) override {}
  void wake_at(std::int64_t) override {}
  void turn_again() override {}

 private:
  struct Connection {
    int fd{-1};
    bool is_open{false};
    bool is_full{false};
    bool is_paused{false};
    bool has_ended{false};
  };

  static Status missing() { return {Code::not_supported, "not in this network"}; }

  std::map<ConnectionId, Connection> connections_;
  std::uint64_t last_{0};
};

}  // namespace fastjournal::test
