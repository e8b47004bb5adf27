// The simulator's clock and network: time passes only when the test advances it, connections are pairs of strings, and
// turns happen when World runs them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env/clock.h"
#include "base/env/disk.h"
#include "base/env/network.h"

namespace fastjournal::sim {

class SimClock final : public env::Clock {
 public:
  std::int64_t wall_us() override { return wall_us_; }
  std::int64_t monotonic_us() override { return monotonic_us_; }
  std::int64_t awake_us() override { return monotonic_us_ - slept_us_; }
  void advance(std::int64_t us) {
    wall_us_ += us;
    monotonic_us_ += us;
  }
  // Both clocks advance, and the time is counted as sleep.
  void suspend(std::int64_t us) {
    advance(us);
    slept_us_ += us;
  }
  // Sets the wall clock. The server is not told of it; World::set_clock does that, too.
  void set_wall(std::int64_t us) { wall_us_ = us; }

 private:
  std::int64_t wall_us_{1'767'225'600'000'000};  // 2026-01-01T00:00:00Z
  std::int64_t monotonic_us_{1'000'000};
  std::int64_t slept_us_{0};
};

// What may happen to a datagram, in thousandths.
struct Weather {
  std::uint32_t lost{0};
  std::uint32_t doubled{0};
  std::uint32_t late{0};     // overtaken by up to 20 that were sent later
  std::uint32_t refused{0};  // the sender's kernel refuses it
};

class SimNetwork final : public env::Network {
 public:
  struct Connection {
    std::string to_server;       // sent by the client, not read yet
    std::string to_client;       // sent by the server, not taken yet
    std::size_t room{SIZE_MAX};  // bytes that the simulated kernel still takes from the server
    bool paused{false};
    bool end_of_input{false};
    bool closed_by_server{false};
    bool local{false};         // of a unix socket
    bool output_ended{false};  // by the server
    bool input_ended{false};   // the server knows
    bool ended{false};         // in both directions: the server knows it no more
    // Descriptors that came, by the number of the byte with which each came.
    std::map<std::uint64_t, std::shared_ptr<env::File>> descriptors;
    std::uint64_t sent{0};      // bytes, by the server
    bool tell_writable{false};  // a file has more to send than one call may
  };

  // -- the client's side ----------------------------------------------------
  // The server's listeners: peers on unix sockets are administrators.
  static constexpr std::uint32_t kTcp = 1;
  static constexpr std::uint32_t kAdministrator = 2;
  // Connections of this client, "NAME@ADDRESS", have a certificate that names this user.
  void certify(std::string const& client, std::string user) { certified_["sim:" + client] = std::move(user); }
  ConnectionId connect(std::string_view peer, std::string_view origin = "ip:192.0.2.1", std::uint32_t listener = 0);
  Connection& at(ConnectionId id) { return connections_.at(id); }
  // False: it was dropped, or the daemon died.
  [[nodiscard]] bool knows(ConnectionId id) const { return connections_.contains(id); }
  // The number of the listener that came last at this address; 0: nobody listens there.
  [[nodiscard]] std::uint32_t listener_at(std::string_view address) const;
  [[nodiscard]] std::size_t listeners() const { return listening_.size(); }
  // Somebody else listens at this address, or not any more.
  void take_address(std::string const& address) { taken_.insert(address); }
  void free_address(std::string const& address) { taken_.erase(address); }
  [[nodiscard]] bool is_taken(std::string const& address) const { return taken_.contains(address); }
  // The client disappears.
  void drop(ConnectionId id);

  // -- the world's side -------------------------------------------------------
  void attach(env::NetworkHandler* handler) { handler_ = handler; }
  // The wall clock was set: the server is told in the next turn.
  void clock_was_set() { clock_set_ = true; }
  // One turn; true if there was anything to do.
  bool turn(std::int64_t monotonic_us);
  // With `one`, each turn reads one connection, in order; otherwise all that have sent something.
  void hear_one_a_turn(bool one) { one_a_turn_ = one; }
  [[nodiscard]] std::int64_t next_wake() const { return wake_at_; }
  // The daemon died, and all its connections are gone.
  void clear();

  // Whether somebody listens at this address.
  void serve(std::string const& address) { served_.insert(address); }
  void stop_serving(std::string const& address) { served_.erase(address); }
  // The last connection that the server opened; none if it is closed.
  [[nodiscard]] ConnectionId made() const { return connections_.contains(made_) ? made_ : ConnectionId::none; }
  [[nodiscard]] std::uint64_t attempts() const { return attempts_; }

  // -- datagrams ----------------------------------------------------------------
  void set_weather(Weather weather, std::uint64_t seed) {
    weather_ = weather;
    chance_.seed(seed);
  }
  // The server's datagrams that arrived; each is returned once. They outlive the server.
  [[nodiscard]] std::vector<std::string> take_datagrams() { return std::exchange(arrived_, {}); }
  [[nodiscard]] std::size_t datagram_sockets() const { return datagram_sockets_.size(); }
  // It reaches the server in the next turn.
  void datagram_to_server(ConnectionId socket, std::string_view bytes) { to_server_.emplace_back(socket, bytes); }

  // A datagram of a user of this computer, who has this address; empty: none, and cannot be answered. It reaches the
  // server in the next turn, unless its socket is gone by then.
  void local_datagram_to_server(ConnectionId socket, std::string_view bytes, std::string_view from,
                                std::uint32_t user = 0) {
    local_to_server_.push_back({socket, std::string{bytes}, std::string{from}, user});
  }
  // The socket for datagrams that is open at this address; none: nobody receives there.
  [[nodiscard]] ConnectionId local_socket_at(std::string_view address) const;
  // Whoever has this address takes nothing: its queue is full, or it is gone.
  void deafen(std::string const& address) { deaf_.insert(address); }
  void undeafen(std::string const& address) { deaf_.erase(address); }
  // Datagrams that came to addresses of this computer, with the address; each is returned once.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> take_local_datagrams() {
    return std::exchange(local_arrived_, {});
  }

  // -- env::Network -----------------------------------------------------------
  Result<ConnectionId> connect(env::Address const& address, env::ConnectOptions const& options) override;
  Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options) override;
  void stop_listening(std::uint32_t number) override;
  std::size_t send(ConnectionId id, std::string_view bytes) override;
  Result<std::size_t> send_file(ConnectionId id, env::File& file, std::uint64_t offset, std::uint64_t bytes) override;
  Result<std::size_t> send_with_descriptor(ConnectionId id, std::string_view bytes, env::File& file) override;
  void end_output(ConnectionId id) override;
  void pause_reading(ConnectionId id, bool paused) override;
  void close(ConnectionId id) override;
  Result<ConnectionId> open_datagrams_to(env::DatagramAddress const& address) override;
  Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const& address) override;
  bool send_datagram(ConnectionId id, std::string_view bytes) override;
  Result<env::DatagramSocket> receive_local_datagrams(env::Address const& address,
                                                      env::ListenOptions const& options) override;
  bool send_local_datagram(ConnectionId id, std::string_view to, std::string_view bytes) override;
  void close_datagrams(ConnectionId id) override {
    datagram_sockets_.erase(id);
    local_sockets_.erase(id);
  }
  void wake_at(std::int64_t monotonic_us) override { wake_at_ = monotonic_us; }
  void turn_again() override { again_ = true; }

 private:
  // Null: it is gone, and whatever is sent is dropped.
  [[nodiscard]] Connection* open_one(ConnectionId id);

  std::map<std::string, std::string, std::less<>> certified_;  // users by the peer of the connection
  env::NetworkHandler* handler_{nullptr};
  std::map<ConnectionId, Connection> connections_;
  std::uint64_t last_id_{0};
  std::map<std::uint32_t, std::string> listening_;  // addresses by number
  std::set<std::string> taken_;
  std::set<std::string> served_;
  ConnectionId made_{};
  bool made_is_open_{true};
  std::uint64_t attempts_{0};
  Weather weather_;
  std::mt19937_64 chance_;
  std::set<ConnectionId> datagram_sockets_;
  std::vector<std::string> arrived_;
  std::deque<std::pair<std::uint64_t, std::string>> late_;  // (count of datagrams sent when it arrives, its bytes)
  std::uint64_t sent_{0};
  std::vector<std::pair<ConnectionId, std::string>> to_server_;
  struct LocalSocket {
    std::string address;
    env::ListenOptions options;
  };
  struct LocalDatagram {
    ConnectionId socket{};
    std::string bytes;
    std::string from;
    std::uint32_t user{0};
  };
  std::map<ConnectionId, LocalSocket> local_sockets_;
  std::vector<LocalDatagram> local_to_server_;
  std::vector<std::pair<std::string, std::string>> local_arrived_;
  std::set<std::string, std::less<>> deaf_;
  std::int64_t wake_at_{INT64_MAX};
  bool again_{false};
  bool one_a_turn_{false};
  bool clock_set_{false};
  ConnectionId heard_{};  // the last one read, with one_a_turn_
};

}  // namespace fastjournal::sim
