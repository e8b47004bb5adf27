// A network that only records the calls, for tests of parts of the server.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "env/network.h"
#include "env/notes.h"

namespace fastjournal::test {

struct RecordingNetwork final : env::Network {
  Result<ConnectionId> connect(env::Address const& address) override {
    if (!connects) return Status{Code::io_error, "connect " + address.text + ": refused"};
    return ConnectionId{++last};
  }
  Result<env::Address> listen(env::Address const& address, env::ListenOptions const&) override { return address; }
  void stop_listening(std::uint32_t) override {}
  std::size_t send(ConnectionId id, std::string_view bytes) override {
    sent[id].append(bytes);
    return bytes.size();
  }
  void pause_reading(ConnectionId id, bool pause) override {
    if (pause)
      paused.insert(id);
    else
      paused.erase(id);
  }
  void close(ConnectionId id) override { closed.push_back(id); }
  Result<ConnectionId> open_datagrams_to(env::DatagramAddress const&) override { return ConnectionId{++last}; }
  Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const& address) override {
    return env::DatagramSocket{ConnectionId{++last}, address.address};
  }
  bool send_datagram(ConnectionId, std::string_view) override { return true; }
  void close_datagrams(ConnectionId) override {}
  void wake_at(std::int64_t) override {}
  void turn_again() override { ++turns_asked; }

  bool connects{true};
  std::uint64_t last{0};
  std::map<ConnectionId, std::string> sent;
  std::set<ConnectionId> paused;
  std::vector<ConnectionId> closed;
  int turns_asked{0};
};

struct RecordingNotes final : env::Notes {
  void note(std::string_view text) override { warnings.emplace_back(text); }
  void inform(std::string_view text) override { facts.emplace_back(text); }

  std::vector<std::string> warnings;
  std::vector<std::string> facts;
};

}  // namespace fastjournal::test
